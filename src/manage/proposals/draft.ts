// What a call changes, read from the transaction that makes it: the objects before and after, their versions before,
// and the most that it costs. A call is tried to propose it, and made to approve it: both must change the same.

import { isDeepStrictEqual } from 'node:util'

import { costsAtMost } from '../../changes/costs.ts'
import type { Note, Tx } from '../../changes/tx.ts'
import { withoutNewIds } from '../../http/dry-run.ts'
import { weightOf } from '../../http/pieces.ts'
import type { Trial } from '../../http/proposing.ts'
import { Problem, refusal } from '../../kernel/errors/problem.ts'
import type { Db } from '../../platform/database.ts'
import {
  type Bound,
  type NewProposalRow,
  NOUNS,
  type Noun,
  type ProposalRow,
  selectLastState,
  selectVersions,
} from './queries.ts'

/** In the order of their ids in a path. */
const PATH_IDS = { cid: 'campaign', fid: 'flight', pid: 'persona', bid: 'banner' } as const
const IDS = new Set(Object.keys(PATH_IDS))

/** In characters of JSON, about. A list holds twenty proposals at once. */
export const MOST_CHARACTERS = 4_000_000

/** The call as it was made. */
export type Made = Pick<Trial, 'endpoint' | 'made'>
export type Draft = Pick<NewProposalRow, 'cids' | 'bound' | 'before' | 'after' | 'costs_micros'>

export async function draftOf(tx: Tx, trial: Trial, timeZone: string): Promise<Draft> {
  refuseFailed(trial.made.body)
  const { notes } = tx
  const changed = changedObjects(notes)
  const bound = await boundTo(tx, trial, notes, changed)
  const known = new Set(bound.filter(({ noun }) => noun === 'campaign').map(({ id }) => id))
  const born = new Set(
    changed.filter(({ noun, id }) => noun === 'campaign' && !known.has(id)).map(({ id }) => id),
  )
  const shown = shownChange(trial, changed, new Set(bound.map(({ id }) => id)))
  if (weightOf([shown, bound]) > MOST_CHARACTERS)
    throw refusal('too_much_to_propose', { max: MOST_CHARACTERS })
  const cids = [...new Set(notes.flatMap(({ cid }) => (cid === null || born.has(cid) ? [] : [cid])))]
  return {
    cids,
    bound,
    ...shown,
    costs_micros: await costsAtMost(tx, timeZone),
  }
}

/** A bulk call that would be applied only in part cannot be proposed. */
export function refuseFailed(body: unknown): void {
  const { failed = 0, results = [] } = body as {
    failed?: number
    results?: { error?: { message: string } }[]
  }
  const first = results.find(({ error }) => error)?.error
  if (failed > 0 && first) throw refusal('proposal_fails', { failed, message: first.message })
}

interface Changed {
  noun: Noun
  id: number
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  /** The number of changes: each one is a version. */
  times: number
}

/** Each object from its first state in the transaction to its last. */
function changedObjects(notes: readonly Note[]): Changed[] {
  const objects = new Map<number, Changed>()
  const each = notes.flatMap(({ noun, id, before, after, born }) =>
    born ? born.map(one => ({ noun, before: null, ...one })) : id === 0 ? [] : [{ noun, id, before, after }],
  )
  for (const { noun, id, before, after } of each) {
    const known = objects.get(id)
    const first = known ?? { noun: noun as Noun, id, before: before as Changed['before'], times: 0 }
    objects.set(id, { ...first, after: after as Changed['after'], times: first.times + 1 })
  }
  return [...objects.values()]
}

/**
 * The objects that the proposal is bound to: those that it changes, the campaigns of flights that it changes, and the
 * last object named in its path (which is copied, or gets something new). What it creates has no earlier version.
 */
async function boundTo(tx: Db, { cuid, params }: Trial, notes: readonly Note[], changed: Changed[]) {
  const wanted = new Map<number, Noun>(changed.map(({ noun, id }) => [id, noun]))
  for (const { noun, cid } of notes) if (noun === 'flight' && cid !== null) wanted.set(cid, 'campaign')
  const last = Object.entries(PATH_IDS).findLast(([name]) => params[name] !== undefined)
  if (last) wanted.set(Number(params[last[0]]), last[1])
  const bound: Bound[] = []
  for (const noun of NOUNS) {
    const ids = [...wanted].flatMap(([id, of]) => (of === noun ? [id] : []))
    if (ids.length === 0) continue
    for (const { id, version } of await selectVersions(tx, noun, ids, false)) {
      const own = changed.find(one => one.id === id)
      const first = version - (own?.times ?? 0)
      if (first < 1) continue
      bound.push({ noun, id, version: first, before: own ? own.before : await selectLastState(tx, cuid, id) })
    }
  }
  return bound
}

type Change = Pick<Draft, 'before' | 'after'>

/** `known`: the ids of the changed objects that were there before. */
function shownChange({ endpoint, made }: Made, changed: Changed[], known: Set<number>): Change {
  const born = new Set(changed.flatMap(({ id }) => (known.has(id) ? [] : [id])))
  const shown = changed.map(one => ({ ...one, after: one.after && withoutIds(one.after, born) }))
  if (endpoint.id === 'bulk')
    return { before: shown.map(({ before }) => before), after: shown.map(({ after }) => after) }
  const [first] = shown
  if (made.status !== 201) return { before: first!.before, after: first!.after }
  // A whole order with all its contents. A copy's flights are not in its answer.
  const whole = withoutNewIds(made.body, endpoint.makes ?? []) as Record<string, unknown>
  const flights = shown.flatMap(({ noun, after }) => (noun === 'flight' && after ? [after] : []))
  const isCampaign = first?.noun === 'campaign' && flights.length > 0
  return { before: null, after: isCampaign ? { flights, ...whole } : whole }
}

function withoutIds(object: Record<string, unknown>, ids: Set<number>): Record<string, unknown> {
  const isNew = ([name, value]: [string, unknown]) => IDS.has(name) && ids.has(value as number)
  return Object.fromEntries(Object.entries(object).filter(entry => !isNew(entry)))
}

/**
 * Throws if the call, made now, changes something else than was shown. Only ids of what it creates, times of the change
 * and what the service finds out by itself, such as the status of a review, may differ.
 */
export function refuseOtherThanShown(tx: Tx, made: Made, { before, after, bound }: ProposalRow): void {
  const now = shownChange(made, changedObjects(tx.notes), new Set(bound.map(({ id }) => id)))
  const shown = { before, after }
  if (!isDeepStrictEqual(decided(now), decided(shown)))
    throw new Problem('proposal_shows_other', { shown, now }, {})
}

const FOUND_OUT =
  'created updated status resumes spentBy missing warnings reasons findings type bytes width height'.split(
    ' ',
  )

/** What a person decides about, in the form in which it is stored. */
function decided({ before, after }: Change): unknown {
  return JSON.parse(JSON.stringify(withoutNewIds([before, after], FOUND_OUT)))
}
