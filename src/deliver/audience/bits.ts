// Reads fields of consent strings, which pack six bits into each character of base64url.
// Past the end every bit is 0, so a cut string says "no".

const VALUE_OF = new Uint8Array(128)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
for (let value = 0; value < ALPHABET.length; value++) VALUE_OF[ALPHABET.charCodeAt(value)] = value

export function bitAt(text: string, index: number): number {
  const place = Math.floor(index / 6)
  if (place >= text.length) return 0
  return ((VALUE_OF[text.charCodeAt(place)] ?? 0) >> (5 - (index % 6))) & 1
}

export function bitsAt(text: string, from: number, count: number): number {
  let value = 0
  for (let index = from; index < from + count; index++) value = value * 2 + bitAt(text, index)
  return value
}
