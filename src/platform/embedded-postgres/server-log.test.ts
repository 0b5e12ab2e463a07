// What the server's log lines say about its end.

import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, it } from 'vitest'
import { readServerLog } from './server-log.ts'

async function reasonOf(...lines: string[]): Promise<string | null> {
  const stream = Readable.from(lines.map(line => `${line}\n`))
  const log = readServerLog(stream, () => {})
  await finished(stream)
  return log.reason()
}

const FULL = 'client backend: PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device'
const READY = 'postmaster: LOG:  database system is ready to accept connections'

it('the reason of its end is its last deadly error, with what to do', async () => {
  expect(await reasonOf(READY, FULL, 'startup: FATAL:  could not write: Read-only file system')).toBe(
    'could not write: Read-only file system (the disk of DATA_DIR is read-only: repair it, then start again)',
  )
})

it('an error from which it recovered is not the reason of a later end', async () => {
  expect(await reasonOf(FULL, READY)).toBeNull()
})

it('an error that ended only a client or helper is not the reason either', async () => {
  expect(
    await reasonOf(
      READY,
      'client backend: FATAL:  the database system is in recovery mode',
      'autovacuum worker: FATAL:  terminating autovacuum process due to administrator command',
    ),
  ).toBeNull()
})
