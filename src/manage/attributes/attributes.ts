// The verbs of attributes: declare, change, list, read, delete. What an app has declared is known to its own customers
// only. What personas target is removed only if the caller has seen by whom, and says so.

import { isDeepStrictEqual } from 'node:util'
import { recordAppChange } from '../../changes/app-changes.ts'
import { checkIfMatch, checkIfMatchNothing, etagOf } from '../../http/etag.ts'
import { listAppChanges } from '../../identity/who.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { invalidField, invalidInput, notFound, refusal } from '../../kernel/errors/problem.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { LOCKS, lockUntilCommit } from '../../platform/locks.ts'
import {
  type Attribute,
  type AttributeChange,
  type AttributeEdit,
  KEY_PATTERN,
  MAX_ATTRIBUTES,
  MAX_USES,
  type TargetableAttribute,
  type UsedAttribute,
} from './contract.ts'
import {
  type AttributeAction,
  type AttributeRow,
  insertAttribute,
  lockAttribute,
  removeAttribute,
  selectAttribute,
  selectAttributes,
  selectUses,
  updateAttribute,
} from './queries.ts'
import { foldWord, looksPersonal } from './words.ts'

export interface FoundAttribute {
  attribute: UsedAttribute
  etag: string
}

export interface Declaring {
  caller: Pick<AppCaller, 'appId' | 'key'>
  clock: Clock
  ifMatch: string | null
  /** What personas target may be removed. */
  force: boolean
}

/** Uses that a refusal names. */
const NAMED_USES = 10
const MAX_ERRORS = 20
const KEY = new RegExp(KEY_PATTERN)
/** A path of its own. */
const RESERVED = 'history'

export async function listAttributes(db: Db, { appId }: Pick<AppCaller, 'appId'>): Promise<Attribute[]> {
  return (await selectAttributes(db, appId)).map(toAttribute)
}

/** With its uses by customers that the caller may see. */
export async function findAttribute(
  db: Db,
  { appId, cuids }: AppCaller,
  key: string,
): Promise<FoundAttribute> {
  const row = await selectAttribute(db, appId, key)
  if (!row) throw notFound('attribute')
  return found(db, row, cuids)
}

/** Null: it is not declared yet. */
export async function presentAttribute(db: Db, { appId }: AppCaller, key: string) {
  const row = await selectAttribute(db, appId, key)
  return row && (await found(db, row)).attribute
}

/** What a caller may target for a customer: all, or what is open to customers. */
export async function listTargetable(db: Db, appId: number, isApp: boolean): Promise<TargetableAttribute[]> {
  const rows = await selectAttributes(db, appId)
  return rows
    .filter(row => isApp || !row.app_only)
    .map(({ key, label, kind, choices }) => ({ key, label, kind, choices: [...choices] }))
}

export async function putAttribute(
  db: Db,
  call: Declaring,
  key: string,
  edit: AttributeEdit,
): Promise<{ found: FoundAttribute; created: boolean }> {
  const { appId } = call.caller
  await lockUntilCommit(db, LOCKS.attributes, String(appId))
  const all = await selectAttributes(db, appId)
  const before = await lockAttribute(db, appId, key)
  if (before) checkIfMatch(call.ifMatch, etagOf(before.attribute_id, before.version))
  else checkIfMatchNothing(call.ifMatch)
  if (!KEY.test(key)) throw invalidField(':key', 'wrong_format', { pattern: KEY_PATTERN })
  if (key === RESERVED) throw invalidField(':key', 'attribute_key_reserved', { key })
  const wanted = wantedRow(call, key, before, edit)
  const now = new Date(call.clock.nowMs())
  if (!before) {
    if (all.length >= MAX_ATTRIBUTES) throw refusal('too_many_attributes', { max: MAX_ATTRIBUTES })
    const row = await insertAttribute(db, { ...wanted, created_at: now, updated_at: now })
    await recordAttribute(db, call, 'add', now, null, row)
    return { found: await found(db, row), created: true }
  }
  if (isDeepStrictEqual(seenOf(before), seenOf(wanted)))
    return { found: await found(db, before), created: false }
  await refuseUsed(db, call, before, removedFrom(before, wanted))
  const row = await updateAttribute(db, { ...before, ...wanted }, now)
  await recordAttribute(db, call, 'edit', now, before, row)
  return { found: await found(db, row), created: false }
}

export async function deleteAttribute(
  db: Db,
  call: Declaring,
  key: string,
): Promise<{ key: string; deleted: true }> {
  const row = await lockAttribute(db, call.caller.appId, key)
  if (!row) throw notFound('attribute')
  checkIfMatch(call.ifMatch, etagOf(row.attribute_id, row.version))
  await refuseUsed(db, call, row, null)
  await removeAttribute(db, row)
  await recordAttribute(db, call, 'remove', new Date(call.clock.nowMs()), row, null)
  return { key, deleted: true }
}

export async function listAttributeChanges(
  db: Db,
  { appId }: AppCaller,
  after: number,
  limit: number,
): Promise<AttributeChange[]> {
  type Seen = AttributeChange['before']
  const page = { noun: 'attribute', appId, after, limit } as const
  const changes = await listAppChanges<AttributeAction, Seen>(db, appId, page)
  return changes.map(({ of: _, ...change }) => change)
}

/** `values` null: all of them. */
async function refuseUsed(
  db: Db,
  { force }: Declaring,
  row: AttributeRow,
  values: readonly string[] | null,
): Promise<void> {
  if (force || values?.length === 0) return
  const { uses, usedBy } = await selectUses(db, row, { values, cuids: null, most: NAMED_USES })
  if (uses === 0) return
  const named = usedBy.map(({ cuid, cid, pid }) => `persona ${pid} (customer ${cuid}, campaign ${cid})`)
  throw refusal('attribute_in_use', { count: uses, uses: named })
}

type Wanted = Omit<AttributeRow, 'attribute_id' | 'version' | 'created_at' | 'updated_at'>

/** As it is to be, or a 400 that names each wrong field. */
function wantedRow(
  { caller: { appId } }: Declaring,
  key: string,
  before: AttributeRow | null,
  edit: AttributeEdit,
): Wanted {
  const errors: FieldError[] = []
  const kind = before?.kind ?? edit.kind
  if (kind === undefined) throw invalidField('/kind', 'required')
  if (edit.kind !== undefined && edit.kind !== kind)
    errors.push(fieldError('/kind', 'attribute_kind_fixed', { kind }))
  const { label, choices, appOnly, fromPublic } = edit
  const wanted: Wanted = {
    app_id: appId,
    key,
    label: label === undefined ? (before?.label ?? key) : (label ?? key),
    kind,
    choices: choices === undefined ? (before?.choices ?? []) : readChoices(kind, choices ?? [], errors),
    app_only: appOnly === undefined ? (before?.app_only ?? false) : (appOnly ?? false),
    from_public: fromPublic === undefined ? (before?.from_public ?? false) : (fromPublic ?? false),
  }
  if (looksPersonal(wanted.label))
    errors.push(fieldError('/label', 'looks_personal', { value: wanted.label }))
  if (kind === 'choice' && wanted.choices.length === 0 && errors.length === 0)
    errors.push(fieldError('/choices', before ? 'empty' : 'required'))
  if (errors.length > 0) throw invalidInput(errors.slice(0, MAX_ERRORS))
  return wanted
}

/** Of values that are the same after folding, keeps the first. */
function readChoices(
  kind: AttributeRow['kind'],
  choices: NonNullable<AttributeEdit['choices']>,
  errors: FieldError[],
): AttributeRow['choices'] {
  if (kind !== 'choice' && choices.length > 0)
    errors.push(fieldError('/choices', 'not_used_by_kind', { kind }))
  const kept = new Map<string, string>()
  for (const [index, { value, label }] of choices.entries()) {
    for (const [field, text] of [['value', value] as const, ['label', label ?? ''] as const])
      if (looksPersonal(text))
        errors.push(fieldError(`/choices/${index}/${field}`, 'looks_personal', { value: text }))
    const folded = foldWord(value)
    if (!kept.has(folded)) kept.set(folded, label ?? value)
  }
  return [...kept].map(([value, label]) => ({ value, label }))
}

function removedFrom(before: AttributeRow, { choices }: Wanted): string[] {
  const left = new Set(choices.map(({ value }) => value))
  return before.choices.map(({ value }) => value).filter(value => !left.has(value))
}

async function found(
  db: Db,
  row: AttributeRow,
  cuids: readonly number[] | null = null,
): Promise<FoundAttribute> {
  const { uses, usedBy } = await selectUses(db, row, { values: null, cuids, most: MAX_USES })
  return { attribute: { ...toAttribute(row), uses, usedBy }, etag: etagOf(row.attribute_id, row.version) }
}

function toAttribute(row: AttributeRow): Attribute {
  return { ...seenOf(row), created: toSeconds(row.created_at), updated: toSeconds(row.updated_at) }
}

function seenOf({ key, label, kind, choices, app_only, from_public }: Wanted) {
  const shown = choices.map(({ value, label: name }) => ({ value, label: name }))
  return { key, label, kind, choices: shown, appOnly: app_only, fromPublic: from_public }
}

function recordAttribute(
  db: Db,
  { caller: { key: actor, appId } }: Declaring,
  action: AttributeAction,
  at: Date,
  before: AttributeRow | null,
  after: AttributeRow | null,
) {
  const { attribute_id: id } = (after ?? before)!
  const states = { before: before && seenOf(before), after: after && seenOf(after) }
  return recordAppChange(db, 'attribute', appId, { id, at, action, actor, ...states })
}
