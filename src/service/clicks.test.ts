// Campaigns that are paid by click, tested through the public API: three deliveries on one database.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'
import { foldAll } from '../count/fold/fold.ts'
import { learnClickRates } from '../deliver/click-rates/click-rates.ts'
import { allowCpc } from '../manage/sources/sources.ts'
import { createLog } from '../platform/log.ts'
import { createService, type Service } from './app.ts'

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const VISITOR = { origin: 'http://localhost', 'user-agent': AGENT }
const PATIENCE_MS = 60_000

let first: ListeningService
const others: Service[] = []
let urls: string[]

beforeAll(async () => {
  first = await startListeningService({ VISITOR_SHARE: '25', VISITOR_OPEN_ADS: '0' })
  for (let n = 0; n < 2; n++) {
    const service = await createService({
      config: { ...first.config, ROLES: ['delivery'] },
      log: createLog('silent'),
      clock: first.clock,
    })
    others.push(service)
    urls = [...(urls ?? [first.url]), await service.listen()]
    await service.delivery.started
  }
})
afterAll(async () => {
  for (const service of others) await service.stop()
  await first?.close()
})

async function refreshAll(): Promise<void> {
  for (const { delivery } of [first, ...others]) await delivery.running()!.refresh()
}

/** Creates a campaign that all three know. */
async function newCampaign(country: string, campaign: object, customer = {}): Promise<ServedCampaign> {
  const served = await newServedCampaign(first, {
    customer,
    campaign: { pricing: 'cpc', cpc: 0.5, ...campaign },
    persona: { geo: { geos: [country] } },
  })
  await refreshAll()
  return served
}

interface Ad {
  impression: string
  click: string
}

/** A server asks on behalf of its visitor, whose address is ours, so there are no limits per visitor. */
async function askAt(node: number, country: string): Promise<{ ad: Ad | null; reason?: string }> {
  const visit = { size: '300x250', geo: { country }, ip: '127.0.0.1', ua: AGENT }
  const body = JSON.stringify({ source: first.serverKey, ...visit })
  const answer = await fetch(`${urls[node % urls.length]}/ad`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  return (await answer.json()) as { ad: Ad | null; reason?: string }
}

/** An ad from the first process that has money for a click, or soon will have. */
function got(country: string, node = 0): Promise<Ad> {
  let asked = node
  return until(async () => (await askAt(asked++, country)).ad, PATIENCE_MS)
}

function follow(node: number, link: string) {
  const { pathname, search } = new URL(link)
  return fetch(urls[node % urls.length] + pathname + search, { headers: VISITOR, redirect: 'manual' })
}

async function seen(country: string, node = 0): Promise<Ad> {
  const ad = await got(country, node)
  await until(async () => ((await follow(node, ad.impression)).status === 200 ? true : null), PATIENCE_MS)
  return ad
}

/** A click leads to the page whether or not it is counted; 307 if that is not known yet. */
async function clickOn({ click }: Ad, node: number): Promise<void> {
  const answer = await follow(node, click)
  expect([302, 307]).toContain(answer.status)
  expect(answer.headers.get('location')).toContain('https://shop.example.com/bikes?mqclid=')
}

/** Clicks on all ads, each at two processes at once, until `clicks` were paid for; then once more on each. */
async function clickAll(served: ServedCampaign, ads: Ad[], clicks: number): Promise<void> {
  const everywhere = () => Promise.all(ads.flatMap((ad, n) => [clickOn(ad, n), clickOn(ad, n + 1)]))
  await until(async () => {
    await everywhere()
    const now = await figures(served)
    expect(now.clicks).toBeLessThanOrEqual(clicks)
    if (now.clicks === clicks) return true
    // Money that one process gave back reaches the others when they ask again.
    first.clock.advance(31_000)
    await refreshAll()
    return null
  }, PATIENCE_MS)
  await everywhere()
}

async function figures({ customer, cid }: ServedCampaign) {
  const { body } = await customer.call('GET', `/stats/${cid}/summary`)
  const { imps, clicks, spend } = body
  return { imps, clicks, spend }
}

async function filtered({ customer, cid }: ServedCampaign): Promise<Record<string, number>> {
  const { body } = await customer.call('GET', `/stats/${cid}/filtered`)
  return Object.fromEntries(
    body.filtered.map((row: { reason: string; clicks: number }) => [row.reason, row.clicks]),
  )
}

test('a campaign has a price per click exactly if clicks are paid for', async () => {
  const { customer, cid } = await newCampaign('GB', { cpm: 3 })
  const path = `/campaign/${cid}`
  const codes = (answer: { status: number; body: { errors?: { path: string; code: string }[] } }) =>
    answer.body.errors?.map(error => `${answer.status} ${error.path} ${error.code}`) ?? answer.status
  const edit = async (fields: object) => codes(await customer.call('PUT', path, fields))
  const read = async () => (await customer.call('GET', path)).body
  const shown = await read()
  expect(shown).toMatchObject({ pricing: 'cpc', cpc: 0.5, cpm: 3 })
  expect(await edit(shown)).toBe(200)
  expect(await edit({ cpc: null })).toEqual(['400 /cpc cpc_missing'])
  expect(await edit({ cpc: 0.005 })).toEqual(['400 /cpc too_small'])
  expect(await edit({ cpc: 0.015 })).toEqual(['400 /cpc too_many_decimals'])
  expect(await edit({ pricing: 'cpm', cpc: 1 })).toEqual(['400 /cpc cpc_not_used'])
  expect(await edit({ pricing: 'cpv' })).toEqual(['400 /pricing not_an_option'])
  const copy = await customer.call('POST', `${path}/copy`, {})
  expect(copy.body).toMatchObject({ pricing: 'cpc', cpc: 0.5, cpm: 3 })
  const fields = { name: 'New', start: shown.start, end: shown.end, dailySpend: 1 }
  for (const [more, wrong] of [
    [{ pricing: 'cpc' }, 'cpc_missing'],
    [{ cpc: 1 }, 'cpc_not_used'],
  ] as const)
    expect(codes(await customer.call('POST', '/campaign?dryRun=true', { ...fields, ...more }))).toEqual([
      `400 /cpc ${wrong}`,
    ])
  expect(await edit({ pricing: null })).toBe(200)
  expect(await read()).toMatchObject({ pricing: 'cpm', cpc: null, cpm: 3 })
  expect(await edit({ cpc: 1 })).toEqual(['400 /cpc cpc_not_used'])
  const { body: history } = await customer.call('GET', `${path}/history`)
  expect(history.at(-1)).toMatchObject({
    before: { pricing: 'cpc', cpc: 0.5 },
    after: { pricing: 'cpm', cpc: null },
  })
})

test('impressions cost nothing; a click is paid for once, if its impression was counted', async () => {
  const served = await newCampaign('CA', { dailySpend: 50 })
  const ad = await seen('CA')
  expect(await figures(served)).toEqual({ imps: 1, clicks: 0, spend: 0 })
  await clickAll(served, [ad], 1)
  await clickOn(await got('CA'), 0)
  await until(async () => {
    const { duplicate = 0, no_impression } = await filtered(served)
    return duplicate > 0 && no_impression === 1 ? true : null
  }, PATIENCE_MS)
  expect(await figures(served)).toEqual({ imps: 1, clicks: 1, spend: 0.5 })
})

test('all at once on the last money of a budget, by three processes: never over, each click paid for once', async () => {
  const served = await newCampaign('DE', { dailySpend: 2 })
  const ads: Ad[] = []
  for (let n = 0; n < 24; n++) ads.push(await seen('DE', n))
  await clickAll(served, ads, 4)
  expect(await figures(served)).toEqual({ imps: ads.length, clicks: 4, spend: 2 })
  const billed = await first.db.row<{ billed: number; over: boolean }>(
    'select sum(billed_micros)::bigint as billed, bool_or(billed_micros > granted_micros) as over from share where cid = $1',
    [served.cid],
  )
  expect(billed).toEqual({ billed: 2_000_000, over: false })
  await until(async () => ((await filtered(served)).unbilled_budget ?? 0) > 0 || null, PATIENCE_MS)
  const { body } = await served.customer.call('GET', `/campaign/${served.cid}`)
  expect(body).toMatchObject({ status: 'spent', spentBy: 'day', pricing: 'cpc', cpc: 0.5 })
  await until(async () => ((await askAt(0, 'DE')).reason === 'budget_spent' ? true : null), PATIENCE_MS)
})

test('a total budget and a balance pay for clicks, but never for one too many', async () => {
  const served = await newCampaign('FR', { dailySpend: 50, totalSpend: 1 }, { prepaid: true })
  const account = `/customer/${served.customer.cuid}`
  const credit = await first.call('POST', `${account}/credit`, {
    body: { amount: 5, reference: 'paid' },
  })
  expect(credit.status).toBe(201)
  await refreshAll()
  const ads: Ad[] = []
  for (let n = 0; n < 6; n++) ads.push(await seen('FR', n))
  await clickAll(served, ads, 2)
  expect(await figures(served)).toEqual({ imps: 6, clicks: 2, spend: 1 })
  expect((await first.call('GET', `${account}/account`)).body).toMatchObject({ balance: 4, spent: 1 })
  const { body } = await first.call('GET', `${account}/statement`)
  expect(body.entries.at(-1)).toMatchObject({ kind: 'spend', amount: -1, cid: served.cid })
  const campaign = (await served.customer.call('GET', `/campaign/${served.cid}`)).body
  expect(campaign).toMatchObject({ status: 'spent', spentBy: 'total' })
})

test('a flight with a total pays for the clicks of its ads, and for none beyond it', async () => {
  const served = await newCampaign('AT', { dailySpend: 50 })
  const { start, end } = (await served.customer.call('GET', `/campaign/${served.cid}`)).body
  await served.customer.newFlight(served.cid, { start, end, totalSpend: 0.5 })
  await refreshAll()
  const ads: Ad[] = []
  for (let n = 0; n < 3; n++) ads.push(await seen('AT', n))
  await clickAll(served, ads, 1)
  expect(await figures(served)).toEqual({ imps: 3, clicks: 1, spend: 0.5 })
  const { body } = await served.customer.call('GET', `/campaign/${served.cid}`)
  expect(body).toMatchObject({ status: 'spent' })
})

test('no click is paid for after the end of its campaign', async () => {
  const served = await newCampaign('PT', { dailySpend: 50 })
  const ads = [await seen('PT'), await seen('PT', 1), await seen('PT', 2)]
  await clickAll(served, [ads[0]!], 1)
  const end = Math.floor(first.clock.nowMs() / 1000) + 5
  expect((await served.customer.call('PUT', `/campaign/${served.cid}`, { end })).status).toBe(200)
  await refreshAll()
  first.clock.advance(6000)
  for (const [n, ad] of ads.slice(1).entries()) await clickOn(ad, n)
  await until(async () => ((await filtered(served)).unbilled_budget === 2 ? true : null), PATIENCE_MS)
  expect(await figures(served)).toEqual({ imps: 3, clicks: 1, spend: 0.5 })
})

test('a paused campaign pays for clicks as long as it is paid by click', async () => {
  const served = await newCampaign('IE', { dailySpend: 50 })
  const path = `/campaign/${served.cid}`
  const ad = await seen('IE')
  expect((await served.customer.call('PUT', `${path}/pause`)).status).toBe(200)
  await refreshAll()
  await clickAll(served, [ad], 1)
  expect(await figures(served)).toEqual({ imps: 1, clicks: 1, spend: 0.5 })
})

test('a paused campaign that is not paid by click any more pays for none', async () => {
  const served = await newCampaign('IS', { dailySpend: 50 })
  const path = `/campaign/${served.cid}`
  const ads = [await seen('IS'), await seen('IS', 1), await seen('IS', 2)]
  const edits = [{ op: 'pauseCampaign' }, { op: 'editCampaign', body: { pricing: 'cpm' } }]
  const operations = edits.map(edit => ({ ...edit, cid: served.cid }))
  expect((await served.customer.call('POST', '/bulk', { operations })).body.failed).toBe(0)
  expect((await served.customer.call('GET', path)).body).toMatchObject({ enabled: false, pricing: 'cpm' })
  await refreshAll()
  for (const [n, ad] of ads.entries()) await clickOn(ad, n)
  await until(async () => ((await filtered(served)).unbilled_budget === 3 ? true : null), PATIENCE_MS)
  expect(await figures(served)).toEqual({ imps: 3, clicks: 0, spend: 0 })
})

test('one visitor takes no more of a day by clicks than by impressions', async () => {
  const served = await newCampaign('IT', { dailySpend: 8 })
  const visit = async () => {
    const { json } = await first.ad({ size: '300x250', geo: { country: 'IT' } }, VISITOR)
    if (json.ad === null) return json.reason as string
    await follow(0, json.ad.impression)
    await clickOn(json.ad, 0)
    return 'clicked'
  }
  await until(async () => ((await visit()) === 'visitor_share' ? true : null), PATIENCE_MS)
  // These are a quarter of the day's budget.
  await until(async () => ((await figures(served)).clicks >= 4 ? true : null), PATIENCE_MS)
  expect(await figures(served)).toMatchObject({ clicks: 4, spend: 2 })
})

test('an ad keeps the terms it was served on; figures of both prices add up', async () => {
  const served = await newCampaign('ES', { dailySpend: 50, cpm: 4 })
  const path = `/campaign/${served.cid}`
  const byClick = await seen('ES')
  expect((await served.customer.call('PUT', path, { pricing: 'cpm' })).body).toMatchObject({
    cpc: null,
    cpm: 4,
  })
  await refreshAll()
  await clickAll(served, [await seen('ES')], 1)
  expect(await figures(served)).toEqual({ imps: 2, clicks: 1, spend: 0.004 })
  await clickAll(served, [byClick], 2)
  await foldAll(first.db)
  expect(await figures(served)).toEqual({ imps: 2, clicks: 2, spend: 0.504 })
  const { body } = await served.customer.call('GET', `/stats/${served.cid}/breakdown/banner`)
  expect(body.breakdown[0]).toMatchObject({ imps: 2, clicks: 2, spend: 0.504 })
  const report = await first.call('GET', '/report?by=campaign')
  const row = report.body.rows.find((one: { cid: number }) => one.cid === served.cid)
  expect(row).toMatchObject({ imps: 2, clicks: 2, spend: 0.504 })
})

test('on an exchange it bids only if the operator allows it, with the amount that it is expected to earn', async () => {
  await newCampaign('CH', { dailySpend: 50, cpc: 2 })
  const request = bidRequest({ device: { ...(bidRequest().device as object), geo: { country: 'CHE' } } })
  expect((await first.bid(request)).status).toBe(204)
  expect((await first.send('GET', '/metrics')).text).toContain(
    'marquee_ad_places_total{outcome="cpc_on_exchange"}',
  )
  const sources = await first.call('GET', '/source')
  const { name } = sources.body.find((source: { kind: string }) => source.kind === 'exchange')
  await allowCpc(first.db, name, true, first.clock)
  await first.delivery.running()!.refresh()
  const { status, json } = await first.bid(request)
  expect(status).toBe(200)
  // Nothing is known of the banner, so one click in a thousand impressions is expected.
  expect(json.seatbid[0].bid[0].price).toBe(2)
  await allowCpc(first.db, name, false, first.clock)
})

test('an ad that is clicked more often wins, though its click costs less', async () => {
  const dear = await newCampaign('NL', { dailySpend: 500, cpc: 1 })
  const liked = await newCampaign('NL', { dailySpend: 500, cpc: 0.6 })
  const winner = async () => {
    const wins = new Map<number, number>()
    for (let n = 0; n < 20; n++) {
      const { ad } = (await askAt(0, 'NL')) as { ad: (Ad & { cid: number }) | null }
      if (ad) wins.set(ad.cid, (wins.get(ad.cid) ?? 0) + 1)
    }
    return [...wins].sort((a, b) => b[1] - a[1])[0]?.[0]
  }
  await until(async () => ((await winner()) === dear.cid ? true : null), PATIENCE_MS)
  const explained = async ({ customer, path }: ServedCampaign) => {
    const visit = { size: '300x250', geo: { country: 'NL' }, floor: 2 }
    return (await customer.call('POST', `${path}/explain`, visit)).body
  }
  expect(await explained(liked)).toMatchObject({ expectedCpm: 0.6, served: false })
  // Thirty days of figures, of which only the last 28 count.
  await first.db.run(
    `insert into leaf (cuid, cid, fid, pid, bid)
     select cuid, c.cid, f.fid, $2, $3 from campaign c join flight f using (cid) where c.cid = $1 on conflict do nothing`,
    [liked.cid, liked.pid, liked.bid],
  )
  const today = new Date(first.clock.nowMs())
  await first.db.run(
    `insert into rollup_dimension (id, dimension, day, name, imps, views, clicks, actions, spend_micros)
     select l.leaf, 'd', $2::date - n, 0, 1000, 0, 10, 0, 0 from leaf l cross join generate_series(1, 30) as n
     where l.cid = $1`,
    [liked.cid, today],
  )
  await learnClickRates(first.db, first.clock.nowMs())
  const body = await explained(liked)
  // 1000 × 0.60 × (clicks + 500 × 0.001) / (imps + 500)
  expect(body.expectedCpm).toBeCloseTo((600 * (280 + 0.5)) / 28_500, 3)
  expect(body.served).toBe(true)
  await refreshAll()
  await until(async () => ((await winner()) === liked.cid ? true : null), PATIENCE_MS)
})

test('the usual click rate of a source and size is learned from the events, hour by hour and each once', async () => {
  const hourMs = 3_600_000
  const sums = async () => {
    const rows = await first.db.rows<{ imps: number; clicks: number }>(
      'select sum(imps)::int as imps, sum(clicks)::int as clicks from click_rate where width = 300 and height = 250',
    )
    return rows[0]!
  }
  const counted = await first.db.row<{ imps: number; clicks: number }>(
    `select (count(*) filter (where kind = 'i'))::int as imps, (count(*) filter (where kind = 'c'))::int as clicks
     from event`,
  )
  expect(counted!.clicks).toBeGreaterThan(0)
  // The hour is not over, or clicks for it may still arrive.
  await learnClickRates(first.db, first.clock.nowMs())
  expect(await sums()).toEqual({ imps: null, clicks: null })
  for (let times = 0; times < 2; times++) {
    await learnClickRates(first.db, first.clock.nowMs() + 4 * hourMs)
    expect(await sums()).toEqual(counted)
  }
})
