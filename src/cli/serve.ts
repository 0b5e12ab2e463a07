// `marquee serve`: runs the service until SIGINT or SIGTERM, then stops cleanly.

import closeWithGrace from 'close-with-grace'
import { Command } from 'commander'
import { systemClock } from '../kernel/clock.ts'
import { ROLES, readConfig } from '../platform/config.ts'
import { createLog } from '../platform/log.ts'
import { prepareSearch } from '../reference/search.ts'
import { createService } from '../service/app.ts'

const STOP_LIMIT_MS = 30_000

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service (API, docs, console) until it is stopped by Ctrl-C or SIGTERM')
    .addHelpText('after', '\nExample:\n  PORT=9000 DATA_DIR=/srv/marquee marquee serve')
    .action(serve)
}

async function serve(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.LOG_LEVEL)
  // Built now rather than by the first search, which would hold up everything else for half a second.
  prepareSearch()
  const service = await createService({ config, log, clock: systemClock, onFatal })
  await service.listen().catch(async error => {
    await service.stop()
    throw error
  })
  const stopped = new Promise<void>(resolve => {
    closeWithGrace({ delay: STOP_LIMIT_MS, logger: false }, async ({ err }) => {
      if (err) log.fatal({ err }, 'stopping after an unexpected error')
      log.info('stopping')
      await service.stop()
      log.info('stopped')
      resolve()
    })
  })
  announce(config, service.firstCredentials)
  await stopped
}

/** Takes the way of any unexpected error: logged, everything stopped, exit code 1. */
function onFatal(error: Error): void {
  setImmediate(() => {
    throw error
  })
}

/** What is not a terminal is a log, which others read: there only the place is named. */
function firstStartLines(path: string, credentials: { superkey: string; supertoken: string }): string[] {
  if (!process.stderr.isTTY)
    return [`  First start: the super key and token of the default app are kept in ${path}.`]
  return [
    '  First start: this is the super key and token of the default app. The token is shown only now;',
    `  both are kept in ${path}.`,
    '',
    `  superkey    ${credentials.superkey}`,
    `  supertoken  ${credentials.supertoken}`,
  ]
}

function announce(
  config: ReturnType<typeof readConfig>,
  credentials: { superkey: string; supertoken: string } | null,
): void {
  const base = config.PUBLIC_URL
  const isWhole = config.ROLES.length === ROLES.length
  const lines = [
    '',
    isWhole ? '  Marquee is running.' : `  Marquee is running, as ${config.ROLES.join(' and ')}.`,
    '',
    `  API       ${base}`,
    `  Docs      ${base}/docs`,
    `  Console   ${base}/console`,
    `  Data      ${config.DATABASE_URL ? 'in the database of DATABASE_URL, files in ' : ''}${config.DATA_DIR}`,
  ]
  if (credentials) {
    lines.push(
      '',
      ...firstStartLines(`${config.DATA_DIR}/credentials.json`, credentials),
      '',
      '  Something to look at: ./script/marquee demo',
    )
  }
  process.stderr.write(`${lines.join('\n')}\n\n`)
}
