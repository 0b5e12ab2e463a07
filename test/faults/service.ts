// The whole built service as a process on one port, restarted until it runs, as by a supervisor.

import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceProcess, START_PATIENCE_MS, spawnMarquee } from '../support/process.ts'
import type { Life } from './world.ts'

const LAST_WORDS_CHARS = 4000

/** `diedByItself` gets the last output of a service that had started and then ended without being killed. */
export function startWholeService(
  settings: Record<string, string>,
  diedByItself: (lastWords: string) => void,
): Life {
  let running: ServiceProcess | null = null
  let isKilled = false

  async function start(): Promise<string> {
    const deadlineMs = Date.now() + START_PATIENCE_MS
    while (!isKilled) {
      const process = spawnMarquee(['serve'], settings)
      running = process
      if (await hasStarted(process)) {
        process.exited.then(() => isKilled || diedByItself(process.output().slice(-LAST_WORDS_CHARS)))
        return settings.PUBLIC_URL!
      }
      // Its database may be down, which is what the test is about.
      if (Date.now() > deadlineMs) throw new Error(`the service does not start:\n${process.output()}`)
      await sleep(50)
    }
    throw new Error('the service was killed before it had started')
  }

  const started = start()
  started.catch(() => undefined)
  return {
    started,
    pid: () => running?.pid ?? 0,
    async kill() {
      isKilled = true
      running?.child.kill('SIGKILL')
      await running?.exited
    },
  }
}

async function hasStarted({ child, output }: ServiceProcess): Promise<boolean> {
  while (!output().includes('Marquee is running')) {
    if (child.exitCode !== null || child.signalCode !== null) return false
    await sleep(20)
  }
  return true
}

const HOUR = new Date().getUTCHours()
/** Far from midnight, so that no campaign has budgets of two days. */
export const ZONE = HOUR > 0 && HOUR < 22 ? 'UTC' : 'Asia/Tokyo'

export function settingsFor(port: number, databaseUrl: string, dataDir: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    TIMEZONE: ZONE,
    LOG_LEVEL: 'error',
    // All actions come from this machine.
    VISITOR_ACTIONS: '0',
  }
}
