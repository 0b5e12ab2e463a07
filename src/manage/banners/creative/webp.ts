// Walks the chunks of a WebP: size, frames, delays and how often it plays. The container and the pictures inside it
// must agree on sizes, because browsers treat a difference in different ways.

import {
  broken,
  cutShort,
  endedAt,
  newWalk,
  tooMany,
  WALK_LIMITS,
  type Walked,
  type WalkLimits,
} from './walk.ts'

interface Chunk {
  kind: string
  start: number
  end: number
  /** Where the next chunk begins: chunks are padded to an even length. */
  next: number
}

interface Size {
  width: number
  height: number
}

const ANIMATED = 0x02
const FRAME_HEADER_BYTES = 16

export function walkWebp(bytes: Buffer, limits = WALK_LIMITS): Walked {
  const walked = newWalk()
  if (bytes.length < 20) return cutShort(walked)
  const end = 8 + bytes.readUInt32LE(4)
  if (end > bytes.length) return cutShort(walked)
  const first = chunkAt(bytes, 12, end)
  if (!first) return cutShort(walked)
  if (first.kind === 'VP8X') return walkExtended(bytes, first, end, walked, limits)
  const size = pictureSize(bytes, first)
  if (!size) return broken(walked, 'it contains no image')
  Object.assign(walked, size)
  walked.delaysMs.push(0)
  return endedAt(walked, bytes, end)
}

function walkExtended(bytes: Buffer, header: Chunk, end: number, walked: Walked, limits: WalkLimits): Walked {
  if (header.end - header.start < 10) return cutShort(walked)
  const animated = (bytes[header.start]! & ANIMATED) !== 0
  walked.width = bytes.readUIntLE(header.start + 4, 3) + 1
  walked.height = bytes.readUIntLE(header.start + 7, 3) + 1
  let loopsSeen = 0
  let blocks = 0
  for (let at = header.next; at < end; ) {
    if (tooMany(walked, blocks++, limits)) return walked
    const chunk = chunkAt(bytes, at, end)
    if (!chunk) return cutShort(walked)
    if (chunk.kind === 'ANIM') {
      if (chunk.end - chunk.start < 6) return broken(walked, 'its animation header is too short')
      const plays = bytes.readUInt16LE(chunk.start + 4)
      walked.plays = plays === 0 ? null : plays
      loopsSeen++
    } else if (chunk.kind === 'ANMF') {
      if (!animated || !frameFits(bytes, chunk, walked)) {
        return broken(walked, 'a frame is empty, unannounced or extends beyond the edge')
      }
      walked.delaysMs.push(bytes.readUIntLE(chunk.start + 12, 3))
    } else if (chunk.kind === 'VP8 ' || chunk.kind === 'VP8L') {
      const size = pictureSize(bytes, chunk)
      if (animated || walked.delaysMs.length > 0)
        return broken(walked, 'it contains a picture outside its frames')
      if (size?.width !== walked.width || size.height !== walked.height) {
        return broken(walked, 'its header and its picture state different sizes')
      }
      walked.delaysMs.push(0)
    }
    at = chunk.next
  }
  if (walked.delaysMs.length === 0) return broken(walked, 'it contains no image')
  if (loopsSeen !== (animated ? 1 : 0)) return broken(walked, 'its animation header is missing or misplaced')
  return endedAt(walked, bytes, end)
}

function chunkAt(bytes: Buffer, at: number, end: number): Chunk | null {
  if (at + 8 > end) return null
  const length = bytes.readUInt32LE(at + 4)
  const start = at + 8
  if (start + length > end) return null
  return {
    kind: bytes.toString('latin1', at, at + 4),
    start,
    end: start + length,
    next: start + length + (length % 2),
  }
}

function pictureSize(bytes: Buffer, { kind, start, end }: Chunk): Size | null {
  if (kind === 'VP8 ' && end - start >= 10 && bytes.readUIntBE(start + 3, 3) === 0x9d012a) {
    return positive({
      width: bytes.readUInt16LE(start + 6) & 0x3fff,
      height: bytes.readUInt16LE(start + 8) & 0x3fff,
    })
  }
  if (kind === 'VP8L' && end - start >= 5 && bytes[start] === 0x2f) {
    const packed = bytes.readUInt32LE(start + 1)
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
  }
  return null
}

function positive(size: Size): Size | null {
  return size.width > 0 && size.height > 0 ? size : null
}

/** A frame must be inside the canvas and contain one picture of exactly its own size. */
function frameFits(bytes: Buffer, frame: Chunk, canvas: Size): boolean {
  if (frame.end - frame.start < FRAME_HEADER_BYTES) return false
  const left = bytes.readUIntLE(frame.start, 3) * 2
  const top = bytes.readUIntLE(frame.start + 3, 3) * 2
  const width = bytes.readUIntLE(frame.start + 6, 3) + 1
  const height = bytes.readUIntLE(frame.start + 9, 3) + 1
  if (left + width > canvas.width || top + height > canvas.height) return false
  for (let at = frame.start + FRAME_HEADER_BYTES; at < frame.end; ) {
    const chunk = chunkAt(bytes, at, frame.end)
    if (!chunk) return false
    const size = pictureSize(bytes, chunk)
    if (size) return size.width === width && size.height === height
    at = chunk.next
  }
  return false
}
