// What a caller's `traceparent` and a slow statement leave in the log.

import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitingForLocks } from '../../test/support/locks.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { createServer } from '../http/server.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createSlowStatements } from './slow-statements.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE_ID}-00f067aa0ba902b7-01`
const SLOW_MS = 100

type Line = Record<string, unknown>

let service: TestService
beforeAll(async () => {
  service = await startTestService({ SLOW_STATEMENT_MS: String(SLOW_MS) })
  await service.delivery.started
})
afterAll(() => service.close())

const lines = (): Line[] => service.logLines.map(line => JSON.parse(line))
const slowLines = () => lines().filter(line => line.msg === 'slow statement')

it('the log line of a request carries the id of its caller’s trace, and no other line does', async () => {
  const headers = { traceparent, 'x-request-id': 'traced-request' }
  await service.call('GET', '/customer', { headers })
  await service.call('GET', '/customer', { headers: { 'x-request-id': 'other-request' } })
  const of = (requestId: string) => lines().find(line => line.requestId === requestId)!
  expect(of('traced-request').traceId).toBe(TRACE_ID)
  expect(of('other-request')).not.toHaveProperty('traceId')
})

it.each([
  ['an unknown version', `cc-${TRACE_ID}-00f067aa0ba902b7-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['a parent id of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
  ['capital letters', traceparent.toUpperCase()],
  ['something behind it', `${traceparent}-x`],
  ['another text', '"}, {"level": 60'],
])('a traceparent with %s is ignored', async (_what, bad) => {
  const requestId = `ignored-${Math.random()}`
  const answer = await service.call('GET', '/customer', {
    headers: { traceparent: bad, 'x-request-id': requestId },
  })
  expect(answer.status).toBe(200)
  expect(lines().find(line => line.requestId === requestId)).not.toHaveProperty('traceId')
})

it('a slow statement is logged once by its name, with the trace and without its values', async () => {
  const lock = new pg.Client({ connectionString: service.databaseUrl })
  await lock.connect()
  try {
    await lock.query('begin; lock table customer')
    const body = { company: 'Secret Bikes', email: 'slow@bikes.example' }
    const created = service.call('POST', '/customer', { body, headers: { traceparent } })
    await expect.poll(() => waitingForLocks(service.db)).toBeGreaterThan(0)
    await new Promise(resolve => setTimeout(resolve, SLOW_MS))
    await lock.query('rollback')
    expect((await created).status).toBe(201)
  } finally {
    await lock.end()
  }
  const ours = slowLines().filter(line => String(line.statement).startsWith('manage/customers/queries '))
  expect(ours).toHaveLength(1)
  expect(ours[0]).toMatchObject({ level: 30, traceId: TRACE_ID })
  expect(ours[0]!.statement).toMatch(/^manage\/customers\/queries \w+$/)
  expect(ours[0]!.ms).toBeGreaterThanOrEqual(SLOW_MS)
  expect(Object.keys(ours[0]!).toSorted()).toEqual(['level', 'ms', 'msg', 'statement', 'time', 'traceId'])
})

it('a slow commit is logged by the last statement of its transaction', async () => {
  await service.db.run(`create function linger() returns trigger language plpgsql as
    $$ begin perform pg_sleep(${SLOW_MS / 1000}); return null; end $$`)
  await service.db.run(`create constraint trigger linger after insert on customer deferrable initially deferred
    for each row execute function linger()`)
  await service.call('POST', '/customer', { body: { company: 'Bikes', email: 'commit@bikes.example' } })
  await service.db.run('drop function linger cascade')
  const commits = slowLines().filter(line => String(line.statement).endsWith(', commit'))
  expect(commits).toHaveLength(1)
  expect(commits[0]!.statement).toMatch(/^\w+\/queries \w+, commit$/)
})

it('a database that is slow for everything leaves few lines, and says how many it left out', async () => {
  const written: Line[] = []
  const log = createLog('info', { write: line => void written.push(JSON.parse(line)) })
  const slow = createSlowStatements(log, SLOW_MS, 50)
  let lookups = 0
  const name = () => `part statement${lookups++}`
  for (let n = 0; n < 1000; n++) slow.isSlow({ key: `${n % 100}`, name, tookMs: n, traceId: null })
  expect(lookups).toBe(5)
  await expect.poll(() => written.length).toBe(6)
  expect(written.at(-1)).toMatchObject({ msg: 'more slow statements', statements: 995, longestMs: 999 })
  expect(slow.count()).toBe(1000)
})

it('no statement is slow where SLOW_STATEMENT_MS is 0', () => {
  expect(createSlowStatements(createLog('silent'), 0).fromMs).toBe(Number.POSITIVE_INFINITY)
})

it('a failed ad request or tracking call is logged with the trace, on the fast lane and beside it', async () => {
  const written: Line[] = []
  const server = createServer({
    log: createLog('info', { write: line => void written.push(JSON.parse(line)) }),
    metrics: createMetrics(),
    trustProxy: null,
    publicUrl: 'http://localhost',
    methodsOf: () => [],
    keepAliveMs: 1000,
    dataRoutes: [
      {
        prefix: '/t/',
        handle: () => {
          throw new Error('a fault')
        },
      },
    ],
  })
  try {
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    await fetch(`${url}/t/x`, { headers: { traceparent } })
    await fetch(`${url}/t/x`, { method: 'DELETE', headers: { traceparent } })
    await fetch(`${url}/t/x`)
    expect(written.map(line => line.traceId)).toEqual([TRACE_ID, TRACE_ID, undefined])
  } finally {
    await server.close()
  }
})
