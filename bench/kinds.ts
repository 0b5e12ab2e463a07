// What an event of each kind costs PostgreSQL, from its report to the last figure: pixels, views, clicks, and conversions
// with and without a value, reported one after the other and many at once. In a world of CAMPAIGNS (300) that win
// equally often; EVENTS=… of each kind. Lookups that a conversion needs are included. Then impressions that come at random
// moments, RATES=55,165 a second for SECONDS each, as in one of three processes or in one: how many share a batch, what
// each costs before it is folded, and how long its answer takes.

import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { countServerAction } from '../src/count/conversions/conversions.ts'
import { foldAll } from '../src/count/fold/fold.ts'
import { clickIdOf, type ServedAd } from '../src/count/tracking/ad.ts'
import type { AdEvent, EventKind } from '../src/count/tracking/event.ts'
import { systemClock } from '../src/kernel/time/clock.ts'
import { type Counting, startCounting } from './counting-service.ts'
import { batchesOf } from './counting-world.ts'
import { withBenchDatabase } from './database.ts'
import { postgresSeconds } from './processor.ts'

const CAMPAIGNS = Number(process.env.CAMPAIGNS ?? 300)
const EVENTS = Number(process.env.EVENTS ?? 2000)
const AT_ONCE = (process.env.AT_ONCE ?? '1,20').split(',').map(Number).filter(Boolean)
const RATES = (process.env.RATES ?? '55,165').split(',').map(Number)
const SECONDS = Number(process.env.SECONDS ?? 20)
const WAIT_MS = 5000

type Report = (counting: Counting, event: AdEvent) => Promise<unknown>

const event = (kind: EventKind): Report => {
  return ({ batcher }, { ad, atMs, spendMicros }) =>
    batcher.addEvent(
      { kind, ad, atMs, spendMicros: kind === 'impression' ? spendMicros : 0 },
      WAIT_MS,
      () => {},
    )
}

let orders = 0
const conversion = (value?: number): Report => {
  return (counting, { ad }) => {
    const body = { click: clickIdOf(ad), name: 'buy', order: `o${orders++}`, ...(value ? { value } : {}) }
    return countServerAction(counting.db, ad.cuid, body, counting.conversions)
  }
}

const KINDS: [name: string, report: Report][] = [
  ['impression', event('impression')],
  ['view', event('view')],
  ['click', event('click')],
  ['conversion', conversion()],
  ['conversion with value', conversion(19.9)],
]

/** Reports the events, so many at a time. */
async function reportAll(
  counting: Counting,
  events: AdEvent[],
  report: Report,
  atOnce: number,
): Promise<void> {
  for (let at = 0; at < events.length; at += atOnce)
    await Promise.all(events.slice(at, at + atOnce).map(one => report(counting, one)))
}

/** Impressions of ads that were served a moment ago. */
function impressions(): AdEvent[] {
  const nowMs = systemClock.nowMs()
  const servedS = Math.floor(nowMs / 1000) - 60
  return batchesOf(CAMPAIGNS, EVENTS)
    .flat()
    .map(one => ({ ...one, atMs: nowMs - 60_000, ad: { ...one.ad, servedS } as ServedAd }))
}

/** Impressions at random moments, whatever the answers to earlier ones take. */
async function trickle(counting: Counting, rate: number, batches: () => number, pid: number): Promise<void> {
  const events = impressions()
  const tookMs: number[] = []
  const underWay: Promise<unknown>[] = []
  const report = event('impression')
  const [startedMs, before, batchesBefore] = [performance.now(), postgresSeconds(pid), batches()]
  for (let dueMs = 0; dueMs < SECONDS * 1000; dueMs += (-Math.log(Math.random()) * 1000) / rate) {
    await sleep(Math.max(0, startedMs + dueMs - performance.now()))
    const sentMs = performance.now()
    const done = report(counting, events[underWay.length % events.length]!)
    underWay.push(done.then(() => tookMs.push(performance.now() - sentMs)))
  }
  await Promise.all(underWay)
  const count = Math.min(underWay.length, events.length)
  const seconds = postgresSeconds(pid) - before
  const sorted = tookMs.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!.toFixed(0)
  console.log(
    `${`impressions, ${rate} a second`.padEnd(34)} each ${((seconds / count) * 1e6).toFixed(0)} µs   ` +
      `in a batch ${(count / (batches() - batchesBefore)).toFixed(1)}   ` +
      `answered after ${at(0.5)} ms   p99 ${at(0.99)} ms   load ${loadavg()[0]!.toFixed(1)}`,
  )
}

async function main(): Promise<void> {
  await withBenchDatabase(async (url, _, pid) => {
    let batches = 0
    const counting = await startCounting({
      databaseUrl: url,
      clock: systemClock,
      wrapIngest: ingest => batch => {
        batches++
        return ingest(batch)
      },
    })
    for (const atOnce of AT_ONCE) {
      // Each kind follows the ones before it, of the same ads; the first round is a warm-up.
      for (const isMeasured of [false, true]) {
        const events = impressions()
        for (const [name, report] of KINDS) {
          const before = postgresSeconds(pid)
          await reportAll(counting, events, report, atOnce)
          const answered = postgresSeconds(pid)
          await foldAll(counting.db)
          const folded = postgresSeconds(pid)
          const micros = (seconds: number) => ((seconds / EVENTS) * 1e6).toFixed(0)
          if (!isMeasured) continue
          console.log(
            `${`${name}, ${atOnce} at once`.padEnd(34)} answered ${micros(answered - before)} µs   ` +
              `folded ${micros(folded - answered)} µs   load ${loadavg()[0]!.toFixed(1)}`,
          )
        }
      }
    }
    for (const rate of RATES) await trickle(counting, rate, () => batches, pid)
    await counting.stop()
  })
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
