// What `marquee sandbox` does: serves a sandbox from an embedded database, and removes it afterwards. Of the settings
// of a real deployment on the same machine it takes only those that cannot touch what is real.

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from './serving.ts'

export interface SandboxOptions {
  start?: string
  seed: string
  keep?: boolean
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
]
const PORT = '8090'

export async function serveSandbox({ start, seed, keep }: SandboxOptions): Promise<void> {
  const given = process.env.DATA_DIR
  const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'marquee-sandbox-')))
  // The last thing that happens: a signal ends the process as soon as the service has stopped.
  process.once('exit', () => {
    if (!given && !keep) rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    else
      process.stderr.write(
        `The sandbox is kept in ${dataDir}. To go on: DATA_DIR=${dataDir} marquee sandbox\n`,
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
      ...(start === undefined ? {} : { SANDBOX_START: start }),
    },
  })
}
