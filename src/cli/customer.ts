// `marquee customer …`: what the operator may do with the customers of any app.

import { Command } from 'commander'
import { inTx } from '../changes/tx.ts'
import {
  listAllCustomers,
  OPERATOR,
  removeCustomer,
  restoreCustomer,
  setApiAccess,
} from '../manage/customers/customers.ts'
import { eraseCustomer } from '../manage/customers/erase.ts'
import { outboxOf } from '../platform/mail.ts'
import { creditCustomer } from '../report/accounts/accounts.ts'
import { NewCredit } from '../report/accounts/contract.ts'
import { WrongUsage } from './exit.ts'
import { printRecord, printRows } from './print.ts'
import { bodyOf, idOf, pageOf } from './values.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

export function customerCommand(): Command {
  const command = new Command('customer').description(
    'customers: list, access on/off, credit, remove, restore, erase',
  )
  command
    .command('list')
    .description('list the customers of all apps, including removed ones')
    .option('--json', 'print JSON')
    .option('--after <cuid>', 'only customers with a larger id', '0')
    .option('--limit <n>', 'at most this many', '1000')
    .addHelpText('after', '\nExample:\n  marquee customer list --limit 20')
    .action((options: Options & { after: string; limit: string }) => {
      const { after, limit } = pageOf(options)
      return withDatabase(async db => {
        printRows(
          await listAllCustomers(db, after, limit),
          ['cuid', 'app', 'company', 'email', 'apiAccess', 'created', 'deleted'],
          !!options.json,
        )
      })
    })
  command
    .command('access <cuid> <on|off>')
    .description("switch a customer's API access; off refuses every call by or for it")
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer access 1001 off')
    .action((cuid: string, state: string, options: Options) => {
      if (state !== 'on' && state !== 'off') throw new WrongUsage(`access must be on or off, not "${state}"`)
      const id = idOf(cuid, 'customer')
      return withDatabase(async (db, _, clock) => {
        await inTx(db, tx => setApiAccess(tx, id, state === 'on', clock))
        printRecord({ cuid: id, apiAccess: state === 'on' }, !!options.json)
      })
    })
  command
    .command('credit <cuid> <amount> <reference>')
    .description('credit a customer that pays in advance; a negative amount corrects (put -- before it)')
    .option('--note <text>', 'shown on the statement')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe same reference again changes nothing.\n\nExamples:\n  marquee customer credit 1001 100 invoice-1107\n  marquee customer credit 1001 -- -20 refund-1107',
    )
    .action((cuid: string, amount: string, reference: string, options: Options & { note?: string }) => {
      const id = idOf(cuid, 'customer')
      const body = creditOf(amount, reference, options.note)
      return withDatabase(async (db, config, clock) => {
        const parts = { clock, currency: config.CURRENCY }
        const { entry, account, isNew } = await inTx(db, tx => creditCustomer(tx, id, body, OPERATOR, parts))
        const { balance, currency } = account
        printRecord({ cuid: id, ...entry, balance, currency, repeated: !isNew }, !!options.json)
      })
    })
  command
    .command('remove <cuid>')
    .description('remove a customer and everything it owns from the API and from delivery')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer remove 1001')
    .action((cuid: string, options: Options) => {
      const id = idOf(cuid, 'customer')
      return withDatabase(async (db, _, clock) => {
        await inTx(db, tx => removeCustomer(tx, id, clock))
        printRecord({ cuid: id, removed: true }, !!options.json)
      })
    })
  command
    .command('restore <cuid>')
    .description('restore a removed customer')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer restore 1001')
    .action((cuid: string, options: Options) => {
      const id = idOf(cuid, 'customer')
      return withDatabase(async (db, _, clock) => {
        await inTx(db, tx => restoreCustomer(tx, id, clock))
        printRecord({ cuid: id, restored: true }, !!options.json)
      })
    })
  command
    .command('erase <cuid>')
    .description('permanently erase the personal data of a removed customer; figures and money stay')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee customer remove 1001\n  marquee customer erase 1001')
    .action((cuid: string, options: Options) => {
      const id = idOf(cuid, 'customer')
      return withDatabase(async (db, config, clock) => {
        const parts = { db, clock, outboxDir: outboxOf(config.DATA_DIR) }
        await eraseCustomer(parts, { cuid: id, appId: null, actor: OPERATOR })
        printRecord({ cuid: id, erased: true }, !!options.json)
      })
    })
  return command
}

function creditOf(amount: string, reference: string, note: string | undefined): NewCredit {
  if (!/^-?\d+(\.\d+)?$/.test(amount))
    throw new WrongUsage(`amount must be a number such as 100 or 19.90, not "${amount}"`)
  if (Number(amount) === 0) throw new WrongUsage('amount must not be 0')
  return bodyOf(NewCredit, { amount: Number(amount), reference, note: note ?? null })
}
