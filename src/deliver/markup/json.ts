// Text for JSON that is assembled by hand: JSON.stringify takes three times as long, and is one of the dearest steps of
// an ad.

/** Printable ASCII without quote and backslash, which needs no escapes in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/

export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

export function jsonOf(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
