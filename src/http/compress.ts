// Answers of the API are compressed if the caller accepts that and it saves something. Small answers stay as they are:
// they fit in a packet, and the few answers with a secret are among them. An answer that is the same for every caller
// is compressed once.

import type { Readable, Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'

type Encoding = 'br' | 'gzip'

const MIN_BYTES = 1_400
/** Fast rather than small, because an answer is made for one caller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const GZIP = { level: 5 }
const COMPRESSIBLE = /^(application\/json|text\/(csv|plain|html|css|javascript|markdown))/

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

/** The encoding for an answer; null for none. */
export function encodingFor(accepted: string | undefined, contentType: string | undefined): Encoding | null {
  if (!accepted || !contentType || !COMPRESSIBLE.test(contentType)) return null
  if (takes(accepted, 'br')) return 'br'
  return takes(accepted, 'gzip') ? 'gzip' : null
}

/** Whether a caller accepts the encoding, by its `accept-encoding`. */
export function takes(accepted: string, encoding: Encoding): boolean {
  return accepted.split(',').some(item => {
    const [name, ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
    return name === encoding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
  })
}

export function isWorthIt(bytes: string | Buffer): boolean {
  return Buffer.byteLength(bytes) >= MIN_BYTES
}

/** Bodies that are the same for every caller, by encoding. */
const kept = new WeakMap<Buffer, Map<Encoding, Promise<Buffer>>>()

/** From now on these bytes are compressed once for each encoding, however often they are sent. */
export function keepCompressed(bytes: Buffer): Buffer {
  kept.set(bytes, new Map())
  return bytes
}

export function compressed(bytes: string | Buffer, encoding: Encoding): Promise<Buffer> {
  const known = typeof bytes === 'string' ? undefined : kept.get(bytes)
  const result = known?.get(encoding) ?? (encoding === 'br' ? brotlied(bytes, BROTLI) : gzipped(bytes, GZIP))
  known?.set(encoding, result)
  return result
}

/** Compresses page by page, as the list is read. If the list breaks off, so does the compressed stream. */
export function compressedStream(body: Readable, encoding: Encoding): Transform {
  const through = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP)
  body.once('error', error => through.destroy(error))
  through.once('close', () => body.destroy())
  return body.pipe(through)
}
