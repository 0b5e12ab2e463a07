// The review: every rule with a real image from a real host, hosts that fail, restarts, and changes during a review.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Advertiser,
  type ImageHost,
  newAdvertiser,
  picture,
  startImageHost,
  until,
} from '../../../test/support/banners.ts'
import { animatedGif, still } from '../../../test/support/image-samples.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { finding } from '../../kernel/errors/finding.ts'
import { createLog } from '../../platform/log.ts'
import { createService } from '../../service/app.ts'
import { sweepReviews } from './review.ts'

const UNREACHABLE = finding('creative_unreachable')

let service: TestService
let host: ImageHost
let ann: Advertiser
/** An advertiser without a website. */
let bob: Advertiser

beforeAll(async () => {
  service = await startTestService({ CREATIVE_RETRY: '1s', CREATIVE_TIMEOUT: '2s' })
  host = await startImageHost()
  ann = await newAdvertiser(service)
  bob = await newAdvertiser(service, { website: null })
})
afterAll(async () => {
  await service?.close()
  await host?.close()
})

let files = 0
async function review(image: Buffer, more: object = {}, who = ann) {
  const creativeURL = host.serve(`/file-${++files}`, image)
  const { bid } = await who.banner({ creativeURL, ...more })
  return who.reviewed(bid)
}

describe('an image that meets the rules', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'] as const)(
    'is approved as %s, with its real properties',
    async format => {
      const image = await picture(300, 250, format)
      expect(await review(image)).toMatchObject({
        status: 'approved',
        reasons: [],
        width: 300,
        height: 250,
        type: `image/${format}`,
        bytes: image.length,
      })
    },
  )

  it('is approved if it stops in time', async () => {
    const image = animatedGif({ width: 320, height: 50, delays: [50, 50, 50], loop: 2 })
    expect((await review(image)).status).toBe('approved')
    const row = await service.db.row('select 1 from banner where animated')
    expect(row).not.toBeNull()
  })

  it('is served from our own copy, byte for byte', async () => {
    const image = await picture(336, 280)
    const { bid } = await review(image)
    const row = await service.db.row<{ creative_name: string }>(
      'select creative_name from banner where bid = $1',
      [bid],
    )
    const answer = await service.api.fastify.inject({ url: `/creative/${row!.creative_name}` })
    expect(answer.statusCode).toBe(200)
    expect(answer.rawPayload.equals(image)).toBe(true)
  })
})

describe('an image that breaks a rule is rejected, with the reason in words', () => {
  it('a size that is not allowed', async () => {
    const banner = await review(await picture(301, 250))
    expect(banner).toMatchObject({ status: 'rejected', width: 301, height: 250, type: 'image/png' })
    expect(banner.reasons).toEqual([
      expect.stringMatching(/^The image is 301x250, which is not an allowed size/),
    ])
  })

  it('a size other than the declared one', async () => {
    const banner = await review(await picture(728, 90), { width: 300, height: 250 })
    expect(banner.status).toBe('rejected')
    expect(banner.reasons).toEqual(['The image is 728x90, but 300x250 was declared.'])
  })

  it('too heavy', async () => {
    const banner = await review(await still('png', 300, 250))
    expect(banner.reasons).toEqual([expect.stringMatching(/300x250 banners may be at most 150,000\.$/)])
  })

  it('an endless animation', async () => {
    const banner = await review(animatedGif({ width: 320, height: 50, delays: [50, 50], loop: 0 }))
    expect(banner.reasons).toEqual([expect.stringMatching(/^The animation repeats forever/)])
  })

  it('an animation that is too long', async () => {
    const banner = await review(animatedGif({ width: 320, height: 50, delays: [2000, 2000] }))
    expect(banner.reasons).toEqual([expect.stringMatching(/^The animation runs for 40 s/)])
  })

  it('an animation that is too fast', async () => {
    const banner = await review(animatedGif({ width: 320, height: 50, delays: [10, 10] }))
    expect(banner.reasons).toEqual([expect.stringMatching(/^The animation shows up to 10 frames per second/)])
  })

  it('a truncated file', async () => {
    const image = await still('jpeg', 300, 250)
    const banner = await review(image.subarray(0, image.length / 2))
    expect(banner.status).toBe('rejected')
    expect(banner.reasons[0]).toMatch(/cut short/)
  })

  it('a drawing that could contain a script', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const banner = await review(svg)
    expect(banner).toMatchObject({ status: 'rejected', type: null, width: null })
    expect(banner.reasons).toEqual([expect.stringMatching(/SVG/)])
  })

  it('no click-through, from neither the banner nor the customer', async () => {
    const image = await picture(300, 250)
    expect((await review(image, {}, bob)).reasons).toEqual([expect.stringMatching(/no click-through URL/)])
    expect((await review(image, { clickUrl: 'https://bikes.example/x' }, bob)).status).toBe('approved')
  })

  it('everything that is wrong, at once', async () => {
    const image = animatedGif({ width: 301, height: 50, delays: [10, 10], loop: 0 })
    expect((await review(image, {}, bob)).reasons).toHaveLength(4)
  })

  it('an address that does not exist, redirects, or sends too much', async () => {
    const reasonsOf = async (path: string, serve: Parameters<ImageHost['serve']>[1]) => {
      const { bid } = await ann.banner({ creativeURL: host.serve(path, serve) })
      return (await ann.reviewed(bid)).reasons
    }
    expect(await reasonsOf('/gone', (_, response) => response.writeHead(404).end())).toEqual([
      expect.stringMatching(/status 404/),
    ])
    expect(
      await reasonsOf('/moved', (_, response) => response.writeHead(302, { location: '/file-1' }).end()),
    ).toEqual([expect.stringMatching(/redirects/)])
    expect(await reasonsOf('/huge', Buffer.alloc(5 * 1024 * 1024 + 1))).toEqual([
      expect.stringMatching(/larger than 5,242,880 bytes/),
    ])
  })
})

describe('a host that is down', () => {
  it('is asked again, with the reason shown, and the banner is approved once it is up', async () => {
    const image = await picture(300, 250)
    let up = false
    const creativeURL = host.serve('/down', (_, response) => response.writeHead(up ? 200 : 503).end(image))
    const { bid } = await ann.banner({ creativeURL })
    const waiting = await until(async () => {
      const { body } = await ann.call('GET', `${ann.path}/${bid}`)
      return body.reasons.length > 0 ? body : null
    })
    expect(waiting.status).toBe('pending')
    expect(waiting.reasons).toEqual([
      expect.stringMatching(/status 503/),
      expect.stringMatching(/^This was attempt \d of 5; the next one follows/),
    ])
    up = true
    expect(await ann.reviewed(bid)).toMatchObject({ status: 'approved', reasons: [] })
  })

  it('is given up after five attempts, with the reason', async () => {
    const creativeURL = host.serve('/always-down', (_, response) => response.writeHead(500).end())
    const { bid } = await ann.banner({ creativeURL })
    expect(await ann.reviewed(bid)).toMatchObject({
      status: 'rejected',
      reasons: [expect.stringMatching(/status 500/)],
    })
    expect(host.hits('/always-down')).toBe(5)
  })

  it('is asked once more when the customer names the same address again', async () => {
    let good = false
    const image = await picture(300, 250)
    const creativeURL = host.serve('/fixed-later', (_, response) =>
      response.writeHead(good ? 200 : 404).end(image),
    )
    const { bid } = await ann.banner({ creativeURL })
    expect((await ann.reviewed(bid)).status).toBe('rejected')
    good = true
    expect((await ann.call('PUT', `${ann.path}/${bid}`, { creativeURL })).body.status).toBe('pending')
    expect((await ann.reviewed(bid)).status).toBe('approved')
  })

  it('does not matter for an approved banner: a new click-through is judged by our own copy', async () => {
    const image = await picture(300, 250)
    let up = true
    const creativeURL = host.serve('/later-down', (_, response) =>
      response.writeHead(up ? 200 : 404).end(image),
    )
    const { bid } = await ann.banner({ creativeURL })
    await ann.reviewed(bid)
    up = false
    await ann.call('PUT', `${ann.path}/${bid}`, { clickUrl: 'https://bikes.example/other' })
    expect((await ann.reviewed(bid)).status).toBe('approved')
    expect(host.hits('/later-down')).toBe(1)
  })
})

function jobsOf(bid: number) {
  return service.db.rows("select 1 from graphile_worker._private_jobs where (payload->>'bid')::bigint = $1", [
    bid,
  ])
}

/** Waits until the queue no longer contains a job of this banner. */
function jobsAreOver(bid: number) {
  return until(async () => ((await jobsOf(bid)).length === 0 ? true : null))
}

describe('a review that is overtaken', () => {
  /** An image URL that answers only when it is released. */
  function slow(path: string, image: Buffer) {
    const waiting: (() => void)[] = []
    const url = host.serve(path, (_, response) => waiting.push(() => response.writeHead(200).end(image)))
    const letGo = () => {
      for (const go of waiting.splice(0)) go()
    }
    return { url, letGo, asked: () => host.hits(path) > 0 }
  }

  it('never applies to a later creative', async () => {
    const first = slow('/slow-1', await picture(728, 90))
    const second = host.serve('/quick-1', await picture(300, 250))
    const { bid } = await ann.banner({ creativeURL: first.url })
    await until(async () => first.asked() || null)
    await ann.call('PUT', `${ann.path}/${bid}`, { creativeURL: second })
    expect(await ann.reviewed(bid)).toMatchObject({ status: 'approved', width: 300 })
    const { etag } = (await ann.call('GET', `${ann.path}/${bid}`)).headers
    first.letGo()
    await jobsAreOver(bid)
    const after = await ann.call('GET', `${ann.path}/${bid}`)
    expect(after.headers.etag).toBe(etag)
    expect(after.body).toMatchObject({ status: 'approved', width: 300, creativeURL: second })
  })

  it('changes nothing about a banner that was deleted meanwhile', async () => {
    const source = slow('/slow-2', await picture(728, 90))
    const { bid } = await ann.banner({ creativeURL: source.url })
    await until(async () => source.asked() || null)
    await ann.call('DELETE', `${ann.path}/${bid}`)
    source.letGo()
    await jobsAreOver(bid)
    const row = await service.db.row('select status from banner where bid = $1', [bid])
    expect(row).toEqual({ status: 'pending' })
  })
})

describe('a review that was lost', () => {
  it('is repaired: a pending banner without a job gets one', async () => {
    const creativeURL = host.serve('/lost', await picture(300, 250))
    const { bid } = await ann.banner({ creativeURL })
    await ann.reviewed(bid)
    await jobsAreOver(bid)
    await service.db.run("update banner set status = 'pending', creative_name = null where bid = $1", [bid])
    await sweepReviews(service.db, service.clock)
    expect((await ann.reviewed(bid)).status).toBe('approved')
    expect(host.hits('/lost')).toBe(2)
  })

  it('is repaired: a website added later makes a rejected banner valid', async () => {
    const eve = await newAdvertiser(service, { website: null })
    const { bid } = await review(await picture(300, 250), {}, eve)
    await sweepReviews(service.db, service.clock)
    expect((await eve.call('GET', `${eve.path}/${bid}`)).body.status).toBe('rejected')
    const edit = { as: eve, body: { website: 'https://eve.example/' } }
    expect((await service.call('PUT', `/customer/${eve.cuid}`, edit)).status).toBe(200)
    await sweepReviews(service.db, service.clock)
    expect(await eve.reviewed(bid)).toMatchObject({ status: 'approved', reasons: [] })
  })
})

describe('a stop in the middle of a review', () => {
  it.each(['stopped', 'killed'])('loses no review when the service was %s', async how => {
    const first = await startTestService()
    const image = await picture(300, 250)
    let up = false
    const path = `/hangs-${how}`
    const creativeURL = host.serve(path, (_, response) => {
      if (up) response.writeHead(200).end(image)
    })
    try {
      const carl = await newAdvertiser(first)
      const { bid } = await carl.banner({ creativeURL })
      await until(async () => (host.hits(path) > 0 ? true : null))
      await first.stop()
      if (how === 'killed') await lockAll(first.config.DATABASE_URL!)
      up = true
      const second = await createService({ ...first, log: createLog('silent') })
      await statusIs(second.db, bid, 'approved')
      await second.stop()
    } finally {
      await first.close()
    }
  })

  /** Leaves jobs locked, as a killed process does. */
  async function lockAll(url: string): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rowCount } = await client.query(
      "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker-gone', run_at = now()",
    )
    await client.end()
    expect(rowCount).toBe(1)
  }
})

async function statusIs(db: TestService['db'], bid: number, status: string): Promise<void> {
  await until(async () => {
    const row = await db.row<{ status: string }>('select status from banner where bid = $1', [bid])
    return row?.status === status || null
  })
}

describe('a private address', () => {
  it('that a name resolves to looks like a name that does not resolve', async () => {
    const strict = await startTestService({ ALLOW_PRIVATE_CREATIVES: 'false' })
    try {
      const dora = await newAdvertiser(strict)
      const seen = []
      for (const name of ['localhost', 'nowhere.invalid']) {
        const { bid } = await dora.banner({ creativeURL: `http://${name}/x.png` })
        const { status, reasons } = await until(async () => {
          const { body } = await dora.call('GET', `${dora.path}/${bid}`)
          return body.reasons.length > 0 ? body : null
        })
        seen.push({ status, reasons })
      }
      expect(seen[0]).toEqual(seen[1])
      expect(seen[0]).toMatchObject({ status: 'pending', reasons: [UNREACHABLE.message, expect.any(String)] })
    } finally {
      await strict.close()
    }
  })

  it('is never contacted unless the operator allows it, however it is spelled', async () => {
    const strict = await startTestService({ ALLOW_PRIVATE_CREATIVES: 'false' })
    try {
      const dora = await newAdvertiser(strict)
      const port = new URL(host.url).port
      const path = '/never'
      host.serve(path, await picture(300, 250))
      const spellings = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '0.0.0.0']
      for (const name of spellings) {
        const { bid } = await dora.banner({ creativeURL: `http://${name}:${port}${path}` })
        expect(await dora.reviewed(bid)).toMatchObject({
          status: 'rejected',
          reasons: [UNREACHABLE.message],
          findings: [UNREACHABLE],
        })
      }
      expect(host.hits(path)).toBe(0)
    } finally {
      await strict.close()
    }
  })
})

describe('CREATIVE_WEIGHTS', () => {
  it('sets other weights, and refuses a size that is not allowed', async () => {
    const generous = await startTestService({ CREATIVE_WEIGHTS: '300x250=9999' })
    try {
      const fred = await newAdvertiser(generous)
      expect((await review(await still('png', 300, 250), {}, fred)).status).toBe('approved')
    } finally {
      await generous.close()
    }
    await expect(startTestService({ CREATIVE_WEIGHTS: '301x250=200' })).rejects.toThrow(/CREATIVE_WEIGHTS/)
    await expect(startTestService({ CREATIVE_WEIGHTS: 'many' })).rejects.toThrow(/CREATIVE_WEIGHTS/)
  })
})
