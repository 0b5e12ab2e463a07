// `marquee attribute …`: what an app has declared about its pages, shops and visitors.

import { Command, Option } from 'commander'
import { livingAppId } from '../identity/apps.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { deleteAttribute, listAttributes, putAttribute } from '../manage/attributes/attributes.ts'
import { type Attribute, AttributeEdit, KINDS } from '../manage/attributes/contract.ts'
import type { Db } from '../platform/database.ts'
import { printJson, printRecord, printRows } from './print.ts'
import { bodyOf } from './values.ts'
import { withDatabase } from './with-database.ts'

interface Options {
  json?: boolean
}

interface PutOptions extends Options {
  kind?: string
  label?: string
  choices?: string
  appOnly?: string
  public?: string
  force?: boolean
}

const onOff = (flags: string, about: string) => new Option(`${flags} <on|off>`, about).choices(['on', 'off'])

export function attributeCommand(): Command {
  const command = new Command('attribute').description('attributes of an app: list, declare, remove')
  command
    .command('list <app>')
    .description('list what an app has declared')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee attribute list shop')
    .action((app: string, { json }: Options) =>
      withDatabase(async db => {
        const rows = await listAttributes(db, { appId: await livingAppId(db, app) })
        const columns = ['key', 'label', 'kind', 'choices', 'appOnly', 'fromPublic'] as const
        if (json) printJson(rows)
        else printRows(rows.map(shown), [...columns], false)
      }),
    )
  command
    .command('put <app> <key>')
    .description('declare an attribute, or change only what is given')
    .addOption(new Option('--kind <kind>', 'its kind; required for a new one').choices(KINDS))
    .option('--label <text>', 'its name for people')
    .option('--choices <list>', 'its values, each with a label if you like: sport=Sport,news')
    .addOption(onOff('--app-only', 'whether only the app may target it'))
    .addOption(onOff('--public', 'whether the public key of a site may say it'))
    .option('--force', 'even if personas target a value that is removed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  marquee attribute put shop section --kind choice --choices sport,news',
    )
    .action((app: string, key: string, options: PutOptions) => {
      const edit = bodyOf<AttributeEdit>(AttributeEdit, editOf(options))
      return withDatabase(async (db, _config, clock) => {
        const { found } = await db.transaction(async tx =>
          putAttribute(tx, await declaring(tx, app, options, clock), key, edit),
        )
        printRecord(shown(found.attribute), !!options.json)
      })
    })
  command
    .command('remove <app> <key>')
    .description('remove an attribute that no persona targets')
    .option('--force', 'even if personas target it: they reach nobody any more')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee attribute remove shop section')
    .action((app: string, key: string, options: Options & { force?: boolean }) =>
      withDatabase(async (db, _config, clock) => {
        const removed = await db.transaction(async tx =>
          deleteAttribute(tx, await declaring(tx, app, options, clock), key),
        )
        printRecord(removed, !!options.json)
      }),
    )
  return command
}

async function declaring(db: Db, app: string, { force = false }: { force?: boolean }, clock: Clock) {
  const caller = { appId: await livingAppId(db, app), key: 'command line' as const }
  return { caller, clock, ifMatch: null, force }
}

function editOf({ kind, label, choices, appOnly, public: fromPublic }: PutOptions): object {
  const given = {
    kind,
    label,
    choices: choices?.split(',').map(one => {
      const [value, name] = one.split('=', 2)
      return { value, ...(name === undefined ? {} : { label: name }) }
    }),
    appOnly: isOn(appOnly),
    fromPublic: isOn(fromPublic),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function isOn(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'on'
}

function shown({ key, label, kind, choices, appOnly, fromPublic }: Attribute) {
  const values = choices.map(({ value }) => value).join(', ')
  return { key, label, kind, choices: values, appOnly, fromPublic }
}
