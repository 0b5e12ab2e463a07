// Answers that nobody reads: their readers are cut off and their memory is freed. A reader that is merely slow is not
// cut off.

import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { createLog } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { createServer } from './server.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const PIECE = Buffer.alloc(65_536, 'x')
const WHOLE_BYTES = 32 * 2 ** 20

interface Opened {
  port: number
  /** How many streams are still being made. */
  open(): number
  stopped: string[]
}

async function open(leastRead: { bytes: number; withinMs: number }): Promise<Opened> {
  const stopped: string[] = []
  let streams = 0
  const fastify = createServer({
    log: createLog('silent'),
    metrics: createMetrics(),
    trustProxy: null,
    publicUrl: 'http://localhost',
    methodsOf: () => [],
    keepAliveMs: 90_000,
    stopped: outcome => void stopped.push(outcome),
    leastRead,
  })
  const stream = (body: Readable) => {
    streams++
    return body.once('close', () => streams--)
  }
  fastify.get('/stream', (_request, reply) => {
    const endless = new Readable({ read: () => void endless.push(PIECE) })
    return reply.send(stream(endless))
  })
  fastify.get('/silent', (_request, reply) => {
    const silent = new Readable({ read() {} })
    silent.push('once')
    return reply.send(stream(silent))
  })
  fastify.get('/whole', (_request, reply) => reply.send(Buffer.alloc(WHOLE_BYTES, 'x')))
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  closers.push(() => fastify.close())
  return { port: (fastify.server.address() as AddressInfo).port, open: () => streams, stopped }
}

async function ask(port: number, path: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  // A connection that is only closed on this side is kept until it times out, because an answer might still follow.
  closers.push(() => socket.resetAndDestroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  return socket
}

it.each(['/stream', '/whole'])('%s: a reader that takes nothing is cut off', async path => {
  const { port, open: streams, stopped } = await open({ bytes: 1000, withinMs: 300 })
  const socket = await ask(port, path)
  socket.pause()
  await expect.poll(() => stopped).toEqual(['unread'])
  await expect.poll(streams).toBe(0)
  let got = 0
  socket.on('data', chunk => {
    got += chunk.length
  })
  socket.resume()
  await once(socket, 'close')
  expect(got).toBeLessThan(WHOLE_BYTES)
})

it('/whole: a reader that is slow, but not that slow, gets all of it', async () => {
  const { port, stopped } = await open({ bytes: 1000, withinMs: 5000 })
  const socket = await ask(port, '/whole')
  let got = 0
  socket.on('data', chunk => {
    got += chunk.length
    socket.pause()
    setImmediate(() => socket.resume())
  })
  await expect.poll(() => got).toBeGreaterThan(WHOLE_BYTES)
  expect(stopped).toEqual([])
})

it('a stream that has nothing to say waits for as long as it takes', async () => {
  const { port, open: streams, stopped } = await open({ bytes: 1000, withinMs: 50 })
  const socket = await ask(port, '/silent')
  await once(socket, 'data')
  await new Promise(resolve => setTimeout(resolve, 500))
  expect(stopped).toEqual([])
  expect(streams()).toBe(1)
})
