// Publishers in the console, for the staff of an app: listed with their figures, added, edited, checked, renewed and
// revoked.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { livingAppId, provisionApp } from '../../src/identity/apps.ts'
import { addStaff } from '../../src/identity/staff/staff.ts'
import { addSource } from '../../src/manage/sources/sources.ts'
import type { Fetched } from '../../src/platform/safe-fetch.ts'
import { newAdvertiser } from '../support/banners.ts'
import { passcodeFor } from '../support/console.ts'
import { recordEvents } from '../support/stats.ts'
import {
  type Console,
  signedInAsStaff,
  signedInBy,
  startConsole,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
const files = new Map<string, Fetched>()
beforeAll(async () => {
  const siteFiles = async (domain: string): Promise<Fetched> =>
    files.get(domain) ?? { ok: false, why: 'unreachable' }
  app = await startConsole({}, undefined, { siteFiles })
})
afterAll(() => app?.close())

const STILL = { reducedMotion: 'reduce' } as const
/** The cells of a row by the titles of their columns. */
async function cellsOf(page: Page, name: string): Promise<Record<string, string>> {
  const table = page.getByRole('table')
  const titles = await table.getByRole('columnheader').allInnerTexts()
  const row = table.getByRole('row').filter({ hasText: name })
  const cells = await row.getByRole('cell').allInnerTexts()
  return Object.fromEntries(titles.map((title, at) => [title.trim(), cells[at]!]))
}

it('publishers are a table: requests, fill, eCPM and earnings of today, their sum, and a dash where there is no base', async () => {
  const { db, clock } = app.service
  const add = (name: string) => addSource(db, { kind: 'site', name, domain: `${name}.example` }, clock)
  const [busy, quiet] = [await add('weekly'), await add('quiet')]
  const { cuid, cid, pid } = await newAdvertiser(app.service)
  const ad = { kind: 'impression', cuid, cid, pid, fid: cid, bid: pid, spendMicros: 2_000 } as const
  const atMs = clock.nowMs()
  await recordEvents(
    db,
    [1, 2, 3].map(adNumber => ({ ...ad, atMs, adNumber })),
  )
  await db.run('update event set source_id = $1', [busy.sourceId])
  const asked = "insert into source_outcome values ($1, $2, 'requested', $3)"
  await db.run(asked, [busy.sourceId, new Date(atMs), 1_200])
  await db.run(asked, [quiet.sourceId, new Date(atMs), 300])
  const { page, context } = await signedInAsStaff(app, STILL)
  await page.goto(`${app.url}/console/sources`)
  await page.getByRole('link', { name: 'weekly' }).waitFor()
  const figures = { Requests: '1,200', Impressions: '3', Fill: '0.25%', eCPM: '$2.00', Earnings: '$0.01' }
  expect(await cellsOf(page, 'weekly')).toEqual({ Name: 'weekly', Kind: 'Site', ...figures })
  const none = { Requests: '300', Impressions: '0', Fill: '0.00%', eCPM: '–', Earnings: '$0.00' }
  expect(await cellsOf(page, 'quiet')).toMatchObject(none)
  expect(await cellsOf(page, 'Total')).toMatchObject({ ...figures, Requests: '1,500', Fill: '0.20%' })
  expect(await violationsInBoth(page)).toEqual([])
  await page.getByRole('button', { name: 'Requests' }).click()
  expect(await page.getByRole('table').getByRole('link').first().textContent()).toBe('weekly')
  await context.close()
})

/** How far a page reaches beyond the screen, sideways. */
const overhang = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
const named = async (name: string) =>
  (await app.service.call('GET', '/source')).body.find((source: { name: string }) => source.name === name)

it('staff add a site, see its secret once, check its domain, edit, renew and revoke it, by questions that say what stops', async () => {
  app.asks('POST /source 400')
  const { page, context, elsewhere, faults } = await signedInAsStaff(app, STILL)
  await page.goto(`${app.url}/console/sources`)
  await page.getByRole('button', { name: 'New publisher' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Daily')
  await dialog.getByRole('textbox', { name: 'Domain' }).fill('https://daily.example/')
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Add publisher' }).click()
  await dialog.getByText('Enter the domain alone, such as news.example.').waitFor()
  await dialog.getByRole('textbox', { name: 'Domain' }).fill('daily.example')
  await dialog.getByRole('button', { name: 'Add publisher' }).click()
  const secret = (await dialog.getByText(/^mqv/).textContent())!
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  const table = page.getByRole('table')
  await table.getByRole('link', { name: 'Daily', exact: true }).click()
  const panel = page.getByRole('main')
  await panel.getByText('Domain not checked').waitFor()
  expect(await page.content()).not.toContain(secret)

  const check = panel.getByRole('button', { name: 'Check the domain of Daily' })
  await check.click()
  await panel.getByText('The domain could not be reached.').waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  const { key, sourceId } = await named('Daily')
  files.set('daily.example', { ok: true, bytes: Buffer.from(key) })
  await check.click()
  await panel.getByText(/^Domain checked on /).waitFor()

  await panel.getByRole('button', { name: 'Edit Daily' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Daily news')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Saved.').waitFor()
  expect((await named('Daily news')).sourceId).toBe(sourceId)

  await page.getByRole('button', { name: 'Renew a key of Daily news' }).click()
  await dialog
    .getByText('Tags that still have the current key show no ads from then on.', { exact: true })
    .waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Renew key' }).click()
  await dialog.getByText(/^The previous key stops on /).waitFor()
  const renewed = await named('Daily news')
  expect(renewed.key).not.toBe(key)
  expect(renewed.oldKeyUntil).toBeGreaterThan(renewed.created + 80_000)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: 'Renew a key of Daily news' }).click()
  await dialog.getByText('The secret key of its servers').click()
  await dialog.getByText('stops at once').click()
  await dialog.getByRole('button', { name: 'Renew key' }).click()
  expect(await dialog.getByText(/^mqv/).textContent()).not.toBe(secret)
  await dialog.getByText('The previous key has stopped.', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'I have saved it' }).click()

  await page.getByRole('button', { name: 'Revoke Daily news' }).click()
  await dialog
    .getByText('Within a second, its tags and servers stop getting ads.', { exact: false })
    .waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Daily news is revoked.').waitFor()
  await table.waitFor()
  await table.getByRole('link', { name: 'Daily news', exact: true }).waitFor({ state: 'detached' })
  expect(await named('Daily news')).toBeUndefined()
  expect(elsewhere).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

it('an exchange is added and renewed in German on a phone, by keyboard, without sideways scrolling', async () => {
  const phone = { ...STILL, locale: 'de-DE', viewport: { width: 390, height: 844 } }
  const { page, context } = await signedInAsStaff(app, phone)
  await page.goto(`${app.url}/console/sources`)
  await page.getByRole('button', { name: 'Neuer Publisher' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Eine Website, mit unserem Tag in ihren Seiten' }).focus()
  await page.keyboard.press('ArrowDown')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Börse')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await dialog.getByRole('switch', { name: 'Kampagnen mit Klickpreis dürfen mitbieten' }).focus()
  await page.keyboard.press('Space')
  expect([await violations(page), await overhang(page)]).toEqual([[], 0])
  await dialog.getByRole('textbox', { name: 'Name' }).press('Enter')
  await dialog.getByText(/\/openrtb2\/bid\/mqx/).waitFor()
  expect([await violations(page), await overhang(page)]).toEqual([[], 0])
  await dialog.getByRole('button', { name: /gesichert|gespeichert/ }).click()
  expect(await named('Börse')).toMatchObject({ kind: 'exchange', billsOn: 'pixel', allowsCpc: true })
  await page.getByRole('list', { name: 'Publisher' }).getByRole('link', { name: 'Börse' }).click()
  await page.getByRole('button', { name: 'Einen Schlüssel von Börse erneuern' }).click()
  await dialog.getByText('Gebotsanfragen an die jetzige Gebots-URL', { exact: false }).waitFor()
  expect([await violations(page), await overhang(page)]).toEqual([[], 0])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect([await violations(page), await overhang(page)]).toEqual([[], 0])
  await context.close()
})

it('support reads publishers and changes none, and so does an app that may not', async () => {
  const email = 'support@sources.example'
  const appId = await livingAppId(app.service.db, 'default')
  await addStaff(app.service.db, appId, { email, name: null, role: 'support' }, app.service.clock)
  const support = await signedInBy(app, { email, ...(await passcodeFor(app.service, email)) })
  const read = async (page: Page) => {
    await page.goto(`${app.url}/console/sources`)
    await page.getByText('The operator registers them.', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'New publisher' }).count()).toBe(0)
    await page.getByRole('table').getByRole('link', { name: 'weekly' }).click()
    await page.getByText('Public key').first().waitFor()
    expect(await page.getByRole('button', { name: /New publisher|Edit|Renew|Revoke|Check/ }).count()).toBe(0)
  }
  await read(support.page)
  await support.context.close()
  await provisionApp(app.service.db, 'default', { sources: false })
  const staff = await signedInAsStaff(app)
  await read(staff.page)
  await staff.context.close()
  await provisionApp(app.service.db, 'default', { sources: true })
})
