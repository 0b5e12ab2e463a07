// A Parquet file that is written in a thread of its own (`thread.ts`), so that a process that serves requests can write
// a large one. The thread begins with the first rows and ends with the file.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export type ColumnType = 'text' | 'int32' | 'int64' | 'time'

/** `time` is microseconds since 1970, UTC. */
export interface Column {
  name: string
  type: ColumnType
  nullable: boolean
}

export type Value = string | number | null

/** What the thread is told at its start. */
export interface FileOrder {
  columns: Column[]
  about: Record<string, string>
}

export interface WrittenFile {
  bytes: Buffer
  sha256: string
}

export interface ParquetFile {
  /** Each row has a value for each column, in the same order. */
  append(rows: Value[][]): Promise<void>
  /** Returns the whole file. */
  finish(): Promise<WrittenFile>
  /** Ends the thread, also that of a file which is given up. */
  close(): Promise<void>
}

/** Built as a separate program (script/build.mjs); for tests, by test/support/child-programs.ts. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts')
    ? '../../../../node_modules/.cache/marquee/parquet-thread.js'
    : '../../../parquet-thread.js',
  import.meta.url,
)
/** A group of rows takes a third of it. */
const MOST_MEMORY_MB = 512

export function parquetFile(columns: Column[], about: Record<string, string>): ParquetFile {
  const worker = new Worker(THREAD, {
    workerData: { columns, about } satisfies FileOrder,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const ended = new Promise<never>((_, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that writes Parquet has ended')))
  })
  ended.catch(() => undefined)

  /** One message at a time, so that rows do not pile up in front of the thread. */
  async function answerTo(rows: Value[][] | null): Promise<unknown> {
    worker.postMessage(rows)
    const [answer] = await Promise.race([once(worker, 'message'), ended])
    return answer
  }

  return {
    append: async rows => void (await answerTo(rows)),
    async finish() {
      const { bytes, sha256 } = (await answerTo(null)) as { bytes: ArrayBuffer; sha256: string }
      return { bytes: Buffer.from(bytes), sha256 }
    },
    close: async () => void (await worker.terminate()),
  }
}
