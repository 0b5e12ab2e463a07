// Why a persona does not deliver more: the answer in a sentence, a remedy, then how far ad requests got.

import './funnel.css'
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Funnel, LEAST_SAMPLED } from '../../src/diagnose/funnel/contract.ts'
import { api } from '../api/client.ts'
import { dateTime, integer, roundPercent } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useCuid } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { type Answer, answerOf, type FunnelStage } from './funnel-answer.ts'

interface FunnelPanelProps {
  cid: number
  pid: number
  /** Beside the title, to choose a persona if there are several. */
  actions?: ReactNode
  /** Below the answer, for the stage that loses the most: the usual remedy, or a better one. */
  hints?: (worst: FunnelStage | null, remedy: ReactNode) => ReactNode
}

export function FunnelPanel({ cid, pid, actions, hints }: FunnelPanelProps) {
  const cuid = useCuid()
  const funnel = useQuery({
    queryKey: ['funnel', cuid, cid, pid],
    queryFn: () => api.personaFunnel({ cuid, cid, pid }),
  })
  return (
    <Panel title={t('stats.funnel')} actions={actions}>
      {funnel.isPending && <Waiting height={200} />}
      {funnel.error && <Refused error={funnel.error} onRetry={() => funnel.refetch()} />}
      {funnel.data &&
        (funnel.data.sampled < LEAST_SAMPLED ? (
          <TooEarly funnel={funnel.data} />
        ) : (
          <Answered funnel={funnel.data} cid={cid} hints={hints} />
        ))}
    </Panel>
  )
}

function TooEarly({ funnel: { since, sampled } }: { funnel: Funnel }) {
  const words = { since: dateTime(since, useZone()), sampled: integer(sampled), least: LEAST_SAMPLED }
  return <Nothing icon="statistics" title={t('stats.tooEarly')} about={t('stats.tooEarlyAbout', words)} />
}

interface AnsweredProps {
  funnel: Funnel
  cid: number
  hints: FunnelPanelProps['hints']
}

function Answered({ funnel, cid, hints }: AnsweredProps) {
  const timezone = useZone()
  const { requests, sampled, served, since, pid } = funnel
  const answer = answerOf(funnel)
  const counted = (part: number) => integer(Math.round((part * requests) / sampled))
  const remedy = answer.worst && <Remedy stage={answer.worst.stage} cid={cid} pid={pid} />
  let before = 1
  return (
    <>
      <Sentence answer={answer} />
      <ol className="funnel" aria-label={t('stats.funnelSteps')}>
        <StepBar name={t('stats.requests')} count={integer(requests)} share={1} />
        {answer.steps.map(({ stage, passed, lost }) => {
          const from = before
          before = passed / sampled
          return (
            <StepBar
              key={stage}
              name={named('stage', stage)}
              count={counted(passed)}
              share={before}
              from={from}
              lost={lost}
              isWorst={stage === answer.worst?.stage}
            />
          )
        })}
        <StepBar
          name={t('stats.shown')}
          count={integer(served)}
          share={Math.min(before, served / requests)}
        />
      </ol>
      <Text size="xs" c="dimmed" mt="xs">
        {t('stats.funnelAbout', { since: dateTime(since, timezone), sampled: integer(sampled) })}
        {answer.harmless > 0 && ` ${t('stats.harmless', { count: answer.harmless })}`}
      </Text>
      {hints ? hints(answer.worst?.stage ?? null, remedy) : remedy}
    </>
  )
}

function Sentence({ answer: { worst, through } }: { answer: Answer }) {
  const share = roundPercent(worst?.lost ?? through)
  return (
    <p style={{ margin: '0 0 8px' }}>
      <b>{worst ? named('blame', worst.stage) : t('stats.unhindered')}</b>{' '}
      {worst ? named('why', worst.stage).replace('{share}', share) : t('stats.throughAll', { share })}
    </p>
  )
}

interface StepBarProps {
  name: string
  count: string
  /** The share of all requests that get this far. */
  share: number
  /** The share of the step before. */
  from?: number
  /** The share that gets no further. */
  lost?: number
  isWorst?: boolean
}

function StepBar({ name, count, share, from = share, lost = 0, isWorst = false }: StepBarProps) {
  return (
    <li className={isWorst ? 'worst' : undefined}>
      <span>{name}</span>
      <span className="count">{count}</span>
      <span className="lost">{lost > 0 ? `−${roundPercent(lost)}` : ''}</span>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
        {from > share && (
          <em style={{ insetInlineStart: `${share * 100}%`, width: `${(from - share) * 100}%` }} />
        )}
      </span>
    </li>
  )
}

const BY_TARGETING: readonly FunnelStage[] = ['geo', 'category', 'device', 'attribute', 'gender', 'age']
const BY_SETTINGS: readonly FunnelStage[] = ['hours', 'sites', 'floor', 'budget', 'cap', 'pacing', 'outbid']

/** A link to where the worst stage can be changed. */
function Remedy({ stage, cid, pid }: { stage: FunnelStage; cid: number; pid: number }) {
  const may = useMay()
  const persona = `/campaigns/${cid}/personas/${pid}`
  const [to, tab] = BY_TARGETING.includes(stage)
    ? [persona, 'targeting']
    : BY_SETTINGS.includes(stage)
      ? [`/campaigns/${cid}`, 'settings']
      : stage === 'schedule'
        ? [`/campaigns/${cid}`, 'flights']
        : [persona, 'banners']
  if (!may.edit || stage === 'blocked') return null
  return (
    <Group mt="sm">
      <Button component={Link} to={to} search={{ tab } as never} variant="default" fullWidth>
        {t(BY_TARGETING.includes(stage) ? 'mend.targeting' : `mend.${stage as Mended}`)}
      </Button>
    </Group>
  )
}
type Mended = Exclude<FunnelStage, 'geo' | 'category' | 'device' | 'attribute' | 'gender' | 'age' | 'blocked'>
