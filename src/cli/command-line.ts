// The `marquee` command: which commands there are. Exit codes: 0 done, 1 refused or failed, 2 wrong usage or setting;
// `marquee doctor` has its own.

import { Command, CommanderError } from 'commander'
import { Problem } from '../kernel/problem.ts'
import { BadSetting } from '../platform/config.ts'
import { VERSION } from '../platform/version.ts'
import { appCommand } from './app.ts'
import { backupCommand } from './backup.ts'
import { customerCommand } from './customer.ts'
import { demoCommand } from './demo.ts'
import { deploymentCommand } from './deployment.ts'
import { doctorCommand } from './doctor.ts'
import { ExitWith } from './exit.ts'
import { exportCommand } from './export.ts'
import { migrateCommand } from './migrate.ts'
import { deletedCommand, restoreCommand } from './restore.ts'
import { serveCommand } from './serve.ts'
import { sourceCommand } from './source.ts'
import { webhookCommand } from './webhook.ts'

export function createProgram(): Command {
  return new Command('marquee')
    .description(
      'A self-hosted advertising campaign service. Settings are environment variables: docs/operating.md.',
    )
    .version(VERSION, '--version', 'print the version')
    .addCommand(serveCommand())
    .addCommand(appCommand())
    .addCommand(customerCommand())
    .addCommand(sourceCommand())
    .addCommand(webhookCommand())
    .addCommand(deletedCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(exportCommand())
    .addCommand(migrateCommand())
    .addCommand(deploymentCommand())
    .addCommand(doctorCommand())
    .addCommand(demoCommand())
    .showHelpAfterError('(see --help)')
}

export async function runCommandLine(args: string[]): Promise<number> {
  try {
    await withExitOverride(createProgram()).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error)
  }
}

/** Errors come back to us instead of ending the process in the middle of something. */
function withExitOverride(command: Command): Command {
  command.exitOverride()
  for (const child of command.commands) withExitOverride(child)
  return command
}

function exitCodeOf(error: unknown): number {
  if (error instanceof ExitWith) return error.code
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof BadSetting) {
    console.error(`These settings are wrong:\n${error.message.replaceAll(/^/gm, '  ')}`)
    return 2
  }
  console.error(error instanceof Problem || error instanceof Error ? `marquee: ${error.message}` : error)
  if (process.env.LOG_LEVEL === 'debug') console.error(error)
  return 1
}
