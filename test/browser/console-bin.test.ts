// The bin in the browser: what was deleted, by whom and until when, and how it comes back.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { invitationIn, mailsTo } from '../support/console.ts'
import {
  buildTree,
  type Console,
  fromMenu,
  signedIn,
  signedInBy,
  soon,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

it('a customer finds what was deleted from the list of campaigns, and restores it by keyboard', async () => {
  const customer = await app.service.newCustomer({ name: 'Ann Rider' })
  const spring = await buildTree(app, customer, 'Spring bikes')
  const autumn = await buildTree(app, customer, 'Autumn bikes')
  const call = (method: string, path: string) =>
    app.service.call(method, `${path}?cuid=${customer.cuid}`, { as: customer })
  const { page, context, faults } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${autumn.cid}?tab=settings`)
  await (await fromMenu(page, 'Delete')).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
  const banner = `/campaign/${spring.cid}/persona/${spring.pid}/banner/${spring.bid}`
  for (const path of [banner, `/campaign/${spring.cid}/persona/${spring.pid}`]) await call('DELETE', path)

  await page.getByRole('link', { name: 'Open the bin' }).press('Enter')
  const items = page.getByRole('list', { name: 'Bin' }).getByRole('listitem')
  const row = items.filter({ hasText: 'Autumn bikes' })
  await row.getByText('Ann Rider').waitFor()
  await page.getByText('stay here for 30 days').waitFor()
  // A banner of a deleted persona comes back with it, or by itself after it.
  expect(await items.count()).toBe(2)
  expect(await violationsInBoth(page)).toEqual([])
  await row.getByRole('button', { name: 'Restore Autumn bikes' }).press('Enter')
  await page.getByText('“Autumn bikes” was restored.').waitFor()
  await row.waitFor({ state: 'detached' })
  expect((await call('GET', `/campaign/${autumn.cid}`)).status).toBe(200)
  await items.filter({ hasText: 'Persona of' }).getByRole('button').press('Enter')
  await items.filter({ hasText: 'Banner of' }).getByRole('button').press('Enter')
  await page.getByText('The bin is empty').waitFor()
  expect((await call('GET', banner)).status).toBe(200)
  await page.getByText('for 30 days').waitFor()
  expect(faults).toEqual([])
  await context.close()
})

it('on a phone and in German, a viewer sees the bin and restores nothing', async () => {
  const customer = await app.service.newCustomer({ company: 'Bin Bikes' })
  const { cid } = await buildTree(app, customer, 'Spring bikes')
  const path = `/campaign/${cid}?cuid=${customer.cuid}`
  expect((await app.service.call('DELETE', path, { as: customer })).status).toBe(200)
  const viewer = 'viewer@bin.example'
  const body = { email: viewer, role: 'viewer' }
  await app.service.call('POST', `/customer/${customer.cuid}/member`, { body })
  const [mail] = await mailsTo(app.service, viewer)
  const phone = { viewport: { width: 390, height: 800 }, locale: 'de-DE' }
  const { page, context } = await signedInBy(app, { invitation: invitationIn(mail!) }, phone)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('link', { name: 'Papierkorb' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Spring bikes' }).waitFor()
  expect(await page.getByRole('button', { name: /wiederherstellen/i }).count()).toBe(0)
  expect(await violations(page)).toEqual([])
  const sideways = () => page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  await soon(sideways).toBeLessThanOrEqual(0)
  await context.close()
})
