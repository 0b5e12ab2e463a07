// The ledger's start, and caps that are set at noon, with more users than fit into one answer of the database.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import { createCaps } from '../../budget/caps/caps.ts'
import type { Journal } from '../../budget/ledger/journal.ts'
import { createLedger } from '../../budget/ledger/ledger.ts'
import type { LiveCampaign } from '../../budget/live.ts'
import { keepPartitions } from '../../count/ingest/partitions.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import type { Database } from '../../platform/database.ts'
import { createCountsLoader } from './cap-counts.ts'
import { restoreLedger } from './restore.ts'

const CID = 7
const USERS = 11_000
const MAX_TTL_MS = 3_600_000
const calendar = calendarOf('UTC')
const nowMs = Date.UTC(2030, 2, 5, 12)
const dayKey = calendar.dayAt(nowMs).key
const campaign: LiveCampaign = {
  cid: CID,
  cuid: 1,
  enabled: true,
  flights: [{ fid: 1, startS: 0, endS: 4_000_000_000 }],
  freq: 2,
  dailySpendMicros: 1_000_000_000,
  cpmMicros: 1_000_000,
  category: [],
  hours: null,
  pacing: 'asap',
}
const log = { reserved() {}, ended() {}, budget() {} }
const someone = (n: number) => ({ hi: 0, lo: n })

let real: Database
/** What was seen on the connection. */
const seen = { mostRows: 0, statements: 0, timeouts: new Set<string>() }
let db: Database

beforeAll(async () => {
  real = await openTestDatabase({ maxConnections: 2 })
  await keepPartitions(real, nowMs, { eventRetentionS: 86_400, clickWindowS: 86_400 })
  await real.run(
    `insert into event (ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country,
       kind, device, os)
     select (lpad(to_hex($2::bigint), 8, '0') || lpad(to_hex(i), 24, '0'))::uuid, to_timestamp($2), $3, 1, 1, 0, 0, i / 2,
       1000, $4, 0, 'i', '?', '?' from generate_series(2, 2 * $1::integer + 1) i`,
    [USERS, nowMs / 1000 - 60, CID, dayKey],
  )
  db = {
    ...real,
    transaction: (work, longestMs) =>
      real.transaction(
        tx =>
          work({
            ...tx,
            async rows<Row>(text: string, params?: readonly unknown[]) {
              const rows = await tx.rows<Row>(text, params)
              const timeout = await tx.row<{ set: string }>(
                `select current_setting('statement_timeout') as set`,
              )
              seen.timeouts.add(timeout!.set)
              seen.mostRows = Math.max(seen.mostRows, rows.length)
              seen.statements++
              return rows
            },
          }),
        longestMs,
      ),
  }
})
afterAll(() => real.close())

function newLedger(maxUsers: number) {
  const caps = createCaps({ maxUsers })
  const ledger = createLedger({ calendar, caps, log, nowMs, maxTtlMs: MAX_TTL_MS, maxAds: 1000 })
  return { caps, ledger }
}

it('a start reads the impressions of any number of users, in pages and without a time limit', async () => {
  const { ledger, caps } = newLedger(100_000)
  ledger.setCampaign(campaign, nowMs)
  const adId = (n: number) => Buffer.from(n.toString(16).padStart(24, '0'), 'hex').toString('base64url')
  const open = [2, 999_999].map(n => ({
    adId: adId(n),
    cid: CID,
    dayKey,
    priceMicros: 1000,
    reservedUntilMs: nowMs + 60_000,
    user: null,
  }))
  const journal = {
    recovered: { open, billed: [], budgets: [], damagedRecords: 0 },
  } as unknown as Journal
  // The campaign is not in the database, so nothing can be asked for; without other nodes nothing is needed.
  const [node, store] = [{ nodeId: 0, epoch: 1 }, { move: async () => [] }]
  const orders = new Map([[CID, { campaign, pids: new Set<number>() }]])
  await restoreLedger({ db, ledger, journal, orders, calendar, maxTtlMs: MAX_TTL_MS, node, store }, nowMs)
  expect(caps.users()).toBe(USERS)
  const refusals = Array.from({ length: USERS }, (_, n) => ledger.check(CID, 1, someone(n + 1), nowMs))
  expect(new Set(refusals)).toEqual(new Set(['capped']))
  // The database had billed the first of the two open ads.
  expect(ledger.account(CID, dayKey)).toMatchObject({ openAds: 1, reservedMicros: 1000 })
  expect(journal.recovered.open).toEqual([])
  expect(seen.mostRows).toBeLessThan(USERS)
  expect([...seen.timeouts]).toEqual(['30min'])
})

it('a campaign with a new cap and too many users for the memory is read once, not every second', async () => {
  const { ledger, caps } = newLedger(5_000)
  ledger.setCampaign({ ...campaign, freq: 0 }, nowMs)
  const wish = { adId: 'A'.repeat(16), cid: CID, priceMicros: 1, user: someone(1), ttlMs: 1000, random: 0 }
  expect(ledger.reserve(wish, nowMs)).toMatchObject({ cid: CID })
  ledger.setCampaign(campaign, nowMs)
  expect(ledger.countsMissing(nowMs)).toHaveLength(1)
  const load = createCountsLoader({ db, ledger, caps, capStore: null })
  await load(nowMs)
  const after = seen.statements
  await load(nowMs)
  expect(seen.statements).toBe(after)
  expect(ledger.check(CID, 1, someone(99_999), nowMs)).toBe('counts_missing')
})

it('a campaign with a new cap knows its users of today a moment later', async () => {
  const { ledger, caps } = newLedger(100_000)
  ledger.setCampaign({ ...campaign, freq: 0 }, nowMs)
  const wish = { adId: 'A'.repeat(16), cid: CID, priceMicros: 1, user: someone(1), ttlMs: 1000, random: 0 }
  ledger.reserve(wish, nowMs)
  ledger.setCampaign(campaign, nowMs)
  await createCountsLoader({ db, ledger, caps, capStore: null })(nowMs)
  expect(ledger.check(CID, 1, someone(USERS), nowMs)).toBe('capped')
  expect(ledger.check(CID, 1, someone(99_999), nowMs)).toBe(null)
})
