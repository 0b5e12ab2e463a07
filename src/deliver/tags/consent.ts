// What the page's consent platforms say, as a tag's request carries it: with the fields of a body, or with the names
// that the IAB has for URLs. Values of a body that have the wrong type are refused when its fields are checked.

import { type ConsentSignals, gppSidsOf } from '../audience/consent.ts'
import { type Faults, fault, flagAt, listAt, numberAt, textAt } from './fields.ts'

export const CONSENT_FIELDS = ['gdpr', 'gdprConsent', 'gpp', 'gppSid', 'usPrivacy']
const LONGEST_STRING = 16_384
const LONGEST_US_PRIVACY = 16
const MOST_SECTIONS = 64
const HIGHEST_SECTION = 9_999

type Query = Record<string, string[] | undefined>

export function consentOfBody(json: unknown): ConsentSignals {
  const { gdpr, gdprConsent, gpp, gppSid, usPrivacy } = (json ?? {}) as Record<string, unknown>
  return {
    gdpr: typeof gdpr === 'boolean' ? gdpr : null,
    tcf: given(gdprConsent),
    usPrivacy: given(usPrivacy),
    gpp: given(gpp),
    gppSids: gppSidsOf(gppSid),
  }
}

/** Macros that nobody has filled in count as unreadable. */
export function consentOfQuery(query: Query): ConsentSignals {
  const gdpr = query.gdpr?.[0]
  const sids = given((query.gpp_sid ?? query.gppSid)?.[0])
  return {
    gdpr: gdpr === '1' ? true : gdpr === '0' ? false : null,
    tcf: given(query.gdpr_consent?.[0]),
    usPrivacy: given((query.us_privacy ?? query.usPrivacy)?.[0]),
    gpp: given(query.gpp?.[0]),
    gppSids: sids === null ? null : gppSidsOf(sids.split(/[,_]/).map(Number)),
  }
}

/** Reports what is wrong with the fields of a body. */
export function checkConsent(faults: Faults, fields: Record<string, unknown>): void {
  flagAt(faults, '/gdpr', fields.gdpr)
  textAt(faults, '/gdprConsent', fields.gdprConsent, LONGEST_STRING)
  textAt(faults, '/gpp', fields.gpp, LONGEST_STRING)
  textAt(faults, '/usPrivacy', fields.usPrivacy, LONGEST_US_PRIVACY)
  for (const [n, id] of listAt(faults, '/gppSid', fields.gppSid, MOST_SECTIONS).entries()) {
    const path = `/gppSid/${n}`
    if (numberAt(faults, path, id ?? Number.NaN, -1, HIGHEST_SECTION) === null) continue
    if (!Number.isInteger(id)) fault(faults, path, 'not_an_integer')
  }
}

function given(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}
