// The result of walking a file's blocks, the same for every format. A walker reads only structure, decodes no pixels,
// moves forward with every step (so it ends on any input), and reports faults as values.

import { type Finding, finding } from '../../../kernel/errors/finding.ts'

export interface Walked {
  /** As a browser shows it; 0 while unknown. */
  width: number
  height: number
  /** As written in the file, one entry per frame; a still image has one entry. */
  delaysMs: number[]
  /** How often the animation plays; null: forever. */
  plays: number | null
  faults: Finding[]
}

export interface WalkLimits {
  maxFrames: number
  /** Limit of chunks, segments or blocks: an honest file has a few dozen, and a few for each frame. */
  maxBlocks: number
}

/** Room for the longest allowed animation (30 s at 5 frames per second), and more. */
export const WALK_LIMITS: WalkLimits = { maxFrames: 200, maxBlocks: 10_000 }

/** A walk stops at the first frame or block beyond the limit: the rest is never read. */
export function tooMany(walked: Walked, blocks: number, limits: WalkLimits): boolean {
  if (walked.delaysMs.length > limits.maxFrames) {
    walked.faults.push(finding('animation_too_many_frames', { max: limits.maxFrames }))
    return true
  }
  if (blocks > limits.maxBlocks) {
    walked.faults.push(finding('image_too_many_parts', { max: limits.maxBlocks }))
    return true
  }
  return false
}

export function newWalk(): Walked {
  return { width: 0, height: 0, delaysMs: [], plays: 1, faults: [] }
}

export function withFault(walked: Walked, fault: Finding): Walked {
  walked.faults.push(fault)
  return walked
}

export function cutShort(walked: Walked): Walked {
  return withFault(walked, finding('image_cut_short'))
}

/** `detail`: for a person who examines the bytes. */
export function broken(walked: Walked, detail: string): Walked {
  return withFault(walked, finding('image_damaged', { detail }))
}

/** A second file hidden behind the image is refused; zeros that pad it are harmless. */
export function endedAt(walked: Walked, bytes: Buffer, end: number): Walked {
  let at = end
  while (at < bytes.length && bytes[at] === 0) at++
  if (at === bytes.length) return walked
  return withFault(walked, finding('image_trailing_data', { bytes: bytes.length - end }))
}

export interface Animation {
  frames: number
  plays: number | null
  /** One play from the first frame to the end of the last, as browsers time it. */
  playMs: number
  /** All plays together; null: forever. */
  totalMs: number | null
  /** Based on the shortest time that a frame is shown before the next one. */
  framesPerSecond: number
}

/** Browsers treat a delay of 10 ms or less (usually 0) as 100 ms, in GIF, WebP and APNG. */
const IGNORED_DELAY_MS = 10
const REPLACED_DELAY_MS = 100

export function playedDelayMs(delayMs: number): number {
  return delayMs <= IGNORED_DELAY_MS ? REPLACED_DELAY_MS : delayMs
}

/** Null for a still image: a single frame does not move, however often it is played. */
export function animationOf({ delaysMs, plays }: Walked): Animation | null {
  if (delaysMs.length < 2) return null
  let playMs = 0
  let shortestMs = Number.POSITIVE_INFINITY
  delaysMs.forEach((delayMs, index) => {
    const playedMs = playedDelayMs(delayMs)
    playMs += playedMs
    // Nothing follows the last frame of a single play, so its delay is not a frame rate.
    if (plays !== 1 || index < delaysMs.length - 1) shortestMs = Math.min(shortestMs, playedMs)
  })
  const totalMs = plays === null ? null : playMs * plays
  return { frames: delaysMs.length, plays, playMs, totalMs, framesPerSecond: 1000 / shortestMs }
}
