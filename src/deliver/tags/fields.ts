// Checks the fields of a tag request one by one: each fault is reported with its JSON pointer, and nothing is thrown.

import {
  type FieldError,
  type FieldErrorCode,
  type FieldErrorParams,
  fieldError,
} from '../../kernel/errors/field-error.ts'
import type { Given, ValueType } from '../../kernel/errors/sentence.ts'
import { readAddress } from '../../platform/network.ts'
import { type GivenAttributes, MOST_KEYS, MOST_VALUES } from '../audience/attributes.ts'
import { categoryCode } from '../audience/category.ts'
import { hostOf, isFit } from '../audience/page.ts'
import type { Size } from '../targeting/request.ts'

export type Fields = Record<string, unknown>

/** Collects errors; `pointer` turns a path in the body into the caller's own name (a query has flat names). */
export interface Faults {
  errors: FieldError[]
  pointer(path: string): string
}

/** As people write it: `300x250`, `300 x 250`, `300×250`. */
const SIZE = /^([1-9][0-9]{0,3})\s{0,5}[x×]\s{0,5}([1-9][0-9]{0,3})$/i
const MOST_SIZES = 20
const MOST_CATEGORIES = 50
const LONGEST_TEXT = 2048
/** How much of an invalid value is sent back. */
const MOST_SHOWN = 60
/** More errors would not help. */
const MOST_ERRORS = 20

export function fault<C extends FieldErrorCode>(
  faults: Faults,
  path: string,
  code: C,
  ...given: Given<FieldErrorParams[C]>
): null {
  if (faults.errors.length < MOST_ERRORS) faults.errors.push(fieldError(faults.pointer(path), code, ...given))
  return null
}

function wrongType(faults: Faults, path: string, wanted: ValueType, value: unknown): null {
  const found = value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as ValueType)
  return fault(faults, path, 'wrong_type', { expected: [wanted], found })
}

/** An object with these keys only; null if it is missing (which is not an error) or wrong. */
export function objectAt(faults: Faults, path: string, value: unknown, keys: string[]): Fields | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'object' || Array.isArray(value)) return wrongType(faults, path, 'object', value)
  for (const key of Object.keys(value)) {
    if (faults.errors.length === MOST_ERRORS) break
    if (!keys.includes(key)) fault(faults, `${path}/${pointerPart(key)}`, 'unknown_field', { allowed: keys })
  }
  return value as Fields
}

function pointerPart(key: string): string {
  return key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')
}

export function textAt(
  faults: Faults,
  path: string,
  value: unknown,
  mostChars = LONGEST_TEXT,
): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') return wrongType(faults, path, 'string', value)
  const text = value.trim()
  if (text === '') return fault(faults, path, 'empty')
  const length = text.length > mostChars ? [...text].length : 0
  if (length > mostChars) return fault(faults, path, 'too_long', { max: mostChars, length })
  return isFit(text) ? text : fault(faults, path, 'control_characters')
}

export function flagAt(faults: Faults, path: string, value: unknown): boolean | null {
  if (value === undefined || value === null) return null
  return typeof value === 'boolean' ? value : wrongType(faults, path, 'boolean', value)
}

export function numberAt(
  faults: Faults,
  path: string,
  value: unknown,
  least: number,
  most: number,
): number | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    return fault(faults, path, 'not_between', { min: least, max: most })
  }
  return value
}

export function wordAt<Word extends string>(
  faults: Faults,
  path: string,
  value: unknown,
  words: readonly Word[],
): Word | null {
  if (value === undefined || value === null) return null
  const word = words.find(known => known === value)
  return word ?? fault(faults, path, 'not_an_option', { allowed: [...words] })
}

export function listAt(faults: Faults, path: string, value: unknown, most: number): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) wrongType(faults, path, 'array', value)
  else if (value.length <= most) return value
  else fault(faults, path, 'too_many_entries', { min: 0, max: most, count: value.length })
  return []
}

/** One size or several, as a list or in one text: `300x250,728x90`. */
export function sizesAt(faults: Faults, path: string, value: unknown): Size[] {
  const entries = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
  const sizes: Size[] = []
  if (value === undefined || value === null || entries.length === 0) {
    fault(faults, path, 'size_missing')
    return sizes
  }
  const count = entries.length
  if (count > MOST_SIZES) fault(faults, path, 'too_many_entries', { min: 1, max: MOST_SIZES, count })
  for (let n = 0; n < Math.min(entries.length, MOST_SIZES); n++) {
    const match = typeof entries[n] === 'string' ? SIZE.exec(entries[n].trim()) : null
    if (match) sizes.push({ width: Number(match[1]), height: Number(match[2]) })
    else fault(faults, Array.isArray(value) ? `${path}/${n}` : path, 'not_a_size')
  }
  return sizes
}

/** IAB codes, one or a list. */
export function categoriesAt(
  faults: Faults,
  path: string,
  value: unknown,
  isCategory: ((code: string) => boolean) | undefined,
): string[] {
  if (value === undefined || value === null) return []
  const entries = Array.isArray(value) ? value : [value]
  const count = entries.length
  if (count > MOST_CATEGORIES)
    fault(faults, path, 'too_many_entries', { min: 0, max: MOST_CATEGORIES, count })
  const codes = new Set<string>()
  for (let n = 0; n < Math.min(entries.length, MOST_CATEGORIES); n++) {
    const code = categoryCode(entries[n])
    if (code !== null && (isCategory?.(code) ?? true)) codes.add(code)
    else wrongCategory(faults, Array.isArray(value) ? `${path}/${n}` : path, entries[n])
  }
  return [...codes]
}

function wrongCategory(faults: Faults, path: string, value: unknown): null {
  return typeof value === 'string'
    ? fault(faults, path, 'unknown_category', { value: value.slice(0, MOST_SHOWN).toWellFormed() })
    : wrongType(faults, path, 'string', value)
}

export function addressAt(faults: Faults, path: string, value: unknown): string | null {
  const text = textAt(faults, path, value, 64)
  if (text === null) return null
  return readAddress(text) ?? fault(faults, path, 'not_an_address')
}

/** Values by key, each a text, a number or a list of them. What apps know of them is decided later. */
export function attributesAt(faults: Faults, path: string, value: unknown): GivenAttributes | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'object' || Array.isArray(value)) return wrongType(faults, path, 'object', value)
  const entries = Object.entries(value)
  const count = entries.length
  if (count > MOST_KEYS) return fault(faults, path, 'too_many_keys', { max: MOST_KEYS, count })
  for (const [key, given] of entries) {
    const at = `${path}/${pointerPart(key)}`
    if (!Array.isArray(given)) checkSaid(faults, at, given)
    else if (given.length <= MOST_VALUES) given.forEach((one, n) => void checkSaid(faults, `${at}/${n}`, one))
    else fault(faults, at, 'too_many_entries', { min: 0, max: MOST_VALUES, count: given.length })
  }
  return value as GivenAttributes
}

function checkSaid(faults: Faults, path: string, value: unknown): null {
  if (typeof value === 'number') return null
  if (typeof value !== 'string') return wrongType(faults, path, 'string', value)
  return isFit(value) ? null : fault(faults, path, 'control_characters')
}

/** The host of a page's URL. */
export function pageAt(faults: Faults, path: string, value: unknown): string | null {
  const url = textAt(faults, path, value)
  if (url === null) return null
  return hostOf(url) ?? fault(faults, path, 'not_a_url')
}
