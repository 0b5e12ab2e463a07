// Makes a logo from an image, in the child process that decodes images: small, and a PNG without metadata.

import { decoder } from '../platform/images/decoder.ts'
import { MAX_LOGO_PIXELS } from './logo.ts'

const MAX_WIDTH_PIXELS = 480
const MAX_HEIGHT_PIXELS = 160
const TIMEOUT_SECONDS = 10

/** Null if the decoder cannot read the image. Of an animation, the first frame is used. */
export async function shrinkLogo(bytes: Buffer): Promise<Buffer | null> {
  try {
    return await decoder(bytes, { limitInputPixels: MAX_LOGO_PIXELS })
      .autoOrient()
      .resize({ width: MAX_WIDTH_PIXELS, height: MAX_HEIGHT_PIXELS, fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 9 })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .toBuffer()
  } catch {
    return null
  }
}
