// The overview before the first campaign: what to do in which order, how an ad looks in its place, and how the page
// will look.

import './empty.css'
import '../campaigns/outlook.css'
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, tagged } from '../api/client.ts'
import { accountQuery } from '../balance/data.ts'
import { useKeepCustomer } from '../customers/data.ts'
import * as format from '../format/format.ts'
import { browserZone } from '../period/home.ts'
import { useMay } from '../session/may.ts'
import { useCuid, useSession } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { metricName, sumFigures } from '../stats/figures.ts'
import { t } from '../words/words.ts'
import { EXAMPLE, ExampleChart } from './example-chart.tsx'

export function FirstVisit() {
  const { customer, person } = useSession()
  const may = useMay()
  const name = person?.name ?? customer?.name ?? customer?.company ?? ''
  return (
    <>
      <PageHead title={t('empty.welcome', { name })} />
      <p className="q first-about">{t(may.edit ? 'empty.about' : 'empty.viewer')}</p>
      {may.edit && (
        <div className="first">
          <ol aria-label={t('empty.steps')}>
            {customer?.prepaid && <Credited />}
            <OwnClock />
            <Step sign="1" title={t('empty.create')} about={t('empty.createAbout')}>
              <Button component={Link} to="/create" leftSection={<Icon name="plus" />}>
                {t('campaigns.new')}
              </Button>
            </Step>
            <Step sign="2" title={t('empty.count')} about={t('empty.countAbout')}>
              <Button component={Link} to="/conversions" variant="default">
                {t('empty.showSnippet')}
              </Button>
            </Step>
            <Step sign="3" title={t('empty.read')} about={t('empty.readAbout')} />
          </ol>
          <InPlace />
        </div>
      )}
      <TwoWeeks />
    </>
  )
}

/** The first step of a prepaid customer: without money in the account, the other steps are of no use. */
function Credited() {
  const { data } = useQuery(accountQuery(useCuid()))
  if (!data) return null
  const isThere = data.balance > 0
  const word = isThere ? 'credited' : 'uncredited'
  return (
    <Step
      sign={isThere ? null : '0'}
      title={t(`empty.${word}`)}
      about={t(`empty.${word}About`, { balance: format.money(data.balance) })}
    >
      <Link to="/statement" className="link s">
        {t('balance.statement')}
      </Link>
    </Step>
  )
}

/** Days of budgets and figures are those of a zone: that of the browser, until somebody chooses one. */
function OwnClock() {
  const { customer, staff, timezone } = useSession()
  const zone = browserZone()
  const keep = useKeepCustomer()
  const notice = useNotice()
  const { mutate, isPending } = useMutation({
    mutationFn: () => tagged(api.withMeta.editCustomer({ cuid: customer!.cuid, body: { timezone: zone } })),
    onSuccess: saved => {
      keep(saved)
      notice.done(t('form.saved'))
    },
    onError: notice.refused,
  })
  const isChosen = customer?.timezone !== null || customer.timezonePending !== null
  if (staff || isChosen || zone === timezone || zone === 'UTC') return null
  return (
    <Step sign="•" title={t('empty.clock', { zone })} about={t('empty.clockAbout', { now: timezone })}>
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        {t('empty.clockUse', { zone })}
      </Button>
    </Step>
  )
}

interface StepProps {
  /** Null: done. */
  sign: string | null
  title: string
  about: string
  children?: ReactNode
}

function Step({ sign, title, about, children }: StepProps) {
  return (
    <li>
      <span className="num" data-done={sign === null || undefined} aria-hidden="true">
        {sign ?? <Icon name="check" />}
      </span>
      <div>
        <b>
          {sign === null && <span className="visually-hidden">{t('empty.done')} </span>}
          {title}
        </b>
        <br />
        <span className="q">{about}</span>
      </div>
      {children}
    </li>
  )
}

function InPlace() {
  return (
    <div className="first-place desk" aria-hidden="true">
      <p className="s q">{t('empty.place')}</p>
      <div className="in-place-page">
        <div className="in-place-bar">
          <i />
          <i />
          <i />
        </div>
        <div className="in-place-body">
          <div className="in-place-text">
            <b />
            <i />
            <i />
            <i />
            <i />
            <i />
          </div>
          <div className="first-ad">
            <span className="l">{t('empty.yourAd')}</span>
            <span className="s n">300 × 250</span>
          </div>
        </div>
      </div>
    </div>
  )
}

/** Invented figures, hidden from screen readers, which announce an example instead. */
function TwoWeeks() {
  const { spend, clicks } = sumFigures(EXAMPLE)
  const figures = [
    [metricName('spend'), format.roundMoney(spend)],
    [metricName('clicks'), format.integer(clicks)],
    [metricName('actions'), format.integer(52)],
    [metricName('roas'), format.times(3.7)],
  ] as const
  return (
    <section aria-label={t('empty.twoWeeks')}>
      <p className="first-example">
        <b>{t('empty.twoWeeks')}</b> <span className="status">{t('empty.example')}</span>
        <span className="visually-hidden">{t('empty.hidden')}</span>
      </p>
      <div className="panel" aria-hidden="true">
        <div className="first-figures">
          {figures.map(([name, figure]) => (
            <div key={name}>
              <span className="s">{name}</span>
              <div className="l">{figure}</div>
            </div>
          ))}
        </div>
        <div className="legend">
          <span>
            <i className="k m-spend" />
            {metricName('spend')}
          </span>
          <span>
            <i className="k bar m-clicks" />
            {metricName('clicks')}
          </span>
        </div>
        <div className="chart">
          <ExampleChart height={236} />
        </div>
      </div>
    </section>
  )
}
