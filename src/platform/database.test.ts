// The database away in the middle of something: whoever was at work is told, and nobody else notices.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { type Database, type Db, openDatabase } from './database.ts'

let made: TestDatabase
let db: Database
beforeAll(async () => {
  made = await createTestDatabase()
  db = openDatabase({ url: made.url, maxConnections: 3, onError: () => {} })
  await db.run('create table note (text text not null)')
})
afterAll(async () => {
  await db.close()
  await made.drop()
})

async function endSessionOf(tx: Db): Promise<void> {
  const session = await tx.row<{ pid: number }>('select pg_backend_pid() as pid')
  await db.run('select pg_terminate_backend($1, 10000)', [session!.pid])
}

it('a session that ends between two statements ends its transaction, not the process', async () => {
  const work = db.transaction(async tx => {
    await tx.run(`insert into note (text) values ('lost')`)
    await endSessionOf(tx)
    // Let the news arrive while nothing is being asked.
    await new Promise(resolve => setTimeout(resolve, 50))
    await tx.run(`insert into note (text) values ('lost too')`)
  })
  await expect(work).rejects.toThrow()
  expect(await db.rows('select * from note')).toEqual([])
})

it('a session that ends during a statement ends its transaction, not the process', async () => {
  const work = db.transaction(async tx => {
    const session = await tx.row<{ pid: number }>('select pg_backend_pid() as pid')
    const asleep = tx.run('select pg_sleep(60)')
    await Promise.all([asleep, db.run('select pg_terminate_backend($1, 10000)', [session!.pid])])
  })
  await expect(work).rejects.toThrow()
  expect(await db.rows('select 1 as one')).toEqual([{ one: 1 }])
})
