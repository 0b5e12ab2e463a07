// The visitor of a tag's request, by its headers: where the page is, whether the visitor wants to be recognised,
// and the first-party cookie by which we do.

import type { IncomingHttpHeaders } from 'node:http'
import type { Source } from '../sources/sources.ts'
import { USER_COOKIE } from '../tracking/cookie.ts'
import { hostOf } from './audience/page.ts'
import { tcfAllowsId } from './audience/tcf.ts'

const COOKIE_LIFE_S = 390 * 86_400

/** Where a cookie needs the visitor's consent first: the EU, the EEA, the United Kingdom and Switzerland. */
const CONSENT_COUNTRIES = new Set(
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
    ' ',
  ),
)

/** The page that asks: of its own headers, the origin before the referrer. `null` is what a sandbox sends. */
export function pageOf(headers: IncomingHttpHeaders): string | null {
  const { origin, referer } = headers
  return origin !== undefined && origin !== 'null' ? origin : (referer ?? null)
}

/**
 * Whether the request comes from elsewhere than the site: the page that it names, or that its headers name, is of
 * another domain, or a browser names none at all. The site's own server need not name one.
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

/** Every browser of these years sends both, and no page can leave them out. Node's own fetch sends `sec-fetch-mode`. */
function isBrowser(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] !== undefined || headers['sec-fetch-dest'] !== undefined
}

export function doesNotWantTracking(headers: IncomingHttpHeaders): boolean {
  return headers.dnt === '1' || headers['sec-gpc'] === '1'
}

/** What the page's consent platform says, as IAB TCF's query parameters carry it. */
export interface TagConsent {
  gdpr?: string
  gdpr_consent?: string
}

/** The consent rules apply, and the visitor has not agreed: no id of any kind. */
export function withholdsConsent({ gdpr, gdpr_consent }: TagConsent): boolean {
  if (gdpr === '0') return false
  if (gdpr_consent) return !tcfAllowsId(gdpr_consent, null)
  return gdpr === '1'
}

/**
 * Whether a cookie may be set: by a consent string (IAB TCF) where one is given, else only where it is known that
 * the visitor is in a country that does not ask for consent first.
 */
export function maySetCookie(country: string | null, consent: TagConsent): boolean {
  if (withholdsConsent(consent)) return false
  if (consent.gdpr === '0' || consent.gdpr_consent) return true
  return country !== null && !CONSENT_COUNTRIES.has(country)
}

/** Third-party iframes get a cookie back only as `None`, which browsers take only over https. */
export function cookieHeader(value: string, isHttps: boolean): string {
  const site = isHttps ? 'SameSite=None; Secure' : 'SameSite=Lax'
  return `${USER_COOKIE}=${value}; Path=/; Max-Age=${COOKIE_LIFE_S}; HttpOnly; ${site}`
}
