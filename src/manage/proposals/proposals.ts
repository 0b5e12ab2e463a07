// The verbs of proposals: make, list, read, approve, decline, expire. A proposal is applied by the endpoint that it was
// made with, with the rights of whoever approves it, in the transaction that settles it.

import { costsAtMost } from '../../changes/costs.ts'
import { recordEvent, recordMail, recordMailTo } from '../../changes/outbox.ts'
import { countProposal } from '../../changes/rights.ts'
import type { Tx } from '../../changes/tx.ts'
import { HEAVY_STEP, type LongRead, only } from '../../http/list.ts'
import type { Proposal, ProposalResult, ProposalStatus } from '../../http/proposed.ts'
import type { Proposer } from '../../http/proposing.ts'
import { scopeAllows } from '../../http/scope.ts'
import type { By } from '../../identity/contract.ts'
import { shownMaker } from '../../identity/credentials.ts'
import { whoActed, whoIs } from '../../identity/who.ts'
import { actorOf, memberOf } from '../../kernel/actor.ts'
import type { Caller } from '../../kernel/caller.ts'
import { notFound, Problem, refusal } from '../../kernel/errors/problem.ts'
import type { EventType } from '../../kernel/event-type.ts'
import { parseId } from '../../kernel/id.ts'
import { fromMicros } from '../../kernel/money.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { Database, Db } from '../../platform/database.ts'
import type { Declining } from './contract.ts'
import { draftOf, type Made, refuseFailed, refuseOtherThanShown } from './draft.ts'
import {
  countPending,
  countWaiting,
  deleteOldSettled,
  deleteSettled,
  expireProposals,
  insertProposal,
  lockProposal,
  NOUNS,
  type ProposalRow,
  selectLastState,
  selectProposal,
  selectProposals,
  selectVersions,
  settleProposal,
} from './queries.ts'

export interface ProposalParts {
  clock: Clock
  publicUrl: string
  /** The deployment's time zone. */
  timeZone: string
}

export const EXPIRES_MS = 7 * DAY_MS
const KEEP_MS = 90 * DAY_MS
export const MOST_PENDING = 100
export const MOST_SETTLED = 1000
const PAGE = 100

export function createProposer(parts: ProposalParts): Proposer {
  const { clock, publicUrl, timeZone } = parts
  return {
    async draft(tx, trial) {
      const draft = await draftOf(tx, trial, timeZone)
      const { cuid, endpoint, params, body, caller } = trial
      return async store => {
        const now = new Date(clock.nowMs())
        await countProposal(store, { cuid, key: caller.key, at: now, ownZone: timeZone })
        if ((await countPending(store, cuid)) >= MOST_PENDING)
          throw refusal('too_many_proposals', { max: MOST_PENDING })
        await deleteOldSettled(store, cuid, MOST_SETTLED)
        const row = await insertProposal(store, {
          ...draft,
          cuid,
          operation: endpoint.id,
          params,
          body,
          actor: caller.key,
          created_at: now,
          expires_at: new Date(now.getTime() + EXPIRES_MS),
        })
        const proposal = await sent(store, row, 'proposal.created', parts)
        const by = await whoIs(store, cuid, caller.key)
        const { id, cids, costsAtMost } = proposal
        const facts = { id, cid: cids[0] ?? null, costsAtMost, by }
        await recordMail(store, { at: now, cuid, kind: 'proposals', about: String(proposal.id), facts })
        const location = `${publicUrl}/proposal/${proposal.id}?cuid=${cuid}`
        return { status: 202, headers: { location }, body: { proposal } }
      }
    },
  }
}

/** A pair that is limited to campaigns sees only proposals that touch nothing else. */
function maySee(caller: Caller, { cids }: Pick<Proposal, 'cids'>): boolean {
  const own = caller.level === 'customer' ? caller.cids : null
  return own === null || (cids.length > 0 && cids.every(cid => own.includes(cid)))
}

export function listProposals(
  db: Db,
  caller: Caller,
  cuid: number,
  status: ProposalStatus | undefined,
  parts: ProposalParts,
  longRead?: LongRead,
) {
  const page = async (after: number, limit: number) =>
    toProposals(db, await selectProposals(db, cuid, after, limit), parts)
  const fits = (proposal: Proposal) =>
    maySee(caller, proposal) && (status === undefined || proposal.status === status)
  return only(page, ({ id }) => id, fits, longRead, HEAVY_STEP)
}

export async function readProposal(
  db: Db,
  caller: Caller,
  cuid: number,
  idText: string,
  parts: ProposalParts,
): Promise<Proposal> {
  const id = parseId(idText)
  const row = id === null ? null : await selectProposal(db, cuid, id)
  if (!row || !maySee(caller, row)) throw notFound('proposal')
  return toProposal(db, row, parts)
}

/** Makes the proposed call, with the rights of whoever approves it. */
export type Apply = (
  operation: string,
  call: { params: Record<string, string>; body: unknown },
) => Promise<Made>

export async function approveProposal(
  tx: Tx,
  caller: Caller,
  cuid: number,
  idText: string,
  { apply, ...parts }: ProposalParts & { apply: Apply },
): Promise<Proposal> {
  const row = await lockPending(tx, caller, cuid, idText, parts.clock)
  await refuseChanged(tx, row)
  const { operation, params, body } = row
  const made = await apply(operation, { params, body: body ?? undefined })
  refuseFailed(made.made.body)
  refuseOtherThanShown(tx, made, row)
  // The object that is copied may have become more expensive.
  const most = await costsAtMost(tx, parts.timeZone)
  if (most > row.costs_micros) {
    const [now, proposed] = [fromMicros(most), fromMicros(row.costs_micros)]
    throw refusal('proposal_costs_more', { now, proposed })
  }
  const at = new Date(parts.clock.nowMs())
  const result = made.made.status === 201 ? madeIds(made.made.body) : null
  const settled = await settleProposal(tx, row.proposal_id, {
    status: 'approved',
    by: caller.key,
    at,
    reason: null,
    result,
  })
  return decided(tx, settled, 'proposal.approved', parts)
}

export async function declineProposal(
  tx: Db,
  caller: Caller,
  cuid: number,
  idText: string,
  { reason = null, ...parts }: ProposalParts & Declining,
): Promise<Proposal> {
  const row = await lockPending(tx, caller, cuid, idText, parts.clock)
  refuseOthers(caller, row)
  const at = new Date(parts.clock.nowMs())
  const decision = { status: 'declined', by: caller.key, at, reason, result: null } as const
  return decided(tx, await settleProposal(tx, row.proposal_id, decision), 'proposal.declined', parts)
}

/** Tells a person how their proposal was decided, unless they decided it themselves. */
async function decided(tx: Db, row: ProposalRow, type: EventType, parts: ProposalParts): Promise<Proposal> {
  const { proposal_id: id, cuid, cids, status, actor, decided_by } = row
  const mid = memberOf(actorOf(actor))
  if (mid !== null && decided_by !== null && decided_by !== actor) {
    const facts = { id, cid: cids[0] ?? null, status, by: await whoIs(tx, cuid, decided_by) }
    const at = new Date(parts.clock.nowMs())
    await recordMailTo(tx, { at, cuid, kind: 'decisions', about: String(id), facts }, [mid])
  }
  return sent(tx, row, type, parts)
}

export async function expireDue(db: Database, parts: ProposalParts): Promise<void> {
  for (let page = PAGE; page === PAGE; ) {
    page = await db.transaction(async tx => {
      const rows = await expireProposals(tx, new Date(parts.clock.nowMs()), PAGE)
      for (const row of rows) await sent(tx, row, 'proposal.expired', parts)
      return rows.length
    })
  }
}

export async function sweepProposals(db: Db, clock: Clock): Promise<void> {
  await deleteSettled(db, new Date(clock.nowMs() - KEEP_MS))
}

/** Callers who may propose but not decide can only take back their own proposals. */
function refuseOthers(caller: Caller, { actor }: ProposalRow): void {
  if (caller.level === 'app' || actor === caller.key || scopeAllows(caller.scope, 'approve')) return
  throw refusal('scope_too_low', { scope: caller.scope, needs: 'approve' })
}

async function lockPending(tx: Db, caller: Caller, cuid: number, idText: string, clock: Clock) {
  const id = parseId(idText)
  const row = id === null ? null : await lockProposal(tx, cuid, id)
  if (!row || !maySee(caller, row)) throw notFound('proposal')
  const status = statusOf(row, clock)
  if (status !== 'pending') throw refusal('proposal_settled', { status })
  return row
}

/**
 * Throws if an object of the proposal has changed. From here to the end of the transaction, none of them can change.
 */
async function refuseChanged(tx: Db, { cuid, bound }: ProposalRow): Promise<void> {
  const changed: object[] = []
  const what: string[] = []
  for (const noun of NOUNS) {
    const own = bound.filter(one => one.noun === noun)
    if (own.length === 0) continue
    const ids = own.map(({ id }) => id)
    const now = new Map((await selectVersions(tx, noun, ids, true)).map(row => [row.id, row.version]))
    for (const { id, version, before } of own.filter(({ id, version }) => now.get(id) !== version)) {
      what.push(`${noun} ${id}`)
      changed.push({ noun, id, version, before, now: await selectLastState(tx, cuid, id) })
    }
  }
  if (what.length > 0) throw new Problem('proposal_outdated', { what, changed }, {})
}

function madeIds(body: unknown): ProposalResult {
  const made = body as ProposalResult
  const names = ['cid', 'fid', 'pid', 'bid'] as const
  return Object.fromEntries(names.flatMap(name => (made[name] === undefined ? [] : [[name, made[name]]])))
}

async function sent(tx: Db, row: ProposalRow, type: EventType, parts: ProposalParts): Promise<Proposal> {
  const { by, ...proposal } = await reported(tx, row, type, parts)
  const data = { ...proposal, ...(by && { by }) }
  await recordEvent(tx, { at: new Date(parts.clock.nowMs()), type, cuid: row.cuid, data })
  return proposal
}

/** With `by`, whoever made or decided it; nobody for an expired proposal. */
async function reported(
  db: Db,
  row: ProposalRow,
  type: EventType,
  parts: ProposalParts,
): Promise<Proposal & { by?: By }> {
  const proposal = await toProposal(db, row, parts)
  const actor = type === 'proposal.created' ? row.actor : row.decided_by
  return actor === null ? proposal : { ...proposal, by: await whoIs(db, row.cuid, actor) }
}

/** What an event of this type would report about a proposal. */
export async function reportedProposal(
  db: Db,
  cuid: number,
  id: number,
  type: EventType,
  parts: ProposalParts,
): Promise<object> {
  const row = await selectProposal(db, cuid, id)
  if (!row) throw notFound('proposal')
  return reported(db, row, type, parts)
}

/** An expired proposal can no longer be decided, even if its row was not updated yet. */
function statusOf({ status, expires_at }: ProposalRow, clock: Clock): ProposalStatus {
  return status === 'pending' && expires_at.getTime() <= clock.nowMs() ? 'expired' : status
}

async function toProposal(db: Db, row: ProposalRow, parts: ProposalParts): Promise<Proposal> {
  return (await toProposals(db, [row], parts))[0]!
}

/** The name of a pair of the customer; pairs of its app are not shown to it. */
function nameOf(actor: string, by: By | undefined): string | null {
  return actorOf(actor).kind === 'pair' ? (by?.name ?? null) : null
}

/** All rows are of one customer. A person is shown by email, a pair by its name. */
async function toProposals(db: Db, rows: ProposalRow[], { clock, publicUrl }: ProposalParts) {
  const actors = new Set(rows.flatMap(row => [row.actor, ...(row.decided_by ? [row.decided_by] : [])]))
  const who = rows[0] ? await whoActed(db, rows[0].cuid, [...actors]) : new Map<string, By>()
  const shown = (actor: string | null) =>
    actor && (who.get(actor)?.email ?? nameOf(actor, who.get(actor)) ?? shownMaker(actor))
  return rows.map((row): Proposal => {
    const status = statusOf(row, clock)
    const decidedAt = status === 'expired' ? row.expires_at : row.decided_at
    return {
      id: row.proposal_id,
      cuid: row.cuid,
      url: `${publicUrl}/console/proposals?id=${row.proposal_id}`,
      operation: row.operation,
      cids: row.cids,
      before: row.before,
      after: row.after,
      costsAtMost: fromMicros(row.costs_micros),
      status,
      created: toSeconds(row.created_at),
      createdBy: shown(row.actor)!,
      expires: toSeconds(row.expires_at),
      decided: decidedAt && toSeconds(decidedAt),
      decidedBy: shown(row.decided_by),
      reason: row.reason,
      result: row.result,
    }
  })
}

/** How many proposals of a customer wait for a decision. */
export const countProposals = countWaiting
