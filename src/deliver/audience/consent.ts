// What the visitor's choices allow, however a request carries them: IAB TCF, GPP and US Privacy. Each signal can only
// forbid: one that applies but cannot be read is a "no".

import { gppOptsOut, gppSections, isGpp, TCF_EU_SECTION, usPrivacyOptsOut } from './gpp.ts'
import { tcfAllowsId } from './tcf.ts'

export interface ConsentSignals {
  /** Whether the GDPR applies; null: the request does not say. */
  gdpr: boolean | null
  /** The TCF string. */
  tcf: string | null
  usPrivacy: string | null
  gpp: string | null
  /** The sections of the GPP string that apply; null: the request does not say, so all of them. */
  gppSids: number[] | null
}

const MOST_SECTIONS = 64
/** No section has this id: it stands for what cannot be read. */
const UNREADABLE = 0

/** Whether a user key may be made from ids or from address and agent, and a cookie may be set. */
export function allowsId(signals: ConsentSignals, tcfVendorId: number | null): boolean {
  const { gdpr, usPrivacy, gpp, gppSids } = signals
  if (usPrivacy !== null && usPrivacyOptsOut(usPrivacy)) return false
  const sections = gpp === null ? new Map<number, string>() : gppSections(gpp)
  if (gpp !== null && gppSids === null && !isGpp(gpp)) return false
  if (gppSids?.includes(UNREADABLE)) return false
  if (gppOptsOut(sections, gppSids)) return false

  const isEuSectionMeant = gppSids === null || gppSids.includes(TCF_EU_SECTION)
  const tcf = signals.tcf ?? (isEuSectionMeant ? (sections.get(TCF_EU_SECTION) ?? null) : null)
  const applies = gdpr === true || (gppSids?.includes(TCF_EU_SECTION) ?? false)
  // Even if the request does not say whether the GDPR applies, a refusal of consent counts.
  if (!applies && (gdpr !== null || tcf === null)) return true
  return tcf !== null && tcfAllowsId(tcf, tcfVendorId)
}

/** Section ids, of which -1 and 0 mean that none applies; null if the value is not a list. */
export function gppSidsOf(value: unknown): number[] | null {
  if (!Array.isArray(value)) return null
  if (value.length > MOST_SECTIONS) return [UNREADABLE]
  return value.filter(id => id !== -1 && id !== 0).map(id => (isSectionId(id) ? id : UNREADABLE))
}

function isSectionId(id: unknown): id is number {
  return Number.isInteger(id) && (id as number) > 0
}
