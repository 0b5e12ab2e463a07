// The `marquee` command and its subcommands. Exit codes: 0 done, 1 refused or failed, 2 wrong usage or setting;
// `marquee doctor` has its own.

import { Command, CommanderError } from 'commander'
import { BadSetting } from '../platform/config.ts'
import { VERSION } from '../platform/version.ts'
import { ExitWith, WrongUsage } from './exit.ts'

/** Each command is loaded on demand, because loading all of them takes a second. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  app: async () => (await import('./app.ts')).appCommand(),
  customer: async () => (await import('./customer.ts')).customerCommand(),
  attribute: async () => (await import('./attribute.ts')).attributeCommand(),
  source: async () => (await import('./source.ts')).sourceCommand(),
  erase: async () => (await import('./erase.ts')).eraseCommand(),
  'signing-key': async () => (await import('./signing-key.ts')).signingKeyCommand(),
  webhook: async () => (await import('./webhook.ts')).webhookCommand(),
  deleted: async () => (await import('./restore.ts')).deletedCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  deployment: async () => (await import('./deployment.ts')).deploymentCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommand(),
}

/** The program with these commands; by default with all. */
export async function createProgram(names = Object.keys(COMMANDS)): Promise<Command> {
  const program = new Command('marquee')
    .description(
      'A self-hosted advertising campaign service. Settings are environment variables: docs/operating.md.',
    )
    .version(VERSION, '--version', 'print the version')
    .showHelpAfterError('(see --help)')
  for (const name of names) program.addCommand(await COMMANDS[name]!())
  return program
}

/** The command that is called, if it exists; otherwise undefined for all, so that the help text is complete. */
function namesFor(first: string | undefined): string[] | undefined {
  if (first === '--version') return []
  return first !== undefined && Object.hasOwn(COMMANDS, first) ? [first] : undefined
}

export async function runCommandLine(args: string[]): Promise<number> {
  try {
    const program = await createProgram(namesFor(args[0]))
    await withExitOverride(program).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return await exitCodeOf(error)
  }
}

/** Errors are thrown to us instead of ending the process. */
function withExitOverride(command: Command): Command {
  command.exitOverride()
  for (const child of command.commands) withExitOverride(child)
  return command
}

/** For errors of the disk: the system's own messages are for programmers. */
async function wordsOf(error: Error): Promise<string> {
  const { isOurDisk, reasonOf } = await import('../platform/trouble.ts')
  return (isOurDisk(error) && reasonOf(error)) || error.message
}

async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof ExitWith) return error.code
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof BadSetting) {
    console.error(`Invalid settings:\n${error.message.replaceAll(/^/gm, '  ')}`)
    return 2
  }
  console.error(error instanceof Error ? `marquee: ${await wordsOf(error)}` : error)
  if (process.env.LOG_LEVEL === 'debug') console.error(error)
  return error instanceof WrongUsage ? 2 : 1
}
