// The cells that rows and cards of the cockpit share: health with its reason, and today's spend against the budgets.

import type { ReactNode } from 'react'
import * as format from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { CockpitCustomer } from './data.ts'
import { healthSentence } from './health-words.ts'
import { signOf } from './sign.ts'

export function HealthCell({ customer, nowS }: { customer: CockpitCustomer; nowS: number }) {
  const zone = useZone()
  const { health } = customer
  const { icon, isSlow } = signOf(health)
  return (
    <span className="ck-why" data-level={health.level} data-slow={isSlow || undefined}>
      <span className="ck-sign">
        <Icon name={icon} size={14} />
        {!isSlow && <span className="visually-hidden">{t(`level.${health.level}`)}:</span>}
      </span>
      <span>{healthSentence(health, nowS, zone)}</span>
    </span>
  )
}

/** Without decimals if there are none. */
export const budgetText = (value: number) =>
  Number.isInteger(value) ? format.roundMoney(value) : format.money(value)

export function Meter({ customer }: { customer: CockpitCustomer }) {
  const { spendToday, budgetToday, evenToday, health } = customer
  const part = (value: number) =>
    `${Math.min(100, budgetToday > 0 ? (value / budgetToday) * 100 : 0).toFixed(1)}%`
  const label = t('cockpit.meter', {
    spent: format.money(spendToday),
    budget: format.money(budgetToday),
    even: format.money(evenToday),
  })
  return (
    <span className="ck-meter" role="img" aria-label={label}>
      <span style={{ width: part(spendToday) }} />
      {(health.level === 'ok' || health.code === 'very_slow') && evenToday > 0 && (
        <i style={{ left: part(evenToday) }} />
      )}
    </span>
  )
}

/** An unknown value is left out, not shown as zero. */
export function Shown({ value, children }: { value: number | null; children: (value: number) => ReactNode }) {
  if (value === null) return <span className="ck-none">–</span>
  return children(value)
}
