// The changes that wait for a decision: what each would change, the most that it costs, and two buttons. Below them are
// those that were decided or have expired.

import { Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { MAX_REASON } from '../../src/manage/proposals/contract.ts'
import { api, MarqueeError } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useOnce } from '../form/once.ts'
import { dateTime, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { type Session, useCuid, useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { type Proposal, proposalsQuery } from './data.ts'
import { Differences } from './differences.tsx'

type Fields = Record<string, unknown> | null

export function ProposalsPage() {
  const cuid = useCuid()
  const { id } = useSearch({ from: '/inside/customer/proposals' })
  const proposals = useQuery(proposalsQuery(cuid))
  if (proposals.isPending) return <Waiting />
  if (!proposals.data) return <Refused error={proposals.error} onRetry={() => proposals.refetch()} />
  // The proposal that was linked to comes first, then the latest.
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

/** With its number, because two proposals may have the same title. */
function titleOf({ id, before, after }: Proposal): string {
  const { name } = ((after ?? before) as Fields) ?? {}
  const word = before === null ? 'proposals.new' : after === null ? 'proposals.gone' : 'proposals.change'
  const title = Array.isArray(after) ? t('proposals.several') : t(word, { name: String(name) })
  return `${title} (${id})`
}

function Pending({ proposal }: { proposal: Proposal }) {
  const { cuid, cids, id, before, costsAtMost, expires, created, createdBy } = proposal
  const zone = useZone()
  const session = useSession()
  const deciding = useDecide(cuid, id)
  const [declining, setDeclining] = useState(false)
  const may = useMay()
  const title = titleOf(proposal)
  const isOwn = createdBy === session.person?.email
  const approve = useOnce(deciding.isPending, () => deciding.mutate({ how: 'approve' }))
  const takeBack = useOnce(deciding.isPending, () => deciding.mutate({ how: 'decline', reason: null }))
  const chosen = deciding.isPending && deciding.variables.how
  return (
    <Panel title={title}>
      <Stack gap="sm">
        <Text size="sm">
          {costsAtMost === 0
            ? t('proposals.costsNothing')
            : t('proposals.costs', { most: money(costsAtMost) })}
        </Text>
        <Differences proposal={proposal} />
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('proposals.made', {
            who: whoWas(createdBy, session),
            when: dateTime(created, zone),
            until: dateTime(expires, zone),
          })}
        </Text>
        {deciding.error && !declining && <Refused error={deciding.error} />}
        <Group>
          {may.spend && (
            <Button
              loading={chosen === 'approve'}
              disabled={deciding.isPending}
              aria-label={`${t('proposals.approve')}: ${title}`}
              onClick={approve}
            >
              {t('proposals.approve')}
            </Button>
          )}
          {(may.spend || (may.edit && isOwn)) && (
            <Button
              variant="default"
              loading={chosen === 'decline' && !declining}
              disabled={deciding.isPending}
              aria-label={`${t(isOwn ? 'proposals.takeBack' : 'proposals.decline')}: ${title}`}
              onClick={isOwn ? takeBack : () => setDeclining(true)}
            >
              {t(isOwn ? 'proposals.takeBack' : 'proposals.decline')}
            </Button>
          )}
          {before !== null && cids.length === 1 && (
            <Link to="/campaigns/$cid" params={{ cid: cids[0]! }} className="link">
              {t('proposals.look')}
            </Link>
          )}
        </Group>
      </Stack>
      <DeclineDialog
        opened={declining}
        title={title}
        decline={reason => deciding.mutateAsync({ how: 'decline', reason })}
        onClose={() => setDeclining(false)}
      />
    </Panel>
  )
}

function Settled({ proposal }: { proposal: Proposal }) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw="var(--strong)" style={{ overflowWrap: 'anywhere' }}>
          {titleOf(proposal)}
        </Text>
        <Badge variant="default">{outcomeOf(proposal)}</Badge>
      </Group>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <Outcome proposal={proposal} />
      </Text>
      {proposal.reason !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
          {t('proposals.because', { reason: proposal.reason })}
        </Text>
      )}
      <Differences proposal={proposal} />
    </Stack>
  )
}

/** Who decided it, and who proposed it. */
function Outcome({ proposal }: { proposal: Proposal }) {
  const { decided, decidedBy, createdBy } = proposal
  const zone = useZone()
  const session = useSession()
  const when = decided === null ? '' : dateTime(decided, zone)
  const maker = whoWas(createdBy, session)
  if (decidedBy === null) return t('proposals.nobody', { when, maker })
  const who = whoWas(decidedBy, session)
  if (isTakenBack(proposal)) return t('proposals.takenBack', { who, when })
  return t('proposals.decidedBy', { who, when, maker })
}

/** The name as used in a sentence, after "by". */
function whoWas(actor: string, { person, customer }: Session): string {
  if (actor === person?.email) return t('proposals.you')
  if (actor === 'app') return t('shell.staff')
  if (actor === 'console') return customer?.name ?? customer?.company ?? t('proposals.someone')
  if (actor.includes('@')) return actor
  return t('proposals.byKey', { key: actor.startsWith('mqck_') ? actor.slice(0, 12) : actor })
}

/** The reason is null if none was given, and when people take back their own proposal. */
type Decision = { how: 'approve' } | { how: 'decline'; reason: string | null }

/**
 * An approval changes what other pages show. A decided proposal disappears with its buttons and messages, so the
 * outcome is shown in the corner and the focus moves to the heading.
 */
function useDecide(cuid: number, id: number) {
  const client = useQueryClient()
  const notice = useNotice()
  const isOver = (error: unknown) => error instanceof MarqueeError && error.code === 'proposal_settled'
  return useMutation({
    mutationFn: (decision: Decision) =>
      decision.how === 'approve'
        ? api.approveProposal({ cuid, id })
        : api.declineProposal({ cuid, id, body: { reason: decision.reason } }),
    onSuccess: proposal => notice.done(outcomeOf(proposal)),
    onError: error => isOver(error) && notice.refused(error),
    onSettled: async (_, error) => {
      await client.invalidateQueries()
      if (!error || isOver(error)) document.querySelector('h1')?.focus()
    },
  })
}

/** Declined by the one who made it. */
function isTakenBack({ status, createdBy, decidedBy }: Proposal): boolean {
  return status === 'declined' && decidedBy === createdBy
}

function outcomeOf(proposal: Proposal): string {
  return isTakenBack(proposal) ? t('proposals.tookBack') : named('event.proposal', proposal.status)
}

interface DeclineDialogProps {
  opened: boolean
  /** The title of the proposal. */
  title: string
  decline: (reason: string | null) => Promise<unknown>
  onClose: () => void
}

/** Declines a proposal, after asking why. The reason is for the one who made the proposal, and is optional. */
function DeclineDialog({ opened, title, decline, onClose }: DeclineDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`${t('proposals.decline')}: ${title}`}>
      <Form decline={decline} onClose={onClose} />
    </Dialog>
  )
}

function Form({ decline, onClose }: Pick<DeclineDialogProps, 'decline' | 'onClose'>) {
  const [reason, setReason] = useState('')
  const errors = useFieldErrors({ reason })
  const send = async () => {
    await decline(reason.trim() || null)
    onClose()
  }
  return (
    <CreateForm
      action={t('proposals.decline')}
      errors={errors}
      dirty={useDirty(reason)}
      create={send}
      onCancel={onClose}
    >
      <Textarea
        label={t('proposals.reason')}
        description={t('proposals.reasonAbout')}
        autosize
        minRows={3}
        maxLength={MAX_REASON}
        data-autofocus
        value={reason}
        error={errors.at('/reason')}
        onChange={event => setReason(event.currentTarget.value)}
      />
    </CreateForm>
  )
}
