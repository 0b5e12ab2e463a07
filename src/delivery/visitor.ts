// The visitor of a tag's request, by its headers: where the page is, whether the visitor wants to be recognised,
// and the first-party cookie by which we do.

import type { IncomingHttpHeaders } from 'node:http'
import type { Source } from '../sources/sources.ts'
import { cookieValue, USER_COOKIE, type UserCookie } from '../tracking/cookie.ts'
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

/** Whether the page is of another domain than the site's. Servers send neither header: they know the key. */
export function isForeignTo(source: Pick<Source, 'domain'>, page: string | null): boolean {
  if (page === null || source.domain === null) return false
  const host = hostOf(page)
  const domain = source.domain.replace(/^www\./, '')
  return host === null || !(host === domain || host.endsWith(`.${domain}`))
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
export function cookieHeader(cookie: UserCookie, isHttps: boolean): string {
  const site = isHttps ? 'SameSite=None; Secure' : 'SameSite=Lax'
  return `${USER_COOKIE}=${cookieValue(cookie)}; Path=/; Max-Age=${COOKIE_LIFE_S}; HttpOnly; ${site}`
}
