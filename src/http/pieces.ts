// A long answer as JSON, in pieces: one per turn of the event loop, so that others are answered in between, however
// much one caller asked for. An answer that fits into one piece stays whole.

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

/** Takes some tenths of a millisecond to make. */
export const PIECE_CHARACTERS = 128 * 1024
/** Shorter lists are written as a whole. */
const MANY = 20
/** How deep in an answer a long list may be: `results[0].answer.personas`. */
const DEPTH = 2

/** About how many characters of JSON it makes. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 5
  let weight = 2
  if (Array.isArray(value)) for (const item of value) weight += weightOf(item)
  else
    for (const name in value) weight += name.length + 3 + weightOf((value as Record<string, unknown>)[name])
  return weight
}

export function jsonOf(body: unknown): string | Readable {
  if (!hasMany(body)) return JSON.stringify(body)
  const pieces = piecesOf(body)
  const first = pieces.next().value as string
  const second = pieces.next()
  if (second.done) return first
  return Readable.from(oneATurn(first, second.value, pieces), { objectMode: false })
}

async function* oneATurn(
  first: string,
  second: string,
  rest: Generator<string, void>,
): AsyncGenerator<string> {
  yield first
  yield second
  for (const piece of rest) {
    await setImmediate()
    yield piece
  }
}

function* piecesOf(value: unknown): Generator<string, void> {
  let text = ''
  for (const part of partsOf(value)) {
    text += part
    if (text.length < PIECE_CHARACTERS) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** Joined, the parts are what JSON.stringify makes of the value. */
function partsOf(value: unknown): Iterable<string> {
  if (!hasMany(value)) return [JSON.stringify(value) ?? 'null']
  return Array.isArray(value) ? partsOfList(value) : partsOfObject(value as object)
}

function* partsOfList(list: unknown[]): Generator<string> {
  let opening = '['
  for (const item of list) {
    if (hasMany(item)) {
      yield opening
      yield* partsOf(item)
    } else yield opening + (JSON.stringify(item) ?? 'null')
    opening = ','
  }
  yield ']'
}

function* partsOfObject(object: object): Generator<string> {
  let opening = '{'
  for (const [name, field] of Object.entries(object)) {
    if (field === undefined) continue
    yield `${opening}${JSON.stringify(name)}:`
    yield* partsOf(field)
    opening = ','
  }
  yield '}'
}

/** Whether the value is a long list of objects or contains one. */
function hasMany(value: unknown, depth = DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length > MANY && typeof value[0] === 'object'
  if (Object.getPrototypeOf(value) !== Object.prototype || depth === 0) return false
  for (const name in value) if (hasMany((value as Record<string, unknown>)[name], depth - 1)) return true
  return false
}
