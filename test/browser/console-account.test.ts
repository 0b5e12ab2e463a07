// The account of a customer and its keys, what each role sees, the customers and the brand for staff, tabs that work as
// different customers, and the map that follows what is chosen.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { livingAppId } from '../../src/access/apps.ts'
import { addStaff } from '../../src/access/staff.ts'
import { offToken } from '../../src/mails/links.ts'
import { invitationIn, mailsTo, passcodeFor } from '../support/console.ts'
import { recordEvents } from '../support/stats.ts'
import {
  buildTree,
  type Console,
  image,
  openAsStaff,
  openPage,
  openSignedIn,
  signedIn,
  signedInBy,
  soon,
  ssoLocation,
  startConsole,
  violations,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

it('a customer edits its account; language and time zone are saved with it, for every browser', async () => {
  const customer = await app.service.newCustomer({ company: 'Blue Bikes' })
  const { page, context } = await openSignedIn(app, customer.email)
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.getByLabel('Company').fill('Red Bikes')
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
  await page.getByRole('combobox', { name: 'Performance report' }).click()
  await page.getByRole('option', { name: 'Weekly' }).click()
  await page.getByRole('switch', { name: 'When a banner is rejected' }).press('Space')
  const mails = async () => (await app.service.call('GET', `/customer/${customer.cuid}/mails`)).body
  await soon(mails).toMatchObject({ report: 'weekly', bannerRejected: false, budgetSpent: true })
  await page.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { level: 1, name: 'Konto' }).waitFor()
  await soon(kept).toMatchObject({ language: 'de' })

  // The page behind the link in a mail.
  const token = await offToken(app.service.db, { cuid: customer.cuid, kind: 'report' })
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
  await staff.page.getByText('Time zone: UTC, of this service').waitFor()
  await staff.context.close()
})

it('an owner invites a person, who signs in by the link, works for two customers and picks one; then is removed', async () => {
  const [ann, cy] = [await app.service.newCustomer(), await app.service.newCustomer({ company: 'Cy Cycles' })]
  const email = 'bob@people.example'
  await app.service.call('POST', `/customer/${cy.cuid}/member`, { as: cy, body: { email, role: 'manager' } })
  const { page, context } = await signedIn(app, ann.email)
  await page.goto(`${app.url}/console/account`)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByLabel('Email of the person').fill(email)
  await page.getByLabel('Name of the person').fill('Bob')
  await page.getByRole('radio', { name: 'Viewer' }).check()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Send invitation' }).press('Enter')
  await page.getByRole('combobox', { name: 'Role of Bob' }).click()
  await page.getByRole('option', { name: 'Editor' }).click()
  const members = async () => (await app.service.call('GET', `/customer/${ann.cuid}/member`)).body
  await soon(members).toMatchObject([{ first: true }, { email, name: 'Bob', role: 'editor', joined: null }])
  expect(await violations(page)).toEqual([])

  const { page: his, context: bob } = await openPage(app, { viewport: { width: 360, height: 740 } })
  const mails = await mailsTo(app.service, email)
  await his.goto(`${app.url}/console?invitation=${invitationIn(mails.at(-1)!)}`)
  await his.getByRole('button', { name: 'Account' }).click()
  await his.getByText(email).waitFor()
  await his.getByRole('menuitem', { name: 'Switch account' }).click()
  await his.getByRole('heading', { name: 'Choose an account' }).waitFor()
  expect(await violations(his)).toEqual([])
  await his.getByRole('button', { name: 'Cy Cycles' }).press('Enter')
  await his.getByRole('button', { name: 'Account' }).waitFor()
  await his.goto(`${app.url}/console/account`)
  await soon(() => his.getByLabel('Company').inputValue()).toBe('Cy Cycles')
  await his.getByRole('heading', { name: 'People' }).waitFor()
  expect(await his.getByRole('button', { name: 'Invite a person' }).count()).toBe(0)
  await bob.close()

  await page.getByRole('button', { name: 'Remove Bob' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await soon(members).toMatchObject([{ first: true }])
  await context.close()
})

it('on a phone, a customer creates a key with limits, sees its token once and the key in the list, and revokes it', async () => {
  const customer = await app.service.newCustomer()
  const { cid } = await buildTree(app, customer, 'Keyed')
  const { page, context } = await signedIn(app, customer.email, { viewport: { width: 390, height: 800 } })
  await page.goto(`${app.url}/console/account`)
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New key' })
  await dialog.getByLabel('Name').fill('Nightly')
  await dialog.getByRole('radio', { name: 'Spend' }).check()
  await dialog.getByRole('combobox', { name: 'Only these campaigns' }).fill('Keyed')
  await page.getByRole('option', { name: 'Keyed' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const [expires, daily] = [dialog.getByLabel('Expires'), dialog.getByLabel('Daily budget of one campaign')]
  const create = dialog.getByRole('button', { name: 'Create key' })
  await expires.fill('2020-01-01T00:00')
  await create.press('Enter')
  await dialog.getByText('This must be in the future.').waitFor()
  await expires.fill('2090-01-01T00:00')
  await create.press('Enter')
  await dialog.getByText('Keys do not last that long here.').waitFor()
  await expires.fill(new Date(app.service.clock.nowMs() + 10 * 86_400_000).toISOString().slice(0, 16))
  await daily.fill('0')
  await create.press('Enter')
  await soon(() => daily.getAttribute('aria-invalid')).toBe('true')
  await soon(() => expires.getAttribute('aria-invalid')).not.toBe('true')
  expect(await violations(page)).toEqual([])
  await daily.fill('20')
  await create.press('Enter')
  const token = (await dialog.getByText(/^mqct_/).textContent())!
  const key = (await dialog.getByText(/^mqck_/).textContent())!
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Nightly' })
  const limits = 'Daily budget of one campaign: at most $20.00'
  for (const text of [key, limits, 'Keyed', 'The console', 'Never']) await row.getByText(text).waitFor()
  expect(await violations(page)).toEqual([])
  const { body } = await app.service.call('GET', `/customer/${customer.cuid}/credential`, { as: customer })
  const made = { key, name: 'Nightly', scope: 'spend', cids: [cid], ceilings: { dailySpend: 20 } }
  expect(body).toContainEqual(expect.objectContaining(made))
  const path = `/campaign/${cid}?cuid=${customer.cuid}`
  const own = () => app.service.call('GET', path, { as: { key, token } })
  expect((await own()).status).toBe(200)
  await page.getByRole('button', { name: `Revoke ${key}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await soon(async () => (await own()).status).toBe(401)
  expect(await page.getByText(token).count()).toBe(0)
  await context.close()
})

it('people see only what they may do: a viewer reads; support staff pause, and decide nothing', async () => {
  const { call, cuid } = await newCustomerWithCampaign({ company: 'Roles Ltd' })
  const { cid, enabled } = (await call('GET', '/campaign')).body[0]
  expect(enabled).toBe(true)
  const viewer = 'viewer@people.example'
  await app.service.call('POST', `/customer/${cuid}/member`, { body: { email: viewer, role: 'viewer' } })
  const [mail] = await mailsTo(app.service, viewer)
  const { page, context } = await signedInBy(app, { invitation: invitationIn(mail!) })
  const sees = (name: string) => page.getByRole('button', { name }).count()
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=settings`)
  await soon(() => page.getByRole('textbox', { name: 'Name' }).isDisabled()).toBe(true)
  for (const name of ['Save changes', 'Duplicate', 'Delete'])
    expect([name, await sees(name)]).toEqual([name, 0])
  expect(await page.getByRole('switch', { name: 'Deliver', exact: true }).count()).toBe(0)
  expect(await violations(page)).toEqual([])
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('link', { name: 'Spring' }).waitFor()
  for (const role of ['switch', 'checkbox'] as const) expect(await page.getByRole(role).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'New campaign' }).count()).toBe(0)
  expect(await sees('Edit the budget')).toBe(0)
  await page.goto(`${app.url}/console/account`)
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  await page.getByRole('table', { name: 'People' }).waitFor()
  for (const name of [
    'New key',
    'Revoke',
    'Invite a person',
    'Remove',
    'Freeze everything now',
    'Save changes',
  ])
    expect([name, await sees(name)]).toEqual([name, 0])
  await soon(() => page.getByRole('switch', { name: 'When a change is proposed' }).isDisabled()).toBe(true)
  await context.close()

  const email = 'sue@staff.example'
  const appId = await livingAppId(app.service.db, 'default')
  await addStaff(app.service.db, appId, { email, name: null, role: 'support' }, app.service.clock)
  const staff = await signedInBy(app, { email, ...(await passcodeFor(app.service, email)) })
  await staff.page.goto(`${app.url}/console/customers`)
  await staff.page.getByRole('searchbox', { name: 'Search' }).fill('Roles Ltd')
  await staff.page.getByRole('button', { name: 'Open Roles Ltd' }).waitFor()
  expect(await staff.page.getByRole('button', { name: 'New customer' }).count()).toBe(0)
  await staff.page.getByRole('button', { name: 'Open Roles Ltd' }).press('Enter')
  await staff.page.getByText('Acting as', { exact: true }).waitFor()
  await staff.page.getByRole('link', { name: 'Proposals' }).first().click()
  await staff.page.getByRole('region', { name: 'Change Spring' }).first().waitFor()
  for (const name of ['Approve', 'Decline'])
    expect(await staff.page.getByRole('button', { name }).count()).toBe(0)
  await staff.page.getByRole('link', { name: 'Campaigns' }).first().click()
  const deliver = staff.page.getByRole('switch', { name: 'Deliver Spring' })
  await deliver.press('Space')
  await soon(async () => (await call('GET', '/campaign')).body[0].enabled).toBe(false)
  await soon(() => deliver.isDisabled()).toBe(true)
  await staff.context.close()
})

it('a customer freezes everything with one click; unfreezing asks first', async () => {
  const customer = await app.service.newCustomer()
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/account`)
  const frozen = async () =>
    (await app.service.call('GET', `/customer/${customer.cuid}`, { as: customer })).body.frozen
  await page.getByRole('button', { name: 'Freeze everything now' }).click()
  await page.getByText('Frozen: nothing delivers, and nothing can be changed.').waitFor()
  expect(await frozen()).toBe(true)
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Unfreeze' }).click()
  const dialog = page.getByRole('dialog', { name: 'Unfreeze the account?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await frozen()).toBe(true)
  await page.getByRole('button', { name: 'Unfreeze' }).click()
  await dialog.getByRole('button', { name: 'Unfreeze' }).click()
  await page.getByRole('button', { name: 'Freeze everything now' }).waitFor()
  expect(await frozen()).toBe(false)
  await context.close()
})

it('a customer sees what was proposed, before and after and the most that it costs, and decides', async () => {
  const { call, cuid, email } = await newCustomerWithCampaign()
  const { page, context } = await signedIn(app, email, { viewport: { width: 390, height: 800 } })
  await page.goto(`${app.url}/console/proposals`)
  const first = page.getByRole('region', { name: 'Change Spring' })
  await first.first().getByText('$10.00 → $20.00').waitFor()
  expect(await first.count()).toBe(2)
  await first.first().getByText('Can cost $200.00 more at most.').waitFor()
  expect(await violations(page)).toEqual([])
  await first.first().getByRole('button', { name: 'Approve' }).press('Enter')
  await page.getByText('Proposal approved').first().waitFor()
  const spends = async () => (await call('GET', '/campaign')).body[0].dailySpend
  await soon(spends).toBe(20)
  await soon(() => first.count()).toBe(1)
  await first.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Propose it again').waitFor()
  await first.getByRole('button', { name: 'Decline' }).click()
  await page.getByText('Nothing waits for a decision').waitFor()
  const listed = (await app.service.call('GET', `/proposal?cuid=${cuid}`)).body
  expect(listed.map(({ status }: { status: string }) => status).sort()).toEqual(['approved', 'declined'])
  await context.close()
})

/** With two proposals to spend more. */
async function newCustomerWithCampaign(fields: object = {}) {
  const { cuid, email, ...pair } = await app.service.newCustomer({ timezone: 'Etc/UTC', ...fields })
  const call = (method: string, path: string, body?: object, as = pair) =>
    app.service.call(method, `${path}?cuid=${cuid}`, { as, body })
  const start = (Math.floor(app.service.clock.nowMs() / 86_400_000) + 10) * 86_400
  const order = { name: 'Spring', start, end: start + 20 * 86_400, dailySpend: 10 }
  const { cid } = (await call('POST', '/campaign', order)).body
  const path = `/customer/${cuid}/credential`
  const agent = (await app.service.call('POST', path, { as: pair, body: { scope: 'propose' } })).body
  for (let i = 0; i < 2; i++) await call('PUT', `/campaign/${cid}`, { dailySpend: 20 }, agent)
  return { call, cuid, email }
}

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
  ])
  const { page, context } = await openAsStaff(app)
  const row = page.getByRole('row').filter({ hasText: 'Staffed Ltd' })
  await row.getByText('$12.34').waitFor()
  const asked = page.waitForRequest(request => request.url().includes(`/stats/${customer.cuid}/figures`))
  await page.getByRole('link', { name: 'Staffed Ltd' }).click()
  await page.getByRole('heading', { level: 1, name: 'Staffed Ltd' }).waitFor()
  // As every page does, so that figures agree.
  await asked
  await soon(() => page.locator('[data-metric="spend"]').textContent()).toBe('$12.34')
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
  const tag = page.getByRole('region', { name: 'Tag: put it where the ad should appear' })
  const { body: sources } = await app.service.call('GET', '/source')
  const { key } = sources.find((source: { kind: string }) => source.kind === 'site')
  expect(await tag.textContent()).toBe(
    `<div style="min-height:250px"><script async src="${app.url}/tag.js" data-source="${key}" data-size="300x250"></script></div>`,
  )
  expect(await page.getByText(/mqx|mqv/).count()).toBe(0)
  await page.getByText('1 impression for your customers today, $12.34').waitFor()
  await page.getByText('Campaigns that pay by click do not bid here.', { exact: false }).first().waitFor()

  await page.getByRole('link', { name: 'Brand' }).click()
  await page.getByLabel('Name').fill('Shop Ads')
  const logo = { name: 'logo.png', mimeType: 'image/png', buffer: await image(96, 32) }
  await page.locator('input[type=file]').setInputFiles(logo)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('banner').getByText('Shop Ads').waitFor()
  const theirs = await openSignedIn(app, 'moved@bikes.example')
  await theirs.page.getByRole('banner').getByText('Shop Ads').waitFor()
  expect(await theirs.page.title()).toContain('Shop Ads')
  await theirs.context.close()
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
    await page.goto(`${app.url}/console/customers`)
    await page.getByRole('button', { name: 'New customer' }).waitFor()
  }
  for (const [page, name] of [
    [first, 'Tab One'],
    [second, 'Tab Two'],
  ] as const) {
    await page.getByRole('searchbox', { name: 'Search' }).fill(name)
    await page.getByRole('button', { name: `Open ${name}` }).click()
    await page.getByText('Acting as', { exact: true }).waitFor()
  }
  await first.getByRole('link', { name: 'Campaigns' }).first().click()
  await first.getByRole('link', { name: 'Of one' }).waitFor()
  await first.getByRole('switch', { name: 'Deliver Of one' }).press('Space')
  await second.goto(`${app.url}/console/campaigns`)
  await second.getByRole('link', { name: 'Of two' }).waitFor()
  await third.reload()
  await third.getByRole('button', { name: 'Open Tab One' }).waitFor()
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
  await page.getByText('= 1,500 mi').waitFor()
  await radius.fill('10')
  await page.getByText('= 10 mi').waitFor()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  const path = `/campaign/${cid}/persona/${pid}?cuid=${customer.cuid}`
  expect((await app.service.call('GET', path, { as: customer })).body.geo.radius).toBe(16_093)
  await context.close()
})
