// The logo of an app, made small and plain before it is stored. What it is shows in its first bytes: nothing else
// reaches the child process that decodes it.

import { Problem } from '../kernel/problem.ts'
import type { ReadImage } from '../platform/images/children.ts'
import { imageTypeOf } from '../platform/images/type.ts'

export const MAX_LOGO_FILE_BYTES = 2 * 1024 * 1024

/** `read`: the task `logo` of the child processes that read images. */
export async function makeLogo(bytes: Buffer, read: ReadImage<Buffer | null>): Promise<Buffer> {
  if (bytes.length > MAX_LOGO_FILE_BYTES) throw wrong('is larger than 2 MiB')
  if (!imageTypeOf(bytes)) throw wrong('must be a PNG, JPEG, WebP or GIF image')
  const result = await read(bytes)
  if (!result.ok) throw wrong('takes too much memory or time to be read')
  if (!result.answer) throw wrong('must be a whole PNG, JPEG, WebP or GIF image of at most 16,000,000 pixels')
  return Buffer.from(result.answer)
}

function wrong(what: string): Problem {
  return new Problem('invalid_input', `the logo ${what}`)
}
