// One customer cannot stop another: calls have a share of the database and a deadline, and end with their caller.

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { type ListeningService, startListeningService } from '../../test/support/delivery.ts'
import { waitingForLocks } from '../../test/support/locks.ts'
import { openRequest } from '../../test/support/stats.ts'

const AT_ONCE = 3
const WAITING_EACH = 100
const DEADLINE_S = 4
/** Only calls wait for locks here, not work of the process itself. */
const ALONE = { ROLES: 'api' }

let service: ListeningService
/** A service whose calls may wait until their deadline. */
let slow: ListeningService
let greedy: TestCustomer
let honest: TestCustomer
beforeAll(async () => {
  service = await startListeningService({ ...ALONE, CALLS_AT_ONCE: String(AT_ONCE) })
  slow = await startListeningService({ ...ALONE, CALL_TIMEOUT: `${DEADLINE_S}s` })
  greedy = await newTestCustomer(service)
  honest = await newTestCustomer(service)
})
afterAll(async () => {
  await service.close()
  await slow.close()
})

const PATIENT = { timeout: 60_000 }

const held: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const free of held.splice(0)) await free()
})

/** Locks in a transaction that lasts until it is freed. */
async function lockRows({ db }: ListeningService, ...statements: string[]): Promise<() => Promise<void>> {
  const client: pg.PoolClient = await db.pool.connect()
  await client.query('begin')
  for (const statement of statements) await client.query(statement)
  let isHeld = true
  const free = async () => {
    if (!isHeld) return
    isHeld = false
    await client.query('rollback')
    client.release()
  }
  held.push(free)
  return free
}

/** 1,250 campaigns, each with a note of so many letters. */
async function addCampaigns(customer: TestCustomer, letters = 0): Promise<void> {
  const { cid } = await customer.newCampaign()
  const metadata = `jsonb_build_object('note', repeat('x', ${letters}))`
  await service.db.run(`update campaign set metadata = ${metadata} where cid = $1`, [cid])
  const columns = await service.db.rows<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = 'campaign' and column_name <> 'cid' and is_generated = 'NEVER'`,
  )
  const names = columns.map(({ name }) => name).join()
  await service.db.run(
    `insert into campaign (${names}) select ${names} from campaign, generate_series(1, 1249) where cid = $1`,
    [cid],
  )
}

const lockCampaign = (cid: number) => `select from campaign where cid = ${cid} for update`
const LOCK_FIGURES = 'lock table rollup in access exclusive mode'

const times = <T>(count: number, call: () => Promise<T>) => Array.from({ length: count }, call)

async function metric(from: ListeningService, name: string): Promise<number> {
  const line = (await from.registry.metrics()).split('\n').find(text => text.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}

describe('a share of the database', () => {
  it('of one customer’s calls as many run at once as may, the rest wait, and other customers do not notice', async () => {
    const { cid } = await greedy.newCampaign()
    const free = await lockRows(service, lockCampaign(cid))
    const flood = times(60, () => greedy.call('PUT', `/campaign/${cid}`, { name: 'Flood' }))
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(AT_ONCE)
    await expect
      .poll(() => metric(service, 'marquee_calls_waiting{pool="requests"}'), PATIENT)
      .toBe(60 - AT_ONCE)
    const others = await Promise.all([
      ...times(20, () => honest.call('POST', '/campaign', { name: 'x' })),
      ...times(20, () => honest.call('GET', '/campaign')),
      service.call('GET', '/readyz', { app: null }),
    ])
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([400, 200]))
    await honest.newCampaign()
    expect(await waitingForLocks(service.db)).toBe(AT_ONCE)
    await free()
    for (const { status } of await Promise.all(flood)) expect(status).toBe(200)
  })

  it('the number of waiting calls is bounded; further calls get 429 with their own code', async () => {
    const { cid } = await greedy.newCampaign()
    const free = await lockRows(service, lockCampaign(cid))
    const before = await metric(service, 'marquee_calls_refused_total{outcome="full"}')
    const most = AT_ONCE + WAITING_EACH
    const answers = times(most + 5, () => greedy.call('PUT', `/campaign/${cid}/pause`))
    const refused = await Promise.race(answers)
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_at_once'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    await free()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.filter(status => status === 429)).toHaveLength(5)
    expect(statuses.filter(status => status === 200)).toHaveLength(most)
    expect((await metric(service, 'marquee_calls_refused_total{outcome="full"}')) - (before || 0)).toBe(5)
  })

  it('the super pair counts for the customer it works for, and for its app', async () => {
    const [one, two] = [await greedy.newCampaign(), await honest.newCampaign()]
    const free = await lockRows(service, lockCampaign(one.cid), lockCampaign(two.cid))
    const asApp = (customer: TestCustomer, cid: number) =>
      service.call('PUT', `/campaign/${cid}/pause?cuid=${customer.cuid}`)
    const first = times(10, () => asApp(greedy, one.cid))
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(AT_ONCE)
    const own = times(10, () => greedy.call('PUT', `/campaign/${one.cid}/pause`))
    const second = times(10, () => asApp(honest, two.cid))
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(AT_ONCE + 1)
    await pause(100)
    expect(await waitingForLocks(service.db)).toBe(AT_ONCE + 1)
    // A customer's own pair does not use the app's share.
    const third = honest.call('PUT', `/campaign/${two.cid}/pause`)
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(AT_ONCE + 2)
    await free()
    for (const { status } of await Promise.all([...first, ...own, ...second, third])) expect(status).toBe(200)
  })

  it('customers who read cannot keep anybody from writing, nor the process from being ready', async () => {
    const readers = [greedy, honest, await newTestCustomer(service)]
    const free = await lockRows(service, LOCK_FIGURES)
    const reads = readers.flatMap(({ call, cuid }) => times(5, () => call('GET', `/stats/${cuid}/summary`)))
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(service.config.READ_POOL - 1)
    const { cid } = await honest.newCampaign()
    expect((await honest.call('PUT', `/campaign/${cid}`, { name: 'New' })).status).toBe(200)
    expect((await service.call('GET', '/readyz', { app: null })).status).toBe(200)
    await free()
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200)
  })

  it('long lists of one customer are read one after the other, whole, while others read theirs', async () => {
    const many = await newTestCustomer(service)
    await addCampaigns(many)
    let most = 0
    const watch = setInterval(async () => {
      most = Math.max(most, await metric(service, 'marquee_calls_waiting{pool="lists"}'))
    }, 1)
    const lists = times(10, () => many.call('GET', '/campaign?limit=1000'))
    const whole = many.call('GET', '/campaign')
    const others = await Promise.all(times(10, () => honest.call('GET', '/campaign')))
    const answers = await Promise.all(lists)
    clearInterval(watch)
    for (const { status } of others) expect(status).toBe(200)
    for (const { status, body } of answers) expect([status, body.length]).toEqual([200, 1000])
    const cids = (await whole).body.map((campaign: { cid: number }) => campaign.cid)
    expect(cids).toEqual([...new Set<number>(cids)].sort((a, b) => a - b))
    expect(cids).toHaveLength(1250)
    expect(most).toBeGreaterThan(1)
  })

  it('long lists that nobody reads cannot keep others of the app from reading theirs', async () => {
    const newReader = async () => {
      const reader = await newTestCustomer(service)
      await addCampaigns(reader, 20_000)
      return reader
    }
    const readers = await Promise.all(times(5, newReader))
    const open = ({ cuid, key, token }: TestCustomer) =>
      openRequest(`${service.url}/campaign?cuid=${cuid}`, { 'x-access-key': key, 'x-access-token': token })
    const gone = async () => (await metric(service, 'marquee_calls_stopped_total{outcome="gone"}')) || 0
    const before = await gone()
    const held = []
    for (const reader of readers.slice(0, 4)) for (let n = 0; n < 4; n++) held.push(await open(reader))
    expect(held.map(({ statusCode }) => statusCode)).toEqual(Array(16).fill(200))
    expect((await open(readers[0]!)).resume().statusCode).toBe(429)
    held.push(await open(readers[4]!))
    expect(held[16]!.statusCode).toBe(200)
    await expect.poll(gone, PATIENT).toBe(before + 1)
    for (const answer of held) answer.destroy()
  })
})

const PERSONA = { name: 'All', geo: { geos: ['CA'] }, device: { mobile: true, tablet: true, desktop: true } }

/** Creates a campaign, then waits until the table of personas is unlocked. */
function halfBlocked(campaign: object, cid: number) {
  return {
    operations: [
      { op: 'createCampaign', body: campaign },
      { op: 'createPersona', cid, body: PERSONA },
    ],
  }
}

const LOCK_PERSONAS = 'lock table persona in access exclusive mode'

function newOrder({ clock }: ListeningService) {
  const nowS = Math.floor(clock.nowMs() / 1000)
  return { name: 'Half', start: nowS, end: nowS + 86_400, dailySpend: 10 }
}

const halves = async (customer: TestCustomer) =>
  (await customer.call('GET', '/campaign?q=Half')).body.length as number

it('a call that takes too long is rolled back and says so, and its statement has ended', async () => {
  const customer = await newTestCustomer(slow)
  const { cid } = await customer.newCampaign()
  const free = await lockRows(slow, LOCK_PERSONAS)
  const { status, body, headers } = await customer.call('POST', '/bulk', halfBlocked(newOrder(slow), cid))
  expect([status, body.code]).toEqual([503, 'deadline_exceeded'])
  expect(body.message).toContain(`longer than ${DEADLINE_S} s`)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  expect(await waitingForLocks(slow.db)).toBe(0)
  const read = await customer.call('GET', `/campaign/${cid}/persona`)
  expect([read.status, read.body.code]).toEqual([503, 'deadline_exceeded'])
  expect(await waitingForLocks(slow.db)).toBe(0)
  expect(await metric(slow, 'marquee_calls_stopped_total{outcome="deadline"}')).toBe(2)
  await free()
  expect(await halves(customer)).toBe(0)
  expect((await customer.call('POST', '/bulk', halfBlocked(newOrder(slow), cid))).body.succeeded).toBe(2)
})

describe('a caller that leaves', () => {
  /** How calls have ended before their answer. Without their caller they would, too, but only at a limit of time. */
  async function ended() {
    const of = async (name: string) => (await metric(service, name)) || 0
    return {
      gone: await of('marquee_calls_stopped_total{outcome="gone"}'),
      deadline: await of('marquee_calls_stopped_total{outcome="deadline"}'),
      waited: await of('marquee_calls_refused_total{outcome="late"}'),
    }
  }

  function post({ url }: ListeningService, customer: TestCustomer, path: string, body: object): Socket {
    const text = JSON.stringify(body)
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
    const credentials = `x-access-key: ${customer.key}\r\nx-access-token: ${customer.token}\r\n`
    socket.write(
      `POST ${path}?cuid=${customer.cuid} HTTP/1.1\r\nhost: a\r\n${credentials}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
    socket.on('error', () => {})
    return socket
  }

  it.each([
    ['closes', (socket: Socket) => socket.destroy()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('and %s its connection ends its statement, and nothing of the call is kept', async (_how, leave) => {
    const { cid } = await greedy.newCampaign()
    const before = await ended()
    const free = await lockRows(service, LOCK_PERSONAS)
    const socket = post(service, greedy, '/bulk', halfBlocked(newOrder(service), cid))
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(1)
    leave(socket)
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(0)
    await free()
    expect(await halves(greedy)).toBe(0)
    expect(await ended()).toEqual({ ...before, gone: before.gone + 1 })
  })

  it('while it waits for its turn gives up its place in the line', async () => {
    const { cid } = await greedy.newCampaign()
    const before = await ended()
    const free = await lockRows(service, lockCampaign(cid))
    const working = times(AT_ONCE, () => greedy.call('PUT', `/campaign/${cid}/pause`))
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(AT_ONCE)
    const socket = post(service, greedy, '/campaign', newOrder(service))
    const waiting = () => metric(service, 'marquee_calls_waiting{pool="requests"}')
    await expect.poll(waiting, PATIENT).toBe(1)
    socket.destroy()
    await expect.poll(waiting, PATIENT).toBe(0)
    expect(await ended()).toEqual({ ...before, gone: before.gone + 1 })
    await free()
    for (const { status } of await Promise.all(working)) expect(status).toBe(200)
    expect(await halves(greedy)).toBe(0)
  })

  it('only for sending, but still reads, gets its answer', async () => {
    const { cid } = await honest.newCampaign()
    const free = await lockRows(service, LOCK_PERSONAS)
    const socket = post(service, honest, '/bulk', halfBlocked(newOrder(service), cid))
    let said = ''
    socket.on('data', chunk => {
      said += chunk
    })
    await expect.poll(() => waitingForLocks(service.db), PATIENT).toBe(1)
    socket.end()
    await expect.poll(() => said, PATIENT).toContain('HTTP/1.1 102 Processing')
    await free()
    await expect.poll(() => said, PATIENT).toContain('"succeeded":2')
    expect(await halves(honest)).toBe(1)
  })
})
