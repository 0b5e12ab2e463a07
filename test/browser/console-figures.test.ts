// Figures in the console: everything on a page is of one moment and agrees with /stats, charts draw only what is known,
// and costs stand beside spend.

import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { audienceNumber } from '../../src/count/tracking/codes.ts'
import { iabNumber } from '../../src/manage/reference/iab.ts'
import { localityOf } from '../../src/manage/reference/localities.ts'
import { eventually, invitationIn, mailsTo } from '../support/console.ts'
import type { TestPair } from '../support/service.ts'
import { recordEvents, type TestEvent } from '../support/stats.ts'
import {
  buildTree,
  type Console,
  signedIn,
  signedInBy,
  soon,
  startConsole,
  type Tree,
  violations,
  violationsInBoth,
} from './console-page.ts'

const DAY_S = 86_400
let app: Console
let customer: TestPair & { cuid: number; email: string }
let tree: Tree & { fid: number }
let gone: Tree & { fid: number }
let todayS: number
let next = 0
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ name: 'Ann Rider' })
  todayS = Math.floor(app.service.clock.nowMs() / 1000 / DAY_S) * DAY_S
  tree = await withFlight(await buildTree(app, customer, 'Spring bikes'))
  gone = await withFlight(await buildTree(app, customer, 'Last winter'))
  await count(tree, 40, 3, 1)
  await count(gone, 20, 1, 0)
  // A week ago, for the previous period.
  await count(tree, 10, 1, 0, todayS - 30 * DAY_S)
  await call('DELETE', `/campaign/${gone.cid}`)
})
afterAll(() => app?.close())

const call = (method: string, path: string, body?: object) => {
  const url = `${path}${path.includes('?') ? '&' : '?'}cuid=${customer.cuid}`
  return app.service.call(method, url, { as: customer, body })
}

/** With its flight, and a banner whose size is known. */
async function withFlight(built: Tree): Promise<Tree & { fid: number }> {
  const path = `/campaign/${built.cid}/persona/${built.pid}/banner/${built.bid}`
  await eventually(async () => (await call('GET', path)).body.status === 'approved')
  return { ...built, fid: (await call('GET', `/campaign/${built.cid}/flight`)).body[0].fid }
}

async function count(
  of: Tree & { fid: number },
  imps: number,
  clicks: number,
  actions: number,
  atS = todayS,
) {
  const events: TestEvent[] = []
  const { cid, fid, pid, bid } = of
  const add = (kind: TestEvent['kind'], more: Partial<TestEvent> = {}) =>
    events.push({
      ...{ kind, atMs: atS * 1000, adNumber: ++next, cuid: customer.cuid, cid, fid, pid, bid },
      ...more,
    })
  for (let i = 0; i < imps; i++) {
    add('impression', { spendMicros: 123_457, ...(i % 2 ? KNOWN : {}) })
  }
  for (let i = 0; i < clicks; i++) add('click')
  for (let i = 0; i < actions; i++) add('action', { valueMicros: 20_500_000 })
  await recordEvents(app.service.db, events)
}

/** A young woman in Toronto reads about cycling. */
const KNOWN: Partial<TestEvent> = {
  domain: 'news.example',
  country: 'CA',
  locality: localityOf('CA', 'ON', 'toronto'),
  audience: audienceNumber({ category: iabNumber('IAB17-3'), age: '18to34', gender: 'female' }),
}

const dollars = (value: number) => `$${value.toFixed(2)}`
const card = (page: Page, metric: string) => page.locator(`[data-metric="${metric}"]`).first().textContent()
const footer = (page: Page, column: number) => page.locator('tfoot td').nth(column).textContent()

/** All read at once, so that nothing is refreshed in between. */
const shown = (page: Page) =>
  page.evaluate<{ card: string; chart: string; today: string }>(`({
    card: document.querySelector('[data-metric="imps"]')?.textContent ?? '',
    chart: document.querySelector('.chart [role="img"]')?.getAttribute('aria-label') ?? '',
    today: [...document.querySelectorAll('section')].find(s => s.textContent.includes('so far'))?.textContent ?? '',
  })`)

it('while figures load, no name and no height changes when they come', async () => {
  const { page, context } = await signedIn(app, customer.email, { viewport: { width: 1280, height: 800 } })
  let release = () => {}
  const held = new Promise<void>(done => {
    release = done
  })
  await page.route('**/stats/*/figures*', async route => {
    await held
    await route.continue()
  })
  await page.goto(`${app.url}/console`)
  const look = () =>
    page.evaluate<{ name: string; height: number }[]>(`[...document.querySelectorAll('.tabs button')]
      .map(one => ({ name: one.querySelector('.name').textContent, height: one.offsetHeight }))`)
  await soon(async () => (await look()).length).toBe(6)
  await page.getByRole('region', { name: 'Today' }).waitFor()
  const before = await look()
  release()
  await page.locator('.tabs [data-metric="spend"]').getByText('$').waitFor()
  const after = await look()
  expect(before.filter(({ name }) => name !== '')).toHaveLength(4)
  for (const [at, { name, height }] of before.entries())
    expect(after[at]).toEqual({ name: name === '' ? after[at]!.name : name, height })
  await context.close()
})

it('the column that campaigns are sorted by is seen whole on a narrow laptop', async () => {
  const { page, context } = await signedIn(app, customer.email, { viewport: { width: 1280, height: 800 } })
  await page.goto(`${app.url}/console/campaigns`)
  const sorted = page.locator('th[aria-sort="descending"]')
  await sorted.getByText('Spend').waitFor()
  const [column, table] = [
    (await sorted.boundingBox())!,
    (await page.locator('.table-scroll').boundingBox())!,
  ]
  expect(column.x + column.width).toBeLessThanOrEqual(table.x + table.width)
  await context.close()
})

it('rows can be packed to 40 px, in every table and after a reload', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns`)
  const rows = page.locator('tbody tr[aria-rowindex]')
  const tall = () => rows.first().evaluate(row => row.getBoundingClientRect().height)
  await rows.first().waitFor()
  expect(await tall()).toBe(60)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Compact rows' }).check()
  expect(await tall()).toBe(40)
  expect(await violations(page)).toEqual([])
  await page.reload()
  await rows.first().waitFor()
  expect(await tall()).toBe(40)
  await context.close()
})

it('what was not counted is one line with its main reason, all reasons one click away, and ranks have bars', async () => {
  const day = new Date(todayS * 1000).toISOString().slice(0, 10)
  await app.service.db.run(
    `insert into rollup_filtered (id, day, reason, imps, clicks, actions)
     values ($1, $2, 'bot', 950, 20, 0), ($1, $2, 'late', 30, 0, 0)`,
    [tree.cid, day],
  )
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=statistics`)
  const line = page.getByRole('region', { name: 'Not counted' })
  await line.getByText('980 impressions and 20 clicks refused, nothing charged.').waitFor()
  expect(await line.textContent()).toContain('Nearly all for one reason')
  expect(await line.getByRole('table').count()).toBe(0)
  await line.getByRole('button', { name: 'Reasons' }).press('Enter')
  await soon(() => line.getByRole('row').count()).toBe(3)
  expect(await page.locator('.rank > i').count()).toBeGreaterThan(0)
  await app.service.db.run('delete from rollup_filtered where id = $1', [tree.cid])
  await context.close()
})

it('cards, chart, tables and breakdowns agree with /stats, including deleted campaigns and unknown domains', async () => {
  const { page, context, faults } = await signedIn(app, customer.email)
  const { body } = await call('GET', `/stats/${customer.cuid}/summary?start=${todayS - 27 * DAY_S}`)
  expect(body).toMatchObject({ imps: 60, clicks: 4, actions: 1, value: 20.5 })

  await page.goto(`${app.url}/console/statistics`)
  await soon(() => card(page, 'spend')).toBe(dollars(body.spend))
  expect(await card(page, 'imps')).toBe('60')
  expect(await card(page, 'value')).toBe('$20.50')
  expect(await card(page, 'roas')).toBe(`${(20.5 / body.spend).toFixed(2)}×`)

  await page.goto(`${app.url}/console/campaigns`)
  await page.getByText('Total of 1').waitFor()
  const names = await page.locator('thead th').allTextContents()
  const at = (name: string) => names.findIndex(title => title.includes(name))
  expect(await footer(page, at('Spend'))).toBe(dollars(body.spend))
  expect(await footer(page, at('Cost per 1,000'))).toBe(dollars((body.spend / 60) * 1000))
  expect(await footer(page, at('Cost per click'))).toBe(dollars(body.spend / 4))
  expect(await footer(page, at('Cost per action'))).toBe(dollars(body.spend))
  expect(await footer(page, at('Value per action'))).toBe('$20.50')
  const deleted = page.getByRole('row', { name: /Deleted campaigns/ })
  expect(await deleted.locator('td').nth(at('Impressions')).textContent()).toBe('20')
  // With a search, the sum is that of the rows found.
  await page.getByRole('searchbox').fill('bikes')
  await soon(() => footer(page, at('Impressions'))).toBe('60')
  await page.getByRole('searchbox').fill('nothing of that name')
  await deleted.waitFor({ state: 'detached' })

  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=statistics&dimension=domain&figure=imps`)
  await page.getByRole('cell', { name: 'news.example' }).waitFor()
  await page.getByRole('row', { name: /^Unknown/ }).waitFor()
  expect(await card(page, 'imps')).toBe('40')
  expect(await footer(page, 2)).toBe(dollars(40 * 0.123457))
  expect(await page.locator('.chart [role="img"]').getAttribute('aria-label')).toContain('40 in total')

  await page.goto(`${app.url}/console/statistics`)
  await page.getByRole('row', { name: /Last winter \(deleted\)/ }).waitFor()
  expect(await card(page, 'imps')).toBe('60')
  expect(await footer(page, 3)).toBe('60')
  expect(faults).toEqual([])
  await context.close()
})

it('all that a customer has is broken down by names that people read, in both languages, and sums to the same', async () => {
  const { page, context } = await signedIn(app, customer.email)
  const names = async () => (await page.locator('tbody td.pinned').allInnerTexts()).sort()
  const choose = async (by: string, option: string) => {
    await page.getByRole('combobox', { name: by, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await page.goto(`${app.url}/console/statistics`)
  for (const [option, wanted] of Object.entries({
    Region: ['Ontario\nCanada', 'Unknown'],
    City: ['Toronto\nOntario, Canada', 'Unknown'],
    'Content category': ['Bicycling', 'Unknown'],
    Size: ['300 × 250'],
    Age: ['18–34', 'Unknown'],
    Gender: ['Unknown', 'Women'],
    'Hour of day': ['00:00'],
    Country: ['Canada', 'Unknown'],
  })) {
    await choose('By', option)
    await soon(names).toEqual(wanted)
    expect([option, await footer(page, 3)]).toEqual([option, await card(page, 'imps')])
  }
  // An action is no part of the impressions.
  await choose('By', 'Action')
  await soon(names).toEqual(['buy'])
  expect(await page.locator('thead th').allTextContents()).toEqual([
    'Action',
    'Share',
    'Actions',
    'Value',
    'Value per action',
  ])
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Deutsch' }).click()
  await page.getByRole('heading', { name: 'Statistik' }).waitFor()
  await choose('Nach', 'Inhaltskategorie')
  await soon(names).toEqual(['Radfahren', 'Unbekannt'])
  await choose('Nach', 'Stadt')
  await soon(names).toEqual(['Toronto\nOntario, Kanada', 'Unbekannt'])
  await page.getByRole('button', { name: 'Konto' }).click()
  await page.getByRole('menuitem', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Statistics' }).waitFor()
  await context.close()
})

it('before the answers are there, the overview claims nothing', async () => {
  const { page, context } = await signedIn(app, customer.email)
  const held: (() => void)[] = []
  let isHeld = true
  const hold = (route: Route) =>
    isHeld ? void held.push(() => void route.continue()) : void route.continue()
  for (const path of ['campaign', 'issues', 'console/api/figures']) await page.route(`**/${path}?*`, hold)
  await page.goto(`${app.url}/console`)
  await page.getByText('Spent today').waitFor()
  await expect.poll(() => held.length).toBeGreaterThan(1)
  const text = await page.getByRole('main').textContent()
  for (const claim of ['$0.00', 'No campaigns are running', 'Nothing needs your attention'])
    expect(text).not.toContain(claim)
  isHeld = false
  for (const go of held) go()
  await page.getByText('of $50.00').waitFor()
  await context.close()
})

it('everything on a page changes together, from one call, whenever something was counted', async () => {
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/statistics?range=today&figure=imps`)
  await page.getByText('Today so far').waitFor()
  await soon(async () => (await shown(page)).card).toBe('60')
  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('/stats/')) asked.push(new URL(request.url()).pathname)
  })
  for (let round = 1; round <= 3; round++) {
    await count(tree, 5, 0, 0)
    const wanted = String(60 + 5 * round)
    await soon(async () => (await shown(page)).card).toBe(wanted)
    const { chart, today } = await shown(page)
    expect(chart).toContain(`${wanted} in total`)
    expect(today).toContain(wanted)
    expect(await footer(page, 3)).toBe(wanted)
  }
  expect(new Set(asked)).toEqual(new Set([`/stats/${customer.cuid}/figures`]))
  await context.close()
})

it('charts draw no future, mark what is not over, stand against the period before, and are read by keyboard and as a table', async () => {
  const { page, context } = await signedIn(app, customer.email)
  const path = async (series: string) =>
    (await page.locator(`[data-series="${series}"]`).getAttribute('d')) ?? ''
  const rows = () => page.locator('.chart-table tbody tr').count()
  const card = page.locator('.hovercard')
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=statistics&range=today&figure=imps`)
  await page.locator('.trend .dot.open').waitFor()
  // One day is shown by hour, up to now.
  expect(await page.getByRole('radio', { name: 'Hour' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Table' }).click()
  const hours = Math.floor((app.service.clock.nowMs() / 1000 - todayS) / 3600) + 1
  await soon(async () => Math.abs((await rows()) - hours)).toBeLessThanOrEqual(1)

  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=statistics&figure=imps`)
  await soon(() => path('before')).toMatch(/^M.*C/)
  const sentence = () => page.locator('.chart [role="img"]').getAttribute('aria-label')
  await soon(sentence).toContain('Previous period: 10')
  await soon(sentence).toContain('in progress')
  await page.locator('.plot').focus()
  await page.keyboard.press('End')
  await card.getByText('in progress').waitFor()
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })
  await page.keyboard.press('t')
  await soon(rows).toBe(28)

  // The figures are the tabs, and the choice is in the address: a link shows the same.
  await page.getByRole('tab', { name: /^Clicks/ }).click()
  await page.locator('.chart-table').getByRole('columnheader', { name: 'Clicks' }).waitFor()
  const again = await context.newPage()
  await again.goto(page.url())
  await again.getByRole('tab', { name: /^Clicks/, selected: true }).waitFor()
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=statistics&range=yesterday&figure=imps`)
  await page.locator('.trend [data-series="value"]').waitFor({ state: 'attached' })
  expect(await page.locator('.trend .dot.open').count()).toBe(0)
  await page.getByRole('button', { name: 'Table' }).click()
  await soon(rows).toBe(24)
  await context.close()
})

it('the line of another figure grows from the line before, unless motion is reduced', async () => {
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    const { page, context } = await signedIn(app, customer.email, { reducedMotion })
    await page.goto(`${app.url}/console/statistics`)
    // Only today has figures, so its part of the line is the one that changes.
    const line = page.locator('.trend path[data-series="open"]')
    await line.waitFor({ state: 'attached' })
    const declared = await page.evaluate<string>(`(() => {
      const style = getComputedStyle(document.querySelector('.trend path[data-series="open"]'))
      return Number.parseFloat(style.transitionDuration) > 0 ? style.transitionProperty : 'none'
    })()`)
    expect([reducedMotion, declared]).toEqual([reducedMotion, reducedMotion === 'reduce' ? 'none' : 'd'])
    // The same line becomes another: it is not drawn anew.
    await line.evaluate(path => path.setAttribute('data-kept', ''))
    const before = await line.getAttribute('d')
    await page.getByRole('tab').nth(1).click()
    await soon(() => line.getAttribute('d')).not.toBe(before)
    expect(await line.getAttribute('data-kept')).toBe('')
    const commands = (d: string | null) => d?.replaceAll(/[^a-z]/gi, '')
    expect(commands(await line.getAttribute('d'))).toBe(commands(before))
    await context.close()
  }
})

it('a note on a day is written by keyboard, numbered in the chart, read in legend and table, changed and removed', async () => {
  const { page, context, faults } = await signedIn(app, customer.email)
  const dialog = page.getByRole('dialog')
  const mark = page.locator('.trend [data-note="1"]')
  await page.goto(`${app.url}/console/`)
  await page.locator('.trend .dot.open').waitFor()
  await page.locator('.plot').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  const yesterday = new Date((todayS - DAY_S) * 1000).toISOString().slice(0, 10)
  await soon(() => dialog.getByLabel('Day').inputValue()).toBe(yesterday)
  expect(await violationsInBoth(page)).toEqual([])
  await page.keyboard.type('New prices from today')
  await dialog.getByRole('button', { name: 'Add a note' }).click()
  await mark.waitFor()
  const legend = page.getByRole('list', { name: 'Notes' })
  expect(await legend.textContent()).toContain('New prices from today')
  const { body } = await call('GET', '/note')
  expect(body).toMatchObject([{ day: yesterday, text: 'New prices from today', cid: null }])
  expect(await violationsInBoth(page)).toEqual([])

  // It stands in the other charts, and in the table of the same figures.
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=statistics`)
  await mark.waitFor()
  await page.getByRole('button', { name: 'Table' }).click()
  const row = page.locator('.chart-table').getByRole('row', { name: /New prices/ })
  await row.getByRole('button', { name: /^Add a note on/ }).click()
  await dialog.getByLabel('Note').fill('Only here')
  await dialog.getByRole('button', { name: 'Add a note' }).click()
  await row.getByText('Only here').waitFor()
  await row.getByRole('button', { name: /Only here/ }).click()
  await dialog.getByLabel('Note').fill('Only in this campaign')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Only in this campaign').waitFor()
  const { body: both } = await call('GET', '/note')
  expect(both.map(({ cid }: { cid: number | null }) => cid)).toEqual([null, tree.cid])

  // Two of one day share a number.
  await page.goto(`${app.url}/console/statistics`)
  await mark.waitFor()
  expect(await page.locator('.trend [data-note]').count()).toBe(1)
  for (const name of [/Only in this/, /New prices/]) {
    await legend.getByRole('button', { name }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await mark.waitFor({ state: 'detached' })
  expect((await call('GET', '/note')).body).toEqual([])
  // The last one comes back, once, on its day.
  await page.getByText('Note removed').last().waitFor()
  // While the service cannot be reached, it is offered again.
  const isNote = (url: URL) => url.pathname.endsWith('/note')
  await page.route(isNote, route => route.abort())
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await page.getByText('The service cannot be reached').waitFor()
  await page.unroute(isNote)
  await page.getByRole('button', { name: 'Undo' }).last().dblclick()
  await mark.waitFor()
  await legend.getByRole('button', { name: /New prices/ }).waitFor()
  const { body: back } = await call('GET', '/note')
  expect(back).toHaveLength(1)
  expect(back[0]).toMatchObject({ cid: null, day: both[0].day, text: both[0].text })
  await call('DELETE', `/note/${back[0].nid}`)
  expect(faults).toEqual([])
  await context.close()
})

it('who may only read sees notes, and is offered none to write', async () => {
  const { cuid } = customer
  const body = { day: new Date(todayS * 1000).toISOString().slice(0, 10), text: 'Half price' }
  const { nid } = (await app.service.call('POST', `/note?cuid=${cuid}`, { as: customer, body })).body
  const old = {
    day: new Date((todayS - 20 * DAY_S) * 1000).toISOString().slice(0, 10),
    text: 'Three weeks old',
  }
  const { nid: oldNid } = (await app.service.call('POST', `/note?cuid=${cuid}`, { as: customer, body: old }))
    .body
  const member = { email: `viewer-${cuid}@figures.example`, role: 'viewer' }
  await app.service.call('POST', `/customer/${cuid}/member`, { as: customer, body: member })
  const [mail] = await mailsTo(app.service, member.email)
  const { page, context } = await signedInBy(app, { invitation: invitationIn(mail!) })
  await page.goto(`${app.url}/console/statistics`)
  const words = page.getByRole('list', { name: 'Notes' }).locator('.note-words')
  await soon(() => words.allTextContents()).toEqual(['Three weeks old', 'Half price'])
  expect(await page.getByRole('button', { name: /note/i }).count()).toBe(0)
  await page.locator('.plot').click()
  expect(await page.getByRole('dialog').count()).toBe(0)
  // A phone shows two weeks, and says nothing of notes before them; its table has them all.
  await page.setViewportSize({ width: 390, height: 844 })
  await soon(() => words.allTextContents()).toEqual(['Half price'])
  await page.getByRole('button', { name: 'Table' }).click()
  await page.getByRole('list', { name: 'Notes' }).getByText('Three weeks old').waitFor()
  for (const one of [nid, oldNid]) await call('DELETE', `/note/${one}`)
  await context.close()
})

it('two people who change the same note or saved view see both values, and only what was changed is sent', async () => {
  const { page, context, faults } = await signedIn(app, customer.email)
  const day = new Date((todayS - DAY_S) * 1000).toISOString().slice(0, 10)
  const { nid } = (await call('POST', '/note', { day, text: 'Sale', cid: null })).body
  const seen = { range: '28d', figure: 'spend', dimension: 'campaign', cid: null }
  const { vid } = (await call('POST', '/saved-view', { name: 'Mine', every: 'off', mailTo: [], ...seen }))
    .body
  await page.goto(`${app.url}/console/statistics`)
  const conflict = page.getByRole('dialog', { name: 'Someone else changed this in the meantime' })

  await page.getByRole('button', { name: /Sale/ }).first().click()
  await page.getByRole('dialog').getByLabel('Note').fill('Sale begins')
  await call('PUT', `/note/${nid}`, { text: 'Summer sale' })
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await conflict.getByText('Summer sale').waitFor()
  expect(await violations(page)).toEqual([])
  await conflict.getByRole('radio', { name: /Summer sale/ }).check()
  await conflict.getByRole('button', { name: 'Save these values' }).click()
  await conflict.waitFor({ state: 'detached' })
  expect((await call('GET', `/note/${nid}`)).body.text).toBe('Summer sale')

  const views = page.getByRole('navigation', { name: 'Saved views' })
  await views.getByRole('button', { name: /Edit the saved view/ }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Ours')
  const { body: members } = await app.service.call('GET', `/customer/${customer.cuid}/member`, {
    as: customer,
  })
  const mailed = { every: 'weekly', mailTo: [members[0].mid] }
  expect((await call('PUT', `/saved-view/${vid}`, mailed)).status).toBe(200)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await conflict.getByText('Every Monday').waitFor()
  await conflict.getByRole('button', { name: 'Save these values' }).click()
  await views.getByRole('link', { name: 'Ours' }).waitFor()
  expect((await call('GET', `/saved-view/${vid}`)).body).toMatchObject({ name: 'Ours', every: 'weekly' })
  await call('DELETE', `/note/${nid}`)
  await call('DELETE', `/saved-view/${vid}`)
  expect(faults).toEqual([])
  await context.close()
})

it('a view is saved under a name, opens by one click, is mailed to members, renamed and removed', async () => {
  const { page, context, faults } = await signedIn(app, customer.email)
  const dialog = page.getByRole('dialog')
  const views = page.getByRole('navigation', { name: 'Saved views' })
  // Nobody has spent less than nothing: such a filter of an old link is none, and keeps no view from being saved.
  const address =
    '/console/statistics?range=7d&against=weekdays&figure=clicks&dimension=domain&breakdown.q=news'
  await page.goto(`${app.url}${address}&breakdown.from=-1`)
  await page.getByRole('button', { name: 'Save this view' }).press('Enter')
  await dialog.getByLabel('Name').waitFor()
  await page.keyboard.press('Escape')
  await soon(() => page.evaluate('document.activeElement.textContent')).toBe('Save this view')
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Name').fill('News by click')
  await dialog.getByLabel('By email').first().click()
  await page.getByRole('option', { name: 'Every Monday' }).click()
  // Whoever asks for it gets it.
  await soon(() => dialog.getByRole('checkbox', { name: new RegExp(customer.email) }).isChecked()).toBe(true)
  expect(await violations(page, 'color-contrast')).toEqual([])
  await dialog.getByRole('button', { name: 'Save this view' }).click()
  const link = views.getByRole('link', { name: 'News by click' })
  await link.waitFor()
  expect(await link.getAttribute('aria-current')).toBe('page')
  expect(await violationsInBoth(page)).toEqual([])
  const { body: saved } = await call('GET', '/saved-view')
  const { body: members } = await app.service.call('GET', `/customer/${customer.cuid}/member`, {
    as: customer,
  })
  const { mid } = members.find(({ first }: { first: boolean }) => first)
  expect(saved).toMatchObject([
    {
      range: '7d',
      against: 'weekdays',
      figure: 'clicks',
      dimension: 'domain',
      q: 'news',
      spendFrom: null,
      every: 'weekly',
      mailTo: [mid],
    },
  ])

  await page.goto(`${app.url}/console/statistics?from=2026-01-01&to=2026-01-31&against=year`)
  await link.click()
  await page.getByRole('tab', { name: /^Clicks/, selected: true }).waitFor()
  await soon(() => page.getByRole('searchbox').inputValue()).toBe('news')
  expect(page.url()).toContain('range=7d')
  expect(page.url()).toContain('against=weekdays')
  expect(page.url()).not.toContain('2026-01-01')
  await views.getByRole('button', { name: /Edit the saved view/ }).click()
  await dialog.getByLabel('Name').fill('News')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await views.getByRole('link', { name: 'News', exact: true }).waitFor()
  await views.getByRole('button', { name: /Edit the saved view/ }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await views.waitFor({ state: 'detached' })
  expect((await call('GET', '/saved-view')).body).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).dblclick()
  await views.getByRole('link', { name: 'News', exact: true }).waitFor()
  const { body: back } = await call('GET', '/saved-view')
  expect(back).toHaveLength(1)
  const { vid: _, created: _c, updated: _u, ...kept } = saved[0]
  expect(back[0]).toMatchObject({ ...kept, name: 'News' })
  await call('DELETE', `/saved-view/${back[0].vid}`)
  expect(faults).toEqual([])
  await context.close()
})

it('today is compared with the same hours of another day, says so, and the choice is in the address', async () => {
  await count(tree, 30, 0, 0, todayS - DAY_S)
  // Late yesterday: more than all of today.
  await count(tree, 900, 0, 0, todayS - 1)
  await count(tree, 20, 0, 0, todayS - 7 * DAY_S)
  const { page, context } = await signedIn(app, customer.email)
  const day = (startS: number) =>
    new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(startS * 1000)
  const legend = page.locator('.legend')
  const change = (ago: number) =>
    soon(async () => {
      const days = `start=${todayS}&end=${todayS + DAY_S}`
      const before = `previousStart=${todayS - ago * DAY_S}&previousEnd=${todayS - (ago - 1) * DAY_S}`
      const { body } = await call('GET', `/stats/${customer.cuid}/figures?${days}&${before}`)
      const { soFar, summary } = body.previous
      const wanted = `${((soFar.imps / summary.imps - 1) * 100).toFixed(1).replace(/\.0$/, '')}%`
      const shown = await page
        .getByRole('tab', { name: /^Impressions/ })
        .locator('.delta')
        .textContent()
      return [wanted, shown?.startsWith(wanted) && shown.includes('more than')]
    })
  await page.goto(`${app.url}/console/statistics?range=today&figure=imps`)
  await legend.getByText(`Compared with ${day(todayS - DAY_S)}, both until `).waitFor()
  await change(1).toEqual([expect.any(String), true])

  await page.getByRole('button', { name: /^Today/ }).click()
  const choices = page.getByRole('dialog')
  await choices.getByRole('button', { name: 'Same weekdays' }).click()
  await legend.getByText(`Compared with ${day(todayS - 7 * DAY_S)}, both until `).waitFor()
  await change(7).toEqual([expect.any(String), true])
  expect(await violations(page)).toEqual([])
  await choices.getByLabel('Compare with as many days from').fill('2026-01-05')
  await legend.getByText('Compared with Jan 5, 2026, both until ').waitFor()
  // Another period, and another page, are compared in the same way; a link shows the same.
  await choices.getByRole('button', { name: 'Year before' }).click()
  await choices.getByRole('button', { name: 'Yesterday' }).click()
  const aYearBefore = new Date((todayS - DAY_S) * 1000)
  aYearBefore.setUTCFullYear(aYearBefore.getUTCFullYear() - 1)
  const compared = legend.getByText(`Compared with ${day(aYearBefore.getTime() / 1000)}`, { exact: true })
  await compared.waitFor()
  await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
  await compared.waitFor()
  await page.reload()
  await compared.waitFor()
  await page.getByRole('button', { name: /^Yesterday/ }).click()
  await choices.getByRole('button', { name: 'Nothing' }).click()
  await compared.waitFor({ state: 'detached' })
  await context.close()
})
