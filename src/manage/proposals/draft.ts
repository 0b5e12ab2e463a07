// What a call would change, read from the transaction that tried it: the objects before and after, their versions
// before, and the most that it costs.

import { costsAtMost } from '../../changes/costs.ts'
import { type Note, notesOf } from '../../changes/rights.ts'
import { withoutNewIds } from '../../http/dry-run.ts'
import { weightOf } from '../../http/pieces.ts'
import type { Trial } from '../../http/proposing.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import type { Db } from '../../platform/database.ts'
import {
  type Bound,
  type NewProposalRow,
  NOUNS,
  type Noun,
  type Shown,
  selectLastState,
  selectVersions,
} from './queries.ts'

/** In the order of their ids in a path. */
const PATH_IDS = { cid: 'campaign', fid: 'flight', pid: 'persona', bid: 'banner' } as const
const OWN_ID: Record<Noun, string> = { campaign: 'cid', flight: 'fid', persona: 'pid', banner: 'bid' }

/** In characters of JSON, about. A list holds twenty proposals at once. */
export const MOST_CHARACTERS = 4_000_000

export type Draft = Pick<NewProposalRow, 'cids' | 'bound' | 'before' | 'after' | 'costs_micros'>

export async function draftOf(tx: Db, trial: Trial, timeZone: string): Promise<Draft> {
  refuseFailed(trial.made.body)
  const notes = notesOf(tx).filter(({ id }) => id !== 0)
  const changed = changedObjects(notes)
  const bound = await boundTo(tx, trial, notes, changed)
  const known = new Set(bound.filter(({ noun }) => noun === 'campaign').map(({ id }) => id))
  const born = new Set(
    changed.filter(({ noun, id }) => noun === 'campaign' && !known.has(id)).map(({ id }) => id),
  )
  const shown = shownChange(trial, changed, bound)
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
  for (const { noun, id, before, after } of notes) {
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

function shownChange({ endpoint, made }: Trial, changed: Changed[], bound: Bound[]) {
  const known = new Set(bound.map(({ id }) => id))
  const withoutId = ({ noun, id, after }: Changed): Changed['after'] => {
    if (after === null || known.has(id)) return after
    return withoutNewIds(after, [OWN_ID[noun]]) as Record<string, unknown>
  }
  if (endpoint.id === 'bulk')
    return { before: changed.map(({ before }) => before) as Shown, after: changed.map(withoutId) as Shown }
  // A whole order with all its contents.
  if (made.status === 201)
    return { before: null, after: withoutNewIds(made.body, endpoint.makes ?? []) as Record<string, unknown> }
  const [first] = changed
  return { before: first!.before, after: first!.after }
}
