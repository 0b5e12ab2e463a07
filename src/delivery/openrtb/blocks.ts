// The publisher's blocks. A list that is too long to read completely, or in a taxonomy that is not ours, gets no bid:
// reading a part of it could show what was refused.

import { domainToASCII } from 'node:url'
import { categoryCode } from '../audience/category.ts'
import { domainOf } from '../audience/page.ts'

const MOST_CATEGORIES = 2_000
const MOST_DOMAINS = 20_000
const SHORT = 16

/** Codes of taxonomy 1. Others cannot be distinguished from ours, so they block nothing; null: too many. */
export function blockedCategoriesOf(value: unknown): string[] | null {
  return readList(value, MOST_CATEGORIES, categoryCode)
}

/** Whether categories are blocked in another taxonomy, which says nothing about our codes. */
export function isOtherTaxonomy(bcat: unknown, cattax: unknown): boolean {
  const isNone = bcat === undefined || bcat === null || (Array.isArray(bcat) && bcat.length === 0)
  return !isNone && cattax !== undefined && cattax !== null && Number(cattax) !== 1
}

/** Domains in lower case without `www.`; null: too many. */
export function blockedDomainsOf(value: unknown): string[] | null {
  return readList(value, MOST_DOMAINS, entry => (typeof entry === 'string' ? blockedDomain(entry) : null))
}

/** As nearly all come: nothing to tidy. */
const BARE_DOMAIN = /^(?!www\.)[a-z0-9][a-z0-9.-]{0,251}[a-z0-9]$/
const LONGEST_ENTRY = 2048
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//
const AFTER_HOST = /[/?#:].*$/s
const WILDCARD = /^[*.]+/
const NOT_ASCII = /[^\0-\x7f]/

/** Lists are also kept as addresses (`https://a.example/`), with wildcards (`*.a.example`) and in local script. */
function blockedDomain(entry: string): string | null {
  if (BARE_DOMAIN.test(entry)) return entry
  if (entry.length > LONGEST_ENTRY) return null
  const host = entry.trim().toLowerCase().replace(SCHEME, '').replace(AFTER_HOST, '').replace(WILDCARD, '')
  return domainOf(NOT_ASCII.test(host) ? domainToASCII(host) : host)
}

/** A single text is a list of one, and blocks just the same. */
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

/** Most lists are short, and then looking is faster than making a set. */
function once(texts: string[]): string[] {
  if (texts.length > SHORT) return [...new Set(texts)]
  return texts.filter((text, n) => texts.indexOf(text) === n)
}
