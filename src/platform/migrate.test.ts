// Migrations: safe to run by many at once, and an old program does not touch a newer database.

import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../test/support/database.ts'
import { migrate } from './migrate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database.drop())

async function query(text: string) {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

it('five processes that start at once apply each migration once', async () => {
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url)))
  const names = applied.flat()
  expect(new Set(names).size).toBe(names.length)
  expect(names[0]).toBe('0001-identity.sql')
  expect(await migrate(database.url)).toEqual([])
})

it('a database newer than the code is refused with its name', async () => {
  await query("insert into migration (name) values ('9999-from-the-future.sql')")
  await expect(migrate(database.url)).rejects.toThrow(
    /newer than this version of Marquee \(it has 9999-from-the-future/,
  )
  await query("delete from migration where name like '9999%'")
})
