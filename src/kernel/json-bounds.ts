// Bounds on a JSON text, checked before it is parsed. Parsing would keep all other callers waiting: 300 ms for a
// megabyte of brackets, 100 ms for a megabyte of fields with distinct names.

import { type Problem, refusal } from './errors/problem.ts'

/** Our deepest requests nest about eight levels. */
const MOST_NESTING = 64
/** In one object; our largest have a few dozen. */
const MOST_FIELDS = 1_000
/** In all objects together: a call with a thousand operations has up to thirty fields in each. */
const MOST_FIELDS_IN_ALL = 30_000
/** Shorter texts are parsed faster than they are checked. */
const LOOK_FROM_BYTES = 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b
const CLOSING_BRACKET = 0x5d
const CLOSING_BRACE = 0x7d

type Beyond = 'nested_too_deeply' | 'too_many_fields_in_object' | 'too_many_fields'

/** The number of fields of the current object at each depth. */
const fieldsAt = new Int32Array(MOST_NESTING + 1)

/**
 * Returns which bound is exceeded, or null. Stops at the first bracket or field that is too many. Texts shorter than
 * `lookFromBytes` are not checked.
 */
export function beyondBounds(bytes: Buffer, lookFromBytes = LOOK_FROM_BYTES): Beyond | null {
  if (bytes.length < lookFromBytes) return null
  let depth = 0
  let fields = 0
  fieldsAt[0] = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++depth > MOST_NESTING) return 'nested_too_deeply'
      fieldsAt[depth] = 0
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) {
      // If more brackets close than were opened, the parser reports it.
      if (depth > 0) depth--
    } else if (byte === COLON) {
      if (++fieldsAt[depth]! > MOST_FIELDS) return 'too_many_fields_in_object'
      if (++fields > MOST_FIELDS_IN_ALL) return 'too_many_fields'
    }
  }
  return null
}

export function boundsProblem(beyond: Beyond): Problem {
  if (beyond === 'nested_too_deeply') return refusal(beyond)
  return refusal(beyond, { max: beyond === 'too_many_fields' ? MOST_FIELDS_IN_ALL : MOST_FIELDS })
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
