// A day of visitors in a sandbox, the same day again after a reset, and two processes on one sandbox.

import { mkdir, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import { type ListeningService, newServedCampaign, type ServedCampaign } from '../../test/support/delivery.ts'
import { leaveOpen, untilWaitedFor } from '../../test/support/locks.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { systemClock } from '../kernel/time/clock.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import { createLog } from '../platform/log.ts'
import { createService } from '../service/app.ts'

const START_S = Date.parse('2026-10-01T00:00:00Z') / 1000
const DAY_S = 86_400

function superHeaders({ app }: TestService): Record<string, string> {
  return { 'x-access-superkey': app.key, 'x-access-supertoken': app.token }
}

/** A day of visitors on an empty sandbox: the result of the traffic, and what all figures say about it. */
async function aDay(service: TestService, db: Database) {
  const campaigns: ServedCampaign[] = []
  for (const fields of [
    { dailySpend: 0.05, cpm: 2, pacing: 'asap' },
    { dailySpend: 0.5, cpm: 3, pacing: 'even', freq: 2 },
    { dailySpend: 50, cpm: 1 },
    { dailySpend: 5, pricing: 'cpc', cpc: 0.05 },
  ])
    campaigns.push(
      await newServedCampaign(service as unknown as ListeningService, {
        customer: { timezone: 'America/Toronto' },
        campaign: { start: START_S, end: START_S + 30 * DAY_S, ...fields },
        persona: { geo: { geos: ['CA', 'DE'] } },
      }),
    )
  const body = { requests: 1_000, mix: { countries: { CA: 3, US: 1 }, ctr: 0.1, cvr: 0.5, users: 200 } }
  await service.call('POST', '/sandbox/traffic', { body })
  const traffic = await until(async () => {
    const { body: now } = await service.call('GET', '/sandbox/traffic')
    return now.done ? now : null
  })
  const summaries: Record<string, number>[] = []
  for (const { customer, cid } of campaigns) {
    summaries.push((await customer.call('GET', `/stats/${cid}/summary`)).body)
    // In days of the customer.
    const days = `start=${START_S}&end=${START_S + DAY_S}`
    summaries.push((await customer.call('GET', `/stats/${cid}/timeseries?${days}`)).body)
  }
  // The click rates decide what campaigns that are paid by click are worth.
  const learned = await db.rows(
    'select width, height, sum(imps)::int as imps, sum(clicks)::int as clicks from click_rate group by 1, 2 order by 1, 2',
  )
  return { traffic, summaries, learned }
}

it('visitors are served and counted by the real code, within all budgets, and again the same after a reset', async () => {
  const store = await mkdtemp(join(tmpdir(), 'marquee-exported-'))
  const settings = { SANDBOX: 'true', SANDBOX_START: '2026-10-01', EXPORT_URL: `file://${store}` }
  const service = await startTestService(settings)
  // A reset ends the connections of the service.
  const db = openDatabase({ url: service.databaseUrl, maxConnections: 3, onError: () => {} })
  const otherDir = await mkdtemp(join(tmpdir(), 'marquee-data-'))
  const config = { ...service.config, DATA_DIR: otherDir, EXPORT_URL: null }
  try {
    const first = await aDay(service, db)
    const { traffic, summaries, learned } = first
    expect(learned).not.toEqual([])
    expect(traffic).toMatchObject({ now: START_S + DAY_S, requests: 1_000 })
    const noAd = Object.values<number>(traffic.refused).reduce((sum, n) => sum + n, 0)
    expect(traffic.served + noAd).toBe(1_000)
    const counters = ['imps', 'views', 'clicks', 'actions', 'spend'] as const
    const own = summaries.filter((_, at) => at % 2 === 0)
    for (const name of counters) {
      const sum = own.reduce((total, row) => total + row[name]!, 0)
      expect(traffic.counted[name], name).toBeGreaterThan(0)
      expect(traffic.counted[name], name).toBeCloseTo(sum, 6)
    }
    // A day of the sandbox touches two days of the customer.
    expect(own[0]!.spend).toBeLessThanOrEqual(0.1)
    expect(own[1]!.spend).toBeLessThanOrEqual(1)
    expect(await readdir(store)).not.toEqual([])

    const hook = { url: 'http://127.0.0.1:9/', events: ['customer.created'] }
    await service.call('POST', '/webhook', { body: hook })
    const customer = await service.newCustomer()
    await service.call('GET', `/customer/${encodeURIComponent(customer.email)}/passcode`)
    // The exported files cannot be read, and so not be removed: the reset must change nothing.
    const hours = await readdir(store, { recursive: true })
    const manifest = join(store, hours.find(name => name.endsWith('_manifest.json'))!)
    await rename(manifest, `${manifest}.aside`)
    await mkdir(manifest)
    const refused = await service.call('POST', '/sandbox/reset')
    expect([refused.status, refused.body.reason]).toEqual([503, 'files_unavailable'])
    expect((await service.call('GET', '/sandbox/clock')).body.now).toBe(START_S + DAY_S)
    await rmdir(manifest)
    await rename(`${manifest}.aside`, manifest)
    const again = await service.call('POST', '/sandbox/reset')
    expect(again.status).toBe(200)
    const atStart = { now: START_S, start: START_S, target: null, progress: null, events: [] }
    expect(again.body).toEqual(atStart)
    expect((await service.call('GET', '/sandbox/clock')).body).toEqual(atStart)
    for (const path of ['/customer', '/webhook', '/sandbox/inbox', '/sandbox/outbox'])
      expect((await service.call('GET', path)).body, path).toEqual([])
    const gone = await service.call('GET', `/campaign?cuid=${customer.cuid}`, { as: customer })
    expect(gone.body.code).toBe('credentials_invalid')
    const left = (await readdir(store, { recursive: true })).filter(name => /(parquet|json)$/.test(name))
    expect(left).toEqual([])
    expect(await aDay(service, db)).toEqual(first)

    // Another process on the same sandbox notices the reset, too. Repeated work starts in the same order at every
    // start: delivery first, however long that takes.
    const slow = await leaveOpen(db, tx => tx.run('lock table node in exclusive mode'))
    const starting = createService({ config, log: createLog('silent'), clock: systemClock })
    await untilWaitedFor(db, slow)
    const meanwhile = await Promise.race([starting.then(() => 'started'), pause(2_000, 'waits')])
    await slow.commit()
    const other = await starting
    try {
      expect(meanwhile).toBe('waits')
      const seenThere = async (url: string) =>
        (await other.api.fastify.inject({ url, headers: superHeaders(service) })).json()
      expect((await seenThere('/sandbox/clock')).now).toBe(START_S + DAY_S)
      // There is one clock: whichever process moves it, all others follow.
      await service.call('POST', '/sandbox/clock', { body: { by: 60 } })
      const reached = async (s: number) => ((await seenThere('/sandbox/clock')).now === s ? true : null)
      await until(() => reached(START_S + DAY_S + 60))
      const body = { by: 3600 }
      const there = { url: '/sandbox/clock', headers: superHeaders(service) }
      await other.api.fastify.inject({ method: 'POST', ...there, payload: body })
      const nowS = START_S + DAY_S + 3660
      await until(() => reached(nowS))
      await until(async () => ((await seenThere('/sandbox/clock')).target === null ? true : null))
      await until(async () => {
        const { headers } = await service.call('GET', '/healthz')
        return headers['x-marquee-sandbox'] === String(nowS) ? true : null
      })
      expect((await service.call('POST', '/sandbox/reset')).status).toBe(200)
      await until(async () => ((await seenThere('/sandbox/clock')).now === START_S ? true : null))
      expect(await seenThere('/customer')).toEqual([])
    } finally {
      await other.stop()
    }
  } finally {
    await db.close()
    await service.close()
    for (const dir of [store, otherDir])
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
})
