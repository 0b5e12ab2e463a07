// Decodes every pixel of an image with libvips, strictly: a warning is a fault. The caller limits the pixels, this file
// the time. Returns what the decoder found, or null if it could not read the image to its end.

import { decoder } from '../../../platform/images/decoder.ts'

export interface Decoded {
  format: string
  width: number
  height: number
  frames: number
  /** EXIF: 1 is upright. Browsers rotate the image accordingly. */
  orientation: number
}

const DECODE_TIMEOUT_SECONDS = 15

/** `frames` is the number that the walker found; `maxPixels` applies to all of them together. */
export async function decodeImage(bytes: Buffer, frames: number, maxPixels: number): Promise<Decoded | null> {
  const options = { pages: frames, limitInputPixels: maxPixels, failOn: 'warning' } as const
  try {
    const seen = await decoder(bytes, options).metadata()
    // One byte per pixel is enough: the decoder reads all pixels, and a long animation needs little memory.
    await decoder(bytes, options)
      .greyscale()
      .removeAlpha()
      .raw()
      .timeout({ seconds: DECODE_TIMEOUT_SECONDS })
      .toBuffer()
    return {
      format: seen.format,
      width: seen.width,
      height: seen.pageHeight ?? seen.height,
      frames: seen.pages ?? 1,
      orientation: seen.orientation ?? 1,
    }
  } catch {
    return null
  }
}
