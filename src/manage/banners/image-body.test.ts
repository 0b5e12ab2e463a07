// How the body of an upload is read.

import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readInPieces } from './image-body.ts'

const pieces = (count: number) => Array.from({ length: count }, (_, n) => Buffer.alloc(1000, n))

it('one chunk is read per turn of the event loop, so that other requests are served in between', async () => {
  let loops = 0
  let isOver = false
  const count = () => {
    loops++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const body = await readInPieces(Readable.from(pieces(100)), '100000', 1_000_000)
  isOver = true
  expect(loops).toBeGreaterThanOrEqual(100)
  expect(body.equals(Buffer.concat(pieces(100)))).toBe(true)
})

it('a body of unknown length is read completely', async () => {
  const body = await readInPieces(Readable.from(pieces(33)), undefined, 1_000_000)
  expect(body.equals(Buffer.concat(pieces(33)))).toBe(true)
})

it('a body over the limit is refused, announced or not, and its sender can still read why', async () => {
  for (const length of ['5000', undefined]) {
    const payload = Readable.from(pieces(5))
    await expect(readInPieces(payload, length, 4999)).rejects.toMatchObject({ code: 'body_too_large' })
    expect(payload.destroyed).toBe(false)
  }
  expect((await readInPieces(Readable.from(pieces(5)), undefined, 5000)).length).toBe(5000)
})
