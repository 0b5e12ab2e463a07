// Ads of campaigns that win equally often, for the counting benches; and rows that wait to be folded.

import { randomFillSync } from 'node:crypto'
import { createAdIds, type ServedAd } from '../src/count/tracking/ad.ts'
import { AGE_BANDS, audienceNumber, GENDERS } from '../src/count/tracking/codes.ts'
import type { AdEvent } from '../src/count/tracking/event.ts'
import { createPlaces } from '../src/count/tracking/places.ts'
import { allCities } from '../src/manage/reference/cities.ts'
import { localityOf } from '../src/manage/reference/localities.ts'
import type { Database } from '../src/platform/database.ts'
import { seededRandom } from './bid-world.ts'

const BATCH = 500
const FILLED_AT_ONCE = 100_000
const EVENTS_PER_SECOND = 1000
const DOMAINS = 200
const CATEGORIES = 20
const CAMPAIGNS_OF_CUSTOMER = 100

const random = seededRandom(Number(process.env.SEED ?? 7))
const nextAdId = createAdIds(pool => void randomFillSync(pool))
export const places = createPlaces({ maxPlaces: 10_000 })
const firstS = Date.now() / 1000
let ads = 0
const TOWNS = allCities()
  .filter(city => city.region !== '')
  .slice(0, 50)
  .map(({ country, region, folded }) => ({ country, locality: localityOf(country, region, folded) }))
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!

function someAd(campaigns: number): ServedAd {
  const number = Math.floor(random() * campaigns)
  const cid = 1_000_000 + number * 10
  const placeHash = places.hashOf('domain', `site${Math.floor(random() ** 2 * DOMAINS)}.example`)
  const user =
    random() < 0.5 ? { hi: Math.floor(random() * 2 ** 32), lo: Math.floor(random() * 2 ** 32) } : null
  return {
    adId: nextAdId(),
    servedS: Math.floor(firstS + ads++ / EVENTS_PER_SECOND),
    cuid: 1000 + Math.floor(number / CAMPAIGNS_OF_CUSTOMER),
    ...{ cid, fid: cid + 1, pid: cid + 2, bid: cid + 3, sourceId: 3 },
    ...{
      priceMicros: 2000,
      ttlS: 300,
      nodeId: 0,
      flightPays: false,
      dayKey: Number(new Date().toISOString().slice(0, 10).replaceAll('-', '')),
    },
    ...{ user, placeHash, placeName: places.carriedNameOf(placeHash), networkHash: null, agentHash: null },
    ...pick(TOWNS),
    audience: audienceNumber({
      category: 1 + Math.floor(random() ** 2 * CATEGORIES),
      age: random() < 0.3 ? pick(AGE_BANDS) : null,
      gender: random() < 0.3 ? pick(GENDERS) : null,
    }),
    device: pick(['mobile', 'mobile', 'desktop', 'tablet'] as const),
    os: pick(['iOS', 'Android', 'Windows', 'macOS']),
    ...{ test: false, foreignDomain: false, billsOn: 'pixel', takesPrice: false },
  }
}

export function batchesOf(campaigns: number, events: number, nodeId = 0): AdEvent[][] {
  return Array.from({ length: events / BATCH }, () =>
    Array.from({ length: BATCH }, () => ({
      kind: 'impression' as const,
      ad: { ...someAd(campaigns), nodeId },
      atMs: Date.now(),
      spendMicros: 2000,
    })),
  )
}

/**
 * Adds this many rows to `fresh` as if they had been counted: for the same campaigns, spread over the quarter hours in
 * which they would come.
 */
export async function fillFresh(db: Database, rows: number): Promise<void> {
  for (let filled = 0; filled < rows; filled += FILLED_AT_ONCE)
    await fillSome(db, Math.min(FILLED_AT_ONCE, rows - filled), Math.floor(filled / EVENTS_PER_SECOND / 900))
}

/** `quarters` is added to the first quarter hour. */
async function fillSome(db: Database, rows: number, quarters: number): Promise<void> {
  await db.run(
    `insert into fresh (cuid, cid, leaf, place_hash, locality, action_hash, quarter, day, spend_micros, hour, country, audience,
       kind, device, os)
     select l.cuid, l.cid, l.leaf, coalesce(p.place_hash, 0), t.locality, 0,
       now.quarter + $2::integer, now.day, 2000, now.hour, 1 + town % 20,
       floor(random() ^ 2 * $5) * 16 + case when random() < 0.5 then floor(random() * 15) else 0 end,
       'i', (array['m', 'm', 'd', 't'])[1 + floor(random() * 4)]::"char",
       (array['i', 'a', 'w', 'm'])[1 + floor(random() * 4)]::"char"
     from (
       select n, floor(random() * (select count(*) from leaf)) as nth, floor(random() ^ 2 * $3) as site,
         floor(random() * 50)::integer as town
       from generate_series(1, $1::integer) n
     ) made
     join (select *, row_number() over () - 1 as nth from leaf) l using (nth)
     left join (select *, row_number() over () - 1 as site from place) p using (site)
     join unnest($4::bigint[]) with ordinality as t(locality, nth_town) on t.nth_town = town + 1
     cross join (select min(quarter) as quarter, max(day) as day, max(hour) as hour from fresh) now`,
    [rows, quarters, DOMAINS, TOWNS.map(town => town.locality), CATEGORIES],
  )
}
