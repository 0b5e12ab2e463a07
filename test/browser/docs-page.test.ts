// /docs in a real browser: it draws the reference from our own files, without the internet or a policy violation.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { sharedChromium } from './chromium.ts'

/** Less than a screen. */
const STEP_PX = 400
const DRAWN_MS = 200

let service: TestService
let browser: Browser
let url: string
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
  browser = await sharedChromium()
})
afterAll(async () => {
  await service.close()
})

it('shows every endpoint and webhook, can call one, reads a refusal, and loads nothing from another host', async () => {
  const page = await browser.newPage()
  const elsewhere: string[] = []
  const complaints: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) elsewhere.push(request.url())
  })
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', error => complaints.push(error.message))
  await page.goto(`${url}/docs`)
  const { webhooks } = (await (await fetch(`${url}/openapi.json`)).json()) as { webhooks: object }
  const described = service.api.endpoints.length + Object.keys(webhooks).length
  await page.waitForSelector('.opblock')
  const { seen, healthzAt } = await scrollThrough(page)
  expect(seen).toBe(described)
  await page.evaluate(`scrollTo(0, ${healthzAt})`)

  // Inline policy: what the page itself sends must reach the service it was loaded from.
  await page.locator('#operations-Operation-healthz .opblock-summary-control').click()
  await page.locator('#operations-Operation-healthz button.execute').click()
  await page.waitForSelector('#operations-Operation-healthz .live-responses-table')
  expect(await page.locator('#operations-Operation-healthz .live-responses-table').textContent()).toContain(
    '"status": "ok"',
  )
  // What a problem consists of is described elsewhere in the document.
  await page.locator('#operations-Operation-healthz', { hasText: '"requestId": "string"' }).waitFor()
  // A browser reads the refusal of an upload that is too large.
  const { cuid, key, token } = await service.newCustomer()
  const headers = { 'content-type': 'image/png', 'x-access-key': key, 'x-access-token': token }
  const sent = `{ method: 'POST', headers: ${JSON.stringify(headers)}, body: new Uint8Array(12 * 2 ** 20) }`
  const refused = await page.evaluate(`fetch('/creative?cuid=${cuid}', ${sent})
    .then(async answer => [answer.status, (await answer.json()).message])`)
  expect(refused).toEqual([413, expect.stringContaining('at most 5242880 bytes')])
  complaints.splice(
    complaints.findIndex(text => text.includes('413')),
    1,
  )
  // The guides are linked, and each opens as text.
  const links = await page.locator('nav[aria-label="Guides"] a').evaluateAll(found => found.map(String))
  expect(links.length).toBeGreaterThan(7)
  const opened = await Promise.all(links.map(async link => (await fetch(link)).text()))
  expect(opened.filter(text => !text.startsWith('# '))).toEqual([])
  expect(elsewhere).toEqual([])
  expect(complaints.filter(text => !text.includes('413'))).toEqual([])
  await page.close()
})

/** The page draws only what is near the screen: what it has shown on the way down, and where `GET /healthz` was. */
async function scrollThrough(page: Page): Promise<{ seen: number; healthzAt: number }> {
  const seen = new Set<string>()
  let healthzAt = 0
  for (let at = 0, end = 1; at < end; at += STEP_PX) {
    await page.evaluate(`scrollTo(0, ${at})`)
    await page.waitForTimeout(DRAWN_MS)
    const ids = await page.locator('.opblock').evaluateAll(found => found.map(({ id }) => id))
    if (healthzAt === 0 && ids.includes('operations-Operation-healthz')) healthzAt = at
    for (const id of ids) seen.add(id)
    end = await page.evaluate('document.documentElement.scrollHeight')
  }
  return { seen: seen.size, healthzAt }
}

it('keeps no tokens: what was typed is gone with the page, and what earlier versions kept is removed', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  // A small page of the same origin, which drawing the reference does not have to wait for.
  await page.goto(`${url}/healthz`)
  await page.evaluate("localStorage.setItem('authorized', 'kept by an earlier version')")
  await page.goto(`${url}/docs`)
  await page.locator('.auth-wrapper .authorize').first().click()
  const field = page.locator('.auth-container input').first()
  await field.fill('a-secret-token')
  await page.locator('.auth-container button.authorize').first().click()
  const left = () =>
    page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
  await page.locator('.auth-container button:has-text("Logout")').first().waitFor()
  expect(await left()).not.toMatch(/a-secret-token|authorized/)
  await page.reload()
  await page.locator('.auth-wrapper .authorize.unlocked').first().waitFor()
  await context.close()
})
