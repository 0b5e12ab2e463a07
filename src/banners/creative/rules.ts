// The rules that a creative must meet to be shown. Pure: the facts come from an inspection, the limits are an argument.
// All reasons are given at once: what is wrong, what was found, what is allowed.

import type { ImageType } from '../../platform/images/type.ts'
import { notAnAdSize } from '../../reference/ad-sizes.ts'
import type { Inspection } from './inspection.ts'
import type { Animation } from './walk.ts'

export interface AdSize {
  width: number
  height: number
  maxBytes: number
}

export interface CreativeLimits {
  sizes: readonly AdSize[]
  /** Over all plays; after that the animation stops. */
  maxAnimationMs: number
  maxFramesPerSecond: number
}

export interface Declared {
  declaredWidth?: number | null
  declaredHeight?: number | null
  clickUrl?: string | null
  /** The customer's, which replaces a missing click URL. */
  website?: string | null
}

export interface Review {
  approved: boolean
  reasons: string[]
  width: number | null
  height: number | null
  type: ImageType | null
  bytes: number
  animated: boolean
}

export function reviewCreative(inspection: Inspection, declared: Declared, limits: CreativeLimits): Review {
  const { width, height, type, bytes, animation } = inspection
  const reasons = [
    ...inspection.faults,
    ...orientationReasons(inspection),
    ...sizeReasons(inspection, declared, limits),
    ...weightReasons(inspection, declared, limits),
    ...(animation ? animationReasons(animation, limits) : []),
    ...clickReasons(declared),
  ]
  return { approved: reasons.length === 0, reasons, width, height, type, bytes, animated: animation !== null }
}

function orientationReasons({ orientation }: Inspection): string[] {
  if (orientation === 1) return []
  return [
    `The image is stored turned or mirrored (EXIF orientation ${orientation}); save it upright (orientation 1 or none).`,
  ]
}

function sizeReasons({ width, height }: Inspection, declared: Declared, { sizes }: CreativeLimits): string[] {
  if (width === null || height === null) return []
  const reasons: string[] = []
  const wantedWidth = declared.declaredWidth ?? null
  const wantedHeight = declared.declaredHeight ?? null
  const differs =
    (wantedWidth !== null && wantedWidth !== width) || (wantedHeight !== null && wantedHeight !== height)
  if (differs) {
    const wanted =
      wantedWidth !== null && wantedHeight !== null
        ? `${wantedWidth}x${wantedHeight}`
        : wantedWidth !== null
          ? `a width of ${wantedWidth}`
          : `a height of ${wantedHeight}`
    reasons.push(`The image is ${width}x${height}, but ${wanted} was declared.`)
  }
  if (!findSize(sizes, width, height)) {
    reasons.push(notAnAdSize({ width, height }, sizes))
  }
  return reasons
}

/** An image of no allowed size is weighed by the size it was declared as, so that no second round is needed. */
function weightReasons(inspection: Inspection, declared: Declared, { sizes }: CreativeLimits): string[] {
  const size =
    findSize(sizes, inspection.width, inspection.height) ??
    findSize(sizes, declared.declaredWidth, declared.declaredHeight)
  if (!size || inspection.bytes <= size.maxBytes) return []
  const allowed = `${size.width}x${size.height} may have at most ${count(size.maxBytes)}`
  return [`The file has ${count(inspection.bytes)} bytes; ${allowed}.`]
}

function findSize(
  sizes: readonly AdSize[],
  width: number | null | undefined,
  height: number | null | undefined,
): AdSize | undefined {
  return sizes.find(size => size.width === width && size.height === height)
}

function animationReasons(animation: Animation, limits: CreativeLimits): string[] {
  const reasons: string[] = []
  const longest = seconds(limits.maxAnimationMs)
  if (animation.totalMs === null) {
    reasons.push(`The animation repeats forever; it must stop after at most ${longest} s.`)
    if (animation.playMs > limits.maxAnimationMs) {
      reasons.push(
        `One play of the animation takes ${seconds(animation.playMs)} s; at most ${longest} s are allowed.`,
      )
    }
  } else if (animation.totalMs > limits.maxAnimationMs) {
    const plays = animation.plays === 1 ? '' : ` (${animation.plays} plays of ${seconds(animation.playMs)} s)`
    reasons.push(
      `The animation runs for ${seconds(animation.totalMs)} s${plays}; at most ${longest} s in all are allowed.`,
    )
  }
  if (animation.framesPerSecond > limits.maxFramesPerSecond) {
    const standsMs = count(Math.round(1000 / animation.framesPerSecond))
    const shortestMs = count(Math.ceil(1000 / limits.maxFramesPerSecond))
    reasons.push(
      `The animation shows up to ${rate(animation.framesPerSecond)} frames per second (a frame is shown for ${standsMs} ms); ` +
        `at most ${rate(limits.maxFramesPerSecond)} are allowed (each frame for at least ${shortestMs} ms).`,
    )
  }
  return reasons
}

function clickReasons({ clickUrl, website }: Declared): string[] {
  const target = clickUrl?.trim() || website?.trim()
  if (!target) {
    return ['There is no click-through URL: the banner has no clickUrl and the customer has no website.']
  }
  if (URL.canParse(target) && /^https?:$/.test(new URL(target).protocol)) return []
  const whichUrl = clickUrl?.trim() ? "The banner's clickUrl" : "The customer's website"
  return [`${whichUrl} is not a valid click-through URL; it must begin with http:// or https://.`]
}

/** Rounded up, so that a value over a limit never looks like the limit itself. */
function seconds(durationMs: number): string {
  return count(Math.ceil(durationMs / 100) / 10)
}

function rate(framesPerSecond: number): string {
  return count(Math.ceil(framesPerSecond * 10) / 10)
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
