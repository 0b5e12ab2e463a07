// The hours of a campaign in the console: a week that is painted with a mouse, a finger or the keyboard; and the time of
// a sandbox, which is moved.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/ports.ts'
import { startTestService, type TestPair } from '../support/service.ts'
import {
  actAs,
  buildTree,
  type Console,
  openAsStaff,
  signedIn,
  soon,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

const OFFICE = [9, 10, 11, 12, 13, 14, 15, 16]

let app: Console
let customer: TestPair & { cuid: number; email: string }
beforeAll(async () => {
  app = await startConsole({ TIMEZONE: 'Europe/Berlin' })
  customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
})
afterAll(() => app?.close())

const hoursOf = async (cid: number) =>
  (await app.service.call('GET', `/campaign/${cid}?cuid=${customer.cuid}`, { as: customer })).body.hours

const cell = (page: Page, day: string, hour: number) => page.locator(`[data-cell="${day} ${hour}"]`)
const onlySome = (page: Page) => page.getByRole('switch', { name: 'Only in certain hours of the week' })
const grid = (page: Page) => page.getByRole('grid', { name: 'Hours of the week' })

async function openSettings(page: Page, cid: number): Promise<void> {
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=settings`)
  await page.getByRole('button', { name: 'Save changes' }).waitFor()
}
async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').first().waitFor()
}
async function drag(page: Page, from: [string, number], to: [string, number]): Promise<void> {
  const [a, b] = [await cell(page, ...from).boundingBox(), await cell(page, ...to).boundingBox()]
  await page.mouse.move(a!.x + a!.width / 2, a!.y + a!.height / 2)
  await page.mouse.down()
  await page.mouse.move(b!.x + b!.width / 2, b!.y + b!.height / 2, { steps: 20 })
  await page.mouse.up()
}

it('a mouse paints hours and wipes them, a name turns a day or an hour, and the zone is named', async () => {
  const { cid } = await buildTree(app, customer, 'Painted')
  const { page, context, faults } = await signedIn(app, customer.email)
  await openSettings(page, cid)
  await onlySome(page).click()
  await grid(page).waitFor()
  expect(await page.getByText('Time zone: Europe/Berlin').count()).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'None', exact: true }).click()
  await drag(page, ['tue', 8], ['tue', 11])
  await drag(page, ['tue', 10], ['tue', 12])
  await cell(page, 'sun', 23).click()
  await grid(page).getByRole('button', { name: 'Saturday' }).click()
  await grid(page).getByRole('button', { name: '12:00 AM – 1:00 AM' }).click()
  await save(page)
  const all = Array.from({ length: 24 }, (_, hour) => hour)
  expect(await hoursOf(cid)).toEqual({
    ...{ mon: [0], tue: [0, 8, 9], wed: [0], thu: [0], fri: [0], sat: all, sun: [0, 23] },
  })
  await onlySome(page).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await soon(() => hoursOf(cid)).toBeNull()
  expect(faults).toEqual([])
  await context.close()
})

it('the keyboard does the same, and a reader is told of each hour', async () => {
  const { cid } = await buildTree(app, customer, 'Typed')
  const { page, context } = await signedIn(app, customer.email)
  await openSettings(page, cid)
  await onlySome(page).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  const shown = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
  expect(await shown()).toBe('Monday 9:00 AM – 10:00 AM')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('End')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  expect(await shown()).toBe('Monday 11:00 PM – 12:00 AM')
  await page.keyboard.press('Control+End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Space')
  expect(await cell(page, 'sat', 23).getAttribute('aria-selected')).toBe('true')
  await save(page)
  expect(await hoursOf(cid)).toEqual({
    ...{ mon: [...OFFICE.slice(1), 23], tue: OFFICE, wed: OFFICE, thu: OFFICE, fri: OFFICE, sat: [23] },
  })
  expect(await violations(page)).toEqual([])
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=history`)
  await page
    .getByText(/Hours.*At any time → Mon /s)
    .first()
    .waitFor()
  await context.close()
})

it('a finger paints on a narrow page, where days stand side by side', async () => {
  const { cid } = await buildTree(app, customer, 'Touched')
  const options = { viewport: { width: 390, height: 1400 }, hasTouch: true, isMobile: true }
  const { page, context } = await signedIn(app, customer.email, options)
  await openSettings(page, cid)
  await onlySome(page).tap()
  await page.getByRole('button', { name: 'None', exact: true }).tap()
  await cell(page, 'wed', 3).tap()
  await cell(page, 'wed', 6).scrollIntoViewIfNeeded()
  const [from, to] = [await cell(page, 'thu', 6).boundingBox(), await cell(page, 'fri', 7).boundingBox()]
  expect(to!.x).toBeGreaterThan(from!.x)
  expect(to!.y).toBeGreaterThan(from!.y)
  const touch = await context.newCDPSession(page)
  const at = (box: typeof from) => [{ x: box!.x + box!.width / 2, y: box!.y + box!.height / 2 }]
  const below = { ...from!, y: to!.y }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(from) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(below) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(to) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await save(page)
  expect(await hoursOf(cid)).toEqual({ wed: [3], thu: [6, 7], fri: [7] })
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  await context.close()
})

it('a week without an hour is refused at its field, and a campaign outside its hours says when it opens', async () => {
  app.asks('PUT /campaign/:id 400')
  const { cid } = await buildTree(app, customer, 'Closed')
  const { page, context } = await signedIn(app, customer.email)
  await openSettings(page, cid)
  await onlySome(page).click()
  await page.getByRole('button', { name: 'None', exact: true }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Choose at least one hour.').waitFor()
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    weekday: 'short',
    hour: '2-digit',
  })
  const inTwelveHours = format.formatToParts(app.service.clock.nowMs() + 12 * 3_600_000)
  const [day, hour] = ['weekday', 'hour'].map(type => inTwelveHours.find(part => part.type === type)!.value)
  await cell(page, day!.toLowerCase(), Number(hour)).click()
  await save(page)
  await page
    .getByText(/^Off hours until /)
    .first()
    .waitFor()
  await page.goto(`${app.url}/console/`)
  const issue = page.getByRole('listitem').filter({ hasText: 'Closed' }).first()
  await issue.getByText('It is outside its hours.').waitFor()
  await issue.getByText(/^It resumes at /).waitFor()
  await context.close()
})

it('is there in the form that creates a campaign, in German too', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'de-DE' })
  await page.goto(`${app.url}/console/create`)
  await page
    .getByRole('button', { name: /Weitere|Mehr/ })
    .first()
    .click()
  await page.getByRole('switch', { name: 'Nur zu bestimmten Stunden der Woche' }).click()
  await page.getByRole('grid', { name: 'Stunden der Woche' }).waitFor()
  expect(await cell(page, 'mon', 9).getAttribute('aria-label')).toBe('Montag 9:00 – 10:00')
  await soon(() => page.getByText('40 Stunden pro Woche. Mo – Fr 9:00 – 17:00').count()).toBe(1)
  expect(await violations(page)).toEqual([])
  await context.close()
})

it('a sandbox shows its time on every page: staff move it, also by keyboard, customers read it, and nobody else sees a bar', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { SANDBOX: 'true', SANDBOX_START: '2026-10-01', PORT: String(port), PUBLIC_URL: url }
  const service = await startTestService(settings)
  try {
    await service.listen()
    const there = { ...app, service, url }
    const customer = await service.newCustomer()
    const [start, end] = ['2026-10-01', '2026-10-15'].map(day => Date.parse(day) / 1000)
    const made = await service.call('POST', `/campaign?cuid=${customer.cuid}`, {
      as: customer,
      body: { name: 'Autumn', start, end, dailySpend: 10 },
    })
    const staff = await openAsStaff(there, { viewport: { width: 390, height: 844 } })
    const { page } = staff
    const bar = page.getByRole('region', { name: 'Sandbox' })
    await bar.getByText('Oct 1, 2026, 12:00 AM').waitFor()
    expect(await violationsInBoth(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await bar.getByRole('button', { name: '+1 day' }).focus()
    await page.keyboard.press('Enter')
    await bar.getByText('Oct 2, 2026, 12:00 AM').waitFor()
    await bar.getByRole('button', { name: '+1 hour' }).click()
    await bar.getByText('Oct 2, 2026, 1:00 AM').waitFor()
    await bar.getByRole('button', { name: 'To midnight' }).click()
    await bar.getByText('Oct 3, 2026, 12:00 AM').waitFor()
    await bar.getByRole('button', { name: 'A day of visitors' }).click()
    await bar.getByText('Oct 4, 2026, 12:00 AM').waitFor()
    await actAs(page, 'Blue Bikes')
    await page.goto(`${url}/console/campaigns/${made.body.cid}`)
    await bar.getByRole('button', { name: 'To the end of this campaign' }).click()
    await bar.getByText('Oct 15, 2026, 12:00 AM').waitFor()
    await page.getByText('Ended').first().waitFor()
    expect(await bar.getByRole('button', { name: 'To the end' }).count()).toBe(0)
    expect(staff.faults).toEqual([])
    await staff.context.close()

    const own = await signedIn(there, customer.email)
    await own.page.goto(`${url}/console/campaigns`)
    const read = own.page.getByRole('region', { name: 'Sandbox' })
    await read.getByText('Oct 15, 2026, 12:00 AM').waitFor()
    expect(await read.getByRole('button').count()).toBe(0)
    await own.context.close()
  } finally {
    await service.close()
  }
  const real = await openAsStaff(app)
  expect(await real.page.getByRole('region', { name: 'Sandbox' }).count()).toBe(0)
  await real.context.close()
})
