// The page of a campaign: its banners as pictures, which of them is ahead, and why it does not deliver more. And the best
// banners on the first page.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/console.ts'
import type { TestPair } from '../support/service.ts'
import { recordEvents, type TestEvent } from '../support/stats.ts'
import {
  buildTree,
  type Console,
  image,
  signedIn,
  soon,
  startConsole,
  type Tree,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
let tree: Tree & { fid: number }
let price: number
let next = 0

beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ name: 'Dana Weiss' })
  const built = await buildTree(app, customer, 'Roses')
  price = await addBanner(built, 'Price', 300, 250)
  const wide = await addBanner(built, 'Market', 728, 90)
  const path = `/campaign/${built.cid}/persona/${built.pid}/banner`
  await eventually(async () =>
    (await call('GET', path)).every(({ status }: { status: string }) => status === 'approved'),
  )
  tree = { ...built, fid: (await call('GET', `/campaign/${built.cid}/flight`))[0].fid }
  await count(tree.bid, 400, 40)
  await count(price, 400, 10)
  await count(wide, 50, 1)
})
afterAll(() => app?.close())

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const url = `${path}${path.includes('?') ? '&' : '?'}cuid=${customer.cuid}`
  return (await app.service.call(method, url, { as: customer, body, headers })).body
}

async function addBanner({ cid, pid }: Tree, name: string, width: number, height: number): Promise<number> {
  const headers = { 'content-type': 'image/png' }
  const { creativeURL } = await call('POST', '/creative', await image(width, height), headers)
  const body = { name, creativeURL, clickUrl: 'https://bikes.example/' }
  return (await call('POST', `/campaign/${cid}/persona/${pid}/banner`, body)).bid
}

async function count(bid: number, imps: number, clicks: number): Promise<void> {
  const { cid, pid, fid } = tree
  const add = (kind: TestEvent['kind']): TestEvent => ({
    ...{ kind, atMs: app.service.clock.nowMs(), adNumber: ++next, cuid: customer.cuid, cid, fid, pid, bid },
    ...(kind === 'impression' ? { spendMicros: 2_000 } : {}),
  })
  await recordEvents(app.service.db, [
    ...Array.from({ length: imps }, () => add('impression')),
    ...Array.from({ length: clicks }, () => add('click')),
  ])
}

const PHONE = { width: 390, height: 844 }
const STILL = { reducedMotion: 'reduce' } as const

it('shows its banners as pictures, with the leader, a verdict in words and its figures', async () => {
  const { page, context, elsewhere, faults } = await signedIn(app, customer.email, STILL)
  await page.goto(`${app.url}/console/campaigns/${tree.cid}`)
  const leader = page.getByRole('figure').filter({ hasText: 'Leader' })
  await leader.waitFor()
  await page
    .getByText(
      'Roses is ahead: 10.00% of people click it, against 2.50% for the other. We are more than 99% sure;',
    )
    .waitFor()
  expect(await leader.getByRole('link').textContent()).toBe('Roses')
  expect(await leader.locator('[data-figure=ctr]').textContent()).toBe('10.00%')
  expect(await leader.locator('[data-figure=imps]').textContent()).toBe('400')
  await page.getByText('7.5 points behind').waitFor()
  // One of another size is not compared with them.
  const wide = page.getByRole('figure').filter({ hasText: 'Market' })
  expect(await wide.textContent()).toContain('the only one of its size')
  const widths = await page
    .getByRole('figure')
    .locator('img')
    .evaluateAll(images => images.map(one => (one as unknown as { naturalWidth: number }).naturalWidth))
  expect(widths).toEqual([300, 300, 728])
  // Money of today against the budget: 850 impressions.
  await page.getByText('$1.70 of $50.00').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await leader.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Roses' }).waitFor()
  expect([elsewhere, faults]).toEqual([[], []])
  await context.close()
})

it('the one that is surely behind is paused by the button under the verdict, and comes back by undo', async () => {
  const { page, context } = await signedIn(app, customer.email, STILL)
  const path = `/campaign/${tree.cid}/persona/${tree.pid}/banner/${price}`
  const isOn = async () => (await call('GET', path)).enabled
  await page.goto(`${app.url}/console/campaigns/${tree.cid}`)
  await page.getByRole('button', { name: 'Pause “Price”' }).click()
  await soon(isOn).toBe(false)
  // What cannot be shown is not compared any more.
  await page.getByText('Roses is ahead').waitFor({ state: 'detached' })
  await page.getByRole('figure').filter({ hasText: 'Paused' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await soon(isOn).toBe(true)
  await page.getByText('Roses is ahead').waitFor()
  await context.close()
})

/** As the API answers, with the requests that each step lets through. */
const FUNNEL = {
  since: 1_790_000_000,
  requests: 8_000,
  sampled: 1_000,
  stages: [
    { stage: 'geo', passed: 700, refused: 300 },
    { stage: 'device', passed: 700, refused: 0 },
    { stage: 'banner', passed: 630, refused: 70 },
    { stage: 'floor', passed: 210, refused: 420 },
    { stage: 'outbid', passed: 210, refused: 0 },
  ],
  served: 1_600,
}

it('answers why it does not deliver more: the answer first, then what each step loses, then the remedy', async () => {
  const { page, context } = await signedIn(app, customer.email, STILL)
  await page.route('**/funnel?*', route => route.fulfill({ json: { pid: tree.pid, ...FUNNEL } }))
  await page.goto(`${app.url}/console/campaigns/${tree.cid}`)
  await page.getByText('The price. 66.7% of the requests that fitted asked for more than you pay.').waitFor()
  const steps = page.getByRole('list', { name: 'How far ad requests got' }).getByRole('listitem')
  expect(await steps.allTextContents()).toEqual([
    'Requests8,000',
    'Place5,600−30%',
    'Matching banner5,040−10%',
    'Price floor1,680−66.7%',
    'Shown1,600',
  ])
  await page.getByText('2 more checks lost nothing.').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByRole('link', { name: 'Raise the price' }).click()
  await page.getByRole('tab', { name: 'Settings', selected: true }).waitFor()
  await context.close()
})

it('says so where no requests came, and where nothing is in the way', async () => {
  const { page, context } = await signedIn(app, customer.email, STILL)
  await page.goto(`${app.url}/console/campaigns/${tree.cid}`)
  await page.getByText('Too early to tell').waitFor()
  const stages = [{ stage: 'geo', passed: 990, refused: 10 }]
  await page.route('**/funnel?*', route =>
    route.fulfill({ json: { pid: tree.pid, ...FUNNEL, stages, served: 7_000 } }),
  )
  await page.reload()
  await page.getByText('Nothing holds it back. 99% of all requests could get it.').waitFor()
  await context.close()
})

it('in German on a phone: nothing scrolls sideways, and nothing is inaccessible', async () => {
  const { page, context } = await signedIn(app, customer.email, {
    ...STILL,
    locale: 'de-DE',
    viewport: PHONE,
  })
  await page.route('**/funnel?*', route => route.fulfill({ json: { pid: tree.pid, ...FUNNEL } }))
  await page.goto(`${app.url}/console/campaigns/${tree.cid}`)
  await page.getByText('Roses liegt vorn: 10,00 % gegen 2,50 % klicken darauf.').waitFor()
  await page.getByText('Der Preis. 66,7 % der passenden Anfragen verlangten mehr, als Sie zahlen.').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  expect(await violations(page)).toEqual([])
  // However long the name is, the button says what it does.
  const path = `/campaign/${tree.cid}/persona/${tree.pid}/banner/${price}`
  await call('PUT', path, { name: 'Ride to work in twenty minutes, 320x50' })
  await page.reload()
  const label = page.getByRole('button', { name: /pausieren$/ }).locator('.mantine-Button-label')
  expect(await label.evaluate(one => one.scrollWidth - one.clientWidth)).toBe(0)
  await call('PUT', path, { name: 'Price' })
  await context.close()
})

it('the first page shows the best banners as pictures, with their campaign and their rate', async () => {
  for (const [locale, title, rate] of [
    ['en-US', 'Best banners', '10.00% clicked'],
    ['de-DE', 'Die besten Banner', '10,00 % geklickt'],
  ] as const) {
    const viewport = locale === 'de-DE' ? PHONE : { width: 1280, height: 900 }
    const { page, context, faults } = await signedIn(app, customer.email, { ...STILL, locale, viewport })
    await page.goto(`${app.url}/console/`)
    const best = page.getByRole('region', { name: title })
    await best.waitFor()
    const shown = best.getByRole('listitem')
    // Market was shown too rarely to be judged.
    expect(await shown.count()).toBe(2)
    expect((await shown.first().textContent())?.replace(/\s/g, ' ')).toContain(rate)
    expect(await shown.first().getByRole('link').textContent()).toBe('Roses')
    expect(await shown.nth(1).getByRole('link').textContent()).toBe('Price')
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    expect(await violationsInBoth(page)).toEqual([])
    await shown.first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Roses' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  }
})

/** What a chart writes: below its buckets, and at both axes. */
interface Written {
  below: { left: number; right: number }[]
  left: number[]
  right: number[]
  width: number
}
const WRITTEN = `(() => {
  const boxes = selector => [...document.querySelectorAll(selector)].map(one => one.getBoundingClientRect().toJSON())
  const middles = selector => boxes(selector).map(({ y, height }) => Math.round(y + height / 2))
  return {
    below: boxes('.trend > text'),
    left: middles('.trend > g:not(.bars) > text'),
    right: middles('.trend > .bars > text'),
    width: innerWidth,
  }
})()`

it('labels of a chart have room, and both of its axes share their lines', async () => {
  const day = (ago: number) =>
    new Date(app.service.clock.nowMs() - ago * 86_400_000).toISOString().slice(0, 10)
  for (const viewport of [{ width: 1280, height: 800 }, PHONE])
    for (const locale of ['en-US', 'de-DE']) {
      const { page, context } = await signedIn(app, customer.email, { ...STILL, locale, viewport })
      for (const shown of ['range=today', 'range=28d', `from=${day(2)}&to=${day(0)}&by=hour`]) {
        await page.goto(`${app.url}/console/statistics?${shown}`)
        await page.locator('.trend .bars text').first().waitFor()
        const { below, left, right, width } = await page.evaluate<Written>(WRITTEN)
        for (const [at, box] of below.entries()) {
          expect([shown, box.right <= width, box.left >= 0]).toEqual([shown, true, true])
          if (at > 0) expect([shown, below[at - 1]!.right < box.left]).toEqual([shown, true])
        }
        expect(right.length).toBeGreaterThan(1)
        expect(left).toEqual(expect.arrayContaining(right))
      }
      await context.close()
    }
})

it('the first page hardly moves while its parts come, one after the other', async () => {
  const nowS = Math.floor(app.service.clock.nowMs() / 1000)
  const dates = { start: nowS, end: nowS + 86_400, dailySpend: 5 }
  const bare = [
    await call('POST', '/campaign', { name: 'One', ...dates }),
    await call('POST', '/campaign', { name: 'Two', ...dates }),
  ]
  for (const viewport of [{ width: 1280, height: 800 }, PHONE]) {
    const { page, context } = await signedIn(app, customer.email, { ...STILL, viewport })
    await page.addInitScript(`
      window.shifts = []
      new PerformanceObserver(list => {
        for (const { value, hadRecentInput, sources } of list.getEntries())
          if (!hadRecentInput)
            shifts.push([value, ...sources.map(({ node }) => node?.className ?? node?.parentElement?.className)])
      }).observe({ type: 'layout-shift', buffered: true })`)
    for (const [path, ms] of [
      ['**/campaign?*', 300],
      ['**/issues?*', 600],
      ['**/stats/*/figures?*', 900],
      ['**/banner?*', 1200],
    ] as const)
      await page.route(path, async route => {
        await new Promise(done => setTimeout(done, ms))
        await route.continue()
      })
    await page.goto(`${app.url}/console/`)
    await page.locator('.best-picture img').first().waitFor()
    const shifts = await page.evaluate<[number, ...string[]][]>('shifts')
    const sum = shifts.reduce((total, [value]) => total + value, 0)
    expect(sum, JSON.stringify(shifts)).toBeLessThan(0.05)
    await context.close()
  }
  for (const { cid } of bare) await call('DELETE', `/campaign/${cid}`)
})

it('pictures of banners keep their shape, wherever they are', async () => {
  const { page, context } = await signedIn(app, customer.email, STILL)
  for (const [path, pictures] of [
    ['/', '.best-picture img'],
    [`/campaigns/${tree.cid}`, '.shot img'],
    [`/campaigns/${tree.cid}/created`, '.created-pictures img'],
    [`/campaigns/${tree.cid}/personas/${tree.pid}?view=table`, '.thumb, .shot img'],
    [`/campaigns/${tree.cid}/personas/${tree.pid}/banners/${price}`, '.preview img'],
  ] as const) {
    await page.goto(`${app.url}/console${path}`)
    await page.locator(pictures).first().waitFor()
    const squashed = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('${pictures}')].filter(one => {
        const { width, height } = one.getBoundingClientRect()
        const isKept = Math.abs(width / height / (one.naturalWidth / one.naturalHeight) - 1) < 0.03
        return !isKept && !one.matches('.thumb, .best-picture img')
      }).map(one => one.outerHTML)`)
    await soon(squashed).toEqual([])
  }
  await context.close()
})

it('a campaign without personas, and a persona without banners, say what comes next', async () => {
  const nowS = Math.floor(app.service.clock.nowMs() / 1000)
  const body = { name: 'Bare', start: nowS, end: nowS + 86_400, dailySpend: 5 }
  const { cid } = await call('POST', '/campaign', body)
  const { page, context } = await signedIn(app, customer.email, STILL)
  await page.goto(`${app.url}/console/campaigns/${cid}`)
  await page.getByRole('link', { name: 'New persona' }).waitFor()
  await call('POST', `/campaign/${cid}/persona`, {
    name: 'All',
    geo: { geos: ['DE'] },
    device: { mobile: true },
  })
  await page.reload()
  await page.getByText('No banners yet').waitFor()
  await page.getByRole('link', { name: 'Add banners' }).click()
  await page.getByRole('heading', { level: 1, name: 'All' }).waitFor()
  await context.close()
})

it('Back from a persona that was just created leads to its campaign, not to the form', async () => {
  const { cid } = await buildTree(app, customer, 'Back again')
  const { page, context } = await signedIn(app, customer.email, STILL)
  await page.goto(`${app.url}/console/campaigns/${cid}?tab=personas`)
  await page.getByRole('link', { name: 'New persona' }).first().click()
  await page.getByLabel('Name').fill('Second')
  await page.getByRole('textbox', { name: 'Add a place' }).fill('germany')
  await page
    .getByRole('option', { name: /^Germany/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Create persona' }).click()
  await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Back again' }).waitFor()
  expect(await call('GET', `/campaign/${cid}/persona`)).toHaveLength(2)
  await context.close()
})
