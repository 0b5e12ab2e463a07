// The client in trouble, with invented answers: what is repeated, when, and what is thrown.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { type CustomerClient, createClient, MarqueeError } from './client.ts'

afterEach(() => {
  vi.useRealTimers()
})

type Step = Response | Error

/** A fetch that returns these answers one after another and records the requests. */
function answers(...steps: Step[]) {
  const calls: { line: string; headers: Record<string, string> }[] = []
  const fake = async (url: string | URL | Request, init?: RequestInit) => {
    calls.push({ line: `${init?.method} ${url}`, headers: init?.headers as Record<string, string> })
    const step = steps[Math.min(calls.length, steps.length) - 1]!
    if (step instanceof Error) throw step
    return step.clone()
  }
  return { calls, fetch: fake as typeof fetch }
}

const busy = () => new Response('{}', { status: 429, headers: { 'retry-after': '0' } })
const down = () => new Response('{}', { status: 503 })
const list = () => Response.json([])
const lost = () => new TypeError('fetch failed')
const credentials = { cuid: 1, key: 'k', token: 't' }
const soon = { baseUrl: 'http://x.example/', credentials, firstWaitMs: 1 }
const body = { name: 'A', start: 1_800_000_000, end: 1_900_000_000, dailySpend: 1 }

describe('repeating', () => {
  it('a read is repeated after 429, 503 and a network error', async () => {
    const { calls, fetch } = answers(busy(), down(), lost(), list())
    expect(await createClient({ ...soon, fetch }).listCampaigns({ cuid: 1 })).toEqual([])
    expect(calls.map(call => call.line)).toEqual(Array(4).fill('GET http://x.example/campaign?cuid=1'))
  })

  it('an error page of a proxy counts as a lost answer', async () => {
    const page = (status: number) =>
      new Response('<html>Bad gateway</html>', { status, headers: { 'content-type': 'text/html' } })
    const { calls, fetch } = answers(page(502), page(504), list())
    expect(await createClient({ ...soon, fetch }).listCampaigns()).toEqual([])
    expect(calls).toHaveLength(3)
    const never = createClient({ ...soon, fetch: answers(page(502)).fetch, maxRetries: 1 })
    await expect(never.createCampaign({ body })).rejects.toMatchObject({ status: 502, attempts: 2 })
    const changed = never.editCampaign({ cid: 2, body: {} }, { ifMatch: '"1"' })
    await expect(changed).rejects.toMatchObject({ status: 502, attempts: 1 })
  })

  it('a wait may be given as a date, by the clock of the sender', async () => {
    const { retryAfterMs } = await import('./waits.ts')
    const asked = (headers: Record<string, string>, status = 429) =>
      retryAfterMs(new Response('', { status, headers }), Date.UTC(2026, 9, 1, 12))
    const after = 'Thu, 01 Oct 2026 12:00:30 GMT'
    expect(asked({ 'retry-after': after })).toBe(30_000)
    expect(asked({ 'retry-after': after, date: 'Thu, 01 Oct 2026 12:00:20 GMT' })).toBe(10_000)
    expect(asked({ 'retry-after': after, date: 'Thu, 01 Oct 2026 12:00:40 GMT' })).toBe(0)
    expect(asked({ 'retry-after': 'Thu, 01 Oct 2026 13:00:00 GMT' })).toBeNull()
    expect(asked({ 'retry-after': '31536000' })).toBeNull()
    expect(asked({ 'retry-after': 'soon' })).toBe(0)
    expect(asked({ 'retry-after': after }, 400)).toBeNull()
  })

  it('a read whose answer breaks off is repeated', async () => {
    const broken = () =>
      new Response(new ReadableStream({ pull: controller => controller.error(new TypeError('terminated')) }))
    const { calls, fetch } = answers(broken(), list(), broken(), list())
    const client = createClient({ ...soon, fetch })
    expect(await client.listCampaigns()).toEqual([])
    for await (const _ of client.each.listCampaigns()) throw new Error('there is none')
    expect(calls).toHaveLength(4)
    const never = createClient({ ...soon, fetch: answers(broken()).fetch, maxRetries: 1 })
    await expect(never.listCampaigns()).rejects.toMatchObject({ code: 'network_error', attempts: 2 })
    const lost = never.editCampaign({ cid: 2, body: {} }, { ifMatch: '"1"' })
    await expect(lost).rejects.toMatchObject({ code: 'network_error', attempts: 1 })
  })

  it('ends after the allowed number of repetitions, and reports how many there were', async () => {
    const { calls, fetch } = answers(busy())
    const call = createClient({ ...soon, fetch, maxRetries: 2 }).listCampaigns()
    await expect(call).rejects.toMatchObject({ status: 429, code: 'unknown', attempts: 5 })
    expect(calls).toHaveLength(5)
  })

  const cases: [string, (client: CustomerClient) => Promise<unknown>, Step, number][] = [
    ['a POST', client => client.createCampaign({ body }), down(), 6],
    ['a POST that came too early', client => client.createCampaign({ body }), busy(), 11],
    ['a POST whose answer was lost', client => client.createCampaign({ body }), lost(), 6],
    ['a PUT', client => client.pauseCampaign({ cid: 2 }), down(), 6],
    ['a PUT whose answer was lost', client => client.pauseCampaign({ cid: 2 }), lost(), 6],
    ['a DELETE', client => client.deleteCampaign({ cid: 2 }), lost(), 6],
    ['an upload', client => client.uploadCreative({ body: new Blob(['x']) }), down(), 6],
    [
      'an edit with a condition',
      client => client.editCampaign({ cid: 2, body: {} }, { ifMatch: '"1"' }),
      down(),
      6,
    ],
    [
      'such an edit whose answer was lost',
      client => client.editCampaign({ cid: 2, body: {} }, { ifMatch: '"1"' }),
      lost(),
      1,
    ],
    ['a GET that changes something', client => client.authCustomer({ identifier: 1 }), busy(), 1],
    ['a public POST', client => client.requestAd({ body: { source: 's', size: '300x250' } }), busy(), 1],
    [
      'what must wait an hour',
      client => client.listCampaigns(),
      new Response('', { status: 429, headers: { 'retry-after': '3600' } }),
      1,
    ],
    ['another error', client => client.listCampaigns(), new Response('<html>', { status: 500 }), 1],
    [
      'what timed out',
      client => client.listCampaigns(),
      new DOMException('late', 'TimeoutError') as Error,
      1,
    ],
  ]
  it.each(cases)('%s is attempted as often as is safe', async (_, call, step, times) => {
    const { calls, fetch } = answers(step)
    await expect(call(createClient({ ...soon, fetch }))).rejects.toBeInstanceOf(MarqueeError)
    expect(calls).toHaveLength(times)
  })

  it('a POST keeps the key that the client made for it, and the next POST has another', async () => {
    const { calls, fetch } = answers(down(), lost(), Response.json({ cid: 1 }))
    const client = createClient({ ...soon, fetch })
    await client.createCampaign({ body })
    await client.createCampaign({ body })
    const keys = calls.map(call => call.headers['idempotency-key'])
    expect(keys).toHaveLength(4)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[3]).not.toBe(keys[0])
  })

  it('waits grow, vary, and come after the wait that the service asked for', async () => {
    const { waitMs } = await import('./waits.ts')
    for (let attempt = 0; attempt < 12; attempt++) {
      const full = Math.min(100 * 2 ** attempt, 10_000)
      const waits = Array.from({ length: 50 }, () => waitMs(attempt, 100, 1000))
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000 + full / 2)
      expect(Math.max(...waits)).toBeLessThanOrEqual(1000 + full)
      expect(new Set(waits).size).toBeGreaterThan(10)
    }
  })
})

describe('what is thrown', () => {
  it('a network error and a time-out have their own codes and keep their cause', async () => {
    const cause = lost()
    const offline = createClient({ ...soon, fetch: answers(cause).fetch }).listCampaigns()
    await expect(offline).rejects.toMatchObject({ status: 0, code: 'network_error', cause, attempts: 6 })
    const never = ((_: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) =>
        signal!.addEventListener('abort', () => reject(signal!.reason)),
      )) as typeof fetch
    const late = createClient({ ...soon, fetch: never, timeoutMs: 5 }).listCampaigns()
    await expect(late).rejects.toMatchObject({ status: 0, code: 'timeout' })
  })

  it('a signal ends a call, even while it waits for its next attempt or its turn', async () => {
    const waiting = new Response('{}', { status: 503, headers: { 'retry-after': '30' } })
    const { calls, fetch } = answers(waiting)
    const stop = new AbortController()
    const client = createClient({ ...soon, fetch, maxParallel: 1 })
    const first = client.listCampaigns({}, { signal: stop.signal })
    const second = client.listCampaigns({}, { signal: stop.signal })
    setTimeout(() => stop.abort(new Error('enough')), 10)
    await expect(first).rejects.toThrow('enough')
    await expect(second).rejects.toThrow('enough')
    expect(calls).toHaveLength(1)
    await expect(client.listCampaigns({}, { signal: AbortSignal.abort() })).rejects.toThrow()
  })

  it('a redirect by a proxy is an error, because the call was not done', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const away = new Response('', { status, headers: { location: 'https://x.example/campaign/2?cuid=1' } })
      const { calls, fetch } = answers(away)
      const client = createClient({ ...soon, fetch })
      for (const call of [client.deleteCampaign({ cid: 2 }), client.createCampaign({ body })])
        await expect(call).rejects.toMatchObject({
          status,
          code: 'malformed_answer',
          message: expect.stringContaining('redirected to https://x.example/campaign/2?cuid=1: set baseUrl'),
        })
      expect(calls).toHaveLength(2)
    }
  })

  it('an answer that is not JSON is an error, not a value', async () => {
    const { fetch } = answers(new Response('<html>'))
    await expect(createClient({ ...soon, fetch }).listCampaigns()).rejects.toMatchObject({
      code: 'malformed_answer',
    })
  })
})

describe('the pair', () => {
  const S = Math.floor(Date.now() / 1000)
  function renewing(firstExpires: number) {
    let renewals = 0
    const { calls, fetch } = answers(list())
    const client = createClient({
      ...soon,
      fetch,
      credentials: { cuid: 1, key: 'k0', token: 't', expires: firstExpires },
      renew: async () => ({ key: `k${++renewals}`, token: 't', expires: Date.now() / 1000 + 3600 }),
    })
    return { client, keys: () => calls.map(call => call.headers['x-access-key']) }
  }

  it('is renewed before it expires, once for all calls under way', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: S * 1000 })
    const { client, keys } = renewing(S + 3600)
    await client.listCampaigns()
    vi.setSystemTime((S + 3400) * 1000)
    await Promise.all([client.listCampaigns(), client.listCampaigns(), client.listCampaigns()])
    vi.setSystemTime((S + 3400 + 3400) * 1000)
    await client.listCampaigns()
    expect(keys()).toEqual(['k0', 'k1', 'k1', 'k1', 'k2'])
  })

  it('stays the same while a call is repeated, so that the service recognises a POST', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: S * 1000 })
    const keys: string[] = []
    const steps: Step[] = [lost(), down(), Response.json({ cid: 1 })]
    const fake = async (_url: string, init: RequestInit) => {
      keys.push((init.headers as Record<string, string>)['x-access-key']!)
      vi.setSystemTime((S + 3400) * 1000)
      const step = steps[keys.length - 1]!
      if (step instanceof Error) throw step
      return step
    }
    const renew = async () => ({ key: 'next', token: 't' })
    const pair = { cuid: 1, key: 'k0', token: 't', expires: S + 3600 }
    const client = createClient({ ...soon, fetch: fake as typeof fetch, credentials: pair, renew })
    await client.createCampaign({ body })
    expect(keys).toEqual(['k0', 'k0', 'k0'])
  })

  it('of a customer is requested again if the answer was lost, and is the same one', async () => {
    const pair = Response.json({ cuid: 7, key: 'k7', token: 't', expires: S + 3600 }, { status: 201 })
    const { calls, fetch } = answers(lost(), down(), pair, list())
    const app = createClient({ ...soon, fetch, credentials: { superkey: 's', supertoken: 't' } })
    expect(await app.asCustomer(7).listCampaigns()).toEqual([])
    expect(calls.map(call => call.line)).toEqual([
      ...Array(3).fill('POST http://x.example/customer/7/credential'),
      'GET http://x.example/campaign?cuid=7',
    ])
    expect(new Set(calls.slice(0, 3).map(call => call.headers['idempotency-key'])).size).toBe(1)
  })

  it('is not replaced for a POST that may have been done already', async () => {
    const ended = () => Response.json({ message: 'expired', code: 'credentials_expired' }, { status: 401 })
    const renew = async () => ({ key: 'next', token: 't' })
    for (const first of [lost(), down()]) {
      const { calls, fetch } = answers(first, ended(), list())
      const call = createClient({ ...soon, fetch, renew, credentials }).createCampaign({ body })
      await expect(call).rejects.toMatchObject({ code: 'credentials_expired', attempts: 2 })
      expect(calls).toHaveLength(2)
    }
    const read = answers(lost(), ended(), list())
    expect(await createClient({ ...soon, fetch: read.fetch, renew, credentials }).listCampaigns()).toEqual([])
  })

  it('is still used if renewing fails while it is valid', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: S * 1000 })
    const { fetch, calls } = answers(list())
    const renew = async () => {
      throw new Error('no')
    }
    const client = createClient({ ...soon, fetch, credentials: { ...credentials, expires: S + 3600 }, renew })
    vi.setSystemTime((S + 3500) * 1000)
    await client.listCampaigns()
    expect(calls).toHaveLength(1)
    vi.setSystemTime((S + 3601) * 1000)
    await expect(client.listCampaigns()).rejects.toThrow('no')
  })

  it.each(['credentials_expired', 'credentials_revoked', 'credentials_invalid'])(
    'is replaced once when the service answers %s',
    async code => {
      const ended = Response.json({ message: 'refused', code }, { status: 401 })
      const { calls, fetch } = answers(ended, list(), ended)
      let renewals = 0
      const renew = async () => ({ key: `n${++renewals}`, token: 't' })
      const client = createClient({ ...soon, fetch, renew, credentials })
      expect(await client.listCampaigns()).toEqual([])
      await expect(client.listCampaigns()).rejects.toMatchObject({ code })
      expect(calls.map(call => call.headers['x-access-key'])).toEqual(['k', 'n1', 'n1', 'n2'])
    },
  )
})

it.each(['localhost:8080', 'ads.example.net'])('an address such as %s is refused, in words', baseUrl => {
  expect(() => createClient({ ...soon, baseUrl })).toThrow('baseUrl must begin with http:// or https://')
})

it('without credentials it marks its calls as those of the console, and makes no keys', async () => {
  const { calls, fetch } = answers(list())
  const client = createClient({ baseUrl: '', fetch })
  await client.listCampaigns({ cuid: 1 })
  await client.createCampaign({ cuid: 1, body })
  expect(calls[0]!.headers).toEqual({ accept: 'application/json', 'x-marquee-csrf': '1' })
  expect(calls[1]!.headers['idempotency-key']).toBeUndefined()
})
