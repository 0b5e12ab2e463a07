// What an inspection found in an image, and how to inspect without loading a decoder here.

import { type Finding, finding } from '../../kernel/finding.ts'
import type { ReadImage } from '../../platform/images/children.ts'
import type { ImageType } from '../../platform/images/type.ts'
import type { Animation } from './walk.ts'

export interface Inspection {
  bytes: number
  /** Null when it is not an allowed image; the faults say what it is. */
  type: ImageType | null
  width: number | null
  height: number | null
  /** EXIF: 1 = upright, which is also what a file without it has. */
  orientation: number
  animation: Animation | null
  /** Empty for an image that is whole, or of a size that is not even decoded. */
  faults: Finding[]
}

/** `cuid`: whose image it is, for the queue. */
export type Inspect = (bytes: Buffer, cuid: number) => Promise<Inspection>

/** `read`: the task `inspect` of the child processes that read images. */
export async function inspectElsewhere(bytes: Buffer, read: ReadImage<Inspection>): Promise<Inspection> {
  const result = await read(bytes)
  if (result.ok) return result.answer
  return unreadable(bytes, finding(result.why === 'too_heavy' ? 'image_too_heavy' : 'image_unreadable'))
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
