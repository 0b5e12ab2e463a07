// The strip of the cockpit: today's spend, and five figures that filter the customers below. A figure that is not known
// yet is left out.

import type { ReactNode } from 'react'
import * as format from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { dayOf } from '../period/zone.ts'
import { Icon, type IconName } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { Cockpit, Filter } from './data.ts'
import { dayWords } from './health-words.ts'

interface StripProps {
  /** Undefined while it is loading. */
  cockpit: Cockpit | undefined
  filter: Filter | undefined
  onFilter: (filter: Filter | undefined) => void
}

const SIGNS: Record<Filter, { icon: IconName; tone?: 'bad' | 'warn' }> = {
  problems: { icon: 'stop', tone: 'bad' },
  balance: { icon: 'warning', tone: 'warn' },
  banners: { icon: 'eye' },
  proposals: { icon: 'mail' },
  idle: { icon: 'pause' },
}
const FILTERS = Object.keys(SIGNS) as Filter[]

export function Strip({ cockpit, filter, onFilter }: StripProps) {
  const zone = useZone()
  return (
    <section className="ck-strip" aria-label={t('cockpit.strip')} aria-busy={cockpit === undefined}>
      <div>
        <span className="ck-name">{t('cockpit.spendToday')}</span>
        <Figure>{cockpit && format.money(cockpit.strip.spendToday)}</Figure>
        <span className="ck-about">{cockpit && <Compared strip={cockpit.strip} />}</span>
      </div>
      {FILTERS.map(name => (
        <button
          key={name}
          type="button"
          aria-pressed={filter === name}
          disabled={cockpit === undefined}
          onClick={() => onFilter(filter === name ? undefined : name)}
        >
          <span
            className="ck-name"
            data-tone={cockpit && countOf(cockpit, name) > 0 ? SIGNS[name].tone : undefined}
          >
            <Icon name={SIGNS[name].icon} size={14} />
            {t(`cockpit.filter.${name}`)}
          </span>
          <Figure>{cockpit && format.integer(countOf(cockpit, name))}</Figure>
          <span className="ck-about">{cockpit && aboutOf(cockpit, name, zone)}</span>
        </button>
      ))}
    </section>
  )
}

function Figure({ children }: { children: ReactNode }) {
  return <span className="ck-fig">{children ?? <span className="ck-bone" />}</span>
}

function countOf({ strip }: Cockpit, name: Filter): number {
  return name === 'balance' ? strip.balanceLow : strip[name]
}

function aboutOf({ strip, asOf }: Cockpit, name: Filter, zone: string): string {
  switch (name) {
    case 'problems':
      return strip.warnings > 0 ? t('cockpit.warnings', { count: strip.warnings }) : t('cockpit.noWarnings')
    case 'balance':
      return strip.balanceSpent > 0
        ? t('cockpit.atZero', { count: strip.balanceSpent })
        : t('cockpit.noneAtZero')
    case 'banners':
      return strip.bannersSince === null
        ? t('cockpit.nothingWaits')
        : t('cockpit.oldest', { day: dayWords(dayOf(strip.bannersSince, zone), asOf) })
    case 'proposals':
      return strip.proposals > 0
        ? t('cockpit.waitForAnswer', { count: strip.proposals })
        : t('cockpit.nothingWaits')
    case 'idle':
      return t('cockpit.idleAbout')
  }
}

/** Compares both days up to the same quarter hour. Rising spend is neither good nor bad. */
function Compared({ strip }: { strip: Cockpit['strip'] }) {
  const zone = useZone()
  const { todayUntil, yesterdayUntil, until } = strip
  const time = format.hour(until, zone)
  if (yesterdayUntil === 0) return t('cockpit.noYesterday', { time })
  const change = todayUntil / yesterdayUntil - 1
  return (
    <>
      <span className="ck-delta">
        <Icon name={change < 0 ? 'down' : 'up'} size={12} />
        {format.roundPercent(Math.abs(change))}
      </span>{' '}
      {t(change < 0 ? 'cockpit.below' : 'cockpit.above', { time })}
    </>
  )
}
