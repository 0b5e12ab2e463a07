// A program asks a person to let it act for them: the person signs in, sees who asks and for what, lowers it, allows it
// or does not; later the person, or the owner, takes it away. In a real browser, by a program that listens on the device.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asking, bearer, exchange, startProgram } from '../support/agents.ts'
import { eventually, mailsTo, passcodeFor } from '../support/console.ts'
import {
  type Console,
  openPage,
  signedIn,
  signedInBy,
  soon,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
let own: Awaited<ReturnType<typeof startLocalProgram>>
beforeAll(async () => {
  app = await startConsole()
  own = await startLocalProgram()
})
afterAll(async () => {
  await own?.close()
  await app?.close()
})

/** It waits on this machine for what the browser brings. */
async function startLocalProgram() {
  const came: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1')
    if (pathname === '/back') came.push(searchParams)
    response.setHeader('content-type', 'text/html').end('<title>Back</title>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const program = await startProgram({ client_name: 'Bike helper', redirect_uris: ['http://127.0.0.1/back'] })
  return {
    ...program,
    origin,
    redirectUri: `${origin}/back`,
    came,
    async close() {
      await program.close()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function mailedPasscode(email: string): Promise<string> {
  const codeIn = (mail: string) => /Your passcode is: (\d{6})/.exec(mail)?.[1]
  return eventually(async () => (await mailsTo(app.service, email)).map(codeIn).find(Boolean))
}

const addressOf = ({ params }: ReturnType<typeof asking>) =>
  `${app.url}/oauth/authorize?${new URLSearchParams(params)}`

it('signed out, a person signs in first; chooses the customer, lowers the limit by keyboard, and the program acts', async () => {
  const [ann, cy] = [await app.service.newCustomer(), await app.service.newCustomer({ company: 'Cy Cycles' })]
  const email = 'bob@people.example'
  for (const [customer, role] of [
    [ann, 'manager'],
    [cy, 'viewer'],
  ] as const)
    await app.service.call('POST', `/customer/${customer.cuid}/member`, {
      as: customer,
      body: { email, role },
    })
  const { page, context } = await openPage(app)
  const wanted = asking(own, { resource: `${app.url}/mcp` })
  await page.goto(addressOf(wanted))
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Email me a passcode' }).click()
  const field = page.getByLabel('Passcode')
  await field.waitFor()
  await field.fill(await mailedPasscode(email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Let Bike helper act for you?' }).waitFor()
  await page.getByText('described at 127.0.0.1').waitFor()
  await page.getByText('go back to a program on this device').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  const select = page.getByLabel('For', { exact: true })
  await select.selectOption({ label: 'Cy Cycles' })
  // A reader gives no more than they have.
  const scopes = page.getByRole('radiogroup', { name: 'It may' }).getByRole('radio')
  await soon(() => scopes.count()).toBe(1)
  await select.selectOption({ label: 'Blue Bikes' })
  await soon(() => scopes.count()).toBe(3)
  const proposing = page.getByRole('radio', { name: /propose the rest/ })
  expect(await page.getByRole('radio', { name: 'Only read' }).isChecked()).toBe(true)
  await page.getByRole('radio', { name: 'Only read' }).press('ArrowDown')
  await soon(() => proposing.isChecked()).toBe(true)
  await proposing.press('ArrowDown')
  const limit = page.getByLabel('All campaigns together')
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  await soon(() => limit.inputValue()).toBe('100')
  await limit.fill('')
  await page.getByText('Without this limit it may not spend money.').waitFor()
  await soon(() => allow.isDisabled()).toBe(true)
  await limit.fill('40')
  await page.getByLabel('One campaign').fill('15')
  await page.getByLabel('One campaign').press('Enter')
  await soon(() => own.came.length).toBe(1)
  const back = own.came[0]!
  expect([back.get('state'), back.get('iss')]).toEqual([wanted.state, app.url])
  const { status, body } = await exchange(app.service, own, wanted, back.get('code')!)
  expect([status, body.scope]).toEqual([200, 'read propose spend'])
  const now = Math.floor(app.service.clock.nowMs() / 1000)
  const make = async (dailySpend: number) =>
    (
      await app.service.call('POST', `/campaign?cuid=${ann.cuid}`, {
        ...bearer(body.access_token),
        body: { name: 'A', start: now + 60, end: now + 86_400, dailySpend },
      })
    ).status
  expect([await make(15), await make(16), await make(15), await make(15)]).toEqual([201, 403, 201, 403])

  // The person takes it away where they see it.
  await page.goto(`${app.url}/console/pick`)
  await page.getByRole('button', { name: 'Blue Bikes' }).click()
  await page.getByRole('navigation', { name: 'Main' }).first().waitFor()
  await page.goto(`${app.url}/console/account?tab=keys`)
  const row = page.getByRole('table', { name: 'Programs that act for people' }).getByRole('row').last()
  for (const text of ['Bike helper', email, 'Daily budgets of all together: at most $40.00'])
    await row.getByText(text).first().waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Take access away from Bike helper' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take access away' }).click()
  await soon(() => make(1)).toBe(401)
  await context.close()
})

it('on a phone, in German, with forced colours: a program that nobody knows is said to be so, and is not allowed', async () => {
  const customer = await app.service.newCustomer()
  const registered = await app.service.call('POST', '/oauth/register', {
    as: null,
    body: { client_name: 'Fremd', redirect_uris: [own.redirectUri] },
  })
  const { page, context } = await signedIn(app, customer.email, {
    viewport: { width: 360, height: 740 },
    locale: 'de-DE',
    forcedColors: 'active',
  })
  const before = own.came.length
  await page.goto(addressOf(asking({ clientId: registered.body.client_id, redirectUri: own.redirectUri })))
  await page.getByRole('heading', { name: 'Darf Fremd für Sie handeln?' }).waitFor()
  await page.getByText('Niemand weiß, von wem es stammt.').waitFor()
  const beyond = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(beyond).toBe(0)
  await page.getByRole('button', { name: 'Nicht erlauben' }).click()
  await soon(() => own.came.length).toBe(before + 1)
  expect(own.came.at(-1)!.get('error')).toBe('access_denied')
  await context.close()
})

it('what changes while the person reads is shown again; what cannot be granted is said, and the way back is offered', async () => {
  app.asks('POST /console/api/agents 409', 'POST /console/api/agents/request 400')
  const customer = await app.service.newCustomer()
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(addressOf(asking(own)))
  await page.getByRole('heading', { name: 'Let Bike helper act for you?' }).waitFor()
  own.says.client_name = 'Something else'
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'Let Something else act for you?' }).waitFor()
  own.says.client_name = 'Bike helper'
  const before = own.came.length
  await page.goto(addressOf(asking(own, { code_challenge_method: 'plain' })))
  await page.getByText('code_challenge_method must be S256').waitFor()
  await page.getByRole('button', { name: 'Back to the program' }).click()
  await soon(() => own.came.length).toBe(before + 1)
  expect(own.came.at(-1)!.get('error')).toBe('invalid_request')
  await page.goto(addressOf(asking(own, { redirect_uri: 'https://evil.example/' })))
  await page.getByText('the redirect_uri is not one that the program has named').waitFor()
  expect(await page.getByRole('button', { name: 'Back to the program' }).count()).toBe(0)
  // It cannot be put into another page, which could hide what is asked.
  const answer = await context.request.get(`${app.url}/console/connect?request=q`)
  expect(answer.headers()['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(answer.headers()['x-frame-options']).toBe('DENY')
  await context.close()
})

it('an owner takes away what acts for somebody else; that person alone takes away only their own', async () => {
  const ann = await app.service.newCustomer()
  // What the document said in other tests is forgotten.
  app.service.clock.advance(61_000)
  const { page, context } = await signedInBy(app, {
    email: ann.email,
    ...(await passcodeFor(app.service, ann.email)),
  })
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  const wanted = asking(own)
  await page.goto(addressOf(wanted))
  await allow.click()
  await page.waitForURL(`${own.origin}/**`)
  const code = new URL(page.url()).searchParams.get('code')!
  expect((await exchange(app.service, own, wanted, code)).status).toBe(200)
  const body = { email: 'vi@people.example', role: 'viewer' }
  await app.service.call('POST', `/customer/${ann.cuid}/member`, { as: ann, body })
  const { page: hers, context: vi } = await signedInBy(app, {
    email: body.email,
    ...(await passcodeFor(app.service, body.email)),
  })
  await hers.goto(`${app.url}/console/account?tab=keys`)
  await hers.getByRole('table', { name: 'Programs that act for people' }).getByText(ann.email).waitFor()
  expect(await hers.getByRole('button', { name: /Take access away/ }).count()).toBe(0)
  await vi.close()
  await page.goto(`${app.url}/console/account?tab=keys`)
  await page.getByRole('button', { name: 'Take access away from Bike helper' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take access away' }).click()
  await page.getByRole('table', { name: 'Programs that act for people' }).waitFor({ state: 'detached' })
  await context.close()
})
