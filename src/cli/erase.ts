// `marquee erase …`: who was erased, as a list to keep outside of the database, and the same erasures again after an
// older state of the database was restored.

import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import {
  type ErasedCustomer,
  eraseAgain,
  findStrangers,
  listErased,
} from '../manage/customers/erase-again.ts'
import { outboxOf } from '../platform/mail.ts'
import { Refused } from './exit.ts'
import { printRecord } from './print.ts'
import { withDatabase } from './with-database.ts'

export function eraseCommand(): Command {
  const command = new Command('erase').description(
    'erased customers: list them, erase them again after a restore',
  )
  command
    .command('list')
    .description('list the erased customers, one JSON line for each, without personal data')
    .addHelpText('after', '\nExample:\n  marquee erase list > /srv/elsewhere/erased.jsonl')
    .action(() =>
      withDatabase(async db => {
        for (const customer of await listErased(db)) console.log(JSON.stringify(customer))
      }),
    )
  command
    .command('replay <file>')
    .description('erase the customers of such a list again, in a database that was restored')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee erase replay /srv/elsewhere/erased.jsonl')
    .action(async (path: string, options: { json?: boolean }) => {
      const list = listOf(await readFile(path, 'utf8'), path)
      await withDatabase(async (db, config, clock) => {
        const strangers = await findStrangers(db, list)
        if (strangers.length > 0)
          throw new Refused(
            `nothing was erased: customers ${strangers.join(', ')} were created at other times than ${path} says. Is it \
the list of this deployment?`,
          )
        const parts = { db, clock, outboxDir: outboxOf(config.DATA_DIR) }
        const { erased, already, unknown } = await eraseAgain(parts, list)
        const record = { erased: erased.length, alreadyErased: already, createdAfterBackup: unknown }
        printRecord(record, !!options.json)
      })
    })
  return command
}

function listOf(text: string, path: string): ErasedCustomer[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const customer = customerOf(line)
    if (customer === null)
      throw new Refused(
        `line ${at + 1} of ${path} is not a line of \`marquee erase list\`; nothing was erased`,
      )
    return [customer]
  })
}

function customerOf(line: string): ErasedCustomer | null {
  try {
    const { cuid, created, erased } = JSON.parse(line) as ErasedCustomer
    return Number.isSafeInteger(cuid) && typeof created === 'string' ? { cuid, created, erased } : null
  } catch {
    return null
  }
}
