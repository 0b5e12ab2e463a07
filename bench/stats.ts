// What statistics cost if a hundred times as much was delivered: the summary and a series of 365 days for a campaign
// with 100 million events, against one with 1 million. Only the rollups exist, because only they are read. Also a
// customer with 20,000 campaigns, broken down by campaign and persona, with the most fresh rows that ever wait.

import { loadavg } from 'node:os'
import { FOLD_AT_ROWS } from '../src/count/fold/fold.ts'
import { systemClock } from '../src/kernel/time/clock.ts'
import { createCustomer } from '../src/manage/customers/customers.ts'
import type { Database } from '../src/platform/database.ts'
import { accounts } from '../src/report/accounts/accounts.ts'
import { withBenchDatabase } from './database.ts'
import { benchService } from './marquee.ts'
import { median } from './side-by-side.ts'

const DAYS = 365
const QUARTERS_A_DAY = 96
const ROUNDS = Number(process.env.ROUNDS ?? 80)
const CAMPAIGNS = 20_000
const CAMPAIGN_DAYS = 30
const START_S = Date.UTC(2025, 0, 1) / 1000
const END_S = START_S + DAYS * 86_400
/** How many times as long the larger campaign may take. */
const MAX_RATIO = 1.2
/** The longest time for the breakdown of a customer. */
const MOST_MS = 1000

async function main(): Promise<void> {
  await withBenchDatabase(async (url, dataDir) => {
    const service = await benchService(url, dataDir)
    try {
      const [app] = await service.db.rows<{ app_id: number }>('select app_id from app')
      const customer = await createCustomer(
        service.db,
        { appId: app!.app_id, key: 'operator' },
        { company: 'Bench', email: 'b@bench.example' },
        { credentialTtlSeconds: 3600, clock: systemClock, accounts, beginMails: async () => {} },
      )
      const small = await campaignWith(service.db, customer.cuid, 1_000_000)
      const large = await campaignWith(service.db, customer.cuid, 100_000_000)
      await service.db.run('vacuum analyze rollup')
      const headers = { 'x-access-key': customer.key, 'x-access-token': customer.token }
      const imps = async (path: string) => {
        const answer = await service.api.fastify.inject({ url: `${path}cuid=${customer.cuid}`, headers })
        if (answer.statusCode !== 200) throw new Error(answer.body)
        return answer.json()
      }
      const period = `start=${START_S}&end=${END_S}`
      await compare('summary', cid => imps(`/stats/${cid}/summary?`), small, large)
      for (const interval of ['hour', 'day', 'month']) {
        const question = `${period}&interval=${interval}&tz=Europe/Berlin`
        const ask = (cid: number) => imps(`/stats/${cid}/timeseries?${question}&`)
        await compare(`365 days by ${interval}`, ask, small, large)
      }
      await manyCampaigns(service.db, customer.cuid)
      for (const dimension of ['campaign', 'persona'])
        await time(`${CAMPAIGNS} campaigns, ${CAMPAIGN_DAYS} days, by ${dimension}`, () =>
          imps(`/stats/${customer.cuid}/breakdown/${dimension}?`),
        )
    } finally {
      await service.stop()
    }
  })
}

/** Measures both in turns, because machines are noisy. */
async function compare(name: string, ask: (cid: number) => Promise<unknown>, small: number, large: number) {
  const times: Record<number, number[]> = { [small]: [], [large]: [] }
  for (let round = -5; round < ROUNDS; round++) {
    for (const cid of round % 2 === 0 ? [small, large] : [large, small]) {
      const began = performance.now()
      await ask(cid)
      if (round >= 0) times[cid]!.push(performance.now() - began) // the first rounds warm up
    }
  }
  const [smallMs, largeMs] = [median(times[small]!), median(times[large]!)]
  const ratio = largeMs / smallMs
  const verdict = ratio <= MAX_RATIO ? 'ok' : 'ABOVE TARGET'
  console.log(
    `${name.padEnd(34)} 1 M events ${smallMs.toFixed(1).padStart(6)} ms   100 M events ${largeMs.toFixed(1).padStart(6)} ms   ` +
      `ratio ${ratio.toFixed(2)}   target ${MAX_RATIO.toFixed(2)}   ${verdict}`,
  )
  if (ratio > MAX_RATIO) process.exitCode = 1
}

async function time(name: string, ask: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let round = -2; round < Math.min(ROUNDS, 15); round++) {
    const began = performance.now()
    await ask()
    if (round >= 0) times.push(performance.now() - began)
  }
  const ms = median(times)
  const verdict = ms <= MOST_MS ? 'ok' : 'ABOVE TARGET'
  console.log(
    `${name.padEnd(34)} ${ms.toFixed(0)} ms   target ${MOST_MS} ms   ${verdict}   load ${loadavg()[0]!.toFixed(1)}`,
  )
  if (ms > MOST_MS) process.exitCode = 1
}

async function manyCampaigns(db: Database, cuid: number): Promise<void> {
  await db.run(
    `with made as (
       insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing,
         created_at, updated_at)
       select $1, 'bench ' || n, now(), now() + interval '1 day', true, 0, 1000000, 2000000, '{}', 'even', now(), now()
       from generate_series(1, $2::integer) n returning cid
     )
     insert into rollup_customer (cuid, day, cid, pid, spend_micros, imps, views, clicks, actions)
     select $1, date '2026-01-01' + d, cid, cid, 2000, cid % 1000, 0, 1, 0
     from made, generate_series(0, $3::integer - 1) d`,
    [cuid, CAMPAIGNS, CAMPAIGN_DAYS],
  )
  await db.run(
    `with leaves as (
       insert into leaf (cuid, cid, fid, pid, bid) select cuid, cid, cid, cid, cid from campaign where cuid = $1
       returning cuid, cid, leaf
     )
     insert into fresh (cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country,
       audience, kind, device, os)
     select cuid, cid, leaf, 0, 0, 0, 1963000, date '2026-01-15', 2000, 0, 0, 0, 'i', '?', '?'
     from leaves, generate_series(1, $2::integer)`,
    [cuid, Math.ceil(FOLD_AT_ROWS / CAMPAIGNS)],
  )
  await db.run('vacuum analyze rollup_customer')
}

/** A campaign that delivered in every quarter hour of the year. */
async function campaignWith(db: Database, cuid: number, events: number): Promise<number> {
  const row = await db.row<{ cid: number }>(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at)
     values ($1, 'bench', to_timestamp($2), to_timestamp($3), true, 0, 1000000, 2000000, '{}', 'even', now(), now())
     returning cid`,
    [cuid, START_S, END_S],
  )
  const quarters = DAYS * QUARTERS_A_DAY
  const imps = Math.round(events / quarters)
  await db.run(
    `insert into rollup select $1, to_timestamp($2 + n * 900), $4::bigint, $4::bigint / 100, $4::bigint / 10000, $4::bigint * 2000
     from generate_series(0, $3::integer - 1) n`,
    [row!.cid, START_S, quarters, imps],
  )
  return row!.cid
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
