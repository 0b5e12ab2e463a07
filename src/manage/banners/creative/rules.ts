// The rules that a creative must meet to be shown. Pure: the facts come from an inspection, the limits are an argument.
// All reasons are given at once: what is wrong, what was found, what is allowed.

import { type Finding, finding } from '../../../kernel/errors/finding.ts'
import type { ImageType } from '../../../platform/images/type.ts'
import { sizeTexts } from '../../reference/ad-sizes.ts'
import type { Inspection } from './inspection.ts'
import type { Animation } from './walk.ts'

export interface AdSize {
  width: number
  height: number
  maxBytes: number
}

export interface CreativeLimits {
  sizes: readonly AdSize[]
  /** Total of all plays, after which the animation must stop. */
  maxAnimationMs: number
  maxFramesPerSecond: number
}

export interface Declared {
  declaredWidth?: number | null
  declaredHeight?: number | null
  clickUrl?: string | null
  /** The customer's website, which is used if there is no click URL. */
  website?: string | null
}

export interface Review {
  approved: boolean
  findings: Finding[]
  width: number | null
  height: number | null
  type: ImageType | null
  bytes: number
  animated: boolean
}

export function reviewCreative(inspection: Inspection, declared: Declared, limits: CreativeLimits): Review {
  const { width, height, type, bytes, animation } = inspection
  const findings = [
    ...inspection.faults,
    ...orientationFindings(inspection),
    ...sizeFindings(inspection, declared, limits),
    ...weightFindings(inspection, declared, limits),
    ...(animation ? animationFindings(animation, limits) : []),
    ...clickFindings(declared),
  ]
  const approved = findings.length === 0
  return { approved, findings, width, height, type, bytes, animated: animation !== null }
}

function orientationFindings({ orientation }: Inspection): Finding[] {
  if (orientation === 1) return []
  return [finding('image_turned', { orientation })]
}

function sizeFindings(
  { width, height }: Inspection,
  declared: Declared,
  { sizes }: CreativeLimits,
): Finding[] {
  if (width === null || height === null) return []
  const findings: Finding[] = []
  const { declaredWidth = null, declaredHeight = null } = declared
  const wrongWidth = declaredWidth !== null && declaredWidth !== width
  const wrongHeight = declaredHeight !== null && declaredHeight !== height
  if (declaredWidth !== null && declaredHeight !== null) {
    if (wrongWidth || wrongHeight)
      findings.push(finding('image_not_as_declared', { width, height, declaredWidth, declaredHeight }))
  } else if (wrongWidth) {
    findings.push(finding('image_width_not_as_declared', { width, height, declaredWidth }))
  } else if (wrongHeight) {
    findings.push(finding('image_height_not_as_declared', { width, height, declaredHeight }))
  }
  if (!findSize(sizes, width, height))
    findings.push(finding('image_size_not_allowed', { width, height, allowed: sizeTexts(sizes) }))
  return findings
}

/** An image whose size is not allowed is weighed by its declared size, so that all reasons are given in one round. */
function weightFindings(inspection: Inspection, declared: Declared, { sizes }: CreativeLimits): Finding[] {
  const size =
    findSize(sizes, inspection.width, inspection.height) ??
    findSize(sizes, declared.declaredWidth, declared.declaredHeight)
  if (!size || inspection.bytes <= size.maxBytes) return []
  const { width, height, maxBytes } = size
  return [finding('image_too_large', { bytes: inspection.bytes, width, height, maxBytes })]
}

function findSize(
  sizes: readonly AdSize[],
  width: number | null | undefined,
  height: number | null | undefined,
): AdSize | undefined {
  return sizes.find(size => size.width === width && size.height === height)
}

function animationFindings(animation: Animation, limits: CreativeLimits): Finding[] {
  const findings: Finding[] = []
  const maxSeconds = seconds(limits.maxAnimationMs)
  const playSeconds = seconds(animation.playMs)
  if (animation.totalMs === null) {
    findings.push(finding('animation_endless', { maxSeconds }))
    if (animation.playMs > limits.maxAnimationMs)
      findings.push(finding('animation_play_too_long', { seconds: playSeconds, maxSeconds }))
  } else if (animation.totalMs > limits.maxAnimationMs) {
    const { plays } = animation
    const long = { seconds: seconds(animation.totalMs), maxSeconds }
    findings.push(
      plays === null || plays === 1
        ? finding('animation_too_long', long)
        : finding('animation_plays_too_long', { ...long, plays, playSeconds }),
    )
  }
  if (animation.framesPerSecond > limits.maxFramesPerSecond) {
    findings.push(
      finding('animation_too_fast', {
        rate: tenths(animation.framesPerSecond),
        frameMs: Math.round(1000 / animation.framesPerSecond),
        maxRate: tenths(limits.maxFramesPerSecond),
        minFrameMs: Math.ceil(1000 / limits.maxFramesPerSecond),
      }),
    )
  }
  return findings
}

function clickFindings({ clickUrl, website }: Declared): Finding[] {
  const target = clickUrl?.trim() || website?.trim()
  if (!target) return [finding('click_url_missing')]
  if (URL.canParse(target) && /^https?:$/.test(new URL(target).protocol)) return []
  return [finding(clickUrl?.trim() ? 'click_url_invalid' : 'website_invalid')]
}

function seconds(durationMs: number): number {
  return tenths(durationMs / 1000)
}

/** Rounded up, so that a value over a limit never looks like the limit itself. */
function tenths(value: number): number {
  return Math.ceil(value * 10) / 10
}
