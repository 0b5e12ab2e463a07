// With a real PgBouncer between us and the database: in transaction mode the start is refused and the message says what
// to do; in session mode everything works.

import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/support/database.ts'
import { startBouncer } from '../../test/support/pgbouncer.ts'
import { openDatabase } from './database.ts'
import { mustKeepSessions } from './session.ts'

it.each([
  ['with its defaults', ''],
  ['that drops settings', 'ignore_startup_parameters = options'],
  ['that rotates its servers', 'server_round_robin = 1'],
])('a pooler in transaction mode %s is named at the start, with what to do', async (_name, more) => {
  const database = await createTestDatabase()
  const bouncer = await startBouncer(database.url, more)
  try {
    await expect(mustKeepSessions(bouncer.url)).rejects.toThrow(/session mode/)
  } finally {
    await bouncer.close()
    await database.drop()
  }
})

it('with a pooler in session mode every session has our settings, as without a pooler', async () => {
  const database = await createTestDatabase()
  const bouncer = await startBouncer(database.url, '', 'session')
  const db = openDatabase({ url: bouncer.url, maxConnections: 1, statementMs: 5_000, onError: () => {} })
  try {
    await mustKeepSessions(bouncer.url)
    expect(
      await db.row(
        `select current_setting('TimeZone') as zone, current_setting('statement_timeout') as statement,
           current_setting('idle_in_transaction_session_timeout') as idle`,
      ),
    ).toEqual({ zone: 'UTC', statement: '5s', idle: '10s' })
  } finally {
    await db.close()
    await bouncer.close()
    await database.drop()
  }
})
