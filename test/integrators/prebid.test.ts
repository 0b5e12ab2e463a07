// Our adapter in the real Prebid.js, in a real browser: its bid wins, is rendered and counts once. Also the same
// campaign requested server to server, as Prebid Server does.

import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { switchDebug } from '../../src/manage/sources/sources.ts'
import { sharedChromium } from '../browser/chromium.ts'
import { until } from '../support/banners.ts'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../support/delivery.ts'

const PREBID = resolve(import.meta.dirname, 'node_modules/prebid.js/dist/src')
const HUMAN =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
/** An address in Canada: a page cannot say where its visitor is. */
const IN_CANADA = '99.224.0.1'

let service: ListeningService
let browser: Browser
let site: Server
let front: Server
let page: string
let served: ServedCampaign

beforeAll(async () => {
  front = createServer(forward)
  await new Promise<void>(done => front.listen(0, '127.0.0.1', done))
  const publicUrl = `http://localhost:${(front.address() as AddressInfo).port}`
  service = await startListeningService({ PUBLIC_URL: publicUrl, TRUST_PROXY: 'loopback' })
  served = await newServedCampaign(service, { campaign: { cpm: 2.5 } })
  await service.delivery.running()!.refresh()
  const [script, launched] = await Promise.all([bundle(), sharedChromium()])
  browser = launched
  site = createServer((request, response) => {
    const isScript = request.url === '/prebid.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? script : `<!doctype html><title>News</title><script src="/prebid.js"></script>`)
  })
  await new Promise<void>(done => site.listen(0, '127.0.0.1', done))
  page = `http://localhost:${(site.address() as AddressInfo).port}/`
})
afterAll(async () => {
  site?.close()
  front?.close()
  await service?.close()
})

/** The proxy in front of the service, which says where the visitor is. */
const forward: Parameters<typeof createServer>[1] = (request, response) => {
  const { method, url } = request
  const headers = { ...request.headers, 'x-forwarded-for': IN_CANADA }
  const onward = httpRequest(new URL(url!, service.url), { method, headers }, answer => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}

/** The core of the package, with our adapter in place of Prebid's own. */
async function bundle(): Promise<string> {
  const built = await build({
    stdin: {
      contents: `import pbjs from 'prebid.js'; import '../../web/prebid/marqueeBidAdapter.js'; window.pbjs = pbjs; pbjs.processQueue()`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'silent',
    plugins: [
      {
        name: 'as a module of prebid',
        setup({ onResolve }) {
          onResolve({ filter: /^\.\.\/(?:src|libraries)\// }, ({ path, importer }) =>
            importer.includes('web/prebid/') ? { path: resolve(PREBID, 'modules', path) } : null,
          )
        },
      },
    ],
  })
  return built.outputFiles[0]!.text
}

interface Auction {
  bids: { cpm: number; currency: string; ttl: number; netRevenue: boolean; meta: object; adId: string }[]
}

/** An auction for one place; the winner is rendered into a frame. */
function auction(tab: Page, params: object): Promise<Auction> {
  const run = (bidderParams: object) =>
    `new Promise(done => {
      document.body.innerHTML = '<iframe id="place" width="300" height="250"></iframe>'
      pbjs.removeAdUnit()
      pbjs.addAdUnits([{
        code: 'place', mediaTypes: { banner: { sizes: [[300, 250]] } },
        bids: [{ bidder: 'marquee', params: ${JSON.stringify(bidderParams)} }],
      }])
      pbjs.requestBids({ timeout: 10000, bidsBackHandler() {
        const bids = pbjs.getHighestCpmBids('place')
        if (bids[0]) pbjs.renderAd(document.getElementById('place').contentDocument, bids[0].adId)
        done({ bids })
      } })
    })`
  return tab.evaluate(run(params)) as Promise<Auction>
}

it('a bid of our adapter wins, is rendered and counts; other pages are never billed; errors are reported', async () => {
  const context = await browser.newContext({ userAgent: HUMAN })
  const tab = await context.newPage()
  const said: string[] = []
  tab.on('console', message => said.push(message.text()))
  await tab.goto(page)
  const figures = async () => (await served.customer.call('GET', `/stats/${served.cid}/summary`)).body
  const host = `http://localhost:${(front.address() as AddressInfo).port}/`
  const params = { host, siteKey: service.siteKey }
  const pixel = tab.waitForResponse(/\/t\/i\//, { timeout: 60_000 })
  const { bids } = await auction(tab, params)
  expect(bids).toMatchObject([{ cpm: 2.5, currency: 'USD', ttl: 50, netRevenue: true }])
  expect(bids[0]!.meta).toMatchObject({ advertiserDomains: ['shop.example.com'] })
  expect((await pixel).status()).toBe(200)
  // Prebid puts the ad into a frame of its own.
  await until(async () => {
    const widths = tab
      .frames()
      .map(frame => frame.evaluate('document.images[0]?.naturalWidth').catch(() => 0))
    return (await Promise.all(widths)).includes(300) || null
  })
  const counted = await until(async () => {
    const now = await figures()
    return now.imps > 0 ? now : null
  })
  expect(counted).toMatchObject({ imps: 1, spend: 0.0025 })

  // A page of another domain gets its bid, and nobody pays for it.
  await tab.goto(page.replace('localhost', '127.0.0.1'))
  const foreign = tab.waitForResponse(/\/t\/i\//, { timeout: 60_000 })
  expect((await auction(tab, params)).bids).toHaveLength(1)
  expect((await foreign).status()).toBe(200)
  expect(await figures()).toMatchObject({ imps: 1 })

  // Anything that is not one of our keys is refused by the adapter or the service, and the empty auction continues.
  expect((await auction(tab, { host: params.host, siteKey: 'no key' })).bids).toEqual([])
  expect((await auction(tab, { ...params, siteKey: 'mqsUnknownKey0000000' })).bids).toEqual([])

  // If the operator allows it, the browser's console says why there was no bid.
  await switchDebug(service.db, 'default-site', true, service.clock)
  await served.customer.call('PUT', `/campaign/${served.cid}/pause`)
  await tab.evaluate('pbjs.setConfig({ debug: true })')
  await until(async () => {
    await auction(tab, params)
    return said.some(line => line.includes('marquee: no bid: ')) || null
  })
  await served.customer.call('PUT', `/campaign/${served.cid}/resume`)
  await context.close()
})

it('server to server, a bid of the exchange is won, billed by its notice and rendered with its price', async () => {
  const before = (await served.customer.call('GET', `/stats/${served.cid}/summary`)).body
  // As Prebid Server asks: the visitor in `device`, a price floor, the page, and its own fields in `ext`.
  const request = {
    id: 'pbs-auction-1',
    imp: [
      {
        id: 'place',
        banner: { format: [{ w: 300, h: 250 }], topframe: 1 },
        secure: 0,
        bidfloor: 0.5,
        bidfloorcur: 'USD',
        ext: { tid: '0ef3a8f7', bidder: {} },
      },
    ],
    site: { page, domain: 'localhost', publisher: { id: '1' }, ext: { amp: 0 } },
    device: { ua: HUMAN, ip: IN_CANADA },
    at: 1,
    tmax: 1000,
    cur: ['USD'],
    source: { tid: '0ef3a8f7' },
    regs: { ext: { gdpr: 0 } },
    ext: { prebid: { channel: { name: 'pbjs' } } },
  }
  const bid = await until(async () => {
    const { status, json } = await service.bid(request, { 'x-openrtb-version': '2.6' })
    return status === 200 ? json.seatbid[0].bid[0] : null
  })
  expect(bid).toMatchObject({ impid: 'place', price: 2.5, mtype: 1 })
  const path = (url: string) => url.slice(new URL(url).origin.length)
  const notice = path(bid.burl).replace(/\$\{AUCTION_PRICE\}/, '1.75')
  expect((await service.send('POST', notice)).status).toBe(200)
  expect((await service.send('POST', notice)).status).toBe(200)
  const after = (await served.customer.call('GET', `/stats/${served.cid}/summary`)).body
  expect(after.imps - before.imps).toBe(1)
  expect(after.spend - before.spend).toBeCloseTo(0.00175, 9)
})
