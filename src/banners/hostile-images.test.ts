// Images that are made to cost more than they weigh, and customers who send too many: a bounded walk in a thread of its
// own, and a line in which everybody gets a turn.

import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newAdvertiser } from '../../test/support/banners.ts'
import { gifFrame, gifOf, pngChunk, pngHeader, pngOf, still } from '../../test/support/image-samples.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { walkGif } from './creative/gif.ts'
import type { Inspection } from './creative/inspect.ts'
import { walkPng } from './creative/png.ts'
import { startInspectionThreads } from './creative/threads.ts'
import { createInspections } from './inspections.ts'

const MOST_BYTES = 5 * 1024 * 1024

function hostileGif(): Buffer {
  const frame = gifFrame(0, 0, 1, 1)
  const frames = Math.floor((MOST_BYTES - 1000) / frame.length)
  return gifOf(300, 250, new Array<Buffer>(frames).fill(frame))
}

function hostilePng(): Buffer {
  const chunk = pngChunk('tEXt')
  const chunks = Math.floor((MOST_BYTES - 1000) / chunk.length)
  const header = pngHeader(300, 250)
  return pngOf(header, Buffer.concat(new Array<Buffer>(chunks).fill(chunk)))
}

describe('an inspection stops at the first part beyond the limit', () => {
  it('of a GIF with hundreds of thousands of frames', () => {
    const walked = walkGif(hostileGif())
    expect(walked.delaysMs).toHaveLength(201)
    expect(walked.faults).toEqual(['The animation has more than 200 frames, the most that are read.'])
  })

  it('of a PNG with hundreds of thousands of chunks', () => {
    const bytes = hostilePng()
    const reads = vi.spyOn(bytes, 'readUInt32BE')
    expect(walkPng(bytes).faults).toEqual([
      'The file consists of more than 10,000 parts, the most that are read.',
    ])
    expect(reads.mock.calls.length).toBeLessThan(30_000)
  })
})

describe('an upload', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  it('is inspected in a separate thread, and the answer says what is wrong', async () => {
    const ann = await newAdvertiser(service)
    const [gif, png] = [hostileGif(), hostilePng()]
    const walks = vi.spyOn(Buffer.prototype, 'readUInt16LE')
    const given = vi.spyOn(Worker.prototype, 'postMessage')
    const joined = vi.spyOn(Buffer, 'concat')
    for (const [bytes, type, words] of [
      [gif, 'image/gif', 'more than 200 frames'],
      [png, 'image/png', 'more than 10,000 parts'],
    ] as const) {
      const answer = await ann.call('POST', '/creative', bytes, { 'content-type': type })
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(words)])
    }
    expect(walks).not.toHaveBeenCalled()
    walks.mockRestore()
    // Megabytes are not copied in one go either: the thread reads them where they came in.
    expect(given.mock.calls.map(([bytes]) => bytes.buffer)).toEqual([
      expect.any(SharedArrayBuffer),
      expect.any(SharedArrayBuffer),
    ])
    const largest = joined.mock.results.map(({ value }) => value.length)
    expect(Math.max(0, ...largest)).toBeLessThan(1_000_000)
    given.mockRestore()
    joined.mockRestore()
    const good = await still('gif', 300, 250)
    expect((await ann.call('POST', '/creative', good, { 'content-type': 'image/gif' })).status).toBe(201)
  })
})

it('threads continue after an image that killed one of them', async () => {
  const threads = startInspectionThreads()
  const good = await still('png', 300, 250)
  expect((await threads.inspect(good)).faults).toEqual([])
  const dying = threads.inspect(hostilePng())
  await threads.stop()
  expect((await dying).faults).toHaveLength(1)
  expect((await threads.inspect(good)).faults).toEqual([])
  await threads.stop()
})

describe('the queue', () => {
  /** An inspection that lasts until it is let go; `begun` says whose began, in order. */
  function line(limits: { mostWaitingEach?: number; mostWaiting?: number } = {}) {
    const begun: string[] = []
    const letGo: (() => void)[] = []
    const inspect = createInspections({
      atOnce: 1,
      inspect: bytes => {
        begun.push(bytes.toString())
        return new Promise<Inspection>(resolve => letGo.push(() => resolve({} as Inspection)))
      },
      ...limits,
    })
    const send = (whose: string, cuid: number) => inspect(Buffer.from(whose), cuid)
    async function finishAll() {
      for (let done = letGo.shift(); done; done = letGo.shift()) {
        done()
        await new Promise(resolve => setImmediate(resolve))
      }
    }
    return { begun, send, finishAll }
  }

  it('gives each customer a turn, however many images another one has sent before', async () => {
    const { begun, send, finishAll } = line()
    const all = [...Array.from({ length: 9 }, () => send('ann', 1)), send('bob', 2), send('cid', 3)]
    await finishAll()
    await Promise.all(all)
    expect(begun).toEqual(['ann', 'ann', 'bob', 'cid', ...new Array(7).fill('ann')])
  })

  it('is bounded per customer and in total', async () => {
    const { send, finishAll } = line({ mostWaitingEach: 2, mostWaiting: 3 })
    const all = [send('ann', 1), send('ann', 1), send('ann', 1)]
    await expect(send('ann', 1)).rejects.toMatchObject({ code: 'too_many_requests' })
    all.push(send('bob', 2))
    await expect(send('cid', 3)).rejects.toMatchObject({ code: 'unavailable' })
    await finishAll()
    expect(await Promise.all(all)).toHaveLength(4)
  })
})
