// Who may do what for a customer, in the browser: people and their roles, keys, freezing, and proposals.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { livingAppId } from '../../src/identity/apps.ts'
import { addStaff } from '../../src/identity/staff/staff.ts'
import { invitationIn, mailsTo, passcodeFor } from '../support/console.ts'
import {
  actAs,
  buildTree,
  type Console,
  openPage,
  signedIn,
  signedInBy,
  signIn,
  soon,
  startConsole,
  violations,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  // Browsers keep passkeys for names, not for addresses.
  app = await startConsole({}, 'localhost')
})
afterAll(() => app?.close())

it('an owner invites a person, who signs in by the link, works for two customers and picks one; then is removed', async () => {
  app.asks('GET /issues 401', 'POST /customer/:id/member 400')
  const [ann, cy] = [await app.service.newCustomer(), await app.service.newCustomer({ company: 'Cy Cycles' })]
  const email = 'bob@people.example'
  await app.service.call('POST', `/customer/${cy.cuid}/member`, { as: cy, body: { email, role: 'manager' } })
  const { page, context } = await signedIn(app, ann.email)
  await page.goto(`${app.url}/console/account?tab=people`)
  await page.getByRole('button', { name: 'Invite a person' }).click()
  // What is wrong is said in the words of the console, and Escape does not lose what was typed.
  await page.getByLabel('Email of the person').fill('bob')
  await page.getByRole('button', { name: 'Send invitation' }).press('Enter')
  await page.getByText('Write an email address, such as ann@example.com.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Discard your changes?' }).getByText('Stay here').click()
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

  await page.getByRole('button', { name: 'Invite Bob again' }).press('Enter')
  await page.getByText(`An invitation is on its way to ${email}.`).last().waitFor()
  await soon(async () => (await mailsTo(app.service, email)).length).toBe(3)

  const { page: his, context: bob } = await openPage(app, { viewport: { width: 360, height: 740 } })
  const mails = await mailsTo(app.service, email)
  await his.goto(`${app.url}/console?invitation=${invitationIn(mails.at(-1)!)}`)
  await his.getByRole('button', { name: 'Menu' }).click()
  await his.getByText(email).waitFor()
  await his.getByRole('menuitem', { name: 'Switch account' }).click()
  await his.getByRole('heading', { name: 'Choose an account' }).waitFor()
  expect(await violations(his)).toEqual([])
  await his.getByRole('button', { name: 'Cy Cycles' }).press('Enter')
  await his.getByRole('button', { name: 'Menu' }).waitFor()
  await his.goto(`${app.url}/console/account`)
  await soon(() => his.getByRole('textbox', { name: 'Company' }).inputValue()).toBe('Cy Cycles')
  await his.getByRole('tab', { name: 'People' }).click()
  await his.getByRole('heading', { name: 'People' }).waitFor()
  expect(await his.getByRole('button', { name: 'Invite a person' }).count()).toBe(0)
  await bob.close()

  await page.getByRole('button', { name: 'Remove Bob' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await soon(members).toMatchObject([{ first: true }])
  await context.close()
})

it('on a phone, a customer creates a key with limits, sees its token once and the key in the list, and revokes it', async () => {
  app.asks('POST /customer/:id/credential 400')
  const customer = await app.service.newCustomer()
  const { cid } = await buildTree(app, customer, 'Keyed')
  const { page, context } = await signedIn(app, customer.email, { viewport: { width: 390, height: 800 } })
  await page.goto(`${app.url}/console/account?tab=keys`)
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New key' })
  await soon(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Name')
  await page.keyboard.type('Nightly')
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
  await daily.press('Tab')
  await dialog.getByText('Write an amount from $0.01 to $1,000,000,000.00.').waitFor()
  await create.press('Enter')
  await soon(() => daily.getAttribute('aria-invalid')).toBe('true')
  await soon(() => expires.getAttribute('aria-invalid')).not.toBe('true')
  expect(await violations(page)).toEqual([])
  await daily.fill('20')
  // A percent sign is what people write.
  const increase = dialog.getByLabel('Increase by one change, in percent')
  await increase.fill('20 %')
  await increase.press('Tab')
  await dialog.getByText('= 20%').waitFor()
  expect(await increase.inputValue()).toBe('20')
  await increase.fill('')
  await create.press('Enter')
  const token = (await dialog.getByText(/^mqct_/).textContent())!
  const key = (await dialog.getByText(/^mqck_/).textContent())!
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Nightly' })
  const limits = 'Daily budget of one campaign: at most $20.00'
  for (const text of [key, limits, 'Keyed', 'The console', 'Never']) await row.getByText(text).waitFor()
  expect(await violations(page)).toEqual([])
  // At a desk everything is in sight, in the longer language too: no button is beyond the edge.
  await page.evaluate(`localStorage.setItem('marquee-language', 'de')`)
  await page.setViewportSize({ width: 1320, height: 860 })
  await page.reload()
  const keys = page.getByRole('table', { name: 'Schlüssel' })
  await keys.getByText(key).waitFor()
  const beyond = '.small-table[tabindex]:has([aria-label="Schlüssel"])'
  const room = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${beyond}'))`
  expect(await page.evaluate(room)).toBe(0)
  await page.evaluate(`localStorage.setItem('marquee-language', 'en')`)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.reload()
  await row.getByText(key).waitFor()
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
  await page.getByRole('heading', { name: 'Preferences' }).waitFor()
  for (const name of ['Freeze everything now', 'Save changes'])
    expect([name, await sees(name)]).toEqual([name, 0])
  for (const [tab, ...names] of [
    ['Keys', 'New key', 'Revoke'],
    ['People', 'Invite a person', 'Remove'],
  ]) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('table', { name: tab }).waitFor()
    for (const name of names) expect([name, await sees(name)]).toEqual([name, 0])
  }
  await page.getByRole('tab', { name: 'Emails' }).click()
  await soon(() => page.getByRole('switch', { name: 'When a change is proposed' }).isDisabled()).toBe(true)
  await context.close()

  const email = 'sue@staff.example'
  const appId = await livingAppId(app.service.db, 'default')
  await addStaff(app.service.db, appId, { email, name: null, role: 'support' }, app.service.clock)
  const staff = await signedInBy(app, { email, ...(await passcodeFor(app.service, email)) })
  await staff.page.goto(`${app.url}/console/customers`)
  await staff.page.getByRole('searchbox', { name: 'Search' }).fill('Roles Ltd')
  // The list is searched when typing pauses; until then the row still moves.
  await staff.page.waitForURL(/q=Roles/)
  await soon(() => staff.page.locator('tbody').getByRole('link').count()).toBe(1)
  expect(await staff.page.getByRole('button', { name: 'New customer' }).count()).toBe(0)
  await actAs(staff.page, 'Roles Ltd')
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

it('a person adds a passkey on a phone, is asked for it at the next sign-in, and removes it', async () => {
  const { email } = await app.service.newCustomer({ company: 'Keyed Bikes' })
  const code = async () => ({ email, ...(await passcodeFor(app.service, email)) })
  const phone = { viewport: { width: 390, height: 800 } }
  const { page, context } = await signedInBy(app, await code(), phone)
  const device = await context.newCDPSession(page)
  await device.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true } as const
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  })
  await page.goto(`${app.url}/console/`)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Passkeys' }).click()
  await page.getByText('No passkey yet').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Add a passkey' }).press('Enter')
  await page.getByLabel('Name of the passkey').fill('My phone')
  expect(await violations(page)).toEqual([])
  await page.getByLabel('Name of the passkey').press('Enter')
  const row = page.getByRole('row').filter({ hasText: 'My phone' })
  await row.getByText('Never').waitFor()
  expect(await violations(page)).toEqual([])

  await signIn(app, context, await code())
  await page.goto(`${app.url}/console/passkeys`)
  const use = page.getByRole('button', { name: 'Use passkey' })
  await use.waitFor()
  await soon(() => page.evaluate('document.activeElement.textContent')).toBe('Use passkey')
  expect(await page.getByText('Keyed Bikes').count()).toBe(0)
  expect(await violations(page)).toEqual([])
  const verified = (isUserVerified: boolean) =>
    device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  await verified(false)
  await use.press('Enter')
  await page.getByText('That was cancelled, or took too long.').waitFor()
  await verified(true)
  await use.press('Enter')
  await row.waitFor()
  expect(await row.getByText('Never').count()).toBe(0)
  await page.getByRole('button', { name: 'Remove My phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No passkey yet').waitFor()
  await context.close()
})

it('on a phone, a person sees where they are signed in, signs out one browser, then all others', async () => {
  const { email } = await app.service.newCustomer()
  const code = async () => ({ email, ...(await passcodeFor(app.service, email)) })
  const phone = { viewport: { width: 390, height: 800 } }
  const [{ page, context }, ...others] = [
    await signedInBy(app, await code(), phone),
    await signedInBy(app, await code(), { userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }),
    await signedInBy(app, await code(), { userAgent: 'Mozilla/5.0 (iPad) Safari/604.1' }),
  ]
  await page.goto(`${app.url}/console/`)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Where you are signed in' }).click()
  await page.getByText('This one').waitFor()
  expect(await page.getByRole('button', { name: /^Sign out (?!everywhere)/ }).count()).toBe(2)
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: /^Sign out Firefox, Linux/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Sign out' }).dblclick()
  await page.getByText('Signed out there').waitFor()
  const [linux, pad] = others.map(other => other.page)
  await linux!.goto(`${app.url}/console/campaigns`)
  await linux!.getByRole('heading', { name: 'Sign in' }).waitFor()
  await pad!.goto(`${app.url}/console/campaigns`)
  await pad!.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor()
  const everywhere = page.getByRole('button', { name: 'Sign out everywhere else' })
  await everywhere.click()
  await dialog.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByText('1 session signed out').waitFor()
  await everywhere.waitFor({ state: 'detached' })
  await pad!.reload()
  await pad!.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByText('This one').waitFor()
  for (const { context: one } of [{ context }, ...others]) await one.close()
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
  app.asks('PUT /proposal/:id/approve 409')
  const { call, cuid, email } = await newCustomerWithCampaign()
  const { page, context } = await signedIn(app, email, { viewport: { width: 390, height: 800 } })
  await page.goto(`${app.url}/console/proposals`)
  const first = page.getByRole('region', { name: 'Change Spring' })
  await first.first().getByText('$10.00 → $20.00').waitFor()
  expect(await first.count()).toBe(2)
  await first.first().getByText('Can cost up to $200.00 more.').waitFor()
  expect(await violations(page)).toEqual([])
  await first.first().getByRole('button', { name: 'Approve' }).press('Enter')
  await page.getByText('Proposal approved').first().waitFor()
  const spends = async () => (await call('GET', '/campaign')).body[0].dailySpend
  await soon(spends).toBe(20)
  await soon(() => first.count()).toBe(1)
  await first.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('it can be proposed again').waitFor()
  await first.getByRole('button', { name: 'Decline' }).click()
  const dialog = page.getByRole('dialog', { name: /^Decline: Change Spring/ })
  await dialog.getByLabel('Reason (optional)').fill('Too expensive\nthis month')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Decline' }).dblclick()
  await page.getByText('Nothing is waiting for a decision').waitFor()
  const listed = (await app.service.call('GET', `/proposal?cuid=${cuid}`)).body
  expect(listed.map(({ status }: { status: string }) => status).sort()).toEqual(['approved', 'declined'])
  await page.getByText('Reason: Too expensive').waitFor()
  expect(await page.getByText('already').count()).toBe(0)
  await context.close()
})

it('the last change is undone after a look at before and after; if it was changed again, that is said', async () => {
  app.asks('POST /history/:id/undo 409')
  const { call, email } = await newCustomerWithCampaign()
  const { cid } = (await call('GET', '/campaign')).body[0]
  const spends = async () => (await call('GET', '/campaign')).body[0].dailySpend
  await call('PUT', `/campaign/${cid}`, { dailySpend: 12 })
  const { page, context } = await signedIn(app, email, { viewport: { width: 390, height: 800 } })
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=history`)
  const undo = page.getByRole('button', { name: /^Undo: .* edited the campaign/ })
  const dialog = page.getByRole('dialog', { name: 'Undo this change?' })
  const yes = dialog.getByRole('button', { name: 'Undo' })
  await undo.press('Enter')
  await dialog.getByText('$12.00 → $10.00').waitFor()
  expect(await violations(page)).toEqual([])
  await call('PUT', `/campaign/${cid}`, { dailySpend: 15 })
  await yes.press('Enter')
  await page.getByText('It has been changed again since.').waitFor()
  await page.getByText('$12.00 → $15.00').waitFor()
  expect(await undo.count()).toBe(1)
  await undo.press('Enter')
  await dialog.getByText('$15.00 → $12.00').waitFor()
  await yes.press('Enter')
  await page.getByText('Change undone').waitFor()
  expect(await spends()).toBe(12)
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
