// How deep a JSON text nests, told before it is parsed: a megabyte of brackets would keep the parser, and with it
// everybody else, busy for 300 ms.

/** The deepest of our requests nest about eight deep. */
const MOST_NESTING = 64
/** Shorter texts are parsed faster than they are looked through. */
const LOOK_FROM_BYTES = 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b
const CLOSING_BRACKET = 0x5d
const CLOSING_BRACE = 0x7d

/** Ends at the first bracket too many, so that brackets cost less than other bytes. */
export function nestsTooDeep(bytes: Buffer): boolean {
  if (bytes.length < LOOK_FROM_BYTES) return false
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++depth > MOST_NESTING) return true
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) depth--
  }
  return false
}

/** Where the text that begins at `start` has its closing quote. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at++
  }
  return bytes.length
}
