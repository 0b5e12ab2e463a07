// What an operator sees when something around the service is wrong: answers, one log line, and refusals that say what
// to do.

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { agreedSetting } from '../platform/deployment.ts'
import { LOCKS } from '../platform/locks.ts'
import { createLog } from '../platform/log.ts'
import { createService, type ServiceOptions } from './app.ts'

let service: TestService
let admin: pg.Client
beforeAll(async () => {
  service = await startTestService()
  await service.delivery.started
  admin = new pg.Client({
    connectionString: service.config.DATABASE_URL!,
    options: '-c default_transaction_read_only=off',
    application_name: 'test',
  })
  await admin.connect()
  // Somebody has prevented folding for hours; the last test uses that.
  await admin.query('select pg_advisory_lock($1)', [LOCKS.folding])
  await admin.query("update fresh_part set emptied_at = now() - interval '2 hours'")
})
afterAll(async () => {
  await admin.end()
  await service.close()
})

const troubles = (lines: string[]) =>
  lines.map(line => JSON.parse(line)).filter((line: { level: number }) => line.level >= 40)
const newCustomer = (n: number) =>
  service.call('POST', '/customer', { body: { company: 'Bikes', email: `t${n}@bikes.example` } })

/** Affects every new session, as after a switch-over; the existing sessions end. */
async function setReadOnly(how: 'on' | 'off'): Promise<void> {
  await admin.query(
    `do $$ begin execute format('alter database %I set default_transaction_read_only = ${how}', current_database()); end $$`,
  )
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
}

it('a read-only database: changes get 503 and reads continue, no bug is logged, and each part logs it once', async () => {
  await setReadOnly('on')
  service.logLines.length = 0
  const refused = await until(async () => {
    const answer = await newCustomer(1)
    return answer.text.includes('accepts no changes') ? answer : null
  })
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
  for (let n = 0; n < 20; n++) expect((await newCustomer(1)).status).toBe(503)
  expect((await service.call('GET', '/customer')).status).toBe(200)
  // Allows several rounds of everything that repeats each second.
  await new Promise(resolve => setTimeout(resolve, 3_000))
  const lines = troubles(service.logLines)
  expect(lines.filter(line => line.msg === 'bug' || line.err)).toEqual([])
  const logged = lines.map(line => [line.msg, line.work, line.part, line.reason].join('|'))
  expect(
    logged.filter((line, at) => logged.indexOf(line) !== at && !line.startsWith('a database connection')),
  ).toEqual([])
  expect(service.logLines.join('')).not.toContain('_events')
  await setReadOnly('off')
  await until(async () => ((await newCustomer(2)).status === 201 ? true : null))
})

it('a full database gets 503, and the message says so', async () => {
  await admin.query(`create function no_room() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
  await admin.query('create trigger no_room before insert on customer execute function no_room()')
  try {
    const answer = await newCustomer(3)
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
    expect(answer.body.message).toContain('no room')
  } finally {
    await admin.query('drop function no_room cascade')
  }
  expect((await newCustomer(3)).status).toBe(201)
})

it('a healthy process logs no trouble from its start to its end, and neither does one that waits beside it', async () => {
  const other = await startTestService()
  await other.delivery.started
  const waitingLines: string[] = []
  const dir = await mkdtemp(join(tmpdir(), 'marquee-waiting-'))
  const waiting = await createService({
    config: { ...other.config, DATA_DIR: dir },
    log: createLog('debug', { write: line => void waitingLines.push(line) }),
    clock: other.clock,
  })
  await waiting.delivery.started
  // The other process serves the campaigns with a cap.
  expect(waiting.delivery.running()!.refill.hasCapsDuty()).toBe(false)
  await other.newCustomer()
  for (let round = 0; round < 3; round++) {
    await waiting.delivery.running()!.refill.sync()
    await other.delivery.running()!.refill.sync()
  }
  await waiting.stop()
  await other.stop()
  const lines = [...waitingLines, ...other.logLines]
  expect(troubles(lines)).toEqual([])
  expect(lines.join('')).not.toMatch(/_events|stack/)
  await other.close()
  await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

async function startWith(
  change: Partial<ServiceOptions['config']>,
): Promise<Awaited<ReturnType<typeof createService>>> {
  return createService({
    config: { ...service.config, ...change },
    log: createLog('silent'),
    clock: service.clock,
  })
}

it("a process with a time zone or currency other than its deployment's is refused, with what to do", async () => {
  const start = startWith({ TIMEZONE: 'Europe/Berlin', CURRENCY: 'EUR', ROLES: ['worker'] })
  await expect(start).rejects.toThrow(
    /TIMEZONE is "Europe\/Berlin" here, but "UTC"[\s\S]*set TIMEZONE=UTC[\s\S]*deployment set TIMEZONE Europe\/Berlin[\s\S]*CURRENCY is "EUR"/,
  )
  expect(await agreedSetting(service.db, 'TIMEZONE')).toBe('UTC')
})

it('a bad GEOIP_DB and a bad DATA_DIR are named', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'marquee-bad-'))
  const file = join(dir, 'file')
  await writeFile(file, 'not a database')
  await expect(startWith({ GEOIP_DB: join(dir, 'none.mmdb') })).rejects.toThrow(
    /^GEOIP_DB must.*no such file/,
  )
  await expect(startWith({ GEOIP_DB: file })).rejects.toThrow(/^GEOIP_DB must.*another format$/)
  await expect(startWith({ DATA_DIR: join(file, 'data') })).rejects.toThrow(/^DATA_DIR must.*is a file/)
  await rm(dir, { recursive: true })
})

it('a process without management creates no credentials; the first one with it does', async () => {
  const database: TestDatabase = await createTestDatabase()
  const dir = await mkdtemp(join(tmpdir(), 'marquee-roles-'))
  const base = { DATABASE_URL: database.url, DATA_DIR: dir }
  const worker = await startWith({ ...base, ROLES: ['worker', 'delivery'] })
  expect(worker.firstCredentials).toBeNull()
  await expect(stat(join(dir, 'credentials.json'))).rejects.toThrow('ENOENT')
  const api = await startWith({ ...base, ROLES: ['api'] })
  expect(api.firstCredentials!.superkey).toMatch(/\w+/)
  await expect(stat(join(dir, 'credentials.json'))).resolves.toBeTruthy()
  await api.stop()
  await worker.stop()
  await database.drop()
  await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

it('if nobody can fold, the service continues, and /readyz, the metrics and the log say so', async () => {
  const text = 'events wait to be folded for longer than they should'
  const { body } = await until(async () => {
    const answer = await service.call('GET', '/readyz')
    return answer.body.notes ? answer : null
  })
  expect(body).toMatchObject({ status: 'ready', notes: [text] })
  const metrics = await service.call('GET', '/metrics', { as: null })
  expect(Number(/^marquee_folding_waiting_seconds (\S+)/m.exec(metrics.text)?.[1])).toBeGreaterThan(7000)
  expect(service.logLines.filter(line => line.includes(text))).toHaveLength(1)
})
