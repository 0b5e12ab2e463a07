// Everything that decodes images, as one part of the service: uploads, reviews and logos wait in one queue and are read
// in child processes. The service itself never loads a decoder.

import { makeLogo } from '../console/logo.ts'
import type { Inspection } from '../manage/banners/creative/inspection.ts'
import { inspectElsewhere } from '../manage/banners/creative/inspection.ts'
import { startImageChildren } from '../platform/images/children.ts'
import { createImageQueue } from '../platform/images/queue.ts'

export interface Images {
  inspect(bytes: Buffer, cuid: number): Promise<Inspection>
  logo(bytes: Buffer, appId: number): Promise<Buffer>
  /** Process ids of the children that are running. */
  pids(): number[]
  stop(): Promise<void>
}

/** Built as a separate program (script/build.mjs); for tests, by test/support/child-programs.ts. */
export const IMAGE_CHILD = new URL(
  import.meta.url.endsWith('.ts') ? '../../node_modules/.cache/marquee/image-child.js' : '../image-child.js',
  import.meta.url,
)

/** Each decoder occupies one processor. */
const AT_ONCE = 2

export function startImages(): Images {
  const children = startImageChildren({ file: IMAGE_CHILD })
  const queued = createImageQueue({ atOnce: AT_ONCE })
  return {
    inspect: (bytes, cuid) =>
      queued(`customer ${cuid}`, () =>
        inspectElsewhere(bytes, image => children.read<Inspection>('inspect', image)),
      ),
    logo: (bytes, appId) =>
      makeLogo(bytes, image => queued(`app ${appId}`, () => children.read<Buffer | null>('logo', image))),
    pids: children.pids,
    stop: children.stop,
  }
}
