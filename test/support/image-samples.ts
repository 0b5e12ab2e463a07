// Sample images, built by hand where a test or a bench must control every byte.

import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { ImageType } from '../../src/platform/images/type.ts'

export interface Motion {
  width: number
  height: number
  /** One per frame, in the unit of the format: 1/100 s for GIF, ms for WebP and APNG. */
  delays: number[]
  /** The value in the file. If absent, a GIF has no loop block; WebP and APNG get 1. */
  loop?: number
}

/** Noise does not compress, so only the quality decides the size of such a picture. */
export function noisyPixels(width: number, height: number, channels: number, seed = 1): Buffer {
  const pixels = Buffer.alloc(width * height * channels)
  let state = seed
  for (let at = 0; at < pixels.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    pixels[at] = state >>> 24
  }
  return pixels
}

export function still(type: ImageType, width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const
  return sharp(noisyPixels(width, height, 3), { raw })
    .toFormat(type)
    .toBuffer()
}

function u16(value: number): number[] {
  return [value & 0xff, value >>> 8]
}

/** With 8-bit codes, and a clear code before they would grow, packed GIF data is just the pixels. */
export function gifFrame(left: number, top: number, width: number, height: number, colour = 1): Buffer {
  const codes: number[] = []
  for (let pixel = 0; pixel < width * height; pixel++) {
    if (pixel % 100 === 0) codes.push(0x80)
    codes.push(colour)
  }
  codes.push(0x81)
  const parts = [Buffer.from([0x2c, ...u16(left), ...u16(top), ...u16(width), ...u16(height), 0, 7])]
  for (let at = 0; at < codes.length; at += 255) {
    const block = codes.slice(at, at + 255)
    parts.push(Buffer.from([block.length, ...block]))
  }
  return Buffer.concat([...parts, Buffer.from([0])])
}

export function gifLoop(repeats: number, name = 'NETSCAPE2.0'): Buffer {
  return Buffer.from([0x21, 0xff, 11, ...Buffer.from(name), 3, 1, ...u16(repeats), 0])
}

export function gifDelay(hundredths: number): Buffer {
  return Buffer.from([0x21, 0xf9, 4, 4, ...u16(hundredths), 0, 0])
}

export function gifOf(width: number, height: number, blocks: Buffer[]): Buffer {
  const palette = Buffer.alloc(3 * 128, 0x55)
  const header = Buffer.from([...Buffer.from('GIF89a'), ...u16(width), ...u16(height), 0xf6, 0, 0])
  return Buffer.concat([header, palette, ...blocks, Buffer.from([0x3b])])
}

export function animatedGif({ width, height, delays, loop }: Motion): Buffer {
  const frames = delays.flatMap((delay, index) => [
    gifDelay(delay),
    gifFrame(0, 0, width, height, index % 100),
  ])
  return gifOf(width, height, [...(loop === undefined ? [] : [gifLoop(loop)]), ...frames])
}

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export function pngChunk(kind: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  body.copy(frame, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}

export function numbers(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => {
    buffer.writeUInt32BE(value, index * 4)
  })
  return buffer
}

export function pngHeader(width: number, height: number): Buffer {
  return pngChunk('IHDR', Buffer.concat([numbers(width, height), Buffer.from([8, 0, 0, 0, 0])]))
}

export function pngRows(width: number, height: number): Buffer {
  return deflateSync(Buffer.alloc((width + 1) * height))
}

export function pngFrameControl(sequence: number, width: number, height: number, delayMs: number): Buffer {
  const tail = Buffer.from([delayMs >>> 8, delayMs & 0xff, 1000 >>> 8, 1000 & 0xff, 0, 0])
  return pngChunk('fcTL', Buffer.concat([numbers(sequence, width, height, 0, 0), tail]))
}

export function pngOf(...chunks: Buffer[]): Buffer {
  return Buffer.concat([PNG_SIGNATURE, ...chunks, pngChunk('IEND')])
}

/** `lastRows` replaces the data of the last frame, to build an image that is broken inside intact chunks. */
export function animatedPng({ width, height, delays, loop = 1 }: Motion, lastRows?: Buffer): Buffer {
  const chunks = [pngHeader(width, height), pngChunk('acTL', numbers(delays.length, loop))]
  let sequence = 0
  delays.forEach((delayMs, index) => {
    const rows = (index === delays.length - 1 && lastRows) || pngRows(width, height)
    chunks.push(pngFrameControl(sequence++, width, height, delayMs))
    if (index === 0) chunks.push(pngChunk('IDAT', rows))
    else chunks.push(pngChunk('fdAT', Buffer.concat([numbers(sequence++), rows])))
  })
  return pngOf(...chunks)
}

function u24(value: number): number[] {
  return [value & 0xff, (value >>> 8) & 0xff, value >>> 16]
}

export function riffChunk(kind: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(kind, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

export function webpOf(...chunks: Buffer[]): Buffer {
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))
}

export function webpHeader(width: number, height: number, flags: number): Buffer {
  return riffChunk('VP8X', Buffer.from([flags, 0, 0, 0, ...u24(width - 1), ...u24(height - 1)]))
}

/** The picture chunk of a still WebP. */
export async function webpPicture(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const
  const file = await sharp(noisyPixels(width, height, 3), { raw })
    .webp({ lossless: true })
    .toBuffer()
  return file.subarray(12)
}

export function webpFrame(width: number, height: number, delayMs: number, picture: Buffer): Buffer {
  const head = Buffer.from([...u24(0), ...u24(0), ...u24(width - 1), ...u24(height - 1), ...u24(delayMs), 2])
  return riffChunk('ANMF', Buffer.concat([head, picture]))
}

export async function animatedWebp(motion: Motion): Promise<Buffer> {
  return webpMotion(motion, await webpPicture(motion.width, motion.height))
}

/** One colour packs well: hundreds of frames weigh a few kB. */
export async function flatWebp(width: number, height: number, frames: number): Promise<Buffer> {
  const create = { width, height, channels: 3, background: '#2266cc' } as const
  const file = await sharp({ create }).webp({ lossless: true }).toBuffer()
  return webpMotion({ width, height, delays: new Array<number>(frames).fill(200) }, file.subarray(12))
}

function webpMotion({ width, height, delays, loop = 1 }: Motion, picture: Buffer): Buffer {
  const animation = riffChunk('ANIM', Buffer.from([0, 0, 0, 0, ...u16(loop)]))
  const frames = delays.map(delayMs => webpFrame(width, height, delayMs, picture))
  return webpOf(webpHeader(width, height, 0x02), animation, ...frames)
}
