// A customer that pays in advance, in the console: staff turn it on and credit it, the customer sees its balance, and its
// statement prints as one document.

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bidRequest } from '../support/delivery.ts'
import type { TestPair } from '../support/service.ts'
import { recordEvents } from '../support/stats.ts'
import {
  buildTree,
  type Console,
  openAsStaff,
  signedIn,
  soon,
  startConsole,
  type Tree,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

const account = async (cuid: number) => (await app.service.call('GET', `/customer/${cuid}/account`)).body

it('staff turn it on, credit what was paid once, and end the account', async () => {
  app.asks('POST /customer/:id/credit 400')
  const { cuid } = await app.service.newCustomer({ company: 'Blue Bikes' })
  const { page, context } = await openAsStaff(app)
  await page.goto(`${app.url}/console/customers/${cuid}?tab=billing`)
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
  await page.getByText('The balance is now $1,250.50.').waitFor()
  expect(await account(cuid)).toMatchObject({ balance: 1250.5 })
  await page.getByLabel('Low balance').fill('-20')
  await page.getByLabel('Low balance').press('Tab')
  await page.getByText('Write an amount from $0.01 to $1,000,000,000.00.').waitFor()
  await page.getByLabel('Low balance').fill('20')
  await page.getByRole('button', { name: 'Save limit' }).click()
  await soon(() => account(cuid)).toMatchObject({ lowBalance: 20 })
  expect(await violations(page)).toEqual([])
  // On a phone the button is right below its field.
  await page.setViewportSize({ width: 390, height: 844 })
  const [field, button] = [page.getByLabel('Low balance'), page.getByRole('button', { name: 'Save limit' })]
  const [above, below] = [(await field.boundingBox())!, (await button.boundingBox())!]
  expect(below.y - above.y - above.height).toBeLessThan(48)
  await page.setViewportSize({ width: 1280, height: 720 })

  await page.getByRole('link', { name: 'Statement' }).click()
  await page.getByRole('cell', { name: 'Credit By bank, reference invoice-1' }).waitFor()
  expect(await violations(page)).toEqual([])

  // Back where the money is.
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').click()
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

it('the customer sees its balance with its campaigns, and a statement in German that adds up and prints alone on one page', async () => {
  const customer = await app.service.newCustomer()
  const tree = await buildTree(app, customer, 'Spring bikes')
  const { cuid, email } = customer
  const address = { address: 'Radweg 7', zip: '10115', city: 'Berlin', language: 'de', externalId: 'crm-7' }
  await app.service.call('PUT', `/customer/${cuid}`, { body: { prepaid: true, ...address } })
  await app.service.call('POST', `/customer/${cuid}/credit`, { body: { amount: 99.5, reference: 'R-1' } })
  await spend(customer, tree)
  const { page, context } = await signedIn(app, email)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByText('Guthaben: 97,00').waitFor()
  // On a tablet, no amount reaches into the column beside it.
  await page.setViewportSize({ width: 820, height: 1180 })
  await page.goto(`${app.url}/console/`)
  const amounts = page.locator('.hero .xl')
  await amounts.getByText('97,00').waitFor()
  const tooWide = () => amounts.evaluateAll(all => all.map(one => one.scrollWidth - one.clientWidth))
  await soon(tooWide).toEqual([0, 0, 0])
  await page.setViewportSize({ width: 1280, height: 720 })
  // And where a campaign is created, which spends it.
  await page.goto(`${app.url}/console/create`)
  await page.getByText('Guthaben: 97,00').waitFor()
  await page.getByRole('link', { name: 'Kontoauszug' }).click()
  await page.getByRole('cell', { name: 'Gutschrift Referenz R-1' }).waitFor()
  const paper = page.getByRole('article')
  await paper.getByRole('cell', { name: 'Werbung 5 Impressionen, 0 Klicks' }).waitFor()
  const totals = await paper.getByRole('definition').allTextContents()
  expect(totals.map(text => text.replace(/\s.*$/, ''))).toEqual(['0,00', '99,50', '-2,50', '97,00'])
  const byCampaign = paper.getByRole('table', { name: 'Ausgaben je Kampagne' })
  expect(await byCampaign.getByRole('row', { name: 'Spring bikes' }).textContent()).toMatch(/100\s%2,50/)
  expect(await violationsInBoth(page)).toEqual([])
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const file = await saved
  expect(file.suggestedFilename()).toMatch(/^Kontoauszug-\d+-\d{4}-\d\d\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  expect(text.startsWith('\ufeffZeit;Art;Betrag')).toBe(true)
  expect(text).toContain(';Gutschrift;99,5;')

  // The month is in the address, for Back and for a link.
  const month = page.getByRole('combobox', { name: 'Monat' })
  const present = await month.inputValue()
  await month.click()
  await page.getByRole('option').nth(1).click()
  await soon(() => page.url()).toMatch(/month=\d{4}-\d\d$/)
  await month.click()
  await page.getByRole('option', { name: present }).click()
  await soon(() => page.url()).not.toContain('month=')

  // As the browser prints it: one sheet, in the dark too, and nothing of the console on it.
  await page.emulateMedia({ colorScheme: 'dark' })
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await soon(() => page.getByRole('navigation').first().isVisible()).toBe(false)
  for (const text of ['Radweg 7', '10115 Berlin', 'Kunde crm-7', `${cuid}-`, 'Endsaldo', '99,50'])
    expect(await page.getByText(text).first().isVisible(), text).toBe(true)
  expect(await page.getByRole('button', { name: 'Drucken' }).isVisible()).toBe(false)
  const around = page.locator('main > *').filter({ visible: true })
  expect(await around.count()).toBe(1)
  expect(await paper.evaluate('getComputedStyle(document.querySelector(".paper")).color')).toBe(
    'rgb(23, 24, 31)',
  )
  // Other pages, too, print without what leads elsewhere, and light.
  await page.goto(`${app.url}/console/`)
  await amounts.first().waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  const schemes = ['beforeprint', 'afterprint'].map(event =>
    page.evaluate(
      `dispatchEvent(new Event('${event}')), document.documentElement.dataset.mantineColorScheme`,
    ),
  )
  expect(await Promise.all(schemes)).toEqual(['light', 'dark'])
  await context.close()
})

it('the overview says how long a balance lasts by the days on which money was spent', async () => {
  const customer = await app.service.newCustomer()
  const { cuid, email } = customer
  const { cid, pid, bid } = await buildTree(app, customer, 'Spring bikes')
  await app.service.call('PUT', `/customer/${cuid}`, { body: { prepaid: true } })
  await app.service.call('POST', `/customer/${cuid}/credit`, { body: { amount: 100, reference: 'R-2' } })
  const dayMs = 86_400_000
  const noonMs = (daysAgo: number) => (Math.floor(app.service.clock.nowMs() / dayMs) - daysAgo + 0.5) * dayMs
  const spent = { cuid, cid, pid, bid, fid: cid, kind: 'impression', spendMicros: 20_000_000 } as const
  await recordEvents(
    app.service.db,
    [1, 2].map(daysAgo => ({ ...spent, atMs: noonMs(daysAgo), adNumber: daysAgo })),
  )
  const { page, context } = await signedIn(app, email)
  const { balance } = await account(cuid)
  // A day that is over: what follows is not part of it.
  const day = new Date(noonMs(2)).toISOString().slice(0, 10)
  await page.goto(`${app.url}/console/?from=${day}&to=${day}`)
  await page.getByText(`Lasts about ${Math.floor(balance / 20)} days`).waitFor()
  // Four weeks, of which only the last two days and today cost something.
  await page.goto(`${app.url}/console/?range=28d`)
  const [least, most] = [Math.floor(balance / 20), Math.floor((balance / 40) * 3)]
  const lasts = page.getByText(/^Lasts about/)
  await soon(async () => Number(/\d+/.exec((await lasts.textContent()) ?? '')?.[0])).toSatisfy(
    (days: number) => days >= least && days <= most,
  )
  await context.close()
})

/** Five impressions for 2.50, as an exchange reports them. */
async function spend(customer: TestPair & { cuid: number }, { cid }: Tree): Promise<void> {
  const body = { cpm: 500, pacing: 'asap' }
  await app.service.call('PUT', `/campaign/${cid}?cuid=${customer.cuid}`, { as: customer, body })
  let billed = 0
  await soon(async () => {
    while (billed < 5 && (await isBilled())) billed++
    return billed
  }).toBe(5)
}

async function isBilled(): Promise<boolean> {
  const place = { country: 'DEU', lat: 52.52, lon: 13.405, type: 1 }
  const request = bidRequest({ id: crypto.randomUUID(), device: { devicetype: 4, geo: place }, user: {} })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(app.service.firstCredentials!.bidUrl, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  })
  if (answer.status !== 200) return false
  const { seatbid } = (await answer.json()) as { seatbid: { bid: { burl: string; price: number }[] }[] }
  const { burl, price } = seatbid[0]!.bid[0]!
  // Delivery hears of a new price a moment later.
  if (price !== 500) return false
  return (await fetch(burl.replace(/\$\{AUCTION_PRICE\}/, '500'), { method: 'POST' })).ok
}
