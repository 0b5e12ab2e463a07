// Text for JSON that is written out by hand: JSON.stringify takes three times as long, and is one of the dearest steps
// of an ad.

/** Printable ASCII without quote and backslash: stands in JSON as it is. */
const PLAIN = /^[ !#-[\]-~]*$/

export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

export function jsonOf(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
