// An invented world of campaigns in the database and of bid requests: real cities, most of them in five countries, and
// targeting as advertisers choose it.

import { AD_SIZES } from '../src/manage/reference/ad-sizes.ts'
import { allCities, type City } from '../src/manage/reference/cities.ts'
import { COUNTRIES } from '../src/manage/reference/countries.ts'
import { iabTree } from '../src/manage/reference/iab.ts'
import type { Database } from '../src/platform/database.ts'

type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const BIG_COUNTRIES = new Set(['US', 'CA', 'GB', 'DE', 'FR'])
const PERSONAS_A_CAMPAIGN = 10
/** Higher than any number that the sequence will reach. */
const FIRST_CID = 10_000_000
const BATCH = 5_000
const CODES = iabTree().flatMap(branch => [branch.code, ...branch.children.map(child => child.code)])

const ALPHA3 = new Map(COUNTRIES.map(country => [country.code, country.alpha3]))

const cities = allCities().filter(city => city.region !== '')
const big = cities.filter(city => BIG_COUNTRIES.has(city.country))

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!
}

function randomCity(random: Random): City {
  return pick(random, random() < 0.6 ? big : cities)
}

function randomGeo(random: Random): object {
  const { country, region, name, lat, lon } = randomCity(random)
  const kind = random()
  if (kind < 0.34) return { geos: [country] }
  if (kind < 0.6) return { geos: [`${country}-${region}`] }
  if (kind < 0.85) return { geos: [`${country}-${region}-${name}`] }
  return { radius: Math.round(500 + random() * 49_500), geocode: [lat, lon] }
}

function randomPersona(random: Random, firstCid: number, n: number) {
  const has = (share: number) => random() < share
  const device = { mobile: has(0.7), tablet: has(0.6), desktop: has(0.7) }
  if (!device.mobile && !device.tablet) device.desktop = true
  const gender = has(0.2) ? { male: has(0.5), female: true, unknown: has(0.5) } : null
  const age = has(0.2) ? { '13to17': false, '18to34': true, '35to49': has(0.5), '50+': has(0.3) } : null
  const size = pick(random, AD_SIZES)
  return {
    cid: firstCid + Math.floor(n / PERSONAS_A_CAMPAIGN),
    geo: randomGeo(random),
    cat: has(0.7) ? Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, CODES)) : [],
    device,
    demo: { gender, age },
    width: size.width,
    height: size.height,
  }
}

/** Campaigns with ten personas each and one banner per persona, all live. */
export async function fillWithPersonas(db: Database, count: number, random: Random): Promise<void> {
  const [app] = await db.rows<{ app_id: number }>('select app_id from app')
  const customer = await db.row<{ cuid: number }>(
    `insert into customer (app_id, company, email, email_key, created_at, updated_at)
     values ($1, 'Bench', 'b@bench.example', 'b@bench.example', now(), now()) returning cuid`,
    [app!.app_id],
  )
  const campaigns = Math.ceil(count / PERSONAS_A_CAMPAIGN)
  await db.run(
    `with made as (
       insert into campaign (cid, cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
         pacing, created_at, updated_at)
       select $3 + i, $1, 'c' || i, now() - interval '1 hour', now() + interval '30 days', true, 0, 1000000000000,
         10000 * (50 + i % 700), '{}', 'asap', now(), now() from generate_series(0, $2::integer - 1) i returning cid
     )
     insert into flight (cid, is_default, name, created_at, updated_at) select cid, true, 'f', now(), now() from made`,
    [customer!.cuid, campaigns, FIRST_CID],
  )
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) =>
      randomPersona(random, FIRST_CID, from + n),
    )
    await db.run(
      `with wanted as (
         select nextval('ids') as pid, r.* from jsonb_to_recordset($1::jsonb)
           as r(cid bigint, geo jsonb, cat text[], device jsonb, demo jsonb, width integer, height integer)
       ), personas as (
         insert into persona (pid, cid, name, geo, cat, device, demo, created_at, updated_at)
         select pid, cid, 'p', geo, cat, device, demo, now(), now() from wanted
       )
       insert into banner (pid, name, creative_url, click_url, width, height, type, bytes, creative_name, status,
         created_at, updated_at)
       select pid, 'b', 'https://x.example/a.png', 'https://shop' || cid || '.example.com/landing', width, height,
         'image/png', 1000, md5(pid::text) || md5(cid::text) || '.png', 'approved', now(), now() from wanted`,
      [JSON.stringify(batch)],
    )
  }
  for (const table of ['campaign', 'flight', 'persona', 'banner']) await db.run(`analyze ${table}`)
}

export function randomBidRequests(count: number, random: Random): object[] {
  return Array.from({ length: count }, (_, n) => randomBidRequest(String(n), random))
}

function randomBidRequest(id: string, random: Random): object {
  const city = randomCity(random)
  const mobile = random() < 0.6
  const size = pick(random, AD_SIZES)
  const other = pick(random, AD_SIZES)
  return {
    id: `${id}-5f0ad9c6e1b74e9bb5c3`,
    at: 1,
    tmax: 250,
    cur: ['USD'],
    imp: [
      {
        id: '1',
        tagid: 'top-of-page',
        bidfloor: 0.05,
        bidfloorcur: 'USD',
        banner: {
          pos: 1,
          format: [
            { w: size.width, h: size.height },
            { w: other.width, h: other.height },
          ],
        },
      },
    ],
    site: {
      id: '102855',
      domain: 'news.example',
      page: 'https://news.example/section/article-1234.html',
      cat: [pick(random, CODES), pick(random, CODES)],
      publisher: { id: '8953', name: 'news.example', domain: 'news.example' },
    },
    device: {
      ua: mobile
        ? 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
        : 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      ip: '203.0.113.77',
      devicetype: mobile ? 4 : 2,
      geo: {
        country: ALPHA3.get(city.country),
        region: city.region,
        city: city.name,
        lat: city.lat,
        lon: city.lon,
      },
    },
    user: {
      id: `user-${Math.floor(random() * 100_000)}`,
      ...(random() < 0.5
        ? { gender: random() < 0.5 ? 'M' : 'F', yob: 1960 + Math.floor(random() * 45) }
        : {}),
    },
    bcat: ['IAB25', 'IAB26', 'IAB7-39', 'IAB8-18', 'IAB8-5', 'IAB9-9'],
    badv: ['blocked-one.example', 'blocked-two.example', 'blocked-three.example'],
  }
}
