// A real PgBouncer in transaction mode between us and the database: the start is refused and the message says what to
// do.

import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/support/database.ts'
import { startBouncer } from '../../test/support/pgbouncer.ts'
import { mustKeepSessions, openDatabase } from './database.ts'

it.each([
  ['that refuses our settings', ''],
  ['that drops our settings', 'ignore_startup_parameters = options'],
])('a pooler in transaction mode %s is named at the start, with what to do', async (_name, more) => {
  const database = await createTestDatabase()
  const bouncer = await startBouncer(database.url, more)
  const db = openDatabase({ url: bouncer.url, maxConnections: 1, onError: () => {} })
  try {
    await expect(mustKeepSessions(db)).rejects.toThrow(/session mode/)
  } finally {
    await db.close()
    await bouncer.close()
    await database.drop()
  }
})
