// The publisher's blocks. If a list is too long to read completely, or in a taxonomy that we cannot read, there is no
// bid: reading only a part of it could show what the publisher blocked.

import { domainToASCII } from 'node:url'
import { coveredByContent, isContentTaxonomy } from '../../manage/reference/iab-content.ts'
import { categoryCode } from '../audience/category.ts'
import { domainOf } from '../audience/page.ts'

const MOST_CATEGORIES = 2_000
const MOST_DOMAINS = 20_000
const SHORT = 16

export type BlockListFault = 'block_list_too_long' | 'block_list_unreadable'

/**
 * Codes of taxonomy 1.0, in which other codes are ignored; of the content taxonomies 2.x and 3.x those that a block
 * there covers.
 */
export function blockedCategoriesOf(bcat: unknown, cattax: unknown): string[] | BlockListFault {
  const isOther = cattax !== undefined && cattax !== null && Number(cattax) !== 1
  if (!isOther) return readList(bcat, MOST_CATEGORIES, categoryCode) ?? 'block_list_too_long'
  const ids = readList(bcat, MOST_CATEGORIES, entry => String(entry).trim())
  if (ids === null) return 'block_list_too_long'
  if (ids.length > 0 && !isContentTaxonomy(cattax)) return 'block_list_unreadable'
  const codes: string[] = []
  for (const id of ids) {
    const covered = coveredByContent(id) ?? coveredByCode(id)
    if (covered === null) return 'block_list_unreadable'
    codes.push(...covered)
  }
  return once(codes)
}

/** Some lists still have codes of taxonomy 1.0, whatever they say. */
function coveredByCode(text: string): string[] | null {
  const code = categoryCode(text)
  return code === null ? null : [code]
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
