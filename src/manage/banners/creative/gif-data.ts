// Counts the pixels in the packed data of a GIF frame without unpacking them. The decoder, like browsers, silently
// fills in missing pixels, so without this check a truncated frame would pass: libvips 8.18 accepts one with half its
// pixels.

const MOST_CODES = 4096
const LARGEST_CODE_BITS = 12

/** Whether the data at `start` (code size, then sub-blocks) has at least this many pixels. */
export function hasPixels(bytes: Buffer, start: number, pixels: number): boolean {
  const literalBits = bytes[start]
  if (literalBits === undefined || literalBits < 1 || literalBits >= LARGEST_CODE_BITS) return false
  const clearCode = 1 << literalBits
  const endCode = clearCode + 1
  /** The pixels that each code stands for: a code that is not literal adds one to the code before it. */
  const lengths = new Uint32Array(MOST_CODES).fill(1, 0, clearCode)
  let nextCode = endCode + 1
  let codeBits = literalBits + 1
  let previousLength = 0
  let counted = 0
  let held = 0
  let heldBits = 0
  const data = joinSubBlocks(bytes, start + 1)
  for (let at = 0; at < data.length; at++) {
    held |= data[at]! << heldBits
    heldBits += 8
    while (heldBits >= codeBits) {
      const code = held & ((1 << codeBits) - 1)
      held >>>= codeBits
      heldBits -= codeBits
      if (code === endCode) return false
      if (code === clearCode) {
        nextCode = endCode + 1
        codeBits = literalBits + 1
        previousLength = 0
        continue
      }
      const isFirst = previousLength === 0
      // A code may name the entry that it completes itself, but no later one; the very first code must be literal.
      if (isFirst ? code >= clearCode : code > nextCode || (code === nextCode && nextCode === MOST_CODES))
        return false
      if (!isFirst && nextCode < MOST_CODES) {
        lengths[nextCode++] = previousLength + 1
        if (nextCode === 1 << codeBits && codeBits < LARGEST_CODE_BITS) codeBits++
      }
      previousLength = lengths[code]!
      counted += previousLength
      if (counted >= pixels) return true
    }
  }
  return false
}

/** The data without the lengths between its sub-blocks. */
function joinSubBlocks(bytes: Buffer, start: number): Buffer {
  const blocks: Buffer[] = []
  let at = start
  for (let length = bytes[at]; length; length = bytes[at]) {
    blocks.push(bytes.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  return Buffer.concat(blocks)
}
