// IAB Content Taxonomy 1.0 codes as they come from outside: `IAB#` or `IAB#-#`, upper-cased.

const CODE = /^IAB(?:[1-9]|1[0-9]|2[0-6])(?:-[1-9][0-9]?)?$/
const LONGEST_CODE = 8

/** The code in its one spelling; null when it has another form. */
export function categoryCode(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST_CODE) return null
  if (CODE.test(text)) return text
  const upper = text.toUpperCase()
  return CODE.test(upper) ? upper : null
}
