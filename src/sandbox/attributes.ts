// What the visitors of a sandbox carry of what the app has declared: what the mix says; of the rest, half of them what
// a persona wants, so that they see ads, and the others some choice. Each visitor draws from random numbers of its own,
// so that apps without attributes get the same figures as before.

import { MOST_VALUES, numberOf } from '../deliver/audience/attributes.ts'
import { pointer } from '../http/validate.ts'
import { type FieldError, fieldError } from '../kernel/errors/field-error.ts'
import type { Attribute, WantedAttribute, WantedAttributes } from '../manage/attributes/contract.ts'
import { foldWord, looksPersonal } from '../manage/attributes/words.ts'
import type { SourceAttributes } from '../manage/sources/attribute-paths.ts'
import type { Mix } from './contract.ts'
import { pickBy, type Random } from './random.ts'

type Value = string | number | string[]
export type Carried = Readonly<Record<string, Value>>

export interface Carrying {
  declared: readonly Attribute[]
  said: NonNullable<Mix['attributes']>
  /** What personas want, each as a whole: a visitor must fit all that one of them wants. */
  wanted: readonly WantedAttributes[]
}

const FITTING = 0.5
/** Of the keys and values that an error names. */
const NAMED = 20
const MAX_ERRORS = 20

/** Null: nothing. The same state of `random` gives the same. */
export function carriedBy({ declared, said, wanted }: Carrying, random: Random): Carried | null {
  const [chance, rank] = [random(), random()]
  const fitted = chance < FITTING ? wanted[Math.floor(rank * wanted.length)] : undefined
  const carried = declared.flatMap((attribute): [string, Value][] => {
    const value = valueFor(attribute, said[attribute.key], fitted?.[attribute.key], random)
    return value === null ? [] : [[attribute.key, value]]
  })
  return carried.length === 0 ? null : Object.fromEntries(carried)
}

function valueFor(
  { kind, choices }: Attribute,
  said: Record<string, number> | undefined,
  fitted: WantedAttribute | undefined,
  random: Random,
): Value | null {
  if (said) {
    const value = pickBy(said, random)
    return kind === 'number' ? numberOf(value) : value
  }
  if (fitted) return kind === 'number' ? numberFor(fitted, random) : wordsFor(fitted, random)
  return choices[Math.floor(random() * choices.length)]?.value ?? null
}

function numberFor({ min, max }: WantedAttribute, random: Random): number | null {
  if (typeof min !== 'number' || typeof max !== 'number') return min ?? max ?? null
  return Math.min(max, min + Math.floor(random() * (max - min + 1)))
}

/** Null where only `none` is wanted: whoever carries nothing has none of them. */
function wordsFor({ any, all, none }: WantedAttribute, random: Random): string[] | null {
  const options = (any ?? []).filter(word => !none?.includes(word))
  const words = [...options.slice(Math.floor(random() * options.length)).slice(0, 1), ...(all ?? [])]
  return words.length === 0 ? null : words.slice(0, MOST_VALUES)
}

/** What a mix says that the app has not declared so. */
export function carriedErrors(said: Carrying['said'], declared: readonly Attribute[]): FieldError[] {
  const known = declared.map(({ key }) => key)
  const errors = Object.entries(said).flatMap(([key, weights]) => {
    const path = `/mix/attributes/${pointer(key)}`
    const attribute = declared.find(one => one.key === key)
    if (!attribute) return [fieldError(path, 'attribute_unknown', { key, known: known.slice(0, NAMED) })]
    if (!Object.values(weights).some(weight => weight > 0)) return [fieldError(path, 'empty')]
    return Object.keys(weights).flatMap(value => valueErrors(attribute, value, `${path}/${pointer(value)}`))
  })
  return errors.slice(0, MAX_ERRORS)
}

function valueErrors({ key, kind, choices }: Attribute, value: string, path: string): FieldError[] {
  if (kind === 'number')
    return numberOf(value) === null
      ? [fieldError(path, 'wrong_type', { expected: ['number'], found: 'string' })]
      : []
  if (looksPersonal(value)) return [fieldError(path, 'looks_personal', { value })]
  const known = choices.map(one => one.value)
  if (kind === 'words' || known.includes(foldWord(value))) return []
  return [fieldError(path, 'attribute_value_unknown', { value, key, known: known.slice(0, NAMED) })]
}

/** Where the bid requests of visitors have them: as `site.ext.data`. */
export function placesFor(declared: readonly Attribute[]): SourceAttributes {
  return Object.fromEntries(declared.map(({ key }) => [key, [`site.ext.data.${key}`]]))
}
