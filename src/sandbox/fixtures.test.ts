// What a sandbox offers for tests: images with a fixed outcome, a mailbox, and a place and a user that fit every
// persona. Also tests that the client does not confuse the sandbox's time with that of its machine.

import { afterAll, describe, expect, it } from 'vitest'
import { createClient, createSandbox } from '../../sdk/index.ts'
import { bidRequest, type ListeningService, newServedCampaign } from '../../test/support/delivery.ts'
import { startTestSandbox } from '../../test/support/sandbox.ts'
import { startTestService } from '../../test/support/service.ts'

const DAY_S = 86_400
const JSON_BODY = { 'content-type': 'application/json' }
const { service: sandbox, base, move, now } = await startTestSandbox('2025-10-01')
afterAll(() => sandbox.close())

describe('images and a mailbox of tests', () => {
  it('always have the same outcome', async () => {
    const email = 'bob@passcode.example'
    const customer = await sandbox.newCustomer({ email })
    const { now } = (await sandbox.call('GET', '/sandbox/clock')).body
    const call = (method: string, url: string, body: object) =>
      sandbox.call(method, `${url}?cuid=${customer.cuid}`, { as: customer, body })
    const { cid } = (
      await call('POST', '/campaign', { name: 'Images', start: now, end: now + DAY_S, dailySpend: 1 })
    ).body
    const persona = { name: 'All', geo: { geos: ['CA'] }, device: { mobile: true } }
    const { pid } = (await call('POST', `/campaign/${cid}/persona`, persona)).body
    const path = `/campaign/${cid}/persona/${pid}/banner`
    for (const outcome of ['approved', 'rejected', 'unreachable', 'timeout'])
      await call('POST', path, {
        name: outcome,
        creativeURL: `${base}/sandbox/image/${outcome}/300x250.png`,
        clickUrl: 'https://shop.example/',
      })
    await move({ by: DAY_S })
    const banners = (await sandbox.call('GET', `${path}?cuid=${customer.cuid}`, { as: customer })).body
    expect(
      Object.fromEntries(banners.map(({ name, status }: Record<string, string>) => [name, status])),
    ).toEqual({
      approved: 'approved',
      rejected: 'rejected',
      unreachable: 'rejected',
      timeout: 'rejected',
    })
    expect(
      banners.flatMap(({ findings }: { findings: { code: string }[] }) => findings.map(({ code }) => code)),
    ).toEqual(['image_size_not_allowed', 'creative_unreachable', 'creative_timeout'])
    await sandbox.call('GET', `/customer/${encodeURIComponent(email)}/passcode`)
    const signedIn = await sandbox.call('GET', `/customer/${encodeURIComponent(email)}/auth?passcode=000000`)
    expect(signedIn.status).toBe(200)
  })
})

describe('a place and a user of tests', () => {
  it('are meant by every persona, in every dialect', async () => {
    const { path, customer, pid, cid } = await newServedCampaign(sandbox as unknown as ListeningService, {
      campaign: { start: (await now()) - 1, end: (await now()) + DAY_S, dailySpend: 50, cpm: 40 },
      persona: {
        geo: { radius: 2_000, geocode: [52.52, 13.405] },
        demo: { gender: { female: true }, age: { '50+': true } },
      },
    })
    await move({ by: 1 })
    const { bidUrl, serverKey } = sandbox.firstCredentials!
    const ask = async (url: string, body: object) =>
      (await fetch(url, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) })).text()
    /** Whether it is served according to `explain`, to the server of a site, and to an exchange. */
    const served = async (country: string, alpha3: string, id: string) => {
      const visit = { size: '300x250', geo: { country }, user: { id } }
      const { device } = bidRequest() as { device: object }
      const asked = bidRequest({ device: { ...device, geo: { country: alpha3 } }, user: { id } })
      return [
        (await customer.call('POST', `${path}/explain`, visit)).body.served,
        JSON.parse(await ask(`${base}/ad`, { ...visit, source: serverKey })).ad?.pid === pid,
        (await ask(base + new URL(bidUrl).pathname, asked)).includes(`"cid":"${cid}"`),
      ]
    }
    expect(await served('ZZ', 'ZZZ', 'sandbox-anyone')).toEqual([true, true, true])
    expect(await served('ZZ', 'ZZZ', 'somebody')).toEqual([false, false, false])
    expect(await served('DE', 'DEU', 'sandbox-anyone')).toEqual([false, false, false])
  })
})

it('a client as a customer keeps its pair, however old the clock is, and gets a new one after a reset', async () => {
  const { key: superkey, token: supertoken } = sandbox.app
  let pairs = 0
  const counting: typeof fetch = (url, init) => {
    if (init?.method === 'POST' && String(url).endsWith('/credential')) pairs++
    return fetch(url, init)
  }
  const app = createClient({ baseUrl: base, credentials: { superkey, supertoken }, fetch: counting })
  const { reset } = createSandbox(app)
  const begin = async () => {
    await reset()
    const { cuid } = await app.createCustomer({
      body: { company: 'Client', email: 'client@passcode.example' },
    })
    return cuid
  }
  const cuid = await begin()
  const client = app.asCustomer(cuid)
  const answers = async () => [await client.listCampaigns(), await client.listCampaigns()]
  expect([await answers(), pairs]).toEqual([[[], []], 1])
  expect(await begin()).toBe(cuid)
  expect([await answers(), pairs]).toEqual([[[], []], 2])
})

it('the expected revenue of an ad that is paid by click is learned from its figures, hour by hour', async () => {
  const start = await now()
  const { path, customer } = await newServedCampaign(sandbox as unknown as ListeningService, {
    campaign: { start, end: start + DAY_S, dailySpend: 50, pricing: 'cpc', cpc: 0.1 },
  })
  const visitors = {
    to: start + 6 * 3600,
    perHour: 50,
    mix: { countries: { CA: 1 }, sizes: { '300x250': 1 }, ctr: 0.5 },
  }
  await sandbox.call('POST', '/sandbox/traffic', { body: visitors })
  await expect.poll(async () => (await sandbox.call('GET', '/sandbox/traffic')).body.done).toBe(true)
  const visit = { size: '300x250', geo: { country: 'CA' } }
  const { expectedCpm } = (await customer.call('POST', `${path}/explain`, visit)).body
  // More than for any source and size about which nothing else is known.
  expect(expectedCpm).toBeGreaterThan(1000 * 0.1 * 0.05)
})

it('a caller over the rate limit may continue after a while, although the clock stands still', async () => {
  const limited = await startTestService({ SANDBOX: 'true', RATE_LIMIT: '1', RATE_BURST: '20' })
  try {
    const status = async () => (await limited.call('GET', '/customer')).status
    expect(await Promise.all(Array.from({ length: 40 }, status))).toContain(429)
    await expect.poll(status, { timeout: 20_000, interval: 500 }).toBe(200)
  } finally {
    await limited.close()
  }
})
