// The visitor of a tag's request, judged by its headers: the page, whether the visitor wants to be recognised, and the
// first-party cookie by which we recognise them.

import type { IncomingHttpHeaders } from 'node:http'
import { USER_COOKIE } from '../../count/tracking/cookie.ts'
import type { Source } from '../../manage/sources/sources.ts'
import { allowsId, type ConsentSignals } from '../audience/consent.ts'
import { hostOf } from '../audience/page.ts'

const COOKIE_LIFE_S = 390 * 86_400

/** Countries where a cookie needs the visitor's consent first: EU, EEA, the United Kingdom and Switzerland. */
const CONSENT_COUNTRIES = new Set(
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
    ' ',
  ),
)

/** The page that asks: the origin, otherwise the referrer. Sandboxed frames send the origin `null`. */
export function pageOf(headers: IncomingHttpHeaders): string | null {
  const { origin, referer } = headers
  return origin !== undefined && origin !== 'null' ? origin : (referer ?? null)
}

/**
 * Whether the request comes from elsewhere than the site: the page that it or its headers name is on another domain, or
 * a browser names no page at all. The site's own server need not name a page.
 */
export function isForeignTo(
  { domain }: Pick<Source, 'domain'>,
  headers: IncomingHttpHeaders,
  namedHost: string | null,
  isServer: boolean,
): boolean {
  if (domain === null) return false
  const page = pageOf(headers)
  if (page !== null && !isOf(domain, hostOf(page))) return true
  if (namedHost !== null) return !isOf(domain, namedHost)
  return page === null && !isServer && isBrowser(headers)
}

function isOf(domain: string, host: string | null): boolean {
  const bare = domain.replace(/^www\./, '')
  return host === bare || host?.endsWith(`.${bare}`) === true
}

/** Every current browser sends both headers, and no page can suppress them. Node's own fetch sends `sec-fetch-mode`. */
function isBrowser(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] !== undefined || headers['sec-fetch-dest'] !== undefined
}

export function doesNotWantTracking(headers: IncomingHttpHeaders): boolean {
  return headers.dnt === '1' || headers['sec-gpc'] === '1'
}

/**
 * Whether a cookie may be set: never against the visitor's choice; otherwise if the visitor has consented (IAB TCF) or
 * needs not, or is known to be in a country that does not require consent first.
 */
export function maySetCookie(country: string | null, consent: ConsentSignals): boolean {
  if (!allowsId(consent, null)) return false
  if (consent.gdpr === false || consent.tcf !== null) return true
  return country !== null && !CONSENT_COUNTRIES.has(country)
}

/**
 * Third-party iframes get a cookie back only with `SameSite=None`, which browsers accept only over https. Where they
 * block third-party cookies, they keep only the twin, separately for each site that shows our frame.
 */
export function cookieHeaders(value: string, isHttps: boolean): string[] {
  const cookie = `${USER_COOKIE}=${value}; Path=/; Max-Age=${COOKIE_LIFE_S}; HttpOnly`
  if (!isHttps) return [`${cookie}; SameSite=Lax`]
  const everywhere = `${cookie}; SameSite=None; Secure`
  return [everywhere, `${everywhere}; Partitioned`]
}
