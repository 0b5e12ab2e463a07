// The standing of each customer, from its facts: its main reason, the level of that reason, and the order in which
// people look at customers. Plain functions of the facts.

import { buysNothing } from '../../manage/campaigns/status.ts'
import { DAYS, type Filter, type HealthCode, LEVELS, type Level } from './contract.ts'
import type { FactsRow } from './queries.ts'

export interface Standing {
  facts: FactsRow
  level: Level
  code: HealthCode
  balanceState: 'ok' | 'low' | 'spent' | null
  /** What of a day's budgets it will not spend, in micros: the larger it is, the sooner a person is to look. */
  stake: number
}

/** Fewer refused impressions mean nothing. */
const LEAST_REFUSED = 100
/** What buys fewer impressions a day than this is no problem, only a warning. */
const LEAST_AT_STAKE = 100
/** A balance that lasts no longer than this, at the average spend of the last days, is a warning. */
const ENDS_WITHIN_DAYS = 3

const LEVEL_OF: Record<HealthCode, Level> = {
  balance_spent: 'problem',
  nothing_to_show: 'problem',
  refused: 'problem',
  stalled: 'problem',
  nothing_delivered: 'problem',
  frozen: 'warning',
  banners_waiting: 'warning',
  balance_low: 'warning',
  balance_ends: 'warning',
  some_stalled: 'warning',
  some_cannot_show: 'warning',
  delivers: 'ok',
  ready: 'ok',
  slow: 'ok',
  very_slow: 'warning',
  budget_spent: 'ok',
  off_hours: 'ok',
  access_off: 'idle',
  scheduled: 'idle',
  paused: 'idle',
  no_campaign: 'idle',
}

export function standingOf(facts: FactsRow): Standing {
  const balanceState = balanceStateOf(facts)
  const code = codeOf(facts, balanceState)
  return { facts, balanceState, ...judged(facts, code, OF_SOME.includes(code) ? facts.stuck : facts.ordered) }
}

/** Codes that concern some of the campaigns. */
const OF_SOME: readonly HealthCode[] = ['nothing_to_show', 'stalled', 'some_stalled', 'some_cannot_show']

function judged({ cheapest }: FactsRow, code: HealthCode, atStake: number) {
  const usual = LEVEL_OF[code]
  const isSmall = cheapest !== null && atStake * 1000 < LEAST_AT_STAKE * cheapest
  const level = usual === 'problem' && isSmall ? 'warning' : usual
  return { code, level, stake: level === 'problem' || level === 'warning' ? atStake : 0 }
}

/** A customer that is far behind an even day, of which `evenMicros` would be spent by now. */
export function withPaceLag(standing: Standing, evenMicros: number): Standing {
  const { budget, spend_today } = standing.facts
  return { ...standing, ...judged(standing.facts, 'very_slow', budget * (1 - spend_today / evenMicros)) }
}

/** A balance that buys no impression any more counts as spent. */
function balanceStateOf({ balance, cheapest, low_balance }: FactsRow): Standing['balanceState'] {
  if (balance === null) return null
  if (balance <= 0 || buysNothing(balance, cheapest)) return 'spent'
  return low_balance !== null && balance <= low_balance ? 'low' : 'ok'
}

/** The first code that applies. How well a customer delivers is seen from its hours: health.ts. */
function codeOf(facts: FactsRow, balanceState: Standing['balanceState']): HealthCode {
  const { running, showing, stalled, late_imps } = facts
  if (facts.is_frozen) return 'frozen'
  if (!facts.api_access) return 'access_off'
  if (running === 0) return facts.next_s !== null ? 'scheduled' : facts.any_paused ? 'paused' : 'no_campaign'
  if (balanceState === 'spent') return 'balance_spent'
  if (showing === 0) return facts.waiting > 0 ? 'banners_waiting' : 'nothing_to_show'
  if (facts.refused >= LEAST_REFUSED && facts.refused > late_imps) return 'refused'
  if (stalled > 0 && stalled === showing) return 'stalled'
  if (facts.is_old && late_imps === 0) return 'nothing_delivered'
  if (balanceState === 'low') return 'balance_low'
  if (endsSoon(facts)) return 'balance_ends'
  if (stalled > 0) return 'some_stalled'
  return showing < running ? 'some_cannot_show' : 'delivers'
}

function endsSoon({ balance, spend, spend_today }: FactsRow): boolean {
  return balance !== null && balance * (DAYS - 1) < (spend - spend_today) * ENDS_WITHIN_DAYS
}

/** Customers that need a person first; within a level, those with most money at stake, then those that spent most. */
export function byUrgency(standings: readonly Standing[]): Standing[] {
  const ranked = standings.map(one => ({
    one,
    facts: one.facts,
    rank: LEVELS.indexOf(one.level),
    name: one.facts.company.toLowerCase(),
  }))
  ranked.sort(
    (a, b) =>
      a.rank - b.rank ||
      b.one.stake - a.one.stake ||
      b.facts.spend - a.facts.spend ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : a.facts.cuid - b.facts.cuid),
  )
  return ranked.map(({ one }) => one)
}

export const FITS: Record<Filter, (one: Standing) => boolean> = {
  problems: one => one.level === 'problem',
  balance: ({ balanceState }) => balanceState === 'low' || balanceState === 'spent',
  banners: one => one.facts.to_review > 0,
  proposals: one => one.facts.proposals > 0,
  idle: one => one.level === 'idle',
}

export function filtered(standings: readonly Standing[], filter: Filter | null): readonly Standing[] {
  return filter === null ? standings : standings.filter(FITS[filter])
}

export function sumOf(standings: readonly Standing[], of: (facts: FactsRow) => number): number {
  let sum = 0
  for (const { facts } of standings) sum += of(facts)
  return sum
}

export function countOf(standings: readonly Standing[], fits: (one: Standing) => boolean): number {
  let count = 0
  for (const one of standings) if (fits(one)) count++
  return count
}
