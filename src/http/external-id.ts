// Objects by the id that an app's own system has for them: `PUT …/by-external/:externalId` creates the object or
// changes the existing one. Calls for the same id run one after the other, so that of two at once one creates and the
// other changes. If several objects already share the id, none is changed: 409 names them.

import { invalidField, invalidInput, refusal } from '../kernel/errors/problem.ts'
import type { Db } from '../platform/database.ts'
import { LOCKS, lockUntilCommit } from '../platform/locks.ts'
import { checkIfMatchNothing } from './etag.ts'
import { ExternalId } from './schema.ts'
import { type Schema, validate } from './validate.ts'

/** One object, identified by its parent and the app's own id. */
export interface ExternalKey {
  /** The app, customer, campaign or persona that it belongs to. */
  parent: number
  externalId: string
  /** Only these objects exist for the caller; null for all. */
  within: readonly number[] | null
}

/** How many objects that share an id are looked up and named. */
const MOST_NAMED = 10

interface Upsert<Row, Result> {
  body: { externalId?: string | null }
  ifMatch: string | null
  create: () => Promise<Result>
  change: (row: Row) => Promise<Result>
}

/**
 * The objects of a noun by that id. `lockRows` returns and locks all that have it, limited to `within`, up to `limit`.
 */
export function byExternalId<Row>(
  noun: string,
  idOf: (row: Row) => number,
  lockRows: (
    db: Db,
    parent: number,
    externalId: string,
    limit: number,
    within: ExternalKey['within'],
  ) => Promise<Row[]>,
) {
  /** The only object with this id; null if there is none. */
  async function find(db: Db, { parent, externalId, within }: ExternalKey): Promise<Row | null> {
    const rows = await lockRows(db, parent, externalId, MOST_NAMED, within)
    if (rows.length <= 1) return rows[0] ?? null
    throw refusal('external_id_ambiguous', { noun, externalId, ids: rows.map(row => String(idOf(row))) })
  }
  return {
    key: (parent: number, text: string, within: ExternalKey['within'] = null): ExternalKey => ({
      parent,
      externalId: readExternalId(text),
      within,
    }),
    find,
    async upsert<Result>(
      tx: Db,
      key: ExternalKey,
      { body, ifMatch, create, change }: Upsert<Row, Result>,
    ): Promise<{ result: Result; created: boolean }> {
      checkSameId(body, key)
      await lockUntilCommit(tx, LOCKS.externalId, `${noun} ${key.parent} ${key.externalId}`)
      const row = await find(tx, key)
      if (row) return { result: await change(row), created: false }
      checkIfMatchNothing(ifMatch)
      return { result: await create(), created: true }
    },
  }
}

/** The id in a path, as it is stored. */
function readExternalId(text: string): string {
  const checked = validate(ExternalId as Schema, text)
  if (!checked.ok) throw invalidInput(checked.errors.map(error => ({ ...error, path: ':externalId' })))
  return checked.value as string
}

/** The body, checked as that of a creation: fields that a change may omit are required here. */
export function bodyToCreate<Body extends object>(
  schema: unknown,
  body: object,
  { externalId }: ExternalKey,
): Body {
  const checked = validate(schema as Schema, { ...body, externalId })
  if (!checked.ok) throw invalidInput(checked.errors)
  return checked.value as Body
}

/** A body may repeat the id of the path, but not give another one. */
function checkSameId(body: { externalId?: string | null }, { externalId }: ExternalKey): void {
  if (body.externalId === undefined || body.externalId === externalId) return
  throw invalidField('/externalId', 'not_the_path_id', { expected: externalId })
}
