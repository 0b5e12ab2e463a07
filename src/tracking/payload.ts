// The bytes of a link, without its signature: numbers as varints, ids as distances from the campaign's.
// What concerns the user and the page is masked by the caller's key stream, so that it tells outsiders nothing and
// links of one user have nothing in common.
// Version 2 has a second byte of flags. Links of version 1 are read as well: an older process may have made them.

import { type DeviceName, OS_NAMES, type ServedAd } from './ad.ts'

const VERSION = 2
const FIRST_VERSION = 1
const MAX_BYTES = 126
const AD_ID_BYTES = 12
const USER_BYTES = 8
const PLACE_BYTES = 6
const MARK_BYTES = 3
const CONTEXT_BYTES = 2
const DAY_S = 86_400

const FLAG = { test: 1, foreign: 2, onPixel: 4, takesPrice: 8, user: 16, place: 32 } as const
/** What a link may hold since version 2; append only. */
const MORE = { network: 1, agent: 2 } as const
const DEVICES: readonly (DeviceName | null)[] = [null, 'mobile', 'tablet', 'desktop']
const LETTER_A = 65

/** 32 bytes, a character each, that only the holder of the key can make, other ones for each ad. */
export type MaskOf = (adId: string) => string

interface Cursor {
  bytes: Buffer
  at: number
}

const scratch = Buffer.alloc(MAX_BYTES)

/** As base64url text whose length is a multiple of 4, so that a signature can simply follow. */
export function writePayload(ad: ServedAd, keyId: number, mask: string): string {
  const to: Cursor = { bytes: scratch, at: 0 }
  scratch[to.at++] = VERSION
  writeVarint(to, keyId)
  scratch.writeUInt32BE(ad.servedS, to.at)
  to.at += 4
  scratch.write(ad.adId, to.at, AD_ID_BYTES, 'base64url')
  to.at += AD_ID_BYTES
  writeVarint(to, ad.cid)
  writeSigned(to, ad.cuid - ad.cid)
  writeSigned(to, ad.fid - ad.cid)
  writeSigned(to, ad.pid - ad.cid)
  writeSigned(to, ad.bid - ad.cid)
  writeVarint(to, ad.sourceId)
  writeVarint(to, ad.priceMicros)
  writeVarint(to, ad.ttlS)
  writeSigned(to, dayNumber(ad.dayKey) - Math.floor(ad.servedS / DAY_S))
  scratch[to.at++] = flagsOf(ad)
  scratch[to.at++] = moreOf(ad)
  writeMasked(to, ad, mask)
  while (to.at % 3 !== 0) scratch[to.at++] = 0
  return scratch.toString('base64url', 0, to.at)
}

function flagsOf(ad: ServedAd): number {
  return (
    (ad.test ? FLAG.test : 0) |
    (ad.foreignDomain ? FLAG.foreign : 0) |
    (ad.billsOn === 'pixel' ? FLAG.onPixel : 0) |
    (ad.takesPrice ? FLAG.takesPrice : 0) |
    (ad.user ? FLAG.user : 0) |
    (ad.placeHash === null ? 0 : FLAG.place)
  )
}

function moreOf(ad: ServedAd): number {
  return (ad.networkHash === null ? 0 : MORE.network) | (ad.agentHash === null ? 0 : MORE.agent)
}

function writeMasked(to: Cursor, ad: ServedAd, mask: string): void {
  const start = to.at
  if (ad.user) {
    scratch.writeUInt32BE(ad.user.hi, to.at)
    scratch.writeUInt32BE(ad.user.lo, to.at + 4)
    to.at += USER_BYTES
  }
  if (ad.placeHash !== null) to.at = scratch.writeUIntBE(ad.placeHash, to.at, PLACE_BYTES)
  if (ad.networkHash !== null) to.at = scratch.writeUIntBE(ad.networkHash, to.at, MARK_BYTES)
  if (ad.agentHash !== null) to.at = scratch.writeUIntBE(ad.agentHash, to.at, MARK_BYTES)
  scratch.writeUInt16BE(contextOf(ad), to.at)
  to.at += CONTEXT_BYTES
  applyMask(scratch, start, to.at, mask)
}

function applyMask(bytes: Buffer, from: number, to: number, mask: string): void {
  for (let i = from; i < to; i++) bytes[i] = bytes[i]! ^ mask.charCodeAt(i - from)
}

/** 10 bits country, 2 bits device, 4 bits operating system; 0 is unknown everywhere. */
function contextOf(ad: ServedAd): number {
  const os = OS_NAMES.indexOf(ad.os as (typeof OS_NAMES)[number]) + 1
  return (countryNumber(ad.country) << 6) | (DEVICES.indexOf(ad.device) << 4) | os
}

function countryNumber(country: string | null): number {
  if (country === null || !/^[A-Z]{2}$/.test(country)) return 0
  return 1 + (country.charCodeAt(0) - LETTER_A) * 26 + country.charCodeAt(1) - LETTER_A
}

function countryName(number: number): string | null {
  if (number === 0) return null
  return String.fromCharCode(LETTER_A + Math.floor((number - 1) / 26), LETTER_A + ((number - 1) % 26))
}

/** Which key signed; null for what can be no payload of ours. To be asked before anything is believed. */
export function keyIdOf(bytes: Buffer): number | null {
  if (bytes[0] !== VERSION && bytes[0] !== FIRST_VERSION) return null
  return readVarint({ bytes, at: 1 })
}

/** Only after the signature was checked: what is read here was written by writePayload. */
export function readPayload(bytes: Buffer, maskOf: MaskOf): ServedAd {
  const from: Cursor = { bytes, at: 1 }
  readVarint(from)
  const servedS = bytes.readUInt32BE(from.at)
  const adId = bytes.toString('base64url', from.at + 4, from.at + 4 + AD_ID_BYTES)
  from.at += 4 + AD_ID_BYTES
  const cid = readVarint(from)
  const [cuid, fid, pid, bid] = [readSigned(from), readSigned(from), readSigned(from), readSigned(from)]
  const sourceId = readVarint(from)
  const priceMicros = readVarint(from)
  const ttlS = readVarint(from)
  const dayKey = keyOfDay(Math.floor(servedS / DAY_S) + readSigned(from))
  const flags = bytes[from.at++]!
  const more = bytes[0] === FIRST_VERSION ? 0 : bytes[from.at++]!
  const mask = maskOf(adId)
  applyMask(bytes, from.at, Math.min(bytes.length, from.at + mask.length), mask)
  const user = (flags & FLAG.user) !== 0 ? readUser(from) : null
  const placeHash = (flags & FLAG.place) !== 0 ? readNumber(from, PLACE_BYTES) : null
  const networkHash = (more & MORE.network) !== 0 ? readNumber(from, MARK_BYTES) : null
  const agentHash = (more & MORE.agent) !== 0 ? readNumber(from, MARK_BYTES) : null
  const context = bytes.readUInt16BE(from.at)
  return {
    adId,
    servedS,
    cid,
    cuid: cid + cuid,
    fid: cid + fid,
    pid: cid + pid,
    bid: cid + bid,
    sourceId,
    priceMicros,
    ttlS,
    dayKey,
    user,
    placeHash,
    networkHash,
    agentHash,
    country: countryName(context >>> 6),
    device: DEVICES[(context >>> 4) & 3]!,
    os: OS_NAMES[(context & 15) - 1] ?? null,
    test: (flags & FLAG.test) !== 0,
    foreignDomain: (flags & FLAG.foreign) !== 0,
    billsOn: (flags & FLAG.onPixel) !== 0 ? 'pixel' : 'notice',
    takesPrice: (flags & FLAG.takesPrice) !== 0,
  }
}

function readUser(from: Cursor) {
  from.at += USER_BYTES
  return { hi: from.bytes.readUInt32BE(from.at - 8), lo: from.bytes.readUInt32BE(from.at - 4) }
}

function readNumber(from: Cursor, byteCount: number): number {
  from.at += byteCount
  return from.bytes.readUIntBE(from.at - byteCount, byteCount)
}

/** By arithmetic, not by bits: ids may be larger than 32 bits. */
function writeVarint(to: Cursor, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot stand in a link`)
  let rest = value
  while (rest >= 128) {
    to.bytes[to.at++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  to.bytes[to.at++] = rest
}

function readVarint(from: Cursor): number {
  let value = 0
  let unit = 1
  for (;;) {
    const byte = from.bytes[from.at++]
    if (byte === undefined) return Number.NaN
    value += (byte % 128) * unit
    if (byte < 128) return value
    unit *= 128
  }
}

function writeSigned(to: Cursor, value: number): void {
  writeVarint(to, value < 0 ? -2 * value - 1 : 2 * value)
}

function readSigned(from: Cursor): number {
  const value = readVarint(from)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

function dayNumber(dayKey: number): number {
  return (
    Date.UTC(Math.floor(dayKey / 10_000), (Math.floor(dayKey / 100) % 100) - 1, dayKey % 100) / 86_400_000
  )
}

function keyOfDay(day: number): number {
  const date = new Date(day * 86_400_000)
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
}
