// Walks the chunks of a PNG: size, frames, delays and how often it plays. Checks the checksum of each chunk and, if it
// is animated (APNG), the order and number of its frames.

import { crc32 } from 'node:zlib'
import { broken, cutShort, endedAt, newWalk, tooMany, WALK_LIMITS, type Walked } from './walk.ts'

export interface PngFrame {
  width: number
  height: number
  /** The compressed data of the frame, as [start, end) ranges of the file. */
  data: [start: number, end: number][]
}

export interface WalkedPng extends Walked {
  /** The frames of the animation; empty for a still image, whose data the decoder checks. */
  frames: PngFrame[]
  bitsPerPixel: number
  interlaced: boolean
}

interface State {
  walked: WalkedPng
  announcedFrames: number | null
  nextSequence: number
  dataSeen: boolean
  previousKind: string
  current: PngFrame | null
}

const SIGNATURE_BYTES = 8
const KNOWN_CRITICAL = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND'])
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const BIT_DEPTHS = new Set([1, 2, 4, 8, 16])

export function walkPng(bytes: Buffer, limits = WALK_LIMITS): WalkedPng {
  const walked: WalkedPng = { ...newWalk(), frames: [], bitsPerPixel: 0, interlaced: false }
  const state: State = {
    walked,
    announcedFrames: null,
    nextSequence: 0,
    dataSeen: false,
    previousKind: '',
    current: null,
  }
  let at = SIGNATURE_BYTES
  for (let blocks = 0; ; blocks++) {
    if (tooMany(walked, blocks, limits)) return walked
    if (at + 12 > bytes.length) return cut(walked)
    const start = at + 8
    const end = start + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length) return cut(walked)
    const kind = bytes.toString('latin1', at + 4, start)
    if (crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) {
      return fail(walked, `the checksum at byte ${at.toLocaleString('en-US')} is wrong`)
    }
    if ((kind === 'IHDR') !== (at === SIGNATURE_BYTES))
      return fail(walked, 'its header is not at its beginning')
    if (kind === 'IEND') {
      const fault = faultAtEnd(state)
      if (fault) return fail(walked, fault)
      if (state.announcedFrames === null) walked.delaysMs.push(0)
      endedAt(walked, bytes, end + 4)
      return walked
    }
    const fault = takeChunk(bytes, kind, start, end, state)
    if (fault) return fail(walked, fault)
    state.previousKind = kind
    at = end + 4
  }
}

function fail(walked: WalkedPng, where: string): WalkedPng {
  broken(walked, where)
  return walked
}

function cut(walked: WalkedPng): WalkedPng {
  cutShort(walked)
  return walked
}

function faultAtEnd({ walked, announcedFrames, dataSeen, current }: State): string | null {
  if (!dataSeen) return 'it contains no image'
  if (announcedFrames === null) return null
  if (announcedFrames !== walked.frames.length) {
    return `it announces ${announcedFrames} frames but contains ${walked.frames.length}`
  }
  return current?.data.length === 0 ? 'a frame contains no data' : null
}

/** Records the content of a chunk; returns what is wrong with it, or null. */
function takeChunk(bytes: Buffer, kind: string, start: number, end: number, state: State): string | null {
  const length = end - start
  switch (kind) {
    case 'IHDR':
      return length === 13 ? takeHeader(bytes, start, state.walked) : 'its header has a wrong length'
    case 'IDAT':
      // Data before the first frame control is a picture for viewers that cannot animate; the decoder checks it.
      if (state.dataSeen && state.previousKind !== 'IDAT') return 'its data is out of order'
      state.dataSeen = true
      state.current?.data.push([start, end])
      return null
    case 'acTL':
      if (state.dataSeen || state.announcedFrames !== null || length !== 8)
        return 'its animation header is misplaced'
      state.announcedFrames = bytes.readUInt32BE(start)
      state.walked.plays = bytes.readUInt32BE(start + 4) || null
      return state.announcedFrames === 0 ? 'it announces an animation without frames' : null
    case 'fcTL':
      return length === 26 ? takeFrame(bytes, start, state) : 'a frame header has a wrong length'
    case 'fdAT':
      if (!state.current || !state.dataSeen || length < 4) return 'its animation data is out of order'
      if (bytes.readUInt32BE(start) !== state.nextSequence++) return 'its frames are out of order'
      state.current.data.push([start + 4, end])
      return null
    default:
      // An upper-case first letter marks a chunk that every reader must understand.
      return /^[a-z]/.test(kind) || KNOWN_CRITICAL.has(kind)
        ? null
        : 'it contains a part that no browser knows'
  }
}

function takeHeader(bytes: Buffer, start: number, walked: WalkedPng): string | null {
  walked.width = bytes.readUInt32BE(start)
  walked.height = bytes.readUInt32BE(start + 4)
  const depth = bytes[start + 8]!
  const channels = CHANNELS[bytes[start + 9]!]
  if (walked.width === 0 || walked.height === 0) return 'its header states no size'
  if (channels === undefined || !BIT_DEPTHS.has(depth)) return 'its header states no valid colours'
  walked.bitsPerPixel = depth * channels
  walked.interlaced = bytes[start + 12] === 1
  return null
}

function takeFrame(bytes: Buffer, start: number, state: State): string | null {
  const { walked } = state
  if (state.announcedFrames === null) return 'it contains frames but announces no animation'
  if (bytes.readUInt32BE(start) !== state.nextSequence++) return 'its frames are out of order'
  if (state.current && state.current.data.length === 0) return 'a frame contains no data'
  const width = bytes.readUInt32BE(start + 4)
  const height = bytes.readUInt32BE(start + 8)
  const left = bytes.readUInt32BE(start + 12)
  const top = bytes.readUInt32BE(start + 16)
  const fits = width > 0 && height > 0 && left + width <= walked.width && top + height <= walked.height
  const isWhole = width === walked.width && height === walked.height
  if (!fits || (!state.dataSeen && !isWhole)) return 'a frame is empty or does not fit'
  if (!state.dataSeen && state.current) return 'a frame contains no data'
  state.current = { width, height, data: [] }
  walked.frames.push(state.current)
  walked.delaysMs.push((bytes.readUInt16BE(start + 20) * 1000) / (bytes.readUInt16BE(start + 22) || 100))
  return null
}
