// Device, gender, age and size of a persona, and what is paid for, in one 32-bit word, so that a posting is tested with
// two ANDs. Bits 0-2 are the device, 3-5 the gender, 6-10 the age (bit 10: also an unknown age), 11 the payment, 12-31
// the sizes.

import type { Targeting } from '../../manage/personas/matched-form.ts'
import type { AdRequest, Size } from './request.ts'

const TRAIT_BITS = 11
export const TRAITS = (1 << TRAIT_BITS) - 1
/** Its clicks are paid for, not its impressions. */
export const BY_CLICK = 1 << TRAIT_BITS
const SIZE_SHIFT = TRAIT_BITS + 1
export const SIZES = -1 << SIZE_SHIFT
/** Sizes with a bit of their own; all others share the last bit and are compared exactly. */
const OWN_SIZE_BITS = 19
export const OVERFLOW_SIZE = 1 << (SIZE_SHIFT + OWN_SIZE_BITS)

const DEVICES = ['mobile', 'tablet', 'desktop'] as const
const GENDERS = ['male', 'female', 'unknown'] as const
const AGES = ['13to17', '18to34', '35to49', '50+'] as const
const GENDER_SHIFT = DEVICES.length
const AGE_SHIFT = GENDER_SHIFT + GENDERS.length
const ALL_DEVICES = (1 << DEVICES.length) - 1
const ALL_GENDERS = (1 << GENDERS.length) - 1
const UNKNOWN_AGE = AGES.length
const ALL_AGES = (1 << (AGES.length + 1)) - 1

export function traitsOf(targeting: Targeting): number {
  const { device, gender, age } = targeting
  const devices = bitsWhere(DEVICES, key => device[key])
  const genders = gender === null ? ALL_GENDERS : bitsWhere(GENDERS, key => gender[key])
  const ages = age === null ? ALL_AGES : bitsWhere(AGES, key => age[key])
  return devices | (genders << GENDER_SHIFT) | (ages << AGE_SHIFT)
}

function bitsWhere<Key>(keys: readonly Key[], isSet: (key: Key) => boolean): number {
  let bits = 0
  for (let at = 0; at < keys.length; at++) if (isSet(keys[at]!)) bits |= 1 << at
  return bits
}

/** The bits that a posting must have. An unknown device needs all three, because only then there is no restriction. */
export function traitsNeededBy(request: AdRequest): number {
  const devices = request.device === null ? ALL_DEVICES : 1 << DEVICES.indexOf(request.device)
  const gender = GENDERS.indexOf(request.gender ?? 'unknown')
  const age = request.age === null ? UNKNOWN_AGE : AGES.indexOf(request.age)
  return devices | (1 << (gender + GENDER_SHIFT)) | (1 << (age + AGE_SHIFT))
}

export function sizeBit(sizeId: number): number {
  return 1 << (SIZE_SHIFT + Math.min(sizeId, OWN_SIZE_BITS))
}

/** Several sizes may share the last bit. */
export function areShared(sizes: { end: number }): boolean {
  return sizes.end > OWN_SIZE_BITS + 1
}

/** One number for a size. If a side is not a whole number below 2^26, the size has no key (NaN) and fits nothing. */
export function sizeKey(size: Size): number {
  const { width, height } = size
  const sound = isSide(width) && isSide(height)
  return sound ? width * MAX_SIDE + height : Number.NaN
}

const MAX_SIDE = 2 ** 26

function isSide(side: number): boolean {
  return Number.isInteger(side) && side >= 0 && side < MAX_SIDE
}

// A class is one combination of device (or unknown), gender (or unknown) and age (or unknown): 4 x 3 x 5 = 60. A block
// of postings records which classes any of its postings serves, in two words of 30 bits.
const CLASSES_PER_WORD = 30
const AGE_CLASSES = AGES.length + 1
const GENDER_CLASSES = GENDERS.length

export function classOf(needed: number): number {
  const devices = needed & ALL_DEVICES
  const device = devices === ALL_DEVICES ? DEVICES.length : lowestBit(devices)
  const gender = lowestBit((needed >> GENDER_SHIFT) & ALL_GENDERS)
  const age = lowestBit((needed >> AGE_SHIFT) & ALL_AGES)
  return (device * GENDER_CLASSES + gender) * AGE_CLASSES + age
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}

/** The word (0 or 1) of a class, and its bit in it. */
export function classWord(classId: number): 0 | 1 {
  return classId < CLASSES_PER_WORD ? 0 : 1
}

export function classBit(classId: number): number {
  return 1 << (classId % CLASSES_PER_WORD)
}

/** Indexed by trait bits: the classes that a posting with these bits serves. */
export const CLASSES_LOW = new Int32Array(1 << TRAIT_BITS)
export const CLASSES_HIGH = new Int32Array(1 << TRAIT_BITS)

for (let device = 0; device <= DEVICES.length; device++) {
  for (let gender = 0; gender < GENDER_CLASSES; gender++) {
    for (let age = 0; age < AGE_CLASSES; age++) {
      const devices = device === DEVICES.length ? ALL_DEVICES : 1 << device
      addClass(devices | (1 << (gender + GENDER_SHIFT)) | (1 << (age + AGE_SHIFT)))
    }
  }
}

function addClass(needed: number): void {
  const classId = classOf(needed)
  const words = classWord(classId) === 0 ? CLASSES_LOW : CLASSES_HIGH
  for (let traits = 0; traits <= TRAITS; traits++) {
    if ((traits & needed) === needed) words[traits]! |= classBit(classId)
  }
}
