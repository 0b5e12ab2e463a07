// The result of an inspection, and how to inspect an image without loading a decoder in this process.

import { type Finding, finding } from '../../../kernel/errors/finding.ts'
import type { ReadImage } from '../../../platform/images/children.ts'
import type { ImageType } from '../../../platform/images/type.ts'
import type { Animation } from './walk.ts'

export interface Inspection {
  bytes: number
  /** Null if it is not an allowed image; the faults say what it is. */
  type: ImageType | null
  width: number | null
  height: number | null
  /** EXIF: 1 is upright, which also applies to a file without it. */
  orientation: number
  animation: Animation | null
  /** Empty for an image that is complete, or whose size is not allowed, so that it was not decoded. */
  faults: Finding[]
}

/** `cuid`: the owner of the image, for the queue. */
export type Inspect = (bytes: Buffer, cuid: number) => Promise<Inspection>

/** `read` runs the task `inspect` in a child process that reads images. */
export async function inspectElsewhere(bytes: Buffer, read: ReadImage<Inspection>): Promise<Inspection> {
  const result = await read(bytes)
  if (result.ok) return result.answer
  return unreadable(bytes, finding(`image_${result.why}`))
}

export function unreadable(bytes: Buffer, fault: Finding): Inspection {
  return {
    bytes: bytes.length,
    type: null,
    width: null,
    height: null,
    orientation: 1,
    animation: null,
    faults: [fault],
  }
}
