// The worlds of the "whole" bench: a campaign for each of many towns, so that the request decides who wins, and what
// exchanges, pages and servers of sites send and report about an ad there.

import { allCities, type City } from '../src/manage/reference/cities.ts'
import { COUNTRIES } from '../src/manage/reference/countries.ts'
import type { Database } from '../src/platform/database.ts'
import type { FirstCredentials } from '../src/service/first-start.ts'
import { seededRandom } from './bid-world.ts'
import type { Load } from './side-by-side.ts'

export interface World {
  name: string
  connections: number
  /** The cap of each campaign, per user and day; 0: no cap. */
  freq: number
  /** A request for an ad in this town. */
  ask(town: City): Ask
}

/** A request, and the report that follows its answer. */
export interface Ask {
  load: Load
  report(answer: Answer): Load
}

export interface Answer {
  status: number
  text: string
  cookie: string | null
}

interface Visitor {
  address: string
  agent: string
  isMobile: boolean
  cookie: string | null
}

export const BENCH_SITE = 'news.example'
const PAGE = `https://${BENCH_SITE}/section/article-1234.html`
const VISITORS = 20_000
const MANY_CONNECTIONS = 128
/** The server of a site keeps few connections open. */
const SERVER_CONNECTIONS = 32
const FREQ = 20
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const DESKTOP =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const ALPHA3 = new Map(COUNTRIES.map(country => [country.code, country.alpha3]))

export function worldsOf({ bidUrl, siteKey, serverKey }: FirstCredentials): World[] {
  return [exchange(new URL(bidUrl).pathname), pages(siteKey), servers(serverKey)]
}

/** Bid requests, and their billing notices. */
function exchange(path: string): World {
  const random = benchRandom()
  const headers = { 'content-type': 'application/json', 'x-openrtb-version': '2.6' }
  return {
    name: 'bids',
    connections: MANY_CONNECTIONS,
    freq: 0,
    ask: town => ({
      load: { method: 'POST', path, headers, body: bidRequest(town, random) },
      report: ({ text }) => {
        const { pathname } = new URL(JSON.parse(text).seatbid[0].bid[0].burl)
        return { method: 'GET', path: `${pathname}?p=1.5`, headers: {} }
      },
    }),
  }
}

/** Tags in pages: browsers behind a proxy that keep the cookie they get. */
function pages(source: string): World {
  const random = benchRandom()
  const visitors = visitorsBy(random)
  return {
    name: 'tags in pages',
    connections: MANY_CONNECTIONS,
    freq: 0,
    ask(town) {
      const visitor = pick(random, visitors)
      const body = JSON.stringify({ source, size: '300x250', page: PAGE, geo: placeOf(town) })
      return {
        load: { method: 'POST', path: '/ad', headers: { ...browserOf(visitor), ...JSON_OF_PAGE }, body },
        report(answer) {
          if (answer.cookie !== null) visitor.cookie = answer.cookie.split(';')[0]!
          return pixelOf(answer, visitor)
        },
      }
    },
  }
}

/** Servers of a site that request ads for their visitors, from campaigns with a cap; the browsers load the pixels. */
function servers(source: string): World {
  const random = benchRandom()
  const visitors = visitorsBy(random)
  const headers = { 'content-type': 'application/json', 'user-agent': 'site/1.0' }
  return {
    name: 'tags of servers, capped',
    connections: SERVER_CONNECTIONS,
    freq: FREQ,
    ask(town) {
      const visitor = pick(random, visitors)
      const body = JSON.stringify({
        source,
        size: '300x250',
        page: PAGE,
        geo: placeOf(town),
        ip: visitor.address,
        ua: visitor.agent,
        user: { id: `user-${visitor.address}` },
      })
      return {
        load: { method: 'POST', path: '/ad', headers, body },
        report: answer => pixelOf(answer, visitor),
      }
    },
  }
}

const JSON_OF_PAGE = { 'content-type': 'text/plain;charset=UTF-8' }

function browserOf({ address, agent, cookie }: Visitor): Record<string, string> {
  const headers: Record<string, string> = {
    'user-agent': agent,
    accept: '*/*',
    'accept-language': 'en-GB,en;q=0.9',
    'accept-encoding': 'gzip, deflate, br, zstd',
    origin: `https://${BENCH_SITE}`,
    referer: `https://${BENCH_SITE}/`,
    'sec-fetch-site': 'cross-site',
    'x-forwarded-for': address,
  }
  if (cookie !== null) headers.cookie = cookie
  return headers
}

function pixelOf({ text }: Answer, visitor: Visitor): Load {
  const { pathname } = new URL(JSON.parse(text).ad.impression)
  return { method: 'GET', path: pathname, headers: browserOf(visitor) }
}

function visitorsBy(random: () => number): Visitor[] {
  return Array.from({ length: VISITORS }, (_, n) => {
    const isMobile = random() < 0.6
    // Most of 81.0.0.0/8 is in use, in many countries.
    const address = `81.${n >> 8}.${n & 255}.${1 + Math.floor(random() * 250)}`
    return { address, agent: isMobile ? PHONE : DESKTOP, isMobile, cookie: null }
  })
}

function placeOf({ country, region, name }: City) {
  return { country, region, city: name }
}

function bidRequest(town: City, random: () => number): string {
  const isMobile = random() < 0.6
  return JSON.stringify({
    id: `5f0ad9c6e1b74e9bb5c3${Math.floor(random() * 1e9)}`,
    at: 1,
    tmax: 250,
    cur: ['USD'],
    imp: [{ id: '1', bidfloor: 0.05, banner: { format: [{ w: 300, h: 250 }] } }],
    site: {
      domain: `site${Math.floor(random() ** 2 * 200)}.example`,
      page: PAGE,
      cat: ['IAB12'],
    },
    device: {
      ua: isMobile ? PHONE : DESKTOP,
      ip: '203.0.113.77',
      devicetype: isMobile ? 4 : 2,
      geo: { country: ALPHA3.get(town.country), region: town.region, city: town.name },
    },
    user: { id: `user-${Math.floor(random() * 100_000)}` },
  })
}

function benchRandom(): () => number {
  return seededRandom(Number(process.env.SEED ?? 7))
}

function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!
}

export function someTowns(count: number): City[] {
  const named = allCities()
    .filter(city => city.region !== '' && ALPHA3.has(city.country))
    .map(city => [`${city.country}-${city.region}-${city.name}`, city] as const)
  return [...new Map(named).values()].slice(0, count)
}

/** One campaign for each of these towns, and the site to which the pages belong. */
export async function fill(db: Database, towns: City[], freq: number): Promise<void> {
  const [app] = await db.rows<{ app_id: number }>('select app_id from app')
  await db.run("update source set domain = $1 where kind = 'site'", [BENCH_SITE])
  await db.run(
    `with customer as (
       insert into customer (app_id, company, email, email_key, created_at, updated_at)
       select $1, 'Bench', 'b' || i, 'b' || i, now(), now() from generate_series(1, 10) i returning cuid
     ), owner as (
       select cuid, row_number() over () - 1 as n from customer
     ), wanted as (
       select nextval('ids') as cid, nextval('ids') as pid, place, n from unnest($2::text[]) with ordinality as t(place, n)
     ), campaign as (
       insert into campaign (cid, cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
         pacing, created_at, updated_at)
       select cid, cuid, 'c', now() - interval '1 hour', now() + interval '30 days', true, $3, 1000000000000, 2000000,
         '{}', 'asap', now(), now() from wanted join owner on owner.n = wanted.n % 10
     ), flight as (
       insert into flight (cid, is_default, name, created_at, updated_at) select cid, true, 'f', now(), now() from wanted
     ), persona as (
       insert into persona (pid, cid, name, geo, cat, device, demo, created_at, updated_at)
       select pid, cid, 'p', jsonb_build_object('geos', jsonb_build_array(place)), '{}',
         '{"mobile": true, "tablet": true, "desktop": true}', '{"gender": null, "age": null}', now(), now() from wanted
     )
     insert into banner (pid, name, creative_url, click_url, width, height, type, bytes, creative_name, status, created_at,
       updated_at)
     select pid, 'b', 'https://x.example/a.png', 'https://shop.example/', 300, 250, 'image/png', 1000,
       md5(pid::text) || md5(cid::text) || '.png', 'approved', now(), now() from wanted`,
    [app!.app_id, towns.map(town => `${town.country}-${town.region}-${town.name}`), freq],
  )
}
