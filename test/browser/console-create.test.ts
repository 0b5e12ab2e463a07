// A campaign in the console: created in one go, with errors at the fields, edited, and deleted after a question.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/banners.ts'
import type { TestPair } from '../support/service.ts'
import {
  buildTree,
  type Console,
  fromMenu,
  image,
  openSignedIn,
  signedIn,
  soon,
  startConsole,
  violationsInBoth,
} from './console-page.ts'

const HUMAN =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

let app: Console
let customer: TestPair & { cuid: number; email: string }
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
})
afterAll(() => app?.close())

const read = async (path: string) =>
  (await app.service.call('GET', `${path}?cuid=${customer.cuid}`, { as: customer })).body

async function addPlace(page: Page, typed: string, label: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Add a place' }).fill(typed)
  await page.getByRole('option', { name: label }).first().click()
}

/** A visitor of a site sees the banner and clicks it. */
async function visitAndClick(): Promise<void> {
  const headers = { 'user-agent': HUMAN, 'content-type': 'application/json', referer: 'http://localhost/' }
  const request = {
    source: app.service.firstCredentials!.siteKey,
    size: '300x250',
    page: 'http://localhost/',
    geo: { country: 'CA', region: 'ON', city: 'Toronto' },
    device: 'desktop',
  }
  const ad = await until(async () => {
    const answer = await fetch(`${app.url}/ad`, { method: 'POST', headers, body: JSON.stringify(request) })
    return ((await answer.json()) as { ad: { impression: string; click: string } | null }).ad
  })
  expect((await fetch(ad.impression, { headers })).status).toBe(200)
  expect((await fetch(ad.click, { headers, redirect: 'manual' })).status).toBe(302)
}

it('campaign, persona and banner are created in one go, reviewed and served, and the first click shows', async () => {
  const { page, context, elsewhere, faults } = await openSignedIn(app, customer.email)
  await page.getByRole('link', { name: 'New campaign' }).first().click()
  await page.getByRole('heading', { name: '1. Campaign' }).waitFor()
  await page.getByLabel('Name').first().fill('Spring bikes')
  await page.getByLabel('Daily budget').fill('250.50')
  await addPlace(page, 'toron', 'Toronto, Ontario, Canada')
  const file = { name: 'spring-300x250.png', mimeType: 'image/png', buffer: await image(300, 250) }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('img', { name: 'Preview of spring-300x250' }).waitFor()
  await page.getByRole('button', { name: 'Create campaign' }).click()

  await page.getByRole('heading', { level: 1, name: 'Spring bikes has been created' }).waitFor()
  await page.getByText('Your banner is approved').waitFor()
  const [campaign] = await read('/campaign')
  expect(campaign).toMatchObject({ name: 'Spring bikes', dailySpend: 250.5, freq: 3, status: 'running' })
  const [persona] = await read(`/campaign/${campaign.cid}/persona`)
  expect(persona.geo).toEqual({ geos: ['CA-ON-Toronto'] })
  const [banner] = await read(`/campaign/${campaign.cid}/persona/${persona.pid}/banner`)
  expect(banner).toMatchObject({ status: 'approved', width: 300, height: 250, type: 'image/png' })

  await visitAndClick()
  // Figures come a moment after the answer, and the page asks for them only once.
  await soon(async () => (await read(`/stats/${campaign.cid}/summary`)).clicks).toBe(1)
  await page.goto(`${app.url}/console/campaigns`)
  const row = page.getByRole('row').filter({ hasText: 'Spring bikes' })
  await row
    .getByText(/^100(\.0+)?%$/)
    .first()
    .waitFor()
  expect(elsewhere).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

it('after Create a page says what happens now, follows the review, and is still there after a reload', async () => {
  const watched = await app.service.newCustomer()
  await app.service.call('PUT', `/customer/${watched.cuid}`, { body: { review: 'manual' } })
  const { cid, pid, bid } = await buildTree(app, watched, 'Followed')
  const decide = async (deed: string, more: object = {}) => {
    const { round } = await until(async () => {
      const { body } = await app.service.call('GET', '/review')
      return body.find((one: { bid: number }) => one.bid === bid) ?? null
    })
    await app.service.call('PUT', `/review/${bid}/${deed}`, { body: { round, ...more } })
  }
  const { page, context } = await signedIn(app, watched.email, { reducedMotion: 'reduce' })
  await page.goto(`${app.url}/console/campaigns/${cid}/created`)
  const steps = page.getByRole('list', { name: 'What happens now' }).getByRole('listitem')
  await steps.first().getByText('Your banner is being reviewed').waitFor()
  // As many days as it touches, which depends on the hour at which this runs.
  const { body: campaign } = await app.service.call('GET', `/campaign/${cid}?cuid=${watched.cuid}`)
  const dayOf = (time: number) => Math.floor(time / 86_400)
  const most = campaign.dailySpend * (dayOf(campaign.end - 1) - dayOf(campaign.start) + 1)
  expect(await steps.nth(2).textContent()).toContain(`It can cost at most $${most}.00`)
  expect(await violationsInBoth(page)).toEqual([])
  // It changes by itself.
  await decide('approve')
  await steps.first().getByText('Your banner is approved').waitFor()
  await steps.nth(1).getByText('It is running').waitFor()
  await page.reload()
  await steps.first().getByText('Your banner is approved').waitFor()
  // One filled button.
  const filled = page.locator('main .mantine-Button-root:not([data-variant="default"])')
  expect(await filled.allTextContents()).toEqual(['Open the campaign'])
  await steps.nth(3).getByRole('link', { name: 'Add another size' }).click()
  await page.getByRole('heading', { level: 1, name: 'Followed' }).waitFor()

  await page.evaluate(`localStorage.setItem('marquee-language', 'de')`)
  await page.setViewportSize({ width: 320, height: 640 })
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const body = { start: now + 86_400, end: now + 3 * 86_400 }
  await app.service.call('PUT', `/campaign/${cid}?cuid=${watched.cuid}`, { as: watched, body })
  await page.goto(`${app.url}/console/campaigns/${cid}/created`)
  await page.getByText(/^Sie beginnt am /).waitFor()
  // A new image is looked at again, and may be refused: the reason is there, and the way to mend it.
  const upload = await app.service.call('POST', `/creative?cuid=${watched.cuid}`, {
    as: watched,
    body: await image(728, 90),
    headers: { 'content-type': 'image/png' },
  })
  const { creativeURL } = upload.body
  const banner = `/campaign/${cid}/persona/${pid}/banner/${bid}?cuid=${watched.cuid}`
  await app.service.call('PUT', banner, { as: watched, body: { creativeURL } })
  await decide('reject', { reason: 'Too small to read.' })
  await page.reload()
  await page.getByText('Ihr Banner wurde abgelehnt').waitFor()
  await page.getByText('Too small to read.').waitFor()
  await page.getByRole('link', { name: 'Followed berichtigen' }).waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  await context.close()
})

it('what the API refuses is shown at its field, and nothing is created twice', async () => {
  app.asks('POST /campaign 400')
  const before = (await read('/campaign')).length
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/create`)
  const budget = page.getByLabel('Daily budget')
  await budget.fill('1.234')
  await page.getByRole('button', { name: 'Create campaign' }).click()
  await expect.poll(() => budget.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByText('Did you mean 1,234?').count()).toBe(1)
  expect((await read('/campaign')).length).toBe(before)

  // More than ten times its other campaign: a digit too many, perhaps.
  await budget.fill('9,000')
  await page.getByRole('button', { name: 'Create campaign' }).click()
  const question = page.getByRole('dialog', { name: '$9,000.00 a day?' })
  await question.getByText('more than ten times your usual daily budget of $250.50').waitFor()
  await question.getByRole('button', { name: 'Change budget' }).click()
  await question.waitFor({ state: 'detached' })
  expect((await read('/campaign')).length).toBe(before)

  await budget.fill('20')
  await page.getByRole('button', { name: 'Create campaign' }).click()
  const places = page.getByRole('textbox', { name: 'Add a place' })
  await expect.poll(() => places.getAttribute('aria-invalid')).toBe('true')
  await addPlace(page, 'berlin', 'Berlin')
  await page.getByRole('button', { name: 'Create campaign' }).click()
  await page.getByRole('heading', { name: 'has been created' }).waitFor()
  await page.getByText('It needs a banner').waitFor()
  expect((await read('/campaign')).length).toBe(before + 1)
  await context.close()
})

it('a budget per month is kept as one, and every page says the same maximum', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/create`)
  await page.getByLabel('Name').first().fill('By month')
  await page.getByRole('combobox', { name: 'Budget per' }).click()
  await page.getByRole('option', { name: 'Month' }).click()
  await page.getByLabel('Monthly budget').fill('500')
  await page.getByText(/= \$500\.00 a month, \$1[67]\.\d\d a day/).waitFor()
  const most = page.getByRole('region', { name: 'It can cost at most' })
  await soon(() => most.textContent()).toMatch(/\$\d{3}\.\d\d/)
  await addPlace(page, 'berlin', 'Berlin')
  const said = await most.locator('strong').textContent()
  await page.getByRole('button', { name: 'Create campaign' }).click()
  await page.getByRole('heading', { name: 'By month has been created' }).waitFor()
  await page.getByText(`It can cost at most ${said}`).waitFor()
  const made = (await read('/campaign')).at(-1)
  const date = new Date(made.start * 1000)
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  const dailySpend = Math.ceil((500 * 100) / days) / 100
  expect(made).toMatchObject({ name: 'By month', dailySpend, monthlySpend: 500, totalSpend: null })
  expect(await read(`/campaign/${made.cid}/flight`)).toHaveLength(1)
  await page.goto(`${app.url}/console/campaigns/${made.cid}?tab=settings`)
  await page.getByText(new RegExp(`at most \\${said}|${said!.replace('$', '\\$')} in all`)).waitFor()
  await page.getByLabel('Monthly budget').fill('400')
  await page.getByRole('button', { name: 'Save' }).click()
  await soon(async () => (await read(`/campaign/${made.cid}`)).monthlySpend).toBe(400)
  await context.close()
})

it('markup in names stays text everywhere', async () => {
  const evil = '<img src=x onerror="document.title=1"><b>bold</b>'
  const { cid, pid, bid } = await buildTree(app, customer, evil)
  const { page, context, faults } = await signedIn(app, customer.email)
  const below = `${cid}/personas/${pid}`
  for (const path of [
    'campaigns',
    `campaigns/${cid}`,
    `campaigns/${below}`,
    `campaigns/${below}/banners/${bid}`,
  ]) {
    await page.goto(`${app.url}/console/${path}`)
    await page.getByText(evil, { exact: true }).first().waitFor()
    expect(await page.locator('img[src=x]').count()).toBe(0)
  }
  expect(await page.title()).not.toBe('1')
  expect(faults).toEqual([])
  await context.close()
})

it('targeting is edited on the map and in the fields beside it', async () => {
  const { cid, pid } = await buildTree(app, customer, 'Around Berlin')
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${cid}/personas/${pid}?tab=targeting`)
  await page.getByText('km', { exact: true }).click()
  const radius = page.getByLabel('Radius')
  // Said at the field when it is left, before anything is sent.
  for (const [label, typed, range] of [
    ['Radius', '-1', 'between 0.001 and 1,000'],
    ['Latitude', '1,000', 'between -90 and 90'],
    ['Longitude', '181', 'between -180 and 180'],
  ] as const) {
    const field = page.getByLabel(label)
    const before = await field.inputValue()
    await field.fill(typed)
    await field.blur()
    await page.getByText(range).waitFor()
    await field.fill(before)
    await field.blur()
    await page.getByText(range).waitFor({ state: 'detached' })
  }
  await radius.fill('40')
  const handle = await page.locator('[data-drag=radius]').boundingBox()
  await page.mouse.move(handle!.x + handle!.width / 2, handle!.y + handle!.height / 2)
  await page.mouse.down()
  await page.mouse.move(handle!.x + 60, handle!.y, { steps: 4 })
  await page.mouse.up()
  const dragged = Math.round(Number(await radius.inputValue()) * 1000)
  expect(dragged).toBeGreaterThan(40_000)
  await page.getByText('Desktop').click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  const persona = await read(`/campaign/${cid}/persona/${pid}`)
  expect(persona).toMatchObject({ geo: { radius: dragged }, device: { mobile: true, desktop: true } })
  await context.close()
})

it('deleting asks first, says what is deleted with it, and can be cancelled', async () => {
  const { cid } = await buildTree(app, customer, 'To be deleted')
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${cid}`)
  const remove = await fromMenu(page, 'Delete')
  await remove.waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await remove.click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.textContent()).toContain('with all its personas, banners and flights')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect((await read(`/campaign/${cid}`)).cid).toBe(cid)
  // By keyboard one goes on from where one was.
  await soon(() => page.evaluate('document.activeElement.ariaLabel')).toBe('More actions')

  // Somebody who cancels and changes their mind at once is asked again, even while the menu is still closing.
  await (await fromMenu(page, 'Delete')).waitFor()
  await page.evaluate(`(async () => {
    const drawn = () => new Promise(requestAnimationFrame)
    const named = (role, name) => [...document.querySelectorAll(role)].find(one => one.textContent === name)
    const click = one => one.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
    const remove = named('[role=menuitem]', 'Delete')
    click(remove)
    while (!named('[role=dialog] button', 'Cancel')) await drawn()
    click(named('[role=dialog] button', 'Cancel'))
    while (named('[role=dialog] button', 'Cancel')) await drawn()
    click(remove)
  })()`)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  expect((await read(`/campaign/${cid}`)).code).toBe('not_found')
  expect(await page.getByRole('link', { name: 'To be deleted' }).count()).toBe(0)
  await context.close()
})
