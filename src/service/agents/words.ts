// Dates and amounts as people and models write and read them, in the time zone of a customer.

import { calendarOf } from '../../kernel/time/day.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?$/
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** Unix seconds of `2026-12-01`, `2026-12-01T09:30` (in the zone) or `2026-12-01T09:30Z`; else null. */
export function readTime(text: string, zone: string): number | null {
  if (WITH_OFFSET.test(text)) {
    const ms = Date.parse(text)
    return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
  }
  const [, year, month, date, hour = '0', minute = '0', second = '0'] = DATE.exec(text) ?? []
  if (year === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const calendar = calendarOf(zone)
  const day = calendar.dayOfKey(Number(`${year}${month}${date}`))
  if (day === null) return null
  const intoDayMs = (Number(hour) * 60 + Number(minute)) * 60_000
  const guessMs = day.startMs + intoDayMs
  // A day on which clocks change has an hour more or less before this one.
  const wantedMs = Date.UTC(Number(year), Number(month) - 1, Number(date)) + intoDayMs
  const ms = intoDayMs === 0 ? day.startMs : guessMs + (wantedMs - calendar.wallMs(guessMs))
  return Math.floor(ms / 1000) + Number(second)
}

/** Such as `Tue 1 Dec 2026, 09:30`. */
export function time(seconds: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
  return parts.format(seconds * 1000).replace(/^(\w+), /, '$1 ')
}

/** Such as `USD 1,250.50`. */
export function amount(units: number, currency: string): string {
  const text = units.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })
  return `${currency} ${text}`
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
