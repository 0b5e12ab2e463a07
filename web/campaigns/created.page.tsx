// What happens after a campaign was created: the review of its banners, when it starts, what it can cost, and what to
// do meanwhile. The page has its own address and updates itself.

import './created.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { imageUrl } from '../api/client.ts'
import { accountQuery } from '../balance/data.ts'
import { type Banner, useCampaignBanners } from '../banners/data.ts'
import { integer, money, shortTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { usePersonas } from '../personas/data.ts'
import { nowMs } from '../sandbox/clock.ts'
import { useMay } from '../session/may.ts'
import { useCuid, useSession } from '../session/session.ts'
import { Icon, type IconName } from '../shell/icon.tsx'
import { Gone, isGone } from '../shell/not-found.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { fieldSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { statusText } from './campaign-status.tsx'
import { type Campaign, useCampaign } from './data.ts'
import { mostCost } from './most-cost.ts'

export function CreatedPage() {
  const cuid = useCuid()
  const { cid } = useParams({ from: '/inside/customer/campaigns/$cid/created' })
  const campaign = useCampaign(cuid, cid)
  const banners = useCampaignBanners(cuid, cid)
  const personas = usePersonas(cuid, cid)
  const error = campaign.error ?? banners.error ?? personas.error
  if (isGone(error)) return <Gone to="/campaigns" word={t('campaigns.title')} />
  if (!campaign.data || !banners.data || !personas.data) {
    const retry = () => void [campaign.refetch(), banners.refetch(), personas.refetch()]
    return error ? <Refused error={error} onRetry={retry} /> : <Waiting />
  }
  const { name } = campaign.data
  const pid = personas.data[0]?.pid
  const addTo = pid === undefined ? `/campaigns/${cid}` : `/campaigns/${cid}/personas/${pid}`
  const isBare = banners.data.length === 0
  return (
    <>
      <PageHead
        title={t('created.title', { name })}
        crumbs={[
          { name: t('campaigns.title'), to: '/campaigns' },
          { name, to: `/campaigns/${cid}` },
        ]}
      />
      {!isBare && <p className="q created-about">{t('created.about')}</p>}
      <ol className="created" aria-label={t('created.steps')}>
        <Review banners={banners.data} />
        <Begin campaign={campaign.data} banners={banners.data} />
        <Cost campaign={campaign.data} />
        <Meanwhile addTo={isBare ? null : addTo} />
      </ol>
      <Button component={Link} to={isBare ? addTo : `/campaigns/${cid}`}>
        {t(isBare ? 'banners.add' : 'created.open')}
      </Button>
    </>
  )
}

type Sign = 'done' | 'wait' | 'bad' | 'plain'

interface StepProps {
  sign: Sign
  icon: IconName
  title: string
  about: string
  /** The step changes by itself, and screen readers announce it. */
  isLive?: boolean
  children?: ReactNode
}

function Step({ sign, icon, title, about, isLive = false, children }: StepProps) {
  return (
    <li>
      <span className="created-sign" data-sign={sign} aria-hidden="true">
        <Icon name={icon} />
      </span>
      <div>
        <div role={isLive ? 'status' : undefined}>
          <b>{title}</b>
          <br />
          <span className="q">{about}</span>
        </div>
        {children}
      </div>
    </li>
  )
}

const MOST_PICTURES = 6

function Review({ banners }: { banners: readonly Banner[] }) {
  const of = (status: Banner['status']) => banners.filter(banner => banner.status === status)
  const [pending, approved, rejected] = [of('pending'), of('approved'), of('rejected')]
  const count = banners.length
  if (count === 0) {
    return (
      <Step isLive sign="bad" icon="image" title={t('created.noBanner')} about={t('created.noBannerAbout')} />
    )
  }
  const [sign, icon, title, about]: [Sign, IconName, string, string] =
    pending.length > 0
      ? ['wait', 'clock', t('created.pending', { count: pending.length }), whyPending(pending)]
      : rejected.length === 0
        ? ['done', 'check', t('created.approved', { count }), '']
        : approved.length === 0
          ? ['bad', 'warning', t('created.rejected', { count }), '']
          : ['bad', 'warning', partly(approved.length, count), t('created.unlike')]
  return (
    <Step isLive {...{ sign, icon, title, about }}>
      {rejected.map(banner => (
        <Rejected key={banner.bid} banner={banner} />
      ))}
      <div className="created-pictures" aria-hidden="true">
        {banners
          .filter(({ creativeURL }) => creativeURL.startsWith('/'))
          .slice(0, MOST_PICTURES)
          .map(({ bid, creativeURL }) => (
            <img key={bid} src={imageUrl(creativeURL)} alt="" />
          ))}
      </div>
    </Step>
  )
}

const partly = (approved: number, count: number) =>
  t('created.someApproved', { approved: integer(approved), of: count, count: approved })

/** What the review says, such as that a person decides; otherwise how long it usually takes. */
function whyPending(pending: readonly Banner[]): string {
  const said = new Set(pending.flatMap(({ findings }) => findings.map(finding => fieldSentence(finding))))
  return said.size > 0 ? [...said].join(' ') : t('created.pendingAbout')
}

function Rejected({ banner: { cid, pid, bid, name, findings } }: { banner: Banner }) {
  return (
    <p className="created-reason">
      {findings.map(finding => fieldSentence(finding)).join(' ')}{' '}
      <Link to="/campaigns/$cid/personas/$pid/banners/$bid" params={{ cid, pid, bid }} className="link">
        {t('created.correct', { name })}
      </Link>
    </p>
  )
}

function Begin({ campaign, banners }: { campaign: Campaign; banners: readonly Banner[] }) {
  const zone = useZone()
  const { start, end, status } = campaign
  const [starts, ends] = [shortTime(start, zone), shortTime(end, zone)]
  const about = t('created.startsAbout', { end: ends, zone })
  const [sign, icon, title]: [Sign, IconName, string] =
    status === 'running'
      ? ['done', 'play', t('created.running')]
      : start * 1000 > nowMs()
        ? ['plain', 'calendar', t('created.starts', { start: starts })]
        : status === 'incomplete'
          ? ['wait', 'clock', t(banners.length > 0 ? 'created.startsThen' : 'created.startsThenAdd')]
          : ['plain', 'clock', t('created.notNow', { status: statusText(campaign) })]
  if (status === 'ended') {
    return (
      <Step
        sign="plain"
        icon="clock"
        title={t('created.ended')}
        about={t('created.endedAbout', { end: ends })}
      />
    )
  }
  return <Step isLive {...{ sign, icon, title, about }} />
}

const MOST_WORDS = {
  days: 'created.mostAbout',
  months: 'created.mostMonths',
  total: 'created.mostTotal',
} as const

function Cost({ campaign }: { campaign: Campaign }) {
  const cuid = useCuid()
  const zone = useZone()
  const { customer } = useSession()
  const { data: account } = useQuery({ ...accountQuery(cuid), enabled: customer?.prepaid === true })
  const { start, end, dailySpend, monthlySpend, totalSpend, hours } = campaign
  const limits = { daily: dailySpend, monthly: monthlySpend, total: totalSpend }
  const most = mostCost({ start, end, hours, ...limits }, zone)
  if (most === null) return null
  const covered = account ? Math.floor(account.balance / dailySpend) : null
  const words = { daily: money(dailySpend), monthly: money(monthlySpend ?? 0), count: most.days }
  const how = t(MOST_WORDS[most.by], words)
  const covers =
    account && covered !== null && account.balance < most.amount
      ? t('created.covers', { balance: money(account.balance), count: covered })
      : ''
  return (
    <Step
      sign="plain"
      icon="account"
      title={t('created.most', { amount: money(most.amount) })}
      about={[how, covers].filter(Boolean).join(' ')}
    />
  )
}

/** `addTo` null: adding a banner is already the next step. */
function Meanwhile({ addTo }: { addTo: string | null }) {
  const may = useMay()
  return (
    <Step sign="plain" icon="plus" title={t('created.meanwhile')} about={t('created.meanwhileAbout')}>
      <p className="created-links">
        {may.edit && addTo && (
          <Link to={addTo} className="link">
            {t('created.addSize')}
          </Link>
        )}
        <Link to="/conversions" className="link">
          {t('created.count')}
        </Link>
      </p>
    </Step>
  )
}
