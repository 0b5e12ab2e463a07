// Images on their way to become banners: the page says at once what fits, nothing disappears, and what does not fit can
// be made to.

import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestPair } from '../support/service.ts'
import { buildTree, type Console, image, signedIn, soon, startConsole, violations } from './console-page.ts'

let app: Console
let customer: TestPair & { cuid: number; email: string }
beforeAll(async () => {
  app = await startConsole()
  customer = await app.service.newCustomer({ website: 'https://bikes.example/' })
})
afterAll(() => app?.close())

/** Noise, which no image format compresses well. */
function heavy(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const
  return sharp({ create: { ...raw, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } } })
    .png()
    .toBuffer()
}

it('every file stays visible with its reason, and one that does not fit keeps the form from being sent', async () => {
  const { cid, pid } = await buildTree(app, customer, 'Uploads')
  const { page, context } = await signedIn(app, customer.email)
  await page.goto(`${app.url}/console/campaigns/${cid}/personas/${pid}`)
  await page.getByRole('button', { name: 'Add banners' }).click()
  await page.getByText('20 allowed sizes').click()
  await page.getByRole('group').getByRole('cell', { name: '300 × 250' }).waitFor()
  await page.locator('input[type=file]').setInputFiles([
    { name: 'good.png', mimeType: 'image/png', buffer: await image(300, 250) },
    { name: 'odd.png', mimeType: 'image/png', buffer: await image(640, 480) },
    { name: 'heavy.png', mimeType: 'image/png', buffer: await heavy(300, 250) },
    { name: 'words.png', mimeType: 'image/png', buffer: Buffer.from('no image at all') },
  ])
  await page.getByText('The image is 640 × 480 pixels, which is not an allowed size.').waitFor()
  await page.getByText(/^The file is .*; 300 × 250 banners may be at most 150 kB\.$/).waitFor()
  await page.getByText('The file is of an unknown kind.').waitFor()
  await page.getByText(/300 × 250 · .* · fits/).waitFor()

  // An upload that did not arrive is sent again, without choosing the file once more.
  await page.route('**/creative?*', route => route.abort())
  const bytes = [...(await image(728, 90))]
  const dataTransfer = await page.evaluateHandle<unknown>(`(() => {
    const carried = new DataTransfer()
    carried.items.add(new File([new Uint8Array([${bytes}])], 'last.png', { type: 'image/png' }))
    return carried
  })()`)
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer })
  await page.getByText('The service cannot be reached.', { exact: false }).waitFor()
  await page.unroute('**/creative?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText(/728 × 90 · .* · fits/).waitFor()
  await page.getByRole('button', { name: 'Remove last' }).click()

  await page.getByRole('button', { name: 'Add 4 banners' }).click()
  await page.getByText('3 files do not fit. Fix or remove them first.').waitFor()
  const banners = `/campaign/${cid}/persona/${pid}/banner?cuid=${customer.cuid}`
  expect((await app.service.call('GET', banners, { as: customer })).body).toHaveLength(1)

  for (const name of ['heavy', 'words']) await page.getByRole('button', { name: `Remove ${name}` }).click()
  await page.getByRole('button', { name: 'Crop or resize' }).click()
  const dialog = page.getByRole('dialog', { name: 'Make “odd.png” fit' })
  await dialog.getByText('Resize the whole image').click()
  await dialog.getByText('Crop to fill').click()
  await dialog.getByText(/: it fits$/).waitFor()
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Use this' }).click()
  await page.getByRole('img', { name: /Preview of odd-/ }).waitFor()
  await page.getByRole('button', { name: 'Add 2 banners' }).click()
  await page.getByRole('link', { name: /^odd-/ }).waitFor()
  const approved = async () =>
    (await app.service.call('GET', banners, { as: customer })).body.map(
      ({ status }: { status: string }) => status,
    )
  await soon(approved).toEqual(['approved', 'approved', 'approved'])
  await context.close()
})
