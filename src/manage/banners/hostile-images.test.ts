// Images made to cost more than their size suggests, and customers who send too many. Their inspection is bounded and
// runs in a separate process, and the queue serves every customer in rotation.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Advertiser, newAdvertiser } from '../../../test/support/banners.ts'
import {
  flatWebp,
  gifFrame,
  gifOf,
  pngChunk,
  pngHeader,
  pngOf,
  still,
} from '../../../test/support/image-samples.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { finding } from '../../kernel/errors/finding.ts'
import { createImageQueue } from '../../platform/images/queue.ts'
import { walkGif } from './creative/gif.ts'
import { walkPng } from './creative/png.ts'

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
    expect(walked.faults).toEqual([finding('animation_too_many_frames', { max: 200 })])
  })

  it('of a PNG with hundreds of thousands of chunks', () => {
    const bytes = hostilePng()
    const reads = vi.spyOn(bytes, 'readUInt32BE')
    expect(walkPng(bytes).faults).toEqual([finding('image_too_many_parts', { max: 10_000 })])
    expect(reads.mock.calls.length).toBeLessThan(30_000)
  })
})

describe('an upload', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  const upload = (who: Advertiser, bytes: Buffer, type: string) =>
    who.call('POST', '/creative', bytes, { 'content-type': type })

  it('is inspected in another process, and the answer says what is wrong', async () => {
    const ann = await newAdvertiser(service)
    const [gif, png] = [hostileGif(), hostilePng()]
    const walks = vi.spyOn(Buffer.prototype, 'readUInt16LE')
    const joined = vi.spyOn(Buffer, 'concat')
    for (const [bytes, type, words] of [
      [gif, 'image/gif', 'more than 200 frames'],
      [png, 'image/png', 'more than 10,000 parts'],
    ] as const) {
      const answer = await upload(ann, bytes, type)
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(words)])
    }
    expect(walks).not.toHaveBeenCalled()
    walks.mockRestore()
    // Megabytes are not copied in one step either.
    const largest = joined.mock.results.map(({ value }) => value.length)
    expect(Math.max(0, ...largest)).toBeLessThan(1_000_000)
    joined.mockRestore()
    expect((await upload(ann, await still('gif', 300, 250), 'image/gif')).status).toBe(201)
  })

  it('with a size that no ad has is rejected by its header, whatever its pixels are, and never decoded', async () => {
    const ann = await newAdvertiser(service)
    const whole = await still('png', 301, 250)
    const broken = pngOf(pngHeader(5_000, 5_000), pngChunk('IDAT', Buffer.from('no pixels')))
    for (const bytes of [whole, broken]) {
      const { status, body } = await upload(ann, bytes, 'image/png')
      expect(status).toBe(201)
      const { bid } = await ann.banner({ creativeURL: body.creativeURL })
      const reviewed = await ann.reviewed(bid)
      expect([reviewed.status, reviewed.reasons]).toEqual([
        'rejected',
        [expect.stringContaining('allowed size')],
      ])
    }
  })

  it('of a few kB that would unpack to very many pixels is refused before it is unpacked', async () => {
    const ann = await newAdvertiser(service)
    const webp = await flatWebp(1024, 768, 200)
    expect(webp.length).toBeLessThan(100_000)
    const { status, body } = await upload(ann, webp, 'image/webp')
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('157,286,400 pixels in all its frames; at most 50,000,000 are read'),
    ])
  })
})

describe('the queue', () => {
  /** An inspection that lasts until it is released. `begun` names the owners of those that began, in order. */
  function line(limits: { mostWaitingEach?: number; mostWaiting?: number } = {}) {
    const begun: string[] = []
    const letGo: (() => void)[] = []
    const queued = createImageQueue({ atOnce: 1, ...limits })
    const send = (whose: string) =>
      queued(whose, () => {
        begun.push(whose)
        return new Promise<void>(resolve => letGo.push(resolve))
      })
    async function finishAll() {
      const nextLoop = () => new Promise(resolve => setImmediate(resolve))
      for (await nextLoop(); letGo.length > 0; await nextLoop()) letGo.shift()!()
    }
    return { begun, send, finishAll }
  }

  it('serves each customer in rotation, however many images another one sent before', async () => {
    const { begun, send, finishAll } = line()
    const all = [...Array.from({ length: 9 }, () => send('ann')), send('bob'), send('cid')]
    await finishAll()
    await Promise.all(all)
    expect(begun).toEqual(['ann', 'ann', 'bob', 'cid', ...new Array(7).fill('ann')])
  })

  it('is bounded per customer and in total', async () => {
    const { send, finishAll } = line({ mostWaitingEach: 2, mostWaiting: 3 })
    const all = [send('ann'), send('ann'), send('ann')]
    await expect(send('ann')).rejects.toMatchObject({ code: 'too_many_requests' })
    all.push(send('bob'))
    await expect(send('cid')).rejects.toMatchObject({ code: 'unavailable' })
    await finishAll()
    expect(await Promise.all(all)).toHaveLength(4)
  })
})
