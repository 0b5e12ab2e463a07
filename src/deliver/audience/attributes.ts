// What a request says by attributes, read by what apps have declared. Each app's declaration is applied by itself: what
// is a choice of one may be free words of another. What does not fit is dropped and counted, never refused: a publisher
// may say more than an app knows. Whoever has only the public key of a site is believed only where the app says so.

import type { AttributeBook, BookedAttribute } from '../../manage/attributes/book.ts'
import { MAX_ATTRIBUTES, MAX_VALUE_CHARS } from '../../manage/attributes/contract.ts'
import { foldWord, looksPersonal } from '../../manage/attributes/words.ts'
import type { RequestAttribute } from '../targeting/request.ts'

export const DROP_REASONS = [
  'undeclared',
  'not_public',
  'unknown_value',
  'not_a_number',
  'too_long',
  'too_many',
  'personal',
] as const
export type DropReason = (typeof DROP_REASONS)[number]

/** By key; a single value or several. */
export type GivenAttributes = Readonly<Record<string, unknown>>

/** Told of what was dropped. */
export type OnDrop = (key: string, reason: DropReason) => void

/** Keys of a request that are read, and values of a key. */
export const MOST_KEYS = MAX_ATTRIBUTES
export const MOST_VALUES = 50
/** A longer text is not even folded. */
const LONGEST_READ = 4 * MAX_VALUE_CHARS

/** Undefined: nothing that any app knows. `isTrusted`: not everybody can say it. */
export function readAttributes(
  given: GivenAttributes,
  book: AttributeBook,
  isTrusted: boolean,
  onDrop: OnDrop,
): RequestAttribute[] | undefined {
  const read: RequestAttribute[] = []
  let keys = 0
  for (const key in given) {
    if (!Object.hasOwn(given, key)) continue
    if (++keys > MOST_KEYS) {
      onDrop(key, 'too_many')
      break
    }
    readKey(key, given[key], book, isTrusted, onDrop, read)
  }
  return read.length === 0 ? undefined : read
}

function readKey(
  key: string,
  value: unknown,
  book: AttributeBook,
  isTrusted: boolean,
  onDrop: OnDrop,
  into: RequestAttribute[],
): void {
  const declared = book.get(key)
  if (declared === undefined) {
    onDrop(key, 'undeclared')
    return
  }
  const values = Array.isArray(value) ? value : [value]
  const words = declared.some(({ kind }) => kind !== 'number') ? wordsOf(key, values, onDrop) : NONE
  let isOpen = false
  for (const one of declared) {
    if (!isTrusted && !one.fromPublic) continue
    isOpen = true
    const attribute = asDeclared(one, words, values[0], onDrop)
    if (attribute) into.push(attribute)
  }
  if (!isOpen) onDrop(key, 'not_public')
}

const NONE: readonly string[] = []

function asDeclared(
  { key, name, kind, choices }: BookedAttribute,
  words: readonly string[],
  first: unknown,
  onDrop: OnDrop,
): RequestAttribute | null {
  if (kind === 'number') {
    const number = numberOf(first)
    if (number === null) onDrop(key, 'not_a_number')
    return number === null ? null : { name, words: NONE, number }
  }
  const known = choices === null ? words : words.filter(word => choices.has(word))
  if (known.length < words.length) onDrop(key, 'unknown_value')
  return known.length === 0 ? null : { name, words: known, number: null }
}

/** The values as folded words, each once. */
function wordsOf(key: string, values: readonly unknown[], onDrop: OnDrop): string[] {
  const words: string[] = []
  if (values.length > MOST_VALUES) onDrop(key, 'too_many')
  for (let n = 0; n < Math.min(values.length, MOST_VALUES); n++) {
    const value = values[n]
    const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
    const word = text.length > LONGEST_READ ? text : foldWord(text)
    if (word === '') continue
    if (word.length > MAX_VALUE_CHARS) onDrop(key, 'too_long')
    else if (looksPersonal(word)) onDrop(key, 'personal')
    else if (!words.includes(word)) words.push(word)
  }
  return words
}

const PLAIN_NUMBER = /^[+-]?\d{1,15}(\.\d{1,10})?$/

/** A number, or one in plain notation. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && PLAIN_NUMBER.test(value.trim()) ? Number(value) : null
}

/** How often something was dropped, by reason: plain numbers, read when metrics are scraped. */
export interface AttributeDrops {
  count(reason: DropReason): void
  read(): Iterable<[string, number]>
}

export function createAttributeDrops(): AttributeDrops {
  const counts = new Map<string, number>()
  return {
    count: reason => void counts.set(reason, (counts.get(reason) ?? 0) + 1),
    read: () => counts,
  }
}

export const SAID_OF_DROPS: Record<DropReason, string> = {
  undeclared: 'no app has declared it',
  not_public: 'no app takes it from a page',
  unknown_value: 'it has a value that is not declared',
  not_a_number: 'it must be a number',
  too_long: `a value has more than ${MAX_VALUE_CHARS} characters`,
  too_many: 'there are too many attributes or values',
  personal: 'a value looks like an e-mail address or a telephone number',
}
/** Of what was dropped, for the publisher. */
const MOST_SAID = 5

/** For the browser's console: each key with what is wrong, once. */
export function saidOfDrops(drops: ReadonlyMap<string, DropReason>): string[] {
  return [...drops]
    .slice(0, MOST_SAID)
    .map(([key, reason]) => `attribute ${key.slice(0, 40)}: ${SAID_OF_DROPS[reason]}`)
}
