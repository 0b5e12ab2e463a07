// Roles in the browser: an editor's change that costs more waits for an owner; readers get no form that would fail; an
// admin decides who is on the staff.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { livingAppId } from '../../src/identity/apps.ts'
import { addSuperPair } from '../../src/identity/super-pairs.ts'
import { invitationIn, mailsTo, passcodeFor } from '../support/console.ts'
import {
  actAs,
  buildTree,
  type Console,
  signedIn,
  signedInAsStaff,
  signedInBy,
  soon,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

const phone = { viewport: { width: 390, height: 800 } }

async function signedInAsMember(cuid: number, role: string, options = {}) {
  const email = `${role}${cuid}@people.example`
  await app.service.call('POST', `/customer/${cuid}/member`, { body: { email, role } })
  const [mail] = await mailsTo(app.service, email)
  return signedInBy(app, { invitation: invitationIn(mail!) }, options)
}

it('an editor raises a budget, which becomes a proposal; an owner sees what it costs, approves, and it holds', async () => {
  const customer = await app.service.newCustomer()
  const { cid } = await buildTree(app, customer, 'Spring bikes')
  const path = `/campaign/${cid}?cuid=${customer.cuid}`
  const spends = async () => (await app.service.call('GET', path, { as: customer })).body.dailySpend
  const editor = await signedInAsMember(customer.cuid, 'editor')
  await editor.page.goto(`${app.url}/console/campaigns/${cid}?tab=settings`)
  await editor.page.getByRole('textbox', { name: 'Daily budget' }).fill('80')
  await editor.page.getByRole('button', { name: 'Save changes' }).press('Enter')
  await editor.page.getByText('It waits for an owner or a manager.').waitFor()
  expect(await spends()).toBe(50)
  await editor.page.goto(`${app.url}/console/proposals`)
  const waiting = editor.page.getByRole('region', { name: 'Change Spring bikes' })
  await waiting.getByText('$50.00 → $80.00').waitFor()
  expect(await waiting.getByRole('button', { name: /Approve|Decline/ }).count()).toBe(0)
  expect(await violations(editor.page)).toEqual([])

  const owner = await signedIn(app, customer.email, phone)
  await owner.page.goto(`${app.url}/console/proposals`)
  const proposal = owner.page.getByRole('region', { name: 'Change Spring bikes' })
  await proposal.getByText('$50.00 → $80.00').waitFor()
  // A day and a part of one: two budgets of a day.
  await proposal.getByText(/Can cost up to \$\d+\.\d\d more\./).waitFor()
  await proposal.getByText(`editor${customer.cuid}@people.example`).waitFor()
  expect(await violations(owner.page)).toEqual([])
  await proposal.getByRole('button', { name: 'Approve' }).press('Enter')
  await soon(spends).toBe(80)
  await owner.page.getByText('Nothing is waiting for a decision').waitFor()
  for (const { context } of [editor, owner]) await context.close()
})

it('of two who decide at once the second is told; who proposed it takes it back; the first page says what waits', async () => {
  app.asks('PUT /proposal/:id/approve 409')
  const customer = await app.service.newCustomer()
  const { cid } = await buildTree(app, customer, 'Spring bikes')
  const editor = await signedInAsMember(customer.cuid, 'editor')
  for (const budget of ['80', '90']) {
    await editor.page.goto(`${app.url}/console/campaigns/${cid}?tab=settings`)
    await editor.page.getByRole('textbox', { name: 'Daily budget' }).fill(budget)
    await editor.page.getByRole('button', { name: 'Save changes' }).press('Enter')
    await editor.page.getByText('It waits for an owner or a manager.').waitFor()
  }
  // Not called by the name of the customer, which is somebody else's.
  const manager = await signedInAsMember(customer.cuid, 'manager', phone)
  await manager.page.goto(`${app.url}/console/`)
  await manager.page.getByRole('heading', { level: 1, name: /^Good (morning|afternoon|evening)$/ }).waitFor()
  await manager.page.getByRole('button', { name: 'Menu' }).click()
  await manager.page.getByRole('menuitem', { name: 'Proposals 2 wait' }).waitFor()
  await manager.page.keyboard.press('Escape')
  await manager.page.getByRole('link', { name: '2 changes are waiting for your decision' }).click()
  const owner = await signedIn(app, customer.email)
  await owner.page.goto(`${app.url}/console/proposals`)
  const [mine, theirs] = [manager, owner].map(({ page }) => ({
    page,
    proposal: page.getByRole('region', { name: 'Change Spring bikes' }).filter({ hasText: '→ $80.00' }),
  }))
  await theirs!.proposal.waitFor()
  await mine!.proposal.getByRole('button', { name: 'Decline' }).click()
  const asks = mine!.page.getByRole('dialog', { name: /^Decline: / })
  await asks.getByRole('button', { name: 'Decline' }).click()
  await soon(() => mine!.page.evaluate('document.activeElement.tagName')).toBe('H1')
  await theirs!.proposal.getByRole('button', { name: 'Approve' }).click()
  await theirs!.page.getByRole('alert').getByText('Somebody else has already decided it').waitFor()
  await theirs!.page.getByText(`Decided by manager${customer.cuid}@people.example`).waitFor()

  await editor.page.goto(`${app.url}/console/proposals`)
  await editor.page.getByRole('button', { name: 'Withdraw' }).click()
  await editor.page.getByText('Withdrawn by you').waitFor()
  expect(await editor.page.getByRole('button', { name: /Approve|Decline|Take/ }).count()).toBe(0)
  expect(await violations(editor.page)).toEqual([])
  for (const { context } of [editor, manager, owner]) await context.close()
})

it('who may do less than before is told when they save, and offered it no longer; who was removed finds the way out', async () => {
  app.asks('GET /campaign/:id/history 401', 'PUT /campaign/:id 403')
  const customer = await app.service.newCustomer()
  const { cid } = await buildTree(app, customer, 'Spring bikes')
  const { page, context } = await signedInAsMember(customer.cuid, 'manager')
  const members = `/customer/${customer.cuid}/member`
  const { body } = await app.service.call('GET', members)
  const { mid } = body.find(({ role }: { role: string }) => role === 'manager')
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=settings`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Typed before')
  await app.service.call('PUT', `${members}/${mid}`, { body: { role: 'viewer' } })
  const save = page.getByRole('button', { name: 'Save changes' })
  await save.click()
  await page.getByRole('alert').getByText('Your role, or this key, does not allow that.').waitFor()
  await save.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Typed before')
  await app.service.call('DELETE', `${members}/${mid}`)
  app.service.clock.advance(6_000)
  page.on('dialog', dialog => dialog.accept())
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('button', { name: 'Leave without saving' }).click()
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  await again.getByRole('button', { name: 'Leave this page' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await context.close()
})

it('of a new campaign a proposal shows what is in it, in the order of the form, each once', async () => {
  const customer = await app.service.newCustomer()
  const { cid, pid } = await buildTree(app, customer, 'Spring bikes')
  const as = { key: customer.key, token: customer.token }
  const [banner] = (
    await app.service.call('GET', `/campaign/${cid}/persona/${pid}/banner?cuid=${customer.cuid}`, { as })
  ).body
  const start = Math.floor(app.service.clock.nowMs() / 1000) + 86_400
  const banners = [{ name: 'Blue', creativeURL: banner.creativeURL, clickUrl: 'https://bikes.example/new' }]
  const body = {
    ...{ name: 'Autumn', start, end: start + 86_400, dailySpend: 20, frequency: 3 },
    personas: [{ name: 'Riders', geo: { geos: ['CA'] }, device: { mobile: true }, banners }],
  }
  const made = await app.service.call('POST', `/campaign?cuid=${customer.cuid}&propose=true`, { as, body })
  expect(made.status, made.text).toBe(202)
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/proposals`)
  const proposal = page.getByRole('region', { name: 'New: Autumn' })
  await proposal.getByText('Persona: Riders').waitFor()
  await proposal.getByText('Banner: Blue').waitFor()
  await proposal.getByText('https://bikes.example/new').waitFor()
  await soon(() => page.evaluate(`document.querySelector('main section img').naturalWidth`)).toBe(300)
  const words = (await proposal.textContent())!
  const places = ['Daily budget', 'Start', 'End', 'Pay for', 'Frequency cap'].map(word => words.indexOf(word))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(words.match(/Frequency cap/g)).toHaveLength(1)
  expect(await violations(page)).toEqual([])
  await context.close()
})

it('a viewer gets no form that would fail, in German and on a phone', async () => {
  const customer = await app.service.newCustomer()
  const { cid, pid, bid } = await buildTree(app, customer, 'Spring bikes')
  const { page, context } = await signedInAsMember(customer.cuid, 'viewer', { ...phone, locale: 'de-DE' })
  for (const path of ['/create', `/campaigns/${cid}/new-persona`]) {
    await page.goto(`${app.url}/console${path}`)
    await page.getByText('Sie können alles ansehen, aber nichts ändern').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await violations(page)).toEqual([])
  }
  const persona = `/campaigns/${cid}/personas/${pid}`
  for (const path of [
    `/campaigns/${cid}`,
    persona,
    `${persona}?tab=targeting`,
    `${persona}/banners/${bid}`,
  ]) {
    await page.goto(`${app.url}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('Spring bikes').first().waitFor()
    for (const name of [/speichern/i, /löschen/i, /duplizieren/i, /^neue/i, /hochladen/i])
      expect([path, String(name), await page.getByRole('button', { name }).count()]).toEqual([
        path,
        String(name),
        0,
      ])
    expect([path, await page.getByRole('switch').count()]).toEqual([path, 0])
  }
  await context.close()
})

it('a super pair that reads sees customers and their campaigns, and no button that would be refused', async () => {
  const customer = await app.service.newCustomer({ company: 'Read Only Ltd' })
  await buildTree(app, customer, 'Spring bikes')
  const appId = await livingAppId(app.service.db, 'default')
  const wanted = { name: 'Reports', scope: 'read', cuids: null, expiresAt: null } as const
  const { key, token } = await addSuperPair(app.service.db, appId, wanted, app.service.clock)
  const { page, context } = await signedInBy(app, { superkey: key, supertoken: token })
  await page.goto(`${app.url}/console/customers`)
  await page.getByRole('link', { name: 'Read Only Ltd', exact: true }).first().waitFor()
  expect(await page.getByRole('button', { name: 'New customer' }).count()).toBe(0)
  for (const name of ['Staff', 'Brand'])
    expect([name, await page.getByRole('link', { name, exact: true }).count()]).toEqual([name, 0])
  await page.goto(`${app.url}/console/staff`)
  await page.getByRole('link', { name: 'Read Only Ltd', exact: true }).first().waitFor()
  await actAs(page, 'Read Only Ltd')
  await page.getByRole('link', { name: 'Campaigns' }).first().click()
  await page.getByRole('link', { name: 'Spring bikes' }).waitFor()
  expect(await page.getByRole('link', { name: 'New campaign' }).count()).toBe(0)
  expect(await page.getByRole('switch').count()).toBe(0)
  await page.goto(`${app.url}/console/create`)
  await page.getByText('You can view this, but not change it').waitFor()
  await context.close()
})

it('an admin invites a colleague, changes the role, removes them, and sees who changed what', async () => {
  app.asks('DELETE /staff/:id 409')
  const { page, context } = await signedInAsStaff(app)
  await page.goto(`${app.url}/console/staff`)
  await page.getByText('No changes yet').waitFor()
  expect(await violations(page)).toEqual([])
  const invite = async (email: string, name: string, role: string) => {
    await page.getByRole('button', { name: 'Invite a person' }).press('Enter')
    await page.getByLabel('Email of the person').fill(email)
    await page.getByLabel('Name of the person').fill(name)
    await page.getByRole('radio', { name: role }).check()
    if (role === 'Admin') expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Send invitation' }).press('Enter')
    await page.getByRole('combobox', { name: `Role of ${name}` }).waitFor()
  }
  await invite('ada@staff.example', 'Ada', 'Admin')
  await invite('sue@staff.example', 'Sue', 'Support')
  await page.getByRole('combobox', { name: 'Role of Sue' }).click()
  await page.getByRole('option', { name: 'Finance' }).click()
  const staff = async () => (await app.service.call('GET', '/staff')).body
  await soon(staff).toMatchObject([{ role: 'admin' }, { email: 'sue@staff.example', role: 'finance' }])
  await page.getByText(/made Sue \(sue@staff\.example\) Finance/).waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await context.close()

  const signIn = async (email: string, options = {}) =>
    signedInBy(app, { email, ...(await passcodeFor(app.service, email)) }, options)
  const sue = await signIn('sue@staff.example')
  await sue.page.goto(`${app.url}/console/staff`)
  await sue.page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
  expect(await sue.page.getByRole('link', { name: 'Staff', exact: true }).count()).toBe(0)
  await sue.context.close()

  const ada = await signIn('ada@staff.example', { ...phone, locale: 'de-DE' })
  await ada.page.goto(`${app.url}/console/staff`)
  await ada.page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  // Nothing of a person lies beyond the edge: the last column is as near as the first.
  const ofSue = ada.page.getByRole('row').filter({ hasText: 'sue@staff.example' })
  for (const part of [ofSue.getByRole('combobox'), ...(await ofSue.getByRole('button').all())]) {
    const box = (await part.boundingBox())!
    expect(box.x + box.width).toBeLessThanOrEqual(phone.viewport.width)
  }
  await ada.page.getByRole('button', { name: 'Passkeys von Sue zurücksetzen' }).click()
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Passkeys zurücksetzen' }).click()
  await ada.page.getByText('Sue hatte keine Passkeys.').waitFor()
  await ada.page.getByText(/hat die Passkeys von Sue \(sue@staff\.example\) zurückgesetzt/).waitFor()
  await ada.page.getByRole('button', { name: 'Sue entfernen' }).click()
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Entfernen' }).click()
  await ada.page.getByText('Ada (ada@staff.example) hat Sue (sue@staff.example) entfernt').waitFor()
  await soon(staff).toMatchObject([{ email: 'ada@staff.example' }])
  expect(await violations(ada.page)).toEqual([])
  const sideways = () => ada.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  expect(await sideways()).toBeLessThanOrEqual(0)
  // The last admin stays one.
  await ada.page.getByRole('button', { name: 'Ada entfernen' }).click()
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Entfernen' }).click()
  await ada.page.getByRole('dialog').getByRole('alert').waitFor()
  await ada.context.close()
})
