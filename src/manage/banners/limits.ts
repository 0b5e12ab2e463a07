// The limits of a creative: the sizes of the reference list, with the weights set by the operator.

import { BadSetting } from '../../platform/config.ts'
import { AD_SIZES, allowedSizesText } from '../reference/ad-sizes.ts'
import type { CreativeLimits } from './creative/rules.ts'

export const MAX_ANIMATION_MS = 30_000
export const MAX_FRAMES_PER_SECOND = 5

/** `weightBytes` by size, such as `300x250`; sizes not named keep their weight. */
export function creativeLimits(weightBytes: Record<string, number>): CreativeLimits {
  const sizes = AD_SIZES.map(({ width, height, maxBytes }) => ({
    width,
    height,
    maxBytes: weightBytes[`${width}x${height}`] ?? maxBytes,
  }))
  const known = new Set(sizes.map(({ width, height }) => `${width}x${height}`))
  const unknown = Object.keys(weightBytes).find(size => !known.has(size))
  if (unknown !== undefined) {
    throw new BadSetting(
      `CREATIVE_WEIGHTS names ${unknown}, which is not an allowed size: ${allowedSizesText}`,
    )
  }
  return { sizes, maxAnimationMs: MAX_ANIMATION_MS, maxFramesPerSecond: MAX_FRAMES_PER_SECOND }
}
