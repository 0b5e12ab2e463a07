// Test images whose review always has the same outcome: `/sandbox/image/approved/300x250.png`, and likewise `rejected`,
// `unreachable` and `timeout`.

import { crc32, deflateSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../kernel/errors/problem.ts'

const OUTCOMES = ['approved', 'rejected', 'unreachable', 'timeout']
/** How long a review waits for a silent image of ours: it tries five times. */
const SILENT_MS = 500
const SIZE = /^([1-9]\d{1,3})x([1-9]\d{1,3})\.png$/
const MOST_PIXELS = 2_000_000
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function imageRoute(fastify: FastifyInstance): void {
  fastify.get<{ Params: { outcome: string; size: string } }>(
    '/sandbox/image/:outcome/:size',
    async ({ params, raw }, reply) => {
      const { outcome, size } = params
      const [, width = 0, height = 0] = (SIZE.exec(size) ?? []).map(Number)
      if (!OUTCOMES.includes(outcome) || width === 0 || width * height > MOST_PIXELS) throw notFound('image')
      if (outcome === 'unreachable' || outcome === 'timeout') {
        // Behaves like a host that is down or silent: the review tries again until it gives up.
        reply.hijack()
        setTimeout(() => raw.socket.destroy(), outcome === 'timeout' ? 2 * SILENT_MS : 0).unref()
        return
      }
      // One pixel wider than any allowed size.
      const image = draw(outcome === 'rejected' ? width + 1 : width, height)
      reply.type('image/png').send(image)
    },
  )
}

/** How long a review in a sandbox waits for an image, which is `usuallyMs` if it is not ours. */
export function patienceFor(url: string, publicUrl: string, usuallyMs: number): number {
  return url.startsWith(`${publicUrl}/sandbox/image/timeout/`) ? SILENT_MS : usuallyMs
}

/** A PNG with a grey gradient from dark to light; always the same bytes for the same size. */
function draw(width: number, height: number): Buffer {
  const line = Buffer.from([
    0,
    ...Array.from({ length: width }, (_, x) => 64 + Math.floor((128 * x) / width)),
  ])
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  // 8-bit grey.
  head[8] = 8
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}
