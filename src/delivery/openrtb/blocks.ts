// Whom the publisher refuses. A list that is too long to be read whole is answered with no bid:
// reading a part of it could show what was refused.

import { categoryCode } from '../audience/category.ts'
import { domainOf } from '../audience/page.ts'

const MOST_CATEGORIES = 2_000
const MOST_DOMAINS = 20_000

/** Codes of taxonomy 1. Others cannot be told apart from ours, so they block nothing; null: too many. */
export function blockedCategoriesOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return []
  if (value.length > MOST_CATEGORIES) return null
  const codes = new Set<string>()
  for (const entry of value) {
    const code = categoryCode(entry)
    if (code !== null) codes.add(code)
  }
  return [...codes]
}

/** Domains in lower case without `www.`; null: too many. */
export function blockedDomainsOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return []
  if (value.length > MOST_DOMAINS) return null
  const domains = new Set<string>()
  for (const entry of value) {
    const domain = typeof entry === 'string' ? domainOf(entry) : null
    if (domain !== null) domains.add(domain)
  }
  return [...domains]
}
