// Threads that look at images. One takes one image at a time; one that takes too long, or dies of an image, is
// replaced, and the image is at fault.

import { Worker } from 'node:worker_threads'
import type { Inspection } from './inspect.ts'

export interface InspectionThreads {
  /** Never called for more images at once than there are threads. */
  inspect(bytes: Buffer): Promise<Inspection>
  stop(): Promise<void>
}

/** Built beside this file; from the sources, the tests build it first (test/support/inspection-worker.ts). */
const WORKER = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../node_modules/.cache/marquee/inspection-worker.mjs'
    : './worker.js',
  import.meta.url,
)
const LONGEST_MS = 30_000
const MOST_MEMORY_MB = 256

export function startInspectionThreads(): InspectionThreads {
  const idle: Worker[] = []
  const all = new Set<Worker>()

  function begin(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB } })
    worker.unref()
    // A thread that dies while idle is not reported.
    worker.on('error', () => {})
    worker.once('exit', () => {
      all.delete(worker)
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
    })
    all.add(worker)
    return worker
  }

  function inspect(bytes: Buffer): Promise<Inspection> {
    const worker = idle.pop() ?? begin()
    return new Promise(resolve => {
      const end = (inspection: Inspection) => {
        clearTimeout(timer)
        worker.off('message', done).off('exit', died)
        resolve(inspection)
      }
      const done = (inspection: Inspection) => {
        idle.push(worker)
        end(inspection)
      }
      const died = () => end(unreadable(bytes, 'The image cannot be read; the file is damaged.'))
      const timer = setTimeout(() => {
        worker.terminate()
        end(unreadable(bytes, 'The image takes too long to be read.'))
      }, LONGEST_MS)
      worker.on('message', done).on('exit', died)
      if (bytes.buffer instanceof SharedArrayBuffer) {
        worker.postMessage(bytes)
        return
      }
      // A copy, because the bytes may be part of a larger buffer; and only one, because it is given away.
      const copy = new Uint8Array(bytes)
      worker.postMessage(copy, [copy.buffer])
    })
  }

  return {
    inspect,
    async stop() {
      await Promise.all([...all].map(worker => worker.terminate()))
    },
  }
}

function unreadable(bytes: Buffer, fault: string): Inspection {
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
