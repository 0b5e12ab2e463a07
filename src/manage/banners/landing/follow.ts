// Follows the address of a click as a browser would, from redirect to redirect, without opening our network to it: only
// public addresses, limited hops and time, and no body is read. Says what is wrong: the page does not answer, is not
// https, or a redirect drops the click id, without which no conversion is credited. What a page does by script, or by a
// `meta` of its own, is not seen.

import type { IncomingMessage } from 'node:http'
import { CLICK_ID_NAME, withClickId } from '../../../kernel/click-parameters.ts'
import { type Finding, finding } from '../../../kernel/errors/finding.ts'
import { addressesOf, type OutboundOptions, requestPinned } from '../../../platform/outbound.ts'
import { isPublicAddress } from '../../../platform/public-address.ts'

/** Looks at a page; no findings: all is well. */
export type FollowPage = (url: string) => Promise<Finding[]>

export const MOST_REDIRECTS = 10
export const TIMEOUT_MS = 15_000
/** Has the form of a click id, and is none. */
export const TEST_CLICK_ID = 'AAAAAAAAAAAAAAAAAAAAAA'
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Answers by which sites keep programs away: people may well see the page. */
const REFUSES_PROGRAMS = new Set([401, 403, 405, 406, 429])
const HEADERS = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'identity',
  'accept-language': 'en',
  'user-agent': 'Mozilla/5.0 (compatible; Marquee landing page check)',
}
const MOST_COOKIES = 50
const LONGEST_COOKIE = 4_096
const MOST_SHOWN = 200

export function createFollowPage(options: OutboundOptions, timeoutMs = TIMEOUT_MS): FollowPage {
  return async url => {
    const deadline = AbortSignal.timeout(timeoutMs)
    const way: Way = { isAllowed: false, cookies: [], lost: null }
    try {
      return await follow(new URL(withClickId(url, TEST_CLICK_ID)), way, options, deadline)
    } catch {
      // The error of the transport is hidden: a forbidden and an unreachable host get the same answer.
      const isLate = way.isAllowed && deadline.aborted
      return [isLate ? finding('landing_timeout', { seconds: timeoutMs / 1000 }) : UNREACHABLE]
    }
  }
}

/** Whether it may be over in a moment. */
export function isPassing({ code, params }: Finding): boolean {
  if (code === 'landing_status') return params.status >= 500
  return code === 'landing_unreachable' || code === 'landing_timeout'
}

const UNREACHABLE = finding('landing_unreachable')

interface Cookie {
  name: string
  value: string
  domain: string
}

interface Way {
  /** The host that is asked has an allowed address. */
  isAllowed: boolean
  cookies: Cookie[]
  lost: Finding | null
}

async function follow(
  start: URL,
  way: Way,
  options: OutboundOptions,
  deadline: AbortSignal,
): Promise<Finding[]> {
  let page = start
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    way.isAllowed = false
    const addresses = await addressesOf(page, options, deadline)
    if (addresses === 'not_allowed' || addresses.length === 0) return [UNREACHABLE]
    way.isAllowed = true
    const headers = { ...HEADERS, ...cookiesFor(page, way.cookies) }
    const answer = await requestPinned(page, addresses, { method: 'GET', headers, signal: deadline })
    answer.destroy()
    const next = nextPage(page, answer)
    if (next === null) {
      const isOurs = addresses.some(({ address }) => !isPublicAddress(address))
      return verdict(page, answer.statusCode!, way.lost, isOurs)
    }
    keepCookies(page, answer, way.cookies)
    if (way.lost === null && hasClickId(page) && !hasClickId(next))
      way.lost = finding('landing_loses_click', { from: shown(page), to: shown(next) })
    if (hasClickId(next)) way.lost = null
    // An app's own address ends what a browser follows.
    if (!/^https?:$/.test(next.protocol)) return way.lost ? [way.lost] : []
    page = next
  }
  return [finding('landing_redirects', { max: MOST_REDIRECTS })]
}

/** `isOurs`: a host inside a company, which needs no certificate. */
function verdict(page: URL, status: number, lost: Finding | null, isOurs: boolean): Finding[] {
  const isThere = (status >= 200 && status < 300) || REFUSES_PROGRAMS.has(status)
  if (!isThere) return [finding('landing_status', { status })]
  const isOpen = page.protocol === 'http:' && !isOurs
  return [...(lost ? [lost] : []), ...(isOpen ? [finding('landing_not_https', { page: shown(page) })] : [])]
}

/** Null: it does not redirect. */
function nextPage(page: URL, { statusCode, headers: { location } }: IncomingMessage): URL | null {
  if (!REDIRECTS.has(statusCode!) || location === undefined || !URL.canParse(location, page.href)) return null
  const next = new URL(location, page)
  if (next.hash === '') next.hash = page.hash
  return next
}

function hasClickId(page: URL): boolean {
  return page.searchParams.get(CLICK_ID_NAME) === TEST_CLICK_ID
}

function shown({ origin, protocol, host, pathname }: URL): string {
  return `${origin === 'null' ? `${protocol}//${host}` : origin}${pathname}`.slice(0, MOST_SHOWN)
}

/** Some sites set a cookie and redirect to themselves until it comes back. */
function keepCookies(page: URL, { headers }: IncomingMessage, cookies: Cookie[]): void {
  for (const line of headers['set-cookie'] ?? []) {
    const [pair = '', ...attributes] = line.slice(0, LONGEST_COOKIE).split(';')
    const at = pair.indexOf('=')
    if (at < 1 || cookies.length >= MOST_COOKIES) continue
    const given = attributes.find(one => /^\s*domain=\s*\.?[a-z0-9]/i.test(one))
    const domain = given
      ? given
          .replace(/^\s*domain=\s*\.?/i, '')
          .trim()
          .toLowerCase()
      : page.hostname
    if (!isWithin(page.hostname, domain)) continue
    const cookie = { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim(), domain }
    const known = cookies.findIndex(one => one.name === cookie.name && one.domain === domain)
    if (known < 0) cookies.push(cookie)
    else cookies[known] = cookie
  }
}

function cookiesFor(page: URL, cookies: readonly Cookie[]): { cookie?: string } {
  const own = cookies.filter(({ domain }) => isWithin(page.hostname, domain))
  return own.length === 0 ? {} : { cookie: own.map(({ name, value }) => `${name}=${value}`).join('; ') }
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`)
}
