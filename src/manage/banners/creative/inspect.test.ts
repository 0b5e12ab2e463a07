// What an image really is, from its bytes: complete images are read; damaged, lying and oversized ones are recognised.

import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import * as made from '../../../../test/support/image-samples.ts'
import { type ImageType, imageTypeOf } from '../../../platform/images/type.ts'
import { INSPECT_LIMITS, inspectImage } from './inspect.ts'
import type { Inspection } from './inspection.ts'

const TYPES: ImageType[] = ['jpeg', 'png', 'gif', 'webp']

/** Any size is allowed here, because small pictures are just as good for these tests. */
const LIMITS = { ...INSPECT_LIMITS, isSize: () => true }
const inspect = (bytes: Buffer) => inspectImage(bytes, LIMITS)

const wordsOf = ({ faults }: Inspection) => faults.map(({ message }) => message)

async function faultsOf(bytes: Buffer): Promise<string> {
  return wordsOf(await inspect(bytes)).join(' ')
}

describe('a complete image', () => {
  test.each(TYPES)('a still %s is read by its bytes: type, size, weight', async type => {
    const bytes = await made.still(type, 300, 250)
    expect(await inspect(bytes)).toEqual({
      bytes: bytes.length,
      type,
      width: 300,
      height: 250,
      orientation: 1,
      animation: null,
      faults: [],
    })
  })

  test('other ways to store an image are complete too', async () => {
    const raw = { width: 120, height: 60, channels: 4 } as const
    const picture = () => sharp(made.noisyPixels(120, 60, 4), { raw })
    const files = await Promise.all([
      picture().removeAlpha().jpeg({ progressive: true, quality: 40 }).toBuffer(),
      picture().removeAlpha().toColourspace('cmyk').jpeg().toBuffer(),
      picture().removeAlpha().greyscale().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer(),
      picture().removeAlpha().jpeg().withMetadata({ density: 300 }).toBuffer(),
      picture().png({ progressive: true }).toBuffer(),
      picture().png({ palette: true, colours: 4 }).toBuffer(),
      picture().toColourspace('rgb16').png().toBuffer(),
      picture().webp({ lossless: true }).toBuffer(),
      picture().webp({ quality: 30, alphaQuality: 20 }).toBuffer(),
      picture().gif({ progressive: true }).toBuffer(),
    ])
    for (const file of files) {
      expect(await inspect(file)).toMatchObject({ width: 120, height: 60, animation: null, faults: [] })
    }
  })

  test('zeros that pad the end are harmless', async () => {
    for (const type of TYPES) {
      const bytes = Buffer.concat([await made.still(type, 30, 20), Buffer.alloc(7)])
      expect(await faultsOf(bytes), type).toBe('')
    }
  })

  test('EXIF orientation is reported', async () => {
    const raw = { width: 250, height: 300, channels: 3 } as const
    for (const type of ['jpeg', 'png', 'webp'] as const) {
      const turned = sharp(made.noisyPixels(250, 300, 3), { raw }).withMetadata({ orientation: 6 })
      const bytes = await turned.toFormat(type).toBuffer()
      expect(await inspect(bytes), type).toMatchObject({
        width: 250,
        height: 300,
        orientation: 6,
        faults: [],
      })
    }
  })
})

describe('an animation', () => {
  test('the frames, plays and times of a GIF are read; a repeat of n means n + 1 plays', async () => {
    const bytes = made.animatedGif({ width: 30, height: 25, delays: [20, 30, 100], loop: 2 })
    const animation = { frames: 3, plays: 3, playMs: 1500, totalMs: 4500, framesPerSecond: 5 }
    expect(await inspect(bytes)).toMatchObject({
      type: 'gif',
      width: 30,
      height: 25,
      animation,
      faults: [],
    })
  })

  test('the frames, plays and times of an animated WebP and an APNG are read; a count of n means n plays', async () => {
    const motion = { width: 30, height: 25, delays: [200, 300, 1000], loop: 3 }
    const animation = { frames: 3, plays: 3, playMs: 1500, totalMs: 4500, framesPerSecond: 5 }
    const webp = await inspect(await made.animatedWebp(motion))
    expect(webp).toMatchObject({ type: 'webp', width: 30, height: 25, animation, faults: [] })
    const png = await inspect(made.animatedPng(motion))
    expect(png).toMatchObject({ type: 'png', width: 30, height: 25, animation, faults: [] })
  })

  test('our walkers agree with libvips on animations that libvips wrote', async () => {
    const raw = { width: 40, height: 90, channels: 3, pageHeight: 30 } as const
    for (const loop of [0, 1, 2, 7]) {
      for (const type of ['gif', 'webp'] as const) {
        const bytes = await sharp(made.noisyPixels(40, 90, 3), { raw })
          .toFormat(type, { loop, delay: [200, 500, 300] })
          .toBuffer()
        const seen = await sharp(bytes, { animated: true }).metadata()
        const found = await inspect(bytes)
        expect(found.faults).toEqual([])
        expect(found.animation).toMatchObject({ frames: seen.pages!, playMs: 1000, plays: seen.loop || null })
        expect([found.width, found.height]).toEqual([40, 30])
      }
    }
  })

  test('an endless animation is recognised in each format', async () => {
    const motion = { width: 8, height: 8, delays: [500, 500], loop: 0 }
    const gif = await inspect(made.animatedGif({ ...motion, delays: [50, 50] }))
    const webp = await inspect(await made.animatedWebp(motion))
    const png = await inspect(made.animatedPng(motion))
    for (const { animation } of [gif, webp, png]) {
      expect(animation).toMatchObject({ plays: null, totalMs: null, playMs: 1000 })
    }
  })

  test('a GIF without a repeat block plays once', async () => {
    const { animation } = await inspect(made.animatedGif({ width: 8, height: 8, delays: [50, 50] }))
    expect(animation).toMatchObject({ plays: 1, totalMs: 1000 })
  })

  test('if a GIF says two things about its repetition, the longer one counts', async () => {
    const frames = [made.gifFrame(0, 0, 8, 8), made.gifFrame(0, 0, 8, 8)]
    const playsOf = async (...loops: Buffer[]) =>
      (await inspect(made.gifOf(8, 8, [...loops, ...frames]))).animation?.plays
    expect(await playsOf(made.gifLoop(0), made.gifLoop(1))).toBeNull()
    expect(await playsOf(made.gifLoop(4), made.gifLoop(1))).toBe(5)
    expect(await playsOf(made.gifLoop(3, 'ANIMEXTS1.0'))).toBe(4)
    expect(await playsOf(made.gifLoop(3, 'SOMETHING11'))).toBe(1)
  })

  test('a delay of 10 ms or less counts as 100 ms, as browsers show it', async () => {
    const gif = await inspect(made.animatedGif({ width: 8, height: 8, delays: [0, 1, 2] }))
    expect(gif.animation).toMatchObject({ playMs: 220, framesPerSecond: 10 })
    const webp = await inspect(await made.animatedWebp({ width: 8, height: 8, delays: [0, 10, 11] }))
    expect(webp.animation).toMatchObject({ playMs: 211, framesPerSecond: 10 })
  })

  test('the delay after the last frame of a single play does not count as a frame rate', async () => {
    const motion = { width: 8, height: 8, delays: [50, 50, 0] }
    expect((await inspect(made.animatedGif(motion))).animation?.framesPerSecond).toBe(2)
    expect((await inspect(made.animatedGif({ ...motion, loop: 1 }))).animation?.framesPerSecond).toBe(10)
  })

  test('one frame is not an animation, however often it is played', async () => {
    const motion = { width: 8, height: 8, delays: [5], loop: 0 }
    for (const bytes of [
      made.animatedGif(motion),
      made.animatedPng(motion),
      await made.animatedWebp(motion),
    ]) {
      expect(await inspect(bytes)).toMatchObject({ animation: null, faults: [] })
    }
  })

  test('the still picture in an APNG for viewers that cannot animate does not count as a frame', async () => {
    const bytes = made.pngOf(
      made.pngHeader(8, 8),
      made.pngChunk('acTL', made.numbers(2, 1)),
      made.pngChunk('IDAT', made.pngRows(8, 8)),
      made.pngFrameControl(0, 8, 8, 500),
      made.pngChunk('fdAT', Buffer.concat([made.numbers(1), made.pngRows(8, 8)])),
      made.pngFrameControl(2, 4, 4, 500),
      made.pngChunk('fdAT', Buffer.concat([made.numbers(3), made.pngRows(4, 4)])),
    )
    expect(await inspect(bytes)).toMatchObject({ animation: { frames: 2, playMs: 1000 }, faults: [] })
  })
})

describe('a truncated file is recognised', () => {
  test.each(TYPES)('%s, truncated anywhere', async type => {
    const bytes = await made.still(type, 60, 40)
    const cuts = [1, 2, 3, 10, 50, 200, bytes.length >> 1, bytes.length - 16, bytes.length - 20]
    for (const cut of cuts) {
      const faults = await faultsOf(bytes.subarray(0, bytes.length - cut))
      expect(faults, `${cut} bytes less`).not.toBe('')
    }
  })

  test('a JPEG that lost its middle but kept its end', async () => {
    const bytes = await made.still('jpeg', 300, 250)
    const patched = Buffer.concat([bytes.subarray(0, bytes.length >> 1), Buffer.from([0xff, 0xd9])])
    expect(await faultsOf(patched)).toContain('cannot be decoded')
  })

  test('a PNG with complete chunks but missing pixels', async () => {
    const half = made.pngChunk('IDAT', made.pngRows(30, 10))
    expect(await faultsOf(made.pngOf(made.pngHeader(30, 20), half))).toContain('cannot be decoded')
  })

  test('a GIF with complete blocks but missing pixels', async () => {
    const frame = made.gifFrame(0, 0, 30, 10)
    frame.writeUInt16LE(20, 7)
    expect(await faultsOf(made.gifOf(30, 20, [frame]))).toContain('fewer pixels')
  })

  test('a late frame of a GIF, a WebP and an APNG', async () => {
    const lame = made.gifFrame(0, 0, 30, 10)
    lame.writeUInt16LE(20, 7)
    expect(await faultsOf(made.gifOf(30, 20, [made.gifFrame(0, 0, 30, 20), lame]))).toContain('fewer pixels')
    const picture = await made.webpPicture(30, 20)
    const damaged = Buffer.from(picture)
    damaged.fill(0x5a, 60)
    const animation = made.riffChunk('ANIM', Buffer.from([0, 0, 0, 0, 1, 0]))
    const frames = [picture, damaged].map(part => made.webpFrame(30, 20, 500, part))
    const webp = made.webpOf(made.webpHeader(30, 20, 2), animation, ...frames)
    expect(await faultsOf(webp)).toContain('cannot be decoded')
    const motion = { width: 30, height: 20, delays: [500, 500] }
    for (const rows of [made.pngRows(30, 19), made.pngRows(30, 21), Buffer.from('no zlib data')]) {
      expect(await faultsOf(made.animatedPng(motion, rows))).toContain('cannot be decoded')
    }
  })
})

describe('a header that lies is recognised', () => {
  test('a PNG with a wrong checksum anywhere', async () => {
    const bytes = await made.still('png', 30, 20)
    for (const at of [17, 29, 50, bytes.length - 1]) {
      const lying = Buffer.from(bytes)
      lying[at]! ^= 1
      expect(await faultsOf(lying), `byte ${at}`).toContain('checksum')
    }
  })

  test('a PNG with a false size and a right checksum', async () => {
    const bytes = made.pngOf(made.pngHeader(300, 250), made.pngChunk('IDAT', made.pngRows(30, 25)))
    expect(await faultsOf(bytes)).not.toBe('')
  })

  test('a GIF whose frame is larger than its screen', async () => {
    expect(await faultsOf(made.gifOf(300, 250, [made.gifFrame(0, 0, 301, 250)]))).toContain('beyond the edge')
    expect(await faultsOf(made.gifOf(300, 250, [made.gifFrame(1, 0, 300, 250)]))).toContain('beyond the edge')
  })

  test('a WebP whose canvas and picture differ', async () => {
    const picture = await made.webpPicture(30, 20)
    expect(await faultsOf(made.webpOf(made.webpHeader(300, 250, 0), picture))).toContain('different sizes')
    const animation = made.riffChunk('ANIM', Buffer.from([0, 0, 0, 0, 1, 0]))
    const outside = made.webpFrame(31, 20, 500, picture)
    expect(await faultsOf(made.webpOf(made.webpHeader(300, 250, 2), animation, outside))).toContain('a frame')
  })

  test('a JPEG that states a false size', async () => {
    const bytes = await made.still('jpeg', 300, 250)
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
    bytes.writeUInt16BE(600, frame + 5)
    expect(await faultsOf(bytes)).toContain('cannot be decoded')
  })

  test('an APNG that announces other frames than it contains, or has them out of order', async () => {
    const whole = made.animatedPng({ width: 8, height: 8, delays: [500, 500] })
    const header = made.pngChunk('acTL', made.numbers(2, 1))
    const swap = (chunk: Buffer) =>
      Buffer.concat([
        whole.subarray(0, whole.indexOf(header)),
        chunk,
        whole.subarray(whole.indexOf(header) + 20),
      ])
    expect(await faultsOf(swap(header))).toBe('')
    expect(await faultsOf(swap(made.pngChunk('acTL', made.numbers(3, 1))))).toContain(
      'announces 3 frames but contains 2',
    )
    expect(await faultsOf(swap(Buffer.alloc(0)))).toContain('announces no animation')
    const wrongOrder = made.pngOf(
      made.pngHeader(8, 8),
      header,
      made.pngFrameControl(1, 8, 8, 500),
      made.pngChunk('IDAT', made.pngRows(8, 8)),
    )
    expect(await faultsOf(wrongOrder)).toContain('out of order')
  })
})

describe('a bomb is refused before it is decoded', () => {
  test('20000x20000 in each format that allows it, with its size in the message', async () => {
    const png = made.pngOf(made.pngHeader(20_000, 20_000), made.pngChunk('IDAT', made.pngRows(2_000, 200)))
    const gif = made.gifOf(20_000, 20_000, [made.gifFrame(0, 0, 10, 10)])
    const webp = made.webpOf(
      made.webpHeader(20_000, 20_000, 2),
      made.riffChunk('ANIM', Buffer.from([0, 0, 0, 0, 1, 0])),
      made.webpFrame(30, 20, 500, await made.webpPicture(30, 20)),
    )
    for (const bomb of [png, gif, webp]) {
      const found = await inspect(bomb)
      expect(found).toMatchObject({ width: 20_000, height: 20_000 })
      expect(wordsOf(found)).toEqual(['The image has 400,000,000 pixels; at most 25,000,000 are read.'])
    }
  })

  test('too many frames, or too many pixels in all frames together', async () => {
    const tiny = made.gifFrame(0, 0, 1, 1)
    const many = made.gifOf(
      10,
      10,
      Array.from({ length: 201 }, () => tiny),
    )
    expect(await faultsOf(many)).toBe('The animation has more than 200 frames, the most that are read.')
    const wide = made.gifOf(
      2_000,
      2_000,
      Array.from({ length: 13 }, () => tiny),
    )
    expect(await faultsOf(wide)).toContain('52,000,000 pixels in all its frames; at most 50,000,000')
  })

  test('an APNG frame that decompresses to more than its pixels', async () => {
    const bomb = made.pngRows(10_000, 5_000)
    expect(await faultsOf(made.animatedPng({ width: 8, height: 8, delays: [500, 500] }, bomb))).not.toBe('')
  })

  test('a lower limit is respected', async () => {
    const found = await inspectImage(await made.still('png', 30, 20), { ...LIMITS, maxFramePixels: 599 })
    expect(wordsOf(found)).toEqual(['The image has 600 pixels; at most 599 are read.'])
  })
})

describe('a file that is not an image', () => {
  const SVG =
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="250"><script>alert(1)</script></svg>'
  test.each([
    ['nothing', '', 'The file is empty'],
    ['an SVG', SVG, 'an SVG drawing'],
    ['an SVG behind a declaration', `\ufeff<?xml version="1.0"?>\n${SVG}`, 'an SVG drawing'],
    ['a web page', '<!DOCTYPE html><html><body>gone</body></html>', 'a web page'],
    ['a PDF', '%PDF-1.7', 'a PDF document'],
    ['a BMP', 'BM\0\0\0\0', 'a BMP image'],
    ['an AVIF', '\0\0\0 ftypavif', 'an AVIF image'],
    ['a RIFF that is a sound', 'RIFF\x10\0\0\0WAVEfmt ', 'unknown kind'],
    ['white space before an image', ' GIF89a', 'unknown kind'],
    ['a wrong GIF version', 'GIF88a', 'unknown kind'],
    ['text', 'hello', 'unknown kind'],
  ])('%s is refused by name', async (_, text, words) => {
    const found = await inspect(Buffer.from(text))
    expect(found).toMatchObject({ type: null, width: null, height: null, animation: null })
    expect(wordsOf(found)).toEqual([expect.stringContaining(words)])
    expect(wordsOf(found)[0]).toContain('allowed are JPEG, PNG, GIF and WebP')
  })

  test('the first bytes of an image alone are not an image', async () => {
    for (const head of ['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF\x04\0\0\0WEBP']) {
      const found = await inspect(Buffer.from(head, 'latin1'))
      expect(found).toMatchObject({ width: null, height: null })
      expect(found.faults).toHaveLength(1)
    }
  })

  test('a web page, script or archive after a complete image is recognised', async () => {
    for (const type of TYPES) {
      for (const tail of ['<script>alert(1)</script>', 'PK\x03\x04', '\0\0x']) {
        const bytes = Buffer.concat([await made.still(type, 30, 20), Buffer.from(tail)])
        expect(await faultsOf(bytes), type).toContain(`${tail.length} bytes of other data after the end`)
      }
    }
  })

  test('a GIF header that opens a script is not a GIF', async () => {
    expect(await faultsOf(Buffer.from('GIF89a/*<svg onload=alert(1)>*/=1;alert(1)'))).not.toBe('')
  })

  test('an image of another kind behind these first bytes is not decoded as that kind', async () => {
    const disguised = Buffer.concat([Buffer.from('GIF89a'), (await made.still('png', 30, 20)).subarray(6)])
    expect(imageTypeOf(disguised)).toBe('gif')
    expect(await faultsOf(disguised)).not.toBe('')
  })
})
