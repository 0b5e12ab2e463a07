// White label: the console shows the name, colour and logo of the app.

import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ticketFor, visit, visitAsStaff } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { brandApp, createApp, revokeApp } from '../identity/apps.ts'
import { decoder } from '../platform/images/decoder.ts'
import { startImages } from '../service/images.ts'
import { MAX_LOGO_FILE_BYTES } from './logo.ts'
import { shrinkLogo } from './shrink-logo.ts'

let service: TestService
const images = startImages()
afterAll(() => images.stop())
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

function image(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#0a7d4f' } })
}

/** Nested filters: about 2 kB that take seconds to draw. */
const SLOW_DRAWING = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000"><filter id="f">${'<feTurbulence numOctaves="9"/><feGaussianBlur stdDeviation="99"/>'.repeat(30)}</filter><rect width="2000" height="2000" filter="url(#f)"/></svg>`,
)

describe('the brand of an app', () => {
  it('is shown on its sign-in page and to its customers, not to others', async () => {
    const { pair } = await createApp(service.db, { name: 'shop', passcode: true }, service.clock)
    const logo = await images.logo(await image(960, 320).jpeg().toBuffer(), 1)
    await brandApp(service.db, 'shop', { title: 'Shop Ads', color: '#0a7d4f', logo })
    const { body } = await visit(service).call('GET', '/console/api/session?app=shop')
    expect(body).toMatchObject({ level: 'none', app: null, passcodes: true })
    expect(body.brand).toMatchObject({ title: 'Shop Ads', color: '#0a7d4f' })

    const customer = { company: 'A', email: 'a@shop.example' }
    await service.call('POST', '/customer', { app: pair, body: customer })
    const visitor = visit(service)
    const signedIn = await visitor.signIn({ ticket: await ticketFor(service, customer.email, pair) })
    expect(signedIn.body.brand).toEqual(body.brand)
    const out = await visitor.call('DELETE', '/console/api/session')
    expect(out.body.brand).toEqual(body.brand)
    expect((await visit(service).call('GET', '/console/api/session')).body.brand.title).toBe('Marquee')

    const file = await service.api.fastify.inject(body.brand.logo)
    expect(file.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await sharp(file.rawPayload).metadata()).toMatchObject({ format: 'png', width: 480, height: 160 })
  })

  it('takes a colour in capitals, and a title on one line only', async () => {
    const staff = await visitAsStaff(service)
    const edit = (body: object) => staff.call('PUT', '/console/api/brand', { body })
    const made = await edit({ title: 'Größe & Ads', color: '#ABCDEF' })
    expect([made.status, made.body.brand.color, made.body.brand.title]).toEqual([
      200,
      '#abcdef',
      'Größe & Ads',
    ])
    for (const title of ['Two\nlines', 'a\r\nBcc: x@y.example', 'a\u2028b', '\u0000']) {
      const { status, body } = await edit({ title })
      expect([status, body.errors[0].path]).toEqual([400, '/title'])
    }
    expect((await edit({ title: null, color: null })).status).toBe(200)
  })

  it('of an unknown or revoked app is that of Marquee, without passcodes', async () => {
    await createApp(service.db, { name: 'gone', passcode: true }, service.clock)
    await brandApp(service.db, 'gone', { title: 'Gone' })
    await revokeApp(service.db, 'gone', service.clock)
    for (const name of ['gone', 'never', '%F0%9F%9A%B2']) {
      const { body } = await visit(service).call('GET', `/console/api/session?app=${name}`)
      expect([body.brand.title, body.passcodes]).toEqual(['Marquee', false])
    }
  })

  it('a missing logo is 404', async () => {
    for (const name of [`${'0'.repeat(64)}.png`, 'x', '..%2f..%2fetc%2fpasswd', `${'0'.repeat(64)}.svg`]) {
      expect((await service.api.fastify.inject(`/console/logo/${name}`)).statusCode).toBe(404)
    }
  })
})

describe('a logo file', () => {
  it('becomes a small PNG without metadata', async () => {
    const photo = await image(30, 10)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .toBuffer()
    const logo = await images.logo(photo, 1)
    expect(await sharp(logo).metadata()).toMatchObject({ format: 'png', width: 30, height: 10 })
    expect(logo.includes('somebody')).toBe(false)
  })

  it('that is a drawing is refused by its first bytes, before anything that could draw it starts', async () => {
    const others = startImages()
    await expect(others.logo(SLOW_DRAWING, 1)).rejects.toMatchObject({ code: 'invalid_input' })
    expect(others.pids()).toEqual([])
    // The tests of the demo, which draws, may have run in this process.
    decoder.block({ operation: ['VipsForeignLoadSvgBuffer'] })
    expect(await shrinkLogo(SLOW_DRAWING)).toBeNull()
    await others.stop()
  })

  it('that staff send as a drawing gets 400', async () => {
    const { pair } = await createApp(service.db, { name: 'draws', passcode: true }, service.clock)
    const staff = await visitAsStaff(service, pair)
    const logo = SLOW_DRAWING.toString('base64')
    const answer = await staff.call('PUT', '/console/api/brand', { body: { title: 'Draws', logo } })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'the logo must be a PNG, JPEG, WebP or GIF image',
    ])
  })

  it('with too many pixels is refused', async () => {
    const huge = await image(5_000, 4_000).png().toBuffer()
    await expect(images.logo(huge, 1)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['text', Buffer.from('no image')],
    ['nothing', Buffer.alloc(0)],
    ['too large', Buffer.alloc(MAX_LOGO_FILE_BYTES + 1)],
  ])('that is %s is refused', async (_, bytes) => {
    await expect(images.logo(bytes, 1)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
