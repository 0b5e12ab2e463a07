// `marquee deleted` and `marquee restore <id>` undo deletions made through the API, however old. `marquee restore
// <file>` restores a backup into an empty database.

import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { inTx } from '../changes/tx.ts'
import { parseId } from '../kernel/id.ts'
import { listDeleted, restore } from '../manage/campaigns/campaigns.ts'
import { restoreBackup } from './backup.ts'
import { Refused } from './exit.ts'
import { printRecord, printRows } from './print.ts'
import { pageOf } from './values.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'restore a deleted object and everything in it (by id), or a backup into an empty database (by file)',
    )
    .argument('<id or file>', 'a cid, fid, pid or bid, or a backup file')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  marquee restore 1002\n  DATA_DIR=/srv/fresh marquee restore monday.backup',
    )
    .action((text: string, options: Options) => {
      const id = parseId(text)
      if (id === null && !existsSync(text)) throw new Refused(`"${text}" is neither an id nor a backup file`)
      if (id === null) return restoreBackup(text, !!options.json)
      return withDatabase(async (db, _, clock) => {
        const restored = await inTx(db, tx => restore(tx, id, clock))
        printRecord({ ...restored, restored: true }, !!options.json)
      })
    })
}

export function deletedCommand(): Command {
  return new Command('deleted')
    .description('list the campaigns, flights, personas and banners that can be restored')
    .option('--json', 'print JSON')
    .option('--after <id>', 'only those with a larger id', '0')
    .option('--limit <n>', 'at most this many', '1000')
    .addHelpText('after', '\nExample:\n  marquee deleted --limit 20')
    .action((options: Options & { after: string; limit: string }) => {
      const { after, limit } = pageOf(options)
      return withDatabase(async db => {
        const rows = await listDeleted(db, after, limit)
        printRows(rows, ['noun', 'id', 'name', 'cuid', 'cid', 'deleted', 'under'], !!options.json)
      })
    })
}
