// Attributes in the console: what the app has declared can be targeted, in both languages, and nothing is lost.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import { buildTree, type Console, signedIn, soon, startConsole, type Tree } from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
let tree: Tree
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
  tree = await buildTree(app, customer, 'Spring bikes')
  const choices = [
    { value: 'sport', label: 'Sport pages' },
    { value: 'news', label: 'News pages' },
  ]
  await declare('section', { kind: 'choice', label: 'Section', choices })
  await declare('tags', { kind: 'words', label: 'Tags' })
  await declare('price', { kind: 'number', label: 'Price' })
})
afterAll(() => app?.close())

const declare = (key: string, body: object) => app.service.call('PUT', `/attribute/${key}`, { body })
const wanted = async () => {
  const path = `/campaign/${tree.cid}/persona/${tree.pid}?cuid=${customer.cuid}`
  return (await app.service.call('GET', path, { as: customer })).body.attributes
}

it.each([
  { locale: 'en-US', add: 'Add an attribute', oneOf: 'One of', from: 'from', save: 'Save changes' },
  {
    locale: 'de-DE',
    add: 'Attribut hinzufügen',
    oneOf: 'Eines von',
    from: 'von',
    save: 'Änderungen speichern',
  },
])('in $locale, a choice, words and a number are added, saved and shown again', async words => {
  const path = `/campaign/${tree.cid}/persona/${tree.pid}?cuid=${customer.cuid}`
  await app.service.call('PUT', path, { as: customer, body: { attributes: null } })
  const { page, context } = await signedIn(app, customer.email, { locale: words.locale })
  await page.goto(`${app.url}/console/campaigns/${tree.cid}/personas/${tree.pid}?tab=targeting`)
  const add = async (label: string) => {
    await page.getByRole('combobox', { name: words.add }).click()
    await page.getByRole('option', { name: label, exact: true }).click()
  }
  await add('Section')
  await page.getByLabel(`Section: ${words.oneOf}`).first().click()
  await page.getByRole('option', { name: 'Sport pages' }).click()
  await page.keyboard.press('Escape')
  await add('Tags')
  await page.getByLabel(`Tags: ${words.oneOf}`).first().fill('Tents')
  await page.keyboard.press('Enter')
  await add('Price')
  await page.getByLabel(`Price: ${words.from}`).fill('10')
  await page.getByRole('button', { name: words.save }).click()
  const all = { price: { min: 10 }, section: { any: ['sport'] }, tags: { any: ['tents'] } }
  await soon(async () => expect(await wanted()).toEqual(all))
  await page.reload()
  await soon(async () => expect(await page.getByText('Sport pages').count()).toBeGreaterThan(0))
  expect(await page.getByLabel(`Price: ${words.from}`).inputValue()).toBe('10')
  await context.close()
})
