// The creative guidelines: each rule refuses with its own reason, and all reasons are given at once.

import { describe, expect, test } from 'vitest'
import * as made from '../../../../test/support/image-samples.ts'
import { finding } from '../../../kernel/errors/finding.ts'
import { inspectImage } from './inspect.ts'
import type { Inspection } from './inspection.ts'
import { type CreativeLimits, type Review, reviewCreative } from './rules.ts'
import type { Animation } from './walk.ts'

const LIMITS: CreativeLimits = {
  sizes: [
    { width: 300, height: 250, maxBytes: 150_000 },
    { width: 320, height: 50, maxBytes: 50_000 },
    { width: 970, height: 250, maxBytes: 250_000 },
  ],
  maxAnimationMs: 30_000,
  maxFramesPerSecond: 5,
}
const CLICK = { clickUrl: 'https://shop.example/' }

function image(change: Partial<Inspection> = {}): Inspection {
  const whole = { bytes: 1_000, width: 300, height: 250, orientation: 1, animation: null, faults: [] }
  return { type: 'png', ...whole, ...change }
}

function moving(change: Partial<Animation>): Inspection {
  const animation = { frames: 10, plays: 1, playMs: 10_000, totalMs: 10_000, framesPerSecond: 1, ...change }
  return image({ type: 'gif', animation })
}

const wordsOf = ({ findings }: Review) => findings.map(({ message }) => message)

function reasonsOf(inspection: Inspection, declared = {}): string[] {
  const review = reviewCreative(inspection, { ...CLICK, ...declared }, LIMITS)
  expect(review.approved).toBe(review.findings.length === 0)
  return wordsOf(review)
}

test('an image that keeps every rule is approved, with its real properties', () => {
  const declared = { ...CLICK, declaredWidth: 300, declaredHeight: 250 }
  expect(reviewCreative(image(), declared, LIMITS)).toEqual({
    approved: true,
    findings: [],
    width: 300,
    height: 250,
    type: 'png',
    bytes: 1_000,
    animated: false,
  })
})

describe('size', () => {
  test('no declared size is needed', () => {
    expect(reasonsOf(image(), { declaredWidth: null, declaredHeight: undefined })).toEqual([])
  })

  test('the real size must be the declared one', () => {
    const declared = { declaredWidth: 320, declaredHeight: 50 }
    expect(reasonsOf(image(), declared)).toEqual(['The image is 300x250, but 320x50 was declared.'])
    expect(reasonsOf(image(), { declaredWidth: 320 })).toEqual([
      'The image is 300x250, but a width of 320 was declared.',
    ])
    expect(reasonsOf(image(), { declaredHeight: 50 })).toEqual([
      'The image is 300x250, but a height of 50 was declared.',
    ])
    expect(reasonsOf(image(), { declaredWidth: 300 })).toEqual([])
  })

  test('the real size must be in the list; turned sideways it is not', () => {
    expect(reasonsOf(image({ width: 301 }))).toEqual([
      'The image is 301x250, which is not an allowed size; allowed are 300x250, 320x50, 970x250.',
    ])
    expect(reasonsOf(image({ width: 250, height: 300 }))).toHaveLength(1)
  })

  test('an image that browsers would turn is refused', () => {
    expect(reasonsOf(image({ orientation: 6 }))[0]).toContain('EXIF orientation 6')
  })
})

describe('weight', () => {
  test('a kB is 1,000 bytes, and the limit itself is allowed', () => {
    expect(reasonsOf(image({ bytes: 150_000 }))).toEqual([])
    expect(reasonsOf(image({ bytes: 150_001 }))).toEqual([
      'The file is 150,001 bytes; 300x250 banners may be at most 150,000.',
    ])
  })

  test('each size has its own limit', () => {
    expect(reasonsOf(image({ width: 970, height: 250, bytes: 250_000 }))).toEqual([])
    expect(reasonsOf(image({ width: 320, height: 50, bytes: 50_001 }))).toHaveLength(1)
  })

  test('an image of a wrong size is weighed by its declared size', () => {
    const reasons = reasonsOf(image({ width: 301, bytes: 162_304 }), {
      declaredWidth: 300,
      declaredHeight: 250,
    })
    expect(reasons).toHaveLength(3)
    expect(reasons[2]).toBe('The file is 162,304 bytes; 300x250 banners may be at most 150,000.')
  })
})

describe('animation', () => {
  test('30 s over all plays is allowed, a moment more is not', () => {
    expect(reasonsOf(moving({ plays: 3, totalMs: 30_000 }))).toEqual([])
    expect(reasonsOf(moving({ plays: 4, totalMs: 40_000 }))).toEqual([
      'The animation runs for 40 s (4 plays of 10 s); at most 30 s in all are allowed.',
    ])
    expect(reasonsOf(moving({ playMs: 30_010, totalMs: 30_010 }))).toEqual([
      'The animation runs for 30.1 s; at most 30 s in all are allowed.',
    ])
  })

  test('an endless one is refused, however short it is', () => {
    expect(reasonsOf(moving({ plays: null, totalMs: null }))).toEqual([
      'The animation repeats forever; it must stop after at most 30 s.',
    ])
    expect(reasonsOf(moving({ plays: null, totalMs: null, playMs: 31_000 }))[1]).toContain('takes 31 s')
  })

  test('5 frames per second are allowed, more are not', () => {
    expect(reasonsOf(moving({ framesPerSecond: 5 }))).toEqual([])
    expect(reasonsOf(moving({ framesPerSecond: 1000 / 190 }))).toEqual([
      'The animation shows up to 5.3 frames per second (a frame is shown for 190 ms); at most 5 are allowed (each frame for at least 200 ms).',
    ])
  })
})

describe('click-through URL', () => {
  test('the website of the customer replaces a missing clickUrl', () => {
    expect(reasonsOf(image(), { clickUrl: null, website: 'http://shop.example' })).toEqual([])
    expect(reasonsOf(image(), { clickUrl: ' ', website: 'http://shop.example' })).toEqual([])
  })

  test('a click-through URL is required', () => {
    for (const none of [null, undefined, '', '  ']) {
      expect(reasonsOf(image(), { clickUrl: none, website: none })[0]).toContain('no click-through URL')
    }
  })

  test('it is an http(s) address, and the website does not replace a wrong clickUrl', () => {
    for (const wrong of ['javascript:alert(1)', 'shop.example', '//shop.example', 'ftp://shop.example']) {
      const website = 'https://shop.example'
      expect(reasonsOf(image(), { clickUrl: wrong, website })[0], wrong).toContain(
        "The banner's clickUrl is not a valid",
      )
    }
    expect(reasonsOf(image(), { clickUrl: null, website: 'shop' })[0]).toContain(
      "The customer's website is not a valid",
    )
  })
})

test('all reasons are given at once', () => {
  const animation = { frames: 9, plays: null, playMs: 900, totalMs: null, framesPerSecond: 10 }
  const bad = image({
    width: 301,
    bytes: 200_000,
    orientation: 3,
    animation,
    faults: [finding('image_undecodable')],
  })
  const declared = { declaredWidth: 300, declaredHeight: 250, clickUrl: null }
  expect(reasonsOf(bad, declared)).toHaveLength(8)
})

test('a file that is not an image gets that reason and nothing about sizes', async () => {
  const review = reviewCreative(
    await inspectImage(Buffer.from('<svg/>')),
    { ...CLICK, declaredWidth: 300 },
    LIMITS,
  )
  expect(review).toMatchObject({ approved: false, width: null, height: null, type: null, animated: false })
  expect(wordsOf(review)).toEqual(['The file is an SVG drawing; allowed are JPEG, PNG, GIF and WebP images.'])
})

describe('real files, from bytes to verdict', () => {
  const verdict = async (bytes: Buffer) => reviewCreative(await inspectImage(bytes), CLICK, LIMITS)

  test('good ones of each format are approved', async () => {
    const still = [
      await made.still('jpeg', 300, 250),
      await made.still('gif', 300, 250),
      await made.still('webp', 300, 250),
    ]
    const motion = { width: 320, height: 50, delays: Array.from({ length: 10 }, () => 1000), loop: 3 }
    const moved = [
      made.animatedGif({ width: 320, height: 50, delays: [500, 500, 500], loop: 1 }),
      made.animatedPng(motion),
    ]
    for (const bytes of [...still, ...moved])
      expect(await verdict(bytes)).toMatchObject({ approved: true, findings: [] })
  })

  test('a heavy PNG, an endless GIF, a fast WebP and a long APNG are refused, each for its reason', async () => {
    const heavy = await verdict(await made.still('png', 300, 250))
    expect(wordsOf(heavy)).toEqual([
      `The file is ${heavy.bytes.toLocaleString('en-US')} bytes; 300x250 banners may be at most 150,000.`,
    ])
    const endless = await verdict(made.animatedGif({ width: 320, height: 50, delays: [100, 100], loop: 0 }))
    expect(wordsOf(endless)).toEqual([expect.stringContaining('repeats forever')])
    const hasty = await verdict(await made.animatedWebp({ width: 320, height: 50, delays: [199, 500] }))
    expect(wordsOf(hasty).join(' ')).toContain('5.1 frames per second')
    const long = await verdict(made.animatedPng({ width: 320, height: 50, delays: [20_000, 10_001] }))
    expect(wordsOf(long)).toEqual([expect.stringContaining('30.1 s')])
  })
})
