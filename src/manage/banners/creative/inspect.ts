// Determines what an image really is from its bytes alone: type, size, animation and faults. It trusts no file name, no
// content type and no header that the pixels contradict. Never throws, whatever the bytes are.

import { type Finding, finding } from '../../../kernel/errors/finding.ts'
import type { FileKind } from '../../../kernel/errors/sentence.ts'
import { type ImageType, imageTypeOf } from '../../../platform/images/type.ts'
import { isAllowedSize } from '../../reference/ad-sizes.ts'
import { apngFramesUnpack } from './apng.ts'
import { type Decoded, decodeImage } from './decode.ts'
import { walkGif } from './gif.ts'
import { type Inspection, unreadable } from './inspection.ts'
import { walkJpeg } from './jpeg.ts'
import { walkPng } from './png.ts'
import { animationOf, WALK_LIMITS, type Walked, type WalkLimits } from './walk.ts'
import { walkWebp } from './webp.ts'

export interface InspectLimits extends WalkLimits {
  /** Limit of one frame: a small file may claim to be huge. */
  maxFramePixels: number
  /** Limit of all frames together. */
  maxPixels: number
  /** An image of any other size is not decoded. */
  isSize: (width: number, height: number) => boolean
}

/** Enough for the longest allowed animation except at full-screen sizes: at 1024x768 it is 63 frames. */
export const INSPECT_LIMITS: InspectLimits = {
  maxFramePixels: 25_000_000,
  maxPixels: 50_000_000,
  isSize: isAllowedSize,
  ...WALK_LIMITS,
}

const WALKERS: Record<ImageType, (bytes: Buffer, limits: WalkLimits) => Walked> = {
  jpeg: walkJpeg,
  png: walkPng,
  gif: walkGif,
  webp: walkWebp,
}

export async function inspectImage(
  bytes: Buffer,
  limits: InspectLimits = INSPECT_LIMITS,
): Promise<Inspection> {
  const type = imageTypeOf(bytes)
  if (!type) return noImage(bytes)
  const png = type === 'png' ? walkPng(bytes, limits) : null
  const walked = png ?? WALKERS[type](bytes, limits)
  const inspection: Inspection = {
    bytes: bytes.length,
    type,
    width: walked.width || null,
    height: walked.height || null,
    orientation: 1,
    animation: animationOf(walked),
    faults: [...walked.faults, ...overLimits(walked, limits)],
  }
  if (inspection.faults.length > 0 || !limits.isSize(walked.width, walked.height)) return inspection
  // The decoder reads only the still picture of an APNG.
  const frames = png ? 1 : walked.delaysMs.length
  const decoded = await decodeImage(bytes, frames, limits.maxPixels)
  const whole = decoded && (!png || (await apngFramesUnpack(bytes, png)))
  if (!whole) inspection.faults.push(finding('image_undecodable'))
  else if (contradicts(decoded, type, walked, frames)) {
    inspection.faults.push(finding('image_contradictory'))
  }
  inspection.orientation = decoded?.orientation ?? 1
  return inspection
}

function noImage(bytes: Buffer): Inspection {
  return unreadable(
    bytes,
    bytes.length === 0 ? finding('image_empty') : finding('image_kind', { kind: kindOf(bytes) }),
  )
}

/** The files that advertisers most often send by mistake. */
function kindOf(bytes: Buffer): FileKind {
  const head = bytes.toString('latin1', 0, 1024)
  const text = head.toLowerCase()
  if (text.includes('<svg')) return 'svg'
  if (text.includes('<html') || text.includes('<!doctype html')) return 'web_page'
  if (head.startsWith('%PDF')) return 'pdf'
  if (head.startsWith('BM')) return 'bmp'
  if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return 'tiff'
  if (head.startsWith('8BPS')) return 'photoshop'
  if (head.startsWith('PK\x03\x04')) return 'zip'
  if (head.startsWith('ftyp', 4)) return head.startsWith('avi', 8) ? 'avif' : 'video'
  return 'unknown'
}

function overLimits({ width, height, delaysMs }: Walked, limits: InspectLimits): Finding[] {
  const faults: Finding[] = []
  const framePixels = width * height
  if (framePixels > limits.maxFramePixels) {
    faults.push(finding('image_too_many_pixels', { count: framePixels, max: limits.maxFramePixels }))
  }
  const allPixels = framePixels * delaysMs.length
  if (faults.length === 0 && allPixels > limits.maxPixels) {
    faults.push(finding('animation_too_many_pixels', { count: allPixels, max: limits.maxPixels }))
  }
  return faults
}

function contradicts(decoded: Decoded, type: ImageType, walked: Walked, frames: number): boolean {
  if (decoded.format !== type || decoded.frames !== frames) return true
  return decoded.width !== walked.width || decoded.height !== walked.height
}
