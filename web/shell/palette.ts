// A brand's one colour as ten shades of known contrast: white text is readable on 6 and darker, whatever the colour.

import type { MantineColorsTuple } from '@mantine/core'

/** Relative luminance (WCAG) of each shade, light to dark. White on 0.16 is 5:1. */
const LUMINANCES = [0.9, 0.8, 0.64, 0.5, 0.38, 0.26, 0.16, 0.115, 0.08, 0.05]

export const DEFAULT_COLOUR = '#3b49df'

type Rgb = [red: number, green: number, blue: number]

export function shadesOf(colour: string): MantineColorsTuple {
  const [hue, saturation] = hueOf(rgbOf(colour))
  return LUMINANCES.map(wanted =>
    hexOf(atLuminance(hue, saturation, wanted)),
  ) as unknown as MantineColorsTuple
}

export function isColour(text: string | null): text is string {
  return text !== null && /^#[0-9a-f]{6}$/i.test(text)
}

function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

function hexOf(rgb: Rgb): string {
  return `#${rgb.map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function hueOf([red, green, blue]: Rgb): [hue: number, saturation: number] {
  const max = Math.max(red, green, blue) / 255
  const min = Math.min(red, green, blue) / 255
  const range = max - min
  if (range === 0) return [0, 0]
  const lightness = (max + min) / 2
  const saturation = range / (1 - Math.abs(2 * lightness - 1))
  const [r, g, b] = [red / 255, green / 255, blue / 255]
  const sector = max === r ? ((g - b) / range + 6) % 6 : max === g ? (b - r) / range + 2 : (r - g) / range + 4
  return [sector * 60, Math.min(saturation, 0.9)]
}

function fromHsl(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const part = (n: number) => {
    const k = (n + hue / 30) % 12
    return 255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [part(0), part(8), part(4)]
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map(part => {
    const value = part / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Luminance grows with lightness, so bisection finds it. */
function atLuminance(hue: number, saturation: number, wanted: number): Rgb {
  let [low, high] = [0, 1]
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2
    if (luminance(fromHsl(hue, saturation, middle)) < wanted) low = middle
    else high = middle
  }
  return fromHsl(hue, saturation, low)
}
