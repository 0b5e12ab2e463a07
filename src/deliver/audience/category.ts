// Reads IAB Content Taxonomy 1.0 codes from outside: `IAB#` or `IAB#-#`, converted to upper case.

const CATEGORIES = 26
const MOST_CHILDREN = 99
const LONGEST_CODE = 8

/** Every code of the right form, even if no table has it. */
const CODES = new Set<string>()
for (let category = 1; category <= CATEGORIES; category++) {
  CODES.add(`IAB${category}`)
  for (let child = 1; child <= MOST_CHILDREN; child++) CODES.add(`IAB${category}-${child}`)
}

/** The code in its one spelling; null if it has another form. */
export function categoryCode(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST_CODE) return null
  if (CODES.has(text)) return text
  const upper = text.toUpperCase()
  return CODES.has(upper) ? upper : null
}
