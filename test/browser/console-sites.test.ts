// Where ads may be shown, in the console: site lists, what publishers ask of ads, and the sites of a customer.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAdvertiser } from '../support/banners.ts'
import { type Console, signedInAsStaff, startConsole, violationsInBoth } from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

const STILL = { reducedMotion: 'reduce' } as const

it('staff add a site list, learn which line is wrong, change it, see who names it, and cannot delete it while it is named', async () => {
  app.asks('PUT /site-list/premium 400', 'DELETE /site-list/premium 409')
  const { page, context, faults } = await signedInAsStaff(app, STILL)
  await page.goto(`${app.url}/console/site-lists`)
  await page.getByText('No site lists yet').waitFor()
  await page.getByRole('button', { name: 'New list' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Key' }).fill('premium')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Premium news')
  await dialog.getByRole('textbox', { name: 'Sites and apps' }).fill('news.example\nhttps://b.example/')
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add list' }).click()
  await dialog.getByText('Write a domain such as news.example', { exact: false }).waitFor()
  await dialog.getByRole('textbox', { name: 'Sites and apps' }).fill('news.example\nb.example')
  await dialog.getByRole('button', { name: 'Add list' }).click()
  await page.getByText('Saved.').waitFor()

  await page.getByRole('button', { name: 'Edit Premium news' }).click()
  await dialog.getByRole('textbox', { name: 'Sites and apps' }).fill('news.example\nb.example\napp:c')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await app.service.call('GET', '/site-list/premium')
  expect(body.entries).toEqual(['news.example', 'b.example', 'app:c'])

  const { cuid } = await newAdvertiser(app.service)
  const named = await app.service.call('PUT', `/customer/${cuid}`, {
    body: { sites: { not: ['list:premium'] } },
  })
  expect(named.status, named.text).toBe(200)
  await page.reload()
  await page.getByRole('button', { name: 'Delete Premium news' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('alert').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

it('staff set the least price of a publisher, by size too, and what it refuses; its page says so', async () => {
  const { page, context, faults } = await signedInAsStaff(app, STILL)
  const made = await app.service.call('POST', '/source', {
    body: { kind: 'site', name: 'weekly', domain: 'weekly.example' },
  })
  const { sourceId } = made.body
  await page.goto(`${app.url}/console/sources/${sourceId}`)
  await page.getByRole('button', { name: 'Edit weekly' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Lowest CPM', exact: true }).fill('0.80')
  await dialog.getByRole('textbox', { name: 'Lowest CPM by size' }).fill('970x250 3.00')
  await dialog.getByRole('textbox', { name: 'Refused advertisers' }).fill('casino.example')
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Ads bring at least $0.80 per 1,000 impressions.').waitFor()
  await page.getByText('For 970x250: at least $3.00.').waitFor()
  await page.getByText('Refused: casino.example').waitFor()
  const { body } = await app.service.call('GET', `/source/${sourceId}`)
  expect(body).toMatchObject({
    floorCpm: 0.8,
    floorCpmBySize: [{ size: '970x250', cpm: 3 }],
    refuses: { categories: [], advertisers: ['casino.example'] },
  })
  expect(faults).toEqual([])
  await context.close()
})
