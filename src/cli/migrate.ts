// `marquee migrate`: brings the database up to date without starting the service.

import { Command } from 'commander'
import { readConfig } from '../platform/config.ts'
import { migrate } from '../platform/migrate.ts'
import { printJson } from './print.ts'
import { withDatabaseUrl } from './with-database.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database up to date (serve does so automatically)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://localhost/marquee marquee migrate')
    .action((options: { json?: boolean }) =>
      withDatabaseUrl(
        readConfig(process.env),
        async url => {
          const applied = await migrate(url)
          if (options.json) printJson({ applied })
          else
            console.log(applied.length > 0 ? `applied ${applied.join(', ')}` : 'the database is up to date')
        },
        { isFirst: true },
      ),
    )
}
