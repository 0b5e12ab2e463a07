// The journal's records: 64 bytes each, with a checksum and all facts of the ad, so that a torn or damaged record costs
// only itself, and each record can be read without the ones before it.

import { crc32 } from 'node:zlib'
import { AD_ID_CHARS, type AdFacts, type BudgetRow, type Journaled } from './ad.ts'

export const RECORD_BYTES = 64
const VERSION = 1
const NO_AD = 'A'.repeat(AD_ID_CHARS)

/** The position in this list is the number on disk: append only. */
const KINDS = ['none', 'header', 'reserved', 'billed', 'freed', 'budget'] as const
export type RecordKind = (typeof KINDS)[number]

/** Byte offsets in a record. */
const AT = {
  kind: 4,
  hasUser: 5,
  ad: 8,
  day: 20,
  cid: 24,
  price: 32,
  until: 40,
  userHi: 48,
  userLo: 52,
  daily: 56,
}
/** If a flight pays for the ad, the kind is this much higher, and price and end are shorter to make room for it. */
const PAID_BY_FLIGHT = 32
const BY_FLIGHT = { payerHigh: 6, price: 32, until: 38, payerLow: 44 }
const LOW = 2 ** 32

export interface JournalRecord extends AdFacts {
  kind: RecordKind
  /** The account's budget when it was written. */
  grantedMicros: number
}

export function headerRecord(): JournalRecord {
  return { kind: 'header', ...blank(VERSION, 0, 0) }
}

export function budgetRecord(row: BudgetRow, reservedUntilMs: number): JournalRecord {
  const { cid, payer = 0, dayKey, grantedMicros } = row
  return { kind: 'budget', ...blank(cid, dayKey, reservedUntilMs), payer, grantedMicros }
}

function blank(cid: number, dayKey: number, reservedUntilMs: number): AdFacts & { grantedMicros: number } {
  return { adId: NO_AD, cid, payer: 0, dayKey, priceMicros: 0, reservedUntilMs, user: null, grantedMicros: 0 }
}

export function writeRecord(
  to: Buffer,
  at: number,
  kind: RecordKind,
  ad: AdFacts,
  grantedMicros: number,
): void {
  to.fill(0, at, at + 8)
  to[at + AT.kind] = KINDS.indexOf(kind)
  to[at + AT.hasUser] = ad.user ? 1 : 0
  to.write(ad.adId, at + AT.ad, 12, 'base64url')
  to.writeUInt32LE(ad.dayKey, at + AT.day)
  to.writeDoubleLE(ad.cid, at + AT.cid)
  if (ad.payer) writeByFlight(to, at, ad)
  else {
    to.writeDoubleLE(ad.priceMicros, at + AT.price)
    to.writeDoubleLE(ad.reservedUntilMs, at + AT.until)
  }
  to.writeUInt32LE(ad.user ? ad.user.hi : 0, at + AT.userHi)
  to.writeUInt32LE(ad.user ? ad.user.lo : 0, at + AT.userLo)
  to.writeDoubleLE(grantedMicros, at + AT.daily)
  to.writeUInt32LE(crc32(to.subarray(at + AT.kind, at + RECORD_BYTES)), at)
}

function writeByFlight(to: Buffer, at: number, { payer, priceMicros, reservedUntilMs }: AdFacts): void {
  to[at + AT.kind]! += PAID_BY_FLIGHT
  to.writeUInt16LE(Math.floor(payer / LOW), at + BY_FLIGHT.payerHigh)
  to.writeUIntLE(priceMicros, at + BY_FLIGHT.price, 6)
  to.writeUIntLE(Math.ceil(reservedUntilMs), at + BY_FLIGHT.until, 6)
  to.writeUInt32LE(payer % LOW, at + BY_FLIGHT.payerLow)
}

function readMoney(from: Buffer, at: number): Pick<AdFacts, 'payer' | 'priceMicros' | 'reservedUntilMs'> {
  if (from[at + AT.kind]! < PAID_BY_FLIGHT)
    return {
      payer: 0,
      priceMicros: from.readDoubleLE(at + AT.price),
      reservedUntilMs: from.readDoubleLE(at + AT.until),
    }
  return {
    payer: from.readUInt16LE(at + BY_FLIGHT.payerHigh) * LOW + from.readUInt32LE(at + BY_FLIGHT.payerLow),
    priceMicros: from.readUIntLE(at + BY_FLIGHT.price, 6),
    reservedUntilMs: from.readUIntLE(at + BY_FLIGHT.until, 6),
  }
}

/** Null: damaged, or of a kind that this version does not know. */
export function readRecord(from: Buffer, at: number): JournalRecord | null {
  if (from.readUInt32LE(at) !== crc32(from.subarray(at + AT.kind, at + RECORD_BYTES))) return null
  const kind = KINDS[from[at + AT.kind]! % PAID_BY_FLIGHT]
  if (!kind || kind === 'none') return null
  const user = { hi: from.readUInt32LE(at + AT.userHi), lo: from.readUInt32LE(at + AT.userLo) }
  return {
    kind,
    adId: from.toString('base64url', at + AT.ad, at + AT.ad + 12),
    dayKey: from.readUInt32LE(at + AT.day),
    cid: from.readDoubleLE(at + AT.cid),
    ...readMoney(from, at),
    user: from[at + AT.hasUser] ? user : null,
    grantedMicros: from.readDoubleLE(at + AT.daily),
  }
}

export interface Replayed extends Journaled {
  open: AdFacts[]
  billed: AdFacts[]
  budgets: BudgetRow[]
  damagedRecords: number
}

export interface Replay {
  /** Reads a segment in chunks; the oldest comes first. Returns the time until which something in it matters. */
  segment(bytes: Buffer): Generator<void, number>
  result(): Replayed
}

/** Some milliseconds of work. */
const CHUNK_BYTES = 2_048 * RECORD_BYTES

/**
 * Replays the journal: which ads are open, which were billed and may be reported again. Ads that have expired by
 * `nowMs` are left out at once: a segment may contain a day of them and one that is still open.
 */
export function startReplay(nowMs: number): Replay {
  const open = new Map<string, AdFacts>()
  const billed = new Map<string, AdFacts>()
  const budgets = new Map<number, Map<number, BudgetRow>>()
  let damagedRecords = 0

  function tellBudget({ cid, payer, dayKey, grantedMicros }: JournalRecord): void {
    let day = budgets.get(dayKey)
    if (!day) {
      day = new Map()
      budgets.set(dayKey, day)
    }
    const known = day.get(payer || cid)
    if (known) known.grantedMicros = grantedMicros
    else day.set(payer || cid, { cid, payer, dayKey, grantedMicros })
  }

  function tell(record: JournalRecord): void {
    const { kind, adId } = record
    if (kind === 'header') return
    if (kind === 'reserved' || kind === 'budget') tellBudget(record)
    if (kind === 'budget' || record.reservedUntilMs <= nowMs) return
    if (kind === 'reserved') open.set(adId, factsOf(record))
    else open.delete(adId)
    if (kind === 'billed') billed.set(adId, factsOf(record))
  }

  return {
    *segment(bytes) {
      let untilMs = 0
      const whole = Math.floor(bytes.length / RECORD_BYTES) * RECORD_BYTES
      if (whole < bytes.length) damagedRecords++
      for (let at = 0; at < whole; at += RECORD_BYTES) {
        if (at > 0 && at % CHUNK_BYTES === 0) yield
        const record = readRecord(bytes, at)
        if (!record) damagedRecords++
        else if (record.kind === 'header' && record.cid !== VERSION) return untilMs
        else {
          tell(record)
          untilMs = Math.max(untilMs, record.reservedUntilMs)
        }
      }
      return untilMs
    },
    result: () => ({
      open: [...open.values()],
      billed: [...billed.values()],
      budgets: [...budgets.values()].flatMap(day => [...day.values()]),
      damagedRecords,
    }),
  }
}

function factsOf({ adId, cid, payer, dayKey, priceMicros, reservedUntilMs, user }: JournalRecord): AdFacts {
  return { adId, cid, payer, dayKey, priceMicros, reservedUntilMs, user }
}
