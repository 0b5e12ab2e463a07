// The width of a text in pixels, as tables write it.

import type { Measure } from './widths.ts'

let context: CanvasRenderingContext2D | null = null

/** Totals are bold, so everything is measured in bold. */
export const measured: Measure = (text, size) => {
  context ??= document.createElement('canvas').getContext('2d')
  const style = getComputedStyle(document.body)
  const px = style.getPropertyValue(size === 's' ? '--text-s' : '--text-m')
  context!.font = `${style.getPropertyValue('--strong')} ${px} ${style.fontFamily}`
  return context!.measureText(text).width
}
