// The table of campaigns with five thousand rows: few are drawn, all are sorted, searched, paused and written to CSV.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import { type Console, openSignedIn, startConsole } from './console-page.ts'

const ROWS = 5000
let app: Console
let customer: TestPair & { cuid: number; email: string }
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer()
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const create = (index: number) =>
    app.service.call('POST', `/campaign?cuid=${customer.cuid}`, {
      as: customer,
      body: { name: nameOf(index), start: now - 60, end: now + 86_400, dailySpend: index / 100 },
    })
  const CREATED_AT_ONCE = 20
  for (let first = 1; first <= ROWS; first += CREATED_AT_ONCE) {
    await Promise.all(Array.from({ length: CREATED_AT_ONCE }, (_, offset) => create(first + offset)))
  }
}, 300_000)
afterAll(() => app?.close())

function nameOf(index: number): string {
  if (index === 7) return '=HYPERLINK("x")'
  return index % 500 === 250 ? `Special ${index}` : `Campaign ${index}`
}
const rowsOf = (page: Page) => page.locator('tbody tr[aria-rowindex]')
const firstName = (page: Page) => rowsOf(page).first().getByRole('link').textContent()

it('only the rows in sight are drawn, and the last of thousands is reached by scrolling', async () => {
  const { page, context } = await openSignedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await rowsOf(page).first().waitFor()
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(ROWS + 1))
  expect(await rowsOf(page).count()).toBeLessThan(80)
  await page.getByRole('button', { name: 'Daily budget' }).click()
  await expect.poll(() => firstName(page)).toBe(nameOf(ROWS))
  await page.getByRole('region', { name: 'Campaigns' }).evaluate(region => {
    region.scrollTop = region.scrollHeight
  })
  await page.getByRole('link', { name: 'Campaign 1', exact: true }).waitFor()
  expect(await rowsOf(page).count()).toBeLessThan(80)
  await context.close()
})

it('a click sorts by a column, another turns it round', async () => {
  const { page, context } = await openSignedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  const header = page.getByRole('columnheader', { name: 'Daily budget' })
  await header.getByRole('button').click()
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending')
  expect(await firstName(page)).toBe(nameOf(ROWS))
  await header.getByRole('button').click()
  await expect.poll(() => firstName(page)).toBe(nameOf(1))
  expect(await header.getAttribute('aria-sort')).toBe('ascending')
  await context.close()
})

it('what was searched for is paused and resumed together', async () => {
  const { page, context } = await openSignedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('special')
  await page.getByText('10 rows').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('10 campaigns paused.').waitFor()
  const { body } = await app.service.call('GET', `/campaign?cuid=${customer.cuid}`, { as: customer })
  const paused = body.filter((campaign: { enabled: boolean }) => !campaign.enabled)
  expect(paused.length).toBe(10)
  expect(paused.every((campaign: { name: string }) => campaign.name.startsWith('Special'))).toBe(true)
  await context.close()
})

it('the CSV holds what is shown, in its order, and no formula', async () => {
  const { page, context } = await openSignedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('button', { name: 'Daily budget' }).click()
  await page.getByRole('button', { name: 'Daily budget' }).click()
  await expect.poll(() => firstName(page)).toBe(nameOf(1))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  const lines = (await readFile((await download.path())!, 'utf8')).trim().split('\r\n')
  expect(lines.length).toBe(ROWS + 1)
  expect(lines[0]).toContain('Daily budget')
  expect(lines[1]).toContain('Campaign 1,')
  expect(lines[7]).toContain('"\'=HYPERLINK(""x"")"')
  await context.close()
})
