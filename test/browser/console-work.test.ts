// The daily tools of a buyer: complete orders or nothing, copies, bulk changes, budgets edited in place, undo, and a
// status that says what is missing.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import {
  buildTree,
  type Console,
  fromMenu,
  image,
  signedIn,
  soon,
  startConsole,
  violations,
} from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
})
afterAll(() => app?.close())

const call = async (method: string, path: string, body?: object) =>
  (await app.service.call(method, `${path}?cuid=${customer.cuid}`, { as: customer, body })).body
const read = (path: string) => call('GET', path)
const names = async () => (await read('/campaign')).map(({ name }: { name: string }) => name)

async function at(path: string): Promise<{ page: Page; close: () => Promise<void> }> {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console${path}`)
  return { page, close: () => context.close() }
}

/** The option that Enter takes. */
const marked = (page: Page, name: string) =>
  page.getByRole('option', { name }).and(page.locator('[data-combobox-selected]'))

it('a campaign is created with its persona and banners or not at all, and every wrong field is marked at once', async () => {
  app.asks('POST /campaign 400')
  const { page, close } = await at('/campaigns')
  await page.getByRole('link', { name: 'New campaign' }).first().click()
  await page.getByLabel('Name').first().fill('All or nothing')
  await page.getByLabel('Daily budget').fill('0')
  await page.getByLabel('Click URL').fill('nowhere')
  const file = { name: 'a.png', mimeType: 'image/png', buffer: await image(300, 250) }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('img', { name: 'Preview of a' }).waitFor()
  const create = page.getByRole('button', { name: 'Create campaign' })
  await create.click()
  const budget = page.getByLabel('Daily budget')
  // The budget is marked while it is typed, the others by the answer.
  for (const field of [
    budget,
    page.getByRole('textbox', { name: 'Add a place' }),
    page.getByLabel('Click URL'),
  ])
    await soon(() => field.getAttribute('aria-invalid')).toBe('true')
  expect(await names()).toEqual([])

  await budget.fill('200')
  await page.getByLabel('Click URL').fill('https://bikes.example/a')
  await page.getByRole('textbox', { name: 'Add a place' }).fill('berlin')
  await page.getByRole('option', { name: 'Berlin' }).first().click()
  await create.click()
  await page.getByRole('heading', { level: 1, name: 'All or nothing has been created' }).waitFor()
  expect(await names()).toEqual(['All or nothing'])
  // Not to an empty form, as if nothing had been created.
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
  await close()
})

it('a whole campaign is created by keyboard alone', async () => {
  const { page, close } = await at('/create')
  // From the beginning: the browser takes a moment to hand its choosers to the test.
  const chooser = page.waitForEvent('filechooser', { timeout: 240_000 })
  chooser.catch(() => {})
  await page.getByRole('heading', { level: 1, name: 'New campaign' }).waitFor()
  const active = (script: string) => page.evaluate<string>(`document.activeElement.${script}`)
  const labelled = `labels?.[0]?.textContent ?? document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent`
  const tabTo = async (wanted: RegExp) => {
    for (let steps = 0; steps < 60; steps++) {
      if (wanted.test(await active(labelled))) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`${wanted} is not reached by Tab`)
  }
  await tabTo(/^Name/)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('By keyboard')
  await tabTo(/^Daily budget/)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('1,234.50')
  await tabTo(/^Add a place/)
  await page.keyboard.type('toron')
  await marked(page, 'Toronto, Ontario, Canada').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove Toronto, Ontario, Canada' }).waitFor()
  await tabTo(/^Tablet/)
  await page.keyboard.press('Space')
  await tabTo(/^Drop images/)
  await page.keyboard.press('Enter')
  const buffer = await image(728, 90)
  await (await chooser).setFiles({ name: 'key.png', mimeType: 'image/png', buffer })
  await page.getByRole('img', { name: 'Preview of key' }).waitFor()
  await tabTo(/^Create campaign/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'By keyboard has been created' }).waitFor()
  const made = (await read('/campaign')).at(-1)
  expect(made).toMatchObject({ name: 'By keyboard', dailySpend: 1234.5 })
  const [persona] = await read(`/campaign/${made.cid}/persona`)
  expect(persona).toMatchObject({ geo: { geos: ['CA-ON-Toronto'] }, device: { tablet: false, mobile: true } })
  expect(await read(`/campaign/${made.cid}/persona/${persona.pid}/banner`)).toHaveLength(1)
  await close()
})

it('a place is never chosen by a mark that another list had', async () => {
  const { page, close } = await at('/create')
  // The first list stays until the second comes.
  let answer = () => {}
  const held = new Promise<void>(resolve => {
    answer = resolve
  })
  const toron = /\/reference\/geo\?.*q=toron/
  await page.route(toron, route => held.then(() => route.continue()))
  const field = page.getByRole('textbox', { name: 'Add a place' })
  await field.fill('toro')
  await page.getByRole('option').nth(2).waitFor()
  const asked = page.waitForRequest(toron)
  await field.fill('toron')
  await asked
  // Nothing is marked meanwhile.
  for (let down = 0; down < 3; down++) await field.press('ArrowDown')
  expect(await marked(page, 'Toronto, Ontario, Canada').count()).toBe(0)
  answer()
  await marked(page, 'Toronto, Ontario, Canada').waitFor()
  expect(await violations(page, 'color-contrast')).toEqual([])
  await field.press('Enter')
  await page.getByRole('button', { name: 'Remove Toronto, Ontario, Canada' }).waitFor()
  await close()
})

it('Enter takes no place of what was typed before, and a search that fails does not say that there is none', async () => {
  app.asks('GET /reference/geo 503')
  const { page, close } = await at('/create')
  let answer = () => {}
  const held = new Promise<void>(resolve => {
    answer = resolve
  })
  const berlin = /\/reference\/geo\?.*q=berlin/
  await page.route(berlin, route => held.then(() => route.continue()))
  const field = page.getByRole('textbox', { name: 'Add a place' })
  await field.fill('toronto')
  await marked(page, 'Toronto, Ontario, Canada').waitFor()
  await field.fill('berlin')
  await field.press('Enter')
  await page.waitForRequest(berlin)
  await field.press('Enter')
  answer()
  await marked(page, 'Berlin, Germany').waitFor()
  expect(await page.getByRole('button', { name: /^Remove / }).count()).toBe(0)
  expect(await page.getByText('Please check').count()).toBe(0)
  await field.press('Enter')
  await page.getByRole('button', { name: 'Remove Berlin, Germany' }).waitFor()
  await page.route(/\/reference\/geo\?.*q=paris/, route =>
    route.fulfill({ status: 503, json: { code: 'unavailable', message: 'not now' } }),
  )
  await field.fill('paris')
  const list = page.getByRole('listbox', { name: 'Places' })
  await list.getByText(/try again/i).waitFor()
  expect(await list.getByText('No matching place').count()).toBe(0)
  // With the connection, it asks again by itself.
  await page.unrouteAll()
  await page.evaluate(`for (const name of ['offline', 'online']) dispatchEvent(new Event(name))`)
  await marked(page, 'Paris, France').first().waitFor()
  // Who searches does not mean to send the form.
  await page.getByRole('button', { name: 'Choose categories' }).click()
  await page.getByRole('textbox', { name: 'Find a category' }).fill('sport')
  await page.keyboard.press('Enter')
  await page.getByText('Around a point').click()
  const city = page.getByRole('combobox', { name: 'Find a city' })
  await city.fill('ottawa')
  await city.press('Enter')
  await page.getByRole('option', { name: 'Ottawa, Ontario, Canada' }).waitFor()
  await city.press('Enter')
  await soon(() => page.getByLabel('Latitude').inputValue()).toMatch(/^45\./)
  expect(await page.getByText('Please check').count()).toBe(0)
  await close()
})

it('places are shown by the names of their states, not by codes', async () => {
  const { cid, pid } = await buildTree(app, customer, 'Places')
  const geo = { geos: ['DE-BE', 'CA-ON-Toronto'] }
  await call('PUT', `/campaign/${cid}/persona/${pid}`, { geo })
  const { page, close } = await at(`/campaigns/${cid}?tab=personas`)
  await page.getByText('Berlin, Germany · Toronto, Ontario, Canada').waitFor()
  await page.goto(`${app.url}/console/campaigns/${cid}/personas/${pid}`)
  await page.getByRole('tab', { name: 'Targeting' }).click()
  for (const name of ['Berlin, Germany', 'Toronto, Ontario, Canada'])
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
  await close()
})

it('a campaign, a persona and a banner are duplicated', async () => {
  const { cid, pid, bid } = await buildTree(app, customer, 'Original')
  const { page, close } = await at(`/campaigns/${cid}`)
  const heading = page.getByRole('heading', { level: 1, name: 'Original (copy)' })
  await (await fromMenu(page, 'Duplicate')).dblclick()
  await heading.waitFor()
  expect((await names()).filter((name: string) => name === 'Original (copy)')).toHaveLength(1)
  const copy = (await read('/campaign')).find(({ name }: { name: string }) => name === 'Original (copy)')
  expect(copy).toMatchObject({ enabled: false, dailySpend: 50 })
  // Back closes a question, and does not ask it about the campaign before.
  await (await fromMenu(page, 'Delete')).click()
  const asked = page.getByRole('dialog', { name: 'Delete “Original (copy)”?' })
  await asked.waitFor()
  await page.goBack()
  await asked.waitFor({ state: 'hidden' })
  expect([await heading.count(), await page.getByRole('dialog').count()]).toEqual([1, 0])
  expect(await read(`/campaign/${copy.cid}/persona`)).toHaveLength(1)

  for (const path of [
    `/campaigns/${cid}/personas/${pid}`,
    `/campaigns/${cid}/personas/${pid}/banners/${bid}`,
  ]) {
    await page.goto(`${app.url}/console${path}`)
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await heading.waitFor()
  }
  expect(await read(`/campaign/${cid}/persona`)).toHaveLength(2)
  expect(await read(`/campaign/${cid}/persona/${pid}/banner`)).toHaveLength(2)
  await close()
})

it('budget, dates, price and state of many campaigns are changed at once, each with its own result', async () => {
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const dates = { start: now - 60, end: now + 86_400, dailySpend: 10 }
  const one = await call('POST', '/campaign', { name: 'Many one', ...dates })
  const two = await call('POST', '/campaign', { name: 'Many two', ...dates, end: now + 20 * 86_400 })
  // Its flight would lie outside the shorter dates.
  await call('POST', `/campaign/${two.cid}/flight`, { name: 'Long', start: now, end: now + 15 * 86_400 })
  const { page, close } = await at('/campaigns')
  await page.getByRole('searchbox', { name: 'Search' }).fill('Many')
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit 2 campaigns' })
  await dialog.getByLabel('Daily budget').fill('50')
  await dialog.getByText('By percentage').click()
  await dialog.getByText('= 50% more').waitFor()
  await dialog.getByText(/^Many (one, Many two|two, Many one)$/).waitFor()
  await dialog.getByText('Daily budgets together: $20.00 → $30.00').waitFor()
  const end = new Date((now + 5 * 86_400) * 1000).toISOString().slice(0, 16)
  await dialog.getByLabel('End').fill(end)
  await dialog.getByRole('combobox', { name: 'Pay for' }).click()
  await page.getByRole('option', { name: 'Clicks', exact: true }).click()
  await dialog.getByRole('combobox', { name: 'Delivery' }).click()
  await page.getByRole('option', { name: 'Pause' }).click()
  // Clicks have no usual price.
  expect(await dialog.getByRole('button', { name: 'Apply to all' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Price per click').fill('0.40')
  const apply = dialog.getByRole('button', { name: 'Apply to all' })
  // Without the service nothing that was typed is lost, and the reason is shown.
  await page.route('**/bulk?*', route => route.abort())
  await apply.click()
  await dialog.getByText('The service cannot be reached.', { exact: false }).waitFor()
  expect(await dialog.getByLabel('Daily budget').inputValue()).toBe('50')
  await page.unroute('**/bulk?*')
  // Percent are of what the budgets are by now.
  await call('PUT', `/campaign/${one.cid}`, { dailySpend: 20 })
  await apply.click()
  const refused = dialog.getByRole('row').filter({ hasText: 'Many two' })
  await refused.getByText('Failed').waitFor()
  await dialog.getByRole('row').filter({ hasText: 'Many one' }).getByText('Done').waitFor()
  expect(await read(`/campaign/${one.cid}`)).toMatchObject({
    ...{ dailySpend: 30, enabled: false, pricing: 'cpc', cpc: 0.4 },
  })
  // Refused means: nothing of it was done.
  expect(await read(`/campaign/${two.cid}`)).toMatchObject({ dailySpend: 10, enabled: true })
  // All that was done is taken back by one click.
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  await dialog.getByText('1 campaign changed').waitFor()
  expect(await read(`/campaign/${one.cid}`)).toMatchObject({
    ...{ dailySpend: 20, end: dates.end, enabled: true, pricing: 'cpm', cpc: null },
  })
  await close()
})

it('a budget of a month is edited in place with that of the day, and in bulk', async () => {
  const { cid } = await buildTree(app, customer, 'By the month')
  const { cid: other } = await buildTree(app, customer, 'By the day')
  const days = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 0)).getUTCDate()
  const partOf = (month: number) => Math.ceil((month * 100) / days - 1e-6) / 100
  await call('PUT', `/campaign/${cid}`, { monthlySpend: 500, dailySpend: partOf(500) })
  await call('PUT', `/campaign/${other}`, { dailySpend: 20 })
  const { page, close } = await at('/campaigns')
  const button = page.getByRole('button', { name: /^Edit the budget of By the month, \$500\.00 a month/ })
  await button.click()
  const monthly = page.getByLabel('Monthly budget of By the month').last()
  const daily = page.getByLabel('Daily budget of By the month').last()
  await monthly.fill('600')
  expect(Number(await daily.inputValue())).toBe(partOf(600))
  await page.keyboard.press('Enter')
  await soon(async () => (await read(`/campaign/${cid}`)).monthlySpend).toBe(600)
  expect((await read(`/campaign/${cid}`)).dailySpend).toBe(partOf(600))
  // A day that is its own does not follow.
  const again = page.getByRole('button', { name: /^Edit the budget of By the month, \$600\.00 a month/ })
  await again.click()
  await daily.fill('50')
  await monthly.fill('700')
  await page.keyboard.press('Enter')
  await soon(async () => (await read(`/campaign/${cid}`)).monthlySpend).toBe(700)
  expect((await read(`/campaign/${cid}`)).dailySpend).toBe(50)

  await page.getByRole('searchbox', { name: 'Search' }).fill('By the')
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit 2 campaigns' })
  await dialog.getByText('Per month').click()
  await dialog.getByLabel('Monthly budget').fill('300')
  await dialog.getByText('Monthly: $700.00 → $600.00').waitFor()
  await dialog.getByRole('button', { name: 'Apply to all' }).click()
  await dialog.getByText('2 campaigns changed').waitFor()
  for (const one of [cid, other])
    expect(await read(`/campaign/${one}`)).toMatchObject({ monthlySpend: 300, dailySpend: partOf(300) })
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  await soon(async () => (await read(`/campaign/${other}`)).monthlySpend).toBe(null)
  expect(await read(`/campaign/${cid}`)).toMatchObject({ monthlySpend: 700, dailySpend: 50 })
  await close()
})

it('the budget of a row is edited in place', async () => {
  app.asks('PUT /campaign/:id 400', 'PUT /campaign/:id 412')
  const { cid } = await buildTree(app, customer, 'On the spot')
  const { page, close } = await at('/campaigns')
  await page.getByRole('button', { name: /^Edit the budget of On the spot/ }).click()
  const field = page.getByLabel('Daily budget of On the spot').last()
  await field.fill('-3')
  await page.keyboard.press('Enter')
  await soon(() => field.getAttribute('aria-invalid')).toBe('true')
  await field.fill('1,500')
  const sent = page.waitForRequest(request => request.method() === 'PUT')
  await page.keyboard.press('Enter')
  // More than ten times what is usual here: it is asked about first.
  const question = page.getByRole('dialog', { name: '$1,500.00 a day?' })
  await question.getByRole('button', { name: 'Change budget' }).click()
  await question.waitFor({ state: 'detached' })
  expect((await read(`/campaign/${cid}`)).dailySpend).not.toBe(1500)
  await field.press('Enter')
  await question.getByRole('button', { name: 'Save changes' }).click()
  expect((await sent).headers()['if-match']).toBeDefined()
  const button = page.getByRole('button', { name: /^Edit the budget of On the spot/ })
  await soon(() => button.getAttribute('aria-label')).toContain('$1,500.00')
  expect((await read(`/campaign/${cid}`)).dailySpend).toBe(1500)

  // Nothing typed is lost by Escape, and nobody's change is overwritten.
  await button.click()
  await field.fill('70')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click()
  expect(await field.inputValue()).toBe('70')
  await call('PUT', `/campaign/${cid}`, { dailySpend: 60 })
  await field.press('Enter')
  const both = page.getByRole('dialog', { name: /changed this in the meantime/ })
  await both.getByRole('radio', { name: '$60.00' }).waitFor()
  await both.getByRole('radio', { name: '$70.00' }).waitFor()
  await both.getByRole('button', { name: 'Save these values' }).click()
  await soon(() => button.getAttribute('aria-label')).toContain('$70.00')
  expect((await read(`/campaign/${cid}`)).dailySpend).toBe(70)

  // The budgets of what can run are added up.
  await page.getByRole('searchbox', { name: 'Search' }).fill('On the spot')
  const sum = page.locator('tfoot').getByText('$70.00')
  await sum.waitFor()
  await page.getByRole('switch', { name: 'Deliver On the spot' }).press('Space')
  await sum.waitFor({ state: 'detached' })
  await page.getByRole('switch', { name: 'Deliver On the spot' }).press('Space')
  await sum.waitFor()

  // A switch that is refused says so.
  await call('DELETE', `/campaign/${cid}`)
  await page.getByRole('switch', { name: 'Deliver On the spot' }).press('Space')
  await page.getByText('1 was refused and left unchanged.').waitFor()
  await button.waitFor({ state: 'detached' })
  await close()
})

it('a banner is paused and resumed', async () => {
  const { cid, pid, bid } = await buildTree(app, customer, 'Pausable')
  const { page, close } = await at(`/campaigns/${cid}/personas/${pid}`)
  const path = `/campaign/${cid}/persona/${pid}/banner/${bid}`
  const banner = () => read(path)
  // Names often differ only in their ends: these are in sight.
  await call('PUT', path, { name: 'City bikes 300x250' })
  await page.reload()
  const name = page.getByRole('link', { name: 'City bikes 300x250' })
  const [inside, cell] = await Promise.all([
    name.boundingBox(),
    name.locator('xpath=ancestor::td').boundingBox(),
  ])
  expect(inside!.x + inside!.width).toBeLessThanOrEqual(cell!.x + cell!.width)
  await call('PUT', path, { name: 'Pausable' })
  await page.reload()
  await page.getByRole('switch', { name: 'Deliver Pausable' }).press('Space')
  await soon(async () => (await banner()).enabled).toBe(false)
  await page.getByRole('link', { name: 'Pausable' }).last().click()
  await page.getByText('Paused').first().waitFor()
  // The campaign says at once what it lacks now, and what it no longer lacks.
  const crumb = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Pausable' })
  await crumb.first().click()
  await page.getByText('Banners paused').waitFor()
  await page.goBack()
  await page.getByRole('switch', { name: 'Deliver' }).press('Space')
  await soon(async () => (await banner()).enabled).toBe(true)
  await crumb.first().click()
  await page.getByText('Running').waitFor()
  await close()
})

it('deleted things are restored by undo', async () => {
  app.asks(
    'GET /campaign/:id/persona/:id 404',
    'GET /campaign/:id/persona/:id/banner 404',
    'GET /campaign/:id/persona/:id/banner/:id 404',
    'GET /campaign/:id/persona/:id/funnel 404',
  )
  const { cid, pid, bid } = await buildTree(app, customer, 'Undone')
  const paths = [
    `/campaigns/${cid}/personas/${pid}/banners/${bid}`,
    `/campaigns/${cid}/personas/${pid}`,
    `/campaigns/${cid}`,
  ]
  const apis = [
    `/campaign/${cid}/persona/${pid}/banner/${bid}`,
    `/campaign/${cid}/persona/${pid}`,
    `/campaign/${cid}`,
  ]
  const { page, close } = await at('/campaigns')
  for (const [index, path] of paths.entries()) {
    await page.goto(`${app.url}/console${path}`)
    const isCampaign = path === `/campaigns/${cid}`
    await (isCampaign ? await fromMenu(page, 'Delete') : page.getByRole('button', { name: 'Delete' })).click()
    // By a double click, of which the second is not another deletion.
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).dblclick()
    await page.getByText('“Undone” was deleted.').waitFor()
    expect((await read(apis[index]!)).code).toBe('not_found')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 1, name: 'Undone' }).waitFor()
    await soon(async () => (await read(apis[index]!)).name).toBe('Undone')
  }
  await close()
})

it('a campaign that lacks something says what, and the overview shows it first', async () => {
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const dates = { start: now - 60, end: now + 86_400, dailySpend: 10 }
  await call('POST', '/campaign', { name: 'Lacking', ...dates })
  const { page, close } = await at('/campaigns')
  const row = page.getByRole('row').filter({ hasText: 'Lacking' })
  await row.getByText('No persona').waitFor()
  expect(await row.getByText('Running').count()).toBe(0)
  await page.goto(`${app.url}/console/`)
  await page.getByRole('link', { name: 'Lacking' }).waitFor()
  const [first] = await page.getByRole('heading', { level: 2 }).allTextContents()
  expect(first).toBe('Needs attention')
  // On a phone a name without a space does not push the page aside.
  const long = 'W'.repeat(200)
  await call('POST', '/campaign', { name: long, ...dates })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await page.getByRole('link', { name: long }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await close()
})
