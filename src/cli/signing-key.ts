// `marquee signing-key …`: the keys that sign the links of ads. The service replaces them by itself; an operator
// does it when one may have leaked.

import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { listSigningKeys, revokeSigningKey, rotateSigningKey } from '../count/tracking/keys.ts'
import { Refused, WrongUsage } from './exit.ts'
import { printRecord, printRows } from './print.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

export function signingKeyCommand(): Command {
  const command = new Command('signing-key').description(
    'keys that sign the links of ads: list, rotate, revoke',
  )
  command
    .command('list')
    .description('list the keys and what each does')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee signing-key list')
    .action((options: Options) =>
      withDatabase(async (db, _, clock) => {
        printRows(await listSigningKeys(db, clock), ['keyId', 'created', 'use'], !!options.json)
      }),
    )
  command
    .command('rotate')
    .description('make a new key, which signs in five minutes; earlier ones still verify their links')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee signing-key rotate')
    .action((options: Options) =>
      withDatabase(async (db, _, clock) => {
        printRecord({ ...(await rotateSigningKey(db, { clock, randomBytes })) }, !!options.json)
      }),
    )
  command
    .command('revoke <key>')
    .description('refuse every link that this key has signed, within a minute')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee signing-key rotate\n  marquee signing-key revoke 7')
    .action((text: string, options: Options) => {
      if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new WrongUsage(`"${text}" is not the number of a key`)
      return withDatabase(async (db, _, clock) => {
        const revoked = await revokeSigningKey(db, Number(text), clock)
        if (revoked === null)
          throw new Refused(
            `key ${text} signs now, or will soon: make a new one with \`marquee signing-key rotate\`, and repeat this \
when \`marquee signing-key list\` says that the new one signs`,
          )
        printRecord({ keyId: revoked.keyId, revoked: true }, !!options.json)
      })
    })
  return command
}
