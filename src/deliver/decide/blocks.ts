// The publisher's blocks, checked for each candidate: a parent category blocks its children, a domain its subdomains.
// Long lists become sets when the first candidate is checked; short lists are scanned.

import type { AdRequest } from '../targeting/request.ts'

export interface Blocks {
  category(codes: readonly string[]): boolean
  domain(domain: string): boolean
  /** An advertiser without a name. */
  nameless: boolean
}

const SHORT = 12
const DOT = 46
const NOTHING: Blocks = { category: () => false, domain: () => false, nameless: false }

type Blocking = Pick<AdRequest, 'blockedCategories' | 'blockedDomains' | 'needsAdvertiser'>

export function blocksOf({ blockedCategories, blockedDomains, needsAdvertiser }: Blocking): Blocks {
  if (!needsAdvertiser && blockedCategories.length === 0 && blockedDomains.length === 0) return NOTHING
  const isCategory = memberOf(blockedCategories)
  return {
    category: codes =>
      blockedCategories.length > 0 && codes.some(code => isCategory(code) || isCategory(parentOf(code))),
    domain: underOneOf(blockedDomains),
    nameless: needsAdvertiser === true,
  }
}

/** What either of them blocks. */
export function both(a: Blocks, b: Blocks): Blocks {
  return {
    category: codes => a.category(codes) || b.category(codes),
    domain: domain => a.domain(domain) || b.domain(domain),
    nameless: a.nameless || b.nameless,
  }
}

function memberOf(list: readonly string[]): (text: string) => boolean {
  if (list.length <= SHORT) return text => list.includes(text)
  let known: Set<string> | null = null
  return text => {
    known ??= new Set(list)
    return known.has(text)
  }
}

function parentOf(code: string): string {
  const hyphen = code.indexOf('-')
  return hyphen < 0 ? code : code.slice(0, hyphen)
}

function underOneOf(domains: readonly string[]): (domain: string) => boolean {
  if (domains.length <= SHORT) return domain => domains.some(blocked => isUnder(domain, blocked))
  const isBlocked = memberOf(domains)
  return domain => {
    for (let rest = domain; ; ) {
      if (isBlocked(rest)) return true
      const dot = rest.indexOf('.')
      if (dot < 0) return false
      rest = rest.slice(dot + 1)
    }
  }
}

function isUnder(domain: string, blocked: string): boolean {
  if (!domain.endsWith(blocked)) return false
  const before = domain.length - blocked.length - 1
  return before < 0 || domain.charCodeAt(before) === DOT
}
