// Reads the server's output line by line. It passes on lines that an operator should see, keeps the last lines for the
// message of a failed start, and remembers why the server ended.

import type { Readable } from 'node:stream'

/** Lines begin with the kind of process and the severity: "checkpointer: LOG:  …". */
export const LINE_PREFIX = '%b: '
const KEPT_LINES = 20

const ROUTINE = [
  // The client already gets the error, so the log need not repeat it.
  /^client backend: (WARNING|ERROR|FATAL):/,
  /: (DETAIL|HINT|CONTEXT|STATEMENT):/,
  /terminating connection due to administrator command/,
  /the database system is (starting up|shutting down|not yet accepting connections)/,
  /LOG: {2}(starting PostgreSQL|listening on|database system (was shut down|is ready|is shut down))/,
  /LOG: {2}(received (fast|smart|immediate) shutdown request|shutting down|aborting any active transactions)/,
  / exited with exit code [01]$/,
  /LOG: {2}(redo (starts|done|is not required)|invalid record length|checkpoint (starting|complete))/,
  /LOG: {2}(unexpected EOF on client connection|could not (send|receive) data (to|from) client)/,
]

/** Errors that end the server itself; a FATAL of any other process ends only that process. */
const DEADLY = /^(?:.*: PANIC|(?:postmaster|startup): FATAL): {2}(.*)/
const RECOVERED = /LOG: {2}database system is ready/

/** What an operator can do, by the message of the operating system. */
const REMEDIES = [
  [
    /No space left on device|Disk quota exceeded|Check free disk space/,
    'the disk of DATA_DIR is full: free space, then start again',
  ],
  [/Read-only file system/, 'the disk of DATA_DIR is read-only: repair it, then start again'],
] as const

export interface ServerLog {
  lastLines(): string
  /** Why the server ended, in one sentence, if it said so; otherwise null. */
  reason(): string | null
}

export function readServerLog(stream: Readable, log: (line: string) => void): ServerLog {
  const kept: string[] = []
  let deadly: string | null = null
  let rest = ''
  let dropping = false
  const take = (line: string) => {
    if (line.trim() === '') return
    kept.push(line)
    if (kept.length > KEPT_LINES) kept.shift()
    deadly = RECOVERED.test(line) ? null : (DEADLY.exec(line)?.[1] ?? deadly)
    // Further lines of a message begin with a tab and are treated like its first.
    if (!line.startsWith('\t')) dropping = ROUTINE.some(pattern => pattern.test(line))
    if (!dropping) log(line)
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  stream.on('end', () => take(rest))
  return {
    lastLines: () => kept.join('\n'),
    reason: () => deadly && deadly + remedyFor(deadly),
  }
}

function remedyFor(words: string): string {
  const remedy = remedyOf(words)
  return remedy ? ` (${remedy})` : ''
}

/** What to do about a disk that the words of a server complain about; null if they do not. */
export function remedyOf(words: string): string | null {
  return REMEDIES.find(([pattern]) => pattern.test(words))?.[1] ?? null
}
