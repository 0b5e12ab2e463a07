// Access to PostgreSQL: values come back as they were sent, a failure leaves everything usable, a transaction is whole.

import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { type Database, openDatabase, sqlState, UNIQUE_VIOLATION } from './database.ts'

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  // One connection, so that each statement finds whatever the last one left behind.
  db = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
  await db.run('create table item (id int primary key, at timestamptz)')
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const many = { seed: SEED, numRuns: 200, verbose: true }

async function echo(type: string, value: unknown): Promise<unknown> {
  return (await db.row<{ value: unknown }>(`select $1::${type} as value`, [value]))!.value
}

describe(`a value is read back as it was written (SEED=${SEED})`, () => {
  const text = fc.string({ unit: 'binary' }).map(value => value.replaceAll('\0', '').toWellFormed())

  it('text, in any script and with any sign', () =>
    fc.assert(
      fc.asyncProperty(text, async value => {
        expect(await echo('text', value)).toBe(value)
      }),
      many,
    ))

  it('arrays of text, with quotes, backslashes, commas, NULL and nothing', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(text, fc.constantFrom(null, 'NULL', '', '"', '\\', 'a,b', '{}'))),
        async value => {
          expect(await echo('text[]', value)).toEqual(value)
        },
      ),
      many,
    ))

  it('bytes, alone and in arrays', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array()), async values => {
        const buffers = values.map(value => Buffer.from(value))
        expect(await echo('bytea[]', buffers)).toEqual(buffers)
        expect(await echo('bytea', buffers[0] ?? null)).toEqual(buffers[0] ?? null)
      }),
      many,
    ))

  it('times, to the millisecond', () =>
    fc.assert(
      fc.asyncProperty(
        fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') }),
        async value => {
          if (Number.isNaN(value.getTime())) return
          expect(await echo('timestamptz', value)).toEqual(value)
          expect(await echo('timestamptz[]', [value, null])).toEqual([value, null])
        },
      ),
      many,
    ))

  it.each([
    ['bigint', 9_007_199_254_740_991],
    ['integer', -1],
    ['numeric', 12.34],
    ['double precision', 1e-7],
    ['boolean', false],
    ['bigint', null],
    ['jsonb', { a: [1, null, 'ü'], b: { c: true } }],
    ['integer[]', [1, 2, null]],
    ['integer[]', []],
    [
      'text[]',
      [
        ['a', 'b'],
        ['c', null],
      ],
    ],
  ])('%s %j', async (type, value) => {
    expect(await echo(type, value)).toEqual(value)
  })

  it('a number that JavaScript cannot hold is an error, not another number', async () => {
    await expect(db.row("select 9007199254740993::bigint as big, 'a' as text")).rejects.toThrow(
      'does not fit',
    )
    expect(await db.row('select 1 as one')).toEqual({ one: 1 })
  })

  it('times that JavaScript cannot write in ISO format can still be read', async () => {
    const row = await db.row("select 'infinity'::timestamptz as never, '12000-01-01'::timestamptz as late")
    expect(row).toEqual({ never: Infinity, late: new Date(Date.UTC(12_000, 0, 1)) })
  })
})

describe('a statement', () => {
  it('reports how many rows it touched', async () => {
    expect(await db.run('insert into item select generate_series(1, 3)')).toBe(3)
    expect(await db.run('update item set at = now() where id > 1')).toBe(2)
    expect(await db.run('delete from item')).toBe(3)
    expect(await db.run('create temp table other (a int)')).toBe(0)
  })

  it('that fails on its first run works on its second, on the same connection', async () => {
    const insert = (id: number) => db.transaction(tx => tx.run('insert into item (id) values ($1)', [id]))
    await db.run('insert into item values (7)')
    const failed = await insert(7).catch((error: unknown) => error)
    expect(sqlState(failed)).toBe(UNIQUE_VIOLATION)
    expect(await insert(8)).toBe(1)
    expect(await insert(9)).toBe(1)
  })

  it('that is not SQL fails alone, with the caller in its trace', async () => {
    async function theCaller() {
      await db.rows('selct 1')
    }
    const failed = await theCaller().catch((error: Error) => error)
    expect(failed).toMatchObject({ code: '42601' })
    expect((failed as Error).stack).toContain('theCaller')
    expect(await db.row('select 1 as one')).toEqual({ one: 1 })
  })

  it('with a parameter that cannot be sent fails before it is sent', async () => {
    await expect(db.row('select $1::timestamptz', [new Date(Number.NaN)])).rejects.toThrow(RangeError)
    const circular: Record<string, unknown> = {}
    circular.self = circular
    await expect(db.transaction(tx => tx.run('select $1::jsonb', [circular]))).rejects.toThrow('circular')
    expect(await db.row('select 1 as one')).toEqual({ one: 1 })
  })

  it('gives every row the same columns in order, with null for missing values', async () => {
    const rows = await db.rows('select id as b, at as a from item where id in (8, 9) order by id')
    expect(rows.map(row => Object.entries(row as object))).toEqual([
      [
        ['b', 8],
        ['a', null],
      ],
      [
        ['b', 9],
        ['a', null],
      ],
    ])
  })
})

describe('a transaction', () => {
  it('is kept if its work returns, and leaves nothing if it throws', async () => {
    const insert = 'insert into item (id) values ($1)'
    await db.transaction(async tx => {
      await tx.run(insert, [20])
      await tx.run(insert, [21])
    })
    const thrown = db.transaction(async tx => {
      await tx.run(insert, [22])
      throw new Error('changed my mind')
    })
    await expect(thrown).rejects.toThrow('changed my mind')
    const failed = db.transaction(async tx => {
      await tx.run(insert, [23])
      await tx.run(insert, [20])
    })
    await expect(failed).rejects.toThrow('duplicate key')
    expect(await db.rows('select id from item where id >= 20 order by id')).toEqual([{ id: 20 }, { id: 21 }])
  })

  it('announces what it wrote to a queue once it is committed, and nothing if it is rolled back', async () => {
    const seen: unknown[][] = []
    const read = openDatabase({ url: database.url, maxConnections: 1, onError: () => {} })
    const stopHearing = db.onAnnounced('webhooks', () => {
      seen.push([read.row('select id from item where id >= 30')])
    })
    await db.transaction(async tx => {
      await tx.run('insert into item (id) values (30)')
      tx.announce('webhooks')
      tx.announce('webhooks')
      tx.announce('mails')
      expect(seen).toEqual([])
    })
    expect(await Promise.all(seen.flat())).toEqual([{ id: 30 }])
    const thrown = db.transaction(async tx => {
      tx.announce('webhooks')
      throw new Error('changed my mind')
    })
    await expect(thrown).rejects.toThrow('changed my mind')
    expect(seen).toHaveLength(1)
    db.announce('webhooks')
    expect(seen).toHaveLength(2)
    stopHearing()
    db.announce('webhooks')
    expect(seen).toHaveLength(2)
    await Promise.all(seen.flat())
    await read.close()
  })

  it('that fails with its first statement is over', async () => {
    await expect(db.transaction(tx => tx.run('selct 2'))).rejects.toThrow('syntax error')
    const { status } = (await db.row<{ status: string }>(
      'select case when pg_current_xact_id_if_assigned() is null then $1 else $2 end as status',
      ['none', 'open'],
    ))!
    expect(status).toBe('none')
  })

  it('begins with its first statement', async () => {
    const [one, two] = await db.transaction(async tx => [
      await tx.row<{ now: Date }>('select now()'),
      await tx.row<{ now: Date }>('select now()'),
    ])
    expect(one).toEqual(two)
  })

  it('without a statement does not use the database', async () => {
    expect(await db.transaction(async () => 5)).toBe(5)
  })

  it('whose connection breaks is refused; the process and the next transaction live on', async () => {
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    const broken = db.transaction(async tx => {
      const { pid } = (await tx.row<{ pid: number }>('select pg_backend_pid() as pid'))!
      await other.query('select pg_terminate_backend($1)', [pid])
      await new Promise(resolve => setTimeout(resolve, 100))
      await tx.run('select 2')
    })
    await expect(broken).rejects.toThrow()
    const asleep = db.transaction(async tx => {
      const { pid } = (await tx.row<{ pid: number }>('select pg_backend_pid() as pid'))!
      const sleeping = tx.run('select pg_sleep(60)')
      await Promise.all([sleeping, other.query('select pg_terminate_backend($1)', [pid])])
    })
    await expect(asleep).rejects.toThrow()
    await other.end()
    expect(await db.transaction(tx => tx.row('select 1 as one'))).toEqual({ one: 1 })
  })
})

it('a connection that the database ends while the pool is closing is not reported as an error', async () => {
  const broken: Error[] = []
  const closing = openDatabase({
    url: database.url,
    maxConnections: 1,
    onError: error => void broken.push(error),
  })
  const { pid } = (await closing.row<{ pid: number }>('select pg_backend_pid() as pid'))!
  const ended = new Promise(resolve => closing.pool.once('remove', resolve))
  // When it wakes up, the backend finds both our farewell and the order to end, and obeys the order.
  process.kill(pid, 'SIGSTOP')
  await closing.close()
  await db.run('select pg_terminate_backend($1)', [pid])
  process.kill(pid, 'SIGCONT')
  await ended
  expect(broken).toEqual([])
})
