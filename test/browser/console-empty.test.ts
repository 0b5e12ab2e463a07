// Pages before there is anything on them: they show how they will look and one next step, and nobody takes the example for
// figures of their own.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import {
  buildTree,
  type Console,
  openSignedIn,
  signedIn,
  soon,
  startConsole,
  violationsInBoth,
} from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ name: 'Ann Rider', prepaid: true })
})
afterAll(() => app?.close())

const EXAMPLE = 'An example, not your figures'

it('the first visit says what to do in which order, and its example is silent', async () => {
  const { page, context, faults } = await openSignedIn(app, customer.email, { reducedMotion: 'reduce' })
  await page.getByRole('heading', { level: 1, name: 'Welcome, Ann Rider' }).waitFor()
  const steps = page.getByRole('list', { name: 'First steps' }).getByRole('listitem')
  await steps.getByText('Have your balance credited').waitFor()
  await page.getByText(EXAMPLE).waitFor()
  await page.locator('.example-chart svg').waitFor()
  // What is read aloud has no invented figure, and says why.
  const heard = await page.getByRole('main').ariaSnapshot()
  expect(heard).not.toMatch(/632|1,897|3\.70/)
  expect(heard).toContain('an example of this page with invented figures')
  expect(await violationsInBoth(page)).toEqual([])
  // One filled button: the next step.
  expect(
    await page.locator('main .mantine-Button-root:not([data-variant="default"])').allTextContents(),
  ).toEqual(['New campaign'])
  const body = { amount: 20, reference: 'R-1' }
  await app.service.call('POST', `/customer/${customer.cuid}/credit`, { body })
  await page.reload()
  await steps.getByText('Balance credited').waitFor()
  expect(await steps.first().textContent()).toContain('$20.00')
  await page.getByRole('main').getByRole('link', { name: 'New campaign' }).click()
  await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  expect(faults).toEqual([])
  await context.close()
})

it('the first visit proposes the zone of the browser, and a new campaign its country and city', async () => {
  const shop = await app.service.newCustomer({ name: 'Tor Ontoe' })
  const { page, context } = await openSignedIn(app, shop.email, { timezoneId: 'America/Toronto' })
  await page.getByText('Your clock says America/Toronto').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByRole('button', { name: 'Use America/Toronto' }).click()
  await soon(() => page.getByText('Your clock says').count()).toBe(0)
  const read = await app.service.call('GET', `/customer/${shop.cuid}`)
  expect(read.body.timezonePending?.timezone ?? read.body.timezone).toBe('America/Toronto')
  await page.getByRole('main').getByRole('link', { name: 'New campaign' }).click()
  await page.getByRole('button', { name: 'Remove Canada' }).waitFor()
  await page.getByText('Around a point', { exact: true }).click()
  await soon(() => page.getByLabel('Latitude').inputValue()).toMatch(/^43\.[67]/)
  await context.close()
})

it('campaigns, statistics and conversions show how they will look, in German on a phone too', async () => {
  const phone = { reducedMotion: 'reduce', locale: 'de-DE', viewport: { width: 320, height: 640 } } as const
  for (const options of [{ reducedMotion: 'reduce' } as const, phone]) {
    const { page, context } = await signedIn(app, customer.email, options)
    const isGerman = options === phone
    for (const [path, title] of [
      ['/', isGerman ? 'Erste Schritte' : 'First steps'],
      ['/campaigns', isGerman ? 'Hier stehen bald Ihre Kampagnen' : 'Your campaigns will be listed here'],
      ['/statistics', isGerman ? 'Zahlen kommen mit' : 'Figures arrive with the first impression'],
      ['/conversions', isGerman ? 'Sehen, was jeder' : 'See what each sale was worth'],
    ] as const) {
      await page.goto(`${app.url}/console${path}`)
      await page
        .getByRole('region', { name: title })
        .or(page.getByRole('list', { name: title }))
        .waitFor()
      const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect([path, wide, await violationsInBoth(page)]).toEqual([path, 0, []])
      const cut =
        '[...document.querySelectorAll(".tile-rows .trunc")].filter(name => name.scrollWidth > name.clientWidth)'
      expect(await page.evaluate(`${cut}.map(name => name.textContent)`)).toEqual([])
    }
    await context.close()
  }
})

it('statistics name the campaign that begins next, until one has begun', async () => {
  const other = await app.service.newCustomer()
  const { cid } = await buildTree(app, other, 'Spring tulips')
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const path = `/campaign/${cid}?cuid=${other.cuid}`
  const dates = { start: now + 86_400, end: now + 5 * 86_400 }
  await app.service.call('PUT', path, { as: other, body: dates })
  const { page, context } = await signedIn(app, other.email)
  await page.goto(`${app.url}/console/statistics`)
  await page.getByText(/Spring tulips starts on/).waitFor()
  await page.getByRole('link', { name: 'Look at Spring tulips' }).click()
  await page.getByRole('heading', { level: 1, name: 'Spring tulips' }).waitFor()
  await app.service.call('PUT', path, { as: other, body: { start: now - 3600 } })
  await page.goto(`${app.url}/console/statistics`)
  await page.getByText('Today so far').waitFor()
  expect(await page.getByText(EXAMPLE).count()).toBe(0)

  // A search that found nothing says what was searched, and is undone by one button.
  await page.goto(`${app.url}/console/campaigns?campaigns.q=store`)
  await page.getByText('Nothing matches “store”').waitFor()
  await page.getByText('Searched in 1 row.').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await page.getByRole('link', { name: 'Spring tulips' }).waitFor()
  await soon(() => new URL(page.url()).searchParams.get('campaigns.q')).toBe(null)
  // So does a part of the list that has no rows.
  await page.goto(`${app.url}/console/campaigns?campaigns.show=ended`)
  await page.getByText('Nothing in this part of the list').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('link', { name: 'Spring tulips' }).waitFor()
  await context.close()
})
