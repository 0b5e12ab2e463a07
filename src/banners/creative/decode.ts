// Decodes every pixel of an image by libvips, strictly: a warning is a fault. Bounded in pixels by the caller and in
// time here. Returns what the decoder saw, or null if it could not read the image to its end.

import { decoder } from '../../platform/images/decoder.ts'

export interface Decoded {
  format: string
  width: number
  height: number
  frames: number
  /** EXIF: 1 = upright. Browsers turn the image by it. */
  orientation: number
}

const DECODE_TIMEOUT_SECONDS = 15

/** `frames` are those that the walker found and `maxPixels` is for all of them together. */
export async function decodeImage(bytes: Buffer, frames: number, maxPixels: number): Promise<Decoded | null> {
  const options = { pages: frames, limitInputPixels: maxPixels, failOn: 'warning' } as const
  try {
    const seen = await decoder(bytes, options).metadata()
    // One byte a pixel is enough: the decoder has read them all, and a long animation stays small in memory.
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
