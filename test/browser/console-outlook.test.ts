// Beside the form of a new campaign stands what it leads to; and keys that lead to pages, as to that form.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Console, image, signedIn, soon, startConsole, violationsInBoth } from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

it('beside the form stands what a campaign leads to: its banner, the most it costs, who fits, what comes next', async () => {
  const customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/create`)
  const outlook = page.getByRole('complementary', { name: 'What to expect' })
  await outlook.getByText('Add a banner to see it here.').waitFor()
  await outlook.getByText('Choose a place to see how many recent requests fit.').waitFor()
  const file = { name: 'a.png', mimeType: 'image/png', buffer: await image(300, 250) }
  await page.locator('input[type=file]').setInputFiles(file)
  await outlook.getByRole('img', { name: 'Your banner of 300 × 250 on a page' }).waitFor()
  await page.getByLabel('Daily budget').fill('66')
  const most = outlook.getByRole('region', { name: 'It can cost at most' })
  await soon(() => most.textContent()).toContain('$66.00 × ')
  await outlook.getByText(/^It starts as soon as one passes and stops by itself on /).waitFor()
  await page.getByRole('textbox', { name: 'Add a place' }).fill('berlin')
  await page.getByRole('option', { name: 'Berlin' }).first().click()
  await outlook.getByText('There were no ad requests in the last 24 hours to compare with.').waitFor()
  // Of each ten requests, four come from Berlin and fit, and one is for another size; a quarter of those that fit asks
  // for less, a quarter for more.
  await app.service.db.run(
    `insert into traffic_hour (hour, sample_id, requests, stride, kept)
     values (date_trunc('hour', now()), gen_random_uuid(), 1000, 25, $1)`,
    [
      JSON.stringify([
        ...Array.from({ length: 36 }, (_, n) => requestFrom(n % 9 < 4 ? 'BE' : 'BY', (n % 9) + 1)),
        ...Array.from({ length: 4 }, () => requestFrom('BE', 10, { width: 300, height: 600 })),
      ]),
    ],
  )
  await page.getByLabel('Daily budget').fill('67')
  await page.getByText('Tablet', { exact: true }).click()
  await outlook.getByText('Of the 1,000 requests of the last 24 hours').waitFor()
  const fitting = outlook.getByRole('region', { name: 'Of the 1,000 requests of the last 24 hours' })
  await soon(() => fitting.textContent()).toContain('400 would have fitted')
  expect(await fitting.textContent()).toContain('Most of them ask for $2.00 to $3.00 per 1,000.')
  expect(await fitting.textContent()).toContain('200 of them ask for more than $2.00.')
  expect(await fitting.textContent()).toContain('the budget would not be used up')
  expect(await fitting.textContent()).toContain(
    '300 × 600 was asked for 100 times in the last 24 hours. You have no banner of this size.',
  )
  // What another price would change, and the price itself.
  expect(await fitting.textContent()).toContain('At $3.00, 75% of them would be in reach.')
  expect(await violationsInBoth(page)).toEqual([])
  await fitting.getByRole('button', { name: 'Try $3.00' }).click()
  expect(await page.getByLabel('Price per 1,000', { exact: true }).inputValue()).toBe('3')
  await soon(() => fitting.textContent()).toContain('100 of them ask for more than $3.00.')
  await soon(() => fitting.getByRole('button').count()).toBe(0)
  // Where nobody fits there is nothing to be worth.
  await page.getByText('Women', { exact: true }).click()
  await soon(() => fitting.textContent()).toMatch(/(?<!\d)0 would have fitted/)
  expect(await fitting.textContent()).not.toContain('used up')
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  // The most and the button stay in sight, in the place of the navigation.
  const create = page.getByRole('button', { name: 'Create campaign' })
  for (const top of [0, 1e6]) {
    await page.evaluate(`scrollTo(0, ${top})`)
    const box = (await create.boundingBox())!
    expect(box.y + box.height).toBeLessThanOrEqual(800)
    expect(box.height).toBeGreaterThanOrEqual(44)
    expect(await page.locator('.create-most').isVisible()).toBe(true)
    expect(await page.locator('.bottom').isVisible()).toBe(false)
  }
  expect(await page.locator('.create-most').textContent()).toContain('at most $')
  await context.close()
})

/** As delivery keeps it: a phone in Germany, at a floor. */
function requestFrom(region: string, floor: number, size = { width: 300, height: 250 }) {
  return {
    atS: Math.floor(Date.now() / 1000),
    request: {
      ...{
        country: 'DE',
        region,
        city: region === 'BE' ? 'berlin' : null,
        lat: null,
        lon: null,
        categories: [],
      },
      ...{ device: 'mobile', gender: null, age: null, blockedCategories: [], blockedDomains: [] },
      slots: [
        {
          ...{ sizes: [size], floorMicros: floor * 1_000_000 },
          ...{ secure: true, mimes: null, blockedAttributes: [] },
        },
      ],
    },
    places: [{ won: null, refused: {} }],
  }
}

it('a price that is left empty is what won such requests lately, and that is said', async () => {
  const customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
  const won = Array.from({ length: 12 }, (_, n) => ({
    ...requestFrom('HH', 1),
    places: [{ won: { pid: 1, cpmMicros: (n + 1) * 1_000_000 }, refused: {} }],
  }))
  await app.service.db.run(
    `insert into traffic_hour (hour, sample_id, requests, stride, kept)
     values (date_trunc('hour', now()), gen_random_uuid(), 1200, 100, $1)`,
    [JSON.stringify(won)],
  )
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/create`)
  await page.getByText('Leave empty for the default price, $2.00.').waitFor()
  const file = { name: 'a.png', mimeType: 'image/png', buffer: await image(300, 250) }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('img', { name: 'Preview of a' }).waitFor()
  await page.getByRole('textbox', { name: 'Add a place' }).fill('hamburg')
  await page.getByRole('option', { name: 'Hamburg' }).first().click()
  await page.getByText('Lately, $7.01 would have won half of them, $11.01 nearly all.').waitFor()
  await page.getByText('Leave empty for $7.01, which would have won half').waitFor()
  await page.getByRole('button', { name: 'Create campaign' }).click()
  const prices = async () => {
    const { body } = await app.service.call('GET', `/campaign?cuid=${customer.cuid}`, { as: customer })
    return body.map(({ cpm }: { cpm: number }) => cpm)
  }
  await soon(prices).toEqual([7.01])
  await context.close()
  await app.service.db.run('delete from traffic_hour where requests = 1200')
})

it('where the price loses most, a campaign says what another would change and fills it in, and names the sizes it lacks', async () => {
  const customer = await app.service.newCustomer()
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    (await app.service.call('POST', `${path}?cuid=${customer.cuid}`, { as: customer, body, headers })).body
  const upload = await post('/creative', await image(300, 250), { 'content-type': 'image/png' })
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const banner = { creativeURL: upload.creativeURL, clickUrl: 'https://bikes.example/' }
  const everyone = { name: 'Everyone', geo: { geos: ['DE'] }, device: { mobile: true }, banners: [banner] }
  const { cid } = await post('/campaign', {
    ...{ name: 'Cheap', start: now - 3600, end: now + 86_400, dailySpend: 50, cpm: 2 },
    personas: [everyone],
  })
  // It was there when the requests came.
  for (const table of ['campaign', 'persona'])
    await app.service.db.run(`update ${table} set created_at = now() - interval '1 day' where cid = $1`, [
      cid,
    ])
  const { page, context } = await signedIn(app, customer.email, { reducedMotion: 'reduce' })
  await page.goto(`${app.url}/console/campaigns/${cid}`)
  await page.getByText('At $7.00, 77.8% of them would be in reach.').waitFor()
  await page.getByText('300 × 600 was asked for 100 times').waitFor()
  expect(await page.getByRole('link', { name: 'Raise the price' }).count()).toBe(0)
  expect(await violationsInBoth(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(await page.getByRole('link', { name: 'Add a banner of 300 × 600' }).getAttribute('href')).toMatch(
    /personas\/\d+/,
  )
  await page.getByRole('link', { name: 'Try $7.00' }).click()
  const price = page.getByLabel('Price per 1,000', { exact: true })
  await soon(() => price.inputValue()).toBe('7')
  // Filled in, and not saved by that.
  const path = `/campaign/${cid}?cuid=${customer.cuid}`
  const read = async () => (await app.service.call('GET', path, { as: customer })).body.cpm
  expect(await read()).toBe(2)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await soon(read).toBe(7)
  await context.close()
})

it('keys lead to pages, never while somebody types, are listed by ?, and can be switched off', async () => {
  const other = await app.service.newCustomer()
  const body = { name: 'Any', start: 1_900_000_000, end: 1_900_086_400, dailySpend: 5 }
  await app.service.call('POST', `/campaign?cuid=${other.cuid}`, { as: other, body })
  const { page, context } = await signedIn(app, other.email)
  await page.goto(`${app.url}/console/conversions`)
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  await heading('Conversions')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await heading('Campaigns')
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('gs? n')
  await soon(() => search.inputValue()).toBe('gs? n')
  await heading('Campaigns')
  await search.blur()
  await page.keyboard.press('Control+n')
  await page.keyboard.press('?')
  await heading('Keyboard shortcuts')
  await page.getByRole('row', { name: 'Statistics g then s' }).waitFor()
  const control = page.getByRole('switch', { name: 'Use keyboard shortcuts' })
  await control.press('Space')
  await control.blur()
  await page.keyboard.press('n')
  await heading('Keyboard shortcuts')
  await control.press('Space')
  await control.blur()
  await page.keyboard.press('n')
  await heading('New campaign')
  await context.close()
})
