// The size of figures on disk for a long tail: most campaigns win a few ads per day, each on another site, in another
// town, in another quarter hour. Prints bytes per event after folding and after packing. CAMPAIGNS=…, DAYS=… and
// EVENTS=… (per campaign and day, on average) change the size.

import { foldAll } from '../src/count/fold/fold.ts'
import { packAll } from '../src/count/pack/pack.ts'
import { type Database, openDatabase } from '../src/platform/database.ts'
import { migrate } from '../src/platform/migrate.ts'
import { withBenchDatabase } from './database.ts'

interface TailWorld {
  campaigns: number
  days: number
  /** Per campaign and day, on average; a tenth of the campaigns have nearly all of them. */
  events: number
}

const FOLDS_PER_DAY = 4
const CAMPAIGNS_OF_CUSTOMER = 100
const FIRST_DAY = '2026-03-01'
const TABLES = ['rollup', 'rollup_dimension', 'rollup_customer', 'rollup_packed', 'rollup_dimension_packed']

async function measureTail(db: Database, { campaigns, days, events }: TailWorld): Promise<void> {
  await db.run(
    `insert into leaf (cuid, cid, fid, pid, bid)
     select 1000000 + n / ${CAMPAIGNS_OF_CUSTOMER}, 2000000 + n, 3000000 + n, 4000000 + n, 5000000 + n
     from generate_series(1, $1::integer) n`,
    [campaigns],
  )
  await db.run('select setseed(0.5)')
  let counted = 0
  for (let part = 0; part < days * FOLDS_PER_DAY; part++) {
    counted += await fillTail(db, part, Math.round((campaigns * events) / FOLDS_PER_DAY))
    await foldAll(db)
  }
  console.log(
    `${campaigns} campaigns, ${days} days, ${(counted / campaigns / days).toFixed(1)} events of each and day`,
  )
  await weigh(db, 'folded', counted)
  await packAll(db, Date.parse(FIRST_DAY) + 200 * 86_400_000, 0)
  await weigh(db, 'packed', counted)
}

/** Adds the rows of a quarter of a day; few campaigns and sites have most of them. */
function fillTail(db: Database, part: number, rows: number): Promise<number> {
  return db.run(
    `insert into fresh (cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country,
       audience, kind, device, os)
     select l.cuid, l.cid, l.leaf, 1 + floor(random() ^ 2 * 200), 1 + floor(random() * 50), 0,
       quarter_number($2::date) + ${24 * 4} * ($3::integer / ${FOLDS_PER_DAY}) + quarter,
       $2::date + $3::integer / ${FOLDS_PER_DAY}, 2000, quarter / 4, 1 + floor(random() * 20),
       16 * floor(random() ^ 2 * 20) + case when random() < 0.5 then floor(random() * 15) else 0 end,
       case when random() < 0.01 then 'c' else 'i' end::"char",
       (array['m', 'm', 'd', 't'])[1 + floor(random() * 4)]::"char",
       (array['i', 'a', 'w', 'm'])[1 + floor(random() * 4)]::"char"
     from (
       select 1 + floor(random() ^ 3 * (select count(*) from leaf))::integer as nth,
         (24 * ($3::integer % ${FOLDS_PER_DAY}) + floor(random() * 24))::integer as quarter
       from generate_series(1, $1::integer)
     ) made join (select *, row_number() over (order by leaf) as nth from leaf) l using (nth)`,
    [rows, FIRST_DAY, part],
  )
}

async function weigh(db: Database, what: string, events: number): Promise<void> {
  for (const table of TABLES) await db.run(`vacuum (full, analyze) ${table}`)
  const sizes = await db.rows<{ name: string; bytes: number }>(
    `select name, pg_total_relation_size(name::regclass) as bytes from unnest($1::text[]) as t(name)`,
    [TABLES],
  )
  const sum = sizes.reduce((all, { bytes }) => all + bytes, 0)
  const parts = sizes.map(({ name, bytes }) => `${name} ${(bytes / events).toFixed(0)}`).join(', ')
  console.log(`${what.padEnd(8)} ${(sum / events).toFixed(0)} bytes per event (${parts})`)
}

async function main(): Promise<void> {
  const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise)
  const world = {
    campaigns: number('CAMPAIGNS', 1000),
    days: number('DAYS', 28),
    events: number('EVENTS', 30),
  }
  await withBenchDatabase(async url => {
    await migrate(url)
    const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
    await measureTail(db, world)
    await db.close()
  })
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
