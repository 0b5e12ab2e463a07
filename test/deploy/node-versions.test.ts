// The built service on each version of Node that we support, under the system call filter of its systemd unit: it starts,
// takes an order with an image, serves the ad and counts it. Where the filter forbids too much, it says so.

import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startImageHost } from '../support/banners.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { nodeOfVersion } from '../support/node-program.ts'
import { freePort } from '../support/ports.ts'
import { runMarquee, spawnMarquee, whenRunning } from '../support/process.ts'
import { underFilterOf } from '../support/system-call-filter.ts'

const AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-node-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const OWN = process.versions.node.split('.')[0]!
const UNIT = readFileSync(join(import.meta.dirname, '../../docs/deploy/marquee.service'), 'utf8')

test.each(['20', '22', '24'])(
  'it works on Node %s, with no more system calls than its unit allows',
  async version => {
    const database: TestDatabase = await createTestDatabase()
    const port = await freePort()
    const [url, dataDir] = [`http://127.0.0.1:${port}`, join(folder, `data-${version}`)]
    const settings = {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: String(port),
      HOST: '127.0.0.1',
    }
    const service = await whenRunning(
      spawnMarquee(['serve'], settings, {
        node: version === OWN ? process.execPath : nodeOfVersion(version),
        under: underFilterOf(UNIT),
      }),
    )
    try {
      const first = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
      let pair: Record<string, string> = {
        'x-access-superkey': first.superkey,
        'x-access-supertoken': first.supertoken,
      }
      const call = async (method: string, path: string, body?: object) => {
        const headers = {
          ...pair,
          'user-agent': AGENT,
          ...(body ? { 'content-type': 'application/json' } : {}),
        }
        const answer = await fetch(url + path, {
          method,
          headers,
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        const text = await answer.text()
        expect([path, answer.status], text).toEqual([path, method === 'POST' && path !== '/ad' ? 201 : 200])
        return JSON.parse(text) as Record<string, never>
      }
      const made = await call('POST', '/customer', { company: 'Bikes', email: 'bikes@node.example' })
      pair = { 'x-access-key': made.key!, 'x-access-token': made.token! }
      const of = `cuid=${made.cuid}`
      const upload = await fetch(`${url}/creative?${of}`, {
        method: 'POST',
        headers: { ...pair, 'content-type': 'image/png' },
        body: new Uint8Array(await readFile(join(import.meta.dirname, '../../docs/example-banner.png'))),
      })
      const { creativeURL } = (await upload.json()) as { creativeURL: string }
      const start = Math.floor(Date.now() / 1000)
      const { cid } = await call('POST', `/campaign?${of}`, {
        name: 'B',
        start,
        end: start + 86_400,
        dailySpend: 10,
      })
      const { pid } = await call('POST', `/campaign/${cid}/persona?${of}`, {
        name: 'All',
        geo: { geos: ['DE'] },
        device: { mobile: true, desktop: true },
      })
      await call('POST', `/campaign/${cid}/persona/${pid}/banner?${of}`, {
        creativeURL,
        clickUrl: 'https://b.example/',
      })
      let ad: { impression: string } | undefined
      const asked = { source: first.siteKey, size: '300x250', geo: { country: 'DE' }, device: 'desktop' }
      await expect.poll(async () => (ad = (await call('POST', '/ad', asked)).ad)).toBeTruthy()
      await fetch(ad!.impression, { headers: { 'user-agent': AGENT } })
      await expect.poll(async () => (await call('GET', `/stats/${cid}/summary?${of}`)).imps).toBe(1)
    } finally {
      service.child.kill('SIGTERM')
    }
    expect(await service.exited, service.output()).toBe(0)
    const warned = service.output().includes('has had no security fixes since April 2026. Install Node 24.')
    expect(warned).toBe(version === '20')
    await database.drop()
  },
)

test('under a unit that forbids what reading images needs, no image is at fault, and everybody is told', async () => {
  const database = await createTestDatabase()
  const port = await freePort()
  const [url, dataDir] = [`http://127.0.0.1:${port}`, join(folder, 'data-strict')]
  // As in 0.2.0, except for what Node itself needs.
  const strict = UNIT.replace(/^SystemCallFilter=setpriority\nSystemCallErrorNumber=.*\n/m, '')
  expect(strict).not.toBe(UNIT)
  const under = underFilterOf(strict)
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: String(port),
    HOST: '127.0.0.1',
    METRICS_TOKEN: 'metrics-token',
    ALLOW_PRIVATE_CREATIVES: 'true',
    CREATIVE_RETRY: '1s',
  }
  const host = await startImageHost()
  const service = await whenRunning(spawnMarquee(['serve'], settings, { under }))
  try {
    const { superkey, supertoken } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
    const pair = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
    const json = async (method: string, path: string, body?: object) => {
      const headers = { ...pair, 'content-type': 'application/json' }
      const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
      return (await answer.json()) as Record<string, never>
    }
    const { cuid } = await json('POST', '/customer', { company: 'B', email: 'b@strict.example' })
    const image = await readFile(join(import.meta.dirname, '../../docs/example-banner.png'))
    const upload = await fetch(`${url}/creative?cuid=${cuid}`, {
      method: 'POST',
      headers: { ...pair, 'content-type': 'image/png' },
      body: new Uint8Array(image),
    })
    expect(await upload.json()).toMatchObject({ code: 'unavailable', reason: 'images_unavailable' })

    const start = Math.floor(Date.now() / 1000)
    const flight = { name: 'B', start, end: start + 86_400, dailySpend: 10 }
    const { cid } = await json('POST', `/campaign?cuid=${cuid}`, flight)
    const { pid } = await json('POST', `/campaign/${cid}/persona?cuid=${cuid}`, {
      name: 'All',
      geo: { geos: ['DE'] },
      device: { mobile: true, desktop: true },
    })
    const banners = `/campaign/${cid}/persona/${pid}/banner`
    const creativeURL = host.serve('/banner.png', image)
    const { bid } = await json('POST', `${banners}?cuid=${cuid}`, {
      creativeURL,
      clickUrl: 'https://b.example/',
    })
    const metrics = async () =>
      (await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer metrics-token' } })).text()
    const ended = async () =>
      Number(/readers_ended_total\{outcome="forbidden_call"\} (\d+)/.exec(await metrics())?.[1])
    // The upload, and several rounds of the review.
    await expect.poll(ended).toBeGreaterThan(2 + 2 * 5)
    expect(await json('GET', `${banners}/${bid}?cuid=${cuid}`)).toMatchObject({
      status: 'pending',
      findings: [{ code: 'review_waits' }],
    })
    const line = service
      .output()
      .split('\n')
      .find(text => text.includes('the process that reads images has ended'))
    expect(line).toContain('SystemCallFilter')
    const { output } = await runMarquee(['doctor'], settings, { under })
    expect(output).toMatch(/^ERROR +images +.*SystemCallFilter/m)
  } finally {
    service.child.kill('SIGTERM')
    await service.exited
    await host.close()
  }
  await database.drop()
})
