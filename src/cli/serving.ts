// What `marquee serve` does: it runs the service until SIGINT or SIGTERM, then stops cleanly.

import { setTimeout as pause } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import { systemClock } from '../kernel/time/clock.ts'
import { prepareSearch } from '../manage/reference/search.ts'
import { type Config, ROLES, readConfig } from '../platform/config.ts'
import { DatabaseEnded } from '../platform/embedded-postgres/embedded.ts'
import { createLog, type Log } from '../platform/log.ts'
import { nodeTrouble } from '../platform/node-version.ts'
import type { Env } from '../platform/setting.ts'
import { createService, type Service } from '../service/app.ts'
import { createChild } from '../service/processes/child.ts'
import { startMainProcess } from '../service/processes/main.ts'
import { runs } from '../service/roles.ts'
import { portTrouble } from './port-trouble.ts'

export interface ServeOptions {
  /** Set in one of several processes that the main one started. */
  process?: string
  env?: Env
  /** The data is removed at the end. */
  isDisposable?: boolean | undefined
  /** Called once the service listens. */
  onRunning?: (where: { url: string; publicUrl: string }) => Promise<void>
}

/** In addition to the drain time. */
const STOP_LIMIT_MS = 25_000

const ENDED_EARLY = 'ended before everything was stopped, as after a crash, because'

/** `env`: the settings; by default those of the process. */
export async function serve(options: ServeOptions): Promise<void> {
  const { process: place, env = process.env } = options
  const config = readConfig(env)
  // Built now, because the first search would otherwise block everything else for half a second.
  if (runs(config.ROLES, 'management')) prepareSearch()
  if (place !== undefined) await serveAsChild(config, place)
  else if (config.PROCESSES > 1) await serveAsMain(config)
  else await serveAlone(config, options)
}

async function serveAlone(config: Config, { isDisposable, onRunning }: ServeOptions): Promise<void> {
  const log = createLog(config.LOG_LEVEL)
  const service = await createService({ config, log, clock: systemClock, onFatal, isDisposable })
  const url = await service.listen().catch(error => giveUp(service, error, config))
  const stopped = stopBySignal(config, log, service)
  announce(config, service.firstCredentials)
  warnOfNode(log)
  await onRunning?.({ url, publicUrl: config.PUBLIC_URL })
  await stopped
}

async function serveAsMain(config: Config): Promise<void> {
  const log = createLog(config.LOG_LEVEL).child({ process: 1 })
  const main = await startMainProcess({ config, log, onFatal })
  await main.listen().catch(error => giveUp(main, error, config))
  const stopped = stopBySignal(config, log, main)
  announce(config, main.firstCredentials)
  warnOfNode(log)
  await stopped
}

async function serveAsChild(config: Config, place: string): Promise<void> {
  const [number, count] = place.split('/')
  const log = createLog(config.LOG_LEVEL).child({ process: Number(number) })
  const child = createChild()
  const member = { place: `${number} of ${count}`, gather: child.gather, others: () => [] }
  const service = await createService({ config, log, clock: systemClock, onFatal, member })
  await service.listen().catch(error => giveUp(service, error, config))
  const startDraining = () => {
    service.startDraining()
    child.sayLeaving()
  }
  const stopped = stopBySignal(config, log, { ...service, startDraining })
  child.start({ ...service, stop: () => process.kill(process.pid, 'SIGTERM') })
  await stopped
}

/** When everything runs: a start that fails says why, and nothing else. */
function warnOfNode(log: Log): void {
  const trouble = nodeTrouble()
  if (trouble) log.warn(`${trouble.text} ${trouble.advice}`)
}

async function giveUp(
  service: { stop(): Promise<void> },
  error: NodeJS.ErrnoException,
  config: Config,
): Promise<never> {
  await service.stop()
  const trouble = portTrouble(error.code, config)
  throw trouble ? new Error(`${trouble.text} ${trouble.fix}`, { cause: error }) : error
}

/** Resolves when the service has stopped. */
function stopBySignal(
  config: Config,
  log: Log,
  service: Pick<Service, 'startDraining' | 'stop'>,
): Promise<void> {
  return new Promise(resolve => {
    const ways = {
      delay: config.DRAIN * 1000 + STOP_LIMIT_MS,
      logger: false as const,
      onSecondSignal: (signal: string) => log.warn({ signal }, `${ENDED_EARLY} of a second signal`),
      onTimeout: () => log.error(`${ENDED_EARLY} it took too long`),
      onSecondError: (again: unknown) => log.fatal({ err: again }, `${ENDED_EARLY} of another error`),
    }
    closeWithGrace(ways, async ({ err }) => {
      if (err instanceof DatabaseEnded) log.fatal(err.message)
      else if (err) log.fatal({ err }, 'stopping after an unexpected error')
      log.info('stopping')
      service.startDraining()
      if (!err) await pause(config.DRAIN * 1000)
      await service.stop()
      log.info('stopped')
      resolve()
    })
  })
}

/** Handled like any unexpected error: it is logged, everything is stopped, and the exit code is 1. */
function onFatal(error: Error): void {
  setImmediate(() => {
    throw error
  })
}

/** Output that does not go to a terminal may be a log that others can read, so it names only the file. */
function firstStartLines(path: string, credentials: { superkey: string; supertoken: string }): string[] {
  if (!process.stderr.isTTY)
    return [`  First start: the super key and token of the default app are in ${path}.`]
  return [
    '  First start: here are the super key and token of the default app. The token is shown only now;',
    `  both are stored in ${path}.`,
    '',
    `  superkey    ${credentials.superkey}`,
    `  supertoken  ${credentials.supertoken}`,
  ]
}

/** Lists only what this process serves. */
function addresses({ ROLES: roles, PUBLIC_URL: base }: Config): string[] {
  if (runs(roles, 'management'))
    return [`  API       ${base}`, `  Docs      ${base}/docs`, `  Console   ${base}/console`]
  return runs(roles, 'ads') ? [`  Ads       ${base}`] : []
}

function announce(config: Config, credentials: { superkey: string; supertoken: string } | null): void {
  const isWhole = config.ROLES.length === ROLES.length
  const lines = [
    '',
    config.SANDBOX
      ? '  A sandbox of Marquee is running. Its clock stands still: POST /sandbox/clock moves it.'
      : isWhole
        ? '  Marquee is running.'
        : `  Marquee is running, as ${config.ROLES.join(' and ')}.`,
    '',
    ...addresses(config),
    `  Data      ${config.DATABASE_URL ? 'in the database at DATABASE_URL, files in ' : ''}${config.DATA_DIR}`,
  ]
  if (credentials) {
    lines.push(
      '',
      ...firstStartLines(`${config.DATA_DIR}/credentials.json`, credentials),
      ...(config.SANDBOX ? [] : ['', '  To see it with sample data, run: ./script/marquee sandbox --demo']),
    )
  }
  process.stderr.write(`${lines.join('\n')}\n\n`)
}
