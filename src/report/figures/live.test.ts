// Live totals over a real connection.

import type { IncomingHttpHeaders } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { openRequest, recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import { createLog } from '../../platform/log.ts'
import type { LiveTotals } from './contract.ts'
import { createLive } from './live.ts'

let service: TestService
let url: string
let ads = 0
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
})
afterAll(() => service.close())

let tenant: Tenant
beforeEach(async () => {
  tenant = await buildTenant(service, service.app)
})

function impression(more: Partial<TestEvent> = {}): Promise<void> {
  const { cuid, cid, fid, pid, bid } = tenant.ids
  const event = { atMs: service.clock.nowMs(), adNumber: ++ads, cuid, cid, fid, pid, bid, spendMicros: 2000 }
  return recordEvents(service.db, [{ kind: 'impression', ...event, ...more }])
}

interface Stream {
  status: number
  headers: IncomingHttpHeaders
  /** The data of the next event; null if the stream has ended. */
  next(): Promise<LiveTotals | null>
  /** Everything received so far. */
  text(): string
  close(): void
}

const streams: Stream[] = []
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close()
})

async function listen(): Promise<Stream> {
  const answer = await openRequest(`${url}/stats/live?cuid=${tenant.ids.cuid}`, {
    'x-access-key': tenant.pair.key,
    'x-access-token': tenant.pair.token,
    accept: 'text/event-stream',
  })
  const chunks = answer.setEncoding('utf8')[Symbol.asyncIterator]()
  let buffer = ''
  let all = ''
  const stream: Stream = {
    status: answer.statusCode!,
    headers: answer.headers,
    text: () => all,
    async next() {
      while (true) {
        const event = /event: totals\ndata: (.*)\n\n/.exec(buffer)
        if (event) {
          buffer = buffer.slice(event.index + event[0].length)
          return JSON.parse(event[1]!)
        }
        const { value, done } = await chunks.next()
        if (done) return null
        buffer += value
        all += value
      }
    },
    close: () => void answer.destroy(),
  }
  streams.push(stream)
  return stream
}

it('callers that do not listen get one object', async () => {
  await impression()
  await impression({ atMs: service.clock.nowMs() - 2 * 86_400_000 })
  const { cuid, cid } = tenant.ids
  const { body } = await service.call('GET', `/stats/live?cuid=${cuid}`, { as: tenant.pair })
  const figures = {
    imps: 1,
    views: 0,
    clicks: 0,
    actions: 0,
    spend: 0.002,
    ctr: 0,
    cnvr: 0,
    value: 0,
    roas: 0,
    valuePerAction: 0,
  }
  expect(body).toEqual({ cuid, date: expect.any(Number), ...figures, campaigns: [{ cid, ...figures }] })
  expect(body.date % 86_400).toBe(0)
})

it('totals come at once, then when something changed', async () => {
  const stream = await listen()
  expect(stream.status).toBe(200)
  expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(await stream.next()).toMatchObject({ imps: 0, campaigns: [] })
  await impression()
  expect(await stream.next()).toMatchObject({ imps: 1, campaigns: [{ cid: tenant.ids.cid, imps: 1 }] })
  await impression({ kind: 'click', spendMicros: 0 })
  expect(await stream.next()).toMatchObject({ imps: 1, clicks: 1, ctr: 1 })
  expect(stream.text()).toMatch(/^retry: \d+\n\n/)
})

it('a quiet stream gets heartbeats and no events', async () => {
  const stream = await listen()
  await stream.next()
  service.clock.advance(20_000)
  const more = stream.next()
  await expect.poll(() => stream.text()).toContain(': still here\n\n')
  await impression()
  expect(await more).toMatchObject({ imps: 1 })
  expect(stream.text().match(/event:/g)).toHaveLength(2)
})

it('a customer gets no totals of another', async () => {
  const stream = await listen()
  await stream.next()
  const first = tenant
  tenant = await buildTenant(service, service.app)
  await impression({ spendMicros: 5000 })
  tenant = first
  await impression()
  expect(await stream.next()).toMatchObject({ imps: 1, spend: 0.002 })
})

it('a stream ends after its time, so that credentials are checked again', async () => {
  const stream = await listen()
  await stream.next()
  service.clock.advance(11 * 60_000)
  expect(await stream.next()).toBeNull()
})

it('streams of one customer are limited', async () => {
  const opened = await Promise.all(Array.from({ length: 20 }, listen))
  expect(opened.map(stream => stream.status)).toEqual(Array(20).fill(200))
  expect((await listen()).status).toBe(429)
  opened[0]!.close()
  await expect.poll(async () => (await listen()).status).toBe(200)
})

describe('one poll', () => {
  function counted() {
    const statements: string[] = []
    const db = {
      ...service.db,
      rows: <Row>(text: string, params?: readonly unknown[]) => {
        statements.push(text)
        return service.db.rows<Row>(text, params)
      },
    } as Db
    const log = createLog('silent')
    const { clock } = service
    const todayOf = async () => calendarOf('UTC').dayAt(clock.nowMs())
    const parts = { db, clock, todayOf, log, pollMs: 30 }
    return { live: createLive(parts), statements }
  }

  it('serves all listeners of a customer', async () => {
    const { live, statements } = counted()
    const opened = await Promise.all(
      Array.from({ length: 15 }, () => live.open({ appId: 1, cuid: tenant.ids.cuid })),
    )
    let received = 0
    for (const readable of opened) {
      readable.on('data', chunk => {
        if (String(chunk).includes('"imps":1')) received++
      })
    }
    await impression()
    await expect.poll(() => received).toBe(15)
    const whole = statements.filter(text => text.includes('rollup_customer'))
    expect(whole).toHaveLength(2)
    await live.close()
    expect(live.listeners()).toBe(0)
  })

  it('ends with the last listener', async () => {
    const { live, statements } = counted()
    const readable = await live.open({ appId: 1, cuid: tenant.ids.cuid })
    readable.resume()
    await expect.poll(() => statements.length).toBeGreaterThan(2)
    readable.destroy()
    await expect.poll(() => live.listeners()).toBe(0)
    await new Promise(resolve => setTimeout(resolve, 60))
    const before = statements.length
    await new Promise(resolve => setTimeout(resolve, 150))
    expect(statements).toHaveLength(before)
  })

  it('a failed poll is retried', async () => {
    const { live } = counted()
    const readable = await live.open({ appId: 1, cuid: tenant.ids.cuid })
    let text = ''
    readable.on('data', chunk => {
      text += chunk
    })
    await service.db.run('alter table rollup rename to rollup_away')
    await new Promise(resolve => setTimeout(resolve, 100))
    await service.db.run('alter table rollup_away rename to rollup')
    await impression()
    await expect.poll(() => text).toContain('"imps":1')
    await live.close()
  })

  it('a slow reader gets the newest totals, not a queue of old ones', async () => {
    const { live } = counted()
    const readable = await live.open({ appId: 1, cuid: tenant.ids.cuid })
    // Fills the buffer of the stream, as a stalled socket would.
    readable.push('x'.repeat(100_000))
    // Another listener gets every total, however late.
    const quick = await live.open({ appId: 1, cuid: tenant.ids.cuid })
    let heard = ''
    quick.on('data', chunk => {
      heard += chunk
    })
    for (let i = 1; i <= 5; i++) {
      await impression()
      await expect.poll(() => heard).toContain(`"imps":${i}`)
    }
    let text = ''
    readable.on('data', chunk => {
      text += chunk
    })
    await expect.poll(() => text).toContain('"imps":5')
    expect(text).not.toContain('"imps":3')
    await live.close()
  })

  it('if the streams of an app are all taken, one of whoever has most ends for a newcomer', async () => {
    const { live } = counted()
    const ended: number[] = []
    const openAs = async (cuid: number) => {
      const readable = await live.open(
        { appId: 1, cuid },
        {
          bytes: () => 10,
          end() {
            ended.push(cuid)
            readable.destroy()
          },
        },
      )
      return readable
    }
    for (let cuid = 9001; cuid <= 9025; cuid++) for (let n = 0; n < 20; n++) await openAs(cuid)
    await expect(openAs(9001)).rejects.toMatchObject({ reason: 'too_many_at_once_of_customer' })
    await openAs(9026)
    expect(ended).toEqual([9001])
    expect(live.listeners()).toBe(500)
    await live.close()
  })

  it('a service that stops ends the streams, including stalled ones, and opens no more', async () => {
    const { live } = counted()
    const readable = await live.open({ appId: 1, cuid: tenant.ids.cuid })
    const stalled = await live.open({ appId: 1, cuid: tenant.ids.cuid })
    const ended = new Promise(resolve => readable.once('end', resolve))
    readable.resume()
    await live.close()
    await ended
    expect(stalled.destroyed).toBe(true)
    await expect(live.open({ appId: 1, cuid: tenant.ids.cuid })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

it('stopping the service ends open streams cleanly', async () => {
  const own = await startTestService()
  const [outerService, outerUrl] = [service, url]
  try {
    service = own
    url = await own.listen()
    tenant = await buildTenant(own, own.app)
    const stream = await listen()
    await stream.next()
    const end = stream.next()
    await own.close()
    expect(await end).toBeNull()
  } finally {
    service = outerService
    url = outerUrl
  }
})
