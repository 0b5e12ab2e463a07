// Everything that decodes images, as one part of the service: uploads, reviews and logos wait in one queue and are read
// in child processes. The service itself never loads a decoder.

import { makeLogo } from '../console/logo.ts'
import type { Inspection } from '../manage/banners/creative/inspection.ts'
import { inspectElsewhere } from '../manage/banners/creative/inspection.ts'
import { startImageChildren } from '../platform/images/children.ts'
import { ENDINGS, type Ending } from '../platform/images/ending.ts'
import { createImageQueue } from '../platform/images/queue.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { createTrouble, OutsideFailure } from '../platform/trouble.ts'

export interface Images {
  inspect(bytes: Buffer, cuid: number): Promise<Inspection>
  logo(bytes: Buffer, appId: number): Promise<Buffer>
  /** Throws if not even a good image can be read. */
  prove(): Promise<void>
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
export const AT_ONCE = 2

/** Counts and logs the children that end by themselves. */
export function watchImages(log: Log, metrics: Metrics): (ending: Ending) => void {
  const ended = new Map<string, number>(ENDINGS.map(how => [how, 0]))
  metrics.tally(
    'marquee_image_readers_ended_total',
    'Processes that ended by themselves while they read an image, by outcome: forbidden_call (SIGSYS), killed (SIGKILL from outside), crashed (another signal), exited, unfit (they cannot read a good image), not_started.',
    'outcome',
    () => ended,
  )
  const trouble = createTrouble(log, {
    text: 'the process that reads images has ended; the image is tried again',
    again: 'the processes that read images no longer end',
    about: { part: 'images' },
  })
  return ({ how, words }) => {
    ended.set(how, ended.get(how)! + 1)
    trouble.is(new OutsideFailure(words))
  }
}

export function startImages(onEnded?: (ending: Ending) => void): Images {
  const children = startImageChildren({ file: IMAGE_CHILD, onEnded })
  const queued = createImageQueue({ atOnce: AT_ONCE })
  return {
    inspect: (bytes, cuid) =>
      queued(`customer ${cuid}`, () =>
        inspectElsewhere(bytes, image => children.read<Inspection>('inspect', image)),
      ),
    logo: (bytes, appId) =>
      makeLogo(bytes, image => queued(`app ${appId}`, () => children.read<Buffer | null>('logo', image))),
    prove: async () => void (await children.read('nothing', Buffer.alloc(0))),
    pids: children.pids,
    stop: children.stop,
  }
}
