// The job queue on a real database: a job is added with its change or not at all, and survives stops, kills and lost
// connections.

import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../test/support/database.ts'
import { openTcpProxy } from '../../test/support/tcp-proxy.ts'
import { systemClock } from '../kernel/time/clock.ts'
import { type Database, openDatabase } from './database.ts'
import { addJob, migrateJobs, startJobs, type Task } from './job-queue.ts'
import { createLog } from './log.ts'

let database: TestDatabase
let db: Database
let stops: (() => Promise<void>)[]
let lines: string[]

beforeEach(async () => {
  lines = []
  stops = []
  database = await createEmptyDatabase()
  db = openDatabase({ url: database.url, maxConnections: 4, onError: () => {} })
  await migrateJobs(database.url, log())
})
afterEach(async () => {
  for (const stop of stops) await stop()
  await db.close()
  await database.drop()
})

function log() {
  return createLog('debug', { write: line => void lines.push(line) })
}

async function start(tasks: Record<string, Task>): Promise<() => Promise<void>> {
  const stop = await startJobs({
    db,
    databaseUrl: database.url,
    tasks,
    concurrency: 2,
    clock: systemClock,
    log: log(),
  })
  let stopped: Promise<void> | null = null
  const once = () => {
    stopped ??= stop()
    return stopped
  }
  stops.push(once)
  return once
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await check())) {
    if (Date.now() > end) throw new Error('not so after a minute')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** What PostgreSQL sends on a connection that an operator ends: FATAL 57P01. */
const TERMINATED = (() => {
  const fields = ['SFATAL', 'C57P01', 'Mterminating connection due to administrator command', '']
  const body = Buffer.from(`${fields.join('\0')}\0`)
  const head = Buffer.from('E0000')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
})()

const waiting = async () =>
  (await db.row<{ n: number }>('select count(*)::int as n from graphile_worker.jobs'))!.n

describe('a job', () => {
  it('exists exactly if the transaction that added it was committed', async () => {
    const ran: unknown[] = []
    await start({ note: async payload => void ran.push(payload) })
    await expect(
      db.transaction(async tx => {
        await addJob(tx, { task: 'note', payload: { n: 1 }, key: 'a' })
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    await db.transaction(tx => addJob(tx, { task: 'note', payload: { n: 2 }, key: 'b' }))
    await until(() => ran.length > 0)
    expect(ran).toEqual([{ n: 2 }])
    await until(async () => (await waiting()) === 0)
  })

  it('that is waiting is replaced by one with the same key', async () => {
    const ran: unknown[] = []
    await addJob(db, { task: 'note', payload: { n: 1 }, key: 'a', delayMs: 60_000 })
    await addJob(db, { task: 'note', payload: { n: 2 }, key: 'a' })
    await start({ note: async payload => void ran.push(payload) })
    await until(() => ran.length > 0)
    expect(ran).toEqual([{ n: 2 }])
  })

  it('that fails is retried, and the log says so without ending anything', async () => {
    let tries = 0
    await start({
      shaky: async () => {
        if (++tries === 1) throw new Error('not yet')
      },
    })
    await addJob(db, { task: 'shaky', payload: {}, key: 'a' })
    await until(() => tries === 2)
    expect(lines.some(line => line.includes('not yet'))).toBe(true)
  })
})

describe('a stop', () => {
  it('waits for a job that is about to end', async () => {
    let begun = false
    let ended = false
    const stop = await start({
      short: async () => {
        begun = true
        await new Promise(resolve => setTimeout(resolve, 300))
        ended = true
      },
    })
    await addJob(db, { task: 'short', payload: {}, key: 'a' })
    await until(() => begun)
    await stop()
    expect(ended).toBe(true)
    expect(await waiting()).toBe(0)
  })

  it('returns a hanging job to the queue, unlocked', async () => {
    let begun = false
    const stop = await start({
      hangs: () => {
        begun = true
        return new Promise(() => {})
      },
    })
    await addJob(db, { task: 'hangs', payload: {}, key: 'a' })
    await until(() => begun)
    await stop()
    const [job] = await db.rows('select locked_by, attempts from graphile_worker.jobs')
    expect(job).toEqual({ locked_by: null, attempts: 1 })
  })
})

describe('a process that died', () => {
  const lock = (ageS: number) =>
    db.run(
      `update graphile_worker._private_jobs set locked_by = 'worker-gone', locked_at = now() - $1::int * interval '1 second'`,
      [ageS],
    )

  it('leaves its jobs to the next one that starts', async () => {
    let ran = false
    await addJob(db, { task: 'note', payload: {}, key: 'a' })
    await lock(1)
    await start({
      note: async () => {
        ran = true
      },
    })
    await until(() => ran)
  })

  it('is distinguished from one that is working: only jobs locked for longer than any task may take are taken over', async () => {
    const ran: unknown[] = []
    const tasks = { note: async (payload: unknown) => void ran.push(payload) }
    const stopFirst = await start({})
    await addJob(db, { task: 'note', payload: { n: 'fresh' }, key: 'a' })
    await lock(1)
    await start(tasks)
    await addJob(db, { task: 'note', payload: { n: 'own' }, key: 'b' })
    await until(() => ran.length === 1)
    expect(ran).toEqual([{ n: 'own' }])
    await lock(1000)
    await start(tasks)
    await until(() => ran.length === 2)
    expect(ran[1]).toEqual({ n: 'fresh' })
    await stopFirst()
  })
})

describe('lost connections', () => {
  it('end neither the process nor the work, even while a job is running', async () => {
    const ran: string[] = []
    await start({
      note: async payload => {
        const { name } = payload as { name: string }
        if (name === 'first') await breakConnections()
        ran.push(name)
      },
    })
    await addJob(db, { task: 'note', payload: { name: 'first' }, key: 'a' })
    await until(() => ran.includes('first'))
    await addJob(db, { task: 'note', payload: { name: 'second' }, key: 'b' })
    await until(() => ran.includes('second'))
  })

  it('do not end the process in the last moment of a migration either', async () => {
    const farewell = await openRudeProxy()
    await migrateJobs(farewell.url, log())
    await until(() => farewell.refused() > 0)
    await farewell.close()
  })

  /** Simulates a database that shuts down as it reads a client's farewell, and says so. */
  async function openRudeProxy() {
    let refused = 0
    const proxy = await openTcpProxy(database.url, bytes => {
      if (bytes[0] !== 'X'.charCodeAt(0)) return null
      refused++
      return TERMINATED
    })
    return { ...proxy, refused: () => refused }
  }

  async function breakConnections(): Promise<void> {
    const client = new pg.Client({ connectionString: database.url, application_name: 'breaker' })
    await client.connect()
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'marquee jobs'",
    )
    await client.end()
  }
})
