// Every page of the console: no accessibility violation in light and dark, no request to another host, no more requests
// than panels, a small first load, and no sideways scrolling on a phone.

import type { Page, Request } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/banners.ts'
import type { TestPair } from '../support/service.ts'
import { newWebhook } from '../support/webhooks.ts'
import {
  buildTree,
  type Console,
  openPage,
  openSignedIn,
  signedIn,
  signedInAsStaff,
  soon,
  ssoLocation,
  startConsole,
  type Tree,
  tooSmall,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
let tree: Tree & { fid: number }
let webhook: { wid: number }
let site: { sourceId: number }
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ name: 'Ann Rider' })
  const built = await buildTree(app, customer, 'Spring bikes')
  tree = { ...built, fid: await addFlight(built.cid) }
  // Nobody listens there, so its log has an entry that failed and is waiting.
  webhook = await newWebhook(app.service, { url: 'http://127.0.0.1:9/', events: ['campaign.ended'] })
  await app.service.call('POST', `/webhook/${webhook.wid}/test`)
  const sources = await app.service.call('GET', '/source')
  site = sources.body.find(({ kind }: { kind: string }) => kind === 'site')
  // A banner that waits for a person.
  const { cuid, ...other } = await app.service.newCustomer({ company: 'Looked At Ltd' })
  await app.service.call('PUT', `/customer/${cuid}`, { body: { review: 'manual' } })
  await buildTree(app, { cuid, ...other }, 'By hand')
  await until(async () => ((await app.service.call('GET', '/review')).body.length === 1 ? true : null))
})
afterAll(() => app?.close())

/** A flight that spans the campaign, so that it delivers as before. */
async function addFlight(cid: number): Promise<number> {
  const at = (path: string) => `${path}?cuid=${customer.cuid}`
  const { body: campaign } = await app.service.call('GET', at(`/campaign/${cid}`), { as: customer })
  const body = { name: 'Opening', start: campaign.start, end: campaign.end }
  return (await app.service.call('POST', at(`/campaign/${cid}/flight`), { as: customer, body })).body.fid
}

/** Path, and the heading or text that shows it has loaded. */
function pages(): Record<string, { path: string; ready: string }> {
  const { cid, pid, bid, fid } = tree
  const campaign = `/campaigns/${cid}`
  const persona = `${campaign}/personas/${pid}`
  return {
    overview: { path: '/', ready: 'Needs attention' },
    campaigns: { path: '/campaigns', ready: 'Total of 1' },
    bin: { path: '/bin', ready: 'The bin is empty' },
    create: { path: '/create', ready: '3. Banners' },
    campaign: { path: campaign, ready: 'Too early to tell' },
    created: { path: `${campaign}/created`, ready: 'Your banner is approved' },
    'campaign personas': { path: `${campaign}?tab=personas`, ready: 'Total of 1' },
    'campaign flights': { path: `${campaign}?tab=flights`, ready: 'Edit Opening' },
    'campaign statistics': { path: `${campaign}?tab=statistics`, ready: 'Not counted' },
    'campaign settings': { path: `${campaign}?tab=settings`, ready: 'Save changes' },
    'campaign history': { path: `${campaign}?tab=history`, ready: 'created' },
    flight: { path: `${campaign}/flights/${fid}`, ready: 'Save changes' },
    'flight statistics': { path: `${campaign}/flights/${fid}?tab=statistics`, ready: 'Not counted' },
    'new persona': { path: `${campaign}/new-persona`, ready: 'Create persona' },
    persona: { path: persona, ready: 'Total of 1' },
    'persona targeting': { path: `${persona}?tab=targeting`, ready: 'Zoom in' },
    'persona statistics': { path: `${persona}?tab=statistics`, ready: 'Why does it not deliver more?' },
    banner: { path: `${persona}/banners/${bid}`, ready: 'Approved. It can be shown.' },
    statistics: { path: '/statistics', ready: 'Today so far' },
    account: { path: '/account', ready: 'Preferences' },
    'account billing': { path: '/account?tab=billing', ready: 'What you spent each month' },
    'account emails': { path: '/account?tab=emails', ready: 'Performance report' },
    'account people': { path: '/account?tab=people', ready: 'Invite a person' },
    'account keys': { path: '/account?tab=keys', ready: 'New key' },
    statement: { path: '/statement', ready: 'Closing balance' },
    conversions: { path: '/conversions', ready: 'No actions counted yet' },
    shortcuts: { path: '/shortcuts', ready: 'Use keyboard shortcuts' },
    'no page': { path: '/nowhere', ready: 'Go to the home page' },
  }
}
const NAMES = [
  'overview',
  'campaigns',
  'bin',
  'create',
  'campaign',
  'created',
  'campaign personas',
  'campaign flights',
  'campaign statistics',
  'campaign settings',
  'campaign history',
  'flight',
  'flight statistics',
  'new persona',
  'persona',
  'persona targeting',
  'persona statistics',
  'banner',
  'statistics',
  'account',
  'account billing',
  'account emails',
  'account people',
  'account keys',
  'statement',
  'conversions',
  'shortcuts',
  'no page',
]

const PHONE = { width: 320, height: 640 }
const DESK = { width: 1280, height: 720 }

/** How many pixels wider than the screen a page is. */
function overhang(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth')
}

/** Choices side by side whose words do not fit. */
function cutOff(page: Page): Promise<string[]> {
  const choices = `[...document.querySelectorAll('[role=radiogroup], [role=radiogroup] label')]`
  return page.evaluate(
    `${choices}.filter(one => one.scrollWidth > one.clientWidth).map(one => 'cut off: ' + one.textContent)`,
  )
}

/** As a link does: the page that is open goes on there. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', '/console${path}')`)
}

async function visit(page: Page, name: string): Promise<void> {
  const { path, ready } = pages()[name]!
  await page.goto(`${app.url}/console${path}`)
  await isReady(page, ready)
}

async function isReady(page: Page, ready: string): Promise<void> {
  await page
    .getByText(ready)
    .or(page.getByLabel(ready))
    .or(page.getByRole('button', { name: ready }))
    .first()
    .waitFor()
  // What fades in has no colour of its own until it has appeared.
  await page.waitForTimeout(400)
}

async function isLoadedInGerman(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Wird geladen' }).first().waitFor({ state: 'detached' })
  await page.waitForTimeout(400)
}

const staffPages = () => [
  `/customers/${customer.cuid}`,
  ...['billing', 'access', 'emails', 'settings'].map(tab => `/customers/${customer.cuid}?tab=${tab}`),
  '/brand',
  '/review',
  '/sources',
  `/sources/${site.sourceId}`,
  '/attributes',
  '/staff',
  '/webhooks',
  `/webhooks/${webhook.wid}`,
  `/webhooks/${webhook.wid}?tab=settings`,
]

async function visitStaffPage(page: Page, path: string): Promise<void> {
  await page.goto(`${app.url}/console${path}`)
  await page
    .getByText('Campaign ended')
    .or(page.getByText('Waiting'))
    .or(page.getByText('Earnings'))
    .or(page.getByText('Public key'))
    .or(page.getByText('Performance report'))
    .or(page.getByRole('switch', { name: 'Prepaid' }))
    .or(page.getByRole('button', { name: 'Spring bikes' }))
    .or(page.getByRole('region', { name: 'Banner By hand' }))
    .or(page.getByRole('button', { name: /^(Save changes|New key|New attribute|Invite a person)$/ }))
    .first()
    .waitFor()
  await page.waitForTimeout(400)
}

/** Colours that change at once can be measured at once. */
const STILL = { reducedMotion: 'reduce' } as const

it('no page has an accessibility violation in light or dark, a failed request, or a request to another host', async () => {
  const { page, context, elsewhere, faults } = await openSignedIn(app, customer.email, STILL)
  const found: Record<string, string[]> = {}
  for (const name of NAMES) {
    const { path, ready } = pages()[name]!
    await follow(page, path)
    await isReady(page, ready)
    const refused = await page.getByRole('alert').allTextContents()
    const list = [...refused, ...(await violationsInBoth(page))]
    if (list.length > 0) found[name] = list
  }
  expect(found).toEqual({})
  await visit(page, 'campaign flights')
  await page.getByRole('button', { name: 'New flight' }).click()
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  expect(elsewhere).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

/** What says something by its filling alone. */
const MARKS = [
  '.tick, .on-off, .meter > span, .ck-meter > span, .k, .state',
  '.mantine-Switch-track, .mantine-Checkbox-input, .mantine-Radio-radio, .mantine-SegmentedControl-indicator',
  '[role=tab][aria-selected=true], nav [aria-current=page]',
].join(', ')

interface Mark {
  name: string
  x: number
  y: number
  width: number
  height: number
}

/** Marks that are drawn in no other colour than the page behind them. */
async function unseen(page: Page): Promise<string[]> {
  const marks = await page.evaluate<Mark[]>(`[...document.querySelectorAll('${MARKS}')]
    .filter(one => one.checkVisibility({ visibilityProperty: true }))
    .map(one => {
      const { x, y, width, height } = one.getBoundingClientRect()
      return { name: one.className + ' ' + one.textContent, x: x - 1, y: y - 1, width: width + 2, height: height + 2 }
    })
    .filter(({ x, y, width, height }) => width > 3 && x >= 0 && y >= 0 && x + width <= innerWidth && y + height <= innerHeight)`)
  const { data, info } = await sharp(await page.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => data.readUIntBE((Math.floor(y) * info.width + Math.floor(x)) * 3, 3)
  const canvas = at(info.width - 2, 2)
  return marks.filter(mark => !differs(mark, (x, y) => at(x, y) !== canvas)).map(({ name }) => name)
}

function differs({ x, y, width, height }: Mark, isInk: (x: number, y: number) => boolean): boolean {
  for (let down = 0; down < height; down++)
    for (let across = 0; across < width; across++) if (isInk(x + across, y + down)) return true
  return false
}

it('where the system prescribes the colours, no page hides a switch, a box, a meter, a mark or what is chosen', async () => {
  const found: Record<string, string[]> = {}
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context } = await openSignedIn(app, customer.email, {
      ...STILL,
      forcedColors: 'active',
      colorScheme,
    })
    for (const name of NAMES) {
      const { path, ready } = pages()[name]!
      await follow(page, path)
      await isReady(page, ready)
      const list = await unseen(page)
      if (list.length > 0) found[`${name}, ${colorScheme}`] = list
    }
    await context.close()
  }
  const staff = await signedInAsStaff(app, { ...STILL, forcedColors: 'active' })
  for (const path of staffPages()) {
    await visitStaffPage(staff.page, path)
    const list = await unseen(staff.page)
    if (list.length > 0) found[path] = list
  }
  await staff.context.close()
  expect(found).toEqual({})
})

/** What opens over the table of campaigns. */
const OPENED = {
  'en-US': {
    all: 'Select all',
    dialogs: ['Filters', 'Columns', 'Edit the budget of Spring bikes, $50.00', 'Edit'],
    menu: 'Account',
  },
  'de-DE': {
    all: 'Alle auswählen',
    // Cards have no columns.
    dialogs: ['Filter', 'Budget von Spring bikes ändern, 50,00 $', 'Bearbeiten'],
    menu: 'Menü',
  },
}

it('filters, columns, menus and dialogs have no accessibility violation, in light and dark, and in German on a phone', async () => {
  for (const [locale, viewport] of [
    ['en-US', DESK],
    ['de-DE', PHONE],
  ] as const) {
    const { page, context } = await signedIn(app, customer.email, { ...STILL, locale, viewport })
    const { all, dialogs, menu } = OPENED[locale]
    await page.goto(`${app.url}/console${pages().campaigns!.path}`)
    await page.getByRole('checkbox', { name: all }).check()
    for (const name of [...dialogs, menu]) {
      const opened = page.getByRole(name === menu ? 'menu' : 'dialog')
      const button = page.getByRole('button', { name, exact: true })
      // The first column comes to stand over others a frame after the table was scrolled sideways.
      await button.scrollIntoViewIfNeeded()
      await page.evaluate('new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
      await button.click()
      await opened.waitFor()
      const found = locale === 'en-US' ? await violationsInBoth(page) : await violations(page)
      expect([name, found, await overhang(page)]).toEqual([name, [], 0])
      await page.keyboard.press('Escape')
      await opened.waitFor({ state: 'detached' })
    }
    await context.close()
  }
})

it('the sign-in and the customers of staff have no accessibility violation', async () => {
  const { page, context } = await openPage(app, STILL)
  await page.goto(`${app.url}/console`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByRole('button', { name: 'I am app staff' }).click()
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByLabel('Super key').fill(app.service.app.key)
  await page.getByLabel('Super token').fill(app.service.app.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('table').getByRole('link').first().waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByRole('button', { name: 'New customer' }).click()
  await page.getByRole('dialog').getByLabel('Company').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await context.close()
})

it('the pages and dialogs of staff have no accessibility violation, in light and dark, and in German on a phone', async () => {
  const { page, context, elsewhere, faults } = await signedInAsStaff(app, STILL)
  const dialog = page.getByRole('dialog')
  for (const path of staffPages()) {
    await visitStaffPage(page, path)
    expect([path, await violationsInBoth(page)]).toEqual([path, []])
  }
  await page.goto(`${app.url}/console/webhooks`)
  await page.getByRole('button', { name: 'New webhook' }).click()
  await dialog.getByLabel('URL').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await page.goto(`${app.url}/console/webhooks/${webhook.wid}`)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await dialog.getByRole('table').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByText(/^whsec_/).waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'I have saved it' }).click()

  await page.evaluate(`localStorage.setItem('marquee-language', 'de')`)
  await page.setViewportSize(PHONE)
  for (const path of ['/customers', ...staffPages()]) {
    await page.goto(`${app.url}/console${path}`)
    await isLoadedInGerman(page)
    const list = [...(await violations(page)), ...(await tooSmall(page))]
    expect([path, list, await overhang(page)]).toEqual([path, [], 0])
  }
  await context.clearCookies()
  await page.goto(`${app.url}/console`)
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
  expect([await violations(page), await overhang(page)]).toEqual([[], 0])
  expect(elsewhere).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

it('pages, tabs and dialogs appear in 120 to 160 ms, and at once for who wants no motion', async () => {
  const durations = async (reducedMotion: 'reduce' | 'no-preference') => {
    const { page, context } = await signedIn(app, customer.email, { reducedMotion })
    await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=flights`)
    await page.getByRole('button', { name: 'New flight' }).click()
    await page.getByRole('dialog').waitFor()
    const parts = ['.main > header', '.mantine-Tabs-panel', '.mantine-Modal-content']
    const found = await Promise.all(
      parts.map(part =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('${part}')).animationDuration`),
      ),
    )
    await context.close()
    return found.map(duration => Number.parseFloat(duration) * 1000)
  }
  for (const duration of await durations('no-preference')) {
    expect(duration).toBeGreaterThanOrEqual(120)
    expect(duration).toBeLessThanOrEqual(160)
  }
  expect(await durations('reduce')).toEqual([0, 0, 0])
})

it('a page makes no more calls than it has panels', async () => {
  const { page, context } = await signedIn(app, customer.email)
  const counts: Record<string, number> = {}
  for (const name of ['overview', 'campaigns', 'campaign', 'persona', 'statistics', 'campaign statistics']) {
    const calls: string[] = []
    const listen = (request: { url(): string; resourceType(): string }) => {
      if (['fetch', 'xhr', 'eventsource'].includes(request.resourceType())) calls.push(request.url())
    }
    page.on('request', listen)
    await visit(page, name)
    await page.waitForTimeout(300)
    page.off('request', listen)
    expect(new Set(calls).size).toBe(calls.length)
    counts[name] = calls.filter(url => !url.includes('/console/api/')).length
  }
  // Overview: all figures, the live stream, attention, campaigns, notes. A table: its rows and their figures, what it
  // belongs to and what that belongs to. A campaign: itself, today, its banners and their figures, its personas, its
  // funnel.
  // Statistics: also saved views; of a customer, whether a campaign has begun.
  expect(counts).toEqual({
    overview: 5,
    campaigns: 2,
    campaign: 6,
    persona: 4,
    statistics: 5,
    'campaign statistics': 4,
  })
  await context.close()
})

it('a first visit takes at most 16 requests and 300 kB until its chart is drawn in either language, no script of 130 kB, and something is painted before the data arrives', async () => {
  // Of countries that no other test is in: nothing is in the cache.
  for (const locale of ['en-GB', 'de-AT']) {
    const { page, context } = await openPage(app, { locale })
    const asked: string[] = []
    const finished: Request[] = []
    page.on('request', request => asked.push(request.url()))
    page.on('requestfinished', request => finished.push(request))
    let answer = () => {}
    const held = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route('**/console/api/session', async route => {
      await held
      await route.continue()
    })
    await page.goto(await ssoLocation(app, customer.email), { waitUntil: 'commit' })
    const paints = () => page.evaluate<number>(`performance.getEntriesByName('first-paint').length`)
    await soon(paints).toBe(1)
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0)
    answer()
    await page.locator('.chart svg').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
    // What only a menu or a message needs comes when the page stands.
    const sizes = await sizesOf(finished.filter(request => !/\/later-/.test(request.url())))
    expect(sum(sizes)).toBeGreaterThan(50_000)
    expect(sum(sizes)).toBeLessThan(300_000)
    expect(Math.max(...sizes)).toBeLessThan(130_000)
    const first = asked.filter(url => !/\/later-/.test(url))
    expect([first.length <= 16, first]).toEqual([true, first])
    await context.close()
  }
})

it('the sign-in takes less than 100 kB in either language, and its words are there without a script', async () => {
  for (const [locale, title] of [
    ['en-IE', 'Sign in'],
    ['de-CH', 'Anmelden'],
  ] as const) {
    const still = await openPage(app, { locale, javaScriptEnabled: false })
    await still.page.goto(`${app.url}/console/`)
    await still.page.getByRole('heading', { level: 1, name: title }).waitFor()
    await still.context.close()

    const { page, context } = await openPage(app, { locale })
    const finished: Request[] = []
    page.on('requestfinished', request => finished.push(request))
    await page.goto(`${app.url}/console/`)
    // The name of the service comes from its answer.
    await page.locator('.brand', { hasText: 'Marquee' }).waitFor()
    await page.waitForLoadState('networkidle')
    const sizes = await sizesOf(finished)
    expect(sum(sizes)).toBeGreaterThan(20_000)
    expect(sum(sizes)).toBeLessThan(100_000)
    await context.close()
  }
})

async function sizesOf(requests: readonly Request[]): Promise<number[]> {
  return Promise.all(requests.map(async request => (await request.sizes()).responseBodySize))
}

const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0)

it('on a phone and in German, no page has an accessibility violation, is too wide or has a target below 44 px, and four places are at the bottom, the others in the menu', async () => {
  const { page, context } = await signedIn(app, customer.email, {
    ...STILL,
    locale: 'de-DE',
    viewport: PHONE,
  })
  const found: Record<string, string[]> = {}
  for (const name of NAMES) {
    await page.goto(`${app.url}/console${pages()[name]!.path}`)
    await isLoadedInGerman(page)
    const list = [...(await violations(page)), ...(await cutOff(page)), ...(await tooSmall(page))]
    if ((await overhang(page)) > 0) list.push('wider than the screen')
    if (list.length > 0) found[name] = list
  }
  expect(found).toEqual({})
  // The last page does not exist, and appears without the frame that has the menu.
  await page.goto(`${app.url}/console/`)
  await page.getByRole('button', { name: 'Menü' }).click()
  await page.getByRole('menuitem', { name: 'Conversions' }).click()
  await page.getByRole('heading', { level: 1, name: 'Conversions' }).waitFor()
  const bottom = page.getByRole('navigation', { name: 'Hauptnavigation' }).getByRole('link')
  expect(await bottom.allInnerTexts()).toEqual(['Übersicht', 'Kampagnen', 'Statistik', 'Konto'])
  for (const place of await bottom.all())
    expect((await place.boundingBox())!.height).toBeGreaterThanOrEqual(48)
  await bottom.getByText('Kampagnen').click()
  await page.getByRole('heading', { name: 'Kampagnen' }).waitFor()
  await context.close()
})

/** What opens a menu, a list or a dialog there, in German. */
const OPENERS: Partial<Record<string, (string | RegExp)[]>> = {
  overview: ['Menü', /^Letzte 28 Tage/, 'Notiz hinzufügen'],
  campaigns: ['Filter', /^Budget von/],
  campaign: ['Weitere Aktionen', 'Löschen'],
  'campaign personas': ['Spalten'],
  'campaign flights': ['Neuer Flight'],
  'campaign statistics': ['Nach'],
  persona: ['Löschen'],
  statistics: ['Ansicht speichern'],
  'account people': ['Person einladen'],
  'account keys': ['Neuer Schlüssel'],
  statement: ['Monat'],
}

it('on a phone and in German, nothing in a menu, a list or a dialog is below 44 px, and the menu of a campaign is in the line of its name', async () => {
  const phone = { ...STILL, locale: 'de-DE', viewport: PHONE }
  const { page, context } = await signedIn(app, customer.email, phone)
  const opened = ':is([role=dialog], [role=menu], [role=listbox])'
  const found: Record<string, string[]> = {}
  for (const [name, openers] of Object.entries(OPENERS)) {
    await page.goto(`${app.url}/console${pages()[name]!.path}`)
    await isLoadedInGerman(page)
    for (const opener of openers!) {
      const roles = (['button', 'menuitem', 'combobox'] as const).map(role =>
        page.getByRole(role, { name: opener }),
      )
      await roles[0]!.or(roles[1]!).or(roles[2]!).first().click()
      await page.locator(opened).filter({ visible: true }).first().waitFor()
      const list = await tooSmall(page, opened)
      if (list.length > 0) found[`${name}: ${opener}`] = list
      // The menu stays for what it opens.
      if (openers!.at(-1) !== opener && opener !== 'Weitere Aktionen') await page.keyboard.press('Escape')
    }
  }
  expect(found).toEqual({})
  await page.goto(`${app.url}/console${pages().campaign!.path}`)
  const title = (await page.getByRole('heading', { level: 1 }).boundingBox())!
  const menu = (await page.getByRole('button', { name: 'Weitere Aktionen' }).boundingBox())!
  expect(menu.y).toBeLessThan(title.y + title.height)
  expect(menu.x).toBeGreaterThan(title.x + title.width)
  await context.close()
})

it('readers of German get German, with numbers written the German way', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'de-DE' })
  await page.goto(`${app.url}/console/campaigns`)
  await page.getByRole('heading', { name: 'Kampagnen' }).waitFor()
  await page.getByText('50,00').first().waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('de')
  await page.getByRole('button', { name: 'Konto' }).click()
  await page.getByRole('menuitem', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  await context.close()
})
