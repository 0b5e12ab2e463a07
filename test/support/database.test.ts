// The databases that tests get.

import pg from 'pg'
import { expect, it } from 'vitest'
import { createEmptyDatabase } from './database.ts'

async function tablesIn(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ tablename: string }>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
  )
  await client.end()
  return rows.map(row => row.tablename)
}

it('a test database is empty, separate from others, and can be dropped while a client is still connected', async () => {
  const one = await createEmptyDatabase()
  const two = await createEmptyDatabase()
  const client = new pg.Client({ connectionString: one.url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('CREATE TABLE t (a int)')
  expect(await tablesIn(one.url)).toEqual(['t'])
  expect(await tablesIn(two.url)).toEqual([])
  await one.drop()
  await two.drop()
  await expect(tablesIn(one.url)).rejects.toThrow(/does not exist/)
})
