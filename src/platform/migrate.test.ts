// Migrations: many processes may run them at once, and an old program does not touch a newer database.

import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../test/support/database.ts'
import { migrate, mustBeReady } from './migrate.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)
/** The last migration of 0.1.0. Released files are never changed, so they do not say what they take away. */
const LAST_RELEASED = '0009'
const LAST_RELEASE = (await readdir(MIGRATIONS)).filter(name => name.slice(0, 4) <= LAST_RELEASED).sort()
const TAKES_AWAY =
  /\bdrop (table|view|function|column|constraint)\b|\brename\b|\balter (column )?\w+ (set data )?type\b|\bset not null\b/i
const WAITING =
  "select 1 from pg_stat_activity where application_name = 'marquee migrate' and wait_event = 'relation'"

let database: TestDatabase
beforeAll(async () => {
  database = await createEmptyDatabase()
})
afterAll(() => database.drop())

async function connect({ url }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

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

it('a command that has migrated can end at once, because no timer keeps it alive', async () => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  await migrate(database.url)
  expect(timers()).toBeLessThanOrEqual(before)
})

it('a database that a newer version has contracted is refused, naming the migration; one that it has only expanded is not', async () => {
  await query("insert into migration (name, expands) values ('9998-expanded.sql', true)")
  expect(await migrate(database.url)).toEqual([])
  await query("insert into migration (name) values ('9999-from-the-future.sql')")
  await expect(migrate(database.url)).rejects.toThrow(
    /newer than this version of Marquee \(it has 9999-from-the-future.sql\)/,
  )
  await query("delete from migration where name like '999%'")
})

it('a migration whose file was changed after it was applied is refused and named', async () => {
  const [row] = await query("select checksum from migration where name = '0002-campaigns.sql'")
  expect(row.checksum).toMatch(/^[0-9a-f]{64}$/)
  await query("update migration set checksum = repeat('0', 64) where name = '0002-campaigns.sql'")
  await expect(migrate(database.url)).rejects.toThrow(
    /0002-campaigns\.sql is not the one that this database has/,
  )
  // As a version from before checksums would have left it.
  await query("update migration set checksum = null where name = '0002-campaigns.sql'")
  expect(await migrate(database.url)).toEqual([])
  expect(await query("select checksum from migration where name = '0002-campaigns.sql'")).toEqual([row])
})

it('the day of a conversion that is worth something is found once, not for each of its breakdowns', async () => {
  const client = await connect(database)
  try {
    await client.query("set track_functions = 'all'; begin")
    await client.query(
      `insert into action (cuid, dedupe, at, name, value_micros, served_at, ad_id, credited_to, cid, fid, pid, bid)
       select 1, n, now(), 'sale', 1000000, now(), '\\x01', 'click', 2, 3, 4, 5 from generate_series(1, 10) as n`,
    )
    const { rows } = await client.query(
      `select (select calls::int from pg_stat_xact_user_functions where funcname = 'day_at') as days,
         (select value_micros::int / 1000000 from rollup_value_dimension where id = -1 and dimension = 'g') as worth`,
    )
    expect(rows).toEqual([{ days: 10, worth: 10 }])
  } finally {
    await client.end()
  }
})

/** A database as the last release left it, with what that program had written. */
async function ofLastRelease(): Promise<TestDatabase> {
  const old = await createEmptyDatabase()
  await migrate(old.url, LAST_RELEASE)
  const client = await connect(old)
  await client.query("insert into app (app_id, name, created_at) values (1, 'app', now())")
  await client.end()
  return old
}

it('a database of an older version is told from an empty one and from a newer one, without a change', async () => {
  const old = await createEmptyDatabase()
  try {
    await expect(mustBeReady(old.url, { mayCreate: false })).rejects.toThrow(/no tables of Marquee/)
    await migrate(old.url, LAST_RELEASE)
    // As 0.1.0 itself left it: it knew neither column.
    const client = await connect(old)
    await client.query('alter table migration drop column checksum, drop column expands')
    for (const mayCreate of [false, true])
      await expect(mustBeReady(old.url, { mayCreate })).rejects.toThrow(
        /from an older version \(it lacks 0010-\S+, \S+, \S+ and \d+ more\): run marquee migrate/,
      )
    const { rows } = await client.query('select count(*)::int as n from migration')
    await client.end()
    expect(rows).toEqual([{ n: LAST_RELEASE.length }])
  } finally {
    await old.drop()
  }
})

it('a command that finds a migration running waits for it', async () => {
  const fresh = await createEmptyDatabase()
  try {
    const migrated = migrate(fresh.url)
    const reader = await connect(fresh)
    const BEGUN = "select from pg_class where relname = 'campaign'"
    await expect.poll(async () => (await reader.query(BEGUN)).rows.length, { interval: 5 }).toBe(1)
    await reader.end()
    await mustBeReady(fresh.url, { mayCreate: false })
    await migrated
  } finally {
    await fresh.drop()
  }
})

it('a migration that waits for a table blocks nobody else, and continues when the table is free', async () => {
  const old = await ofLastRelease()
  const [lockHolder, reader] = [await connect(old), await connect(old)]
  try {
    await lockHolder.query('begin; select count(*) from campaign')
    const migrated = migrate(old.url)
    await expect
      .poll(async () => (await reader.query(WAITING)).rows.length, { interval: 20 })
      .toBeGreaterThan(0)
    // These come after the waiting migration, yet succeed before the lock holder lets go.
    for (let n = 0; n < 3; n++) await reader.query('select count(*) from campaign')
    await lockHolder.query('commit')
    expect((await migrated).at(-1)).toBe(
      (await readdir(MIGRATIONS))
        .filter(name => name.endsWith('.sql'))
        .sort()
        .at(-1),
    )
  } finally {
    await Promise.all([lockHolder.end(), reader.end()])
    await old.drop()
  }
})

it('a migration that meets a deadlock lets the others pass and tries again', async () => {
  const old = await createEmptyDatabase()
  const names = (await readdir(MIGRATIONS)).filter(name => name.endsWith('.sql')).sort()
  // This migration changes shares first and customers later.
  const POOLS = names.indexOf('0160-totals-and-balances.sql')
  await migrate(old.url, names.slice(0, POOLS))
  const [other, reader] = [await connect(old), await connect(old)]
  try {
    // The one that notices the deadlock first gives way.
    await other.query("set deadlock_timeout = '1min'; begin; select count(*) from customer")
    const migrated = migrate(old.url, names.slice(0, POOLS + 1))
    await expect
      .poll(async () => (await reader.query(WAITING)).rows.length, { interval: 20 })
      .toBeGreaterThan(0)
    await other.query('select count(*) from share')
    await other.query('commit')
    expect(await migrated).toEqual([names[POOLS]])
  } finally {
    await Promise.all([other.end(), reader.end()])
    await old.drop()
  }
})

it('what the last release acknowledges while its database is being migrated is kept', async () => {
  const old = await ofLastRelease()
  const writers = await Promise.all(Array.from({ length: 3 }, () => connect(old)))
  let stop = false
  const kept: string[] = []
  const work = writers.map(async (client, writer) => {
    for (let n = 0; !stop; n++) {
      const email = `w${writer}-${n}@old.example`
      await client.query(
        `insert into customer (cuid, app_id, company, email, email_key, created_at, updated_at)
         values (nextval('ids'), 1, 'c', $1, $1, now(), now())`,
        [email],
      )
      kept.push(email)
    }
  })
  // Its delivery writes events in a form that this release does not have. It must have ended before; if it has not, its
  // events are refused with an error.
  const delivery = await connect(old)
  const day = `create table event_today partition of event for values from ('2026-01-01') to ('2036-01-01')`
  await delivery.query(day)
  let counted = 0
  const refused = (async () => {
    for (;;) {
      await delivery.query(
        `insert into event (served_at, ad_id, kind, at, cuid, cid, fid, pid, bid, source_id, budget_day, spend_micros)
         values (now(), substr(decode(md5(random()::text), 'hex'), 1, 12), 'impression', now(), 1, 2, 3, 4, 5, 6, 20260101, 7)`,
      )
      counted++
    }
  })().catch((error: Error) => error.message)
  try {
    await expect.poll(() => Math.min(kept.length, counted)).toBeGreaterThan(50)
    await migrate(old.url)
    const before = kept.length
    await expect.poll(() => kept.length).toBeGreaterThan(before + 50)
    stop = true
    await Promise.all(work)
    const { rows } = await writers[0]!.query('select email from customer')
    expect(rows.map(row => row.email).sort()).toEqual(kept.sort())
    expect(await refused).toMatch(/column .* does not exist|invalid input/)
    const events = await writers[0]!.query(
      'select count(*)::int as n, sum(spend_micros)::int as micros from event',
    )
    expect(events.rows).toEqual([{ n: counted, micros: 7 * counted }])
  } finally {
    stop = true
    await Promise.allSettled([...work, delivery.end(), refused])
    await Promise.all(writers.map(client => client.end()))
    await old.drop()
  }
})

it('a migration that takes something away from the previous version says so, and the database knows', async () => {
  const files = (await readdir(MIGRATIONS)).filter(
    name => name.endsWith('.sql') && name.slice(0, 4) > LAST_RELEASED,
  )
  for (const name of files) {
    const text = await readFile(new URL(name, MIGRATIONS), 'utf8')
    const isTaken = TAKES_AWAY.test(text)
    expect([name, /^-- contracts\b/m.test(text)]).toEqual([name, isTaken])
    const [row] = await query(`select expands from migration where name = '${name}'`)
    expect([name, row.expands]).toEqual([name, !isTaken])
  }
  expect(files.length).toBeGreaterThan(3)
})

it('a new index on a table in use is created without blocking its work', async () => {
  const files = (await readdir(MIGRATIONS)).filter(
    name => name.endsWith('.sql') && !LAST_RELEASE.includes(name),
  )
  const texts = await Promise.all(files.map(name => readFile(new URL(name, MIGRATIONS), 'utf8')))
  const made = texts.flatMap(text =>
    [...text.matchAll(/create (?:unlogged )?table (\w+)/g)].map(match => match[1]),
  )
  const indexes = texts.flatMap(text => [
    ...text.matchAll(/create (?:unique )?index (concurrently )?(\w+)\s+on (\w+)/g),
  ])
  expect(indexes.length).toBeGreaterThan(5)
  const inTheWay = indexes.filter(([, beside, , table]) => !beside && !made.includes(table))
  expect(inTheWay.map(([statement]) => statement)).toEqual([])
})
