// `marquee doctor`: checks everything that the service depends on, and says in plain words what is wrong and how to fix
// it. Exit code by severity: 0 no problems, 1 warnings, 2 errors.

import { Command } from 'commander'
import { BadSetting, type Config, readConfig } from '../platform/config.ts'
import { databaseFindings } from './doctor/database.ts'
import { EXIT_CODES, error, type Finding, type Severity, worstOf } from './doctor/finding.ts'
import {
  dataDirFindings,
  geoFindings,
  nodeFindings,
  portFindings,
  settingFindings,
} from './doctor/machine.ts'
import { capsFindings, imageFindings, mailFindings, storeFindings } from './doctor/places.ts'
import { ExitWith } from './exit.ts'
import { printJson } from './print.ts'

const MARKS: Record<Severity, string> = { ok: 'ok     ', warning: 'WARNING', error: 'ERROR  ' }

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check settings, database, stores, email, port and file permissions, and suggest fixes')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 no problems, 1 warnings, 2 errors.\n\nExample:\n  DATABASE_URL=postgres://localhost/marquee marquee doctor',
    )
    .action(async (options: { json?: boolean }) => {
      const findings = await examine()
      const status = worstOf(findings)
      if (options.json) printJson({ status, findings })
      else print(findings, status)
      throw new ExitWith(EXIT_CODES[status])
    })
}

async function examine(): Promise<Finding[]> {
  const findings = nodeFindings()
  let config: Config
  try {
    config = readConfig(process.env)
  } catch (failure) {
    if (!(failure instanceof BadSetting)) throw failure
    // Without settings, nothing else can be checked.
    return [...findings, ...failure.message.split('\n').map(badSetting)]
  }
  findings.push(...settingFindings(config))
  const looks = [
    dataDirFindings,
    databaseFindings,
    capsFindings,
    storeFindings,
    imageFindings,
    mailFindings,
    geoFindings,
    portFindings,
  ]
  // In parallel, so that several unresponsive places take no longer than one.
  const found = await Promise.all(looks.map(look => look(config)))
  return [...findings, ...found.flat()]
}

function badSetting(line: string): Finding {
  const [name = 'settings', ...words] = line.trim().split(' ')
  return error(name, words.join(' '), `Correct ${name}; docs/operating.md lists all settings.`)
}

function print(findings: Finding[], status: Severity): void {
  const width = Math.max(...findings.map(({ check }) => check.length))
  for (const { check, severity, says, advice } of findings) {
    console.log(`${MARKS[severity]}  ${check.padEnd(width)}  ${says}`)
    if (advice) console.log(`${' '.repeat(width + 11)}${advice}`)
  }
  const count = (wanted: Severity) => findings.filter(({ severity }) => severity === wanted).length
  const said = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  console.log(
    status === 'ok'
      ? '\nNo problems found.'
      : `\n${said(count('error'), 'error')}, ${said(count('warning'), 'warning')}.`,
  )
}
