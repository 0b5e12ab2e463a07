// Bounds of a JSON text, checked before it is parsed. The parser would keep everyone else waiting: 300 ms for a
// megabyte of brackets, 100 ms for one of fields with distinct names.

import { type Problem, refusal } from './problem.ts'

/** The deepest of our requests nest about eight deep. */
const MOST_NESTING = 64
/** Of one object: the largest of ours have some dozens. */
const MOST_FIELDS = 1_000
/** Of all objects together: a thousand operations in one call have up to thirty each. */
const MOST_FIELDS_IN_ALL = 30_000
/** Shorter texts are parsed faster than they are looked through. */
const LOOK_FROM_BYTES = 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b
const CLOSING_BRACKET = 0x5d
const CLOSING_BRACE = 0x7d

type Beyond = 'nested_too_deeply' | 'too_many_fields_in_object' | 'too_many_fields'

/** At each depth, for the current object. */
const fieldsAt = new Int32Array(MOST_NESTING + 1)

/**
 * What exceeds the bounds; null: nothing. Stops at the first bracket or field too many. Texts shorter than
 * `lookFromBytes` are not looked at.
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
      // More than were opened: the parser will say so.
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
