// Statements, with credits, corrections and real spend over days that close: opening balance and entries add up to the
// closing balance, to the micro, and that is the balance of the account.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { seededRandom } from '../../../test/support/random.ts'
import { testClock } from '../../../test/support/service.ts'
import { sweepShares } from '../../budget/shares/shares.ts'
import { verify } from '../../count/verify/verify.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import type { AccountEntry, Statement } from './contract.ts'

const ZONE = 'Europe/Berlin'
const DAY_S = 86_400

let service: ListeningService
let served: ServedCampaign
let cuid: number
let cids: number[]
beforeAll(async () => {
  service = await startListeningService({ TIMEZONE: ZONE }, testClock())
  served = await newServedCampaign(service, {
    campaign: { cpm: 3.07, dailySpend: 5, end: nowS() + 1000 * DAY_S },
  })
  cuid = served.customer.cuid
  const copy = await served.customer.call('POST', `/campaign/${served.cid}/copy`, { enabled: true })
  expect(copy.status, copy.text).toBe(201)
  cids = [served.cid, copy.body.cid]
  // Spent before the account began, so it does not belong to the account.
  await until(async () => ((await deliver(1, 3.07)) === 1 ? true : null))
  expect((await service.call('PUT', `/customer/${cuid}`, { body: { prepaid: true } })).status).toBe(200)
})
afterAll(() => service.close())

const micros = (units: number) => Math.round(units * 1e6)
const nowS = () => Math.floor(service.clock.nowMs() / 1000)

async function account() {
  return (await service.call('GET', `/customer/${cuid}/account`)).body
}
async function read(query = ''): Promise<Statement> {
  const { status, text, body } = await service.call('GET', `/customer/${cuid}/statement${query}`)
  expect(status, text).toBe(200)
  return body
}
const credit = (amount: number, reference: string) =>
  service.call('POST', `/customer/${cuid}/credit`, { body: { amount, reference } })

/** The number of impressions that were really billed. */
async function deliver(count: number, price: number): Promise<number> {
  let billed = 0
  for (let n = 0; n < count; n++) {
    const answer = await service.bid(bidRequest({ id: crypto.randomUUID() }))
    if (answer.status !== 200) continue
    const url = new URL(answer.json.seatbid[0].bid[0].burl.replace(/\$\{AUCTION_PRICE\}/, String(price)))
    const notice = await service.send('POST', `${url.pathname}${url.search}`)
    if (notice.status === 200) billed++
  }
  return billed
}

/** The spend since the account began, added up from the events themselves. */
async function spentMicros(before: number): Promise<number> {
  const row = await service.db.row<{ spent: number }>(
    'select coalesce(sum(spend_micros), 0) as spent from event where cid = any($1::bigint[])',
    [cids],
  )
  return row!.spent - before
}

function mustAddUp(statement: Statement): void {
  const { opening, entries } = statement
  mustAddUpTo(statement)
  // The balance is never below zero in between.
  let balance = micros(opening)
  for (const { amount } of entries) {
    balance += micros(amount)
    expect(balance).toBeGreaterThanOrEqual(0)
  }
}

it('opening and entries add up to closing, which is the balance, whatever happens on any number of days', async () => {
  const random = seededRandom('statements')
  const int = (below: number) => Math.floor(random.next() * below)
  const fromS = nowS() - DAY_S
  const before = await spentMicros(0)
  let credited = 0
  let sold = 0
  await credit(1, 'first')
  credited += 1_000_000
  for (let round = 0; round < 40; round++) {
    const what = int(6)
    if (what === 0) {
      const amount = (1 + int(50)) / 100
      expect((await credit(amount, `credit ${round}`)).status).toBe(201)
      credited += micros(amount)
    } else if (what === 1) {
      const amount = -(1 + int(60)) / 100
      const answer = await credit(amount, `correction ${round}`)
      expect([201, 409]).toContain(answer.status)
      if (answer.status === 201) credited += micros(amount)
    } else if (what === 2) {
      service.clock.advance((6 + int(30)) * HOUR_MS)
      await until(async () => ((await service.bid(bidRequest())).status === 200 ? true : null), 3000).catch(
        () => null,
      )
      // Days before yesterday close.
      await sweepShares(service.db, calendarOf(ZONE).dayAt(service.clock.nowMs() - 24 * HOUR_MS).key)
    } else sold += await deliver(1 + int(8), (100 + int(200)) / 100)
    const spent = await spentMicros(before)
    const now = await account()
    expect(micros(now.credited)).toBe(credited)
    expect(micros(now.spent)).toBe(spent)
    expect(micros(now.balance)).toBe(credited - spent)
    expect(now.balance).toBeGreaterThanOrEqual(0)
    expect(now.reserved).toBeGreaterThanOrEqual(0)
    expect(micros(now.balance)).toBeGreaterThanOrEqual(micros(now.reserved))
    const whole = await read(`?from=${fromS}&to=${nowS() + 2 * DAY_S}`)
    mustAddUp(whole)
    expect([whole.opening, micros(whole.closing)]).toEqual([0, credited - spent])
    // Wherever the period is cut, the parts fit together.
    const cutS = fromS + 1 + int(nowS() - fromS)
    const first = await read(`?from=${fromS}&to=${cutS}`)
    const second = await read(`?from=${cutS}&to=${nowS() + 2 * DAY_S}`)
    mustAddUp(first)
    expect([first.closing, second.closing]).toEqual([second.opening, whole.closing])
    expect([...first.entries, ...second.entries]).toEqual(whole.entries)
    const keys = whole.entries.filter(({ kind }) => kind === 'spend').map(({ cid, day }) => `${cid} ${day}`)
    expect(new Set(keys).size).toBe(keys.length)
  }
  expect(sold).toBeGreaterThan(0)
})

it('`marquee verify` finds spend of an account that no figure knows', async () => {
  const found = async () =>
    (await verify(service.db, { timeZone: ZONE, clickWindowS: 30 * DAY_S }))
      .filter(({ check, differences }) => /pools|accounts/.test(check) && differences.length > 0)
      .map(({ check, differences }) => [check, differences[0]])
  expect(await found()).toEqual([])
  const day = calendarOf(ZONE).dayAt(service.clock.nowMs() + 48 * HOUR_MS).key
  const row = [cuid, cids[0], day]
  await service.db.run(
    `insert into account_spend (cuid, account_no, cid, day, micros)
     select cuid, account_no, $2, $3, 7 from account where cuid = $1 and ended_at is null`,
    row,
  )
  expect(await found()).toMatchObject([
    ['pools', { cid: null, cuid, what: 'grantedMicros of the balance' }],
    ['accounts', { cid: cids[0], what: 'spendMicros', left: 7, right: 0 }],
  ])
  await service.db.run('delete from account_spend where cuid = $1 and cid = $2 and day = $3', row)
  expect(await found()).toEqual([])
})

it('what was spent before the account began, and after it ended, is on no statement', async () => {
  await service.call('PUT', `/customer/${cuid}`, { body: { prepaid: false } })
  const last = await read(`?from=0&to=${nowS() + 2 * DAY_S}`)
  mustAddUp(last)
  expect(last.closing).toBe(0)
  await until(async () => ((await deliver(1, 2)) === 1 ? true : null))
  expect((await read(`?from=0&to=${nowS() + 2 * DAY_S}`)).entries).toEqual(last.entries)
  await service.call('PUT', `/customer/${cuid}`, { body: { prepaid: true } })
  expect(await account()).toMatchObject({ balance: 0, spent: 0, credited: 0, reserved: 0 })
})

it('of a customer that pays afterwards begins at zero, and has what its months spent, to the micro', async () => {
  const later = await newServedCampaign(service, {
    campaign: { cpm: 5, dailySpend: 50, end: nowS() + 100 * DAY_S },
    customer: { timezone: 'Pacific/Auckland' },
  })
  const { customer, cid } = later
  const readOf = async (query: string) =>
    (await customer.call('GET', `/customer/${customer.cuid}/statement${query}`)).body as Statement
  await service.call('PUT', `/campaign/${cids[0]}?cuid=${cuid}`, { body: { enabled: false } })
  await service.call('PUT', `/campaign/${cids[1]}?cuid=${cuid}`, { body: { enabled: false } })
  await service.delivery.running()!.refresh()
  for (let day = 0; day < 3; day++) {
    await until(async () => ((await deliver(1, Math.min(5, 3.07 + day))) === 1 ? true : null))
    service.clock.advance(16 * 24 * HOUR_MS)
    await service.delivery.running()!.refresh()
  }
  const whole = await readOf(`?from=${nowS() - 60 * DAY_S}&to=${nowS() + 2 * DAY_S}`)
  expect(whole.entries).toHaveLength(3)
  const [first] = whole.entries
  expect(first).toMatchObject({ kind: 'spend', amount: -0.00307, cid })
  let spent = 0
  for (const month of new Set(whole.entries.map(({ day }) => day!.slice(0, 7)))) {
    const of = await readOf(`?month=${month}`)
    mustAddUpTo(of)
    const { body } = await customer.call('GET', `/stats/${cid}/summary?start=${of.from}&end=${of.to}`)
    expect([of.opening, micros(-of.closing)]).toEqual([0, micros(body.spend)])
    spent += micros(body.spend)
  }
  expect(spent).toBe(12_140)
  await customer.call('DELETE', `/campaign/${cid}`)
})

function mustAddUpTo({ opening, entries, closing }: Statement): void {
  expect(entries.reduce((all, { amount }) => all + micros(amount), micros(opening))).toBe(micros(closing))
}

describe('a month', () => {
  it('begins and ends at the midnights of the customer’s zone, and is the present one by default', async () => {
    const november = await read('?month=2026-11')
    expect([november.from, november.to]).toEqual([
      Date.parse('2026-11-01T00:00:00+01:00') / 1000,
      Date.parse('2026-12-01T00:00:00+01:00') / 1000,
    ])
    expect(november).toMatchObject({ number: `${cuid}-202611`, timezone: ZONE, currency: 'USD', cuid })
    const december = await read('?month=2026-12')
    expect(december.to).toBe(Date.parse('2027-01-01T00:00:00+01:00') / 1000)
    const present = await read()
    expect(present.from <= nowS() && nowS() < present.to).toBe(true)
  })

  it.each([
    ['month=2026-13', '?month'],
    ['month=november', '?month'],
    ['month=0000-01', '?month'],
    ['month=5138-11', '?month'],
    ['month=9999-12', '?month'],
    ['month=2026-11&from=1&to=2', '?month'],
    ['from=1', '?to'],
    ['to=1', '?from'],
    ['from=2&to=2', '?from'],
    ['from=2&to=1', '?from'],
    ['from=x&to=1', '?from'],
    ['year=2026', '?year'],
  ])('?%s is refused at %s', async (query, path) => {
    const { status, body } = await service.call('GET', `/customer/${cuid}/statement?${query}`)
    expect([status, body.errors?.[0].path]).toEqual([400, path])
    if (/^month=[^&]*$/.test(query)) expect(body.message).toBe('?month: must be a month such as 2026-11')
  })
})

it('names the zone that applied at its end, whatever the customer has now', async () => {
  // Not on the last days of a month, which end before the change.
  while (new Date(service.clock.nowMs()).getUTCDate() > 20) service.clock.advance(24 * HOUR_MS)
  const changedS = nowS()
  await service.call('PUT', `/customer/${cuid}`, { body: { timezone: 'Asia/Tokyo' } })
  // This month ends after the pending change, at a midnight of the new zone.
  const { to, timezone } = await read()
  expect([timezone, new Date(to * 1000).toISOString().slice(11)]).toEqual(['Asia/Tokyo', '15:00:00.000Z'])
  service.clock.advance(72 * HOUR_MS)
  expect((await read()).timezone).toBe('Asia/Tokyo')
  expect((await read(`?from=${changedS - DAY_S}&to=${changedS}`)).timezone).toBe(ZONE)
})

describe('as CSV', () => {
  const csv = (headers: Record<string, string>) =>
    service.call('GET', `/customer/${cuid}/statement?from=0&to=${nowS() + 2 * DAY_S}`, {
      headers: { accept: 'text/csv', ...headers },
    })

  it('has each entry, the balance after it, and the balances around them', async () => {
    await credit(12.5, 'csv; "1", =2')
    const { headers, text } = await csv({})
    expect(headers['content-type']).toContain('text/csv')
    expect(headers['content-disposition']).toMatch(/filename="statement-\d+-0-\d+\.csv"/)
    const lines = text.trimEnd().split('\r\n')
    const { entries, closing } = await read(`?from=0&to=${nowS() + 2 * DAY_S}`)
    expect(lines).toHaveLength(entries.length + 3)
    expect(lines[0]).toBe('time,kind,amount,balance,currency,reference,note,cid,day')
    expect(lines[1]).toContain(',opening,,0,USD')
    expect(lines.at(-1)).toContain(`,closing,,${closing},USD`)
    const spends = entries.filter((entry: AccountEntry) => entry.kind === 'spend')
    expect(lines.filter(line => line.includes(',spend,'))).toHaveLength(spends.length)
    expect(text).toContain('"csv; ""1"", \'=2"')
  })

  it('is written for German spreadsheets if the reader prefers German', async () => {
    const { text, headers } = await csv({ 'accept-language': 'de-DE,de;q=0.9,en;q=0.8' })
    expect(headers['content-language']).toBe('de')
    expect(text.startsWith('\ufeffZeit;Art;Betrag;Saldo;')).toBe(true)
    expect(text).toMatch(/;Gutschrift;12,5;\d+(,\d+)?;USD;/)
    expect(text).toMatch(/;Ausgaben;-\d+,\d+;/)
    expect((await csv({ 'accept-language': 'en,de' })).text.startsWith('time,')).toBe(true)
  })
})
