// `marquee export`: writes the closed hours of a period as Parquet, with or without a running service.

import { Command } from 'commander'
import { readConfig } from '../platform/config.ts'
import { normalStoreUrl } from '../platform/store/address.ts'
import { openStore, s3AccessOf } from '../platform/store/open.ts'
import { exportPeriod } from '../report/export/export.ts'
import { ensureNumbering } from '../report/export/numbering.ts'
import { WrongUsage } from './exit.ts'
import { printRows } from './print.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  from?: string
  to?: string
  url?: string
  json?: boolean
}

const [FIRST, LAST] = [new Date(0), new Date('9999-12-31T00:00:00Z')]

export function exportCommand(): Command {
  return new Command('export')
    .description('write the closed hours of a period as Parquet; existing files stay unchanged')
    .option(
      '--from <time>',
      'the first hour, in UTC: 2026-11-15 or 2026-11-15T13; default: the first hour available',
    )
    .option('--to <time>', 'the hour to stop before; default: after the last closed hour')
    .option('--url <url>', 'a folder or s3://bucket/prefix; default: $EXPORT_URL')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  marquee export --from 2026-11-01 --to 2026-12-01 --url /srv/november',
    )
    .action((options: Options) => {
      const from = hourOf(options.from, '--from') ?? FIRST
      const to = hourOf(options.to, '--to') ?? LAST
      if (from >= to) throw new WrongUsage('--from must be before --to')
      const given = options.url && normalStoreUrl(options.url)
      if (given === null) throw new WrongUsage('--url must be a folder or s3://bucket/prefix')
      const url = given === undefined ? readConfig(process.env).EXPORT_URL : given
      if (!url) throw new WrongUsage('no target: set --url or EXPORT_URL to a folder or s3://bucket/prefix')
      return withDatabase(async (db, config, clock) => {
        await ensureNumbering(db)
        const parts = { db, store: openStore(url, s3AccessOf(config)), currency: config.CURRENCY }
        const rows = []
        for await (const manifest of exportPeriod(parts, new Date(clock.nowMs()), from, to)) {
          const { hour, files, rows: count, sums } = manifest
          rows.push({ hour, files: files.length, rows: count, ...sums })
        }
        printRows(
          rows,
          ['hour', 'files', 'rows', 'imps', 'views', 'clicks', 'actions', 'spendMicros', 'valueMicros'],
          !!options.json,
        )
      })
    })
}

function hourOf(text: string | undefined, option: string): Date | null {
  if (text === undefined) return null
  const match = /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3])(?::00(?::00)?)?Z?)?$/.exec(text)
  const time = new Date(match ? `${match[1]}T${match[2] ?? '00'}:00:00Z` : Number.NaN)
  // Date would move a day that the month does not have into the next month.
  if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(match![1]!)) return time
  throw new WrongUsage(`${option} must be a day or an hour, such as 2026-11-15 or 2026-11-15T13`)
}
