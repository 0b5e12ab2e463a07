// The demo's visitors: where they are, which devices they use, what they read and how they behave.

import { randomUUID } from 'node:crypto'

export type Random = () => number

export interface Visitor {
  id: string
  place: Place
  device: Device
  gender: 'male' | 'female' | null
  age: number | null
}

interface Place {
  country: string
  alpha3: string
  region: string
  city: string
  lat: number
  lon: number
}

interface Device {
  kind: 'mobile' | 'tablet' | 'desktop'
  /** OpenRTB device type. */
  type: 2 | 4 | 5
  os: string
  agent: string
  sizes: string[]
}

export interface Page {
  domain?: string
  app?: { name: string; bundle: string }
  cat: string[]
}

const PLACES: Place[] = [
  { country: 'CA', alpha3: 'CAN', region: 'ON', city: 'Toronto', lat: 43.6532, lon: -79.3832 },
  { country: 'CA', alpha3: 'CAN', region: 'ON', city: 'Ottawa', lat: 45.4215, lon: -75.6972 },
  { country: 'US', alpha3: 'USA', region: 'NY', city: 'New York', lat: 40.7128, lon: -74.006 },
  { country: 'US', alpha3: 'USA', region: 'WA', city: 'Seattle', lat: 47.6062, lon: -122.3321 },
  { country: 'DE', alpha3: 'DEU', region: 'BE', city: 'Berlin', lat: 52.5163, lon: 13.3777 },
  { country: 'DE', alpha3: 'DEU', region: 'BB', city: 'Potsdam', lat: 52.3906, lon: 13.0645 },
  { country: 'GB', alpha3: 'GBR', region: 'LND', city: 'London', lat: 51.5074, lon: -0.1278 },
  { country: 'FR', alpha3: 'FRA', region: 'IDF', city: 'Paris', lat: 48.8566, lon: 2.3522 },
]

const DEVICES: Device[] = [
  {
    kind: 'mobile',
    type: 4,
    os: 'Android',
    agent:
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    sizes: ['320x50', '300x250'],
  },
  {
    kind: 'mobile',
    type: 4,
    os: 'iOS',
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    sizes: ['320x50', '300x250'],
  },
  {
    kind: 'tablet',
    type: 5,
    os: 'iOS',
    agent:
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    sizes: ['300x250', '728x90'],
  },
  {
    kind: 'desktop',
    type: 2,
    os: 'Windows',
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    sizes: ['300x250', '728x90', '160x600'],
  },
  {
    kind: 'desktop',
    type: 2,
    os: 'macOS',
    agent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    sizes: ['300x250', '728x90', '160x600'],
  },
]

/** The pages that the exchange sells. */
const PAGES: Page[] = [
  { domain: 'velo-news.example', cat: ['IAB17-3'] },
  { domain: 'kitchen-table.example', cat: ['IAB8'] },
  { domain: 'headlines.example', cat: ['IAB12'] },
  { domain: 'city-trips.example', cat: ['IAB20'] },
  { app: { name: 'Ride along', bundle: 'com.example.ridealong' }, cat: ['IAB17-3'] },
  { app: { name: 'Daily bread', bundle: 'com.example.dailybread' }, cat: ['IAB8', 'IAB12'] },
]

/** The pages of our own site. */
const OWN_PAGES: Page[] = [
  { domain: 'localhost', cat: ['IAB17-3'] },
  { domain: 'localhost', cat: ['IAB8'] },
  { domain: 'localhost', cat: ['IAB12'] },
]

export const BOT_AGENT = 'Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example/about)'

export function makePublic(count: number, random: Random): Visitor[] {
  return Array.from({ length: count }, () => ({
    id: randomUUID(),
    place: pick(PLACES, random),
    device: pick(DEVICES, random),
    gender: random() < 0.3 ? null : random() < 0.5 ? 'female' : 'male',
    age: random() < 0.3 ? null : 16 + Math.floor(random() * 55),
  }))
}

export function pickPage(own: boolean, random: Random): Page {
  return pick(own ? OWN_PAGES : PAGES, random)
}

export function pick<T>(items: T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!
}

/** The body of `POST /ad`. */
export function tagRequest(source: string, visitor: Visitor, page: Page, random: Random): object {
  const { country, region, city, lat, lon } = visitor.place
  return {
    source,
    size: pick(visitor.device.sizes, random),
    page: `http://${page.domain}/story/${Math.floor(random() * 50)}`,
    cat: page.cat,
    ua: visitor.device.agent,
    geo: { country, region, city, lat, lon },
    device: visitor.device.kind,
    user: { id: visitor.id, gender: visitor.gender, age: visitor.age },
  }
}

/** An OpenRTB 2.6 bid request. */
export function bidRequest(
  visitor: Visitor,
  page: Page,
  currency: string,
  nowMs: number,
  random: Random,
): object {
  const { alpha3, region, city, lat, lon } = visitor.place
  const [w, h] = pick(visitor.device.sizes, random).split('x').map(Number)
  const gender = visitor.gender && { gender: visitor.gender === 'male' ? 'M' : 'F' }
  const born = visitor.age && { yob: new Date(nowMs).getUTCFullYear() - visitor.age }
  return {
    id: randomUUID(),
    at: 1,
    tmax: 300,
    cur: [currency],
    imp: [{ id: '1', banner: { format: [{ w, h }] }, bidfloor: 0.5, bidfloorcur: currency }],
    ...(page.domain
      ? { site: { domain: page.domain, page: `https://${page.domain}/`, cat: page.cat } }
      : { app: { ...page.app, cat: page.cat } }),
    device: {
      ua: visitor.device.agent,
      devicetype: visitor.device.type,
      os: visitor.device.os,
      geo: { country: alpha3, region, city, lat, lon, type: 1 },
    },
    user: { id: visitor.id, ...gender, ...born },
  }
}
