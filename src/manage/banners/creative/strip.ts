// Removes from an image what is not the picture: EXIF (which may say where and by whom it was taken), XMP, IPTC,
// comments and texts. Pixels are not touched: the file is copied without these parts. Colour profiles and animation
// stay, and of EXIF the orientation, if the picture is not upright. A second time changes nothing. Only for files that
// were walked without a fault.

import { crc32 } from 'node:zlib'
import type { ImageType } from '../../../platform/images/type.ts'
import { afterSubBlocks, colourTableBytes } from './gif.ts'
import { afterScan } from './jpeg.ts'

type Part = [start: number, end: number]

export function withoutMetadata(bytes: Buffer, type: ImageType, orientation: number): Buffer {
  const exif = orientation === 1 ? null : exifOf(orientation)
  switch (type) {
    case 'jpeg':
      return strippedJpeg(bytes, exif)
    case 'png':
      return strippedPng(bytes, exif)
    case 'webp':
      return strippedWebp(bytes, exif)
    case 'gif':
      return strippedGif(bytes)
  }
}

/** TIFF with one entry. */
function exifOf(orientation: number): Buffer {
  return Buffer.from(`4d4d002a0000000800010112000300000001000${orientation}000000000000`, 'hex')
}

const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const APP0 = 0xe0
const APP15 = 0xef
const COMMENT = 0xfe
const JFIF = 0xe0
const ICC = 0xe2
/** Says how the colours are coded. */
const ADOBE = 0xee

function strippedJpeg(bytes: Buffer, exif: Buffer | null): Buffer {
  const head = Buffer.from('Exif\0\0', 'latin1')
  const kept: Buffer[] = [bytes.subarray(0, 2)]
  if (exif) {
    const length = 2 + head.length + exif.length
    kept.push(Buffer.from([0xff, 0xe1, length >> 8, length & 0xff]), head, exif)
  }
  let at = 2
  for (;;) {
    const start = at
    while (bytes[at + 1] === 0xff) at++
    const marker = bytes[at + 1]
    if (marker === undefined || marker === END_OF_IMAGE)
      return Buffer.concat([...kept, bytes.subarray(start)])
    let next = at + 2 + bytes.readUInt16BE(at + 2)
    if (marker === START_OF_SCAN) next = afterScan(bytes, next)
    if (isKeptSegment(marker, bytes.toString('latin1', at + 4, at + 16)))
      kept.push(bytes.subarray(start, next))
    at = next
  }
}

function isKeptSegment(marker: number, name: string): boolean {
  if (marker === JFIF) return name.startsWith('JFIF\0')
  if (marker === ICC) return name.startsWith('ICC_PROFILE\0')
  if (marker === ADOBE) return true
  return marker !== COMMENT && (marker < APP0 || marker > APP15)
}

/** All others that a reader may ignore are texts, times and what programs add for themselves. */
const PNG_CHUNKS = new Set(
  'IHDR PLTE IDAT IEND acTL fcTL fdAT tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs'.split(' '),
)

function strippedPng(bytes: Buffer, exif: Buffer | null): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 8)]
  for (let at = 8; at + 12 <= bytes.length; ) {
    const kind = bytes.toString('latin1', at + 4, at + 8)
    const next = at + 12 + bytes.readUInt32BE(at)
    if (kind === 'IEND') return Buffer.concat([...kept, bytes.subarray(at)])
    if (PNG_CHUNKS.has(kind)) kept.push(bytes.subarray(at, next))
    if (kind === 'IHDR' && exif) kept.push(pngChunk('eXIf', exif))
    at = next
  }
  return bytes
}

function pngChunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

const WEBP_CHUNKS = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
const HAS_EXIF = 0x08
const HAS_XMP = 0x04

function strippedWebp(bytes: Buffer, exif: Buffer | null): Buffer {
  const end = 8 + bytes.readUInt32LE(4)
  const kept = chunksIn(bytes, 12, end)
    .filter(([start]) => WEBP_CHUNKS.has(bytes.toString('latin1', start, start + 4)))
    .map(([start, next]) => Buffer.from(bytes.subarray(start, next)))
  const header = kept[0]!
  if (header.toString('latin1', 0, 4) === 'VP8X') {
    header[8] = (header[8]! & ~(HAS_EXIF | HAS_XMP)) | (exif ? HAS_EXIF : 0)
    if (exif) kept.push(Buffer.concat([Buffer.from('EXIF', 'latin1'), lengthOf(exif.length), exif]))
  }
  const body = Buffer.concat(kept)
  return Buffer.concat([
    bytes.subarray(0, 4),
    lengthOf(body.length + 4),
    bytes.subarray(8, 12),
    body,
    bytes.subarray(end),
  ])
}

function chunksIn(bytes: Buffer, from: number, end: number): Part[] {
  const chunks: Part[] = []
  for (let at = from; at + 8 <= end; ) {
    const length = bytes.readUInt32LE(at + 4)
    const next = at + 8 + length + (length % 2)
    chunks.push([at, next])
    at = next
  }
  return chunks
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes)
  return length
}

const EXTENSION = 0x21
const IMAGE = 0x2c
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
const APPLICATIONS = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012'])

function strippedGif(bytes: Buffer): Buffer {
  let at = 13 + colourTableBytes(bytes[10]!)
  const kept: Buffer[] = [bytes.subarray(0, at)]
  for (;;) {
    const start = at
    const isExtension = bytes[at] === EXTENSION
    if (!isExtension && bytes[at] !== IMAGE) return Buffer.concat([...kept, bytes.subarray(at)])
    at = isExtension ? at + 2 : at + 10 + colourTableBytes(bytes[at + 9]!) + 1
    at = afterSubBlocks(bytes, at)
    if (!isExtension || isKeptExtension(bytes, start)) kept.push(bytes.subarray(start, at))
  }
}

function isKeptExtension(bytes: Buffer, at: number): boolean {
  if (bytes[at + 1] === GRAPHIC_CONTROL) return true
  return bytes[at + 1] === APPLICATION && APPLICATIONS.has(bytes.toString('latin1', at + 3, at + 14))
}
