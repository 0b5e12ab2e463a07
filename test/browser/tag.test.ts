// The tag on a page in a real browser: the banner is shown, counted when it is seen, and leads to the right place.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/banners.ts'
import { blocksOf } from '../support/blocks.ts'
import { type ListeningService, newServedCampaign, startListeningService } from '../support/delivery.ts'
import { freePort } from '../support/ports.ts'
import { sharedChromium } from './chromium.ts'

let service: ListeningService
let browser: Browser
let site: Server
let page: string

beforeAll(async () => {
  const port = await freePort()
  service = await startListeningService({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` })
  browser = await sharedChromium()
  // The snippet of the guide, with our address and key.
  const tag = blocksOf('docs/publishers.md', 'html')[0]!
    .replace('https://ads.example.net', `http://localhost:${port}`)
    .replace('mqs…', service.siteKey)
    .replace('></script>', ' data-country="CA"></script>')
  // The publisher's page, on the domain of the default site.
  site = createServer((request, response) => {
    const frame = `<iframe sandbox src="http://localhost:${port}/ad.html?source=${service.siteKey}&size=300x250&country=CA"></iframe>`
    const bodies: Record<string, string> = {
      '/': tag,
      '/isolated': tag,
      '/landing': `<script>${blocksOf('docs/conversions.md', 'js')[0]!}</script>`,
      '/sandboxed': frame,
      '/three': `${tag}${tag}${tag}<p id="text">A long story.</p>`,
      '/app': `<div id="app"></div>${tag.replace('<script', '<script data-target="slot" data-watch')}`,
      '/empty': `${tag.replace('"CA"', '"NZ" data-fallback="house"')}<p id="house" hidden>Ours</p>`,
      '/odd': tag
        .replace('300x250', '300x250, 301x250')
        .replace('data-country', 'data-contry="CA" data-country'),
      '/closed': `<div id="box" style="display:none">${tag}</div>`,
      '/long':
        tag.replace(service.siteKey, 'mqs-wrong-key').replace('300x250', '728x90') +
        tag.replace('data-size="300x250"', 'data-size="large"') +
        `<div style="height:5000px"></div>${tag.replace('300x250', '300 x 250')}`,
    }
    const isolated = request.url === '/isolated' ? { 'cross-origin-embedder-policy': 'require-corp' } : {}
    response.writeHead(200, { 'content-type': 'text/html', ...isolated })
    response.end(
      `<!doctype html><title>News</title><h1>News</h1>${bodies[request.url!.split('?')[0]!] ?? ''}`,
    )
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  page = `http://localhost:${(site.address() as AddressInfo).port}/`
})
afterAll(async () => {
  site?.close()
  await service?.close()
})

it('shows a real banner, counts its impression and click once, and the action that the landing page reports', async () => {
  const { customer, cid } = await newServedCampaign(service, { banner: { clickUrl: `${page}landing` } })
  const context = await browser.newContext({ userAgent: HUMAN })
  const tab = await context.newPage()
  await tab.goto(page)
  const banner = tab.frameLocator('iframe').locator('img').first()
  await banner.waitFor()
  const size = () =>
    banner.evaluate(image => {
      const { naturalWidth, naturalHeight } = image as unknown as {
        naturalWidth: number
        naturalHeight: number
      }
      return [naturalWidth, naturalHeight]
    })
  // It is there before it is loaded.
  await expect.poll(size).toEqual([300, 250])

  const summary = () => customer.call('GET', `/stats/${cid}/summary`)
  const seen = await until(async () => {
    const { body } = await summary()
    return body.imps > 0 ? body : null
  })
  expect(seen).toMatchObject({ imps: 1, clicks: 0 })

  const [landing] = await Promise.all([context.waitForEvent('page'), banner.click()])
  await landing.waitForLoadState()
  expect(landing.url()).toMatch(/^http:\/\/localhost:\d+\/landing\?mqclid=[\w-]{22}$/)
  expect((await summary()).body).toMatchObject({ imps: 1, clicks: 1, ctr: 1 })

  // The landing page has kept the click id as the guide advises; the guide's pixel reports what came of it.
  const kept = await landing.evaluate("localStorage.getItem('mqclid')")
  expect(landing.url()).toContain(`mqclid=${kept}`)
  const pixel = landing.waitForResponse(/\/t\/a\.gif/)
  const thanks = blocksOf('docs/conversions.md', 'html')[0]!.replace('MQCLID', String(kept))
  await landing.setContent(thanks.replace('https://ads.example.net', service.config.PUBLIC_URL))
  expect((await pixel).status()).toBe(200)
  await until(async () => ((await summary()).body.actions === 1 ? true : null))
  await context.close()
})

it.each(['isolated', 'sandboxed'])(
  'is shown and counted on a page that is %s',
  async path => {
    await newServedCampaign(service)
    const context = await browser.newContext({ userAgent: HUMAN })
    const tab = await context.newPage()
    const pixel = tab.waitForResponse(/\/t\/i\//, { timeout: 60_000 })
    await tab.goto(page + path)
    expect((await pixel).status()).toBe(200)
    await context.close()
  },
  120_000,
)

it('shifts nothing, ad or not, and shows the page’s own where there is none', async () => {
  await newServedCampaign(service)
  const context = await browser.newContext({ userAgent: HUMAN })
  const tab = await context.newPage()
  await tab.addInitScript(`window.shift = 0; new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`)
  // The script comes after the page was painted.
  await tab.route('**/tag.js', async route => {
    await tab.evaluate('new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    await route.continue()
  })
  await tab.goto(`${page}three`)
  for (const n of [0, 1, 2]) await tab.frameLocator('iframe').nth(n).locator('img').waitFor()
  expect(await tab.evaluate('[window.shift, document.getElementById("text").offsetTop > 750]')).toEqual([
    0,
    true,
  ])
  await tab.goto(`${page}empty`)
  await tab.getByText('Ours').waitFor()
  expect(await tab.evaluate('window.shift')).toBe(0)
  await context.close()
})

it('tells the publisher in the console that a page is not billed, a size unknown or an attribute misspelt', async () => {
  await newServedCampaign(service)
  const context = await browser.newContext({ userAgent: HUMAN })
  const saidOn = async (url: string) => {
    const tab = await context.newPage()
    const said: string[] = []
    tab.on('console', message => {
      if (message.text().startsWith('marquee:')) said.push(message.text())
    })
    await tab.goto(url, { waitUntil: 'networkidle' })
    await tab.frameLocator('iframe').locator('img').waitFor()
    return said
  }
  expect(await saidOn(page)).toEqual([])
  expect(await saidOn(page.replace('localhost', '127.0.0.1'))).toEqual([
    'marquee: 127.0.0.1 is not on localhost: ads are shown here, but never billed',
  ])
  expect(await saidOn(`${page}odd`)).toEqual([
    'marquee: data-contry is not an attribute of a tag; did you mean data-country?',
    expect.stringMatching(/^marquee: no banner has the size 301x250; sizes are .*300x250/),
  ])
  await context.close()
})

it('comes back by itself in a page that renders its element anew', async () => {
  await newServedCampaign(service)
  const context = await browser.newContext({ userAgent: HUMAN })
  const tab = await context.newPage()
  await tab.goto(`${page}app`)
  for (const view of ['first', 'second']) {
    await tab.evaluate(`document.getElementById('app').innerHTML = '<h2>${view}</h2><div id="slot"></div>'`)
    await tab.frameLocator('#slot iframe').locator('img').waitFor()
  }
  await context.close()
})

it('in a closed box is requested only when the box is opened', async () => {
  await newServedCampaign(service)
  const context = await browser.newContext({ userAgent: HUMAN })
  const tab = await context.newPage()
  const asked: string[] = []
  tab.on('request', request => {
    if (/\/(?:ad\.html|t\/i)/.test(request.url())) asked.push(request.url())
  })
  await tab.goto(`${page}closed`, { waitUntil: 'networkidle' })
  expect(asked).toEqual([])
  const pixel = tab.waitForRequest(/\/t\/i\//, { timeout: 60_000 })
  await tab.evaluate("document.getElementById('box').style.display = 'block'")
  await pixel
  expect(asked).toHaveLength(2)
  await context.close()
})

it('is requested near the screen, counts a view when it was seen, and reports its errors to the console', async () => {
  // The most expensive one, so that it wins over those of the other tests.
  const { customer, cid } = await newServedCampaign(service, { campaign: { cpm: 3 } })
  const context = await browser.newContext({ userAgent: HUMAN })
  const tab = await context.newPage()
  const [said, asked]: [string[], string[]] = [[], []]
  tab.on('console', message => {
    if (message.text().startsWith('marquee:')) said.push(message.text())
  })
  tab.on('request', request => {
    if (request.url().includes('/ad.html')) asked.push(new URL(request.url()).searchParams.get('size')!)
  })
  await tab.goto(`${page}long`, { waitUntil: 'networkidle' })
  // The frame of the wrong key is empty and keeps its place; the ad far below has not been requested.
  expect(asked).toEqual(['728x90'])
  expect(said).toEqual([
    'marquee: data-size must be a size such as 300x250; this tag has "large"',
    'marquee: a site with this `source` key not found',
  ])
  const wrong = tab.locator('iframe').first()
  await wrong.waitFor({ state: 'hidden' })
  expect(await wrong.evaluate(frame => (frame as unknown as { clientHeight: number }).clientHeight)).toBe(90)
  expect(await wrong.contentFrame().locator('body > :not(script)').count()).toBe(0)

  const figures = async () => (await customer.call('GET', `/stats/${cid}/summary`)).body
  const counted = (imps: number, views: number) =>
    until(async () => {
      const now = await figures()
      return now.imps === imps && now.views === views ? now : null
    })
  // Near the screen but not on it: shown and counted, but not viewed.
  await tab.evaluate(
    'window.scrollTo(0, document.querySelectorAll("iframe")[1].offsetTop - innerHeight - 200)',
  )
  await counted(1, 0)
  const view = tab.waitForResponse(/\/t\/v\//, { timeout: 60_000 })
  await tab.evaluate('window.scrollTo(0, document.body.scrollHeight)')
  expect((await view).status()).toBe(200)
  expect(await figures()).toMatchObject({ imps: 1, views: 1, spend: 0.003 })
  const again = tab.waitForResponse(/\/t\/v\//, { timeout: 60_000 })
  const entries = await tab.evaluate('history.length')
  await tab.evaluate(blocksOf('docs/publishers.md', 'js')[0]!)
  await again
  expect(await counted(2, 2)).toMatchObject({ spend: 0.006 })
  expect([asked.at(-1), await tab.evaluate('history.length')]).toEqual(['300x250', entries])
  await context.close()
})

const HUMAN =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
