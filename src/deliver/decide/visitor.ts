// The visitor of a tag's request, judged by its headers: the page, whether the visitor wants to be recognised, and the
// first-party cookie by which we recognise them.

import type { IncomingHttpHeaders } from 'node:http'
import { USER_COOKIE } from '../../count/tracking/cookie.ts'
import type { Source } from '../../manage/sources/sources.ts'
import { hostOf } from '../audience/page.ts'
import { tcfAllowsId } from '../audience/tcf.ts'

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

/** What the page's consent platform says, in the query parameters of IAB TCF. */
export interface TagConsent {
  gdpr?: string
  gdpr_consent?: string
}

/** Whether consent rules apply and the visitor has not agreed: then there is no id of any kind. */
export function withholdsConsent({ gdpr, gdpr_consent }: TagConsent): boolean {
  if (gdpr === '0') return false
  if (gdpr_consent) return !tcfAllowsId(gdpr_consent, null)
  return gdpr === '1'
}

/**
 * Whether a cookie may be set: decided by the consent string (IAB TCF) if there is one; otherwise only if the visitor
 * is known to be in a country that does not require consent first.
 */
export function maySetCookie(country: string | null, consent: TagConsent): boolean {
  if (withholdsConsent(consent)) return false
  if (consent.gdpr === '0' || consent.gdpr_consent) return true
  return country !== null && !CONSENT_COUNTRIES.has(country)
}

/** Third-party iframes get a cookie back only with `SameSite=None`, which browsers accept only over https. */
export function cookieHeader(value: string, isHttps: boolean): string {
  const site = isHttps ? 'SameSite=None; Secure' : 'SameSite=Lax'
  return `${USER_COOKIE}=${value}; Path=/; Max-Age=${COOKIE_LIFE_S}; HttpOnly; ${site}`
}
