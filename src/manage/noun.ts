// What the managed nouns have in common. Their verbs have one shape, `(tx, call, target, body)`: the transaction, who
// calls, the object (or what something is created in), and what was sent. This is the part that is the same in all of
// them: lock, compare, write, record; and the endpoints that call them.

import { isDeepStrictEqual } from 'node:util'
import { type Change, type ChangedNoun, recordChange } from '../changes/changes.ts'
import type { Tx } from '../changes/tx.ts'
import { Answer, type Api, type Call } from '../http/api.ts'
import { deletionOf, type RestoreTimes, restorableSince } from '../http/deleted.ts'
import type { EndpointSpec } from '../http/endpoint.ts'
import { asRead } from '../http/etag.ts'
import { bodyToCreate, type byExternalId, type ExternalKey } from '../http/external-id.ts'
import { type FetchPage, fitsFilter, type LongRead, only } from '../http/list.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Priced } from '../kernel/costs-more.ts'
import { parseId } from '../kernel/id.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Db } from '../platform/database.ts'

/** Who calls, for which customer, and on which condition. A noun adds the parts that its verbs need. */
export interface Acting {
  caller: Caller
  cuid: number
  ifMatch: string | null
  clock: Clock
}

/** The ids in a path, such as `{ cid, pid }`; or an object that has them. */
export type PathIds = Readonly<Record<string, unknown>>

export function idIn(ids: PathIds, name: string): number | null {
  return parseId(String(ids[name]))
}

/** A part of a list: those after an id. `since`: those deleted later than that, instead of those that are there. */
export interface Page {
  after: number
  limit: number
  since?: Date
}

/** An object as it is stored, locked, shown, written and hidden. `id` is the name of its id. */
export interface Kind<Id extends string, Row extends Stored<Id>> {
  noun: ChangedNoun | 'note' | 'saved view'
  id: Id
  /** As the history shows it: only what this shows is a change. */
  show: (row: Row) => object
  lock: (tx: Tx, id: number) => Promise<Row | null>
  update: (tx: Tx, wanted: Row, now: Date, before: Row) => Promise<Row>
  hide: (tx: Tx, id: number, now: Date) => Promise<unknown>
  /** Prices that it had before and does not use now. */
  aside?: (row: Row) => Priced
  /** If a removal is called otherwise in the history. */
  removal?: string
  /** If a change of it is not recorded as those of what is delivered. */
  record?: (tx: Tx, change: Omit<Change, 'noun'>) => Promise<void>
}

type Stored<Id extends string> = { version: number; cid: number | null } & Record<Id, number>

/** Locks an object, changes these fields and records that. If nothing changes, nothing is left behind. */
export async function change<Id extends string, Row extends Stored<Id>>(
  tx: Tx,
  call: Acting,
  kind: Kind<Id, Row>,
  id: number,
  action: string,
  changesOf: (row: NoInfer<Row>) => Partial<NoInfer<Row>> | Promise<Partial<NoInfer<Row>>>,
): Promise<Row> {
  const row = asRead(await kind.lock(tx, id), kind.noun, id, call.ifMatch)
  const wanted = { ...row, ...(await changesOf(row)) }
  if (isDeepStrictEqual(kind.show(wanted), kind.show(row))) return row
  const now = new Date(call.clock.nowMs())
  const changed = await kind.update(tx, wanted, now, row)
  await record(tx, call, kind, now, action, row, changed)
  return changed
}

export async function remove<Id extends string, Row extends Stored<Id>>(
  tx: Tx,
  call: Acting,
  kind: Kind<Id, Row>,
  id: number,
): Promise<Record<Id, number> & { deleted: true }> {
  const row = asRead(await kind.lock(tx, id), kind.noun, id, call.ifMatch)
  const now = new Date(call.clock.nowMs())
  await kind.hide(tx, id, now)
  await record(tx, call, kind, now, kind.removal ?? 'delete', row, null)
  return { [kind.id]: id, deleted: true } as Record<Id, number> & { deleted: true }
}

/** `before` null: it was created. */
export function record<Id extends string, Row extends Stored<Id>>(
  tx: Tx,
  { caller, cuid }: { caller: Pick<Caller, 'key'>; cuid: number },
  kind: Kind<Id, Row>,
  at: Date,
  action: string,
  before: Row | null,
  after: Row | null,
): Promise<void> {
  const { noun, id, show, aside } = kind
  const { [id]: ownId, cid } = (after ?? before)!
  const states = { before: before && show(before), after: after && show(after) }
  const prices = before && after && aside ? { aside: aside(before) } : {}
  const change = { at, id: ownId, action, cuid, cid, actor: caller.key, ...states, ...prices }
  return kind.record ? kind.record(tx, change) : recordChange(tx, { ...change, noun: noun as ChangedNoun })
}

/** What the verbs of a noun are, for its endpoints. `Shown`: what an answer is made of. */
export interface Verbs<More, Found, Shown> {
  /** The object of a path; throws 404. */
  find: (db: Db, call: Acting & More, ids: PathIds) => Promise<Found>
  /** What it belongs to, for the endpoints that do not need it to be there. */
  findAbove?: (db: Db, call: Acting & More, ids: PathIds) => Promise<unknown>
  show: (db: Db, call: Acting & More, found: Found) => Shown | Promise<Shown>
  answer: (shown: Shown) => { body: object; etag: string }
  edit: (tx: Tx, call: Acting & More, found: Found, body: never) => Promise<Shown>
  setEnabled?: (tx: Tx, call: Acting & More, found: Found, enabled: boolean) => Promise<Shown>
  remove: (tx: Tx, call: Acting & More, found: Found) => Promise<object>
  create?: (tx: Tx, call: Acting & More, above: never, body: never) => Promise<Shown>
  restore?: (tx: Tx, call: Acting & More, ids: PathIds) => Promise<void>
  byExternal?: ByExternal<Acting & More, Shown>
}

interface ByExternal<C, Shown> {
  rows: ReturnType<typeof byExternalId<object>>
  /** What it belongs to, and so where its external id is looked for. */
  parentOf: (call: C, above: never) => number
  /** The schema of a body that creates one. */
  schema: unknown
  /** Only these exist for the caller; without it, all do. */
  within?: (call: C) => readonly number[] | null
  /** How it is created, if not as usual. */
  create?: (tx: Tx, call: C, body: never, key: ExternalKey) => Promise<Shown>
  /** The edit of one that is there, if not as usual. */
  edit?: (tx: Tx, call: C, found: never, body: never) => Promise<Shown>
}

type Endpoints = Partial<
  Record<'create' | 'read' | 'edit' | 'put' | 'pause' | 'resume' | 'restore' | 'remove', EndpointSpec>
>

/** A call of any endpoint of a customer. */
type AnyCall = Omit<Call<EndpointSpec, unknown>, 'body' | 'cuid'> & { body: never; cuid: number }

/** Binds the endpoints that all nouns have. */
export function bindVerbs<More extends { clock: Clock }, Found, Shown>(
  api: Api,
  more: More,
  endpoints: Endpoints,
  verbs: Verbs<More, Found, Shown>,
): void {
  type AnyRoute = {
    find?: unknown
    present?: unknown
    stillThere?: unknown
    handle: (call: AnyCall) => unknown
  }
  const bind = (endpoint: EndpointSpec | undefined, route: AnyRoute) =>
    endpoint && api.bind(endpoint, route as never)
  const acting = ({ caller, cuid, ifMatch }: AnyCall) => ({ ...more, caller: caller!, cuid, ifMatch })
  const find = (call: AnyCall) => verbs.find(call.db, acting(call), call.params)
  const { findAbove } = verbs
  const above = findAbove && { find: (call: AnyCall) => findAbove(call.db, acting(call), call.params) }
  const show = (call: AnyCall, found: Found) => verbs.show(call.db, acting(call), found)
  const answer = (shown: Shown, status?: number) => {
    const { body, etag } = verbs.answer(shown)
    return new Answer(body, { etag }, status === undefined ? {} : { status })
  }
  const foundIn = (call: AnyCall) => call.found as Found
  const present = async (call: AnyCall) => verbs.answer(await show(call, foundIn(call))).body

  bind(endpoints.create, {
    ...above,
    stillThere: (call: AnyCall, made: PathIds) =>
      verbs.find(call.db, acting(call), { ...call.params, ...made }),
    handle: async call => answer(await verbs.create!(call.db, acting(call), call.found as never, call.body)),
  })
  bind(endpoints.read, { find, handle: async call => answer(await show(call, foundIn(call))) })
  bind(endpoints.edit, {
    find,
    present,
    handle: async call => answer(await verbs.edit(call.db, acting(call), foundIn(call), call.body)),
  })
  for (const enabled of [false, true])
    bind(enabled ? endpoints.resume : endpoints.pause, {
      find,
      handle: async call => answer(await verbs.setEnabled!(call.db, acting(call), foundIn(call), enabled)),
    })
  bind(endpoints.remove, { find, handle: call => verbs.remove(call.db, acting(call), foundIn(call)) })
  bind(endpoints.restore, {
    ...above,
    handle: async call => {
      await verbs.restore!(call.db, acting(call), call.params)
      return answer(await show(call, await find(call)))
    },
  })
  const { byExternal, create, edit } = verbs
  if (!byExternal) return
  const { rows, parentOf, schema, within } = byExternal
  const keyOf = (call: AnyCall) =>
    rows.key(
      parentOf(acting(call), call.found as never),
      call.params.externalId!,
      within?.(acting(call)) ?? null,
    )
  const findRow = (call: AnyCall, row: object) =>
    verbs.find(call.db, acting(call), { ...call.params, ...row })
  bind(endpoints.put, {
    ...above,
    present: async (call: AnyCall) => {
      const row = await rows.find(call.db, keyOf(call))
      return row && verbs.answer(await show(call, await findRow(call, row))).body
    },
    handle: async call => {
      const key = keyOf(call)
      const { result, created } = await rows.upsert<Shown>(call.db, key, {
        body: call.body,
        ifMatch: call.ifMatch,
        create: () =>
          byExternal.create
            ? byExternal.create(call.db, acting(call), call.body, key)
            : create!(
                call.db,
                acting(call),
                call.found as never,
                bodyToCreate(schema, call.body, key) as never,
              ),
        change: async row =>
          (byExternal.edit ?? edit)(call.db, acting(call), (await findRow(call, row)) as never, call.body),
      })
      return answer(result, created ? 201 : 200)
    },
  })
}

interface Listed {
  name: string
  externalId: string | null
  enabled?: boolean
  status?: string
}

/** The filters of a list, as its query has them. */
type Filter = { q?: string; externalId?: string; enabled?: boolean; status?: string }

/** Leaves out what the query filters, and for a pair of some campaigns (`within`) all others. */
export function filtered<T extends Listed>(
  { query, longRead }: { query: object; longRead: LongRead },
  page: FetchPage<T>,
  idOf: (item: T) => number,
  { step, within = null }: { step?: number; within?: ((item: T) => boolean) | null } = {},
): FetchPage<T> {
  const { status, enabled, q, externalId } = query as Filter
  if (within === null && [status, enabled, q, externalId].every(value => value === undefined)) return page
  const fits = (item: T) =>
    (within === null || within(item)) &&
    (status === undefined || item.status === status) &&
    (enabled === undefined || item.enabled === enabled) &&
    fitsFilter({ q, externalId }, item)
  return only(page, idOf, fits, longRead, step)
}

/** For a list whose query may ask for what was deleted and can be restored. */
export function pageOf({ deleted }: { deleted?: unknown }, times: RestoreTimes): Pick<Page, 'since'> {
  return deleted ? { since: restorableSince(times) } : {}
}

/** What a list needs to know to show what was deleted. */
export type Restoring = Partial<Pick<RestoreTimes, 'restoreWithinS'>>

/** When it was deleted, and until when it can be restored; nothing of an object that is there. */
export function deletionIn({ deleted_at }: { deleted_at?: Date | null }, { restoreWithinS = 0 }: Restoring) {
  return deleted_at ? deletionOf(deleted_at, { restoreWithinS }) : {}
}
