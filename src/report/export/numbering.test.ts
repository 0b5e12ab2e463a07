// After a restore, the new cluster numbers its transactions from the beginning, and the export still continues.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { duckdb } from '../../../test/support/duckdb.ts'
import { runMarquee } from '../../../test/support/process.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import { ensureNumbering } from './numbering.ts'
import { closeHour } from './queries.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService()
  folder = await mkdtemp(join(tmpdir(), 'marquee-numbering-'))
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const event = (adNumber: number): TestEvent => ({
  ...{ kind: 'impression', adNumber, atMs: Date.now(), spendMicros: 5 },
  ...{ cuid: 1, cid: 2, fid: 3, pid: 4, bid: 5 },
})

/** Closes hours until everything written so far is closed; a transaction of another test may delay that. */
async function close(): Promise<void> {
  for (;;) {
    service.clock.advance(HOUR_MS)
    await closeHour(service.db, new Date(service.clock.nowMs()))
    const open = await service.db.row(
      `select from event where tx >= (select coalesce(max(to_tx), 0) from export_hour) limit 1`,
    )
    if (!open) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

it('in a cluster that numbers from the beginning, new rows are numbered after the old ones and exported once', async () => {
  await recordEvents(service.db, [event(1), event(2)])
  await close()
  // The state after a restore: the rows are from a cluster with much higher transaction numbers.
  await service.db.run('update event set tx = tx + 1000000000')
  await service.db.run('update export_hour set from_tx = from_tx + 1000000000, to_tx = to_tx + 1000000000')
  await service.db.run("update event_numbering set cluster = 'another'")
  await ensureNumbering(service.db)
  await ensureNumbering(service.db)
  await recordEvents(service.db, [event(3)])
  await close()
  const run = () =>
    runMarquee(['export', '--url', folder, '--json'], {
      DATABASE_URL: service.config.DATABASE_URL!,
      DATA_DIR: service.config.DATA_DIR,
    })
  const first = JSON.parse((await run()).output)
  expect(first.reduce((rows: number, hour: { rows: number }) => rows + hour.rows, 0)).toBe(3)
  expect(JSON.parse((await run()).output)).toEqual(first)
  expect(
    await duckdb(
      `select count(distinct ad) as ads, sum(spend_micros) as spend from '${folder}/**/*.parquet'`,
    ),
  ).toEqual([{ ads: '3', spend: '15' }])
})

it('the command exports the hours of its period and no other', async () => {
  await recordEvents(service.db, [event(4), event(5)])
  await close()
  const hours = await service.db.rows<{ hour: Date }>('select hour from export_hour order by hour')
  const last = hours.at(-1)!.hour.getTime()
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 13)
  const place = join(folder, 'period')
  const { code, output } = await runMarquee(
    ['export', '--from', text(last), '--to', text(last + HOUR_MS), '--url', place, '--json'],
    { DATABASE_URL: service.config.DATABASE_URL!, DATA_DIR: service.config.DATA_DIR },
  )
  expect(code, output).toBe(0)
  expect(JSON.parse(output)).toMatchObject([{ rows: 2, imps: 2, spendMicros: 10 }])
  const written = (await readdir(place, { recursive: true })).filter(name => name.endsWith('.parquet'))
  const [day, hour] = text(last).split('T')
  expect(written.map(name => name.replace(/events-.*/, ''))).toEqual([`day=${day}/hour=${hour}/`])
})

it('the command refuses an invalid period or target, and says what is valid', async () => {
  const env = { DATABASE_URL: service.config.DATABASE_URL!, DATA_DIR: service.config.DATA_DIR }
  const run = (...args: string[]) => runMarquee(['export', ...args], env)
  for (const [args, exitCode, text] of [
    [['--from', '2026-02-30', '--url', folder], 2, '--from must be a day or an hour'],
    [['--url', 's3://bucket'], 1, 'AWS_ACCESS_KEY_ID'],
  ] as const) {
    const { code, output } = await run(...args)
    expect(output).toContain(text)
    expect(code).toBe(exitCode)
  }
})

it('the identity of the cluster can be read by any user of the database', async () => {
  const { pool } = service.db
  const role = `plain_${process.pid}_${Date.now()}`
  await pool.query(`create role ${role}`)
  const client = await pool.connect()
  try {
    await client.query(`set role ${role}`)
    const { rows } = await client.query('select system_identifier::text as id from pg_control_system()')
    expect(rows[0].id).toMatch(/^\d+$/)
  } finally {
    await client.query('reset role')
    client.release()
    await pool.query(`drop role ${role}`)
  }
})
