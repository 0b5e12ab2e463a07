// The logo of an app, made small and plain before it is stored. Its first bytes tell its type: only images reach the
// child process that decodes them.

import { refusal } from '../kernel/errors/problem.ts'
import type { ReadImage } from '../platform/images/children.ts'
import { imageTypeOf } from '../platform/images/type.ts'

export const MAX_LOGO_FILE_BYTES = 2 * 1024 * 1024
export const MAX_LOGO_PIXELS = 16_000_000

/** `read`: the task `logo` of the child processes that decode images. */
export async function makeLogo(bytes: Buffer, read: ReadImage<Buffer | null>): Promise<Buffer> {
  if (bytes.length > MAX_LOGO_FILE_BYTES) throw refusal('logo_too_large', { maxBytes: MAX_LOGO_FILE_BYTES })
  if (!imageTypeOf(bytes)) throw refusal('logo_not_an_image')
  const result = await read(bytes)
  if (!result.ok && result.why === 'too_heavy') throw refusal('logo_too_heavy')
  if (!result.ok || !result.answer) throw refusal('logo_unreadable', { maxPixels: MAX_LOGO_PIXELS })
  return Buffer.from(result.answer)
}
