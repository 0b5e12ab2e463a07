// Events as rows of COPY in binary form, for `event` and for `fresh`. All columns have a fixed length, so a row is a
// template into which the values are written.

import { DAY_MS } from '../../kernel/time/units.ts'
import { countryNumber, deviceCode, kindCode, osCode } from '../tracking/codes.ts'
import type { AdEvent } from '../tracking/event.ts'
import type { QuarterOf } from './local-time.ts'

interface Column {
  name: string
  bytes: number
}

function columnsOf(text: string): Column[] {
  return text.split(', ').map(column => {
    const [name, bytes] = column.split(' ') as [string, string]
    return { name, bytes: Number(bytes) }
  })
}

/** The columns and their bytes, in the order in which they are written below. */
const EVENT = columnsOf(
  'ad 16, at 8, cid 8, leaf 8, source_id 8, place_hash 8, locality 8, user_hi 4, user_lo 4, spend_micros 4, ' +
    'budget_day 4, country 2, audience 2, kind 1, device 1, os 1',
)
const FRESH = columnsOf(
  'cuid 8, cid 8, leaf 8, place_hash 8, locality 8, action_hash 8, quarter 4, day 4, spend_micros 4, hour 2, ' +
    'country 2, audience 2, kind 1, device 1, os 1',
)

const namesOf = (columns: Column[]) => columns.map(({ name }) => name).join(', ')
export const EVENT_COLUMNS = namesOf(EVENT)
export const FRESH_COLUMNS = namesOf(FRESH)

/** The number of columns, and before each its length. */
function templateOf(columns: Column[]): Buffer {
  const row = Buffer.alloc(2 + columns.reduce((sum, { bytes }) => sum + 4 + bytes, 0))
  let at = row.writeInt16BE(columns.length, 0)
  for (const { bytes } of columns) at = row.writeInt32BE(bytes, at) + bytes
  return row
}

const EVENT_ROW = templateOf(EVENT)
const FRESH_ROW = templateOf(FRESH)

/** PostgreSQL counts microseconds and days from the beginning of 2000. */
const YEAR_2000_MS = Date.UTC(2000, 0, 1)
const YEAR_2000_DAY = YEAR_2000_MS / DAY_MS
const TWO_32 = 2 ** 32

/** Writes the columns of a row one after the other. */
interface Row {
  int8(value: number): void
  int4(value: number): void
  int2(value: number): void
  letter(text: string): void
  uuid(hex: string): void
}

function fill(template: Buffer, count: number, write: (row: Row, at: number) => void): Buffer {
  const bytes = Buffer.allocUnsafe(template.length * count)
  let at = 0
  const row: Row = {
    int8(value) {
      const high = Math.floor(value / TWO_32)
      bytes.writeInt32BE(high, at + 4)
      at = bytes.writeUInt32BE(value - high * TWO_32, at + 8)
    },
    int4(value) {
      at = bytes.writeInt32BE(value, at + 4)
    },
    int2(value) {
      at = bytes.writeInt16BE(value, at + 4)
    },
    letter(text) {
      at = bytes.writeUInt8(text.charCodeAt(0), at + 4)
    },
    uuid(hex) {
      at += 4 + bytes.write(hex, at + 4, 'hex')
    },
  }
  for (let n = 0; n < count; n++) {
    template.copy(bytes, at)
    at += 2
    write(row, n)
  }
  return bytes
}

/** `keys` and `leaves` are those of the events, in the same order; rows are in that of `order`. */
export function eventRows(events: AdEvent[], keys: string[], leaves: number[], order: number[]): Buffer {
  return fill(EVENT_ROW, order.length, (row, n) => {
    const { ad, kind, atMs, spendMicros } = events[order[n]!]!
    row.uuid(keys[order[n]!]!)
    row.int8((atMs - YEAR_2000_MS) * 1000)
    row.int8(ad.cid)
    row.int8(leaves[order[n]!]!)
    row.int8(ad.sourceId)
    row.int8(ad.placeHash ?? 0)
    row.int8(ad.locality)
    row.int4(ad.user ? ad.user.hi | 0 : 0)
    row.int4(ad.user ? ad.user.lo | 0 : 0)
    row.int4(spendMicros)
    row.int4(ad.dayKey)
    row.int2(countryNumber(ad.country))
    row.int2(ad.audience)
    row.letter(kindCode(kind))
    row.letter(deviceCode(ad.device))
    row.letter(osCode(ad.os))
  })
}

/** The same events as rows of `fresh`. */
export function freshRows(events: AdEvent[], leaves: number[], quarterOf: QuarterOf): Buffer {
  return fill(FRESH_ROW, events.length, (row, n) => {
    const { ad, kind, atMs, spendMicros } = events[n]!
    const quarter = quarterOf(ad.cuid, atMs)
    row.int8(ad.cuid)
    row.int8(ad.cid)
    row.int8(leaves[n]!)
    row.int8(ad.placeHash ?? 0)
    row.int8(ad.locality)
    row.int8(0)
    row.int4(quarter.number)
    row.int4(quarter.dayNumber - YEAR_2000_DAY)
    row.int4(spendMicros)
    row.int2(Number(quarter.hour))
    row.int2(countryNumber(ad.country))
    row.int2(ad.audience)
    row.letter(kindCode(kind))
    row.letter(deviceCode(ad.device))
    row.letter(osCode(ad.os))
  })
}
