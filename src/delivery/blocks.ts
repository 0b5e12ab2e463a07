// Whom the publisher refuses, asked of each candidate: a parent category blocks its children, a domain its
// sub-domains. Long lists become sets when the first candidate is looked at, short ones are walked.

import type { AdRequest } from './request.ts'

export interface Blocks {
  category(codes: readonly string[]): boolean
  domain(domain: string): boolean
}

const SHORT = 12
const NOTHING: Blocks = { category: () => false, domain: () => false }

export function blocksOf({ blockedCategories, blockedDomains }: AdRequest): Blocks {
  if (blockedCategories.length === 0 && blockedDomains.length === 0) return NOTHING
  const isCategory = memberOf(blockedCategories)
  const isDomain = memberOf(blockedDomains)
  return {
    category: codes =>
      blockedCategories.length > 0 && codes.some(code => isCategory(code) || isCategory(parentOf(code))),
    domain: domain => blockedDomains.length > 0 && isUnder(domain, isDomain),
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

function isUnder(domain: string, isBlocked: (domain: string) => boolean): boolean {
  for (let rest = domain; ; ) {
    if (isBlocked(rest)) return true
    const dot = rest.indexOf('.')
    if (dot < 0) return false
    rest = rest.slice(dot + 1)
  }
}
