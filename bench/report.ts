// GET /report of a reseller with 10,000 customers and 30 days each: through the whole stack, against the plain query
// that somebody would write by hand, over the same connection pool; and the longest time that it keeps others waiting.

import { loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Database } from '../src/platform/database.ts'
import { withBenchDatabase } from './database.ts'
import { benchService } from './marquee.ts'
import { median } from './side-by-side.ts'

const CUSTOMERS = Number(process.env.CUSTOMERS ?? 10_000)
const DAYS = 30
const ROUNDS = Number(process.env.ROUNDS ?? 15)
/** How many times as long as the query alone the whole call may take. */
const MAX_RATIO = 3

/** The plain queries, by customer, and by customer and day. */
const PLAIN: Record<string, string> = {
  customer: `select cuid, company, sum(imps) as imps, sum(views) as views, sum(clicks) as clicks, sum(actions) as actions,
      sum(spend_micros) as spend
    from rollup_customer join customer using (cuid) where app_id = $1 group by cuid, company order by cuid`,
  'customer,day': `select cuid, company, day::text, sum(imps) as imps, sum(views) as views, sum(clicks) as clicks,
      sum(actions) as actions, sum(spend_micros) as spend
    from rollup_customer join customer using (cuid) where app_id = $1 group by cuid, company, day order by cuid, day`,
}

async function main(): Promise<void> {
  await withBenchDatabase(async (url, dataDir) => {
    const service = await benchService(url, dataDir)
    try {
      const [app] = await service.db.rows<{ app_id: number }>('select app_id from app')
      await customersWithFigures(service.db, app!.app_id)
      const url = await service.listen()
      const { superkey, supertoken } = service.firstCredentials!
      const headers = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
      for (const [by, sql] of Object.entries(PLAIN)) {
        // Both are written and read as JSON.
        const plain = async () => {
          const text = JSON.stringify(await service.db.rows(sql, [app!.app_id]))
          return (JSON.parse(text) as unknown[]).length
        }
        const whole = async () => {
          const answer = await service.api.fastify.inject({ url: `/report?by=${by}`, headers })
          if (answer.statusCode !== 200) throw new Error(answer.body)
          return (answer.json() as { rows: unknown[] }).rows.length
        }
        await watch(by, `${url}/report?by=${by}`, headers)
        await compare(by, plain, whole)
      }
    } finally {
      await service.stop()
    }
  })
}

/** Measures both in turns, because the machine is noisy. */
async function compare(
  by: string,
  plain: () => Promise<number>,
  whole: () => Promise<number>,
): Promise<void> {
  const times = { plain: [] as number[], whole: [] as number[] }
  for (let round = -2; round < ROUNDS; round++) {
    const [plainMs, plainRows] = await timed(plain)
    const [wholeMs, wholeRows] = await timed(whole)
    if (plainRows !== wholeRows) throw new Error(`${wholeRows} rows instead of ${plainRows}`)
    if (round < 0) continue // the first rounds warm up
    times.plain.push(plainMs)
    times.whole.push(wholeMs)
  }
  const [plainMs, wholeMs] = [median(times.plain), median(times.whole)]
  const ratio = wholeMs / plainMs
  const verdict = ratio <= MAX_RATIO ? 'ok' : 'ABOVE TARGET'
  console.log(
    `report by ${by.padEnd(14)} ${CUSTOMERS} customers   plain query ${plainMs.toFixed(0)} ms   GET /report ${wholeMs.toFixed(0)} ms   ` +
      `ratio ${ratio.toFixed(2)}   target ${MAX_RATIO.toFixed(2)}   ${verdict}   load ${loadavg()[0]!.toFixed(1)}`,
  )
  if (ratio > MAX_RATIO) process.exitCode = 1
}

/** Reads two reports at once over a socket: prints the longest block of the event loop, and the memory used. */
async function watch(by: string, url: string, headers: Record<string, string>): Promise<void> {
  const lag = monitorEventLoopDelay({ resolution: 1 })
  let mostBytes = 0
  const before = process.memoryUsage().rss
  const look = setInterval(() => {
    mostBytes = Math.max(mostBytes, process.memoryUsage().rss - before)
  }, 20)
  lag.enable()
  const read = async () => {
    let bytes = 0
    for await (const chunk of (await fetch(url, { headers })).body!) bytes += chunk.length
    return bytes
  }
  const [bytes] = await Promise.all([read(), read()])
  lag.disable()
  clearInterval(look)
  console.log(
    `report by ${by.padEnd(14)} two at once of ${(bytes! / 1e6).toFixed(1)} MB   longest block ${(lag.max / 1e6).toFixed(0)} ms   ` +
      `99 % under ${(lag.percentile(99) / 1e6).toFixed(0)} ms   memory +${(mostBytes / 1e6).toFixed(0)} MB`,
  )
}

async function timed(work: () => Promise<number>): Promise<[number, number]> {
  const began = performance.now()
  const rows = await work()
  return [performance.now() - began, rows]
}

/** Each customer has one campaign, which delivered every day. */
async function customersWithFigures(db: Database, appId: number): Promise<void> {
  await db.run(
    `with people as (
       insert into customer (app_id, company, email, email_key, created_at, updated_at)
       select $1, 'Bench ' || n, 'b' || n || '@b.example', 'b' || n || '@b.example', now(), now() from generate_series(1, $2::integer) n
       returning cuid
     ), made as (
       insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing,
         created_at, updated_at)
       select cuid, 'bench', now(), now() + interval '1 day', true, 0, 1000000, 2000000, '{}', 'even', now(), now()
       from people returning cuid, cid
     )
     insert into rollup_customer (cuid, day, cid, pid, spend_micros, imps, views, clicks, actions)
     select cuid, date '2026-01-01' + d, cid, cid, 2000, 1000, 0, 1, 0 from made, generate_series(0, $3::integer - 1) d`,
    [appId, CUSTOMERS, DAYS],
  )
  await db.run('vacuum analyze rollup_customer')
  await db.run('vacuum analyze customer')
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
