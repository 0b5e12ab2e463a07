// The demo of a sandbox: what its history has, and its drawn banners.

import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../../sdk/client.ts'
import { createSandbox } from '../../../sdk/sandbox.ts'
import { freePort } from '../../../test/support/ports.ts'
import { startTestService } from '../../../test/support/service.ts'
import { AD_SIZES } from '../../manage/reference/ad-sizes.ts'
import { ADVERTISERS, buildHistory, demoCustomers } from './history.ts'
import { drawBanner } from './images.ts'

describe('a drawn banner', () => {
  it.each(ADVERTISERS.map(({ body, art }) => [body.company, art!] as const))(
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
