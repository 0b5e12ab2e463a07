// Forms of the console: amounts mean what was meant, nothing typed is lost, and nobody's change is overwritten.

import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import {
  buildTree,
  type Console,
  openAsStaff,
  signedIn,
  soon,
  startConsole,
  type Tree,
} from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
let tree: Tree
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
  tree = await buildTree(app, customer, 'Spring bikes')
  // Five thousand a day are not unusual here.
  const { cid } = await buildTree(app, customer, 'Large bikes')
  await edit(`/campaign/${cid}`, { dailySpend: 500 })
})
afterAll(() => app?.close())

const read = async (path: string) =>
  (await app.service.call('GET', `${path}?cuid=${customer.cuid}`, { as: customer })).body
const edit = (path: string, body: object) =>
  app.service.call('PUT', `${path}?cuid=${customer.cuid}`, { as: customer, body })

async function settings(page: Page): Promise<void> {
  await page.goto(`${app.url}/console/campaigns/${tree.cid}?tab=settings`)
}

/** As from the clipboard: all at once. */
async function paste(field: Locator, text: string): Promise<void> {
  await field.focus()
  await field.page().keyboard.press('Control+a')
  await field.page().keyboard.insertText(text)
}

async function type(field: Locator, text: string): Promise<void> {
  await field.focus()
  await field.page().keyboard.press('Control+a')
  await field.page().keyboard.type(text)
}

/** Keeps changes of the campaign on their way until the function that it returns is called. */
async function holdSaves(page: Page): Promise<() => void> {
  let letGo = () => {}
  const held = new Promise<void>(resolve => {
    letGo = resolve
  })
  await page.route(`**/campaign/${tree.cid}?*`, async route => {
    if (route.request().method() === 'PUT') await held
    await route.continue()
  })
  return letGo
}

describe.each([
  { locale: 'en-US', label: 'Daily budget', save: 'Save changes' },
  { locale: 'de-DE', label: 'Tagesbudget', save: 'Änderungen speichern' },
])('amounts in $locale', ({ locale, label, save }) => {
  it('typed or pasted mean what was meant, are shown as understood, and nothing else is saved', async () => {
    app.asks('PUT /campaign/:id 400')
    const { page, context } = await signedIn(app, customer.email, { locale })
    await settings(page)
    const field = page.getByLabel(label)
    const group = locale === 'en-US' ? ',' : '.'
    const decimal = locale === 'en-US' ? '.' : ','
    const meant: [string, number][] = [
      [`1${group}000`, 1000],
      ['1.000,50', 1000.5],
      ['1,000.25', 1000.25],
      ['61,5', 61.5],
      ['72.5', 72.5],
    ]
    for (const enter of [type, paste]) {
      for (const [text, value] of meant) {
        await enter(field, text)
        const shown = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' }).format(value)
        await page.getByText(`= ${shown}`, { exact: false }).waitFor()
        await page.getByRole('button', { name: save }).click()
        const saving = async () => [text, (await read(`/campaign/${tree.cid}`)).dailySpend]
        await soon(saving).toEqual([text, value])
      }
    }
    await edit(`/campaign/${tree.cid}`, { dailySpend: 7 })
    await settings(page)
    for (const text of [`1${decimal}000`, '1e3', '-5', 'fifty', '1.2.3', '5 €', '£5', 'EUR 5']) {
      await paste(field, text)
      await page.getByRole('button', { name: save }).click()
      await soon(() => field.getAttribute('aria-invalid')).toBe('true')
      expect([text, (await read(`/campaign/${tree.cid}`)).dailySpend]).toEqual([text, 7])
    }
    await context.close()
  })
})

it.each([
  {
    locale: 'en-US',
    cap: 'Frequency cap',
    price: 'Price per 1,000',
    whole: 'Write a whole number.',
    like: 'Write it like 1,000.',
    between: 'between 0 and 1,000,000',
    amount: 'from $0.01 to $1,000,000.00',
    currency: 'Amounts here are in US dollars.',
  },
  {
    locale: 'de-DE',
    cap: 'Frequency Cap',
    price: 'Preis pro 1.000',
    whole: 'Geben Sie eine ganze Zahl an.',
    like: 'Schreiben Sie sie so: 1.000.',
    between: 'von 0 bis 1.000.000',
    amount: 'von 0,01\u00a0$ bis 1.000.000,00\u00a0$',
    currency: 'Beträge stehen hier in US-Dollar.',
  },
])(
  'what a field cannot take is said when it is left, with an example that it takes ($locale)',
  async words => {
    const { page, context } = await signedIn(app, customer.email, { locale: words.locale })
    await settings(page)
    const [cap, price] = [page.getByLabel(words.cap), page.getByLabel(words.price)]
    for (const [field, text, said] of [
      [cap, '2.5', words.whole],
      [cap, 'three', words.like],
      [cap, '-5', words.between],
      [cap, '99999999', words.between],
      [price, '0', words.amount],
      [price, '99999999', words.amount],
      [price, '5 €', words.currency],
    ] as const) {
      await paste(field, text)
      await field.blur()
      await soon(async () => [text, await field.getAttribute('aria-invalid')]).toEqual([text, 'true'])
      await page.getByText(said).first().waitFor()
    }
    await context.close()
  },
)

it.each([
  { locale: 'en-US', payFor: 'Pay for', clicks: 'Clicks', price: 'Price per click', save: 'Save changes' },
  {
    locale: 'de-DE',
    payFor: 'Bezahlen für',
    clicks: 'Klicks',
    price: 'Preis pro Klick',
    save: 'Änderungen speichern',
  },
])(
  'a campaign is paid by click once it has a price for it, and by impression again ($locale)',
  async words => {
    app.asks('PUT /campaign/:id 400')
    const { page, context } = await signedIn(app, customer.email, { locale: words.locale })
    await settings(page)
    const priced = async () => {
      const { pricing, cpc } = await read(`/campaign/${tree.cid}`)
      return { pricing, cpc }
    }
    const save = () => page.getByRole('button', { name: words.save }).click()
    await page.getByRole('combobox', { name: words.payFor }).click()
    await page.getByRole('option', { name: words.clicks, exact: true }).click()
    await save()
    const field = page.getByLabel(words.price)
    await soon(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await priced()).toEqual({ pricing: 'cpm', cpc: null })
    await type(field, words.locale === 'de-DE' ? '0,35' : '0.35')
    await save()
    await soon(priced).toEqual({ pricing: 'cpc', cpc: 0.35 })
    await edit(`/campaign/${tree.cid}`, { pricing: 'cpm' })
    await context.close()
  },
)

it('a budget of more than ten times the usual is asked about before it is saved', async () => {
  await edit(`/campaign/${tree.cid}`, { dailySpend: 50 })
  const { page, context } = await signedIn(app, customer.email, { locale: 'en-US' })
  await settings(page)
  const save = page.getByRole('button', { name: 'Save changes' }).first()
  const question = page.getByRole('dialog', { name: '$5,001.00 a day?' })
  const saved = async () => (await read(`/campaign/${tree.cid}`)).dailySpend
  await type(page.getByLabel('Daily budget'), '5,001')
  await save.click()
  await question.getByText('usual daily budget of $500.00').waitFor()
  await question.getByRole('button', { name: 'Change budget' }).click()
  await question.waitFor({ state: 'detached' })
  expect(await saved()).toBe(50)
  await save.click()
  await question.getByRole('button', { name: 'Save changes' }).click()
  await soon(saved).toBe(5001)
  await edit(`/campaign/${tree.cid}`, { dailySpend: 50 })
  await context.close()
})

it('dates typed by hand mean what was typed, digit by digit', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'en-US' })
  const digits = async (field: Locator, typed: string) => {
    await field.focus()
    await page.keyboard.type(typed)
    return field.inputValue()
  }
  await settings(page)
  expect(await digits(page.getByLabel('End'), '030520311045PM')).toBe('2031-03-05T22:45')
  await page.getByText('= Wed, Mar 5, 2031, 10:45 PM').waitFor()
  await page.goto(`${app.url}/console/statistics`)
  await page.getByRole('button', { name: 'Last 28 days' }).click()
  const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
  // The earlier end first: until the start is typed, it is after the end.
  expect(await digits(to, '03312025')).toBe('2025-03-31')
  await page.getByText('Choose a period that begins before it ends.').waitFor()
  expect(await digits(from, '03012025')).toBe('2025-03-01')
  expect(await to.inputValue()).toBe('2025-03-31')
  await soon(() => page.url()).toContain('from=2025-03-01&to=2025-03-31')
  // The browser's language stays; the words are of the console's.
  await page.evaluate(`localStorage.setItem('marquee-language', 'de')`)
  await settings(page)
  await page.getByLabel('Ende').fill('2031-03-05T22:45')
  await page.getByText('= Mi., 5. März 2031, 22:45').waitFor()
  await context.close()
})

it('Back closes a menu, a popover or the list of a field, and leaves the page where it is', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'en-US' })
  await page.goto(`${app.url}/console/statistics`)
  const closes = async (opened: Locator) => {
    await opened.waitFor()
    const address = page.url()
    await page.goBack()
    await opened.waitFor({ state: 'hidden' })
    await soon(() => page.url()).toBe(address)
  }
  const isFocused = (opener: Locator) => soon(() => opener.evaluate(one => one.matches(':focus')))
  const press = async (name: string | RegExp) => {
    const opener = page.getByRole('button', { name })
    await opener.click()
    return () => isFocused(opener).toBe(true)
  }
  await page.getByRole('link', { name: 'Campaigns' }).first().click()
  await page.getByRole('link', { name: 'Spring bikes' }).waitFor()
  for (const [name, opened] of [
    ['Filters', page.getByRole('dialog', { name: 'Filters' })],
    ['Columns', page.getByRole('dialog', { name: 'Columns' })],
    [/^Edit the budget of Spring bikes/, page.getByRole('dialog', { name: 'Daily budget of Spring bikes' })],
    ['Account', page.getByRole('menu')],
  ] as const) {
    const isBack = await press(name)
    await closes(opened)
    await isBack()
  }
  await page.getByRole('link', { name: 'Spring bikes' }).click()
  for (const [name, opened] of [
    [/^Last 28 days/, page.getByRole('dialog', { name: /^Last 28 days/ })],
    ['More actions', page.getByRole('menu')],
  ] as const) {
    const isBack = await press(name)
    await closes(opened)
    await isBack()
  }
  await page.getByRole('tab', { name: 'Settings' }).click()
  const field = page.getByRole('combobox', { name: 'Pay for' })
  await field.click()
  await closes(page.getByRole('listbox', { name: 'Pay for' }))
  await isFocused(field).toBe(true)
  await page.goBack()
  // With nothing open, it leads back.
  await soon(() => page.url()).not.toContain('tab=settings')
  await context.close()
})

it('what was refused is said in words, and no more of a field that was corrected', async () => {
  app.asks('PUT /campaign/:id 400')
  const { page, context } = await signedIn(app, customer.email, { locale: 'en-US' })
  await settings(page)
  const save = page.getByRole('button', { name: 'Save changes' }).first()
  const isWrong = (label: string) => page.getByLabel(label).first().getAttribute('aria-invalid')
  const above = page.getByRole('alert').filter({ hasText: 'Please check' })
  const [name, budget] = [page.getByLabel('Name').first(), page.getByLabel('Daily budget')]
  await name.fill('')
  await budget.fill('')
  await save.click()
  await above.waitFor()
  expect(await page.getByText('Please fill this in.').count()).toBe(2)
  await name.fill('Spring bikes')
  await soon(() => isWrong('Name')).toBe(null)
  expect([await isWrong('Daily budget'), await above.count()]).toEqual(['true', 1])
  await budget.fill('50')
  await soon(() => isWrong('Daily budget')).toBe(null)
  expect(await above.count()).toBe(0)
  // An end is too early for a start: either corrects it.
  const first = await page.getByLabel('Start').inputValue()
  await page.getByLabel('Start').fill('2096-01-01T10:00')
  await save.click()
  await above.waitFor()
  await page.getByLabel('Start').fill(first)
  await above.waitFor({ state: 'detached' })
  expect([await isWrong('Start'), await isWrong('End')]).toEqual([null, null])
  await context.close()
})

it('what is typed while a save is on its way stays, and can be saved next', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'en-US' })
  await settings(page)
  const field = page.getByLabel('Daily budget')
  const letGo = await holdSaves(page)
  await type(field, '81')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await type(field, '92')
  letGo()
  await soon(async () => (await read(`/campaign/${tree.cid}`)).dailySpend).toBe(81)
  await page.getByText('saved', { exact: false }).first().waitFor()
  expect(await field.inputValue()).toBe('92')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await soon(async () => (await read(`/campaign/${tree.cid}`)).dailySpend).toBe(92)
  await context.close()
})

it('who leaves while a save is on its way is asked, and goes on by themselves once it has arrived', async () => {
  const { page, context } = await signedIn(app, customer.email, { locale: 'en-US' })
  await settings(page)
  const letGo = await holdSaves(page)
  await type(page.getByLabel('Daily budget'), '83')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('link', { name: 'Statistics' }).first().click()
  const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
  await leave.waitFor()
  letGo()
  await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor()
  await leave.waitFor({ state: 'hidden' })
  expect((await read(`/campaign/${tree.cid}`)).dailySpend).toBe(83)
  await context.close()
})

describe('unsaved input', () => {
  it('asks before a link, a tab of the page or Back leaves it, and stays as it was', async () => {
    const { page, context } = await signedIn(app, customer.email)
    await page.goto(`${app.url}/console/campaigns`)
    await page.getByRole('link', { name: 'Spring bikes' }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    const name = page.getByLabel('Name')
    await name.fill('Half typed')
    const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
    const ways = [
      () => page.getByRole('link', { name: 'Statistics' }).first().click(),
      () => page.getByRole('tab', { name: 'History' }).click(),
      () => page.goBack(),
      async () => {
        await page.getByRole('button', { name: 'Account' }).click()
        await page.getByRole('menuitem', { name: 'Deutsch' }).click()
      },
    ]
    for (const way of ways) {
      await way()
      await leave.getByRole('button', { name: 'Stay here' }).click()
      await leave.waitFor({ state: 'hidden' })
      expect(await name.inputValue()).toBe('Half typed')
    }
    await page.getByRole('link', { name: 'Statistics' }).first().click()
    await leave.getByRole('button', { name: 'Leave without saving' }).click()
    await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor()
    await context.close()
  })

  it('asks before a reload or closing the tab, and only then', async () => {
    const { page, context } = await signedIn(app, customer.email)
    const asked: string[] = []
    page.on('dialog', dialog => {
      asked.push(dialog.type())
      dialog.accept()
    })
    await settings(page)
    await page.getByLabel('Name').waitFor()
    await page.reload()
    expect(asked).toEqual([])
    await page.getByLabel('Name').fill('Half typed')
    await page.reload()
    expect(asked).toEqual(['beforeunload'])
    await context.close()
  })

  it('in a dialog is not lost by Escape', async () => {
    const { page, context } = await signedIn(app, customer.email)
    await page.goto(`${app.url}/console/campaigns`)
    await page.getByRole('link', { name: 'Spring bikes' }).click()
    await page.getByRole('tab', { name: 'Flights' }).click()
    await page.getByRole('button', { name: 'New flight' }).click()
    const form = page.getByRole('dialog', { name: 'New flight' })
    await form.getByLabel('Name').fill('Half typed')
    await page.keyboard.press('Escape')
    const discard = page.getByRole('dialog', { name: 'Discard your changes?' })
    await discard.getByRole('button', { name: 'Stay here' }).click()
    // At once, while the question is still going away.
    await page.keyboard.press('Escape')
    expect(await form.getByLabel('Name').inputValue()).toBe('Half typed')
    // By Back neither, nor the page beneath it: the first closes the question, the next asks again.
    const address = page.url()
    await page.goBack()
    await discard.waitFor({ state: 'hidden' })
    await page.goBack()
    await discard.waitFor()
    expect([await form.getByLabel('Name').inputValue(), page.url()]).toEqual(['Half typed', address])
    await discard.getByRole('button', { name: 'Discard' }).click()
    await form.waitFor({ state: 'hidden' })
    await context.close()
  })

  it('such as a new secret cannot be closed by accident', async () => {
    const { page, context } = await openAsStaff(app)
    await page.getByRole('button', { name: 'New customer' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Company').fill('Once Ltd')
    await dialog.getByLabel('Email').fill('once@bikes.example')
    await dialog.getByRole('button', { name: 'Create customer' }).click()
    const token = dialog.getByText(/^mqct_/)
    await token.waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    const ending = `dispatchEvent(new Event('beforeunload', { cancelable: true }))`
    expect(await page.evaluate<boolean>(ending)).toBe(false)
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
    expect(await token.isVisible()).toBe(true)
    await dialog.getByRole('button', { name: 'I have saved them' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await context.close()
  })

  it('survives a file dropped beside its zone', async () => {
    const { page, context } = await signedIn(app, customer.email)
    await page.goto(`${app.url}/console/create`)
    await page.getByRole('heading', { name: '3. Banners' }).waitFor()
    const prevented = await page.evaluate<boolean[]>(`['dragover', 'drop'].map(name => {
      const event = new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: new DataTransfer() })
      return !document.querySelector('h1').dispatchEvent(event)
    })`)
    expect(prevented).toEqual([true, true])
    await context.close()
  })
})

it('a page stays as it is, with what was typed, while it cannot be read again', async () => {
  app.asks('GET /campaign/:id 500')
  const { page, context } = await signedIn(app, customer.email)
  await page.clock.install()
  await settings(page)
  await page.getByLabel('Name').fill('Half typed')
  let failures = 0
  await page.route(new RegExp(`/campaign/${tree.cid}\\?`), route => {
    failures++
    return route.fulfill({ status: 500, json: { message: 'Try again later.', code: 'internal_error' } })
  })
  // As after a tunnel: what was read a while ago is read again.
  await page.clock.fastForward(20_000)
  await context.setOffline(true)
  await context.setOffline(false)
  // The first attempt and two more, after which the page knows that it cannot be read.
  await soon(() => failures).toBe(3)
  await page.waitForTimeout(300)
  expect(await page.getByLabel('Name').inputValue()).toBe('Half typed')
  await context.close()
})

describe('two people who edit the same object', () => {
  it('a form sends only what was changed in it', async () => {
    const { page, context } = await signedIn(app, customer.email)
    await settings(page)
    await page.getByLabel('Name').fill('Renamed')
    const sent = page.waitForRequest(request => request.method() === 'PUT')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const request = await sent
    expect(request.postDataJSON()).toEqual({ name: 'Renamed' })
    expect(request.headers()['if-match']).toMatch(/^"\d+-\d+\.[\w-]+"$/)
    await page.getByText('Saved.').waitFor()
    await context.close()
  })

  it('see both values, and choose', async () => {
    app.asks('PUT /campaign/:id 412')
    await edit(`/campaign/${tree.cid}`, { name: 'Spring bikes', dailySpend: 50 })
    const { page, context } = await signedIn(app, customer.email)
    await settings(page)
    await page.getByLabel('Name').fill('My name')
    await page.getByLabel('Daily budget').fill('70')
    // A name without a space does not push the other value out of sight.
    const theirs = `Their name${'W'.repeat(120)}`
    await edit(`/campaign/${tree.cid}`, { name: theirs, dailySpend: 60, frequency: 9 })
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: /changed this in the meantime/ })
    await dialog.waitFor()
    const shown = await dialog.getByRole('row').allTextContents()
    expect(shown.join('\n')).toMatch(/Their name.*My name/)
    expect(shown.join('\n')).toMatch(/\$60\.00.*\$70\.00/)
    expect(shown.join('\n')).toMatch(/Frequency cap.*9/)
    const [whole, mine] = await Promise.all([dialog.boundingBox(), dialog.getByText('My name').boundingBox()])
    expect(mine!.x + mine!.width).toBeLessThan(whole!.x + whole!.width)
    await dialog.getByRole('radio', { name: 'Their name' }).check()
    await dialog.getByRole('button', { name: 'Save these values' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await read(`/campaign/${tree.cid}`)).toMatchObject({
      name: theirs,
      dailySpend: 70,
      freq: 9,
    })
    await context.close()
  })

  it('an edit by somebody else does not replace what is half typed', async () => {
    const { page, context } = await signedIn(app, customer.email)
    await settings(page)
    await page.getByLabel('Name').fill('Half typed')
    await edit(`/campaign/${tree.cid}`, { dailySpend: 33 })
    await page.getByRole('switch', { name: 'Deliver' }).click()
    await soon(async () => (await read(`/campaign/${tree.cid}`)).enabled).toBe(false)
    expect(await page.getByLabel('Name').inputValue()).toBe('Half typed')
    await context.close()
  })
})
