// The attributes of an app in the console of its staff: declared, changed and deleted, also while personas target them,
// and the places where the bid requests of a source have them.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { livingAppId } from '../../src/identity/apps.ts'
import { addStaff } from '../../src/identity/staff/staff.ts'
import { passcodeFor } from '../support/console.ts'
import {
  buildTree,
  type Console,
  signedInAsStaff,
  signedInBy,
  startConsole,
  tooSmall,
  violations,
  violationsInBoth,
} from './console-page.ts'

let app: Console
beforeAll(async () => {
  app = await startConsole()
})
afterAll(() => app?.close())

const STILL = { reducedMotion: 'reduce' } as const
const read = async (key: string) => (await app.service.call('GET', `/attribute/${key}`)).body

it('staff declare an attribute, learn which field is wrong, and take away what a persona targets only after they have seen by whom', async () => {
  app.asks('PUT /attribute/history 400', 'PUT /attribute/section 409')
  const { page, context, faults } = await signedInAsStaff(app, STILL)
  await page.goto(`${app.url}/console/attributes`)
  await page.getByText('No attributes yet').waitFor()
  await page.getByRole('button', { name: 'New attribute' }).click()
  const dialog = page.getByRole('dialog')
  const key = dialog.getByRole('textbox', { name: 'Key' })
  const declare = dialog.getByRole('button', { name: 'Declare attribute' })
  await dialog.getByRole('textbox', { name: 'Values' }).fill('sport = Sport pages\nnews\na=b = A is B')
  await key.fill('Section!')
  await declare.click()
  await dialog.getByText('A key begins with a small letter.', { exact: false }).waitFor()
  await key.fill('history')
  await declare.click()
  await dialog.getByText('“history” cannot be a key.', { exact: false }).waitFor()
  expect(await key.getAttribute('aria-invalid')).toBe('true')
  expect(await violationsInBoth(page)).toEqual([])
  await key.fill('section')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Section')
  await dialog.getByRole('switch', { name: 'Pages may say it' }).check()
  await declare.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'Sport pages, news, A is B' }).waitFor()
  expect(await read('section')).toMatchObject({
    label: 'Section',
    kind: 'choice',
    choices: [
      { value: 'sport', label: 'Sport pages' },
      { value: 'news', label: 'news' },
      { value: 'a=b', label: 'A is B' },
    ],
    appOnly: false,
    fromPublic: true,
  })
  await page.getByRole('button', { name: 'New attribute' }).click()
  await key.fill('section')
  await declare.click()
  await dialog.getByText('There is an attribute with this key.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()

  const customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
  const { cid, pid } = await buildTree(app, customer, 'Spring bikes')
  const targeted = await app.service.call('PUT', `/campaign/${cid}/persona/${pid}?cuid=${customer.cuid}`, {
    as: customer,
    body: { attributes: { section: { any: ['sport'] } } },
  })
  expect(targeted.status, targeted.text).toBe(200)
  const use = `persona ${pid} (customer ${customer.cuid}, campaign ${cid})`
  await page.getByRole('button', { name: 'Edit Section' }).click()
  await dialog.getByText(use, { exact: false }).waitFor()
  await dialog.getByRole('textbox', { name: 'Values' }).fill('news\na=b = A is B')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.getByRole('button', { name: 'Save anyway' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await read('section')).choices.map((one: { value: string }) => one.value)).toEqual(['news', 'a=b'])
  await page.getByText('changed Section: Values').waitFor()

  await page.getByRole('button', { name: 'Delete Section' }).click()
  await dialog.getByText(use, { exact: false }).waitFor()
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Delete anyway' }).click()
  await page.getByText('No attributes yet').waitFor()
  expect((await app.service.call('GET', '/attribute')).body).toEqual([])
  expect(faults).toEqual([])
  await context.close()
})

it('staff say where the bid requests of a source have an attribute; support reads both and changes none', async () => {
  app.asks('PUT /source/:id 400')
  await app.service.call('PUT', '/attribute/tags', { body: { kind: 'words', label: 'Tags' } })
  const made = await app.service.call('POST', '/source', {
    body: { kind: 'site', name: 'weekly', domain: 'weekly.example' },
  })
  const { sourceId } = made.body
  const { page, context, faults } = await signedInAsStaff(app, STILL)
  await page.goto(`${app.url}/console/sources/${sourceId}`)
  await page.getByRole('button', { name: 'Edit weekly' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Add the places of an attribute' }).click()
  await page.getByRole('option', { name: 'Tags' }).click()
  const places = dialog.getByLabel('Places of tags').first()
  await places.fill('site.data.tags')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.getByText('This does not have the expected format.').waitFor()
  await places.press('Backspace')
  for (const place of ['keywords', 'content.data.iris.example']) {
    await places.fill(place)
    await page.keyboard.press('Enter')
  }
  await dialog.getByRole('textbox', { name: 'Name' }).focus()
  await page.getByRole('option').first().waitFor({ state: 'hidden' })
  expect(await violationsInBoth(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('tags is read from keywords, content.data.iris.example.').waitFor()
  const { body } = await app.service.call('GET', `/source/${sourceId}`)
  expect(body.attributes).toEqual({ tags: ['keywords', 'content.data.iris.example'] })
  expect(faults).toEqual([])
  await context.close()

  const email = 'support@declared.example'
  const appId = await livingAppId(app.service.db, 'default')
  await addStaff(app.service.db, appId, { email, name: null, role: 'support' }, app.service.clock)
  const support = await signedInBy(app, { email, ...(await passcodeFor(app.service, email)) })
  await support.page.goto(`${app.url}/console/attributes`)
  await support.page.getByRole('cell', { name: 'Tags', exact: true }).waitFor()
  expect(await support.page.getByRole('button', { name: /New attribute|Edit|Delete/ }).count()).toBe(0)
  expect(support.faults).toEqual([])
  await support.context.close()
})

it('on a phone and in German, the page has cards that fit, with targets of 44 px', async () => {
  const choices = Array.from({ length: 200 }, (_, number) => ({ value: `rubrik ${number}` }))
  await app.service.call('PUT', '/attribute/rubrik', { body: { kind: 'choice', choices } })
  const phone = { ...STILL, locale: 'de-DE', viewport: { width: 320, height: 640 } }
  const { page, context, faults } = await signedInAsStaff(app, phone)
  await page.goto(`${app.url}/console/attributes`)
  await page.getByRole('button', { name: 'rubrik bearbeiten' }).waitFor()
  const wide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  expect([await violations(page), await tooSmall(page), wide]).toEqual([[], [], 0])
  expect(faults).toEqual([])
  await context.close()
})
