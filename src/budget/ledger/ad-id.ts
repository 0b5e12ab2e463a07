// Ad ids as numbers and back: the 16 characters of base64url are four words of 24 bits.

import { AD_ID_CHARS } from './ad.ts'

export const ID_WORDS = 4
const CHARS_A_WORD = AD_ID_CHARS / ID_WORDS
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const NO_DIGIT = 64

const DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (let digit = 0; digit < ALPHABET.length; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit

/** Puts the words of an id into `to`. */
export function readAdId(adId: string, to: Int32Array): void {
  if (adId.length !== AD_ID_CHARS) throw new RangeError(`'${adId}' is not an ad id`)
  for (let word = 0; word < ID_WORDS; word++) {
    let value = 0
    for (let at = word * CHARS_A_WORD; at < (word + 1) * CHARS_A_WORD; at++) {
      const digit = DIGITS[adId.charCodeAt(at)] ?? NO_DIGIT
      if (digit === NO_DIGIT) throw new RangeError(`'${adId}' is not an ad id`)
      value = (value << 6) | digit
    }
    to[word] = value
  }
}

/** The id whose words are in `from`, beginning at `offset`. */
export function adIdAt(from: Int32Array, offset: number): string {
  let text = ''
  for (let word = offset; word < offset + ID_WORDS; word++) {
    for (let shift = 18; shift >= 0; shift -= 6) text += ALPHABET[(from[word]! >>> shift) & 63]
  }
  return text
}
