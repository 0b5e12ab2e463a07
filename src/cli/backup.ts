// `marquee backup` and, for a file, `marquee restore`: writes everything into one file, or back into an empty database.

import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { readConfig } from '../platform/config.ts'
import { backup, restore } from './backup/backup.ts'
import { ExitWith } from './exit.ts'
import { printRecord } from './print.ts'
import { withDatabaseUrl } from './with-database.ts'

export function backupCommand(): Command {
  return new Command('backup')
    .description('write the whole database, including images, to one file; the service can keep running')
    .argument('[file]', 'a file that does not exist yet; default: marquee-<time>.backup')
    .option('--verify', 'first restore it into a scratch schema and compare')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee backup --verify /srv/backups/monday.backup')
    .action((file: string | undefined, options: { json?: boolean; verify?: boolean }) => {
      const path = resolve(
        file ?? `marquee-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z.backup`,
      )
      const config = readConfig(process.env)
      return untilInterrupted(signal =>
        withDatabaseUrl(config, async databaseUrl => {
          const places = { databaseUrl, path, credentials: credentialsOf(config) }
          const isVerified = !!options.verify
          const { leftOut, ...done } = await backup(places, { isVerified, signal })
          if (leftOut) console.error(`skipped, because they do not belong to Marquee: ${leftOut.join(', ')}`)
          printRecord({ file: path, ...done, ...(isVerified ? { verified: true } : {}) }, !!options.json)
        }),
      )
    })
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 }

/** Lets the work clean up after a signal. A second signal ends it at once. */
async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const onSignal = (name: NodeJS.Signals) => stop.abort(name)
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[]
  for (const name of names) process.once(name, onSignal)
  try {
    await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    console.error('marquee: stopped; no backup was made')
    throw new ExitWith(EXIT_CODES[stop.signal.reason as keyof typeof EXIT_CODES])
  } finally {
    for (const name of names) process.off(name, onSignal)
  }
}

export async function restoreBackup(file: string, json: boolean): Promise<void> {
  const config = readConfig(process.env)
  const path = resolve(file)
  const { tables, rows } = await restore({ path, credentials: credentialsOf(config) }, work =>
    withDatabaseUrl(config, work, { isFirst: true }),
  )
  printRecord({ file: path, tables, rows, restored: true }, json)
}

function credentialsOf({ DATA_DIR }: { DATA_DIR: string }): string {
  return join(DATA_DIR, 'credentials.json')
}
