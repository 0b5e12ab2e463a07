// A customer's health in the reader's words.

import type { Health } from '../../src/diagnose/cockpit/contract.ts'
import * as format from '../format/format.ts'
import { named, t } from '../words/words.ts'

const DAY_S = 86_400
const WEEK_DAYS = 6

/** Days are plain dates without a zone: read and written as UTC. */
const secondsOf = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000

/** Within a week as "Saturday", otherwise as "2 November". */
export function dayWords(day: string, nowS: number): string {
  const daysApart = Math.abs(secondsOf(day) - nowS) / DAY_S
  return daysApart < WEEK_DAYS
    ? format.weekday(secondsOf(day), 'UTC')
    : format.dayAndMonth(secondsOf(day), 'UTC')
}

export function healthSentence(health: Health, nowS: number, zone: string): string {
  const { code, since, until, at, reason } = health
  const count = health.count ?? 0
  const values = { count, of: health.of ?? 0 }
  switch (code) {
    case 'balance_spent':
    case 'nothing_delivered':
    case 'no_campaign':
      return since === null ? t(`health.${code}`) : t(`health.${code}_since`, { day: dayWords(since, nowS) })
    case 'balance_ends':
      return t('health.balance_ends', { day: until === null ? '' : dayWords(until, nowS) })
    case 'scheduled':
      return t('health.scheduled', { time: at === null ? '' : format.shortTime(at, zone) })
    case 'refused':
      return t('health.refused', { count, reason: reason === null ? '' : named('reason', reason) })
    case 'stalled':
    case 'some_stalled':
      return t(`health.${code}`, { ...values, reason: reason === null ? '' : named('stalled', reason) })
    default:
      return t(`health.${code}`, values)
  }
}
