// What a persona wants of attributes: checked against what the app has declared, normalised, and put into the form that
// delivery matches.

import { pointer } from '../../http/validate.ts'
import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { type Finding, finding } from '../../kernel/errors/finding.ts'
import type { Db } from '../../platform/database.ts'
import { MAX_TARGETED_VALUES, UNSEEN_DAYS, type WantedAttribute, type WantedAttributes } from './contract.ts'
import { type AttributeRow, selectAttributes, selectSeen } from './queries.ts'
import type { SeenValue } from './seen-value.ts'
import { foldWord, looksPersonal } from './words.ts'

/** The attributes that may be targeted, by key; and whether by the app itself. */
export interface Declared {
  byKey: ReadonlyMap<string, AttributeRow>
  isApp: boolean
}

export const NOTHING_DECLARED: Declared = { byKey: new Map(), isApp: false }

const LISTS = ['any', 'all', 'none'] as const
const BOUNDS = ['min', 'max'] as const
/** Of the values and keys that an error names. */
const NAMED = 20
const DAY_MS = 86_400_000

/** What the app of the caller has declared. Reads nothing where nothing is wanted. */
export async function declaredFor(
  db: Db,
  { appId, level }: { appId: number; level: 'app' | 'customer' },
  wanted: WantedAttributes | null | undefined,
): Promise<Declared> {
  if (!wanted || Object.keys(wanted).length === 0) return NOTHING_DECLARED
  const rows = await selectAttributes(db, appId)
  return { byKey: new Map(rows.map(row => [row.key, row])), isApp: level === 'app' }
}

/** Normalised. What is equal to `before` is kept unchecked: it may have been deleted, or be of the app, meanwhile. */
export function readWanted(
  wanted: WantedAttributes,
  { byKey, isApp }: Declared,
  before: WantedAttributes,
  errors: FieldError[],
): WantedAttributes {
  const read: WantedAttributes = {}
  let count = 0
  for (const [key, one] of Object.entries(wanted)) {
    const path = `/attributes/${pointer(key)}`
    const folded = foldWanted(one)
    for (const list of LISTS) count += folded[list]?.length ?? 0
    const kept = Object.hasOwn(before, key) ? before[key]! : null
    if (kept !== null && JSON.stringify(kept) === JSON.stringify(folded)) {
      read[key] = kept
      continue
    }
    const declared = byKey.get(key)
    if (!declared) {
      const known = [...byKey.values()].filter(row => isApp || !row.app_only).map(row => row.key)
      errors.push(fieldError(path, 'attribute_unknown', { key, known: known.slice(0, NAMED) }))
    } else if (declared.app_only && !isApp) errors.push(fieldError(path, 'attribute_of_app', { key }))
    else {
      checkOne(declared, one, folded, path, errors)
      read[key] = folded
    }
  }
  if (count > MAX_TARGETED_VALUES)
    errors.push(fieldError('/attributes', 'too_many_values', { max: MAX_TARGETED_VALUES, count }))
  return wantedInOrder(read)
}

/** With keys in the same order, because jsonb keeps none. */
export function wantedInOrder(wanted: WantedAttributes): WantedAttributes {
  const keys = Object.keys(wanted).sort()
  return Object.fromEntries(keys.map(key => [key, foldWanted(wanted[key]!)]))
}

/** Without what restricts nothing. Of the same values, one is kept. */
function foldWanted(one: WantedAttribute): WantedAttribute {
  const folded: WantedAttribute = {}
  for (const list of LISTS) {
    const words = new Set((one[list] ?? []).map(foldWord))
    if (words.size > 0) folded[list] = [...words]
  }
  for (const bound of BOUNDS) if (typeof one[bound] === 'number') folded[bound] = one[bound]
  return folded
}

function checkOne(
  { key, kind, choices }: AttributeRow,
  one: WantedAttribute,
  folded: WantedAttribute,
  path: string,
  errors: FieldError[],
): void {
  const [used, unused] = kind === 'number' ? [BOUNDS, LISTS] : [LISTS, BOUNDS]
  for (const name of unused)
    if (folded[name] !== undefined) errors.push(fieldError(`${path}/${name}`, 'not_used_by_kind', { kind }))
  if (used.every(name => folded[name] === undefined))
    errors.push(fieldError(path, 'restricts_nothing', { options: used }))
  const { min, max } = folded
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    errors.push(fieldError(`${path}/min`, 'min_above_max', { max }))
  if (kind === 'number') return
  const known = new Set(choices.map(({ value }) => value))
  for (const list of LISTS) {
    for (const [index, value] of (one[list] ?? []).entries()) {
      const at = `${path}/${list}/${index}`
      if (looksPersonal(value)) errors.push(fieldError(at, 'looks_personal', { value }))
      else if (kind === 'choice' && !known.has(foldWord(value)))
        errors.push(
          fieldError(at, 'attribute_value_unknown', { value, key, known: [...known].slice(0, NAMED) }),
        )
    }
  }
}

/** The values, and keys with a number, that no request had lately. `none` need not be seen. */
export async function unseenIn(
  db: Db,
  appId: number,
  wanted: WantedAttributes,
  nowMs: number,
): Promise<SeenValue[]> {
  const asked = Object.entries(wanted).flatMap(([key, one]) => [
    ...[...(one.any ?? []), ...(one.all ?? [])].map(value => ({ key, value })),
    ...(one.min === undefined && one.max === undefined ? [] : [{ key, value: '' }]),
  ])
  if (asked.length === 0) return []
  const seen = await selectSeen(db, appId, asked, new Date(nowMs - UNSEEN_DAYS * DAY_MS))
  const known = new Set(seen.map(({ key, value }) => `${key} ${value}`))
  return asked.filter(({ key, value }) => !known.has(`${key} ${value}`)).slice(0, NAMED)
}

export function unseenFinding({ key, value }: SeenValue): Finding {
  return value === ''
    ? finding('attribute_absent', { days: UNSEEN_DAYS, key })
    : finding('attribute_unseen', { days: UNSEEN_DAYS, value, key })
}

/** As requests are matched: one attribute of one app. */
export interface AttributeCondition {
  /** See `attributeName`. */
  name: string
  any: ReadonlySet<string> | null
  all: ReadonlySet<string> | null
  none: ReadonlySet<string> | null
  min: number | null
  max: number | null
}

/** Keys belong to their app: the same key of another app is another attribute. */
export function attributeName(appId: number, key: string): string {
  return `${appId}/${key}`
}

export function keyOfName(name: string): string {
  return name.slice(name.indexOf('/') + 1)
}

/** Undefined: no restriction. */
export function conditionsOf(appId: number, wanted: WantedAttributes): AttributeCondition[] | undefined {
  const entries = Object.entries(wanted)
  if (entries.length === 0) return undefined
  return entries.map(([key, { any, all, none, min, max }]) => ({
    name: attributeName(appId, key),
    any: any ? new Set(any) : null,
    all: all ? new Set(all) : null,
    none: none ? new Set(none) : null,
    min: min ?? null,
    max: max ?? null,
  }))
}
