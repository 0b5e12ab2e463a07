// The bytes of a link, without its signature: numbers as varints, ids as distances from the campaign's. What concerns
// the user and the page is masked by the caller's key stream, so that it reveals nothing to others and links of one
// user have nothing in common. Version 2 has a second byte of flags; links of version 1 are read too, because an older
// process may have made them.

import { type DeviceName, OS_NAMES, type ServedAd } from './ad.ts'
import { countryName, countryNumber } from './codes.ts'
import { LONGEST_PLACE_BYTES, type Place } from './places.ts'

const VERSION = 2
const FIRST_VERSION = 1
/** The longest payload without the name of a place. */
const MAX_BARE_BYTES = 140
const MAX_BYTES = MAX_BARE_BYTES + 2 + LONGEST_PLACE_BYTES
const AD_ID_BYTES = 12
const USER_BYTES = 8
const PLACE_BYTES = 6
const MARK_BYTES = 3
const LOCALITY_BYTES = 6
const AUDIENCE_BYTES = 2
const CONTEXT_BYTES = 2
const DAY_S = 86_400

const FLAG = { test: 1, foreign: 2, onPixel: 4, takesPrice: 8, user: 16, place: 32 } as const
/** What a link may contain since version 2; append only. */
const MORE = {
  network: 1,
  agent: 2,
  placeName: 4,
  node: 8,
  locality: 16,
  audience: 32,
  click: 64,
  flightPays: 128,
} as const
const PLACE_KINDS = ['domain', 'app'] as const
const DEVICES: readonly (DeviceName | null)[] = [null, 'mobile', 'tablet', 'desktop']

/** 32 bytes, one character each, different for each ad and block. Only the owner of the key can make them. */
export type MaskOf = (adId: string, block: number) => string
const MASK_BYTES = 32

interface Cursor {
  bytes: Buffer
  at: number
}

const scratch = Buffer.alloc(MAX_BYTES)

/** Returns base64url text whose length is a multiple of 4, so that a signature can simply follow. */
export function writePayload(ad: ServedAd, keyId: number, maskOf: MaskOf): string {
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
  if (ad.nodeId !== null) writeVarint(to, ad.nodeId)
  if (ad.clickMicros) writeVarint(to, ad.clickMicros)
  writeMasked(to, ad, maskOf(ad.adId, 0))
  if (ad.placeName) writeName(to, ad.placeName, ad.adId, maskOf)
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
  return (
    (ad.networkHash === null ? 0 : MORE.network) |
    (ad.agentHash === null ? 0 : MORE.agent) |
    (ad.placeName === null ? 0 : MORE.placeName) |
    (ad.nodeId === null ? 0 : MORE.node) |
    (ad.locality === 0 ? 0 : MORE.locality) |
    (ad.audience === 0 ? 0 : MORE.audience) |
    (ad.clickMicros ? MORE.click : 0) |
    (ad.flightPays ? MORE.flightPays : 0)
  )
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
  if (ad.locality !== 0) to.at = scratch.writeUIntBE(ad.locality, to.at, LOCALITY_BYTES)
  if (ad.audience !== 0) to.at = scratch.writeUIntBE(ad.audience, to.at, AUDIENCE_BYTES)
  scratch.writeUInt16BE(contextOf(ad), to.at)
  to.at += CONTEXT_BYTES
  applyMask(scratch, start, to.at, mask)
}

/** Written last, with its own masks: the kind of place, the number of bytes, and the name. */
function writeName(to: Cursor, place: Place, adId: string, maskOf: MaskOf): void {
  const start = to.at
  scratch[to.at++] = PLACE_KINDS.indexOf(place.kind)
  const bytes = scratch.write(place.name, to.at + 1, LONGEST_PLACE_BYTES, 'utf8')
  scratch[to.at++] = bytes
  to.at += bytes
  maskName(scratch, start, to.at, adId, maskOf)
}

function readName(from: Cursor, adId: string, maskOf: MaskOf): Place {
  const { bytes } = from
  maskName(bytes, from.at, bytes.length, adId, maskOf)
  const kind = PLACE_KINDS[bytes[from.at]!]!
  const start = from.at + 2
  return { kind, name: bytes.toString('utf8', start, start + bytes[from.at + 1]!) }
}

function maskName(bytes: Buffer, from: number, to: number, adId: string, maskOf: MaskOf): void {
  for (let at = from, block = 1; at < to; at += MASK_BYTES, block++)
    applyMask(bytes, at, Math.min(to, at + MASK_BYTES), maskOf(adId, block))
}

function applyMask(bytes: Buffer, from: number, to: number, mask: string): void {
  for (let i = from; i < to; i++) bytes[i] = bytes[i]! ^ mask.charCodeAt(i - from)
}

/** 10 bits country, 2 bits device, 4 bits operating system; 0 means unknown for each. */
function contextOf(ad: ServedAd): number {
  const os = OS_NAMES.indexOf(ad.os as (typeof OS_NAMES)[number]) + 1
  return (countryNumber(ad.country) << 6) | (DEVICES.indexOf(ad.device) << 4) | os
}

/** The id of the signing key; null if the bytes cannot be our payload. Called before anything is trusted. */
export function keyIdOf(bytes: Buffer): number | null {
  if (bytes[0] !== VERSION && bytes[0] !== FIRST_VERSION) return null
  return readVarint({ bytes, at: 1 })
}

/** Called only after the signature was checked, so `writePayload` wrote these bytes. */
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
  const nodeId = (more & MORE.node) !== 0 ? readVarint(from) : null
  const clickMicros = (more & MORE.click) !== 0 ? readVarint(from) : undefined
  applyMask(bytes, from.at, from.at + maskedBytes(flags, more), maskOf(adId, 0))
  const user = (flags & FLAG.user) !== 0 ? readUser(from) : null
  const placeHash = (flags & FLAG.place) !== 0 ? readNumber(from, PLACE_BYTES) : null
  const networkHash = (more & MORE.network) !== 0 ? readNumber(from, MARK_BYTES) : null
  const agentHash = (more & MORE.agent) !== 0 ? readNumber(from, MARK_BYTES) : null
  const locality = (more & MORE.locality) !== 0 ? readNumber(from, LOCALITY_BYTES) : 0
  const audience = (more & MORE.audience) !== 0 ? readNumber(from, AUDIENCE_BYTES) : 0
  const context = readNumber(from, CONTEXT_BYTES)
  const placeName = (more & MORE.placeName) !== 0 ? readName(from, adId, maskOf) : null
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
    clickMicros,
    ttlS,
    dayKey,
    nodeId,
    flightPays: (more & MORE.flightPays) !== 0,
    user,
    placeHash,
    placeName,
    networkHash,
    agentHash,
    locality,
    audience,
    country: countryName(context >>> 6),
    device: DEVICES[(context >>> 4) & 3]!,
    os: OS_NAMES[(context & 15) - 1] ?? null,
    test: (flags & FLAG.test) !== 0,
    foreignDomain: (flags & FLAG.foreign) !== 0,
    billsOn: (flags & FLAG.onPixel) !== 0 ? 'pixel' : 'notice',
    takesPrice: (flags & FLAG.takesPrice) !== 0,
  }
}

function maskedBytes(flags: number, more: number): number {
  return (
    ((flags & FLAG.user) === 0 ? 0 : USER_BYTES) +
    ((flags & FLAG.place) === 0 ? 0 : PLACE_BYTES) +
    ((more & MORE.network) === 0 ? 0 : MARK_BYTES) +
    ((more & MORE.agent) === 0 ? 0 : MARK_BYTES) +
    ((more & MORE.locality) === 0 ? 0 : LOCALITY_BYTES) +
    ((more & MORE.audience) === 0 ? 0 : AUDIENCE_BYTES) +
    CONTEXT_BYTES
  )
}

function readUser(from: Cursor) {
  from.at += USER_BYTES
  return { hi: from.bytes.readUInt32BE(from.at - 8), lo: from.bytes.readUInt32BE(from.at - 4) }
}

function readNumber(from: Cursor, byteCount: number): number {
  from.at += byteCount
  return from.bytes.readUIntBE(from.at - byteCount, byteCount)
}

/** Uses arithmetic instead of bit operations, because ids may be larger than 32 bits. */
function writeVarint(to: Cursor, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} does not fit in a link`)
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
