// The console's table of 2,000 campaigns against a plain table of the same rows, in Chromium: how long the page freezes
// while it is sorted, and while it is scrolled as fast as a wheel spins. The ratios come from one run.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/browser/chromium.ts'
import { freePort } from '../test/support/ports.ts'
import { withBenchDatabase } from './database.ts'

const ROWS = 2000
const BATCH = 1000
const ROUNDS = Number(process.env.ROUNDS ?? 9)
/** A fast wheel: two rows per frame. */
const SCROLL_STEPS = 200
const SCROLL_PX = 100
const TARGET = 1
const MAIN = join(import.meta.dirname, '../src/main.js')

interface Service {
  url: string
  call(method: string, path: string, body?: unknown): Promise<Response>
}

async function main(): Promise<void> {
  await withBenchDatabase(async (databaseUrl, dataDir) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const env = {
      ...{ PATH: process.env.PATH, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, HOST: '127.0.0.1' },
      ...{ PORT: String(port), PUBLIC_URL: url, LOG_LEVEL: 'silent' },
    }
    const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    process.once('exit', () => child.kill('SIGKILL'))
    try {
      await measure(await serviceAt(url, dataDir))
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
}

async function serviceAt(url: string, dataDir: string): Promise<Service> {
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok)
    await new Promise(resolve => setTimeout(resolve, 100))
  const { superkey, supertoken } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
  const headers = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
  return {
    url,
    async call(method, path, body) {
      const answer = await fetch(url + path, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        redirect: 'manual',
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${await answer.text()}`)
      return answer
    },
  }
}

async function measure(service: Service): Promise<void> {
  const email = 'buyer@bikes.example'
  const customer = await service.call('POST', '/customer', { company: 'Bikes', email })
  const { cuid } = (await customer.json()) as { cuid: number }
  const now = Math.floor(Date.now() / 1000)
  for (let first = 1; first <= ROWS; first += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, index) => ({
      op: 'createCampaign',
      body: {
        name: `Campaign ${first + index}`,
        start: now,
        end: now + 86_400,
        dailySpend: (first + index) / 100,
      },
    }))
    await service.call('POST', `/bulk?cuid=${cuid}`, { operations })
  }
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1320, height: 860 } })
    const sso = await service.call('GET', `/customer/${encodeURIComponent(email)}/sso`)
    await page.goto(sso.headers.get('location')!)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`${service.url}/console/campaigns`)
    await page.locator('tbody tr[aria-rowindex]').first().waitFor()
    await page.getByText(`Total of ${ROWS.toLocaleString('en-US')}`).waitFor()
    const ours = await timesOf(page)
    const plain = await browser.newPage({ viewport: { width: 1320, height: 860 } })
    await plain.setContent('<body></body>')
    await plain.evaluate(plainTable(await columnsOf(page)))
    tell('sorting', ours.sort, (await timesOf(plain)).sort)
    tell('scrolling', ours.scroll, (await timesOf(plain)).scroll)
  } finally {
    await browser.close()
  }
}

const columnsOf = (page: Page) => page.locator('thead th').count()

/** The same rows as text in a plain HTML table, in a box of the same height, sorted by moving the rows. */
function plainTable(columns: number): string {
  return `(() => {
    const rows = Array.from({ length: ${ROWS} }, (_, at) => {
      const cells = ['Campaign ' + (at + 1), '$' + ((at + 1) / 100).toFixed(2), 'Running', 'Nov 15, 2026', 'Nov 16, 2026']
      while (cells.length < ${columns}) cells.push('$0.00')
      return '<tr><td>' + cells.join('</td><td>') + '</td></tr>'
    })
    document.body.innerHTML = '<section style="height:560px;overflow:auto"><table><thead><tr><th><button>Daily budget</button></th></tr></thead><tbody>' + rows.join('') + '</tbody></table></section>'
    let sign = 1
    document.querySelector('button').onclick = () => {
      sign = -sign
      const body = document.querySelector('tbody')
      const budget = row => Number(row.cells[1].textContent.slice(1))
      body.append(...[...body.rows].sort((a, b) => sign * (budget(a) - budget(b))))
    }
  })()`
}

interface Times {
  sort: number[]
  scroll: number[]
}

/** Milliseconds from a click to the next frame, and the total delay of frames while scrolling. */
async function timesOf(page: Page): Promise<Times> {
  return page.evaluate<Times>(`(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
    const button = [...document.querySelectorAll('th button')].find(one => one.textContent.includes('Daily budget'))
    const box = document.querySelector('tbody').closest('section')
    const [sort, scroll] = [[], []]
    for (let round = 0; round < ${ROUNDS}; round++) {
      await frame()
      const clickedMs = performance.now()
      button.click()
      await frame()
      sort.push(performance.now() - clickedMs)
      let lateMs = 0
      for (let step = 1; step <= ${SCROLL_STEPS}; step++) {
        const beganMs = performance.now()
        box.scrollTop = step * ${SCROLL_PX}
        await frame()
        lateMs += Math.max(0, performance.now() - beganMs - 1000 / 60)
      }
      scroll.push(lateMs)
    }
    return { sort, scroll }
  })()`)
}

function tell(what: string, ours: number[], plain: number[]): void {
  const [own, other] = [median(ours), median(plain)]
  // Differences below 1 ms do not count.
  const ratio = own / Math.max(other, 1)
  const verdict = ratio <= TARGET ? 'ok' : 'ABOVE TARGET'
  console.log(
    `${what} ${ROWS} campaigns`.padEnd(34) +
      `plain table ${other.toFixed(0).padStart(5)} ms   console ${own.toFixed(0).padStart(5)} ms   ` +
      `ratio ${ratio.toFixed(2)}   target ${TARGET.toFixed(2)}   ${verdict}`,
  )
  if (ratio > TARGET) process.exitCode = 1
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
