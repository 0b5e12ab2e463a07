// What the request's privacy signals allow. Each signal can only forbid: a signal that applies but cannot be read is a
// "no". OpenRTB 2.6 has its own fields for them, 2.5 has them in ext: both are read.

import { gppOptsOut, gppSections, TCF_EU_SECTION, usPrivacyOptsOut } from '../audience/gpp.ts'
import { tcfAllowsId } from '../audience/tcf.ts'
import { type Fields, fieldsOf, isSet, textOf } from './read.ts'

export interface Privacy {
  /** The request concerns a child: no ids, gender, age or position. */
  isChild: boolean
  /** Whether a user key may be made from ids or from address and agent. */
  mayIdentify: boolean
}

const LONGEST_STRING = 16_384
const MOST_SECTIONS = 64

export function privacyOf(
  regs: Fields | null,
  user: Fields | null,
  device: Fields | null,
  tcfVendorId: number | null,
): Privacy {
  const isChild = regs !== null && isSet(regs.coppa)
  if (isChild) return { isChild, mayIdentify: false }
  if (device !== null && (isSet(device.dnt) || isSet(device.lmt))) return { isChild, mayIdentify: false }
  const consent = consentOf(user)
  if (regs === null) return { isChild, mayIdentify: consent === null || tcfAllowsId(consent, tcfVendorId) }
  return { isChild, mayIdentify: regulationsAllow(regs, consent, tcfVendorId) }
}

function consentOf(user: Fields | null): string | null {
  if (!user) return null
  return textOf(user.consent ?? fieldsOf(user.ext)?.consent, LONGEST_STRING)
}

function regulationsAllow(regs: Fields, consent: string | null, tcfVendorId: number | null): boolean {
  const ext = fieldsOf(regs.ext)
  if (isSet(ext?.gpc) || isSet(regs.gpc)) return false
  const usPrivacy = textOf(regs.us_privacy ?? ext?.us_privacy, 16)
  if (usPrivacy !== null && usPrivacyOptsOut(usPrivacy)) return false

  const sectionIds = regs.gpp_sid ?? ext?.gpp_sid
  if (Array.isArray(sectionIds) && sectionIds.length > MOST_SECTIONS) return false
  const applicable = sectionIdsOf(sectionIds)
  const gpp = textOf(regs.gpp ?? ext?.gpp, LONGEST_STRING)
  const sections = gpp === null ? new Map<number, string>() : gppSections(gpp)
  if ((gpp !== null || applicable !== null) && gppOptsOut(sections, applicable)) return false

  const gdpr = regs.gdpr ?? ext?.gdpr ?? null
  const applies = isSet(gdpr) || (applicable?.includes(TCF_EU_SECTION) ?? false)
  // Even if the request does not say whether the GDPR applies, a refusal of consent counts.
  if (!applies && (gdpr !== null || consent === null)) return true
  const given = consent ?? sections.get(TCF_EU_SECTION)
  return given !== undefined && tcfAllowsId(given, tcfVendorId)
}

function sectionIdsOf(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null
  const ids: number[] = []
  for (let n = 0; n < value.length; n++) if (Number.isInteger(value[n]) && value[n] > 0) ids.push(value[n])
  return ids
}
