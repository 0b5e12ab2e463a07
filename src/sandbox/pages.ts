// Landing pages of a sandbox. Nobody is asked, so that the same calls have the same result: a page is as it should be,
// unless it is one of `/sandbox/page/:outcome` of the service: `unreachable`, `gone` or `loses-click`.

import { type Finding, finding } from '../kernel/errors/finding.ts'
import type { FollowPage } from '../manage/banners/landing/follow.ts'

export const PAGE_OUTCOMES = ['unreachable', 'gone', 'loses-click'] as const

export function sandboxPages(publicUrl: string): FollowPage {
  return async url => {
    const start = `${publicUrl}/sandbox/page/`
    if (!url.startsWith(start)) return isOpen(url) ? [finding('landing_not_https', { page: url })] : []
    const [outcome] = url.slice(start.length).split(/[?#]/, 1)
    return findingsOf(outcome!, url)
  }
}

function findingsOf(outcome: string, url: string): Finding[] {
  if (outcome === 'unreachable') return [finding('landing_unreachable')]
  if (outcome === 'gone') return [finding('landing_status', { status: 410 })]
  const { origin, pathname } = new URL(url)
  if (outcome === 'loses-click')
    return [finding('landing_loses_click', { from: origin + pathname, to: `${origin}/` })]
  return []
}

function isOpen(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && hostname !== 'localhost'
}
