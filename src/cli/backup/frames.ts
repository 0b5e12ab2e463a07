// The format of a backup file: gzip around frames, each with a letter, a length and its content. A truncated or damaged
// file is noticed: gzip has a checksum, and the last frame is marked as the last.

import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, type Gzip } from 'node:zlib'

/** H: the header. F: a file. T: a table begins. D: some of its rows, as COPY writes them. E: the end. */
export type FrameKind = 'H' | 'F' | 'T' | 'D' | 'E'

export interface Frame {
  kind: FrameKind
  content: Buffer
}

const HEAD_BYTES = 5
const MAX_CONTENT_BYTES = 1 << 30

export interface FrameWriter {
  write(kind: FrameKind, content: Buffer | object): Promise<void>
  /** Everything is on disk when it resolves. */
  end(): Promise<void>
}

export function writeFrames(file: FileHandle): FrameWriter {
  const gzip: Gzip = createGzip({ level: 6 })
  const written = pump(gzip, file)
  // The next write, or the end, reports the error.
  written.catch(() => {})

  async function put(bytes: Buffer): Promise<void> {
    if (gzip.destroyed) await written
    if (gzip.write(bytes)) return
    await Promise.race([written, new Promise(resolve => gzip.once('drain', resolve))])
  }

  return {
    async write(kind, content) {
      const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
      const head = Buffer.alloc(HEAD_BYTES)
      head.write(kind)
      head.writeUInt32BE(bytes.length, 1)
      await put(head)
      await put(bytes)
    },
    async end() {
      gzip.end()
      await written
      await file.sync()
    },
  }
}

async function pump(from: AsyncIterable<Buffer>, file: FileHandle): Promise<void> {
  for await (const chunk of from) await file.writeFile(chunk)
}

export async function* readFrames(path: string): AsyncGenerator<Frame> {
  const source = createReadStream(path)
  const gunzip = createGunzip()
  const fed = pipeline(source, gunzip)
  fed.catch(() => {})
  let rest: Buffer = Buffer.alloc(0)
  let last: FrameKind | null = null
  try {
    for await (const chunk of gunzip) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      for (;;) {
        const frame = firstFrame(rest)
        if (!frame) break
        if (last === 'E') throw notOurs()
        rest = rest.subarray(HEAD_BYTES + frame.content.length)
        last = frame.kind
        yield frame
      }
    }
    await fed
  } catch (error) {
    if (!(error instanceof Error) || !isDamage(error)) throw error
    throw new Error(`${path} is not a backup of Marquee, or is damaged: ${error.message}`, { cause: error })
  }
  if (last !== 'E' || rest.length > 0) throw new Error(`${path} is not a backup of Marquee, or was cut short`)
}

function firstFrame(bytes: Buffer): Frame | null {
  if (bytes.length < HEAD_BYTES) return null
  const length = bytes.readUInt32BE(1)
  if (!'HFTDE'.includes(String.fromCharCode(bytes[0]!)) || length > MAX_CONTENT_BYTES) throw notOurs()
  if (bytes.length < HEAD_BYTES + length) return null
  return {
    kind: String.fromCharCode(bytes[0]!) as FrameKind,
    content: bytes.subarray(HEAD_BYTES, HEAD_BYTES + length),
  }
}

function notOurs(): Error {
  return Object.assign(new Error('part of it was not written by Marquee'), { code: 'Z_FRAME' })
}

function isDamage(error: Error): boolean {
  const code = String((error as { code?: string }).code)
  return code.startsWith('Z_') || code === 'EISDIR'
}
