// The database finds lists of campaigns by status and text. With random campaigns of every status, and names in many
// scripts, it must find what status.ts and kernel/text.ts say. SEED replays a run.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { containsText } from '../../kernel/text.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { weekHourAt } from '../../kernel/time/hours.ts'
import type { Db } from '../../platform/database.ts'
import { fillSearchTexts, listOf } from './campaigns.ts'
import { CAMPAIGN_STATUSES, type Campaign } from './contract.ts'
import { selectWanted } from './queries.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`campaign lists: SEED=${SEED}`)
const CAMPAIGNS = 600

let service: TestService
let ann: TestCustomer
let all: Campaign[]
let state = SEED >>> 0

function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!

const LETTERS = [
  ..."aAbBzZ09 %_\\'\t",
  ...'äÄéÉñßŒœİıŞϋΆάΣςσЙйЁがガ漢字한글–’…€ﬁＡⅣ①KÅ😀ไệ',
  'e\u0301',
  '\u00a0',
  '\u3000',
]
const someText = () => Array.from({ length: 1 + random(6) }, () => pick(LETTERS)).join('')

beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
  const { db, clock } = service
  const now = new Date(clock.nowMs())
  const day = calendarOf(service.config.TIMEZONE).dayAt(clock.nowMs()).key
  const at = () => new Date(Math.floor(clock.nowMs() / 1000) * 1000 + (random(5) - 1.5) * 3_600_000)
  await db.run('update customer set website = null where cuid = $1', [ann.cuid])
  for (let n = 0; n < CAMPAIGNS; n++) await newRandomCampaign(db, { now, day, at })
  all = (await ann.call('GET', '/campaign')).body
})
afterAll(() => service?.close())

async function newRandomCampaign(db: Db, { now, day, at }: { now: Date; day: number; at: () => Date }) {
  const [start, end] = [at(), new Date(at().getTime() + 5 * 3_600_000 * random(2) + 1000)]
  const row = await db.row<{ cid: number }>(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing,
       external_id, created_at, updated_at, hours)
     values ($1, $2, $3::timestamptz, greatest($4::timestamptz, $3 + interval '1 second'), $5, 0, 5000000, $6, '{}', 'even', $7, $8, $8, $9) returning cid`,
    [
      ann.cuid,
      someText(),
      start,
      end,
      random(4) > 0,
      1_000_000 + 10_000 * random(300),
      random(2) ? someText() : null,
      now,
      random(2) ? Array.from({ length: 7 }, () => random(2 ** 24)) : null,
    ],
  )
  const { cid } = row!
  for (let flight = random(4) - 1; flight > 0; flight--) {
    await db.run(
      `insert into flight (cid, is_default, name, start_at, end_at, created_at, updated_at, deleted_at)
       values ($1, false, 'f', $2::timestamptz, greatest($3::timestamptz, $2 + interval '1 second'), $4, $4, $5)`,
      [cid, at(), at(), now, random(5) === 0 ? now : null],
    )
  }
  if (random(2)) {
    const billed = pick([0, 1, 4_990_000, 4_997_000, 4_999_000, 5_000_000])
    await db.run(
      'insert into share (day, cid, node_id, granted_micros, billed_micros) values ($1, $2, 0, $3, $3), ($4, $2, 0, 5000000, 5000000)',
      [day, cid, billed, day - 1],
    )
  }
  for (let persona = random(3); persona > 0; persona--) {
    const made = await db.row<{ pid: number }>(
      `insert into persona (cid, name, geo, cat, device, demo, enabled, created_at, updated_at, deleted_at)
       values ($1, 'p', '{"geos":["CA"]}', '{}', '{"mobile":true,"tablet":true,"desktop":true}',
         '{"gender":null,"age":null}', $2, $3, $3, $4) returning pid`,
      [cid, random(4) > 0, now, random(5) === 0 ? now : null],
    )
    for (let banner = random(3); banner > 0; banner--) {
      await db.run(
        `insert into banner (pid, name, creative_url, click_url, status, enabled, created_at, updated_at, deleted_at)
         values ($1, 'b', 'https://a.example/b.png', $2, $3, $4, $5, $5, $6)`,
        [
          ...[made!.pid, random(4) > 0 ? 'https://a.example/' : null],
          ...[pick(['approved', 'approved', 'pending', 'rejected']), random(4) > 0, now],
          random(5) === 0 ? now : null,
        ],
      )
    }
  }
}

const cidsOf = (campaigns: { cid: number }[]) => campaigns.map(({ cid }) => cid)
const list = async (query: string): Promise<Campaign[]> => (await ann.call('GET', `/campaign?${query}`)).body

/** Reads page by page, following the link of each page to the next. */
async function walk(query: string, limit: number): Promise<number[]> {
  const found: number[] = []
  let path: string | null = `/campaign?${query}&limit=${limit}`
  while (path) {
    const answer = await ann.call('GET', path)
    expect(answer.body.length).toBeLessThanOrEqual(limit)
    found.push(...cidsOf(answer.body))
    const next: string | undefined = /<([^>]*)>/.exec(String(answer.headers.link ?? ''))?.[1]
    path = next ? next.replace(/^https?:\/\/[^/]*/, '').replace(/[?&]cuid=\d+/, match => match[0]!) : null
  }
  return found
}

it.each([
  ['not frozen', CAMPAIGN_STATUSES.filter(status => status !== 'frozen')],
  ['frozen', ['paused', 'frozen', 'ended'] as const],
] as const)(
  'by status they are those whose computed status it is, page by page: %s',
  async (how, statuses) => {
    if (how === 'frozen') await service.call('PUT', `/customer/${ann.cuid}/freeze`)
    const all = await list('')
    const seen = new Set(all.map(({ status }) => status))
    expect([...seen].sort()).toEqual([...statuses].sort())
    for (const status of statuses) {
      const expected = cidsOf(all.filter(campaign => campaign.status === status))
      expect(cidsOf(await list(`status=${status}`)), status).toEqual(expected)
      expect(await walk(`status=${status}`, 7), status).toEqual(expected)
      const now = new Date(Math.floor(service.clock.nowMs() / 1000) * 1000)
      const calendar = calendarOf(service.config.TIMEZONE)
      const day = calendar.dayAt(now.getTime()).key
      const moment = { now, day, weekHour: weekHourAt(calendar, now.getTime()) }
      const found = await selectWanted(service.db, ann.cuid, 0, CAMPAIGNS, { ...moment, status })
      expect(cidsOf(found), status).toEqual(expected)
    }
    await service.call('PUT', `/customer/${ann.cuid}/unfreeze`)
  },
)

it('by text they are those that the search function finds, known to the database or not', async () => {
  const look = async (isKnown: boolean) => {
    for (let round = 0; round < 60; round++) {
      const { name } = pick(all)
      const q = random(4) ? (random(2) ? name : name.toUpperCase()) : someText()
      if (q.trim() === '') continue
      const expected = cidsOf(all.filter(({ name, externalId }) => containsText([name, externalId], q)))
      expect(cidsOf(await list(`q=${encodeURIComponent(q)}`)), JSON.stringify(q)).toEqual(expected)
      const moment = { now: new Date(), day: 0, weekHour: { day: 0, hour: 0 } }
      const read = await selectWanted(service.db, ann.cuid, 0, CAMPAIGNS, { ...moment, q })
      if (isKnown) expect(cidsOf(read), JSON.stringify(q)).toEqual(expected)
    }
  }
  // First with rows as the previous version wrote them, without search texts.
  await look(false)
  await fillSearchTexts(service.db)
  await look(true)
})

it('a campaign is found by its new name, whichever version gave it', async () => {
  const { cid } = await ann.newCampaign({ name: 'Früher' })
  const finds = async (q: string) => (await list(`q=${q}`)).some(campaign => campaign.cid === cid)
  expect(await finds('fruh')).toBe(true)
  await ann.call('PUT', `/campaign/${cid}`, { name: 'Später' })
  expect([await finds('fruh'), await finds('spat')]).toEqual([false, true])
  await service.db.run(`update campaign set name = 'Nie', version = version + 1 where cid = $1`, [cid])
  expect([await finds('spat'), await finds('nie')]).toEqual([false, true])
  await ann.call('DELETE', `/campaign/${cid}`)
})

it('what nobody has is found without reading a campaign', async () => {
  let read = 0
  const counting: Db = {
    ...service.db,
    rows: async (text, params) => {
      const rows = await service.db.rows<never>(text, params)
      read += rows.length
      return rows
    },
  }
  const parts = { clock: service.clock, defaultCpmMicros: 1, calendar: calendarOf('UTC') }
  const spent = listOf(counting, ann.cuid, { status: 'spent', externalId: 'nobody' }, parts)
  expect(await spent(0, 1000)).toEqual([])
  expect(await listOf(counting, ann.cuid, { q: 'zzzzzzzzz', externalId: 'nobody' }, parts)(0, 1000)).toEqual(
    [],
  )
  expect(read).toBe(0)
})
