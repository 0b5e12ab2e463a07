// Walks the blocks of a GIF: size, frames, delays and how often it plays. If a file gives two repetition counts, the
// larger one counts.

import { hasPixels } from './gif-data.ts'
import { broken, cutShort, endedAt, newWalk, tooMany, WALK_LIMITS, type Walked } from './walk.ts'

const HEADER_BYTES = 13
const EXTENSION = 0x21
const IMAGE = 0x2c
const TRAILER = 0x3b
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
const LOOP_EXTENSIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])

export function walkGif(bytes: Buffer, limits = WALK_LIMITS): Walked {
  const walked = newWalk()
  if (bytes.length < HEADER_BYTES) return cutShort(walked)
  walked.width = bytes.readUInt16LE(6)
  walked.height = bytes.readUInt16LE(8)
  let at = HEADER_BYTES + colourTableBytes(bytes[10]!)
  let delayMs = 0
  for (let blocks = 0; ; blocks++) {
    if (tooMany(walked, blocks, limits)) return walked
    const kind = bytes[at]
    if (kind === undefined) return cutShort(walked)
    if (kind === TRAILER) break
    if (kind === EXTENSION) {
      if (bytes[at + 1] === GRAPHIC_CONTROL && at + 6 < bytes.length)
        delayMs = bytes.readUInt16LE(at + 4) * 10
      if (bytes[at + 1] === APPLICATION) readLoop(bytes, at + 2, walked)
      at = afterSubBlocks(bytes, at + 2)
    } else if (kind === IMAGE) {
      if (at + 10 > bytes.length) return cutShort(walked)
      if (!frameFits(bytes, at, walked)) return broken(walked, 'a frame is empty or extends beyond the edge')
      walked.delaysMs.push(delayMs)
      delayMs = 0
      const data = at + 10 + colourTableBytes(bytes[at + 9]!)
      const pixels = bytes.readUInt16LE(at + 5) * bytes.readUInt16LE(at + 7)
      // The first byte of the data is its code size; the sub-blocks follow.
      at = afterSubBlocks(bytes, data + 1)
      if (at <= bytes.length && !hasPixels(bytes, data, pixels)) {
        return broken(walked, 'a frame has fewer pixels than its size')
      }
    } else {
      return broken(walked, `byte ${at.toLocaleString('en-US')} does not begin a GIF block`)
    }
    if (at > bytes.length) return cutShort(walked)
  }
  if (walked.delaysMs.length === 0) return broken(walked, 'it contains no image')
  return endedAt(walked, bytes, at + 1)
}

export function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0
}

/** Data comes in blocks of up to 255 bytes, each with its length before it; a length of 0 ends them. */
export function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length) {
    const length = bytes[at]!
    at += length + 1
    if (length === 0) return at
  }
  return bytes.length + 1
}

function frameFits(bytes: Buffer, at: number, { width, height }: Walked): boolean {
  const frameWidth = bytes.readUInt16LE(at + 5)
  const frameHeight = bytes.readUInt16LE(at + 7)
  if (frameWidth === 0 || frameHeight === 0) return false
  return (
    bytes.readUInt16LE(at + 1) + frameWidth <= width && bytes.readUInt16LE(at + 3) + frameHeight <= height
  )
}

/** The file says how often to return to the start: n means n + 1 plays, 0 means forever. */
function readLoop(bytes: Buffer, at: number, walked: Walked): void {
  if (bytes[at] !== 11 || !LOOP_EXTENSIONS.has(bytes.toString('latin1', at + 1, at + 12))) return
  for (let block = at + 12; block < bytes.length; ) {
    const length = bytes[block]!
    if (length === 0) return
    if (length >= 3 && (bytes[block + 1]! & 0x07) === 1 && block + 3 < bytes.length) {
      const repeats = bytes.readUInt16LE(block + 2)
      if (repeats === 0) walked.plays = null
      else if (walked.plays !== null) walked.plays = Math.max(walked.plays, repeats + 1)
    }
    block += length + 1
  }
}
