// The webhooks of an app in the console, for its staff: created, tested, inspected, edited and deleted.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { isSignedWith, newWebhook, type Receiver, startReceiver } from '../support/webhooks.ts'
import { actAs, type Console, openAsStaff, signedIn, signedInAsStaff, startConsole } from './console-page.ts'

let app: Console
let receiver: Receiver
beforeAll(async () => {
  app = await startConsole({ TIMEZONE: 'Asia/Tokyo' })
})
afterAll(() => app?.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  for (const { wid } of await list()) await app.service.call('DELETE', `/webhook/${wid}`)
  await receiver.close()
})

const list = async () => (await app.service.call('GET', '/webhook')).body

async function openWebhook(wid: number, tab = 'log'): Promise<{ page: Page; close: () => Promise<void> }> {
  const { page, context } = await signedInAsStaff(app)
  await page.goto(`${app.url}/console/webhooks/${wid}?tab=${tab}`)
  await page.getByRole('button', { name: 'Send a test' }).waitFor()
  return { page, close: () => context.close() }
}
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

it('staff create one for some events, see its secret once, and test it', async () => {
  const { page, context, elsewhere, faults } = await openAsStaff(app)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'New webhook' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('URL').fill(` ${receiver.url} `)
  await form.getByLabel('Description').fill('Orders')
  await form.getByText('Campaign started').click()
  await form.getByText('Banner rejected').click()
  await form.getByRole('button', { name: 'Create webhook' }).click()
  const secret = (await form.getByText(/^whsec_/).textContent())!
  await page.mouse.click(5, 5)
  await form.getByRole('button', { name: 'I have saved it' }).click()
  const [webhook] = await list()
  expect(webhook).toMatchObject({
    url: receiver.url,
    description: 'Orders',
    events: ['campaign.started', 'banner.rejected'],
    enabled: true,
  })

  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByText('Nothing has been sent yet').waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await row(page, 'Delivered').getByText('Status 204').waitFor()
  const [received] = await receiver.get(1, 'webhook.test')
  expect(isSignedWith(secret, received!)).toBe(true)
  expect(await page.content()).not.toContain(secret.slice(6))
  expect(elsewhere).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

it('what the API refuses is shown at its field', async () => {
  app.asks('POST /webhook 400')
  const { page, context } = await signedInAsStaff(app)
  await page.goto(`${app.url}/console/webhooks`)
  await page.getByRole('button', { name: 'New webhook' }).click()
  const form = page.getByRole('dialog')
  const address = form.getByLabel('URL')
  await address.fill('no address')
  await form.getByLabel('Description').fill('x'.repeat(256))
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true')
  expect(await form.getByLabel('Description').getAttribute('aria-invalid')).toBe('true')
  expect(await list()).toEqual([])
  await context.close()
})

it('the log shows each attempt and its answer; an event is sent again with the same id', async () => {
  const { wid } = await newWebhook(app.service, { url: receiver.url })
  receiver.answer = 503
  const { page, close } = await openWebhook(wid)
  await page.getByRole('button', { name: 'Send a test' }).click()
  await row(page, 'Waiting').getByText('Status 503').waitFor()
  // When it happened, and when it is sent again.
  expect((await row(page, 'Waiting').textContent())!.match(/\d:\d\d/g)).toHaveLength(2)
  receiver.answer = 200
  await page.getByRole('button', { name: /^Send Test \d+ again$/ }).click()
  await row(page, 'Delivered').getByText('Status 200').waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const attempts = await dialog.getByRole('table', { name: 'Attempts' }).textContent()
  expect(attempts).toContain('Status 503')
  expect(attempts).toContain('only 2xx counts')
  expect(attempts).toContain('Status 200')
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  expect(ids.size).toBe(1)
  await dialog.getByText([...ids][0] as string).waitFor()
  await close()
})

it('events appear in the log, on the clock of the deployment', async () => {
  const { wid } = await newWebhook(app.service, { url: receiver.url, events: ['customer.created'] })
  await app.service.newCustomer()
  await receiver.get(1, 'customer.created')
  const { page, close } = await openWebhook(wid)
  const { body } = await app.service.call('GET', `/webhook/${wid}/delivery`)
  const time = new Intl.DateTimeFormat('en-US', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'Asia/Tokyo',
  }).format(body[0].created * 1000)
  await row(page, 'Customer created').getByText(time).waitFor()
  await close()
})

it('a new secret is shown once, and signs in addition to the earlier one', async () => {
  const { wid, secret } = await newWebhook(app.service, { url: receiver.url })
  const { page, close } = await openWebhook(wid)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByText('For 24 hours everything is signed with both').waitFor()
  await dialog.getByRole('button', { name: 'New secret' }).click()
  const renewed = (await dialog.getByText(/^whsec_/).textContent())!
  expect(renewed).not.toBe(secret)
  await dialog.getByText(/^The previous secret stays valid until /).waitFor()
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Send a test' }).click()
  const [received] = await receiver.get(1, 'webhook.test')
  expect([isSignedWith(secret, received!), isSignedWith(renewed, received!)]).toEqual([true, true])
  await page.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByText('For 24 hours everything is signed with both').waitFor()
  expect(await dialog.textContent()).not.toContain('whsec_')
  await close()
})

it('settings are edited; choosing nothing means all events', async () => {
  const { wid } = await newWebhook(app.service, { url: receiver.url, events: ['campaign.ended'] })
  const { page, close } = await openWebhook(wid, 'settings')
  expect(await page.getByLabel('Campaign ended').isChecked()).toBe(true)
  await page.getByText('Campaign ended').click()
  expect(await page.getByLabel('All events').isChecked()).toBe(true)
  await page.getByLabel('Description').fill('Everything')
  await page.getByLabel('URL').fill(`${receiver.url}/new`)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { name: 'Everything', level: 1 }).waitFor()
  expect((await list())[0]).toMatchObject({
    url: `${receiver.url}/new`,
    description: 'Everything',
    events: [],
  })
  await page.getByLabel('Description').fill('')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { name: `${receiver.url}/new`, level: 1 }).waitFor()
  expect((await list())[0].description).toBeNull()
  await close()
})

it('nothing is sent to one that is switched off, and the page says why', async () => {
  app.asks('POST /webhook/:id/test 409')
  const { wid } = await newWebhook(app.service, { url: receiver.url })
  const { page, context } = await signedInAsStaff(app)
  await page.goto(`${app.url}/console/webhooks`)
  await row(page, receiver.url).locator('.mantine-Switch-track').click()
  await row(page, receiver.url).getByText('Off').waitFor()
  expect((await list())[0].enabled).toBe(false)
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('This webhook is switched off. Switch it on first.').waitFor()
  await page.getByRole('switch', { name: 'Send events' }).press('Space')
  await expect.poll(async () => (await list())[0].enabled).toBe(true)
  expect((await app.service.call('GET', `/webhook/${wid}/delivery`)).body).toEqual([])
  await context.close()
})

it('a receiver that is gone switches it off, and the page shows that without a reload', async () => {
  for (const news of ['entry', 'list'] as const) {
    const { wid, entry } = await newWebhook(app.service, { url: receiver.url })
    receiver.answer = 410
    const { page, close } = await openWebhook(wid)
    // Whichever call of the page brings the news: the other one never does.
    await page.route(news === 'list' ? /\/delivery\/\d+$/ : /\/delivery(\?|$)/, route => route.abort())
    if (news === 'list')
      await page.route(/\/delivery(\?|$)/, async route => {
        await entry(({ state }) => state === 'failed')
        await route.continue()
      })
    await page.getByRole('button', { name: 'Send a test' }).click()
    await row(page, 'Failed').waitFor()
    await expect.poll(() => page.getByRole('switch', { name: 'Send events' }).isChecked()).toBe(false)
    await close()
  }
})

it('deleting asks first and says what is deleted with it', async () => {
  app.asks('GET /webhook/:id 404')
  const { wid } = await newWebhook(app.service, { url: receiver.url })
  const { page, close } = await openWebhook(wid)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Delete' }).click()
  expect(await dialog.textContent()).toContain('Its secret and log are deleted permanently')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect((await list()).length).toBe(1)
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No webhooks yet').waitFor()
  expect(await list()).toEqual([])
  await close()
})

it('neither a customer nor staff who work as one can get there', async () => {
  const { wid } = await newWebhook(app.service, { url: receiver.url, description: 'Ours alone' })
  const customer = await app.service.newCustomer({ company: 'Curious Ltd' })
  const own = await signedIn(app, customer.email)
  const asked: string[] = []
  own.page.on('request', request => void asked.push(new URL(request.url()).pathname))
  for (const path of ['webhooks', `webhooks/${wid}`]) {
    await own.page.goto(`${app.url}/console/${path}`)
    await own.page.getByRole('heading', { name: 'Welcome' }).waitFor()
  }
  expect(await own.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
  expect(asked.filter(path => path.startsWith('/webhook'))).toEqual([])
  await own.context.close()

  const { page, context } = await openAsStaff(app)
  await actAs(page, 'Curious Ltd')
  expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
  await page.goto(`${app.url}/console/webhooks`)
  await page.getByText('You are acting as Curious Ltd').waitFor()
  await context.close()
})

it('webhooks are shown in German to readers of German', async () => {
  await newWebhook(app.service, { url: receiver.url })
  const { page, context } = await signedInAsStaff(app, { locale: 'de-DE' })
  await page.goto(`${app.url}/console/webhooks`)
  await page.getByText('Alle Ereignisse').waitFor()
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByRole('button', { name: 'Test senden' }).click()
  await row(page, 'Zugestellt').waitFor()
  await context.close()
})
