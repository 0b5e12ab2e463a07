// The IAB Global Privacy Platform string: which sections it contains, and whether a US section opts out of sale,
// sharing or targeted advertising, itself or by Global Privacy Control. A section that applies but that we cannot read
// counts as opted out.

import { bitAt, bitsAt } from './bits.ts'

export const TCF_EU_SECTION = 2
const US_PRIVACY_SECTION = 6
const HEADER_TYPE = 3
const LONGEST_STRING = 16_384
const MOST_SECTIONS = 64
const MOST_SEGMENTS = 8

/** After the version and three notices, or four. */
const AFTER_THREE = [12, 14] as const
const AFTER_FOUR = [14, 16] as const
/** The positions of the two-bit opt-outs in each US section. */
const OPT_OUTS_AT: Record<number, readonly number[]> = {
  // The whole country, then CA, VA, CO, UT, CT.
  7: [18, 20, 22],
  8: AFTER_THREE,
  9: AFTER_THREE,
  10: AFTER_THREE,
  11: AFTER_FOUR,
  12: AFTER_THREE,
  // FL, MT, OR, TX, DE, IA.
  13: AFTER_THREE,
  14: AFTER_THREE,
  15: AFTER_THREE,
  16: AFTER_THREE,
  17: AFTER_THREE,
  18: AFTER_FOUR,
  // NE, NH, NJ, TN, MN.
  19: AFTER_THREE,
  20: AFTER_THREE,
  21: AFTER_THREE,
  22: AFTER_THREE,
  23: AFTER_THREE,
}
const US_PRIVACY = /^1[YN-]{3}$/i

/** Whether it is a GPP string at all, perhaps one without sections. */
export function isGpp(text: string): boolean {
  return text.length <= LONGEST_STRING && bitsAt(text, 0, 6) === HEADER_TYPE
}

/** The sections by their id; empty if the string is not valid. */
export function gppSections(text: string): Map<number, string> {
  const sections = new Map<number, string>()
  if (text.length > LONGEST_STRING) return sections
  const parts = text.split('~', MOST_SECTIONS + 1)
  const ids = sectionIds(parts[0] ?? '')
  for (let n = 0; n < ids.length && n + 1 < parts.length; n++) {
    sections.set(ids[n] as number, parts[n + 1] as string)
  }
  return sections
}

/** The header has type 3, a version, and then the ids as ranges of differences in Fibonacci code. */
function sectionIds(header: string): number[] {
  const ids: number[] = []
  if (bitsAt(header, 0, 6) !== HEADER_TYPE) return ids
  const endBit = header.length * 6
  let at = 24
  let last = 0
  const next = (): number => {
    let [value, low, high] = [0, 1, 2]
    for (let previous = 0; at < endBit; at++) {
      const bit = bitAt(header, at)
      if (bit === 1 && previous === 1) {
        at++
        return value
      }
      if (bit === 1) value += low
      previous = bit
      ;[low, high] = [high, low + high]
    }
    return 0
  }
  for (let left = bitsAt(header, 12, 12); left > 0 && ids.length < MOST_SECTIONS; left--) {
    const isRange = bitAt(header, at++) === 1
    const first = last + next()
    const end = isRange ? first + next() : first
    if (first <= last) break
    for (let id = first; id <= end && ids.length < MOST_SECTIONS; id++) ids.push(id)
    last = end
  }
  return ids
}

/** `us_privacy`: its third character says whether the user has opted out of sale. */
export function usPrivacyOptsOut(text: string): boolean {
  return !US_PRIVACY.test(text) || text[2]!.toUpperCase() === 'Y'
}

/** Whether one of the applicable sections forbids an id. `applicable` is null if not given: then all sections apply. */
export function gppOptsOut(sections: Map<number, string>, applicable: number[] | null): boolean {
  for (const id of applicable ?? sections.keys()) {
    if (id < 5) continue
    const section = sections.get(id)
    if (section === undefined || sectionOptsOut(id, section)) return true
  }
  return false
}

function sectionOptsOut(id: number, section: string): boolean {
  if (id === US_PRIVACY_SECTION) return usPrivacyOptsOut(section)
  const places = OPT_OUTS_AT[id]
  if (places === undefined) return true
  const [core, ...more] = section.split('.', MOST_SEGMENTS)
  if (core!.length * 6 < places.at(-1)! + 2) return true
  return places.some(at => bitsAt(core!, at, 2) === 1) || more.some(saysGpc)
}

/** A segment of type 1: its third bit is Global Privacy Control. */
function saysGpc(segment: string): boolean {
  return bitsAt(segment, 0, 3) === 0b011
}
