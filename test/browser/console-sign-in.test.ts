// Each way into the console, and out of it.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  actAs,
  buildTree,
  type Console,
  openPage,
  openSignedIn,
  ssoLocation,
  startConsole,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

it('a ticket signs in, is removed from the address, and does not sign in twice', async () => {
  app.asks('POST /console/api/session 401')
  const { email } = await app.service.newCustomer({ company: 'Blue Bikes', name: 'Ann' })
  const location = await ssoLocation(app, email)
  const first = await openPage(app)
  await first.page.goto(location)
  await first.page.getByRole('heading', { name: 'Welcome' }).waitFor()
  expect(location).toContain('ticket=')
  expect(first.page.url()).not.toContain('ticket')

  const second = await openPage(app)
  // Words that come later than the refusal are waited for.
  const refused = second.page.waitForResponse(answer => answer.request().method() === 'POST')
  await second.page.route(/\/en-[^/]*\.js$/, async route => {
    await refused
    await new Promise(resolve => setTimeout(resolve, 200))
    await route.continue()
  })
  await second.page.goto(location)
  await second.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await second.page.getByRole('alert').textContent()).toMatch(/sign-in link/)
  expect(second.page.url()).not.toContain('ticket')
  await first.context.close()
  await second.context.close()
})

it.each([
  ['en-US', 'Switch accounts?', 'Stay signed in', 'Switch accounts'],
  ['de-DE', 'Konto wechseln?', 'Angemeldet bleiben', 'Konto wechseln'],
])('a ticket over the session of another customer asks first (%s)', async (locale, title, stay, replace) => {
  app.asks('POST /console/api/session 409')
  const own = await app.service.newCustomer({ company: 'Own Ltd' })
  const other = await app.service.newCustomer({ company: 'Other Ltd' })
  const { page, context, faults } = await openPage(app, { locale })
  await page.goto(await ssoLocation(app, own.email))
  await page.getByText('Own Ltd').first().waitFor()

  await page.goto(await ssoLocation(app, other.email))
  await page.getByRole('heading', { name: title }).waitFor()
  expect(page.url()).not.toContain('ticket')
  expect(await page.getByRole('main').textContent()).toContain(own.email)
  await page.getByRole('button', { name: stay }).click()
  await page.getByText('Own Ltd').first().waitFor()

  await page.goto(await ssoLocation(app, other.email))
  await page.getByRole('heading', { name: title }).waitFor()
  await page.getByRole('button', { name: replace }).click()
  await page.getByText('Other Ltd').first().waitFor()
  expect(faults).toEqual([])
  await context.close()
})

it('a mailed passcode signs in', async () => {
  const { email } = await app.service.newCustomer()
  const { page, context } = await openPage(app)
  await page.goto(`${app.url}/console`)
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Email me a passcode' }).click()
  const field = page.getByLabel('Passcode')
  await field.waitFor()
  await field.fill(await mailedPasscode(email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  await context.close()
})

it('a wrong passcode is refused, with the reason', async () => {
  app.asks('POST /console/api/session 401')
  const { email } = await app.service.newCustomer()
  const { page, context } = await openPage(app)
  await page.goto(`${app.url}/console`)
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Email me a passcode' }).click()
  const right = await mailedPasscode(email)
  await page.getByLabel('Passcode').fill(right === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(await page.getByRole('alert').textContent()).toMatch(/passcode/)
  await context.close()
})

it('staff sign in with the super pair, open a customer, act as it, and come back', async () => {
  const customer = await app.service.newCustomer({ company: 'Opened Ltd' })
  const { page, context } = await openPage(app)
  await page.goto(`${app.url}/console`)
  await page.getByRole('button', { name: 'I am app staff' }).click()
  await page.getByLabel('Super key').fill(app.service.app.key)
  const token = page.getByLabel('Super token')
  await token.fill(app.service.app.token)
  // Read what was pasted, and hide it again, by keyboard too.
  for (const [name, type] of [
    ['Show token', 'text'],
    ['Hide token', 'password'],
  ] as const) {
    await page.getByRole('button', { name }).press('Enter')
    expect([await token.getAttribute('type'), await token.inputValue()]).toEqual([
      type,
      app.service.app.token,
    ])
  }
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Show token')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()

  await page.getByRole('searchbox', { name: 'Search' }).fill(customer.email)
  await actAs(page, 'Opened Ltd')
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  await page.getByText('Acting as').waitFor()
  // From a page with figures, too: none of it is drawn or read once the customer is left.
  await buildTree(app, customer, 'Opened')
  for (const path of ['/', '/statistics']) {
    await page.goto(`${app.url}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Back to customers' }).click()
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await actAs(page, 'Opened Ltd')
  }
  // On a phone, it is in the menu.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Back to customers' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  await context.close()
})

it('staff create a customer, see its credentials once, and switch its API access off', async () => {
  app.asks('POST /customer 400')
  const { page, context } = await openPage(app)
  await page.goto(`${app.url}/console`)
  await page.getByRole('button', { name: 'I am app staff' }).click()
  await page.getByLabel('Super key').fill(app.service.app.key)
  await page.getByLabel('Super token').fill(app.service.app.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'New customer' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Company').fill('Fresh Fruit')
  await form.getByLabel('Email').fill('no address')
  await form.getByRole('button', { name: 'Create customer' }).click()
  const email = form.getByLabel('Email')
  await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true')

  await email.fill('fruit@fresh.example')
  await form.getByRole('button', { name: 'Create customer' }).click()
  const token = (await form.getByText(/^mqct_/).textContent())!
  const key = (await form.getByText(/^mqck_/).textContent())!
  await form.getByRole('button', { name: 'I have saved them' }).click()
  const { body: list } = await app.service.call('GET', '/customer')
  const { cuid } = list.find((entry: { email: string }) => entry.email === 'fruit@fresh.example')
  const own = () => app.service.call('GET', `/customer/${cuid}`, { as: { key, token } })
  expect((await own()).status).toBe(200)

  // One click does not stop a customer: the question says what stops.
  await page.getByRole('link', { name: 'Fresh Fruit' }).click()
  const access = page.getByRole('switch', { name: 'API access' })
  await access.click()
  const question = page.getByRole('dialog', { name: 'Switch off the API access of Fresh Fruit?' })
  await question.getByText('Its campaigns stop delivering', { exact: false }).waitFor()
  expect((await own()).status).toBe(200)
  await question.getByRole('button', { name: 'Switch off' }).click()
  await expect.poll(async () => (await own()).status).toBe(401)
  await access.click()
  await expect.poll(async () => (await own()).status).toBe(200)
  await context.close()
})

it('signing out ends the session for good', async () => {
  const { email } = await app.service.newCustomer()
  const { page, context } = await openSignedIn(app, email)
  const cookies = await context.cookies()
  expect(cookies.map(cookie => [cookie.httpOnly, cookie.sameSite])).toContainEqual([true, 'Lax'])
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await context.clearCookies()
  await context.addCookies(cookies)
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await context.close()
})

async function mailedPasscode(email: string): Promise<string> {
  const folder = join(app.service.config.DATA_DIR, 'outbox')
  let code: string | undefined
  await expect
    .poll(async () => {
      for (const file of await readdir(folder).catch(() => [])) {
        const mail = await readFile(join(folder, file), 'utf8')
        if (mail.includes(email))
          code = /\b(\d{6})\b/.exec(
            mail
              .split(/\r?\n\r?\n/)
              .slice(1)
              .join('\n'),
          )?.[1]
      }
      return code
    })
    .toBeDefined()
  return code!
}
