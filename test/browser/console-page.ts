// The console in a real browser with the real service: what its tests share.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expect } from 'vitest'
import { freePort } from '../support/ports.ts'
import { startTestService, type TestPair, type TestService } from '../support/service.ts'
import { sharedChromium } from './chromium.ts'
import { type Contexts, createContexts } from './contexts.ts'

export interface Console {
  service: TestService
  /** URL of the service, without a trailing slash. */
  url: string
  contexts: Contexts
  /** What a journey means to hear, such as `PUT /campaign/:id 400`: whatever else a page says or is refused fails. */
  asks(...heard: string[]): void
  heard: Heard[]
  close(): Promise<void>
}

/** Test files that follow each other in a process have the same origin, and go on with what was compiled for it. */
let keptPort: number | undefined
let kept: { browser: Browser; url: string; contexts: Contexts } | undefined

interface Heard {
  /** The test that opened the page. */
  test: string
  what: string
}

const currentTest = () => expect.getState().currentTestName ?? 'before the tests'

/** The public URL must be known before the service listens: links and the origin check are built on it. */
export async function startConsole(
  settings: Record<string, string> = {},
  host = '127.0.0.1',
  more: Parameters<typeof startTestService>[2] = {},
): Promise<Console> {
  const port = await freePort(keptPort)
  keptPort = port
  const url = `http://${host}:${port}`
  const service = await startTestService(
    { PORT: String(port), PUBLIC_URL: url, ...settings },
    undefined,
    more,
  )
  await service.listen()
  const browser = await sharedChromium()
  if (kept?.browser !== browser || kept.url !== url)
    kept = { browser, url, contexts: createContexts(browser, url, '/console/icon.svg') }
  const { contexts } = kept
  const [heard, asked]: [Heard[], Heard[]] = [[], []]
  return {
    service,
    url,
    contexts,
    heard,
    asks: (...all) => asked.push(...all.map(what => ({ test: currentTest(), what }))),
    async close() {
      await contexts.endOpen()
      await service.close()
      // A minified program has short names for its own errors.
      const saidOf = (what: string) => what.replace(/^console: [\w$]{1,3}: /, 'console: ')
      const isAsked = (one: Heard) =>
        asked.some(({ test, what }) => test === one.test && saidOf(one.what) === what)
      expect(heard.filter(one => !isAsked(one))).toEqual([])
    },
  }
}

/** Where the single sign-on of a customer leads. */
export async function ssoLocation({ service }: Console, email: string): Promise<string> {
  const answer = await service.call('GET', `/customer/${encodeURIComponent(email)}/sso`)
  return answer.headers.location!
}

export interface Watched {
  page: Page
  context: BrowserContext
  /** Requests to any other host. */
  elsewhere: string[]
  /** Errors thrown in the page, or violations of its policy. */
  faults: string[]
}

/** A page that is watched for what it must never do. */
export async function openPage(console: Console, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await console.contexts.open({ locale: 'en-US', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const [elsewhere, faults]: [string[], string[]] = [[], []]
  page.on('request', request => {
    const own = [console.url, 'data:', 'blob:'].some(start => request.url().startsWith(start))
    if (!own) elsewhere.push(request.url())
  })
  const test = currentTest()
  const hear = (what: string) => console.heard.push({ test, what })
  page.on('pageerror', error => {
    faults.push(error.message)
    hear(`thrown: ${error.message}`)
  })
  page.on('console', message => {
    const [line = ''] = message.text().split('\n')
    if (/content security policy/i.test(line)) faults.push(line)
    // Refused answers are heard below, with their path.
    if (!line.startsWith('Failed to load resource')) hear(`console: ${line}`)
  })
  page.on('response', answer => {
    const path = new URL(answer.url()).pathname.replace(/\/\d+/g, '/:id')
    if (answer.status() >= 400) hear(`${answer.request().method()} ${path} ${answer.status()}`)
  })
  return { page, context, elsewhere, faults }
}

/** Signed in as a customer, with nothing loaded yet: for tests that begin on a page of their own. */
export async function signedIn(
  console: Console,
  email: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const ticket = new URL(await ssoLocation(console, email)).searchParams.get('ticket')
  return signedInBy(console, { ticket }, options)
}

/** The same with the super pair. */
export async function signedInAsStaff(
  console: Console,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const { key, token } = console.service.app
  return signedInBy(console, { superkey: key, supertoken: token }, options)
}

/** The same by whatever signs in, as the page itself does it. */
export async function signedInBy(
  console: Console,
  data: object,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const watched = await openPage(console, options)
  await signIn(console, watched.context, data)
  return watched
}

/** In a browser that may have been signed in before. */
export async function signIn({ url }: Console, { request }: BrowserContext, data: object): Promise<void> {
  const headers = { 'x-marquee-csrf': '1', 'sec-fetch-site': 'same-origin', origin: url }
  const answer = await request.post(`${url}/console/api/session`, { data, headers })
  if (!answer.ok()) throw new Error(`not signed in: ${await answer.text()}`)
}

/** A customer on the first page, which a link of single sign-on leads to. */
export async function openSignedIn(
  console: Console,
  email: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const watched = await openPage(console, options)
  await watched.page.goto(await ssoLocation(console, email))
  await watched.page.getByRole('heading', { level: 1 }).waitFor()
  return watched
}

/** Staff on the page where they begin. */
export async function openAsStaff(console: Console, options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await signedInAsStaff(console, options)
  await watched.page.goto(`${console.url}/console/customers`)
  await watched.page.getByRole('heading', { level: 1 }).waitFor()
  return watched
}

/** From the list of customers: the row opens the customer, and from there staff act as it. */
export async function actAs(page: Page, company: string): Promise<void> {
  await page.getByRole('link', { name: company, exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: company }).waitFor()
  await page.getByRole('button', { name: 'Act as this customer' }).click()
  await page.getByText('Acting as', { exact: true }).first().waitFor({ state: 'attached' })
}

/** A rare deed of a page, from the menu in its head. */
export async function fromMenu(page: Page, deed: string): Promise<Locator> {
  await page.getByRole('button', { name: 'More actions' }).click()
  return page.getByRole('menuitem', { name: deed })
}

/** Polled for as long as a busy machine may take. */
export function soon<T>(look: () => T | Promise<T>) {
  return expect.poll(look, { timeout: 60_000 })
}

/** A complete image of a size, in one colour. */
export function image(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#3b49df' } })
    .png()
    .toBuffer()
}

export interface Tree {
  cid: number
  pid: number
  bid: number
}

/** One campaign with a persona and a banner from an uploaded image. */
export async function buildTree(
  { service }: Console,
  customer: TestPair & { cuid: number },
  name: string,
): Promise<Tree> {
  const as = { key: customer.key, token: customer.token }
  const at = (path: string) => `${path}?cuid=${customer.cuid}`
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await service.call('POST', at(path), { as, body, headers })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  const now = Math.floor(service.clock.nowMs() / 1000)
  const { cid } = await post('/campaign', { name, start: now - 3600, end: now + 86_400, dailySpend: 50 })
  const geo = { radius: 25_000, geocode: [52.52, 13.405] }
  const { pid } = await post(`/campaign/${cid}/persona`, { name, geo, device: { mobile: true } })
  const upload = await post('/creative', await image(300, 250), { 'content-type': 'image/png' })
  const banner = { name, creativeURL: upload.creativeURL, clickUrl: 'https://bikes.example/' }
  const { bid } = await post(`/campaign/${cid}/persona/${pid}/banner`, banner)
  return { cid, pid, bid }
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Half as much to send and to parse as `axe.source`, for every page that is loaded. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong with a page as it stands. */
export async function violations(page: Page, only?: 'color-contrast'): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE)
  await stillness(page)
  const runOnly = only ? { type: 'rule', values: [only] } : { type: 'tag', values: RULES }
  const options = { runOnly, resultTypes: ['violations'], preload: false }
  const found = await page.evaluate<axe.Result[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.target.join(' ')} ${node.html.slice(0, 160)}`),
  )
}

/** The same in light and in dark, where nothing but colours differs. */
export async function violationsInBoth(page: Page): Promise<string[]> {
  const light = await violations(page)
  await setScheme(page, 'dark')
  const dark = await violations(page, 'color-contrast')
  await setScheme(page, 'light')
  return [...light, ...dark.map(found => `in dark, ${found}`)]
}

/** Some colours take a moment to change, and are neither the one nor the other meanwhile. */
async function setScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
  await stillness(page)
}

/** Nothing fades in or out any more. A message begins to fade in some frames after it is there. */
async function stillness(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let still = 0; still < 5; still++) {
      await new Promise(requestAnimationFrame)
      const moving = document.getAnimations()
        .filter(one => Number.isFinite(one.effect.getComputedTiming().endTime) && one.playState === 'running')
      if (moving.length > 0) still = -1
      await Promise.allSettled(moving.map(one => one.finished))
    }
  })()`)
}

/** What a finger misses: of all that does something there, what is less than 44 px tall where it is touched. */
export function tooSmall(page: Page, within = 'main'): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = []
    const doing = '${within} :is(button, summary, [role=tab], [role=option], input[type=checkbox], a.strong-link,' +
      ' a.plain-link, input.mantine-Input-input, textarea, label.mantine-Switch-label,' +
      ' label.mantine-SegmentedControl-label, label.mantine-Chip-label)'
    for (const one of document.querySelectorAll(doing)) {
      if (one.closest('.visually-hidden') || one.disabled || !one.checkVisibility({ visibilityProperty: true })) continue
      one.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
      const { x, y, width, height } = one.getBoundingClientRect()
      const [across, middle] = [x + width / 2, y + height / 2]
      if (width < 2 || across < 0 || across > innerWidth) continue
      const isHit = by => {
        const hit = document.elementFromPoint(across, middle + by)
        return hit && (one.contains(hit) || [...(one.labels ?? [])].some(label => label.contains(hit)))
      }
      // A row of them may be taller than the screen has room for: what is covered is not looked at.
      if (isHit(0) && !(isHit(-21) && isHit(21)))
        found.push('too small: ' + one.tagName + ' ' + (one.ariaLabel ?? one.textContent).trim().slice(0, 40) + ' ' + height)
    }
    scrollTo(0, 0)
    return found
  })()`)
}
