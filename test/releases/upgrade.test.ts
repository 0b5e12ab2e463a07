// Databases that the programs of earlier releases filled: `marquee demo` of each, dumped (0.1.0.sql.gz), and what that
// program's own interface then said of it (0.1.0.json.gz). This version migrates them, says the same, and goes on from
// there.

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import { createService, type Service } from '../../src/service/app.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { bidRequest } from '../support/delivery.ts'
import { testClock } from '../support/service.ts'

/** `thenMs`: when the answers were taken. Campaigns still run then. */
const RELEASES = [
  { release: '0.1.0', thenMs: Date.parse('2026-11-15T21:14:00Z') },
  { release: '0.2.0', thenMs: Date.parse('2026-11-19T03:09:30Z') },
]
/** A campaign with a cap whose budget of the day is partly spent. */
const CID = 13
const CUID = 4

const read = (name: string) => gunzipSync(readFileSync(new URL(name, import.meta.url))).toString()
// biome-ignore lint/suspicious/noExplicitAny: answers of many kinds, compared with each other
type Json = any
interface Before {
  superkey: string
  supertoken: string
  bidPath: string
  answers: Record<string, Json>
}

describe.each(RELEASES)('a database of $release', ({ release, thenMs }) => {
  const before = JSON.parse(read(`${release}.json.gz`)) as Before
  const of = (pattern: RegExp) => Object.entries(before.answers).filter(([path]) => pattern.test(path))

  let database: TestDatabase
  let dataDir: string
  let service: Service
  let url: string

  beforeAll(async () => {
    database = await createEmptyDatabase()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query(read(`${release}.sql.gz`).replaceAll(/^\\.*$/gm, ''))
    await client.end()
    dataDir = await mkdtemp(join(tmpdir(), 'marquee-upgrade-'))
    const config = readConfig({ DATABASE_URL: database.url, DATA_DIR: dataDir, DATABASE_POOL: '8' })
    service = await createService({ config, log: createLog('silent'), clock: testClock(thenMs) })
    url = await service.listen({ port: 0, host: '127.0.0.1' })
    await service.delivery.started
  })
  afterAll(async () => {
    await service?.stop()
    await database.drop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  async function get(path: string): Promise<Json> {
    const headers = { 'x-access-superkey': before.superkey, 'x-access-supertoken': before.supertoken }
    // A customer is asked for without a query: one that means nothing is refused by now.
    const answer = await fetch(url + path.replace(/^(\/customer\/\d+)\?.*/, '$1'), { headers })
    expect([path, answer.status]).toEqual([path, 200])
    return answer.json()
  }

  it('customers, campaigns, flights, personas and banners are as they were, by the same credentials', async () => {
    const objects = of(/^\/c/)
    expect(objects.length).toBeGreaterThan(20)
    for (const [path, said] of objects) expect(await get(path), path).toMatchObject(said)
  })

  it('every figure is as it was, to the micro', async () => {
    const figures = of(/^\/stats\/\d+\/(summary|filtered|timeseries)/)
    expect(figures.length).toBeGreaterThan(50)
    for (const [path, said] of figures) expect(await get(path), path).toMatchObject(said)
  })

  it('so is every breakdown; what had no page or app has a row too, so that each sums to its summary', async () => {
    for (const [path, said] of of(/breakdown/)) {
      const { breakdown } = await get(path)
      for (const { share: _, ...row } of said.breakdown)
        expect(breakdown, path).toContainEqual(expect.objectContaining(row))
      if (path.includes('/action')) continue
      const { imps, clicks, spend } = before.answers[path.replace(/breakdown\/\w+/, 'summary')]
      const sum = (name: string) =>
        breakdown.reduce((all: number, row: Record<string, number>) => all + Math.round(row[name]! * 1e6), 0)
      expect([sum('imps'), sum('clicks'), sum('spend')], path).toEqual([
        imps * 1e6,
        clicks * 1e6,
        Math.round(spend * 1e6),
      ])
    }
  })

  it('every raw event is as it was', async () => {
    const events = of(/\/events\?/)
    expect(events.flatMap(([, said]) => said).length).toBeGreaterThan(300)
    // Those of one moment come in any order.
    const sorted = (rows: { ad: string; kind: string }[]) =>
      rows.toSorted((a, b) => (`${a.ad} ${a.kind}` < `${b.ad} ${b.kind}` ? -1 : 1))
    for (const [path, said] of events) expect(sorted(await get(path)), path).toMatchObject(sorted(said))
  })

  it('what was spent before counts: the rest of the day’s budget is sold, and not a micro more', async () => {
    const spend = async () => (await get(`/stats/${CID}/summary?cuid=${CUID}`)).spend as number
    const { dailySpend } = before.answers[`/campaign?cuid=${CUID}`].find((one: Json) => one.cid === CID)
    const spentBefore = await spend()
    expect(spentBefore).toBeGreaterThan(0)
    const device = {
      ua: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
      devicetype: 4,
      geo: { country: 'USA' },
    }
    await service.delivery.running()!.refresh()
    for (let n = 0; n < 400; n++) {
      const payload = bidRequest({ user: { id: `u${n}` }, device, site: { domain: 'news.example' } })
      const sold = await send('POST', before.bidPath, payload)
      const bid = sold.status === 200 ? ((await sold.json()) as Json).seatbid[0].bid[0] : null
      if (bid?.cid === String(CID)) {
        const { pathname } = new URL(bid.burl)
        expect((await send('GET', `${pathname}?p=2.1`)).status).toBe(200)
      } else if ((await spend()) > 0.99 * dailySpend) break
      else await service.delivery.running()!.refill.sync()
    }
    expect(await spend()).toBeGreaterThan(0.99 * dailySpend)
    expect(await spend()).toBeLessThanOrEqual(dailySpend)
    const events: { kind: string; spend: number }[] = await get(`/stats/${CID}/events?cuid=${CUID}`)
    const micros = events.reduce((sum, event) => sum + Math.round(event.spend * 1e6), 0)
    expect(micros).toBe(Math.round((await spend()) * 1e6))
  })

  function send(method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
    return fetch(url + path, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
  }
})
