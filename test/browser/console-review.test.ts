// The queue of banners that wait for a person, in the console: by mouse and by keyboard, in German on a phone.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { livingAppId } from '../../src/identity/apps.ts'
import { addStaff } from '../../src/identity/staff/staff.ts'
import { until } from '../support/banners.ts'
import { passcodeFor } from '../support/console.ts'
import {
  buildTree,
  type Console,
  openAsStaff,
  signedInAsStaff,
  signedInBy,
  soon,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

/** Where it is another day than in UTC. */
const ZONE = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati'

let app: Console
beforeAll(async () => {
  app = await startConsole({ TIMEZONE: ZONE })
})
afterAll(() => app?.close())

/** What a test has left. */
afterEach(async () => {
  for (const { bid, round } of await queue())
    await app.service.call('PUT', `/review/${bid}/approve`, { body: { round } })
})

const STILL = { reducedMotion: 'reduce' } as const
const overhang = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const queue = async (): Promise<{ bid: number; round: number }[]> =>
  (await app.service.call('GET', '/review')).body

/** A customer whose banners wait for a person, with one for each name. */
async function waiting(company: string, names: string[]) {
  const customer = await app.service.newCustomer({ company })
  await app.service.call('PUT', `/customer/${customer.cuid}`, { body: { review: 'manual' } })
  const banners = []
  for (const name of names) {
    const tree = await buildTree(app, customer, name)
    await until(async () => ((await queue()).some(({ bid }) => bid === tree.bid) ? true : null))
    const path = `/campaign/${tree.cid}/persona/${tree.pid}/banner/${tree.bid}?cuid=${customer.cuid}`
    banners.push(async () => (await app.service.call('GET', path, { as: customer })).body)
  }
  return { customer, banners }
}

it('staff come from the cockpit, see the banner, whose it is and where it leads, and decide by keys', async () => {
  app.asks('PUT /review/:id/approve 409')
  const { customer, banners } = await waiting('Keyed Ltd', ['One', 'Two', 'Three'])
  const { page, context, elsewhere, faults } = await openAsStaff(app, STILL)
  const toLookAt = page.getByRole('button', { name: 'Banners to review' })
  await toLookAt.getByText('3', { exact: true }).waitFor()
  const today = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: ZONE }).format(
    app.service.clock.nowMs(),
  )
  await toLookAt.getByText(`oldest since ${today}`).waitFor()
  await page.getByRole('link', { name: 'Review 3 banners' }).click()
  const card = (name: string) => page.getByRole('region', { name: `Banner ${name}`, exact: true })
  await card('One').waitFor()
  await card('One').getByRole('link', { name: 'Keyed Ltd' }).waitFor()
  await card('One').getByRole('link', { name: 'https://bikes.example/' }).waitFor()
  const image = page.getByRole('img', { name: 'The image of One' })
  const width = () => page.evaluate<number>(`document.querySelector('.rv-picture img').naturalWidth`)
  await soon(width).toBe(300)
  expect(await image.getAttribute('src')).toMatch(/\/creative\/\w+\.png$/)
  await page.getByText('1 of 3').waitFor()
  expect(await violationsInBoth(page)).toEqual([])

  await page.keyboard.press('ArrowRight')
  await page.getByText('2 of 3').waitFor()
  await page.keyboard.press('ArrowLeft')
  await card('One').waitFor()
  await page.keyboard.press('a')
  await page.getByText('One is approved.').waitFor()
  await card('Two').waitFor()
  expect((await banners[0]!()).status).toBe('approved')

  await page.keyboard.press('r')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  // Keys are letters here.
  await dialog.getByLabel('Reason').pressSequentially('a rare typo')
  await dialog.getByRole('button', { name: 'Reject' }).click()
  await page.getByText('Two is rejected.').waitFor()
  expect(await banners[1]!()).toMatchObject({
    status: 'rejected',
    findings: [{ code: 'rejected_by_hand', params: { reason: 'a rare typo' } }],
  })

  // Somebody else was faster.
  await card('Three').waitFor()
  const [last] = await queue()
  await app.service.call('PUT', `/review/${last!.bid}/approve`, { body: { round: 1 } })
  await page.keyboard.press('a')
  await page.getByText('Somebody else has decided it, or it has changed since.').waitFor()
  await page.getByText('No banners to review').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  expect(elsewhere).toEqual([])
  expect(faults).toEqual([])

  // The customer reads why.
  await page.goto(`${app.url}/console/customers/${customer.cuid}?tab=settings`)
  const choice = page.getByRole('radiogroup', { name: 'Review of banners' })
  await choice.getByText('Automatic').click()
  await page.getByText('Saved.').waitFor()
  expect((await app.service.call('GET', `/customer/${customer.cuid}`)).body.review).toBe('automatic')
  await context.close()
})

it('support decides in German on a phone, without sideways scrolling; finance only looks', async () => {
  app.asks('PUT /review/:id/reject 400')
  const { banners } = await waiting('Tasten GmbH', ['Eins', 'Zwei'])
  const appId = await livingAppId(app.service.db, 'default')
  const signIn = async (role: 'support' | 'finance', options: object) => {
    const email = `${role}@review.example`
    await addStaff(app.service.db, appId, { email, name: null, role }, app.service.clock)
    return signedInBy(app, { email, ...(await passcodeFor(app.service, email)) }, options)
  }
  const finance = await signIn('finance', STILL)
  await finance.page.goto(`${app.url}/console/review`)
  await finance.page.getByRole('region', { name: 'Banner Eins' }).waitFor()
  await finance.page.keyboard.press('a')
  expect(await finance.page.getByRole('button', { name: /Approve|Reject/ }).count()).toBe(0)
  expect((await banners[0]!()).status).toBe('pending')
  await finance.context.close()

  const phone = { ...STILL, locale: 'de-DE', viewport: { width: 390, height: 844 } }
  const { page, context } = await signIn('support', phone)
  await page.goto(`${app.url}/console/review`)
  await page.getByRole('region', { name: 'Banner Eins' }).waitFor()
  expect([await violations(page), await overhang(page)]).toEqual([[], 0])
  await page.getByRole('button', { name: 'Freigeben' }).click()
  await page.getByText('Eins ist freigegeben.').waitFor()
  await page.getByRole('region', { name: 'Banner Zwei' }).waitFor()
  await page.getByRole('button', { name: 'Ablehnen' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Ablehnen' }).click()
  await expect.poll(() => dialog.getByLabel('Grund').getAttribute('aria-invalid')).toBe('true')
  expect([await violations(page), await overhang(page)]).toEqual([[], 0])
  await dialog.getByLabel('Grund').fill('Zu klein.')
  await dialog.getByRole('button', { name: 'Ablehnen' }).click()
  await page.getByText('Kein Banner wartet').waitFor()
  expect((await banners[1]!()).status).toBe('rejected')
  await context.close()
})

it('a page with the super pair shows the queue of the app', async () => {
  await waiting('Paired Ltd', ['Only'])
  const { page, context } = await signedInAsStaff(app, STILL)
  await page.goto(`${app.url}/console/review`)
  await page.getByRole('region', { name: 'Banner Only' }).waitFor()
  await page.getByText('1 of 1').waitFor()
  await context.close()
})
