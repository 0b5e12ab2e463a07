// The visitors of a sandbox: who they are, where and when they read, and what they do with an ad. Everything depends on
// a seed, so that the same seed gives the same people at the same times.

import { COUNTRIES } from '../manage/reference/countries.ts'
import { type Carried, type Carrying, carriedBy } from './attributes.ts'
import type { Mix } from './contract.ts'
import { type Home, homeNear } from './homes.ts'
import { createRandom, pickBy, type Random } from './random.ts'

export interface Visitor {
  id: string
  home: Home
  address: string
  device: Device
  gender: 'male' | 'female' | null
  age: number
  /** What the app knows of it; null: nothing. */
  attributes: Carried | null
}

type DeviceKind = 'mobile' | 'tablet' | 'desktop'

interface Device {
  kind: DeviceKind
  /** OpenRTB device type. */
  type: 2 | 4 | 5
  agent: string
  sizes: Record<string, number>
}

const DEVICES: Record<DeviceKind, Device> = {
  mobile: {
    kind: 'mobile',
    type: 4,
    agent:
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    sizes: { '300x250': 1, '320x50': 1 },
  },
  tablet: {
    kind: 'tablet',
    type: 5,
    agent:
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    sizes: { '300x250': 1, '728x90': 1 },
  },
  desktop: {
    kind: 'desktop',
    type: 2,
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    sizes: { '300x250': 2, '728x90': 1, '160x600': 1 },
  },
}

export const DEFAULTS = {
  countries: { CA: 1, DE: 1, GB: 1, US: 2 },
  devices: { mobile: 6, desktop: 3, tablet: 1 },
  categories: { IAB1: 1, IAB8: 1, IAB12: 2, IAB17: 2, IAB20: 1 },
  /** For all devices together. */
  sizes: { '300x250': 5, '320x50': 3, '728x90': 2, '160x600': 1 },
  users: 1_000,
  ctr: 0.01,
  cvr: 0.1,
  value: { from: 20, to: 220 },
}
const SITES = ['headlines.example', 'kitchen.example', 'sports.example', 'travel.example']
const ALPHA3 = new Map(COUNTRIES.map(({ code, alpha3 }) => [code, alpha3]))

/** How busy each hour of the local day is, and each day of the week, beginning with Sunday. */
const HOURS = [3, 2, 1, 1, 1, 2, 4, 6, 7, 7, 7, 7, 8, 8, 7, 7, 7, 8, 9, 10, 11, 10, 8, 5]
const DAYS = [8, 10, 10, 10, 10, 9, 7]

export function busyness(wallMs: number): number {
  const wall = new Date(wallMs)
  return HOURS[wall.getUTCHours()]! * DAYS[wall.getUTCDay()]!
}

/** The n-th visitor, always the same. */
export function visitorOf(seed: string, n: number, mix: Mix, carrying: Carrying | null): Visitor {
  const random = createRandom(`${seed} visitor ${n}`)
  const kind = pickBy(mix.devices ?? DEFAULTS.devices, random) as DeviceKind
  const place = pickBy(mix.places ?? mix.countries ?? DEFAULTS.countries, random)
  const gender = random()
  return {
    id: `visitor-${n}`,
    home: homeNear(place, createRandom(`${seed} home ${n}`)),
    device: DEVICES[kind],
    // Each visitor has its own address, in its own network as long as there are enough.
    address: `${11 + (n % 89)}.${Math.floor(n / 89) % 250}.${Math.floor(n / 22_250) % 250}.${1 + (n % 250)}`,
    gender: gender < 0.2 ? null : gender < 0.6 ? 'female' : 'male',
    age: 16 + Math.floor(random() * 55),
    attributes: carrying && carriedBy(carrying, createRandom(`${seed} attributes ${n}`)),
  }
}

export interface Asking {
  visitor: Visitor
  mix: Mix
  sites: string[] | undefined
  nowMs: number
  random: Random
}

export function sizeFor({ visitor, mix, random }: Asking): string {
  return pickBy(mix.sizes ?? visitor.device.sizes, random)
}

/** An OpenRTB 2.6 bid request. */
export function bidRequest(asking: Asking, currency: string, id: string): object {
  const { visitor, mix, sites = SITES, nowMs, random } = asking
  const [w, h] = sizeFor(asking).split('x').map(Number)
  const domain = sites[Math.floor(random() * sites.length)]!
  const cat = [pickBy(mix.categories ?? DEFAULTS.categories, random)]
  return {
    id,
    at: 1,
    cur: [currency],
    imp: [{ id: '1', banner: { format: [{ w, h }] } }],
    site: {
      ...{ domain, page: `https://${domain}/`, cat },
      ...(visitor.attributes ? { ext: { data: visitor.attributes } } : {}),
    },
    device: {
      ua: visitor.device.agent,
      ip: visitor.address,
      devicetype: visitor.device.type,
      geo: { ...visitor.home, country: ALPHA3.get(visitor.home.country), type: 1 },
    },
    user: {
      id: visitor.id,
      yob: new Date(nowMs).getUTCFullYear() - visitor.age,
      ...(visitor.gender ? { gender: visitor.gender === 'male' ? 'M' : 'F' } : {}),
    },
  }
}

/** The body of `POST /ad`, as the server of a site sends it. */
export function tagRequest(asking: Asking, serverKey: string, domain: string): object {
  const { visitor, mix, random } = asking
  return {
    source: serverKey,
    size: sizeFor(asking),
    page: `https://${domain}/`,
    cat: [pickBy(mix.categories ?? DEFAULTS.categories, random)],
    ip: visitor.address,
    ua: visitor.device.agent,
    geo: visitor.home,
    device: visitor.device.kind,
    user: { id: visitor.id, gender: visitor.gender, age: visitor.age },
    ...(visitor.attributes ? { attributes: visitor.attributes } : {}),
  }
}
