// Bounds on a JSON text, checked before it is parsed. Parsing would keep all other callers waiting: 200 ms for a
// megabyte of brackets, or of objects with one field each.

import { type Problem, refusal } from './errors/problem.ts'

/** Our deepest requests nest about eight levels. */
export const MOST_NESTING = 64
/** In one object; our largest have a few dozen. */
export const MOST_FIELDS = 1_000
/** In all objects together: a call with a thousand operations has up to thirty fields in each. */
export const MOST_FIELDS_IN_ALL = 30_000
/** What a text may have in all: values, each of which follows a bracket, a brace or a comma, and objects among them. */
export interface JsonBounds {
  values: number
  objects: number
}
export const USUAL: JsonBounds = { values: 60_000, objects: 5_000 }
/** For a call with a thousand operations, or an order of many objects. */
export const MANY: JsonBounds = { values: 150_000, objects: 20_000 }
/** Shorter texts are parsed faster than they are checked. */
const LOOK_FROM_BYTES = 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b
const CLOSING_BRACKET = 0x5d
const CLOSING_BRACE = 0x7d

const MOST = {
  too_many_fields_in_object: () => MOST_FIELDS,
  too_many_fields: () => MOST_FIELDS_IN_ALL,
  too_many_values: ({ values }: JsonBounds) => values,
  too_many_objects_in_body: ({ objects }: JsonBounds) => objects,
}
type Beyond = 'nested_too_deeply' | keyof typeof MOST

/** The number of fields of the current object at each depth. */
const fieldsAt = new Int32Array(MOST_NESTING + 1)

/**
 * The refusal of a text beyond the bounds, or null. Stops at the first thing that is too many. Texts shorter than
 * `lookFromBytes` are not checked.
 */
export function boundExceededBy(
  bytes: Buffer,
  bounds = USUAL,
  lookFromBytes = LOOK_FROM_BYTES,
): Problem | null {
  const beyond = bytes.length < lookFromBytes ? null : firstBeyond(bytes, bounds)
  if (beyond === null) return null
  return beyond === 'nested_too_deeply' ? refusal(beyond) : refusal(beyond, { max: MOST[beyond](bounds) })
}

function firstBeyond(bytes: Buffer, bounds: JsonBounds): Beyond | null {
  let depth = 0
  let fields = 0
  let values = 1
  let objects = 0
  fieldsAt[0] = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === COMMA) values++
    else if (byte === COLON) {
      if (++fieldsAt[depth]! > MOST_FIELDS) return 'too_many_fields_in_object'
      if (++fields > MOST_FIELDS_IN_ALL) return 'too_many_fields'
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++depth > MOST_NESTING) return 'nested_too_deeply'
      fieldsAt[depth] = 0
      values++
      if (byte === OPENING_BRACE && ++objects > bounds.objects) return 'too_many_objects_in_body'
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) {
      // If more brackets close than were opened, the parser reports it.
      if (depth > 0) depth--
    }
    if (values > bounds.values) return 'too_many_values'
  }
  return null
}

/** The closing quote of the string that begins at `start`. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at++
  }
  return bytes.length
}
