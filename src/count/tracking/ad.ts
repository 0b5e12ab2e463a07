// One served ad as its links carry it: everything that tracking needs to count it, and nothing readable about the user.

import type { Place } from './places.ts'

/** A keyed 64-bit hash of the user, as two unsigned 32-bit halves. */
export interface UserHash {
  hi: number
  lo: number
}

export type DeviceName = 'mobile' | 'tablet' | 'desktop'

/** The position in this list is the number in the link: append only, at most 15 entries. */
export const OS_NAMES = ['Windows', 'macOS', 'Linux', 'Android', 'iOS', 'Chrome OS', 'other'] as const

export interface ServedAd {
  /** 12 random bytes as base64url: 16 characters. */
  adId: string
  servedS: number
  cuid: number
  cid: number
  fid: number
  pid: number
  bid: number
  sourceId: number
  /** The most that its impression may cost: the bid price. */
  priceMicros: number
  /** What its click costs; undefined: nothing. */
  clickMicros?: number
  /** How long the money stays reserved, in seconds. */
  ttlS: number
  /** The day whose budget pays (20261115, in the deployment's zone): the day on which the ad was served. */
  dayKey: number
  /** The node whose share of that budget pays; null in links made before there were shares. */
  nodeId: number | null
  /** Whether the flight has a total of its own, from which it pays. */
  flightPays: boolean
  user: UserHash | null
  /** Where it is shown; see places.ts. The name is included only if it is not known to be on disk. */
  placeHash: number | null
  placeName: Place | null
  /** The visitor who requested it; nobody else can report it (see visitor.ts). Null: anyone may. */
  networkHash: number | null
  agentHash: number | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** The region and city as a number (manage/reference/localities.ts); 0: unknown. */
  locality: number
  /** The page's category, the age band and the gender (audienceNumber() of codes.ts); 0: nothing is known. */
  audience: number
  device: DeviceName | null
  os: string | null
  /** A test, which is never billed. */
  test: boolean
  /** Whether the request came from another domain than the site's; then it is never billed. */
  foreignDomain: boolean
  /** The call that counts the impression; the other call is only evidence of rendering. */
  billsOn: 'pixel' | 'notice'
  /** Whether the call that counts may name the auction's price (exchanges); otherwise the reserved price is charged. */
  takesPrice: boolean
}

const AD_ID_BYTES = 12
export const AD_ID_CHARS = 16
const POOL_IDS = 4096

export function createAdIds(fillRandom: (pool: Buffer) => void): () => string {
  return createRandomIds(AD_ID_BYTES, fillRandom)
}

/** Takes ids from a pool of random bytes, because asking the operating system for each would cost more than signing. */
export function createRandomIds(idBytes: number, fillRandom: (pool: Buffer) => void): () => string {
  const pool = Buffer.alloc(idBytes * POOL_IDS)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      fillRandom(pool)
      used = 0
    }
    used += idBytes
    return pool.toString('base64url', used - idBytes, used)
  }
}

/** The click id: when the ad was served, and its id. The advertiser's page gets it as `mqclid` to report actions. */
export function clickIdOf(ad: Pick<ServedAd, 'servedS' | 'adId'>): string {
  const bytes = Buffer.allocUnsafe(4 + AD_ID_BYTES)
  bytes.writeUInt32BE(ad.servedS, 0)
  bytes.write(ad.adId, 4, 'base64url')
  return bytes.toString('base64url')
}

export function readClickId(text: string): Pick<ServedAd, 'servedS' | 'adId'> | null {
  if (!/^[\w-]{22}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  // An id has only one spelling: the two spare bits at its end are zero.
  if (bytes.toString('base64url') !== text) return null
  return { servedS: bytes.readUInt32BE(0), adId: bytes.toString('base64url', 4) }
}

/** The key of an ad in the database: the same bytes as 32 hexadecimal digits. */
export function adKeyOf({ servedS, adId }: Pick<ServedAd, 'servedS' | 'adId'>): string {
  return servedS.toString(16).padStart(8, '0') + Buffer.from(adId, 'base64url').toString('hex')
}

/** `ad` is the key as the database shows it, with dashes. */
export function readAdKey(ad: string): Pick<ServedAd, 'servedS' | 'adId'> {
  const digits = ad.replaceAll('-', '')
  return {
    servedS: Number.parseInt(digits.slice(0, 8), 16),
    adId: Buffer.from(digits.slice(8), 'hex').toString('base64url'),
  }
}

/** The smallest key of an ad that was served at that time. */
export function firstAdOf(servedMs: number): string {
  const servedS = Math.max(0, Math.floor(servedMs / 1000))
  return servedS.toString(16).padStart(8, '0').padEnd(32, '0')
}
