// What waits for a decision, and what keeps campaigns from delivering, with a link to the remedy; one line if there is
// nothing.

import { Button, List, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Issue } from '../../src/diagnose/issues/contract.ts'
import { api } from '../api/client.ts'
import type { Campaign } from '../campaigns/data.ts'
import { useZone } from '../period/use-period.ts'
import { waitingQuery } from '../proposals/data.ts'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { Refused } from '../shell/states.tsx'
import { fieldSentence } from '../words/error-words.ts'
import { named, t } from '../words/words.ts'

/** The rest is one click away. */
const SHOWN = 5
const LOOK_AGAIN_MS = 20_000
/** All other issues pass by themselves or only need a look. */
const BAD: readonly Issue['code'][] = ['banner_rejected', 'frozen', 'balance_spent', 'total_spent']

interface AttentionProps {
  cuid: number
  campaigns: readonly Campaign[] | undefined
}

export const useIssues = (cuid: number) =>
  useQuery({
    queryKey: ['issues', cuid],
    queryFn: () => api.listIssues({ cuid }),
    refetchInterval: LOOK_AGAIN_MS,
  })

export function Attention({ cuid, campaigns }: AttentionProps) {
  const issues = useIssues(cuid)
  const list = issues.data ?? []
  const [all, setAll] = useState(false)
  const waiting = useWaiting()
  return (
    <section className="attention" aria-labelledby="attention">
      <h2 id="attention" className="visually-hidden">
        {t('overview.attention')}
      </h2>
      {issues.isPending && <Skeleton h={46} />}
      {issues.error && <Refused error={issues.error} onRetry={() => issues.refetch()} />}
      {issues.data && campaigns && list.length + waiting === 0 && <Calm campaigns={campaigns} />}
      {list.length + waiting > 0 && (
        <ul className="issues">
          {waiting > 0 && (
            <li>
              <ProposalsRow count={waiting} />
            </li>
          )}
          {list.slice(0, all ? list.length : SHOWN).map(issue => (
            <li key={`${issue.code}-${issue.cid}-${issue.pid}-${issue.bid}`}>
              <IssueRow issue={issue} />
            </li>
          ))}
        </ul>
      )}
      {list.length > SHOWN && (
        <Button variant="subtle" size="compact-sm" mt="xs" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('overview.fewerIssues') : t('overview.moreIssues', { count: list.length })}
        </Button>
      )}
    </section>
  )
}

/** How many proposals wait for the reader; the session knows, so no call is needed. */
function useWaiting(): number {
  const { customer } = useSession()
  const { spend } = useMay()
  const { data = 0 } = useQuery({ ...waitingQuery(customer!), enabled: spend })
  return spend ? data : 0
}

function ProposalsRow({ count }: { count: number }) {
  return (
    <>
      <span className="sign" aria-hidden="true">
        <Icon name="edit" />
      </span>
      <div className="what">
        <Link to="/proposals" className="strong-link">
          {t('overview.proposals', { count })}
        </Link>
        <Text c="dimmed">{t('overview.proposalsAbout')}</Text>
      </div>
      <span className="acts">
        <Button component={Link} to="/proposals" variant="default">
          {t('overview.decide')}
        </Button>
      </span>
    </>
  )
}

function Calm({ campaigns }: { campaigns: readonly Campaign[] }) {
  const running = campaigns.filter(({ status }) => status === 'running').length
  return (
    <p className="calm">
      <Icon name="check" />
      <span>
        <b>{t('overview.allWell')}</b>{' '}
        {running > 0 ? t('overview.deliver', { count: running }) : t('overview.noneRunning')}
      </span>
      <Link to="/campaigns" className="link end desk">
        {t('overview.seeAll', { count: campaigns.length })}
      </Link>
    </p>
  )
}

function IssueRow({ issue }: { issue: Issue }) {
  const timezone = useZone()
  const isBad = BAD.includes(issue.code)
  const names = [issue.campaign, issue.persona, issue.banner].filter(Boolean).join(' › ')
  const remedy = remedyOf(issue)
  return (
    <>
      <span className={isBad ? 'sign bad' : 'sign'} aria-hidden="true">
        <Icon name={isBad ? 'stop' : 'warning'} />
      </span>
      <div className="what">
        <Link to={pathOf(issue)} className="strong-link">
          {names}
        </Link>
        <Text c="dimmed">{named('issue', issue.code)}</Text>
        {issue.findings.length > 0 && (
          <List size="sm" c="dimmed" listStyleType="none">
            {issue.findings.map(finding => (
              <List.Item key={finding.message}>{fieldSentence(finding, timezone)}</List.Item>
            ))}
          </List>
        )}
      </div>
      <span className="acts">
        <Button component={Link} to={remedy.to} search={remedy.search as never} variant="default">
          {remedy.word}
        </Button>
      </span>
    </>
  )
}

interface Remedy {
  to: string
  search?: { tab: string }
  word: string
}

/** Where an issue is solved, and the text of the button that leads there. */
function pathOf({ cid, pid, bid }: Issue): string {
  if (pid && bid) return `/campaigns/${cid}/personas/${pid}/banners/${bid}`
  return pid ? `/campaigns/${cid}/personas/${pid}` : `/campaigns/${cid}`
}

export function remedyOf(issue: Issue): Remedy {
  const campaign = `/campaigns/${issue.cid}`
  const settings = { to: campaign, search: { tab: 'settings' } }
  switch (issue.code) {
    case 'no_persona':
      return { to: `${campaign}/new-persona`, word: t('remedy.addPersona') }
    case 'no_banner':
      return { to: pathOf(issue), word: t('remedy.addBanner') }
    case 'budget_spent':
    case 'month_spent':
    case 'total_spent':
      return { ...settings, word: t('remedy.budget') }
    case 'off_hours':
      return { ...settings, word: t('remedy.hours') }
    case 'attribute_unseen':
      return { to: pathOf(issue), search: { tab: 'targeting' }, word: t('remedy.look') }
    case 'place_unknown':
      return { to: pathOf(issue), search: { tab: 'targeting' }, word: t('remedy.places') }
    case 'banner_rejected':
    case 'banner_pending':
    case 'landing_page':
      return { to: pathOf(issue), word: t('remedy.banner') }
    case 'frozen':
      return { to: '/account', word: t('remedy.account') }
    case 'balance_spent':
      return { to: '/statement', word: t('remedy.statement') }
    default:
      return { to: pathOf(issue), word: t('remedy.look') }
  }
}
