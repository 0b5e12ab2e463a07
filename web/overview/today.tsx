// Three figures of today: what was spent against the budget and against an even day, what came back, and the balance.
// They are updated as money is spent.

import './overview.css'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { accountQuery } from '../balance/data.ts'
import { canDeliver } from '../campaigns/campaign-status.tsx'
import type { Campaign } from '../campaigns/data.ts'
import * as format from '../format/format.ts'
import type { Period } from '../period/period.ts'
import { usePeriod, useZone } from '../period/use-period.ts'
import { useSession } from '../session/session.ts'
import { Refused } from '../shell/states.tsx'
import { useLiveFigures } from '../stats/live.ts'
import { LiveMark } from '../stats/live-panel.tsx'
import type { FiguresQuery } from '../stats/use-figures.ts'
import { t } from '../words/words.ts'
import { evenDay } from './even-day.ts'
import { Meter } from './meter.tsx'

interface TodayProps {
  cuid: number
  figures: FiguresQuery
  campaigns: readonly Campaign[] | undefined
  error: Error | null
}

export function Today({ cuid, figures, campaigns, error }: TodayProps) {
  const isLive = useLiveFigures(cuid)
  const { customer } = useSession()
  const active = campaigns?.filter(canDeliver)
  if (!campaigns && error) return <Refused error={error} />
  return (
    <section className="hero" aria-label={t('period.today')}>
      <div>
        <span className="q hero-name">
          {t('overview.today')} <LiveMark isLive={isLive} />
        </span>
        <Spent figures={figures.data} active={active} />
      </div>
      <CameBack figures={figures.data} />
      {customer?.prepaid ? (
        <Balance cuid={cuid} figures={figures.data} />
      ) : (
        <Figure
          name={t('overview.running')}
          figure={active && format.integer(active.length)}
          about={campaigns && t('overview.ofCampaigns', { count: campaigns.length })}
        />
      )}
    </section>
  )
}

type Data = FiguresQuery['data']
const SMALL = 10

function Spent({ figures, active }: { figures: Data; active: readonly Campaign[] | undefined }) {
  const zone = useZone()
  const today = figures?.today
  if (!today || !active) return <Skeleton h={78} mt={4} w="70%" />
  const budget = active.reduce((sum, { dailySpend }) => sum + dailySpend, 0)
  const { spend } = today
  const isFull = spend >= budget
  // Only campaigns that deliver all day have an even line.
  const isAllDay = budget > 0 && active.every(({ hours }) => hours === null)
  const day = isAllDay ? evenDay(figures.asOf, zone, spend, active) : null
  return (
    <>
      <div>
        <span className="xl">{format.money(spend)}</span>
        {budget > 0 && <span className="of">{t('overview.ofBudget', { budget: format.money(budget) })}</span>}
      </div>
      <Meter big spent={spend} budget={budget} {...(day ? { even: day.even / budget } : {})} />
      <div className="hero-line s q">
        <span>{sentence()}</span>
        {day && !isFull && (
          <span className="desk">
            {t('overview.evenAt', { time: format.hour(figures.asOf, zone), money: format.money(day.even) })}
          </span>
        )}
      </div>
    </>
  )

  function sentence(): string {
    if (budget === 0) return t('overview.noneRunning')
    if (spend > budget) return t('overview.overBudget')
    if (isFull) return t('overview.allSpent')
    if (!day) return t('overview.leftToday', { money: format.money(budget - spend) })
    const words = { money: format.money(Math.abs(day.lag)), midnight: aboutMoney(day.byMidnight) }
    return t(day.lag >= 0 ? 'overview.behindBy' : 'overview.aheadBy', words)
  }
}

/** Cents matter in a small amount. */
const aboutMoney = (value: number) => (value < SMALL ? format.money(value) : format.roundMoney(value))

/** What came back today: in money if conversions have values, otherwise in actions. */
function CameBack({ figures }: { figures: Data }) {
  const today = figures?.today
  const isWorth = (figures?.summary.value ?? 0) + (today?.value ?? 0) > 0
  if (today && !isWorth) {
    return (
      <Figure
        name={t('overview.actions')}
        figure={format.integer(today.actions)}
        about={t('overview.clicksSoFar', { count: today.clicks })}
      />
    )
  }
  return (
    <Figure
      name={t('overview.cameBack')}
      figure={today && format.money(today.value)}
      about={
        today && (
          <>
            {t('overview.actionsSoFar', { count: today.actions })}
            {today.spend > 0 && (
              <>
                <br />
                {t('overview.timesSpent', { times: format.times(today.value / today.spend) })}
              </>
            )}
          </>
        )
      }
    />
  )
}

/** The days of the period from the first on which money was spent: those before it, and those to come, say nothing. */
function daysOfSpend({ asOf, timeseries = [] }: NonNullable<Data>, { startS, endS }: Period): number {
  const first = timeseries.find(({ spend }) => spend > 0)?.date ?? startS
  return Math.max(1, (Math.min(asOf, endS) - Math.max(first, startS)) / 86_400)
}

/** The balance, and how long it lasts at the period's average spend. */
function Balance({ cuid, figures }: { cuid: number; figures: Data }) {
  const period = usePeriod()
  const { data: account } = useQuery(accountQuery(cuid))
  const perDay = figures ? figures.summary.spend / daysOfSpend(figures, period) : 0
  const lasts = account && perDay > 0 ? Math.floor(account.balance / perDay) : null
  return (
    <Figure
      name={t('balance.balance')}
      figure={account && format.money(account.balance)}
      about={
        <>
          {lasts !== null && lasts <= 365 && (
            <>
              {t('overview.lasts', { count: lasts })}
              <br />
            </>
          )}
          <Link to="/statement" className="link">
            {t('balance.statement')}
          </Link>
        </>
      }
    />
  )
}

interface FigureProps {
  name: string
  /** Undefined while it loads. */
  figure: string | undefined
  about: ReactNode
}

function Figure({ name, figure, about }: FigureProps) {
  return (
    <div>
      <span className="q">{name}</span>
      <div className="xl">{figure ?? <Skeleton h={30} my={5} w={120} />}</div>
      <p className="s q hero-about">{about}</p>
    </div>
  )
}
