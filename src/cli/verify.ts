// `marquee verify`: compares events, shares, limits and figures, and reports where they differ. The service can keep
// running.

import { Command } from 'commander'
import { agrees, type Check, MOST_SHOWN, verify } from '../count/verify/verify.ts'
import { readConfig } from '../platform/config.ts'
import { openDatabase } from '../platform/database.ts'
import { agreedSetting } from '../platform/deployment.ts'
import { mustBeMigrated } from '../platform/migrate.ts'
import { ExitWith } from './exit.ts'
import { printJson } from './print.ts'
import { withDatabaseUrl } from './with-database.ts'

const DIFFERS = 1

export function verifyCommand(): Command {
  return new Command('verify')
    .description('compare events, shares, limits, accounts, rollups and statements, and report differences')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 everything agrees, 1 something differs.\n\nExample:\n  DATABASE_URL=postgres://localhost/marquee marquee verify',
    )
    .action(async (options: { json?: boolean }) => {
      const checks = await examine()
      if (options.json) printJson({ agrees: agrees(checks), checks })
      else checks.forEach(print)
      if (!agrees(checks)) throw new ExitWith(DIFFERS)
    })
}

/** Does not migrate, so that it examines the database as it is. */
function examine(): Promise<Check[]> {
  const config = readConfig(process.env)
  return withDatabaseUrl(config, async url => {
    const db = openDatabase({ url, maxConnections: 1, name: 'marquee command', onError: () => {} })
    try {
      await mustBeMigrated(db)
      const timeZone = (await agreedSetting(db, 'TIMEZONE')) ?? config.TIMEZONE
      return await verify(db, { timeZone, clickWindowS: config.CLICK_WINDOW })
    } finally {
      await db.close()
    }
  })
}

function print({ check, sides: [left, right], differences, isMore }: Check): void {
  console.log(`${check.padEnd(12)}${differences.length === 0 ? 'agree' : 'DIFFER'}`)
  for (const { cid, cuid, day, what, left: l, right: r } of differences)
    console.log(
      `  ${cid === null ? `customer ${cuid}` : `campaign ${cid}`}${day === null ? '' : `, ${day}`}: ${what} ${l} in ${left}${right === '' ? '' : `, ${r} in ${right}`}`,
    )
  if (isMore) console.log(`  … and more than ${MOST_SHOWN}`)
}
