// The table of campaigns with two thousand rows: only a few are drawn, and all are sorted, searched, filtered, paused
// and written to CSV. Choices are in the address; columns are remembered.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import { type Console, signedIn, startConsole } from './console-page.ts'

const ROWS = 2000
let app: Console
let customer: TestPair & { cuid: number; email: string }
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer()
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  // A busy machine must do each call within its deadline.
  const AT_ONCE = 250
  for (let first = 1; first <= ROWS; first += AT_ONCE) {
    const operations = Array.from({ length: AT_ONCE }, (_, offset) => ({
      op: 'createCampaign',
      body: {
        name: nameOf(first + offset),
        start: now - 60,
        end: now + 86_400,
        dailySpend: (first + offset) / 100,
      },
    }))
    const { status, text } = await app.service.call('POST', `/bulk?cuid=${customer.cuid}`, {
      as: customer,
      body: { operations },
    })
    if (status !== 200) throw new Error(text)
  }
})
afterAll(() => app?.close())

function nameOf(index: number): string {
  if (index === 7) return '=HYPERLINK("x")'
  if (index === 8) return '\uff1d1, or x,@y'
  if (index === 9) return 'Café Zürich'
  return index % 10 === 5 ? `Special ${index}` : `Campaign ${index}`
}
const rowsOf = (page: Page) => page.locator('tbody tr[aria-rowindex]')
const firstName = (page: Page) => rowsOf(page).first().getByRole('link').textContent()

it('only the visible rows are drawn, the last of thousands can be reached by scrolling, and clicks sort them', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await rowsOf(page).first().waitFor()
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(ROWS + 1))
  await page.getByText('Total of 2,000').waitFor()
  expect(await rowsOf(page).count()).toBeLessThan(80)
  await page.getByRole('button', { name: 'Daily budget' }).click()
  await expect.poll(() => firstName(page)).toBe(nameOf(ROWS))
  await page.getByRole('region', { name: 'Campaigns' }).evaluate(region => {
    region.scrollTop = region.scrollHeight
  })
  await page.getByRole('link', { name: 'Campaign 1', exact: true }).waitFor()
  expect(await rowsOf(page).count()).toBeLessThan(80)
  await page.getByRole('region', { name: 'Campaigns' }).evaluate(region => {
    region.scrollTop = 0
  })
  const header = page.getByRole('columnheader', { name: 'Daily budget' })
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending')
  await expect.poll(() => firstName(page)).toBe(nameOf(ROWS))
  await header.getByRole('button').click()
  await expect.poll(() => firstName(page)).toBe(nameOf(1))
  expect(await header.getAttribute('aria-sort')).toBe('ascending')
  await context.close()
})

/** What is drawn where the middle of the focused element should be, if it is something else. */
const HIDDEN = `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => {
  const focused = document.activeElement
  const { x, y, width, height } = focused.getBoundingClientRect()
  const there = document.elementFromPoint(x + width / 2, y + height / 2)
  const shown = there && (focused.contains(there) || there.contains(focused))
  return shown ? null : (focused.getAttribute('aria-label') ?? focused.textContent) + ' is under ' + there?.className
})`

it('what gets the focus by keyboard is never under the header, the totals or the first column, on a phone too', async () => {
  for (const viewport of [
    { width: 320, height: 640 },
    { width: 1280, height: 720 },
  ]) {
    const { page, context } = await signedIn(app, customer.email, { viewport })
    await page.goto(`${app.url}/console/campaigns`)
    await rowsOf(page).or(page.locator('.ccard')).first().waitFor()
    await page.getByRole('checkbox', { name: 'Select all' }).focus()
    const hidden: string[] = []
    for (const [key, times] of [
      ['Tab', 70],
      ['Shift+Tab', 60],
    ] as const)
      for (let n = 0; n < times; n++) {
        await page.keyboard.press(key)
        const found = await page.evaluate<string | null>(HIDDEN)
        if (found) hidden.push(`${key} ${n}: ${found}`)
      }
    expect(hidden).toEqual([])
    await context.close()
  }
})

it('on a phone the campaigns are cards: few of two thousand are drawn, and the last is reached by scrolling', async () => {
  const { page, context } = await signedIn(app, customer.email, { viewport: { width: 390, height: 844 } })
  await page.goto(`${app.url}/console/campaigns?campaigns.sort=-dailySpend`)
  const cards = page.getByRole('list', { name: 'Campaigns' }).getByRole('listitem')
  await cards.first().waitFor()
  expect(await cards.first().getByRole('link').textContent()).toBe(nameOf(ROWS))
  expect(await cards.count()).toBeLessThan(40)
  expect(await page.getByRole('table').count()).toBe(0)
  await expect
    .poll(async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return page.getByRole('link', { name: 'Campaign 1', exact: true }).count()
    })
    .toBe(1)
  expect(await cards.count()).toBeLessThan(40)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  await context.close()
})

it('with Shift, all rows from the one chosen before are chosen, in the order shown', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns?campaigns.sort=dailySpend`)
  const tick = (index: number) => page.getByRole('checkbox', { name: `Select ${nameOf(index)}`, exact: true })
  await tick(2).click()
  await tick(8).click({ modifiers: ['Shift'] })
  await page.getByRole('region', { name: '7 selected' }).waitFor()
  expect(await tick(5).isChecked()).toBe(true)
  expect(await tick(1).isChecked()).toBe(false)
  // Upwards and off again, the same way.
  await tick(6).click({ modifiers: ['Shift'] })
  await page.getByRole('region', { name: '4 selected' }).waitFor()
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await page.getByRole('region', { name: 'selected' }).waitFor({ state: 'detached' })
  await context.close()
})

it('the 200 rows found by a search are paused together, by one call', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('special')
  await page.getByText('200 rows').waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  const calls: string[] = []
  page.on('request', request => {
    if (request.method() === 'POST') calls.push(new URL(request.url()).pathname)
  })
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('200 campaigns paused.').waitFor()
  expect(calls).toEqual(['/bulk'])
  const { body } = await app.service.call('GET', `/campaign?cuid=${customer.cuid}`, { as: customer })
  const paused = body.filter((campaign: { enabled: boolean }) => !campaign.enabled)
  expect(paused.length).toBe(200)
  expect(paused.every((campaign: { name: string }) => campaign.name.startsWith('Special'))).toBe(true)
  await context.close()
})

const today = () => new Date(app.service.clock.nowMs()).toISOString().slice(0, 10)

it('the CSV contains what is shown, in its order, with ids, ISO dates, currency and period, and no formula', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns?range=today&campaigns.sort=dailySpend`)
  await expect.poll(() => firstName(page)).toBe(nameOf(1))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`campaigns-${today()}-${today()}.csv`)
  const file = await readFile((await download.path())!, 'utf8')
  // Spreadsheets take a file without this mark for another alphabet.
  expect(file.charCodeAt(0)).toBe(0xfeff)
  const lines = file.slice(1).trimEnd().split('\r\n')
  expect(lines.length).toBe(ROWS + 1)
  const head = lines[0]!.replace(/"[^"]*"/g, 'Cost per thousand').split(',')
  const first = lines[1]!.split(',')
  const at = (title: string) => first[head.findIndex(name => name.startsWith(title))]
  const { body } = await app.service.call('GET', `/campaign?cuid=${customer.cuid}`, { as: customer })
  const campaign = body.find((one: { name: string }) => one.name === 'Campaign 1')
  expect([at('ID'), at('Campaign')]).toEqual([String(campaign.cid), 'Campaign 1'])
  expect([at('Daily budget (USD)'), at('Spend (USD)')]).toEqual(['0.01', '0'])
  expect(at('Start')).toBe(new Date(campaign.start * 1000).toISOString().replace('.000', ''))
  expect(at('On/off')).toBe('Yes')
  expect([at('First day'), at('Last day')]).toEqual([today(), today()])
  expect(lines[7]).toContain('"\'=HYPERLINK(""x"")"')
  expect(lines[8]).toContain('"\'\uff1d1, or x,\'@y"')
  await context.close()
})

it('a German reader gets the CSV as a German spreadsheet reads it', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'de-DE' })
  await page.goto(`${app.url}/console/campaigns?range=today&campaigns.sort=dailySpend`)
  await expect.poll(() => firstName(page)).toBe(nameOf(1))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  const file = await readFile((await download.path())!, 'utf8')
  expect(file.charCodeAt(0)).toBe(0xfeff)
  const [head, first] = file
    .slice(1)
    .split('\r\n')
    .map(line => line.split(';'))
  const at = (title: string) => first![head!.findIndex(name => name.startsWith(title))]
  expect([at('Kampagne'), at('Tagesbudget (USD)'), at('An/Aus')]).toEqual(['Campaign 1', '0,01', 'Ja'])
  await context.close()
})

it('search matches what is shown, and an id only if it was typed whole', async () => {
  const { page, context } = await signedIn(app, customer.email)
  const { body } = await app.service.call('GET', `/campaign?cuid=${customer.cuid}`, { as: customer })
  const { cid } = body.find((one: { name: string }) => one.name === 'Café Zürich')
  const part = String(cid).slice(0, -1)
  const named = body.filter((one: { name: string }) => one.name.includes(part)).length
  await page.goto(`${app.url}/console/campaigns`)
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.fill(part)
  await page.getByText(`${named} rows`, { exact: true }).waitFor()
  await search.fill(String(cid))
  await page.getByText(`with the ID ${cid}`).waitFor()
  await page.getByRole('link', { name: 'Café Zürich' }).waitFor()
  await context.close()
})

it('search without accents, filters and order are in the address: Back and a link show the same rows', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('searchbox', { name: 'Search' }).fill('CAFE zurich')
  await page.getByText('1 row', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).fill('special')
  await page.getByText('200 rows').waitFor()
  await page.getByRole('button', { name: 'Daily budget' }).click()
  await page.getByRole('button', { name: 'Filters' }).click()
  const atLeast = page.getByRole('textbox', { name: 'At least' })
  await atLeast.fill('0.01')
  await page.getByText('0 rows', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByText('200 rows').waitFor()
  expect(await atLeast.inputValue()).toBe('')
  await page.getByRole('checkbox', { name: 'Paused' }).check()
  await atLeast.fill('0')
  await page.getByText('200 rows').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.url()).toContain('campaigns.q=special')
  await expect.poll(() => firstName(page)).toBe('Special 1995')
  const link = page.url()
  await page.getByRole('link', { name: 'Special 1995' }).click()
  await page.getByRole('heading', { name: 'Special 1995' }).waitFor()
  await page.goBack()
  for (const seen of [page, await context.newPage()]) {
    if (seen !== page) await seen.goto(link)
    await seen.getByText('200 rows').waitFor()
    await expect.poll(() => firstName(seen)).toBe('Special 1995')
    expect(await seen.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('special')
    await seen.getByRole('button', { name: '2 filters' }).waitFor()
  }
  await context.close()
})

it('a link clicked right after typing a search leads to its page without the search, however long it takes to load', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await rowsOf(page).first().waitFor()
  let delayed = 0
  await page.route(/\/campaign\.page/, async route => {
    delayed++
    await page.waitForTimeout(1_000)
    await route.continue()
  })
  await page.getByRole('searchbox', { name: 'Search' }).fill('Campaign 44')
  await page.getByRole('link', { name: 'Campaign 44', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Campaign 44' }).waitFor()
  expect(delayed).toBe(1)
  expect(page.url()).not.toContain('campaigns.q')
  await context.close()
})

it('hidden columns stay hidden, and the first column stays in view', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  const header = page.getByRole('columnheader', { name: 'Cost per action' })
  await header.waitFor()
  const region = page.getByRole('region', { name: 'Campaigns' })
  const link = rowsOf(page).first().getByRole('link')
  await region.evaluate(element => {
    element.scrollLeft = 600
  })
  const inside = (await region.boundingBox())!.x
  expect((await link.boundingBox())!.x).toBeGreaterThan(inside)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Cost per action' }).uncheck()
  await header.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('columnheader', { name: 'Cost per click' }).waitFor()
  expect(await header.count()).toBe(0)
  await context.close()
})

it('amounts of many digits are shown whole', async () => {
  const rich = await app.service.newCustomer()
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  for (const dailySpend of [60, 900_000_000]) {
    const body = { name: `Up to ${dailySpend}`, start: now - 60, end: now + 86_400, dailySpend }
    const { status } = await app.service.call('POST', `/campaign?cuid=${rich.cuid}`, { as: rich, body })
    expect(status).toBe(201)
  }
  const { page, context } = await signedIn(app, rich.email)
  await page.goto(`${app.url}/console/campaigns`)
  await rowsOf(page).getByText('$900,000,000.00').waitFor()
  const cut = `[...document.querySelectorAll('.table :is(tbody, tfoot) td')]
    .filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)`
  expect(await page.evaluate(cut)).toEqual([])
  await context.close()
})

it('status and dates are shown whole in German; a long name takes three lines of a card', async () => {
  const wordy = await app.service.newCustomer()
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const name = 'A name that says everything '.repeat(7).trim()
  const body = { name, start: now - 60, end: now + 500 * 86_400, dailySpend: 5 }
  await app.service.call('POST', `/campaign?cuid=${wordy.cuid}`, { as: wordy, body })
  const { page, context } = await signedIn(app, wordy.email, { locale: 'de-DE' })
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByText(/^Keine Persona · /).waitFor()
  const cut = `(one => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight])(
    document.querySelector('.state > span'))`
  expect(await page.evaluate(cut)).toEqual([0, 0])
  expect((await rowsOf(page).first().boundingBox())!.height).toBeLessThanOrEqual(61)
  await page.setViewportSize({ width: 390, height: 844 })
  const link = page.getByRole('listitem').getByRole('link', { name })
  await link.waitFor()
  const lines = `(one => one.clientHeight / parseFloat(getComputedStyle(one).lineHeight))(
    document.querySelector('.ccard a > span'))`
  expect(await page.evaluate(lines)).toBeCloseTo(3, 1)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)

  // A word of any length is broken; what is written from right to left is cut at its end, not at its beginning.
  const write = (text: string) => {
    const path = `/campaign?cuid=${wordy.cuid}`
    return app.service.call('POST', path, { as: wordy, body: { ...body, name: text } })
  }
  const arabic = `حملة ${'دراجات '.repeat(20).trim()}`
  await write('Donaudampfschifffahrtsgesellschaft'.repeat(5))
  await write(arabic)
  await page.reload()
  await page.getByRole('listitem').getByRole('link', { name: arabic }).waitFor()
  const wider = `[...document.querySelectorAll('.ccard a > span')].map(one => one.scrollWidth - one.clientWidth)`
  expect(await page.evaluate(wider)).toEqual([0, 0, 0])
  await page.setViewportSize({ width: 1320, height: 844 })
  await page.reload()
  await rowsOf(page).getByRole('link', { name: arabic }).waitFor()
  const isBeginningSeen = `(() => {
    const link = [...document.querySelectorAll('td a')].find(one => one.textContent.startsWith('حملة'))
    const range = document.createRange()
    range.setStart(document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode(), 0)
    range.setEnd(range.startContainer, 1)
    const [letter, box] = [range.getBoundingClientRect(), link.closest('td').getBoundingClientRect()]
    return letter.left >= box.left && letter.right <= box.right
  })()`
  expect(await page.evaluate(isBeginningSeen)).toBe(true)
  await context.close()
})
