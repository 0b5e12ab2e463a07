// Alerts: what a customer should know about who can spend its money. They report a budget that was raised a lot, a new
// member, a new pair, and a pair used from a new network. They go to webhooks and by email to the owners, in the
// transaction of the change.

import { newEventId, RAISED_FACTOR, recordEvent, recordMail } from '../changes/outbox.ts'
import type { Note, Tx } from '../changes/tx.ts'
import type { ActorText } from '../kernel/actor.ts'
import { BUDGET_FIELDS, type BudgetField } from '../kernel/costs-more.ts'
import type { EventType } from '../kernel/event-type.ts'
import type { Db } from '../platform/database.ts'
import { selectRaisedFactor } from './alert-queries.ts'
import type { BudgetRaised, KeyAlert } from './contract.ts'
import { whoIs } from './who.ts'

interface Cause {
  at: Date
  cuid: number
  actor: ActorText
}

/** Compares budgets at the end of a transaction, however they were raised: by a call, bulk, a proposal or an undo. */
export async function alertRaised(tx: Tx, actor: ActorText): Promise<void> {
  const raised = raisedIn(tx.notes)
  const [first] = raised
  if (!first) return
  const factor = await factorOf(tx, first.cuid)
  const reported = raised.filter(({ times }) => factor !== null && times > factor)
  if (reported.length === 0) return
  const by = await whoIs(tx, first.cuid, actor)
  for (const { at, cuid, change } of reported) {
    await recordEvent(tx, { at, type: 'customer.budget_raised', cuid, data: { cuid, ...change, by } })
    await recordMail(tx, { at, cuid, kind: 'budgetRaised', about: newEventId(), facts: { ...change, by } })
  }
}

interface Raised {
  at: Date
  cuid: number
  /** The new budget divided by the old one; infinite if a limit was removed. */
  times: number
  change: Omit<BudgetRaised, 'cuid' | 'by'>
}

type Budgets = { [field in BudgetField]?: number | null }

/** Compares the first state in the transaction with the last: several operations of a bulk call count as one change. */
function raisedIn(notes: readonly Note[]): Raised[] {
  const objects = new Map<number, Note>()
  for (const note of notes.filter(({ noun }) => noun === 'campaign' || noun === 'flight')) {
    const known = objects.get(note.id)
    objects.set(note.id, known ? { ...known, after: note.after } : note)
  }
  return [...objects.values()].flatMap(note => BUDGET_FIELDS.flatMap(field => raisedField(note, field) ?? []))
}

function raisedField(note: Note, field: BudgetField): Raised | null {
  const { noun, id, cid, cuid, at } = note
  if (note.before === null || note.after === null) return null
  const before = (note.before as Budgets)[field] ?? null
  const after = (note.after as Budgets)[field] ?? null
  if (before === null || (after !== null && after <= before)) return null
  const times = after === null ? Number.POSITIVE_INFINITY : after / before
  return { at, cuid, times, change: { cid: cid!, fid: noun === 'flight' ? id : null, field, before, after } }
}

/** The factor above which a raised budget is reported; null: never. */
async function factorOf(tx: Db, cuid: number): Promise<number | null> {
  const chosen = await selectRaisedFactor(tx, cuid)
  return chosen ? chosen.budget_raised : RAISED_FACTOR
}

/** `member`: as the API shows it. */
export function alertMember(
  tx: Db,
  cause: Cause,
  member: { mid: number; email: string; role: string },
): Promise<void> {
  const { mid, email, role } = member
  return alertAccess(tx, cause, {
    type: 'customer.member_added',
    data: member,
    about: `member ${mid}`,
    facts: { what: 'member', email, role },
  })
}

export type AlertedKey = Omit<KeyAlert, 'cuid' | 'by'>

export function alertKey(tx: Db, cause: Cause, pair: AlertedKey): Promise<void> {
  const { key, scope } = pair
  return alertAccess(tx, cause, {
    type: 'customer.key_created',
    data: pair,
    about: `key ${key}`,
    facts: { what: 'key', key, scope },
  })
}

/** `network` tells the networks of a pair apart. Alerts within 10 minutes are sent in one email. */
export function alertNetwork(tx: Db, cause: Cause, pair: AlertedKey, network: string): Promise<void> {
  const { key, scope } = pair
  return alertAccess(tx, cause, {
    type: 'customer.key_new_network',
    data: pair,
    about: `network ${key} ${network}`,
    facts: { what: 'network', key, scope },
    waitMs: 10 * 60_000,
  })
}

interface AccessNews {
  type: EventType
  data: object
  about: string
  facts: object
  waitMs?: number
}

async function alertAccess(
  tx: Db,
  { at, cuid, actor }: Cause,
  { type, data, about, facts, waitMs = 0 }: AccessNews,
): Promise<void> {
  const by = await whoIs(tx, cuid, actor)
  await recordEvent(tx, { at, type, cuid, data: { ...data, by } })
  const notBefore = new Date(at.getTime() + waitMs)
  await recordMail(tx, { at, cuid, kind: 'access', about, facts: { ...facts, by }, notBefore })
}
