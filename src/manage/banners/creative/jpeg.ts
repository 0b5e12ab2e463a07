// Walks the segments of a JPEG from its start to its end marker; finds its size, and whether the file stops there.

import { broken, cutShort, endedAt, newWalk, tooMany, WALK_LIMITS, type Walked } from './walk.ts'

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
/** These markers (Huffman tables, an extension, arithmetic coding) are in the number range of frame headers. */
const NO_FRAME_HEADER = new Set([0xc4, 0xc8, 0xcc])

export function walkJpeg(bytes: Buffer, limits = WALK_LIMITS): Walked {
  const walked = newWalk()
  let at = 2
  let scans = 0
  for (let blocks = 0; ; blocks++) {
    if (tooMany(walked, blocks, limits)) return walked
    if (at >= bytes.length) return cutShort(walked)
    if (bytes[at] !== 0xff) return broken(walked, 'a JPEG segment does not begin where it should')
    // Any number of fill bytes may precede a marker.
    while (bytes[at + 1] === 0xff) at++
    const marker = bytes[at + 1]
    if (marker === undefined) return cutShort(walked)
    if (marker === END_OF_IMAGE) break
    if (at + 4 > bytes.length) return cutShort(walked)
    const length = bytes.readUInt16BE(at + 2)
    const next = at + 2 + length
    if (length < 2 || isStandalone(marker)) return broken(walked, 'a JPEG segment has no valid length')
    if (next > bytes.length) return cutShort(walked)
    if (isFrameHeader(marker)) {
      if (walked.width !== 0 || length < 8) return broken(walked, 'it contains more than one frame header')
      walked.height = bytes.readUInt16BE(at + 5)
      walked.width = bytes.readUInt16BE(at + 7)
      if (walked.width === 0 || walked.height === 0) return broken(walked, 'its header states no size')
    }
    at = next
    if (marker === START_OF_SCAN) {
      scans++
      at = afterScan(bytes, next)
    }
  }
  if (walked.width === 0 || scans === 0) return broken(walked, 'it contains no image')
  walked.delaysMs.push(0)
  return endedAt(walked, bytes, at + 2)
}

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !NO_FRAME_HEADER.has(marker)
}

/** Markers without a length; none of them may occur between segments. */
function isStandalone(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}

/** Inside a scan, 0xff is data if 0 follows, and a restart marker if D0 to D7 follows. */
export function afterScan(bytes: Buffer, start: number): number {
  let at = start
  for (;;) {
    at = bytes.indexOf(0xff, at)
    if (at === -1) return bytes.length
    const follower = bytes[at + 1]
    if (follower === undefined) return bytes.length
    if (follower === 0xff) at += 1
    else if (follower === 0 || (follower >= 0xd0 && follower <= 0xd7)) at += 2
    else return at
  }
}
