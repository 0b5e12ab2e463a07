// The account of a customer, the customers and the brand for staff, tabs that work as different customers, and the map
// that follows what is chosen.

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { offToken } from '../../src/notify/mails/links.ts'
import { recordEvents } from '../support/stats.ts'
import {
  actAs,
  buildTree,
  type Console,
  image,
  openAsStaff,
  openSignedIn,
  signedIn,
  soon,
  ssoLocation,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

it('a customer edits its account; language and time zone are saved with it, for every browser', async () => {
  app.asks('PUT /customer/:id 400')
  const customer = await app.service.newCustomer({ company: 'Blue Bikes' })
  const { page, context } = await openSignedIn(app, customer.email)
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.getByRole('textbox', { name: 'Company' }).fill('Red Bikes')
  await page.getByLabel('Website').fill('no address')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await soon(() => page.getByLabel('Website').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Website').fill('red.example/shop')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  const own = await app.service.call('GET', `/customer/${customer.cuid}`, { as: customer })
  expect(own.body).toMatchObject({ company: 'Red Bikes', website: 'https://red.example/shop' })
  await page.getByText('Red Bikes').first().waitFor()

  await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tok')
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click()
  const kept = async () => (await app.service.call('GET', `/customer/${customer.cuid}`)).body
  await soon(kept).toMatchObject({ timezonePending: { timezone: 'Asia/Tokyo' }, language: null })
  await page.getByText('Until then: UTC.').waitFor()
  const mails = async () => (await app.service.call('GET', `/customer/${customer.cuid}/mails`)).body
  await page.getByRole('tab', { name: 'Emails' }).click()
  // The weekly report is on for a new customer, and off by one click.
  const reports = page.getByRole('radiogroup', { name: 'Performance report' })
  await reports.getByRole('radio', { name: 'Weekly', checked: true }).waitFor({ state: 'attached' })
  await reports.getByText('Never').click()
  await soon(async () => (await mails()).report).toBe('off')
  await reports.getByText('Weekly').click()
  await page.getByRole('switch', { name: 'When a banner is rejected' }).press('Space')
  await soon(mails).toMatchObject({ report: 'weekly', bannerRejected: false, budgetSpent: true })
  const over = page.getByRole('group', { name: 'Thresholds of your own' })
  await over.getByLabel('When a day costs more than').fill('120.5')
  await over.getByLabel('When the balance lasts fewer days than').fill('0')
  await page.keyboard.press('Tab')
  await over.getByLabel('When a campaign spent less of its day than').fill('40')
  await page.keyboard.press('Enter')
  await soon(mails).toMatchObject({ spendOver: 120.5, balanceDays: null, paceBelow: 40 })
  await soon(() => over.getByLabel('When the balance').getAttribute('aria-invalid')).toBe('true')
  await over.getByLabel('When a day costs more than').fill('')
  await page.keyboard.press('Tab')
  await soon(mails).toMatchObject({ spendOver: null, paceBelow: 40 })
  expect(await violations(page)).toEqual([])
  await page.getByRole('tab', { name: 'Company' }).click()
  await page.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { level: 1, name: 'Konto' }).waitFor()
  await soon(kept).toMatchObject({ language: 'de' })

  // The page behind the link in a mail.
  const token = await offToken(app.service.db, { cuid: customer.cuid, kind: 'report', mid: null })
  await page.goto(`${app.url}/mails/${token}`)
  expect(await violations(page)).toEqual([])
  expect((await mails()).report).toBe('weekly')
  await page.getByRole('button', { name: 'Abbestellen' }).click()
  await page.getByText('Sie erhalten keine Berichte mehr.').waitFor()
  expect((await mails()).report).toBe('off')
  await context.close()

  // Another browser, which prefers English, uses the customer's language and time zone.
  const other = await signedIn(app, customer.email)
  await other.page.goto(`${app.url}/console/account`)
  await other.page.getByRole('heading', { level: 1, name: 'Konto' }).waitFor()
  await soon(() => other.page.getByRole('combobox', { name: 'Zeitzone' }).inputValue()).toBe('Asia/Tokyo')
  await other.context.close()
})

it('each page has one time zone, the customer’s, and names it once; pages over many customers have the deployment’s', async () => {
  const customer = await app.service.newCustomer({ timezone: 'Asia/Tokyo' })
  const { cid } = await buildTree(app, customer, 'Zoned')
  const { page, context } = await signedIn(app, customer.email, { timezoneId: 'America/New_York' })
  const named = page.getByText('Time zone: Asia/Tokyo')
  for (const path of [
    '',
    'campaigns',
    'statistics',
    `campaigns/${cid}?tab=settings`,
    `campaigns/${cid}?tab=history`,
  ]) {
    await page.goto(`${app.url}/console/${path}`)
    await named.waitFor()
    expect(await named.count(), path).toBe(1)
  }
  const { body } = await app.service.call('GET', `/campaign/${cid}?cuid=${customer.cuid}`, { as: customer })
  const wall = new Date(body.start * 1000).toLocaleString('sv-SE', { timeZone: 'Asia/Tokyo' })
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=settings`)
  await soon(() => page.getByLabel('Start').inputValue()).toBe(wall.slice(0, 16).replace(' ', 'T'))
  await context.close()
  const staff = await openAsStaff(app)
  await staff.page.goto(`${app.url}/console/customers`)
  await staff.page.getByText('Time zone of this service, for all customers: UTC').waitFor()
  // The page of one customer has its days, as the customer's own pages do.
  const asked = staff.page.waitForRequest(request =>
    request.url().includes(`/stats/${customer.cuid}/figures`),
  )
  await staff.page.goto(`${app.url}/console/customers/${customer.cuid}`)
  await staff.page.getByText('Time zone: Asia/Tokyo').waitFor()
  const start = Number(new URL((await asked).url()).searchParams.get('start'))
  expect((start + 9 * 3600) % 86_400).toBe(0)
  await staff.context.close()
})

it('staff see what customers spent, edit one, help publishers, and set the brand that customers see', async () => {
  const customer = await app.service.newCustomer({ company: 'Staffed Ltd' })
  const { cid, pid, bid } = await buildTree(app, customer, 'Paid')
  const ids = { cuid: customer.cuid, cid, pid, bid, fid: cid }
  const atMs = app.service.clock.nowMs()
  const [site] = await app.service.db.rows<{ id: number }>(
    `select source_id as id from source where kind = 'site'`,
  )
  await recordEvents(app.service.db, [
    { ...ids, kind: 'impression', atMs, adNumber: 1, spendMicros: 12_340_000, sourceId: site!.id },
    { ...ids, kind: 'impression', atMs: atMs - 30 * 86_400_000, adNumber: 2, spendMicros: 6_170_000 },
  ])
  const { page, context } = await openAsStaff(app)
  const row = page.getByRole('row').filter({ hasText: 'Staffed Ltd' })
  await row.getByText('$12.34').first().waitFor()
  const asked = page.waitForRequest(request => request.url().includes(`/stats/${customer.cuid}/figures`))
  await page.getByRole('link', { name: 'Staffed Ltd' }).click()
  await page.getByRole('heading', { level: 1, name: 'Staffed Ltd' }).waitFor()
  // As every page does, so that figures agree.
  await asked
  await soon(() => page.locator('[data-metric="spend"]').textContent()).toBe('$12.34')
  // Against the days before; that spend rises is neither good nor bad.
  const change = page.locator('[data-metric="spend"] + .delta')
  expect([await change.textContent(), await change.getAttribute('class')]).toEqual([
    expect.stringContaining('100%'),
    'delta flat',
  ])
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill('moved@bikes.example')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  const { body } = await app.service.call('GET', `/customer/${customer.cuid}`)
  expect(body.email).toBe('moved@bikes.example')
  await page.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  const spoken = async () => (await app.service.call('GET', `/customer/${customer.cuid}`)).body.language
  await soon(spoken).toBe('de')
  await page.getByRole('heading', { level: 1, name: 'Staffed Ltd' }).waitFor()

  await page.getByRole('link', { name: 'Publishers' }).click()
  const { body: sources } = await app.service.call('GET', '/source')
  const ofKind = (wanted: string) => sources.find(({ kind }: { kind: string }) => kind === wanted)
  const { key, name } = ofKind('site')
  const publishers = page.getByRole('table')
  await publishers.getByRole('link', { name, exact: true }).click()
  const tag = page.getByRole('region', { name: 'Tag: put it where the ad should appear' })
  await soon(() => tag.textContent()).toBe(
    `<div style="min-height:250px"><script async src="${app.url}/tag.js" data-source="${key}" data-size="300x250"></script></div>`,
  )
  expect(await page.getByText(/mqx|mqv/).count()).toBe(0)
  await page.getByText('1 impression for your customers today, $12.34').waitFor()
  await page.goBack()
  await publishers.getByRole('link', { name: ofKind('exchange').name, exact: true }).click()
  await page.getByText('Campaigns that pay by click do not bid here.', { exact: false }).first().waitFor()

  await page.getByRole('link', { name: 'Brand' }).click()
  await page.getByLabel('Name').fill('Shop Ads')
  const logo = { name: 'logo.png', mimeType: 'image/png', buffer: await image(96, 32) }
  await page.locator('input[type=file]').setInputFiles(logo)
  // Shown before it is saved: sign-in, console and mail.
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.locator('img[src^="blob:"]').nth(2).waitFor()
  expect(await preview.getByText('Shop Ads').count()).toBe(3)
  // The colours lie beside the form, not over its button.
  await page.getByLabel('Colour').focus()
  const [colours, button] = await Promise.all(
    [page.locator('.mantine-ColorInput-dropdown'), page.getByRole('button', { name: 'Save changes' })].map(
      async one => (await one.boundingBox())!,
    ),
  )
  expect(colours!.x).toBeGreaterThan(button!.x + button!.width)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('banner').getByText('Shop Ads').waitFor()
  const theirs = await openSignedIn(app, 'moved@bikes.example')
  await theirs.page.getByRole('banner').getByText('Shop Ads').waitFor()
  expect(await theirs.page.title()).toContain('Shop Ads')
  await theirs.context.close()
  await context.close()
})

it('the cockpit shows who needs a person first, filters by its figures, finds campaigns, and says it in German on a phone', async () => {
  const [fine, bare] = [
    await app.service.newCustomer({ company: 'Fine Fruit' }),
    await app.service.newCustomer({ company: 'Bare Boots' }),
  ]
  await buildTree(app, fine, 'Apples in autumn')
  const tree = await buildTree(app, bare, 'Boots in winter')
  const path = `/campaign/${tree.cid}/persona/${tree.pid}/banner/${tree.bid}?cuid=${bare.cuid}`
  await app.service.call('DELETE', path, { as: bare })
  const { page, context } = await openAsStaff(app)
  const problems = page.getByRole('button', { name: /^With problems/ })
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  await page
    .getByRole('row')
    .filter({ hasText: 'Bare Boots' })
    .getByText('The campaign has nothing to show')
    .waitFor()
  const names = await page.getByRole('table').getByRole('link').allTextContents()
  expect(names.indexOf('Bare Boots')).toBeLessThan(names.indexOf('Fine Fruit'))
  expect(await violationsInBoth(page)).toEqual([])

  const looks: (string | null)[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/cockpit') looks.push(searchParams.get('asOf'))
  })
  await page.reload()
  await link('Fine Fruit').waitFor()
  await problems.press('Enter')
  await link('Fine Fruit').waitFor({ state: 'detached' })
  // The page is of now; what it filters is what it has just looked at.
  expect(looks).toEqual([null, expect.stringMatching(/^[0-9]{10}$/)])
  await link('Bare Boots').waitFor()
  expect(await problems.getAttribute('aria-pressed')).toBe('true')
  await problems.press('Enter')
  await page.getByRole('searchbox', { name: 'Search' }).fill('APPLES')
  await link('Bare Boots').waitFor({ state: 'detached' })
  await link('Fine Fruit').waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const text = await readFile(await (await saved).path(), 'utf8')
  expect(text.split('\r\n')).toHaveLength(3)
  expect(text).toContain('Fine Fruit')
  // Anywhere in the row, which its link covers.
  await page.getByRole('row').filter({ hasText: 'Fine Fruit' }).getByText(/^of/).click({ force: true })
  await page.getByRole('heading', { level: 1, name: 'Fine Fruit' }).waitFor()
  // Why, and where it is solved, stands at the top of the customer that has a problem.
  await page.goBack()
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await link('Bare Boots').click()
  const health = page.getByRole('region', { name: 'Health' })
  await health.getByText('The campaign has nothing to show').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await health.getByRole('button', { name: 'Add banners' }).click()
  await soon(() => page.url()).toContain(`/campaigns/${tree.cid}/personas/${tree.pid}`)
  await page.getByRole('button', { name: 'Back to customers' }).click()
  await link('Fine Fruit').click()
  // It looks like every other name that opens something.
  await page.getByRole('button', { name: 'Apples in autumn' }).waitFor()
  const border = 'getComputedStyle(document.querySelector("button.strong-link")).borderTopWidth'
  expect(await page.evaluate(border)).toBe('0px')

  await page.evaluate(`localStorage.setItem('marquee-language', 'de')`)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${app.url}/console/customers`)
  const card = page.getByRole('article').filter({ hasText: 'Bare Boots' })
  await card.getByText('Die Kampagne hat nichts zu zeigen').waitFor()
  expect(await violations(page)).toEqual([])
  // Nor on a tablet, held either way.
  for (const width of [820, 1180]) {
    await page.setViewportSize({ width, height: 820 })
    await page.getByRole('article').or(page.getByRole('row')).filter({ hasText: 'Bare Boots' }).waitFor()
    await soon(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  // A status is as wide as its word there, too.
  await page.goto(`${app.url}/console/customers/${fine.cuid}`)
  const status = page.getByRole('table', { name: 'Kampagnen' }).locator('.status')
  expect((await status.boundingBox())!.width).toBeLessThan(160)
  // The last tab of a row that is wider than the phone is in sight when its address is opened.
  await page.goto(`${app.url}/console/customers/${fine.cuid}?tab=settings`)
  const tab = page.getByRole('tab', { name: 'Einstellungen' })
  await soon(async () => {
    const { x, width } = (await tab.boundingBox())!
    return x >= 0 && x + width <= 390
  }).toBe(true)
  await context.close()
})

it('staff remove a customer, which says what stops, and restore it', async () => {
  app.asks('GET /customer/:id 404')
  const customer = await app.service.newCustomer({ company: 'Gone Gloves' })
  const { page, context } = await openAsStaff(app)
  await page.goto(`${app.url}/console/customers/${customer.cuid}?tab=settings`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('dialog', { name: 'Remove Gone Gloves?' })
  await question.getByText('Its campaigns stop delivering', { exact: false }).waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  const status = async () => (await app.service.call('GET', `/customer/${customer.cuid}`)).status
  await soon(status).toBe(404)
  await page.getByRole('button', { name: 'Restore customer' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gone Gloves' }).waitFor()
  expect(await status()).toBe(200)
  await context.close()
})

it('tabs of staff work as different customers, and as the app, side by side', async () => {
  const [one, two] = [
    await app.service.newCustomer({ company: 'Tab One' }),
    await app.service.newCustomer({ company: 'Tab Two' }),
  ]
  await buildTree(app, one, 'Of one')
  await buildTree(app, two, 'Of two')
  const { page: first, context } = await openAsStaff(app)
  const second = await context.newPage()
  const third = await context.newPage()
  for (const page of [second, third]) {
    page.setDefaultTimeout(60_000)
    await page.goto(`${app.url}/console/customers`)
    await page.getByRole('button', { name: 'New customer' }).waitFor()
  }
  for (const [page, name] of [
    [first, 'Tab One'],
    [second, 'Tab Two'],
  ] as const) {
    await page.getByRole('searchbox', { name: 'Search' }).fill(name)
    await actAs(page, name)
  }
  await first.getByRole('link', { name: 'Campaigns' }).first().click()
  await first.getByRole('link', { name: 'Of one' }).waitFor()
  await first.getByRole('switch', { name: 'Deliver Of one' }).press('Space')
  await second.goto(`${app.url}/console/campaigns`)
  await second.getByRole('link', { name: 'Of two' }).waitFor()
  await third.reload()
  await third.getByRole('link', { name: 'Tab One', exact: true }).waitFor()
  await first.reload()
  await first.getByRole('link', { name: 'Of one' }).waitFor()
  const path = `/campaign?cuid=${one.cuid}`
  const paused = async () => (await app.service.call('GET', path, { as: one })).body[0].enabled
  await soon(paused).toBe(false)
  await context.close()
})

it('a customer gets the snippets for conversions, which work, and sees when an event arrived', async () => {
  const customer = await app.service.newCustomer()
  const { page, context } = await openSignedIn(app, customer.email)
  await page.getByRole('link', { name: 'Conversions' }).first().click()
  await page.getByText('No actions counted yet').waitFor()
  const onLastPage = page.getByRole('region', { name: /after the action/ })
  for (const [typed, written] of [
    ['1,000.50', 'value=1000.5&'],
    ['1.000,5', 'value=1000.5&'],
    ['1,000', 'value=1000&'],
  ] as const) {
    await page.getByLabel('Value (optional)').fill(typed)
    await soon(() => onLastPage.textContent()).toContain(written)
  }
  await page.getByLabel('Value (optional)').fill('')
  await page.getByLabel('Action', { exact: true }).fill("sign-up's")
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByText("Test “sign-up's” received from a server").waitFor()

  const snippet = (name: string | RegExp) => page.getByRole('region', { name }).textContent()
  const pages = { landing: await snippet(/remember the click/), done: await snippet(/after the action/) }
  const shop = await context.newPage()
  for (const [name, body] of Object.entries(pages)) {
    const answer = { contentType: 'text/html', body: body! }
    await shop.route(`${app.url}/shop/${name}?*`, route => route.fulfill(answer))
  }
  await shop.goto(`${app.url}/shop/landing?mqclid=ajJ5gAABAgMEBQYHCAkKCw`)
  const counted = shop.waitForResponse(/a\.gif/)
  await shop.goto(`${app.url}/shop/done?mqtest`)
  const pixel = await counted
  expect(pixel.status()).toBe(200)
  const query = new URL(pixel.url()).searchParams
  expect(Object.fromEntries(query)).toEqual({
    cuid: String(customer.cuid),
    name: "sign-up's",
    click: 'ajJ5gAABAgMEBQYHCAkKCw',
    test: '1',
  })
  // Anybody can load a pixel: a test without a click on one of the customer's ads is not kept.
  const { test } = (await app.service.call('GET', `/action?cuid=${customer.cuid}`, { as: customer })).body
  expect(test).toMatchObject({ by: 'server', reason: 'no_credit' })
  const path = `/stats/${customer.cuid}/filtered?cuid=${customer.cuid}`
  expect((await app.service.call('GET', path, { as: customer })).body.filtered).toEqual([])
  await context.close()
})

it("a customer's tab does not show the data of another customer who signed in beside it", async () => {
  app.asks('GET /saved-view 401', 'GET /stats/:id/figures 401', 'GET /stats/live 401')
  const one = await app.service.newCustomer({ company: 'Beside One' })
  const two = await app.service.newCustomer({ company: 'Beside Two' })
  await buildTree(app, one, 'Only of one')
  await buildTree(app, two, 'Only of two')
  const { page: first, context } = await signedIn(app, one.email)
  await first.goto(`${app.url}/console/campaigns`)
  await first.getByRole('link', { name: 'Only of one' }).waitFor()
  const second = await context.newPage()
  await second.goto(await ssoLocation(app, two.email))
  await second.getByRole('button', { name: 'Switch accounts' }).click()
  await second.getByRole('link', { name: 'Campaigns' }).first().click()
  await second.getByRole('link', { name: 'Only of two' }).waitFor()
  await first.getByRole('link', { name: 'Statistics' }).first().click()
  await first
    .getByText(/another customer|Sign in again/)
    .first()
    .waitFor()
  expect(await first.getByText('Only of two').count()).toBe(0)
  await context.close()
})

it('the map follows what is chosen, names towns, and measures in km or miles', async () => {
  const customer = await app.service.newCustomer()
  const { cid, pid } = await buildTree(app, customer, 'Around')
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${cid}/personas/${pid}?tab=targeting`)
  await page.locator('.map text', { hasText: 'Potsdam' }).first().waitFor()
  await page.getByRole('combobox', { name: 'Find a city' }).fill('Wadern')
  await page.getByRole('option', { name: /^Wadern/ }).click()
  await page.locator('.map text', { hasText: 'Trier' }).first().waitFor()
  await page.getByText('miles', { exact: true }).click()
  const radius = page.getByLabel('Radius')
  await soon(() => radius.inputValue()).toBe('15.534')
  // Key by key, which passes through `1,5`.
  await radius.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('1,500')
  expect(await radius.inputValue()).toBe('1,500')
  await radius.fill('10')
  await page.getByText('= 10 mi').waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  const path = `/campaign/${cid}/persona/${pid}?cuid=${customer.cuid}`
  expect((await app.service.call('GET', path, { as: customer })).body.geo.radius).toBe(16_093)
  await context.close()
})
