// A customer that pays in advance, in the console: staff turn it on and credit it, the customer sees its balance, and its
// statement prints as one document.

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  buildTree,
  type Console,
  openAsStaff,
  signedIn,
  soon,
  startConsole,
  violations,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

const account = async (cuid: number) => (await app.service.call('GET', `/customer/${cuid}/account`)).body

it('staff turn it on, credit what was paid once, and end the account', async () => {
  const { cuid } = await app.service.newCustomer({ company: 'Blue Bikes' })
  const { page, context } = await openAsStaff(app)
  await page.goto(`${app.url}/console/customers/${cuid}`)
  await page.getByRole('switch', { name: 'Prepaid' }).press('Space')
  await soon(() => account(cuid)).toMatchObject({ prepaid: true, balance: 0 })
  await page.getByRole('button', { name: 'Credit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Credit' })
  await dialog.getByRole('button', { name: 'Add to balance' }).click()
  await soon(() => dialog.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Amount').fill('1,250.50')
  await dialog.getByLabel('Reference').fill('invoice-1')
  await dialog.getByLabel('Note').fill('By bank')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add to balance' }).click()
  await page.getByText('The balance is $1,250.50 now.').waitFor()
  expect(await account(cuid)).toMatchObject({ balance: 1250.5 })
  await page.getByLabel('Low balance').fill('20')
  await page.getByRole('button', { name: 'Save limit' }).click()
  await soon(() => account(cuid)).toMatchObject({ lowBalance: 20 })
  expect(await violations(page)).toEqual([])

  await page.getByRole('link', { name: 'Statement' }).click()
  await page.getByRole('cell', { name: 'Credit invoice-1 · By bank' }).waitFor()
  expect(await violations(page)).toEqual([])

  await page.goto(`${app.url}/console/customers/${cuid}`)
  await page.getByRole('switch', { name: 'Prepaid' }).press('Space')
  await page.getByRole('dialog').getByRole('button', { name: 'End account' }).click()
  await soon(() => account(cuid)).toMatchObject({ prepaid: false, balance: 0 })
  await context.close()
})

it('a new customer may pay in advance from the start', async () => {
  const { page, context } = await openAsStaff(app)
  await page.goto(`${app.url}/console/customers`)
  await page.getByRole('button', { name: 'New customer' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New customer' })
  await dialog.getByLabel('Company').fill('Green Bikes')
  await dialog.getByLabel('Email').fill('green@bikes.example')
  await dialog.getByRole('switch', { name: 'Prepaid' }).press('Space')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create customer' }).click()
  await soon(async () => {
    const { body } = await app.service.call('GET', '/customer')
    return body.find((one: { email: string }) => one.email === 'green@bikes.example')?.prepaid
  }).toBe(true)
  await context.close()
})

it('the customer sees its balance with its campaigns, and a statement in German that prints alone', async () => {
  const customer = await app.service.newCustomer()
  await buildTree(app, customer, 'Spring bikes')
  const { cuid, email } = customer
  const address = { address: 'Radweg 7', zip: '10115', city: 'Berlin', language: 'de', externalId: 'crm-7' }
  await app.service.call('PUT', `/customer/${cuid}`, { body: { prepaid: true, ...address } })
  await app.service.call('POST', `/customer/${cuid}/credit`, { body: { amount: 99.5, reference: 'R-1' } })
  const { page, context } = await signedIn(app, email)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByText('Guthaben: 99,50').waitFor()
  // And where a campaign is created, which spends it.
  await page.goto(`${app.url}/console/create`)
  await page.getByText('Guthaben: 99,50').waitFor()
  await page.getByRole('link', { name: 'Kontoauszug' }).click()
  await page.getByRole('cell', { name: 'Gutschrift R-1' }).waitFor()
  expect(await violations(page)).toEqual([])
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toMatch(/^Kontoauszug-\d+-\d{4}-\d\d\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  expect(text.startsWith('\ufeffZeit;Art;Betrag')).toBe(true)
  expect(text).toContain(';Gutschrift;99,5;')
  await page.emulateMedia({ media: 'print' })
  await soon(() => page.getByRole('navigation').first().isVisible()).toBe(false)
  for (const text of ['Radweg 7', '10115 Berlin', 'Kundennummer crm-7', `${cuid}-`, 'Endsaldo', '99,50'])
    expect(await page.getByText(text).first().isVisible(), text).toBe(true)
  expect(await page.getByRole('button', { name: 'Drucken' }).isVisible()).toBe(false)
  await context.close()
})
