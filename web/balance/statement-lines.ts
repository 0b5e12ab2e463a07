// The lines of a printed statement: payments one by one, spend by week. A payment splits its week, so that each balance
// is that of its day. Sums are added in millionths, so that none is off by rounding.

import type { AccountEntry } from '../../src/report/accounts/contract.ts'
import type { Bucket } from '../stats/figures.ts'
import type { Statement } from './data.ts'

export interface StatementLine {
  key: string
  /** `rest`: what was left when the account ended. */
  kind: 'credit' | 'correction' | 'rest' | 'spend'
  /** The first and last moment of the line. */
  from: number
  to: number
  amount: number
  /** The balance after the line. */
  balance: number
  reference: string | undefined
  note: string | undefined
  /** For spend: its days, such as 2026-11-04. */
  days: string[]
}

const MICROS = 1e6
const micros = (amount: number) => Math.round(amount * MICROS)

export function linesOf({ entries, opening }: Statement): StatementLine[] {
  const lines: StatementLine[] = []
  let balance = micros(opening)
  for (const entry of entries) {
    balance += micros(entry.amount)
    const last = lines.at(-1)
    if (last && isSameWeek(last, entry)) {
      last.to = entry.time
      last.amount = (micros(last.amount) + micros(entry.amount)) / MICROS
      last.balance = balance / MICROS
      if (last.days.at(-1) !== entry.day) last.days.push(entry.day!)
    } else lines.push(lineOf(entry, balance / MICROS, lines.length))
  }
  return lines
}

function lineOf(entry: AccountEntry, balance: number, index: number): StatementLine {
  const { kind, time, amount, reference, note, day } = entry
  return {
    key: `${index} ${time}`,
    kind: kind !== 'spend' && reference === undefined ? 'rest' : kind,
    from: time,
    to: time,
    amount,
    balance,
    reference,
    note,
    days: day === undefined ? [] : [day],
  }
}

function isSameWeek(line: StatementLine, entry: AccountEntry): boolean {
  const first = line.days[0]
  return (
    line.kind === 'spend' &&
    entry.day !== undefined &&
    first !== undefined &&
    weekOf(first) === weekOf(entry.day)
  )
}

const DAY_MS = 86_400_000

/** The number of its week, counted from the Monday before 1970. */
function weekOf(day: string): number {
  return Math.floor((Date.parse(day) / DAY_MS + 3) / 7)
}

export interface StatementTotals {
  /** Credits, corrections and what was taken out at the end. */
  credited: number
  spent: number
}

export function totalsOf({ entries }: Statement): StatementTotals {
  let [credited, spent] = [0, 0]
  for (const { kind, amount } of entries) {
    if (kind === 'spend') spent += micros(amount)
    else credited += micros(amount)
  }
  return { credited: credited / MICROS, spent: spent / MICROS }
}

/** What each campaign spent, largest first. */
export function spendByCampaign({ entries }: Statement): { cid: number; spend: number }[] {
  const sums = new Map<number, number>()
  for (const { cid, amount } of entries)
    if (cid !== undefined) sums.set(cid, (sums.get(cid) ?? 0) - micros(amount))
  return [...sums]
    .map(([cid, sum]) => ({ cid, spend: sum / MICROS }))
    .sort((a, b) => b.spend - a.spend || a.cid - b.cid)
}

/** A smaller difference between figures and account counts as none. */
const SAME = 0.01

/**
 * The impressions and clicks that a line paid for. Null if they are unknown or cover more than this account, as on the
 * day on which the customer began to pay in advance.
 */
export function shownFor(
  line: StatementLine,
  figures: ReadonlyMap<string, Bucket>,
  today: string,
): { imps: number; clicks: number } | null {
  const buckets = line.days.map(day => figures.get(day))
  if (buckets.length === 0 || buckets.includes(undefined)) return null
  let [imps, clicks, spend] = [0, 0, 0]
  for (const bucket of buckets) {
    imps += bucket!.imps
    clicks += bucket!.clicks
    spend += bucket!.spend
  }
  // Today is still being counted, and the two were not read at the same moment.
  if (!line.days.includes(today) && Math.abs(spend + line.amount) > SAME) return null
  return { imps, clicks }
}
