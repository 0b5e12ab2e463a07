// Money spent against a budget, with a mark where an even day would be.

import './meter.css'
import { money } from '../format/format.ts'
import { t } from '../words/words.ts'

interface MeterProps {
  spent: number
  budget: number
  /** The part of the day that is over; no mark if not given. */
  even?: number
  big?: boolean
}

export function Meter({ spent, budget, even, big = false }: MeterProps) {
  const part = budget > 0 ? Math.min(1, spent / budget) : 0
  return (
    <span
      className={big ? 'meter big' : 'meter'}
      data-full={(budget > 0 && spent >= budget) || undefined}
      role="img"
      aria-label={t('overview.spentOf', { spent: money(spent), budget: money(budget) })}
    >
      <span style={{ width: `${part * 100}%` }} />
      {even !== undefined && <i style={{ insetInlineStart: `${even * 100}%` }} />}
    </span>
  )
}
