// The logo of an app, made small and plain before it is stored: a PNG without metadata, whatever its original format.

import sharp from 'sharp'
import { Problem } from '../kernel/problem.ts'

export const MAX_LOGO_FILE_BYTES = 2 * 1024 * 1024
const MAX_WIDTH_PIXELS = 480
const MAX_HEIGHT_PIXELS = 160
const MAX_PIXELS = 40_000_000
const FORMATS = ['png', 'jpeg', 'webp', 'gif']

export async function makeLogo(bytes: Buffer): Promise<Buffer> {
  if (bytes.length > MAX_LOGO_FILE_BYTES) throw wrong('is larger than 2 MiB')
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS })
    const { format } = await image.metadata()
    if (!FORMATS.includes(format)) throw wrong('must be a PNG, JPEG, WebP or GIF image')
    return await image
      .autoOrient()
      .resize({ width: MAX_WIDTH_PIXELS, height: MAX_HEIGHT_PIXELS, fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 9 })
      .toBuffer()
  } catch (error) {
    throw error instanceof Problem ? error : wrong('must be a PNG, JPEG, WebP or GIF image')
  }
}

function wrong(what: string): Problem {
  return new Problem('invalid_input', `the logo ${what}`)
}
