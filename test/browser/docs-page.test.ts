// /docs as readers have it, in a real browser: every operation is there, every link leads somewhere, the search finds, and
// nothing comes from another host.

import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { sharedChromium } from './chromium.ts'
import { violations } from './console-page.ts'

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

const asBrowser = { accept: 'text/html,*/*' }
const PHONE = { viewport: { width: 390, height: 844 } }

/** A page that fails the test for what the browser complains of, and for what it fetches from another host. */
async function read<T>(path: string, look: (page: Page) => Promise<T>, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) wrong.push(request.url())
  })
  page.on('console', message => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  page.on('pageerror', error => wrong.push(error.message))
  await page.goto(`${url}${path}`)
  const seen = await look(page)
  await context.close()
  expect(wrong).toEqual([])
  return seen
}

const idsOf = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll(found => found.map(({ id }) => id))

describe('the reference', () => {
  it('has every operation and event on one page, those of the interface first, and none of the console', async () => {
    const { paths } = (await service.call('GET', '/openapi/core.json')).body
    const core = Object.values<Record<string, { operationId: string }>>(paths)
      .flatMap(methods => Object.values(methods))
      .map(({ operationId }) => operationId)
    const { webhooks } = (await service.call('GET', '/openapi.json')).body
    const [ids, text] = await read('/docs/reference', async page => [
      await idsOf(page, '.op'),
      await page.locator('main').evaluate(main => main.textContent),
    ])
    const shown = service.api.endpoints.filter(({ tag }) => tag !== 'Console')
    const operations = ids.slice(0, shown.length)
    expect(operations.toSorted()).toEqual(shown.map(({ id }) => id).toSorted())
    expect(operations.slice(0, core.length).toSorted()).toEqual(core.toSorted())
    const events = ids.filter(id => id.startsWith('event-'))
    expect(events).toEqual(Object.keys(webhooks).map(type => `event-${type}`))
    for (const { path } of shown) expect(text).toContain(path.replaceAll(/:(\w+)/g, '{$1}'))
    expect(text).not.toContain('/console/api')
  })

  it('shows of an operation its fields, its errors, a command that runs, and the answer', async () => {
    const command = await read('/docs/reference#createCustomer', async page => {
      const operation = page.locator('#createCustomer')
      expect(await operation.textContent()).toMatch(
        /POST.*\/customer.*Super pair.*company string, 1 to 255 characters required/s,
      )
      expect(await operation.locator('.answers a[href$="/docs/errors#frozen"]').count()).toBe(0)
      expect(await operation.locator('.answers a[href$="/docs/errors#invalid_input"]').count()).toBe(1)
      expect(await operation.locator('.show pre').nth(1).textContent()).toContain('"cuid"')
      // What an answer always has is not required of anybody.
      expect(await page.locator('#object-Campaign em').count()).toBe(0)
      return operation.locator('.show pre').first().textContent()
    })
    const [, path, json] = /^curl 'http:\/\/localhost:8080(\S+)'.*--json '(.*)'$/s.exec(command!)!
    const answer = await service.call('POST', path!, { body: JSON.parse(json!) })
    expect([answer.status, answer.body.company]).toEqual([201, 'Blue Bikes Ltd'])
  })

  it('fits a phone, in both colours, and axe finds nothing', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const path of ['/', '/docs', '/docs/getting-started'])
        await read(
          path,
          async page => {
            expect([path, await violations(page)]).toEqual([path, []])
            expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390])
          },
          { colorScheme, ...PHONE },
        )
    await read(
      '/docs/reference',
      async page => expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390),
      PHONE,
    )
  })
})

describe('a first visit', () => {
  // What 1.6 Mbit/s carry in half a second is 100 kB.
  it.each([
    ['/docs', 20_000],
    ['/docs/getting-started', 20_000],
    ['/docs/reference', 90_000],
  ])('to %s takes at most %i bytes, all told, and its text needs no script', async (path, most) => {
    const sent = await read(path, async page => {
      const cdp = await page.context().newCDPSession(page)
      const sizes: number[] = []
      cdp.on('Network.loadingFinished', ({ encodedDataLength }) => sizes.push(encodedDataLength))
      await cdp.send('Network.enable')
      await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
      await page.reload({ waitUntil: 'networkidle' })
      expect(sizes).toHaveLength(3)
      return sizes.reduce((sum, size) => sum + size, 0)
    })
    expect(sent).toBeLessThan(most)
    await read(path, page => page.locator('main h1').waitFor(), { javaScriptEnabled: false })
  })
})

describe('the search', () => {
  it('finds operations, guides and fields, by keyboard, from any page', async () => {
    await read('/docs/billing', async page => {
      await page.keyboard.press('/')
      await page.keyboard.type('pause campaign')
      await page.locator('#found [role=option]').first().waitFor()
      expect(await page.locator('#found b').first().textContent()).toBe('Pause a campaign')
      await page.keyboard.press('Enter')
      await page.waitForURL(`${url}/docs/reference#pauseCampaign`)
      await page.locator('input[type=search]').fill('webhook-signature')
      await page.locator('#found a[href*="/docs/webhooks"]').first().waitFor()
      await page.locator('input[type=search]').fill('<b>zzz')
      await page.locator('#found .none', { hasText: 'Nothing for “<b>zzz”.' }).waitFor()
      await page.keyboard.press('Escape')
      expect(await page.locator('#found').isVisible()).toBe(false)
    })
  })
})

it('the scheme is that of the console and can be changed, a block of code is copied, and no pair is kept', async () => {
  const permissions = { permissions: ['clipboard-read', 'clipboard-write'], colorScheme: 'light' as const }
  await read(
    '/healthz',
    async page => {
      await page.evaluate("localStorage.setItem('authorized', 'kept by an earlier version')")
      await page.goto(`${url}/docs`)
      const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
      expect(await scheme()).toBe('light')
      await page.locator('.scheme').click()
      await page.reload()
      expect([await scheme(), await page.evaluate('JSON.stringify({ ...localStorage })')]).toEqual([
        'dark',
        '{"marquee-color-scheme":"dark"}',
      ])
      await page.locator('.copied .copy').first().focus()
      await page.keyboard.press('Enter')
      await page.locator('.copy', { hasText: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/docs/client.tgz')
    },
    permissions,
  )
})

it('every link leads to something as served, and every anchor to a place on its page', async () => {
  const pages = new Map<string, Promise<{ status: number; text: string }>>()
  const open = (path: string) => {
    const known = pages.get(path)
    const asked =
      known ??
      fetch(url + path, { headers: asBrowser }).then(async answer => ({
        status: answer.status,
        text: await answer.text(),
      }))
    pages.set(path, asked)
    return asked
  }
  const dead: string[] = []
  const queue = ['/', '/docs', '/llms.txt']
  for (const path of queue) {
    const { text } = await open(path)
    const isHtml = text.startsWith('<!doctype html>')
    const links = isHtml
      ? [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(match => match[1]!)
      : [...text.matchAll(/\]\((http:\/\/localhost:8080[^)\s]+)\)/g)].map(match => match[1]!.slice(21))
    for (const link of new Set(links)) {
      if (/^(https:|http:|data:|mailto:)/.test(link)) continue
      const [to = '', anchor] = link.replaceAll('&amp;', '&').split('#')
      const target = to === '' ? path : to
      const found = await open(target)
      const isPlace =
        anchor === undefined || !found.text.startsWith('<!') || found.text.includes(` id="${anchor}"`)
      if (found.status !== 200 || !isPlace) dead.push(`${path}: ${link}`)
      if (/^\/docs(\/[\w-]+(\.md)?)?$/.test(target) && !queue.includes(target)) queue.push(target)
    }
  }
  expect(dead).toEqual([])
  expect(queue.filter(path => !path.endsWith('.md')).length).toBeGreaterThan(28)
  expect(queue.filter(path => path.endsWith('.md')).length).toBeGreaterThan(20)
})

it('pages are revalidated, their files kept for ever, HEAD is like GET, and what does not exist says so', async () => {
  const page = await fetch(`${url}/docs`, { headers: asBrowser })
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  )
  expect([page.headers.get('cache-control'), page.headers.get('content-type')]).toEqual([
    'no-cache',
    'text/html; charset=utf-8',
  ])
  const again = await fetch(`${url}/docs`, { headers: { 'if-none-match': page.headers.get('etag')! } })
  expect(again.status).toBe(304)
  const style = /href="(\/docs\/docs\.css[^"]*)"/.exec(await page.text())![1]
  expect((await fetch(url + style)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const head = await fetch(`${url}/docs/reference`, { method: 'HEAD' })
  expect([head.status, Number(head.headers.get('content-length')) > 10_000]).toEqual([200, true])
  for (const path of [
    '/docs/nothing',
    '/docs/a/b',
    '/docs/..%2fpackage.json',
    '/docs/__proto__',
    '/docs/<b>',
  ]) {
    const missing = await fetch(url + path, { headers: asBrowser })
    const text = await missing.text()
    expect([path, missing.status, text.includes('href="/docs"')]).toEqual([path, 404, true])
    expect(text).not.toContain('/<b>')
    expect((await service.call('GET', path)).body.code).toBe('not_found')
  }
  expect((await service.call('POST', '/docs/limits')).status).toBe(405)
})

it('guides are there as Markdown, all in one file too, with links to what is served', async () => {
  const index = await (await fetch(`${url}/llms.txt`)).text()
  expect(index).toMatch(
    /^# Marquee\n\n> Marquee is .*\n\n[\s\S]*## Guides\n\n- \[First session\]\(http:\/\/localhost:8080\/docs\/introduction\.md\): /,
  )
  const guide = await fetch(`${url}/docs/errors.md`)
  expect(guide.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  const asked = await fetch(`${url}/docs/errors`, { headers: { accept: 'text/markdown' } })
  expect([asked.headers.get('content-type'), asked.headers.get('vary')]).toEqual([
    'text/markdown; charset=utf-8',
    expect.stringContaining('accept'),
  ])
  expect(await asked.text()).toBe(await guide.clone().text())
  const page = await fetch(`${url}/docs/errors`, { headers: { accept: 'text/html, text/markdown;q=0.5' } })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const whole = await (await fetch(`${url}/llms-full.txt`)).text()
  expect(whole).toContain((await guide.text()).trim())
  expect(whole).not.toMatch(/\]\((?!https?:|#|mailto:)/)
})

it('the Postman collection calls this service, and is compressed', async () => {
  const answer = await service.api.fastify.inject({
    url: '/docs/postman.json',
    headers: { 'accept-encoding': 'br' },
  })
  const collection = JSON.parse(brotliDecompressSync(answer.rawPayload).toString())
  expect(collection.variable[0]).toMatchObject({ key: 'baseUrl', value: 'http://localhost:8080' })
  const own = JSON.parse(readFileSync(new URL('../../docs/postman.json', import.meta.url), 'utf8'))
  expect(collection.item).toEqual(own.item)
})

it('a browser reads the refusal of an upload that is too large', async () => {
  const page = await browser.newPage()
  await page.goto(`${url}/docs`)
  const { cuid, key, token } = await service.newCustomer()
  const headers = { 'content-type': 'image/png', 'x-access-key': key, 'x-access-token': token }
  const sent = `{ method: 'POST', headers: ${JSON.stringify(headers)}, body: new Uint8Array(12 * 2 ** 20) }`
  const refused = await page.evaluate(`fetch('/creative?cuid=${cuid}', ${sent})
    .then(async answer => [answer.status, (await answer.json()).message])`)
  expect(refused).toEqual([413, expect.stringContaining('at most 5242880 bytes')])
  await page.close()
})
