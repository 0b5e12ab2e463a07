// Databases that an operator has set up in an unusual way: their settings change nothing that we rely on. A database
// that cannot work is refused with a clear message before anything is created.

import { randomUUID } from 'node:crypto'
import { afterEach, expect, inject, it } from 'vitest'
import { createDatabase, execute, withDatabase } from '../../test/support/database.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

const server = inject('postgresUrl')
const undo: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

/** `settings`: the settings that its sessions begin with. */
async function oddDatabase({ settings = {}, how = '' }: { settings?: Record<string, string>; how?: string }) {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await createDatabase(server, name, how)
  undo.push(() => execute(server, `drop database if exists ${name} with (force)`))
  for (const [setting, value] of Object.entries(settings))
    await execute(server, `alter database ${name} set ${setting} = '${value}'`)
  return { name, url: withDatabase(server, name) }
}

it('times, numbers, bytes and isolation are as we expect them, whatever the database is set to', async () => {
  const { url } = await oddDatabase({
    settings: {
      datestyle: 'German',
      intervalstyle: 'sql_standard',
      timezone: 'Asia/Kathmandu',
      bytea_output: 'escape',
      extra_float_digits: '-15',
      standard_conforming_strings: 'off',
      client_encoding: 'LATIN1',
      default_transaction_isolation: 'serializable',
      lock_timeout: '1ms',
    },
  })
  const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
  undo.push(() => db.close())
  const at = new Date('2026-11-03T04:05:06.789Z')
  const row = await db.row(
    `select $1::timestamptz as at, 123456789.123456::float8 as number, '\\x00ff'::bytea as bytes, 'a\\b' as text,
       '…€日本' as signs, current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as patience`,
    [at],
  )
  expect(row).toEqual({
    at,
    number: 123456789.123456,
    bytes: Buffer.from([0, 255]),
    text: 'a\\b',
    signs: '…€日本',
    isolation: 'read committed',
    patience: '0',
  })
})

it('a time limit on statements does not apply to migrations', async () => {
  const { url } = await oddDatabase({ settings: { statement_timeout: '10ms', lock_timeout: '1ms' } })
  expect((await migrate(url)).length).toBeGreaterThan(50)
})

it('a schema of its own is used', async () => {
  const { url } = await oddDatabase({ settings: { search_path: 'ads' } })
  await execute(url, 'create schema ads')
  expect((await migrate(url)).length).toBeGreaterThan(50)
  const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
  undo.push(() => db.close())
  expect(await db.row("select to_regclass('ads.campaign') is not null as is_there")).toEqual({
    is_there: true,
  })
})

it('a database that cannot work is refused with a message that says what to do', async () => {
  const refusalOf = async (odd: Parameters<typeof oddDatabase>[0]) => {
    const { url } = await oddDatabase(odd)
    return migrate(url).then(String, error => (error as Error).message)
  }
  expect(await refusalOf({ settings: { search_path: 'mine' } })).toMatch(
    /^the search_path of user \w+ is mine, and no such schema exists.*alter role \w+ in database test_\w+ set search_path = public$/,
  )
  expect(await refusalOf({ settings: { default_transaction_read_only: 'on' } })).toMatch(
    /^the database test_\w+ is read-only: a replica, or default_transaction_read_only is on\. Point DATABASE_URL at/,
  )
  expect(await refusalOf({ how: "encoding 'LATIN1' locale 'C' template template0" })).toMatch(
    /^the database test_\w+ is encoded in LATIN1; Marquee needs one .*encoding 'UTF8'/,
  )
})

it('for a user who may not create tables, the refusal gives statements that allow it, and they work', async () => {
  const { name, url } = await oddDatabase({})
  const user = `user_${randomUUID().replaceAll('-', '')}`
  await execute(server, `create role ${user} login`)
  undo.splice(0, 0, () => execute(server, `drop role ${user}`))
  const asUser = url.replace(/^(postgres(?:ql)?:\/\/)[^/@]*@?/, `$1${user}@`)
  const refusal = await migrate(asUser).then(String, error => (error as Error).message)
  expect(refusal).toBe(
    `user ${user} may not create tables in the database ${name}. As its owner, run: ` +
      `alter database ${name} owner to ${user}; grant create on schema public to ${user}`,
  )
  await execute(url, refusal.split('run: ')[1]!)
  expect((await migrate(asUser)).length).toBeGreaterThan(50)
})
