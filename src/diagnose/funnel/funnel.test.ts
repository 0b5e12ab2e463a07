// Why a persona is not served: the explanation of one request, and the funnel over real requests.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { createTrafficSample, type TrafficHour } from '../../deliver/sample/sample.ts'
import type { AdRequest } from '../../deliver/targeting/request.ts'
import { type Question, STAGE_TESTS } from './stages.ts'
import { stoppedBy } from './stopped-by.ts'

let service: ListeningService
let served: ServedCampaign

beforeAll(async () => {
  service = await startListeningService()
  served = await newServedCampaign(service, {
    campaign: { frequency: 2, cpm: 2, category: ['IAB17'] },
    persona: {
      cat: ['IAB17'],
      device: { mobile: true },
      demo: { gender: { female: true }, age: { '18to34': true } },
    },
  })
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

const FITTING = {
  size: '300x250',
  cat: ['IAB17-3'],
  geo: { country: 'CA' },
  device: 'mobile',
  user: { id: 'u1', gender: 'female', age: 27 },
}

async function explain(changes: object = {}) {
  const { body } = await served.customer.call('POST', `${served.path}/explain`, { ...FITTING, ...changes })
  const failed = body.stages.filter((stage: { passed: boolean }) => !stage.passed)
  return { served: body.served, failed: failed.map((stage: { stage: string }) => stage.stage) }
}

describe('explain', () => {
  it('every stage passes if the request is served', async () => {
    expect(await explain()).toEqual({ served: true, failed: [] })
  })

  it.each([
    ['geo', { geo: { country: 'US' } }],
    ['category', { cat: ['IAB1'] }],
    ['device', { device: 'desktop' }],
    ['gender', { user: { id: 'u1', age: 27 } }],
    ['age', { user: { id: 'u1', gender: 'female', age: 70 } }],
    ['banner', { size: '728x90' }],
    ['floor', { floor: 2.01 }],
    ['cap', { user: { gender: 'female', age: 27 } }],
  ])('%s alone is named', async (stage, changes) => {
    expect(await explain(changes)).toEqual({ served: false, failed: [stage] })
  })

  it('a price that is exactly the floor reaches it', async () => {
    for (const cpm of [4.03, 2]) {
      await served.customer.call('PUT', `/campaign/${served.cid}`, { cpm })
      expect(await explain({ floor: cpm })).toEqual({ served: true, failed: [] })
    }
  })

  it('several stages that fail at once are all named', async () => {
    const result = await explain({ geo: { country: 'US' }, device: 'tablet', size: '728x90' })
    expect(result.failed).toEqual(['geo', 'device', 'banner'])
  })

  it('a pause and a flight take effect at once', async () => {
    await served.customer.call('PUT', `${served.path}/pause`)
    expect((await explain()).failed).toEqual(['enabled'])
    await served.customer.call('PUT', `${served.path}/resume`)
    const nowS = Math.floor(Date.now() / 1000)
    const { fid } = await served.customer.newFlight(served.cid, { start: nowS + 1000, end: nowS + 2000 })
    expect((await explain()).failed).toEqual(['schedule'])
    await served.customer.call('DELETE', `/campaign/${served.cid}/flight/${fid}`)
    expect((await explain()).failed).toEqual([])
  })

  it('a frozen customer is named by explain, the status and the issues of its campaigns', async () => {
    const { cuid } = served.customer
    const codes = async () =>
      (await served.customer.call('GET', `/campaign/${served.cid}/issues`)).body.map(
        ({ code }: { code: string }) => code,
      )
    const status = async () => (await served.customer.call('GET', `/campaign/${served.cid}`)).body.status
    const before = [await status(), await codes()]
    await service.call('PUT', `/customer/${cuid}/freeze`)
    const { body } = await served.customer.call('POST', `${served.path}/explain`, FITTING)
    expect(body.stages.find(({ passed }: { passed: boolean }) => !passed)).toMatchObject({
      stage: 'enabled',
      why: 'the customer is frozen',
    })
    expect([await status(), await codes()]).toEqual(['frozen', ['frozen']])
    await service.call('PUT', `/customer/${cuid}/unfreeze`)
    expect([await status(), await codes()]).toEqual(before)
  })

  it('a budget that does not pay for one impression is not called spent', async () => {
    const put = (fields: object) => served.customer.call('PUT', `/campaign/${served.cid}`, fields)
    const before = (await served.customer.call('GET', `/campaign/${served.cid}`)).body
    await put({ dailySpend: 0.01, cpm: 10.01 })
    const { body } = await served.customer.call('POST', `${served.path}/explain`, FITTING)
    const budget = body.stages.find((stage: { stage: string }) => stage.stage === 'budget')
    expect(budget).toMatchObject({ passed: false, why: expect.stringContaining('costs more') })
    await put({ dailySpend: before.dailySpend, cpm: before.cpm })
  })

  it('says what is wrong with the question', async () => {
    const answer = await served.customer.call('POST', `${served.path}/explain`, {
      size: 'x',
      geo: { country: 'XX' },
    })
    expect(answer.status).toBe(400)
    expect((await served.customer.call('POST', `/campaign/1/persona/2/explain`, FITTING)).status).toBe(404)
  })
})

describe('funnel', () => {
  it('counts how far real requests got', async () => {
    await service.delivery.running()!.refresh()
    const user = { id: 'f1', gender: 'F', yob: new Date().getUTCFullYear() - 25 }
    const fitting = { device: { devicetype: 4, geo: { country: 'CAN' } }, user }
    const before = await funnel()
    for (let n = 0; n < 2; n++) {
      const won = await service.bid(bidRequest(fitting))
      const notice = new URL(won.json.seatbid[0].bid[0].burl.replace(/\$\{AUCTION_PRICE\}/, '1.5'))
      await service.send('GET', notice.pathname + notice.search)
    }
    for (const changes of [
      { device: { devicetype: 4, geo: { country: 'USA' } } },
      { ...fitting, site: { cat: ['IAB2'] } },
      { ...fitting, bcat: ['IAB17'] },
      { ...fitting, imp: [{ id: '1', bidfloor: 9, banner: { w: 300, h: 250 } }] },
    ]) {
      await service.bid(bidRequest(changes))
    }
    // A process writes what it has seen to the database within seconds.
    const after = await until(async () => {
      const now = await funnel()
      return now.requests - before.requests === 6 ? now : null
    })
    const refused = (stage: string) => after.refused[stage]! - before.refused[stage]!
    expect(after.sampled - before.sampled).toBe(6)
    expect(after.served - before.served).toBe(2)
    expect([refused('geo'), refused('category'), refused('blocked'), refused('floor')]).toEqual([1, 1, 1, 1])
    // By now the user has had both impressions of today, but not when the requests were made.
    expect(refused('cap')).toBe(0)
    expect(after.stages.at(-1).passed - before.stages.at(-1).passed).toBe(2)
  })

  it('judges each request by what was decided then: a cap, a spent budget, a higher bid', async () => {
    const user = { id: 'f2', gender: 'F', yob: new Date().getUTCFullYear() - 25 }
    const fitting = { device: { devicetype: 4, geo: { country: 'CAN' } }, user }
    const put = (fields: object) => served.customer.call('PUT', `/campaign/${served.cid}`, fields)
    const refresh = () => service.delivery.running()!.refresh()
    const before = await funnel()
    // Two win an ad, the third is capped.
    for (let n = 0; n < 3; n++) await service.bid(bidRequest(fitting))
    // No other user gets it while its budget is too small for one impression.
    await put({ dailySpend: 0.01, cpm: 11 })
    await refresh()
    await service.bid(bidRequest({ ...fitting, user: { ...user, id: 'f3' } }))
    await put({ dailySpend: 100, cpm: 2 })
    // Another campaign pays more.
    const rival = await newServedCampaign(service, { campaign: { cpm: 5 } })
    await refresh()
    await service.bid(bidRequest({ ...fitting, user: { ...user, id: 'f4' } }))
    await rival.customer.call('PUT', `/campaign/${rival.cid}/pause`)
    await refresh()
    const after = await until(async () => {
      const now = await funnel()
      return now.requests - before.requests === 5 ? now : null
    })
    const refused = (stage: string) => after.refused[stage]! - before.refused[stage]!
    expect([refused('cap'), refused('budget'), refused('outbid'), refused('pacing')]).toEqual([1, 1, 1, 0])
    expect(after.stages.at(-1).passed - before.stages.at(-1).passed).toBe(2)
  })

  it('says nothing about requests that came in before the campaign began', async () => {
    expect((await funnel()).requests).toBeGreaterThan(10)
    const start = Math.floor(Date.now() / 1000) + 60
    const young = await newServedCampaign(service, { campaign: { start, end: start + 86_400 } })
    const { body } = await young.customer.call('GET', `${young.path}/funnel`)
    expect(body).toMatchObject({ since: start, requests: 0, sampled: 0, served: 0 })
    await young.customer.call('DELETE', `/campaign/${young.cid}`)
  })

  it('is kept by hour without anything that names a visitor, survives a restart, and says what hours may be', async () => {
    const before = await funnel()
    const rows = await service.db.rows<{ kept: string }>('select kept from traffic_hour')
    const kept = rows.map(row => row.kept).join()
    expect(kept).toContain('"country":"CA"')
    for (const secret of ['userKey', 'f1', '"id"', '"ip"', '"page"', '"referer"'])
      expect(kept).not.toContain(secret)
    await service.delivery.restart()
    await until(async () => service.delivery.running())
    expect((await funnel()).requests).toBe(before.requests)
    expect((await served.customer.call('GET', `${served.path}/funnel?hours=672`)).body.requests).toBe(
      before.requests,
    )
    for (const hours of [0, 673, 'x'])
      expect(
        (await served.customer.call('GET', `${served.path}/funnel?hours=${hours}`)).body.errors,
      ).toMatchObject([{ path: '?hours' }])
  })

  async function funnel() {
    const { body } = await served.customer.call('GET', `${served.path}/funnel`)
    const refused = Object.fromEntries(
      body.stages.map((item: { stage: string; refused: number }) => [item.stage, item.refused]),
    )
    return { ...body, refused: refused as Record<string, number> }
  }
})

describe('the sample of traffic', () => {
  const NOTHING: Pick<AdRequest, 'slots' | 'blockedCategories' | 'blockedDomains'> = {
    slots: [],
    blockedCategories: [],
    blockedDomains: [],
  }
  const request = (city: string) => ({ ...NOTHING, city }) as AdRequest
  const HOUR_MS = 3_600_000

  it('stays bounded and fair however much traffic comes', () => {
    let nowMs = 0
    const sample = createTrafficSample(() => nowMs)
    for (let n = 0; n < 100_000; n++) sample.see(request(String(n)))
    const [{ requests, kept, stride }] = sample.hours() as [TrafficHour]
    expect(requests).toBe(100_000)
    expect(kept.length).toBe(Math.ceil(requests / stride))
    expect(kept.length).toBeLessThanOrEqual(128)
    const firstHalf = kept.filter(item => Number(item.request.city) < 50_000).length
    expect(Math.abs(firstHalf / kept.length - 0.5)).toBeLessThan(0.02)
    nowMs += HOUR_MS
    for (let n = 0; n < 100; n++) sample.see(request(`later ${n}`))
    expect(sample.hours().reduce((sum, hour) => sum + hour.requests, 0)).toBe(100_100)
    sample.forget(0)
    expect(sample.hours()).toMatchObject([{ hourMs: HOUR_MS }])
    for (let hour = 2; hour < 10; hour++) {
      nowMs = hour * HOUR_MS
      sample.see(request('x'))
    }
    expect(sample.hours().map(hour => hour.hourMs / HOUR_MS)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('keeps a bounded part of huge requests, and of what became of them', () => {
    const sample = createTrafficSample(() => 0)
    const many = <T>(length: number, of: (n: number) => T) => Array.from({ length }, (_, n) => of(n))
    const slots = many(100, n => ({
      id: `${n}`.padEnd(512, 'x'),
      sizes: many(50, side => ({ width: side + 1, height: n + 1 })),
      floorMicros: 0,
      secure: false,
      mimes: many(200, type => `image/${type}`.padEnd(100, 'x')),
      blockedAttributes: [],
    }))
    const notes = sample.see({
      ...request('town'),
      slots,
      blockedCategories: many(2_000, n => `IAB1-${n}`),
      blockedDomains: many(20_000, n => `d${n}.example`),
    })!
    for (const slot of slots) for (let pid = 1; pid <= 1_000; pid++) notes.refused(slot.id, pid, 'pacing')
    notes.won(slots[0]!.id, 5_000, 2_000_000)
    const [one] = sample.hours()[0]!.kept
    expect(one!.request.slots[0]).toMatchObject({ sizes: slots[0]!.sizes.slice(0, 20) })
    expect(JSON.stringify(one).length).toBeLessThan(60_000)
    const place = one!.places[0]!
    // Nothing is said about personas beyond the bound, unless they bid no more than the winner.
    expect(stoppedBy(place, 1, 1)).toBe('pacing')
    expect(stoppedBy(place, 900, 3_000_000)).toBe('unknown')
    expect(stoppedBy(place, 900, 2_000_000)).toBe('outbid')
    expect(stoppedBy(place, 5_000, 2_000_000)).toBeNull()
  })

  it('keeps only image types, because only those can be ours, and positions to a kilometre', () => {
    const sample = createTrafficSample(() => 0)
    const mimes = [...Array<string>(50).fill('video/mp4'), 'image/png']
    const slot = { id: '1', sizes: [], floorMicros: 0, secure: false, mimes, blockedAttributes: [] }
    sample.see({ ...request('1'), lat: 52.520008, lon: 13.404954, slots: [slot, { ...slot, mimes: null }] })
    const [one] = sample.hours()[0]!.kept
    expect(one!.request.slots.map(item => item.mimes)).toEqual([['image/png'], null])
    expect(one!.request).toMatchObject({ lat: 52.52, lon: 13.4 })
  })
})

it.each([
  ['capped', false, 'had the campaign 2 times'],
  ['budget_spent', true, 'fewer than 2 times'],
  [null, true, 'fewer than 2 times'],
] as const)('the cap stage says what %s means', (refusal, passed, words) => {
  const campaign = { cid: 1, freq: 2 }
  const question = {
    candidate: { persona: { order: { campaign } } },
    user: { hi: 1, lo: 1 },
    nowMs: 0,
    account: { check: () => refusal, paceLag: () => 0 },
  } as unknown as Question
  const verdict = STAGE_TESTS.cap(question)
  expect(verdict.passed).toBe(passed)
  expect(verdict.why).toContain(words)
})
