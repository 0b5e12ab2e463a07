// The flights of a campaign in the console: listed, created, edited and deleted, by the rules of the API.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import { type Console, signedIn, startConsole } from './console-page.ts'

const DAY_S = 86_400
/** The clock of the customer differs from those of the browser and of the deployment. */
const ZONE = 'Asia/Tokyo'

let app: Console
let customer: TestPair & { cuid: number; email: string }
let cid: number
let start: number
beforeAll(async () => {
  app = await startConsole({ TIMEZONE: 'America/Toronto' })
  customer = await app.service.newCustomer({ timezone: ZONE })
})
afterAll(() => app?.close())
beforeEach(async () => {
  // Not on a whole minute, because fields show only whole minutes.
  start = Math.floor(app.service.clock.nowMs() / 60_000) * 60 + DAY_S + 17
  const body = { name: 'Spring bikes', start, end: start + 30 * DAY_S, dailySpend: 50 }
  cid = (await call('POST', '/campaign', body)).cid
})

const call = async (method: string, path: string, body?: unknown) =>
  (await app.service.call(method, `${path}?cuid=${customer.cuid}`, { as: customer, body })).body
const flights = () => call('GET', `/campaign/${cid}/flight`)
const addFlight = (name: string, fromDay: number, toDay: number) =>
  call('POST', `/campaign/${cid}/flight`, {
    name,
    start: start + fromDay * DAY_S,
    end: start + toDay * DAY_S,
  })

/** As a field of that type takes it, on the customer's clock. */
function wall(unixS: number): string {
  const shown = new Date(unixS * 1000).toLocaleString('sv-SE', { timeZone: ZONE })
  return shown.slice(0, 16).replace(' ', 'T')
}

async function openFlights(): Promise<{ page: Page; faults: string[]; close: () => Promise<void> }> {
  const { page, context, faults } = await signedIn(app, customer.email, {
    timezoneId: 'America/New_York',
  })
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=flights`)
  await page.getByRole('link', { name: 'Whole campaign' }).waitFor()
  return { page, faults, close: () => context.close() }
}
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

it('the flight a campaign was born with is shown, and offers nothing that the API refuses', async () => {
  const { page, close } = await openFlights()
  const born = row(page, 'Whole campaign')
  expect(await born.textContent()).toContain('Scheduled')
  expect(await born.getByRole('button').count()).toBe(0)
  await born.getByRole('link', { name: 'Whole campaign' }).click()
  await page.getByText('it cannot be edited or deleted').waitFor()
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0)
  await close()
})

it('a flight is created by keyboard alone, at the exact second of its campaign, and replaces the born one', async () => {
  const { page, faults, close } = await openFlights()
  await page.getByRole('button', { name: 'New flight' }).focus()
  await page.keyboard.press('Enter')
  const form = page.getByRole('dialog')
  const name = form.getByLabel('Name')
  await expect.poll(() => name.evaluate(field => field === field.ownerDocument.activeElement)).toBe(true)
  await name.fill('Opening')
  const [from, to] = [form.getByLabel('Start'), form.getByLabel('End')]
  expect(await from.inputValue()).toBe(wall(start))
  await from.fill(wall(start + DAY_S))
  await from.fill(wall(start))
  await to.fill(wall(start + 3 * DAY_S))
  await to.press('Enter')
  await form.waitFor({ state: 'hidden' })
  await row(page, 'Opening').waitFor()
  expect((await flights())[1]).toMatchObject({
    name: 'Opening',
    start,
    end: start + 3 * DAY_S - 17,
    default: false,
  })
  expect(await row(page, 'Whole campaign').textContent()).toContain('Not used')
  expect(await row(page, 'Opening').textContent()).toContain('Scheduled')
  expect(faults).toEqual([])
  await close()
})

it('what the API refuses is shown at its field, with times on the clock of the deployment', async () => {
  app.asks('POST /campaign/:id/flight 400')
  const { page, close } = await openFlights()
  await page.getByRole('button', { name: 'New flight' }).click()
  const form = page.getByRole('dialog')
  const [name, from, to] = [form.getByLabel('Name'), form.getByLabel('Start'), form.getByLabel('End')]
  await name.fill('')
  await from.fill('')
  await form.getByRole('button', { name: 'Create flight' }).click()
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  expect(await from.getAttribute('aria-invalid')).toBe('true')
  expect(await to.getAttribute('aria-invalid')).not.toBe('true')

  await name.fill('Too early')
  await from.fill(wall(start - DAY_S))
  await form.getByRole('button', { name: 'Create flight' }).click()
  const clock = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: ZONE })
  const within = clock.formatRange(start * 1000, (start + 30 * DAY_S) * 1000)
  await form.getByText(`This must be within the dates of the campaign: ${within}.`).waitFor()
  expect(await from.getAttribute('aria-invalid')).toBe('true')

  await from.fill(wall(start + 2 * DAY_S))
  await to.fill(wall(start + DAY_S))
  await form.getByRole('button', { name: 'Create flight' }).click()
  await form.getByText(/This must be after the start, which is /).waitFor()
  expect(await to.getAttribute('aria-invalid')).toBe('true')
  expect((await flights()).length).toBe(1)
  await close()
})

it('a flight that would overlap is refused with the name of the other, and fits right after it', async () => {
  app.asks('POST /campaign/:id/flight 409')
  await addFlight('Opening', 0, 3)
  const { page, close } = await openFlights()
  await page.getByRole('button', { name: 'New flight' }).click()
  const form = page.getByRole('dialog')
  expect(await form.getByLabel('Start').inputValue()).toBe(wall(start + 3 * DAY_S))
  await form.getByLabel('Name').fill('Second')
  await form.getByLabel('Start').fill(wall(start + DAY_S))
  await form.getByRole('button', { name: 'Create flight' }).click()
  const refusal = form.getByRole('alert')
  await refusal
    .getByText('Flights of a campaign do not overlap. This one would overlap with Opening (')
    .waitFor()
  expect(await refusal.textContent()).not.toMatch(/\d{10}/)

  await form.getByLabel('Start').fill(wall(start + 3 * DAY_S))
  await form.getByRole('button', { name: 'Create flight' }).click()
  await form.waitFor({ state: 'hidden' })
  expect((await flights())[2]).toMatchObject({ name: 'Second', start: start + 3 * DAY_S })
  await close()
})

it('a flight is edited; a time that was not touched keeps its seconds', async () => {
  const { fid } = await addFlight('Opening', 1, 3)
  const { page, close } = await openFlights()
  await page.getByRole('link', { name: 'Edit Opening' }).click()
  await page.getByLabel('Name').fill('Grand opening')
  await page.getByLabel('End').fill(wall(start + 4 * DAY_S))
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('heading', { name: 'Grand opening', level: 1 }).waitFor()
  expect(await call('GET', `/campaign/${cid}/flight/${fid}`)).toMatchObject({
    name: 'Grand opening',
    start: start + DAY_S,
    end: start + 4 * DAY_S - 17,
  })
  await page.getByRole('tab', { name: 'Statistics' }).click()
  await page.getByText('Nothing was filtered out.').waitFor()
  await page.getByRole('link', { name: 'Spring bikes' }).click()
  await row(page, 'Grand opening').waitFor()
  await close()
})

it('deleting asks first, and the born flight delivers again after the last', async () => {
  await addFlight('Opening', 1, 3)
  const { page, close } = await openFlights()
  expect(await row(page, 'Whole campaign').textContent()).toContain('Not used')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Delete Opening' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect((await flights()).length).toBe(2)
  await page.getByRole('button', { name: 'Delete Opening' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await row(page, 'Opening').waitFor({ state: 'detached' })
  await page.getByText('Flight “Opening” deleted.').waitFor()
  expect(await row(page, 'Whole campaign').textContent()).toContain('Scheduled')
  expect((await flights()).length).toBe(1)

  const { fid } = await addFlight('Second', 1, 3)
  await page.goto(`${app.url}/console/campaigns/${cid}/flights/${fid}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'New flight' }).waitFor()
  expect((await flights()).length).toBe(1)
  await close()
})

it('moving a campaign moves the born flight too', async () => {
  const { page, close } = await openFlights()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByLabel('End').fill('2044-05-06T07:08')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('tab', { name: 'Flights' }).click()
  await row(page, 'Whole campaign').getByText('May 6, 2044, 7:08').waitFor()
  await close()
})

it('flights are shown in German to readers of German', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'de-DE' })
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=flights`)
  await page.getByRole('button', { name: 'Neuer Flight' }).click()
  await page.getByRole('dialog').getByText('Innerhalb der Laufzeit der Kampagne').waitFor()
  await context.close()
})
