// The built service in its own process, as an operator runs it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { runCommandLine } from '../../src/cli/command-line.ts'

export interface ServiceProcess {
  child: ChildProcess
  pid: number
  /** Everything it has printed so far. */
  output(): string
  /** Resolves with the exit code. */
  exited: Promise<number | null>
}

/** A start takes a second; a busy machine may need a hundred times that. */
export const START_PATIENCE_MS = 240_000
const MAIN = join(import.meta.dirname, '../../dist/src/main.js')

/** `under`: words before the program, such as those of a system call filter. */
export function spawnMarquee(
  args: string[],
  env: Record<string, string>,
  { node = process.execPath, main = MAIN, under = [] as string[] } = {},
): ServiceProcess {
  const [command = node, ...words] = [...under, node, main, ...args]
  return follow(
    spawn(command, words, {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/tmp', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/** The service on a terminal, which Ctrl-C ends: write `\x03` to the child's standard input. */
export function spawnOnTerminal(env: Record<string, string>): ServiceProcess {
  const command = `exec "${process.execPath}" "${MAIN}" serve`
  return follow(
    spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/tmp', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
}

function follow(child: ChildProcess): ServiceProcess {
  let output = ''
  child.stdout!.on('data', chunk => {
    output += chunk
  })
  child.stderr!.on('data', chunk => {
    output += chunk
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  return { child, pid: child.pid!, output: () => output, exited }
}

/** `main`: the main file, if it is that of another build. */
export async function startProcess(env: Record<string, string>, main = MAIN): Promise<ServiceProcess> {
  return whenRunning(spawnMarquee(['serve'], env, { main }))
}

export async function whenRunning(service: ServiceProcess): Promise<ServiceProcess> {
  const deadline = Date.now() + START_PATIENCE_MS
  while (!service.output().includes('Marquee is running')) {
    if (service.child.exitCode !== null || Date.now() > deadline) {
      service.child.kill('SIGKILL')
      throw new Error(`the service did not start:\n${service.output()}`)
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  return service
}

/** Runs a command to its end. */
export async function runMarquee(
  args: string[],
  env: Record<string, string>,
  options?: Parameters<typeof spawnMarquee>[2],
) {
  const command = spawnMarquee(args, env, options)
  const code = await command.exited
  return { code, output: command.output() }
}

/** Runs a command in this process, in a fraction of the time: for runs that differ from others only in their words. */
export async function callMarquee(args: string[], env: Record<string, string>) {
  let output = ''
  const write = (text: unknown) => {
    output += text
    return true
  }
  const print = (...words: unknown[]) => void write(`${words.join(' ')}\n`)
  const { stdout, stderr, env: own } = process
  const before = { out: stdout.write, err: stderr.write, log: console.log, error: console.error }
  process.env = { PATH: own.PATH, HOME: own.HOME, ...env }
  stdout.write = write
  stderr.write = write
  console.log = print
  console.error = print
  try {
    const code = await runCommandLine(args)
    return { code, output }
  } finally {
    process.env = own
    stdout.write = before.out
    stderr.write = before.err
    console.log = before.log
    console.error = before.error
  }
}
