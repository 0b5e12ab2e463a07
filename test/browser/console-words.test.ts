// How the console speaks to people: both languages complete, names instead of numbers, helpful titles and headings,
// calm words when the connection or the session is gone, and addresses that survive the sign-in.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import { buildTree, type Console, openPage, signedIn, soon, startConsole, type Tree } from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
let tree: Tree
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ name: 'Ann Rider', website: 'https://bikes.example/' })
  tree = await buildTree(app, customer, 'Spring bikes')
})
afterAll(() => app?.close())

const edit = (path: string, body: object) =>
  app.service.call('PUT', `${path}?cuid=${customer.cuid}`, { as: customer, body })

async function passcodesTo(email: string): Promise<string[]> {
  const folder = join(app.service.config.DATA_DIR, 'outbox')
  const files = (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.eml')).sort()
  const mails = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')))
  return mails.filter(mail => mail.includes(email)).map(mail => /^Subject: (\d{6})/m.exec(mail)?.[1] ?? '')
}

async function signInByPasscode(page: Page, email: string): Promise<void> {
  const before = (await passcodesTo(email)).length
  const field = page.getByLabel('Email address')
  if ((await field.inputValue()) === '') await field.fill(email)
  await page.getByRole('button', { name: 'Email me a passcode' }).click()
  const code = page.getByLabel('Passcode')
  await code.waitFor()
  await soon(async () => (await passcodesTo(email)).length).toBe(before + 1)
  // As a mail program pastes it.
  await code.fill(`\u00a0${(await passcodesTo(email)).at(-1)!.replace(/^.../, '$&\u00a0')}`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

it('errors, categories and places are shown in German', async () => {
  app.asks('POST /campaign 400')
  const { page, context } = await signedIn(app, customer.email, { locale: 'de-DE' })
  await page.goto(`${app.url}/console/create`)
  await page.getByLabel('Name').first().fill('')
  await page.getByLabel('Tagesbudget').fill('0')
  await page
    .getByRole('button', { name: 'Kampagne anlegen' })
    .or(page.locator('button[type=submit]'))
    .first()
    .click()
  await page.getByText('Bitte ausfüllen.').first().waitFor()
  await page.getByText('Geben Sie einen Betrag von 0,01').waitFor()
  const alert = await page.getByRole('alert').first().textContent()
  expect(alert).toContain('Hier stimmt noch etwas nicht.')
  expect(await page.getByText(/must |\/personas|is required/).count()).toBe(0)
  await page
    .getByRole('button', { name: /Kategorien/ })
    .last()
    .click()
  await page.getByText('Wissenschaft', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: /Ort/ }).fill('toron')
  await page.getByRole('option', { name: 'Toronto, Ontario, Kanada' }).waitFor()
  await context.close()
})

it('history and breadcrumbs use names, and values are shown as in the form', async () => {
  await edit(`/campaign/${tree.cid}`, { dailySpend: 80 })
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=settings`)
  await page.getByLabel('Daily budget').fill('90.5')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByText('Ann Rider edited the campaign “Spring bikes”').waitFor()
  await page.getByText('$80.00 → $90.50').waitFor()
  await page.getByText('The review approved the banner “Spring bikes”').waitFor()
  expect(await page.getByText(/dailySpend|session:|^Other$/).count()).toBe(0)

  const { cid, pid, bid } = tree
  await page.goto(`${app.url}/console/campaigns/${cid}/personas/${pid}/banners/${bid}`)
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link')
  await soon(() => crumbs.allTextContents()).toEqual(['Campaigns', 'Spring bikes', 'Spring bikes'])
  await context.close()
})

it('each page has its title, and the heading has the focus after a change of page', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await soon(() => page.title()).toBe('Campaigns – Marquee')
  await page.getByRole('link', { name: 'Spring bikes' }).click()
  await soon(() => page.title()).toBe('Spring bikes – Marquee')
  await soon(() => page.evaluate<string>('document.activeElement.tagName')).toBe('H1')
  await context.close()
})

it('a missing page and a missing campaign say so and offer a way back', async () => {
  app.asks('GET /campaign/:id 404')
  const { page, context } = await signedIn(app, customer.email)
  for (const path of ['/nowhere', '/campaigns/x']) {
    await page.goto(`${app.url}/console${path}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Go to the home page' }).click()
    await page.getByRole('heading', { name: /Ann Rider$/ }).waitFor()
  }
  await page.goto(`${app.url}/console/campaigns/999999`)
  await page.getByRole('heading', { name: 'Not found' }).waitFor()
  await page.getByRole('link', { name: 'Campaigns' }).last().click()
  await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor()
  await context.close()
})

it('offline, the page stays and says so calmly, and nothing pretends to be live', async () => {
  app.asks('console: A page was not loaded.')
  const { page, context } = await signedIn(app, customer.email)
  // The browser is online, and only the service is away.
  await page.route('**/live?*', route => route.abort())
  await page.goto(`${app.url}/console/`)
  await page.getByText('Not live').waitFor()
  await page.unroute('**/live?*')
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  await context.setOffline(true)
  await page.getByText('Not live').waitFor()
  expect(await page.locator('.live-dot').getAttribute('data-off')).toBe('true')
  await context.setOffline(false)
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=settings`)
  await page.getByLabel('Name').fill('Typed offline')
  await context.setOffline(true)
  await page.getByText(/^You are offline/).waitFor()
  await page.getByText('No connection: nothing can be saved now.').waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('The service cannot be reached.', { exact: false }).first().waitFor()
  expect(await page.getByText('Failed to fetch').count()).toBe(0)
  expect(await page.getByLabel('Name').inputValue()).toBe('Typed offline')
  await context.setOffline(false)
  await page.getByText(/^You are offline/).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  await edit(`/campaign/${tree.cid}`, { name: 'Spring bikes' })
  // What is said beside a button does not cut its word.
  await page.goto(`${app.url}/console/create`)
  await page.getByRole('button', { name: 'Create campaign' }).waitFor()
  await context.setOffline(true)
  await page.getByText('No connection: nothing can be saved now.').waitFor()
  const word = `document.querySelector('.create-deed .mantine-Button-label')`
  const cut = await page.evaluate(`(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(${word})`)
  expect(cut).toBeLessThanOrEqual(0)
  // A page that was never opened cannot be loaded now: the frame around it stays, and it comes with the connection.
  await page.route(/\/assets\/proposals/, route => route.abort())
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('alert').getByText('The service cannot be reached.', { exact: false }).waitFor()
  await page.getByRole('link', { name: 'Campaigns' }).first().waitFor()
  await page.unroute(/\/assets\/proposals/)
  await context.setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'Proposals' }).waitFor()
  await context.close()
})

it('what fails is said soon, not tried for long unnoticed', async () => {
  app.asks('GET /issues 503')
  const { page, context } = await signedIn(app, customer.email)
  let tries = 0
  await page.route('**/issues?*', route => {
    tries++
    return route.fulfill({ status: 503, json: { code: 'unavailable', message: 'not now' } })
  })
  await page.goto(`${app.url}/console/`)
  const refused = page.getByRole('region', { name: 'Needs attention' }).getByRole('alert')
  await refused.getByRole('button', { name: 'Try again' }).waitFor()
  expect(tries).toBeLessThanOrEqual(6)
  await page.unroute('**/issues?*')
  await refused.getByRole('button', { name: 'Try again' }).click()
  await refused.waitFor({ state: 'hidden' })
  // A switch without a connection: refused, and not done later.
  await page.goto(`${app.url}/console/campaigns`)
  const deliver = page.getByRole('switch', { name: /Spring bikes/ })
  await deliver.waitFor()
  await context.setOffline(true)
  tries = 0
  page.on('request', request => {
    if (request.url().includes('/pause')) tries++
  })
  await deliver.click({ force: true })
  await page.getByRole('alert').getByText('The service cannot be reached.', { exact: false }).waitFor()
  expect(tries).toBeLessThanOrEqual(2)
  await context.close()
})

it('an ended session is renewed in place, and the same form continues', async () => {
  app.asks('POST /campaign/:id/flight 401', 'PUT /campaign/:id 401')
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=settings`)
  await page.getByLabel('Name').fill('Typed before the end')
  await app.service.db.run('delete from console_session')
  app.service.clock.advance(6_000)
  await page.getByRole('button', { name: 'Save changes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await signInByPasscode(page, customer.email)
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Saved.').waitFor()
  const path = `/campaign/${tree.cid}?cuid=${customer.cuid}`
  expect((await app.service.call('GET', path, { as: customer })).body.name).toBe('Typed before the end')
  await edit(`/campaign/${tree.cid}`, { name: 'Spring bikes' })
  // Over a dialog, too, which neither Escape nor Back takes away meanwhile.
  await page.getByRole('tab', { name: 'Flights' }).click()
  await page.getByRole('button', { name: 'New flight' }).click()
  const form = page.getByRole('dialog', { name: 'New flight' })
  await form.getByLabel('Name').fill('Typed before the end')
  await app.service.db.run('delete from console_session')
  app.service.clock.advance(6_000)
  await form.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('dialog').count()).toBe(2)
  await signInByPasscode(page, customer.email)
  await form.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Typed before the end', exact: true }).waitFor()
  await context.close()
})

it('a deep link survives the sign-in, and a foreign one is not followed', async () => {
  const { page, context } = await openPage(app)
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=settings`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signInByPasscode(page, customer.email)
  await page.getByRole('heading', { level: 1, name: 'Spring bikes' }).waitFor()
  await page.getByRole('button', { name: 'Save changes' }).waitFor()
  await context.clearCookies()
  await page.goto(`${app.url}/console/sign-in?to=${encodeURIComponent('//evil.example/x')}`)
  app.service.clock.advance(3_600_000)
  await signInByPasscode(page, customer.email)
  await page.getByRole('heading', { name: /Ann Rider$/ }).waitFor()
  expect(page.url().startsWith(app.url)).toBe(true)
  await context.close()
})
