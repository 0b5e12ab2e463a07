// What a TCF v2 consent string allows. To keep an id for frequency capping we need purpose 1 (storage and access) by
// consent, purpose 2 (basic ads) by consent or legitimate interest, and, if the operator is registered as a vendor,
// consent for that vendor. A string that cannot be read allows nothing.

import { bitAt, bitsAt } from './bits.ts'

const PURPOSE_CONSENTS_AT = 152
const LEGITIMATE_INTERESTS_AT = 176
const MAX_VENDOR_AT = 213
const IS_RANGE_AT = 229
const VENDORS_AT = 230
const SHORTEST_CORE = 39
const LONGEST_STRING = 16_384

export function tcfAllowsId(consent: string, vendorId: number | null): boolean {
  if (consent.length > LONGEST_STRING) return false
  const end = consent.indexOf('.')
  const core = end < 0 ? consent : consent.slice(0, end)
  if (core.length < SHORTEST_CORE || bitsAt(core, 0, 6) !== 2) return false
  const storage = bitAt(core, PURPOSE_CONSENTS_AT) === 1
  const basicAds =
    bitAt(core, PURPOSE_CONSENTS_AT + 1) === 1 || bitAt(core, LEGITIMATE_INTERESTS_AT + 1) === 1
  return storage && basicAds && (vendorId === null || vendorConsents(core, vendorId))
}

function vendorConsents(core: string, vendorId: number): boolean {
  if (vendorId < 1 || vendorId > bitsAt(core, MAX_VENDOR_AT, 16)) return false
  if (bitAt(core, IS_RANGE_AT) === 0) return bitAt(core, VENDORS_AT + vendorId - 1) === 1
  let at = VENDORS_AT + 12
  for (let left = bitsAt(core, VENDORS_AT, 12); left > 0 && at < core.length * 6; left--) {
    const isRange = bitAt(core, at) === 1
    const first = bitsAt(core, at + 1, 16)
    const last = isRange ? bitsAt(core, at + 17, 16) : first
    if (vendorId >= first && vendorId <= last) return true
    at += isRange ? 33 : 17
  }
  return false
}
