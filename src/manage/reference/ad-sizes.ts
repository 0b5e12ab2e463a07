// The allowed banner sizes and the largest file for each. A kB is 1,000 bytes. docs/creative-guidelines.md says the
// same in words; the names are those of the IAB's display portfolio.

export interface AdSize {
  width: number
  height: number
  name: string
  maxBytes: number
}

const KB = 1000
export const DEFAULT_MAX_BYTES = 150 * KB

const SIZES: [width: number, height: number, name: string][] = [
  [300, 250, 'Medium Rectangle'],
  [336, 280, 'Large Rectangle'],
  [728, 90, 'Leaderboard'],
  [970, 90, 'Super Leaderboard'],
  [970, 250, 'Billboard'],
  [160, 600, 'Wide Skyscraper'],
  [120, 600, 'Skyscraper'],
  [300, 600, 'Half Page'],
  [300, 1050, 'Portrait'],
  [320, 50, 'Smartphone Banner'],
  [320, 100, 'Large Mobile Banner'],
  [300, 50, 'Small Smartphone Banner'],
  [250, 250, 'Square'],
  [200, 200, 'Small Square'],
  [240, 400, 'Vertical Rectangle'],
  [468, 60, 'Full Banner'],
  [320, 480, 'Phone Interstitial'],
  [480, 320, 'Phone Interstitial, Landscape'],
  [768, 1024, 'Tablet Interstitial'],
  [1024, 768, 'Tablet Interstitial, Landscape'],
]

const SPECIAL_MAX_BYTES = new Map([
  ['320x50', 50 * KB],
  ['320x100', 50 * KB],
  ['300x50', 50 * KB],
  ['970x90', 200 * KB],
])

const LARGE_AREA = 300 * 600

function limitOf(width: number, height: number): number {
  const special = SPECIAL_MAX_BYTES.get(`${width}x${height}`)
  if (special !== undefined) return special
  return width * height >= LARGE_AREA ? 250 * KB : DEFAULT_MAX_BYTES
}

export const AD_SIZES: readonly AdSize[] = SIZES.map(([width, height, name]) => ({
  width,
  height,
  name,
  maxBytes: limitOf(width, height),
}))

const ALLOWED = new Set(AD_SIZES.map(({ width, height }) => `${width}x${height}`))

export function isAllowedSize(width: number, height: number): boolean {
  return ALLOWED.has(`${width}x${height}`)
}

/** '300x250, 336x280, …', for messages. */
export const allowedSizesText: string = sizeTexts(AD_SIZES).join(', ')

interface Size {
  width: number
  height: number
}

export function sizeTexts(sizes: readonly Size[]): string[] {
  return sizes.map(size => `${size.width}x${size.height}`)
}
