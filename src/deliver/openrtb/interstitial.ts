// Which banners fit an interstitial that lists no formats: its own size, and sizes that fill at least half of its width
// and half of its height. An interstitial without a size (or 0 x 0) is as large as the screen. If neither is known, it
// is a phone's full screen, which fits everywhere.

import type { Size } from '../targeting/request.ts'
import { type Fields, numberOf } from './read.ts'

/** Our banner sizes that make sense alone on a screen. */
const FULL_SCREEN_SIZES: readonly Size[] = [
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
  { width: 480, height: 320 },
  { width: 320, height: 480 },
  { width: 300, height: 600 },
  { width: 240, height: 400 },
  { width: 336, height: 280 },
  { width: 300, height: 250 },
  { width: 250, height: 250 },
]
const LEAST_SHARE = 0.5
const PHONE_SCREENS: readonly Size[] = [
  { width: 320, height: 480 },
  { width: 480, height: 320 },
]

export function interstitialSizes(own: Size | null, device: Fields | null): Size[] {
  const room = own ?? screenOf(device)
  if (room === null) return [...PHONE_SCREENS]
  const sizes = own === null ? [] : [own]
  for (const size of FULL_SCREEN_SIZES) {
    const isOwn = own !== null && size.width === own.width && size.height === own.height
    if (!isOwn && fills(size.width, room.width) && fills(size.height, room.height)) sizes.push(size)
  }
  return sizes
}

function fills(side: number, room: number): boolean {
  return side <= room && side >= room * LEAST_SHARE
}

/** The screen in device-independent pixels; devices report physical ones. */
function screenOf(device: Fields | null): Size | null {
  const width = device && numberOf(device.w)
  const height = device && numberOf(device.h)
  if (!device || !width || !height || width < 0 || height < 0) return null
  const ratio = numberOf(device.pxratio)
  const scale = ratio !== null && ratio >= 1 && ratio <= 10 ? ratio : 1
  return { width: width / scale, height: height / scale }
}
