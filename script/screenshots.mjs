// Renews docs/screenshots: starts the demo of a sandbox in a temporary folder, waits for its history, and takes
// pictures with Chromium. Run: `node script/build.mjs && node script/screenshots.mjs`

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import sharp from 'sharp'

const MAIN = join(import.meta.dirname, '../dist/src/main.js')
const OUT = process.env.OUT ?? join(import.meta.dirname, '../docs/screenshots')
const CHROMIUM =
  process.env.CHROMIUM ??
  ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find(path => existsSync(path))
const DESK = { width: 1320, height: 860 }
const PHONE = { width: 390, height: 844 }

const dataDir = await mkdtemp(join(tmpdir(), 'marquee-screenshots-'))
const port = await freePort()
const url = `http://localhost:${port}`
const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port) }
const service = spawn(process.execPath, [MAIN, 'sandbox', '--demo'], {
  env,
  stdio: ['ignore', 'inherit', 'pipe'],
})
try {
  await filled()
  await mkdir(OUT, { recursive: true })
  const { superkey, supertoken } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
  const headers = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
  const read = async path => (await fetch(url + path, { headers })).json()
  const [customer] = await read('/customer/')
  const [campaign] = await read(`/campaign?cuid=${customer.cuid}`)
  const [persona] = await read(`/campaign/${campaign.cid}/persona?cuid=${customer.cuid}`)
  const campaignPath = `/campaigns/${campaign.cid}`
  const personaPath = `${campaignPath}/personas/${persona.pid}`
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  for (const colorScheme of ['light', 'dark']) {
    for (const [prefix, viewport, pages] of [
      [
        '',
        DESK,
        {
          overview: '/',
          campaigns: '/campaigns',
          campaign: campaignPath,
          statistics: `${campaignPath}?tab=statistics&range=30d&dimension=domain`,
          banners: personaPath,
          targeting: `${personaPath}?tab=targeting`,
          create: '/create',
        },
      ],
      ['phone-', PHONE, { overview: '/', campaigns: '/campaigns' }],
    ]) {
      const context = await browser.newContext({
        viewport,
        colorScheme,
        locale: 'en-US',
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      const sso = await fetch(`${url}/customer/${encodeURIComponent(customer.email)}/sso`, {
        headers,
        redirect: 'manual',
      })
      await page.goto(sso.headers.get('location'))
      await page.getByRole('heading', { level: 1 }).waitFor()
      for (const [name, path] of Object.entries(pages))
        await shoot(page, path, `${prefix}${name}-${colorScheme}`)
      await context.close()
    }
    const context = await browser.newContext({ viewport: DESK, colorScheme, locale: 'en-US' })
    const page = await context.newPage()
    await shoot(page, '/', `sign-in-${colorScheme}`)
    await page.getByRole('button', { name: 'I am app staff' }).click()
    await page.getByLabel('Super key').fill(superkey)
    await page.getByLabel('Super token').fill(supertoken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('table').getByRole('link').first().waitFor()
    await shoot(page, '/customers', `customers-${colorScheme}`)
    await context.close()
  }
  await browser.close()
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  await rm(dataDir, { recursive: true, force: true })
}

async function shoot(page, path, name) {
  await page.goto(`${url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('load')
  await page.waitForTimeout(1500)
  await sharp(await page.screenshot())
    .png({ palette: true, colours: 128, compressionLevel: 9 })
    .toFile(join(OUT, `${name}.png`))
  console.log(name)
}

/** Resolves when the history is ready: then the demo says where to sign in. */
function filled() {
  return new Promise((resolve, reject) => {
    let said = ''
    service.stderr.setEncoding('utf8').on('data', text => {
      process.stderr.write(text)
      said += text
      if (said.includes('/console?ticket=')) resolve()
    })
    service.once('exit', code => reject(new Error(`it ended with ${code}`)))
  })
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address()
  server.close()
  return free
}
