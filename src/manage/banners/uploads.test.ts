// Uploading an image, using it as a creative, and serving it. Only whole images within limits; customers use only their
// own.

import { request } from 'node:http'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, picture } from '../../../test/support/banners.ts'
import { animatedGif, noisyPixels, pngChunk, still } from '../../../test/support/image-samples.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { MAX_UPLOAD_BYTES } from './contract.ts'

let service: TestService
let ann: Advertiser
let bob: Advertiser
let image: Buffer

beforeAll(async () => {
  service = await startTestService({ PUBLIC_URL: 'https://ads.example/marquee' })
  ann = await newAdvertiser(service)
  bob = await newAdvertiser(service)
  image = await picture(300, 250)
})
afterAll(() => service?.close())

function upload(who: Advertiser, body: Buffer | string, type = 'image/png', more = {}) {
  return who.call('POST', '/creative', body, { 'content-type': type, ...more })
}

function form(parts: { name: string; filename?: string; body: Buffer | string }[]) {
  const boundary = 'ooo-boundary-ooo'
  const chunks = parts.flatMap(({ name, filename, body }) => [
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`,
    filename === undefined ? '' : `; filename="${filename}"\r\ncontent-type: application/octet-stream`,
    '\r\n\r\n',
    body,
    '\r\n',
  ])
  const bytes = Buffer.concat([...chunks, `--${boundary}--\r\n`].map(chunk => Buffer.from(chunk as string)))
  return { bytes, type: `multipart/form-data; boundary=${boundary}` }
}

function uploadForm(who: Advertiser, parts: Parameters<typeof form>[0], more = {}) {
  const { bytes, type } = form(parts)
  return upload(who, bytes, type, more)
}

/** An image of exactly this size: bytes that may precede a JPEG marker fill it up. */
async function heavyImage(bytes: number): Promise<Buffer> {
  const jpeg = await picture(300, 250, 'jpeg')
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(bytes - jpeg.length, 0xff), jpeg.subarray(2)])
}

describe('POST /creative', () => {
  describe('keeps the picture, and nothing that says who made it, where or when', () => {
    const MARK = 'zorblax'
    const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${MARK}"/></rdf:RDF></x:xmpmeta>`
    const marked = (orientation?: number) =>
      sharp(noisyPixels(300, 250, 3), { raw: { width: 300, height: 250, channels: 3 } })
        .withIccProfile('p3')
        .withMetadata({ orientation })
        .withExifMerge({ IFD0: { Artist: MARK } })
        .withXmp(XMP)
    const insert = (bytes: Buffer, at: number, ...more: Buffer[]) =>
      Buffer.concat([bytes.subarray(0, at), ...more, bytes.subarray(at)])
    const pngText = (kind: string) => pngChunk(kind, Buffer.from(`Author\0${MARK}`))
    const storedAt = async (creativeURL: string) => {
      const name = creativeURL.split('/').at(-1)
      const row = await service.db.row<{ bytes: Buffer }>('select bytes from creative where name = $1', [
        name,
      ])
      return row!.bytes
    }
    const SAMPLES: [string, () => Promise<Buffer>][] = [
      [
        'jpeg',
        async () => {
          const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 2 + MARK.length]), Buffer.from(MARK)])
          return insert(await marked().jpeg({ progressive: true }).toBuffer(), 2, comment)
        },
      ],
      ['png', async () => insert(await marked().png().toBuffer(), 33, pngText('tEXt'), pngText('prVt'))],
      ['webp', () => marked().webp({ lossless: true }).toBuffer()],
      [
        'gif',
        async () => {
          const comment = Buffer.from([0x21, 0xfe, MARK.length, ...Buffer.from(MARK), 0])
          const xmp = Buffer.concat([
            Buffer.from([0x21, 0xff, 11]),
            Buffer.from('XMP DataXMP'),
            comment.subarray(2),
          ])
          const gif = animatedGif({ width: 300, height: 250, delays: [50, 50], loop: 2 })
          return insert(gif, gif.indexOf(Buffer.from([0x21, 0xf9])), comment, xmp)
        },
      ],
    ]

    it.each(SAMPLES)('%s', async (type, make) => {
      const image = await make()
      expect(image.includes(MARK)).toBe(true)
      const { status, body } = await upload(ann, image, `image/${type}`)
      expect(status).toBe(201)
      const kept = await storedAt(body.creativeURL)
      expect([kept.includes(MARK), kept.length]).toEqual([false, body.bytes])
      const raw = (bytes: Buffer) => sharp(bytes, { animated: true }).raw().toBuffer()
      expect((await raw(kept)).equals(await raw(image))).toBe(true)
      const [before, now] = await Promise.all([sharp(image).metadata(), sharp(kept).metadata()])
      expect([now.icc, now.loop, now.delay]).toEqual([before.icc, before.loop, before.delay])
      expect([now.exif, now.xmp]).toEqual([undefined, undefined])
      expect((await upload(ann, kept, `image/${type}`)).body.creativeURL).toBe(body.creativeURL)
    })

    it.each(['jpeg', 'png', 'webp'] as const)('a %s that is not upright stays as it was', async type => {
      const image = await marked(6).toFormat(type).toBuffer()
      const { body } = await upload(ann, image, `image/${type}`)
      const kept = await storedAt(body.creativeURL)
      expect([kept.includes(MARK), (await sharp(kept).metadata()).orientation]).toEqual([false, 6])
      expect((await upload(ann, kept, `image/${type}`)).body.creativeURL).toBe(body.creativeURL)
    })
  })

  it.each(['image/png', 'image/jpeg', 'application/octet-stream', 'IMAGE/PNG; charset=binary'])(
    'accepts raw bytes as %s and says what they really are',
    async type => {
      const { status, body } = await upload(ann, image, type)
      expect(status).toBe(201)
      expect(body).toEqual({
        creativeURL: expect.stringMatching(/^\/creative\/[0-9a-f]{64}\.png$/),
        width: 300,
        height: 250,
        bytes: image.length,
        type: 'image/png',
      })
    },
  )

  it('accepts the field `file` of a form, beside other fields', async () => {
    const parts = [
      { name: 'note', body: 'summer' },
      { name: 'file', filename: '../../x.php', body: image },
    ]
    const { status, body } = await uploadForm(ann, parts)
    expect(status).toBe(201)
    expect(body.bytes).toBe(image.length)
  })

  it('gives the same image the same path', async () => {
    const [one, two] = await Promise.all([upload(ann, image), upload(ann, image)])
    expect(one.body.creativeURL).toBe(two.body.creativeURL)
  })

  it('refuses at once what is not an image, is damaged or contains something else', async () => {
    for (const bad of [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.from('hello'),
      image.subarray(0, image.length - 20),
      Buffer.concat([image, Buffer.from('<script>alert(1)</script>')]),
    ]) {
      const raw = await upload(ann, bad)
      expect([raw.status, raw.body.code, raw.body.errors[0].path]).toEqual([400, 'invalid_input', '/file'])
      expect((await uploadForm(ann, [{ name: 'file', filename: 'a.png', body: bad }])).status).toBe(400)
    }
  })

  it('refuses an empty body, a form without the field and a form with another file', async () => {
    expect((await upload(ann, Buffer.alloc(0))).status).toBe(400)
    expect((await ann.call('POST', '/creative')).status).toBe(400)
    expect((await uploadForm(ann, [{ name: 'note', body: 'x' }])).status).toBe(400)
    expect((await uploadForm(ann, [{ name: 'image', filename: 'a.png', body: image }])).status).toBe(400)
    const twice = { name: 'file', filename: 'a.png', body: image }
    expect((await uploadForm(ann, [twice, twice])).status).toBe(413)
    expect((await upload(ann, 'garbage', 'multipart/form-data; boundary=x')).status).toBe(400)
    expect((await upload(ann, 'garbage', 'multipart/form-data')).status).toBe(400)
    const cut = form([{ name: 'file', filename: 'a.png', body: image }])
    expect((await upload(ann, cut.bytes.subarray(0, 200), cut.type)).status).toBe(400)
  })

  it('a form with too many parts that also ends too early is refused, and ends nothing else', async () => {
    const uncaught: Error[] = []
    const note = (error: Error) => void uncaught.push(error)
    process.on('uncaughtExceptionMonitor', note)
    const { bytes, type } = form(Array.from({ length: 13 }, () => ({ name: 'note', body: 'x' })))
    for (const end of [bytes.length, bytes.length - 30, bytes.length - 100]) {
      const { status, body } = await upload(ann, bytes.subarray(0, end), type)
      expect([status, body.reason]).toEqual([413, 'too_many_parts'])
    }
    const empty = Buffer.from('--x\r\n\r\n'.repeat(500_000))
    expect((await upload(ann, empty, 'multipart/form-data; boundary=x')).body.reason).toBe('too_many_parts')
    // An error that nobody catches would come now, and stop the process.
    await new Promise(resolve => setTimeout(resolve, 50))
    process.off('uncaughtExceptionMonitor', note)
    expect(uncaught).toEqual([])
    expect((await upload(ann, image)).status).toBe(201)
  })

  it('a form as other programs write it', async () => {
    const send = (head: string, { before = '', boundary = 'x', after = '--x--', quoted = 'x' } = {}) =>
      upload(
        ann,
        Buffer.concat([
          Buffer.from(`${before}--${boundary}\r\n${head}\r\n\r\n`),
          image,
          Buffer.from(`\r\n${after}`),
        ]),
        `Multipart/Form-Data; charset=utf-8; boundary=${quoted}`,
      )
    const named = 'content-disposition: form-data; name="file"; filename="a.png"'
    expect((await send(named)).status).toBe(201)
    expect((await send(named, { before: 'a preamble\r\n', after: '--x--\r\nan epilogue' })).status).toBe(201)
    expect((await send(named, { quoted: '"x"' })).status).toBe(201)
    expect((await send(named, { boundary: 'x  ' })).status).toBe(201)
    expect(
      (await send(`Content-Type: image/png\r\nContent-Disposition: form-data; filename=b; name=file`)).status,
    ).toBe(201)
    for (const name of ['a; name=b.png', 'a\\"; name=\\"b.png', 'a; filename*=b'])
      expect((await send(`content-disposition: form-data; filename="${name}"; name="file"`)).status).toBe(201)
    const lookalike = await send('content-disposition: form-data; name="a; filename=b"')
    expect([lookalike.status, lookalike.body.reason]).toEqual([400, 'no_image'])
    const binary = 'content-type: application/octet-stream\r\ncontent-disposition: form-data; name=file'
    expect((await send(binary)).status).toBe(201)
    const note = 'content-disposition: form-data; name="note"\r\n\r\ntwo\r\nlines\r\n--x\r\n'
    expect((await send(note + named)).status).toBe(201)
    const field = await send('content-disposition: form-data; name=file')
    expect([field.status, field.body.reason]).toEqual([400, 'no_image'])
    const other = await send('content-disposition: form-data; name="b/ü"; filename="a"')
    expect([other.status, other.body.errors?.[0]]).toMatchObject([
      400,
      { path: '/b/ü', code: 'unknown_field' },
    ])
    expect((await send('x: '.padEnd(5000, 'y'))).body.reason).toBe('malformed_form')
  })

  it('takes an image without a content type, since the bytes say what it is', async () => {
    const headers = { 'x-access-key': ann.key, 'x-access-token': ann.token }
    const send = (payload?: Buffer) =>
      service.api.fastify.inject({ method: 'POST', url: `/creative?cuid=${ann.cuid}`, headers, payload })
    const taken = await send(image)
    expect([taken.statusCode, taken.json().type]).toEqual([201, 'image/png'])
    expect((await send(Buffer.from('{}'))).json().errors[0].path).toBe('/file')
    expect((await send()).statusCode).toBe(400)
  })

  it('takes an image of a size that no banner may have, and says its size', async () => {
    const { status, body } = await upload(ann, await picture(500, 500))
    expect([status, body.width, body.height]).toEqual([201, 500, 500])
  })

  it.each(['application/json', 'text/html', 'image/svg+xml', 'application/x-www-form-urlencoded'])(
    'refuses %s with 415 and says what is accepted',
    async type => {
      const { status, body } = await upload(ann, '{}', type)
      expect(status).toBe(415)
      expect(body.message).toContain('image/png')
    },
  )

  it('accepts exactly 5 MiB, and not a byte more', async () => {
    const largest = await heavyImage(MAX_UPLOAD_BYTES)
    expect(largest.length).toBe(MAX_UPLOAD_BYTES)
    expect((await upload(ann, largest, 'image/jpeg')).status).toBe(201)
    expect((await uploadForm(ann, [{ name: 'file', filename: 'a.jpg', body: largest }])).status).toBe(201)
    const larger = await heavyImage(MAX_UPLOAD_BYTES + 1)
    const raw = await upload(ann, larger, 'image/jpeg')
    expect([raw.status, raw.body.code]).toEqual([413, 'body_too_large'])
    const inForm = await uploadForm(ann, [{ name: 'file', filename: 'a.jpg', body: larger }])
    expect([inForm.status, inForm.body.code]).toEqual([413, 'body_too_large'])
  })

  it('checks credentials and cuid before it reads anything', async () => {
    const headers = { 'content-type': 'image/png' }
    const nobody = { as: null, body: Buffer.from('x'), headers }
    expect((await service.call('POST', `/creative?cuid=${ann.cuid}`, nobody)).status).toBe(401)
    const mine = { as: ann, body: Buffer.from('x'), headers }
    expect((await service.call('POST', '/creative', mine)).status).toBe(400)
    expect((await service.call('POST', `/creative?cuid=${bob.cuid}`, mine)).status).toBe(401)
  })

  it('ties an idempotency key to its bytes, in a form too', async () => {
    const key = { 'idempotency-key': 'upload-1234' }
    const part = (body: Buffer) => [{ name: 'file', filename: 'a.png', body }]
    const first = await uploadForm(ann, part(image), key)
    const again = await uploadForm(ann, part(image), key)
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect((await uploadForm(ann, part(await picture(728, 90)), key)).status).toBe(409)
  })

  it('leaves other endpoints as they were: they do not accept an image as JSON', async () => {
    const headers = { 'content-type': 'image/png' }
    expect((await ann.call('POST', ann.path, image, headers)).status).toBe(415)
    const { bytes, type } = form([{ name: 'file', filename: 'a.png', body: image }])
    expect((await ann.call('POST', ann.path, bytes, { 'content-type': type })).status).toBe(415)
  })
})

describe('an upload as a creative', () => {
  it('is approved by its path, without any host', async () => {
    const { creativeURL } = (await upload(ann, image)).body
    const { bid } = await ann.banner({ creativeURL })
    expect(await ann.reviewed(bid)).toMatchObject({
      status: 'approved',
      creativeURL,
      name: 'Uploaded image',
      width: 300,
      type: 'image/png',
    })
  })

  it.each(['https://ads.example/marquee', 'HTTPS://ADS.example:443/marquee'])(
    'may be named by its absolute address under %s',
    async base => {
      const { creativeURL } = (await upload(ann, image)).body
      const { status, body } = await ann.call('POST', ann.path, { creativeURL: base + creativeURL })
      expect([status, body.creativeURL]).toEqual([201, creativeURL])
    },
  )

  it('must still meet the rules of its size', async () => {
    const { creativeURL } = (await upload(ann, await still('png', 300, 250))).body
    const { bid } = await ann.banner({ creativeURL })
    expect((await ann.reviewed(bid)).status).toBe('rejected')
  })

  it('of another customer does not seem to exist, until the customer uploads the same image', async () => {
    const secret = await picture(336, 280)
    const { creativeURL } = (await upload(bob, secret)).body
    const missing = `/creative/${'0'.repeat(64)}.png`
    for (const prefix of ['', 'https://ads.example/marquee']) {
      const foreign = await ann.call('POST', ann.path, { creativeURL: prefix + creativeURL })
      const nowhere = await ann.call('POST', ann.path, { creativeURL: prefix + missing })
      expect(foreign.status).toBe(400)
      expect({ ...foreign.body, requestId: '' }).toEqual({ ...nowhere.body, requestId: '' })
    }
    const { bid } = await ann.banner({ creativeURL: 'https://h.example/a.png' })
    expect((await ann.call('PUT', `${ann.path}/${bid}`, { creativeURL })).status).toBe(400)
    await upload(ann, secret)
    expect((await ann.call('POST', ann.path, { creativeURL })).status).toBe(201)
  })

  it.each([
    '/creative/',
    '/creative/x.png',
    '/creative/../credentials.json',
    '/creative/..%2fcredentials.json',
    'https://ads.example/marquee/creative/../../x',
  ])('is not %s', async creativeURL => {
    const { status, body } = await ann.call('POST', ann.path, { creativeURL })
    // A URL that leaves our own folder is an ordinary URL of a host, which the review judges.
    if (creativeURL.startsWith('https')) expect(status).toBe(201)
    else expect([status, body.errors[0].path]).toEqual([400, '/creativeURL'])
  })
})

describe('GET /creative/:file', () => {
  it('serves the bytes to anybody, forever, and lets them do nothing but be seen', async () => {
    const { creativeURL } = (await upload(ann, image)).body
    const answer = await service.api.fastify.inject({ url: creativeURL })
    expect(answer.statusCode).toBe(200)
    expect(answer.rawPayload.equals(image)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(image.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    })
  })

  it('answers a browser that already has it with 304', async () => {
    const { creativeURL } = (await upload(ann, image)).body
    const { etag } = (await service.api.fastify.inject({ url: creativeURL })).headers
    const again = await service.api.fastify.inject({
      url: creativeURL,
      headers: { 'if-none-match': String(etag) },
    })
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0])
  })

  it('answers HEAD with the same headers and no body', async () => {
    const { creativeURL } = (await upload(ann, image)).body
    const answer = await service.api.fastify.inject({ method: 'HEAD', url: creativeURL })
    expect(answer.statusCode).toBe(200)
    expect(answer.rawPayload).toHaveLength(0)
    expect(answer.headers['content-length']).toBe(String(image.length))
    expect(answer.headers['content-type']).toBe('image/png')
  })

  it.each([
    `/creative/${'0'.repeat(64)}.png`,
    `/creative/${'0'.repeat(64)}`,
    '/creative/..%2f..%2fetc%2fpasswd',
    '/creative/..%2fcredentials.json',
    '/creative/%00.png',
    '/creative/a.png',
  ])('answers 404 for %s, which does not exist', async url => {
    const answer = await service.api.fastify.inject({ url })
    expect(answer.statusCode).toBe(404)
    expect(answer.json().code).toBe('not_found')
    expect(answer.headers['cache-control']).toBe('no-store')
  })
})

describe('over a real connection', () => {
  it('an upload that is too large gets the reason, and the service continues', async () => {
    const base = new URL(await service.listen())
    const send = (bytes: Buffer, type = 'image/png') =>
      new Promise<number>((resolve, reject) => {
        const outgoing = request(
          {
            host: base.hostname,
            port: base.port,
            method: 'POST',
            path: `/creative?cuid=${ann.cuid}`,
            headers: { 'x-access-key': ann.key, 'x-access-token': ann.token, 'content-type': type },
          },
          response => {
            response.resume()
            resolve(response.statusCode!)
          },
        )
        outgoing.on('error', reject)
        // Sent without a content-length, so that only counting reveals the size.
        outgoing.write(bytes.subarray(0, 1000))
        outgoing.end(bytes.subarray(1000))
      })
    expect(await send(Buffer.alloc(MAX_UPLOAD_BYTES + 1))).toBe(413)
    expect(await send(image)).toBe(201)
    const { bytes, type } = form([
      { name: 'file', filename: 'a.png', body: Buffer.alloc(MAX_UPLOAD_BYTES * 2) },
    ])
    expect(await send(bytes, type)).toBe(413)
    expect(await send(image)).toBe(201)
  })
})
