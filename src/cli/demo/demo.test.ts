// The demo, run against a running service as an operator runs it: what it creates, counts and removes.

import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../../sdk/client.ts'
import { createSandbox } from '../../../sdk/sandbox.ts'
import { freePort } from '../../../test/support/ports.ts'
import { runMarquee } from '../../../test/support/process.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { AD_SIZES } from '../../manage/reference/ad-sizes.ts'
import { buildHistory } from './history.ts'
import { drawBanner } from './images.ts'
import { demoCustomers, WORLD, worldSteps } from './world.ts'

let service: TestService
let baseUrl: string
let app: Client
let env: Record<string, string>
beforeAll(async () => {
  service = await startTestService()
  baseUrl = await service.listen()
  const credentials = { superkey: service.app.key, supertoken: service.app.token }
  app = createClient({ baseUrl, credentials })
  env = {
    DATABASE_URL: service.config.DATABASE_URL!,
    DATA_DIR: service.config.DATA_DIR,
    PUBLIC_URL: service.config.PUBLIC_URL,
  }
})
afterAll(() => service.close())

const demo = (...args: string[]) => runMarquee(['demo', '--url', baseUrl, ...args], env)

describe('marquee demo', () => {
  it('creates two advertisers whose campaigns deliver, and shows the figures that the service counted', async () => {
    const { code, output } = await demo('--seconds', '6', '--visits', '400')
    expect(code, output).toBe(0)
    expect(output).not.toContain('failed')
    expect(output).toMatch(/Spring bikes +running/)
    expect(output).toMatch(/Autumn preview +scheduled +0/)
    expect(output).toMatch(/Subscriptions +paused +0/)
    expect(output).toMatch(/\/console\?ticket=mqti_\w{43}/)
    const customers = await demoCustomers(app)
    expect(customers.map(customer => customer.email).sort()).toEqual(
      WORLD.map(customer => customer.email).sort(),
    )
    let imps = 0
    for (const { cuid } of customers) {
      for (const { cid } of await app.listCampaigns({ cuid })) {
        const summary = await app.readSummary({ cuid, id: cid })
        expect(output).toMatch(
          new RegExp(`\\b${summary.imps} +${summary.views} +${summary.clicks} +${summary.actions}\\b`),
        )
        imps += summary.imps
      }
    }
    expect(imps).toBeGreaterThan(50)
  })

  it('creates nothing twice if repeated', async () => {
    const count = () =>
      service.db.row(
        'select (select count(*) from customer) as customers, (select count(*) from banner) as banners',
      )
    const before = await count()
    expect((await demo('--seconds', '1', '--visits', '1')).code).toBe(0)
    expect(await count()).toEqual(before)
    expect(before).toEqual({ customers: 2, banners: worldSteps() })
  })

  it('removes its own customers, and no others', async () => {
    const { cuid } = await service.newCustomer()
    const { code, output } = await demo('--remove')
    expect([code, output]).toEqual([0, 'Removed 2 customers.\n'])
    expect((await app.listCustomers()).map(customer => customer.cuid)).toEqual([cuid])
    expect((await demo('--remove')).output).toContain('no demo')
  })

  it('says what is wrong if there is no service, no credentials or a bad option', async () => {
    const nowhere = await runMarquee(['demo', '--url', 'http://127.0.0.1:9'], env)
    expect([nowhere.code, nowhere.output]).toEqual([
      1,
      'marquee: no service is running at http://127.0.0.1:9; start it first\n',
    ])
    const other = await runMarquee(['demo'], { ...env, DATA_DIR: `${service.config.DATA_DIR}/other` })
    expect([other.code, other.output]).toEqual([1, expect.stringContaining('credentials.json')])
    expect((await demo('--visits', '0')).output).toContain('--visits must')
  })
})

describe('a drawn banner', () => {
  it.each(WORLD.map(customer => [customer.company, customer.art] as const))(
    'of %s has the right size and a small file, for every size',
    async (_, art) => {
      for (const { width, height, maxBytes } of AD_SIZES) {
        const image = await drawBanner(art, width, height)
        expect(await sharp(image).metadata()).toMatchObject({ format: 'png', width, height })
        expect(image.length).toBeLessThan(maxBytes)
      }
    },
  )
})

describe('the demo of a sandbox', () => {
  it('has a history with campaigns in every state, a rejected banner, purchases, notes, saved views, and 25 customers', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const settings = { SANDBOX: 'true', SANDBOX_START: '2026-10-01', PORT: String(port), PUBLIC_URL: url }
    const sandbox = await startTestService(settings)
    try {
      await sandbox.listen({ port, host: '127.0.0.1' })
      const credentials = { superkey: sandbox.app.key, supertoken: sandbox.app.token }
      const there = createClient({ baseUrl: url, credentials })
      const parts: number[] = []
      const wanted = { days: 3, perHour: 25, onProgress: (part: number) => void parts.push(part) }
      expect(await buildHistory(there, url, wanted)).toBe(true)
      expect(parts.at(-1)).toBe(1)
      const customers = await there.listCustomers()
      expect(customers.length).toBe(25)
      for (const { cuid } of customers)
        expect((await there.listCampaigns({ cuid })).length, `campaigns of ${cuid}`).toBeGreaterThan(0)
      const [bikes, coffee] = (await demoCustomers(there)).map(({ cuid }) => cuid)
      const states = async (cuid: number) =>
        Object.fromEntries((await there.listCampaigns({ cuid })).map(({ name, status }) => [name, status]))
      expect(await states(bikes!)).toEqual({
        'City bikes': 'running',
        'Helmets, a fixed budget': 'spent',
        'Summer sale': 'ended',
        'Next season': 'scheduled',
      })
      expect(await states(coffee!)).toMatchObject({ 'Morning roast': 'running', Subscriptions: 'paused' })
      const { cid } = (await there.listCampaigns({ cuid: bikes! })).find(({ name }) => name === 'City bikes')!
      const { pid } = (await there.listPersonas({ cuid: bikes!, cid }))[0]!
      const banners = await there.listBanners({ cuid: bikes!, cid, pid })
      expect(banners.map(({ status }) => status).toSorted()).toEqual([
        ...['approved', 'approved', 'approved', 'approved'],
        'rejected',
      ])
      const { rows } = await there.readReport({
        by: 'customer',
        start: Date.parse('2026-10-01') / 1000,
        end: Date.parse('2026-10-05') / 1000,
      })
      expect(rows.filter(({ imps }) => imps > 0).length).toBeGreaterThan(12)
      for (const row of rows.filter(({ cuid }) => cuid === bikes || cuid === coffee)) {
        expect(row.imps).toBeGreaterThan(0)
        expect(row.clicks).toBeGreaterThan(0)
      }
      for (const cuid of [bikes!, coffee!]) {
        const { now } = await createSandbox(there).clock()
        for (const { day } of await there.listNotes({ cuid }))
          expect(now - Date.parse(day) / 1000).toBeLessThan(28 * 86_400)
        expect((await there.listNotes({ cuid })).length).toBeGreaterThan(0)
        expect((await there.listSavedViews({ cuid })).length).toBeGreaterThan(0)
      }
      expect(await buildHistory(there, url, wanted)).toBe(false)
    } finally {
      await sandbox.close()
    }
  })
})
