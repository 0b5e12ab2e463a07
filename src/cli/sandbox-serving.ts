// What `marquee sandbox` does: it serves a sandbox from an embedded database and removes it afterwards. Of the settings
// of a real deployment on this machine it uses only those that cannot affect that deployment.

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../kernel/time/clock.ts'
import { serve } from './serving.ts'

export interface SandboxOptions {
  start?: string
  seed: string
  keep?: boolean
  demo?: boolean
}

const TAKEN = [
  'HOST',
  'LOG_LEVEL',
  'TIMEZONE',
  'CURRENCY',
  'DEFAULT_CPM',
  'CREATIVE_WEIGHTS',
  'CLICK_WINDOW',
  'VIEW_WINDOW',
  'EVENT_RETENTION',
]
const PORT = '8090'
export const DEMO_DAYS = 60

export async function serveSandbox({ start, seed, keep, demo }: SandboxOptions): Promise<void> {
  const given = process.env.DATA_DIR
  const isDisposable = given === undefined && !keep
  let hasRun = false
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'marquee-sandbox-')))
  // Runs last of all, because a signal ends the process as soon as the service has stopped.
  process.once('exit', () => {
    if (isDisposable) rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    else if (hasRun)
      process.stderr.write(
        `The sandbox is kept in ${dataDir}. To continue: DATA_DIR=${dataDir} marquee sandbox\n`,
      )
  })
  await serve({
    env: {
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...Object.fromEntries(TAKEN.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : []))),
      PORT: process.env.PORT ?? PORT,
      DATA_DIR: dataDir,
      SANDBOX: 'true',
      SANDBOX_SEED: seed,
      ...startOf(start, demo),
    },
    isDisposable,
    async onRunning(where) {
      hasRun = true
      if (demo) await demonstrateIn({ ...where, dataDir })
    },
  })
}

/** Loaded on demand, because it draws images, which nothing else needs. */
async function demonstrateIn(where: { url: string; publicUrl: string; dataDir: string }): Promise<void> {
  const { demonstrateHistory } = await import('./sandbox-demo.ts')
  await demonstrateHistory(where, DEMO_DAYS)
}

/** The history of a demo ends today. */
function startOf(start: string | undefined, demo: boolean | undefined): { SANDBOX_START?: string } {
  if (start !== undefined) return { SANDBOX_START: start }
  if (!demo) return {}
  const ms = systemClock.nowMs() - DEMO_DAYS * 86_400_000
  return { SANDBOX_START: new Date(ms).toISOString().slice(0, 10) }
}
