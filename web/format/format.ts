// Numbers, money and dates as the reader writes them, by Intl. Ratios are shown as percent.

import { writeMoneyIn } from '../form/number-in.ts'
import { locale } from '../words/words.ts'

let currency = 'USD'
export function setCurrency(code: string): void {
  currency = code
}
/** Its code, such as USD. */
export const currencyCode = () => currency

const formats = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>()

function number(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = `n${locale()}${JSON.stringify(options)}`
  let found = formats.get(name) as Intl.NumberFormat | undefined
  if (!found) {
    found = new Intl.NumberFormat(locale(), options)
    formats.set(name, found)
  }
  return found
}

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `d${locale()}${JSON.stringify(options)}`
  let found = formats.get(name) as Intl.DateTimeFormat | undefined
  if (!found) {
    found = new Intl.DateTimeFormat(locale(), options)
    formats.set(name, found)
  }
  return found
}

export const integer = (value: number) => number({ maximumFractionDigits: 0 }).format(value)
export const compact = (value: number) =>
  number({ notation: 'compact', maximumFractionDigits: 2 }).format(value)
export const money = (value: number) => number({ style: 'currency', currency }).format(value)
/** Exactly as typed and sent. */
export const exactMoney = (value: number) => writeMoneyIn(value, currency, locale())
/** With a plus for positive amounts. */
export const signedMoney = (value: number) =>
  number({ style: 'currency', currency, signDisplay: 'exceptZero' }).format(value)
/** Where cents do not matter. */
export const roundMoney = (value: number) =>
  number({ style: 'currency', currency, maximumFractionDigits: 0 }).format(value)
/** Unit costs: below ten cents with more decimals, or all prices would look the same. */
export const price = (value: number) =>
  value !== 0 && Math.abs(value) < 0.1
    ? number({ style: 'currency', currency, maximumFractionDigits: 4 }).format(value)
    : money(value)
/** With cents if a small amount has any. */
export const compactMoney = (value: number) =>
  value < 1000 && value % 1 !== 0
    ? price(value)
    : number({
        ...{ style: 'currency', currency, notation: 'compact' },
        ...{ minimumFractionDigits: 0, maximumFractionDigits: 2 },
      }).format(value)
export const percent = (ratio: number) =>
  number({ style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(ratio)
export const roundPercent = (ratio: number) =>
  number({ style: 'percent', maximumFractionDigits: 1 }).format(ratio)
/** How many times as much: 3.84×. */
export const times = (ratio: number) =>
  `${number({ minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(ratio)}×`
export const change = (ratio: number) =>
  number({ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' }).format(ratio)
export const decimal = (value: number, digits: number) =>
  number({ maximumFractionDigits: digits }).format(value)
export const kilobytes = (bytes: number) =>
  number({ style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 }).format(bytes / 1000)

/** The spoken name, such as euros. */
export function currencyName(): string {
  const parts = number({ style: 'currency', currency, currencyDisplay: 'name' }).formatToParts(2)
  return parts.find(part => part.type === 'currency')?.value ?? currency
}

/** The currency's sign, for fields that take an amount. */
export function currencySign(): string {
  const parts = number({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' }).formatToParts(0)
  return parts.find(part => part.type === 'currency')?.value ?? currency
}

/** Everything that people write beside an amount in the currency: `$`, `USD`. */
export function currencyMarks(): readonly string[] {
  return [currencySign(), currency]
}

export const date = (unixS: number, timeZone: string) =>
  dates({ dateStyle: 'medium', timeZone }).format(unixS * 1000)
export const dateTime = (unixS: number, timeZone: string) =>
  dates({ dateStyle: 'medium', timeStyle: 'short', timeZone }).format(unixS * 1000)
const fullDate = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
/** Wed, Mar 5, 2031. */
export const fullDay = (unixS: number, timeZone: string) =>
  dates({ ...fullDate, timeZone }).format(unixS * 1000)
/** Wed, Mar 5, 2031, 10:45 PM. */
export const fullTime = (unixS: number, timeZone: string) =>
  dates({ ...fullDate, hour: 'numeric', minute: '2-digit', timeZone }).format(unixS * 1000)
export const shortDay = (unixS: number, timeZone: string) =>
  dates({ day: 'numeric', month: 'short', timeZone }).format(unixS * 1000)
export const longDay = (unixS: number, timeZone: string) =>
  dates({ weekday: 'long', day: 'numeric', month: 'short', timeZone }).format(unixS * 1000)
/** Saturday. */
export const weekday = (unixS: number, timeZone: string) =>
  dates({ weekday: 'long', timeZone }).format(unixS * 1000)
/** 2 November. */
export const dayAndMonth = (unixS: number, timeZone: string) =>
  dates({ day: 'numeric', month: 'long', timeZone }).format(unixS * 1000)
/** 2 Nov, 08:00. */
export const shortTime = (unixS: number, timeZone: string) =>
  dates({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZone }).format(unixS * 1000)
export const year = (unixS: number, timeZone: string) =>
  dates({ year: 'numeric', timeZone }).format(unixS * 1000)
export const month = (unixS: number, timeZone: string) =>
  dates({ month: 'short', year: 'numeric', timeZone }).format(unixS * 1000)
/** October 2026. */
export const longMonth = (unixS: number, timeZone: string) =>
  dates({ month: 'long', year: 'numeric', timeZone }).format(unixS * 1000)
export const hour = (unixS: number, timeZone: string) =>
  dates({ hour: 'numeric', minute: '2-digit', timeZone }).format(unixS * 1000)
export const clockIn = (unixS: number, timeZone: string) =>
  dates({ hour: 'numeric', minute: '2-digit', second: '2-digit', timeZone }).format(unixS * 1000)
export const clock = (unixS: number) =>
  dates({ hour: 'numeric', minute: '2-digit', second: '2-digit' }).format(unixS * 1000)

export function dayRange(fromS: number, toS: number, timeZone: string): string {
  return dates({ dateStyle: 'medium', timeZone }).formatRange(fromS * 1000, (toS - 1) * 1000)
}

/** 2 – 8 Nov, both days included. */
export function shortDays(firstS: number, lastS: number, timeZone: string): string {
  return dates({ day: 'numeric', month: 'short', timeZone }).formatRange(firstS * 1000, lastS * 1000)
}

/**
 * The same for tables. A range by Intl takes many times as long, which would be noticeable when scrolling through
 * thousands of rows.
 */
export function rowDays(fromS: number, toS: number, timeZone: string): string {
  const whole = dates({ day: 'numeric', month: 'short', year: 'numeric', timeZone })
  const [first, last] = [whole.format(fromS * 1000), whole.format((toS - 1) * 1000)]
  if (first === last) return first
  return `${year(fromS, timeZone) === year(toS - 1, timeZone) ? shortDay(fromS, timeZone) : first} – ${last}`
}

/** A range between two moments, to the minute. */
export function timeRange(fromS: number, toS: number, timeZone: string): string {
  return dates({ dateStyle: 'medium', timeStyle: 'short', timeZone }).formatRange(fromS * 1000, toS * 1000)
}

export function countryName(code: string): string {
  try {
    return new Intl.DisplayNames(locale(), { type: 'region' }).of(code) ?? code
  } catch {
    return code
  }
}
