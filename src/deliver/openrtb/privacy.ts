// What the request's privacy signals allow. OpenRTB 2.6 has its own fields for them, 2.5 has them in ext: both are
// read.

import { allowsId, type ConsentSignals, gppSidsOf } from '../audience/consent.ts'
import { type Fields, fieldsOf, isSet, textOf } from './read.ts'

export interface Privacy {
  /** The request concerns a child: no ids, gender, age or position. */
  isChild: boolean
  /** Whether a user key may be made from ids or from address and agent. */
  mayIdentify: boolean
}

/** What is too long is unreadable, which is a "no". */
const ANY_LENGTH = Number.POSITIVE_INFINITY

export function privacyOf(
  regs: Fields | null,
  user: Fields | null,
  device: Fields | null,
  tcfVendorId: number | null,
): Privacy {
  const isChild = regs !== null && isSet(regs.coppa)
  if (isChild) return { isChild, mayIdentify: false }
  if (device !== null && (isSet(device.dnt) || isSet(device.lmt))) return { isChild, mayIdentify: false }
  if (regs !== null && (isSet(fieldsOf(regs.ext)?.gpc) || isSet(regs.gpc))) {
    return { isChild, mayIdentify: false }
  }
  return { isChild, mayIdentify: allowsId(consentOf(regs, user), tcfVendorId) }
}

/** What the page's consent platforms say. */
export function consentOf(regs: Fields | null, user: Fields | null): ConsentSignals {
  const ext = fieldsOf(regs?.ext)
  const gdpr = regs?.gdpr ?? ext?.gdpr ?? null
  return {
    gdpr: gdpr === null ? null : isSet(gdpr),
    tcf: textOf(user?.consent ?? fieldsOf(user?.ext)?.consent, ANY_LENGTH),
    usPrivacy: textOf(regs?.us_privacy ?? ext?.us_privacy, ANY_LENGTH),
    gpp: textOf(regs?.gpp ?? ext?.gpp, ANY_LENGTH),
    gppSids: gppSidsOf(regs?.gpp_sid ?? ext?.gpp_sid),
  }
}
