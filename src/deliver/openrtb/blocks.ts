// The publisher's blocks. If a list is too long to read completely, or in another taxonomy, there is no bid: reading
// only a part of it could show what the publisher blocked.

import { domainToASCII } from 'node:url'
import { categoryCode } from '../audience/category.ts'
import { domainOf } from '../audience/page.ts'

const MOST_CATEGORIES = 2_000
const MOST_DOMAINS = 20_000
const SHORT = 16

/** Codes of taxonomy 1; other codes are ignored. Null: too many. */
export function blockedCategoriesOf(value: unknown): string[] | null {
  return readList(value, MOST_CATEGORIES, categoryCode)
}

/** Whether categories are blocked in another taxonomy, which cannot be compared with our codes. */
export function isOtherTaxonomy(bcat: unknown, cattax: unknown): boolean {
  const isNone = bcat === undefined || bcat === null || (Array.isArray(bcat) && bcat.length === 0)
  return !isNone && cattax !== undefined && cattax !== null && Number(cattax) !== 1
}

/** Domains in lower case without `www.`; null: too many. */
export function blockedDomainsOf(value: unknown): string[] | null {
  return readList(value, MOST_DOMAINS, entry => (typeof entry === 'string' ? blockedDomain(entry) : null))
}

/** The form that nearly all entries have: there is nothing to tidy. */
const BARE_DOMAIN = /^(?!www\.)[a-z0-9][a-z0-9.-]{0,251}[a-z0-9]$/
const LONGEST_ENTRY = 2048
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//
const AFTER_HOST = /[/?#:].*$/s
const WILDCARD = /^[*.]+/
const NOT_ASCII = /[^\0-\x7f]/

/** Some lists contain URLs (`https://a.example/`), wildcards (`*.a.example`) or domains in local script. */
function blockedDomain(entry: string): string | null {
  if (BARE_DOMAIN.test(entry)) return entry
  if (entry.length > LONGEST_ENTRY) return null
  const host = entry.trim().toLowerCase().replace(SCHEME, '').replace(AFTER_HOST, '').replace(WILDCARD, '')
  return domainOf(NOT_ASCII.test(host) ? domainToASCII(host) : host)
}

/** A single string is read as a list of one. */
function readList(value: unknown, most: number, read: (entry: unknown) => string | null): string[] | null {
  if (typeof value === 'string') return readList([value], most, read)
  if (!Array.isArray(value)) return []
  if (value.length > most) return null
  const texts: string[] = []
  for (let n = 0; n < value.length; n++) {
    const text = read(value[n])
    if (text !== null) texts.push(text)
  }
  return once(texts)
}

/** Removes repeated entries. Most lists are short, and then scanning is faster than making a set. */
function once(texts: string[]): string[] {
  if (texts.length > SHORT) return [...new Set(texts)]
  return texts.filter((text, n) => texts.indexOf(text) === n)
}
