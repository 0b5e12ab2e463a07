// `marquee deployment`: shows and changes the settings that all processes share.

import { Argument, Command } from 'commander'
import { BadSetting, SETTINGS } from '../platform/config.ts'
import {
  AGREED,
  type Agreed,
  agreedSetting,
  changeAgreedSetting,
  runningConnections,
} from '../platform/deployment.ts'
import { readSetting } from '../platform/setting.ts'
import { Refused } from './exit.ts'
import { printJson } from './print.ts'
import { withDatabase } from './with-database.ts'

export function deploymentCommand(): Command {
  const command = new Command('deployment').description('settings shared by all processes of this deployment')
  command
    .command('show')
    .description('show the time zone and the currency stored in the database')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee deployment show')
    .action(show)
  command
    .command('set')
    .description('change one of them while no process is running; past figures and amounts stay as they are')
    .addArgument(new Argument('<name>', 'what to change').choices(AGREED))
    .argument('<value>', 'its new value')
    .addHelpText('after', '\nExample:\n  marquee deployment set TIMEZONE Europe/Berlin')
    .action(set)
  return command
}

function show(options: { json?: boolean }): Promise<void> {
  return withDatabase(async db => {
    const values: [string, string | null][] = []
    for (const name of AGREED) values.push([name, await agreedSetting(db, name)])
    if (options.json) printJson(Object.fromEntries(values))
    else for (const [name, value] of values) console.log(`${name}=${value ?? '(not set yet)'}`)
  })
}

function set(name: Agreed, text: string): Promise<void> {
  const value = checked(name, text)
  return withDatabase(
    async db => {
      if ((await runningConnections(db)) > 0)
        throw new Refused('a service is using this database: stop every process first')
      await changeAgreedSetting(db, name, value)
      console.log(`${name}=${value}; set the same value in the environment of every process`)
    },
    { isFirst: true },
  )
}

function checked(name: Agreed, text: string): string {
  try {
    return readSetting(SETTINGS[name], text, {})
  } catch (error) {
    if (error instanceof BadSetting) throw new BadSetting(`${name} ${error.message}`)
    throw error
  }
}
