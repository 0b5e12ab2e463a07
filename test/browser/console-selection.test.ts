// The list of campaigns in parts; deeds on selected ones: each says what it will do, is one deed, and is taken back as
// one; and what moves on the way.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import {
  buildTree,
  type Console,
  signedIn,
  signedInAsStaff,
  soon,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }

beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())
beforeEach(async () => {
  customer = await app.service.newCustomer()
  const nowS = Math.floor(app.service.clock.nowMs() / 1000)
  const dates = { start: nowS - 60, end: nowS + 20 * 86_400 }
  for (const [name, dailySpend] of [
    ['Roses', 66],
    ['Farewell', 12],
    ['Wedding', 18],
  ] as const)
    await call('POST', '/campaign', { name, dailySpend, ...dates })
})

interface Listed {
  name: string
  dailySpend: number
  enabled: boolean
}

async function call(method: string, path: string, body?: unknown) {
  return (await app.service.call(method, `${path}?cuid=${customer.cuid}`, { as: customer, body })).body
}
const listed = async (): Promise<Listed[]> => call('GET', '/campaign')
const names = async () => (await listed()).map(({ name }) => name).sort()
const budgets = async () => (await listed()).map(({ dailySpend }) => dailySpend).sort((a, b) => a - b)

const STILL = { reducedMotion: 'reduce' } as const
async function chosen(options: object = {}): Promise<{ page: Page; close: () => Promise<void> }> {
  const { page, context } = await signedIn(app, customer.email, { ...STILL, ...options })
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('checkbox', { name: /^(Select all|Alle auswählen)$/ }).check()
  return { page, close: () => context.close() }
}

it('is shown in parts, each with its number; the choice is in the address', async () => {
  const { cid, pid, bid } = await buildTree(app, customer, 'Lilies')
  const path = `/campaign/${cid}/persona/${pid}/banner/${bid}`
  await soon(async () => (await call('GET', path)).status).toBe('approved')
  await app.service.db.run(
    `update campaign set start_at = start_at - interval '9 days', end_at = start_at - interval '8 days'
     where cuid = $1 and name = 'Farewell'`,
    [customer.cuid],
  )
  const { page, context } = await signedIn(app, customer.email, STILL)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByText('All 4', { exact: true }).waitFor()
  const links = async () => (await page.locator('tbody a').allTextContents()).sort()
  await page.getByText('Ended 1', { exact: true }).click()
  await soon(links).toEqual(['Farewell'])
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByText('Can deliver 1', { exact: true }).click()
  await soon(links).toEqual(['Lilies'])
  await page.reload()
  await soon(links).toEqual(['Lilies'])
  await page.getByText('All 4', { exact: true }).click()
  await soon(links).toEqual(['Farewell', 'Lilies', 'Roses', 'Wedding'])
  await context.close()
})

it('sums of budgets count what can deliver, the same on every page; what was never shown has no click rate', async () => {
  const { cid, pid, bid } = await buildTree(app, customer, 'Lilies')
  const path = `/campaign/${cid}/persona/${pid}/banner/${bid}`
  await soon(async () => (await call('GET', path)).status).toBe('approved')
  const nowS = Math.floor(app.service.clock.nowMs() / 1000)
  // Neither today nor beside it, wherever the clock is.
  const today = new Date(nowS * 1000).getUTCDay()
  const open = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].filter((_, day) => (day - today + 8) % 7 > 2)
  const hours = Object.fromEntries(open.map(day => [day, [9, 10]]))
  const dates = { start: nowS - 60, end: nowS + 20 * 86_400 }
  await call('POST', '/campaign', { name: 'In hours', dailySpend: 30, hours, ...dates })
  await call('POST', '/campaign', { name: 'Later', dailySpend: 20, ...dates, start: nowS + 9 * 86_400 })
  const { page, context } = await signedIn(app, customer.email, STILL)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('row').filter({ hasText: 'Total of 6' }).getByText('$0.00 of $80.00').waitFor()
  const titles = await page.locator('thead th').allTextContents()
  const rate = page.getByRole('row').filter({ hasText: 'Lilies' }).locator('td').nth(titles.indexOf('CTR'))
  expect(await rate.textContent()).toBe('–')
  await page.goto(`${app.url}/console/`)
  await page.getByText('of $80.00').waitFor()
  // With hours there is no even line through the day to be behind of.
  await page.getByText("$80.00 left of today's budget").waitFor()
  await context.close()
})

it('raises all budgets by a share, with the old and the new total and the deed on its button, and takes it back as one', async () => {
  const { page, close } = await chosen()
  const bar = page.getByRole('region', { name: '3 selected' })
  await bar.getByText('$96.00 → $105.60 a day').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await bar.getByRole('button', { name: 'Raise 3 budgets' }).click()
  await page.getByText('3 campaigns changed').waitFor()
  expect(await budgets()).toEqual([13.2, 19.8, 72.6])
  await page.getByRole('button', { name: 'Undo' }).click()
  await soon(budgets).toEqual([12, 18, 66])

  await bar.getByRole('combobox', { name: 'Budgets' }).selectOption('−50 %')
  await bar.getByText('$96.00 → $48.00 a day').waitFor()
  await bar.getByRole('button', { name: 'Lower 3 budgets' }).click()
  await soon(budgets).toEqual([6, 9, 33])
  await close()
})

it('copies them, paused, and takes that back as one', async () => {
  const { page, close } = await chosen()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByText('3 campaigns copied; the copies are paused.').waitFor()
  const copies = (await listed()).filter(({ name }) => name.endsWith('(copy)'))
  expect(copies.map(({ enabled }) => enabled)).toEqual([false, false, false])
  await page.getByRole('link', { name: 'Roses (copy)' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await soon(names).toEqual(['Farewell', 'Roses', 'Wedding'])
  await page.getByRole('link', { name: 'Roses (copy)' }).waitFor({ state: 'detached' })
  await close()
})

it('asks before it deletes them, names them, and brings all of them back', async () => {
  const { page, close } = await chosen()
  const bar = page.getByRole('region', { name: '3 selected' })
  await bar.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 3 campaigns?' })
  for (const name of ['Roses', 'Farewell', 'Wedding']) expect(await dialog.textContent()).toContain(name)
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await names()).toHaveLength(3)
  await bar.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('3 campaigns deleted.').waitFor()
  expect(await names()).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await soon(names).toEqual(['Farewell', 'Roses', 'Wedding'])
  await page.getByRole('link', { name: 'Roses' }).waitFor()
  // Of one alone it speaks in the singular.
  await page.getByRole('checkbox', { name: 'Select Roses' }).click()
  await page.getByRole('region', { name: '1 selected' }).getByRole('button', { name: 'Delete' }).click()
  const one = page.getByRole('dialog', { name: 'Delete 1 campaign?' })
  await one.getByText('It stops immediately').waitFor()
  await close()
})

it('on a phone in German: cards with status, dates, money of today and a switch; nothing scrolls sideways', async () => {
  const { page, close } = await chosen({ locale: 'de-DE', viewport: { width: 390, height: 844 } })
  const bar = page.getByRole('region', { name: '3 ausgewählt' })
  await bar.getByText('96,00 $ → 105,60 $ am Tag').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('checkbox', { name: 'Alle auswählen' }).uncheck()
  await bar.waitFor({ state: 'detached' })
  const card = page.getByRole('listitem').filter({ hasText: 'Roses' })
  expect(await card.textContent()).toContain('Keine Persona · ')
  await card.getByRole('button', { name: /^Budget von Roses ändern/ }).waitFor()
  await card.getByRole('switch', { name: 'Roses ausliefern' }).press('Space')
  await soon(async () => (await listed()).find(({ name }) => name === 'Roses')?.enabled).toBe(false)
  await card.getByText('Pausiert').waitFor()
  expect(await violations(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  await close()
})

it.each([
  { width: 1280, isBeside: true },
  { width: 390, isBeside: false },
])('at $width px, amount or percentage is right beside the budget, or right below it', async options => {
  const { page, close } = await chosen({ viewport: { width: options.width, height: 844 } })
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: /^Edit \d+ campaigns$/ })
  const budget = (await dialog.getByLabel('Daily budget').boundingBox())!
  const choice = (await dialog.getByRole('radiogroup', { name: 'Budget change' }).boundingBox())!
  const below = choice.y - budget.y - budget.height
  // In the same line, or without a gap as high as a field.
  if (options.isBeside) expect(Math.abs(choice.y - budget.y)).toBeLessThan(8)
  else expect([below >= 0, below < budget.height]).toEqual([true, true])
  // A title of two lines can be read.
  const lead = `getComputedStyle(document.querySelector('[role=dialog] h2')).lineHeight`
  expect(Number.parseFloat(await page.evaluate(lead))).toBeGreaterThanOrEqual(20)
  await close()
})

/** What is declared of an element, if it takes any time. */
const motionOf = (page: Page, selector: string) =>
  page.evaluate<{ slides: string; plays: string }>(`(() => {
    const style = getComputedStyle(document.querySelector('${selector}'))
    const isLong = duration => Number.parseFloat(duration) > 0
    return {
      slides: isLong(style.transitionDuration) ? style.transitionProperty : 'none',
      plays: isLong(style.animationDuration) ? style.animationName : 'none',
    }
  })()`)

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  const moves = reducedMotion === 'no-preference'
  it(`${moves ? 'bars slide and the selection bar rises' : 'with reduced motion nothing slides or rises'}`, async () => {
    const [roses] = (await call('GET', '/campaign')) as { cid: number }[]
    await call('PUT', `/campaign/${roses!.cid}/pause`)
    const { page, close } = await chosen({ reducedMotion })
    await page.getByRole('region', { name: '3 selected' }).waitFor()
    await page.locator('.meter > span').first().waitFor({ state: 'attached' })
    expect((await motionOf(page, '.meter > span')).slides).toBe(moves ? 'width' : 'none')
    expect((await motionOf(page, '.selbar')).plays).toBe(moves ? 'rise' : 'none')
    const rise = await page.evaluate<string>(
      `[...document.styleSheets].flatMap(sheet => [...sheet.cssRules]).find(rule => rule.name === 'rise').cssText`,
    )
    expect(rise).toContain('translate: 0px 8px')
    await close()
  })

  it(`a customer that changes its group ${moves ? 'moves there' : 'is there at once, with reduced motion'}`, async () => {
    const { page, context } = await signedInAsStaff(app, { reducedMotion })
    // It looks again every minute; here sooner. What moves is written down.
    await page.addInitScript(`{
      const { setInterval } = window
      window.setInterval = (work, ms) => setInterval(work, Math.min(ms, 500))
      window.moved = []
      const { animate } = Element.prototype
      Element.prototype.animate = function (...args) {
        if (this.dataset.moves) window.moved.push(this.dataset.moves)
        return animate.apply(this, args)
      }
    }`)
    await page.goto(`${app.url}/console/customers`)
    const row = page.locator(`tr[data-moves="${customer.cuid}"]`)
    const group = page.locator('tbody', { has: row }).locator('.ck-group b')
    await soon(() => group.textContent()).toBe('Needs attention')
    for (const { cid } of (await call('GET', '/campaign')) as { cid: number }[])
      await call('PUT', `/campaign/${cid}/pause`)
    await soon(() => group.textContent()).toBe('Idle')
    const moved = await page.evaluate<string[]>('window.moved')
    expect(moved.includes(String(customer.cuid))).toBe(moves)
    if (!moves) expect(moved).toEqual([])
    await context.close()
  })
}
