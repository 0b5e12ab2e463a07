// The changes that wait for a decision: what each would change, the most that it costs, and two buttons. Below them those
// that were decided or have expired.

import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Changes } from '../format/changes.tsx'
import { dateTime, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useCuid } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { type Proposal, proposalsQuery } from './data.ts'
import { useDecide } from './decide.ts'

type Fields = Record<string, unknown> | null

export function ProposalsPage() {
  const cuid = useCuid()
  const { id } = useSearch({ from: '/inside/customer/proposals' })
  const proposals = useQuery(proposalsQuery(cuid))
  if (proposals.isPending) return <Waiting />
  if (proposals.error) return <Refused error={proposals.error} onRetry={() => proposals.refetch()} />
  // The one that was linked to comes first, then the latest.
  const sorted = proposals.data.toReversed().sort((a, b) => Number(b.id === id) - Number(a.id === id))
  const pending = sorted.filter(({ status }) => status === 'pending')
  const settled = sorted.filter(({ status }) => status !== 'pending')
  return (
    <>
      <PageHead title={t('proposals.title')} />
      <Stack>
        {pending.length === 0 && <Nothing icon="check" title={t('proposals.none')} />}
        {pending.map(proposal => (
          <Pending key={proposal.id} proposal={proposal} />
        ))}
        {settled.length > 0 && (
          <Panel title={t('proposals.settled')}>
            <Stack>
              {settled.map(proposal => (
                <Settled key={proposal.id} proposal={proposal} />
              ))}
            </Stack>
          </Panel>
        )}
      </Stack>
    </>
  )
}

/** With its number: two may propose the same. */
function titleOf({ id, before, after }: Proposal): string {
  const { name } = ((after ?? before) as Fields) ?? {}
  const word = before === null ? 'proposals.new' : after === null ? 'proposals.gone' : 'proposals.change'
  const title = Array.isArray(after) ? t('proposals.several') : t(word, { name: String(name) })
  return `${title} (${id})`
}

function Pending({ proposal }: { proposal: Proposal }) {
  const { cuid, id, costsAtMost, expires, created } = proposal
  const zone = useZone()
  const notice = useNotice()
  const deciding = useDecide(cuid, id)
  const may = useMay()
  const decide = (how: 'approve' | 'decline') =>
    deciding.mutate(how, { onSuccess: ({ status }) => notice.done(named('event.proposal', status)) })
  const title = titleOf(proposal)
  return (
    <Panel title={title}>
      <Stack gap="sm">
        <Text size="sm">{t('proposals.costs', { most: money(costsAtMost) })}</Text>
        <Differences proposal={proposal} />
        <Text size="xs" c="dimmed">
          {t('proposals.made', {
            who: whoMade(proposal),
            when: dateTime(created, zone),
            until: dateTime(expires, zone),
          })}
        </Text>
        {deciding.error && <Refused error={deciding.error} />}
        {may.spend && (
          <Group>
            <Button
              loading={deciding.isPending && deciding.variables === 'approve'}
              disabled={deciding.isPending}
              aria-label={`${t('proposals.approve')}: ${title}`}
              onClick={() => decide('approve')}
            >
              {t('proposals.approve')}
            </Button>
            <Button
              variant="default"
              loading={deciding.isPending && deciding.variables === 'decline'}
              disabled={deciding.isPending}
              aria-label={`${t('proposals.decline')}: ${title}`}
              onClick={() => decide('decline')}
            >
              {t('proposals.decline')}
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}

/** Of a bulk call, each object with its name. */
function Differences({ proposal: { before, after } }: { proposal: Proposal }) {
  if (!Array.isArray(before) || !Array.isArray(after))
    return <Changes before={before as Fields} after={after as Fields} />
  const [was, becomes] = [before as Fields[], after as Fields[]]
  return (
    <Stack gap="xs">
      {becomes.map((object, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The list of a proposal never changes.
        <div key={at}>
          <Text size="sm" fw="var(--strong)">
            {String((object ?? was[at])?.name ?? '')}
          </Text>
          <Changes before={was[at] ?? null} after={object} />
        </div>
      ))}
    </Stack>
  )
}

function Settled({ proposal }: { proposal: Proposal }) {
  const { status, decided } = proposal
  const zone = useZone()
  return (
    <div>
      <Group gap="xs">
        <Text size="sm" fw="var(--strong)" style={{ overflowWrap: 'anywhere' }}>
          {titleOf(proposal)}
        </Text>
        <Badge variant="default">{named('event.proposal', status)}</Badge>
      </Group>
      <Text size="xs" c="dimmed">
        {decided !== null && dateTime(decided, zone)}
      </Text>
      <Differences proposal={proposal} />
    </div>
  )
}

function whoMade({ createdBy }: Proposal): string {
  if (createdBy === 'app') return t('shell.staff')
  if (createdBy === 'console') return t('history.someone')
  if (createdBy.includes('@')) return createdBy
  const key = createdBy.startsWith('mqck_') ? createdBy.slice(0, 12) : createdBy
  return t('history.byKey', { key })
}
