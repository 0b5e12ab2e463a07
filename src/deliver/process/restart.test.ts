// What survives a restart and a database that is away.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { openJournal } from '../../budget/ledger/journal.ts'
import { startReplay } from '../../budget/ledger/records.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { createLog } from '../../platform/log.ts'
import { createService } from '../../service/app.ts'

let service: ListeningService
beforeAll(async () => {
  service = await startListeningService()
})
afterAll(() => service.close())

it('delivery continues while the database is away, and follows it when it is back', async () => {
  const { customer, cid } = await newServedCampaign(service)
  await service.delivery.running()!.refresh()
  const database = service.config.DATABASE_URL!.replace(/^([^?]*\/)([^/?]*)/, '$1postgres')
  const name = /\/([^/?]*)(?:\?|$)/.exec(service.config.DATABASE_URL!)![1]!
  const operator = new pg.Client({ connectionString: database })
  await operator.connect()
  await operator.query(`alter database ${name} allow_connections false`)
  await operator.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  try {
    const bids = await Promise.all(Array.from({ length: 20 }, () => service.bid(bidRequest())))
    expect(bids.map(({ status }) => status)).toEqual(bids.map(() => 200))
    const ready = await service.send('GET', '/readyz')
    expect([ready.status, ready.json.parts.database]).toEqual([200, 'does not answer'])
  } finally {
    await operator.query(`alter database ${name} allow_connections true`)
    await operator.end()
  }
  // The first calls may meet connections that were cut.
  await until(async () =>
    (await customer.call('PUT', `/campaign/${cid}/pause`)).status === 200 ? true : null,
  )
  await until(async () => ((await service.bid(bidRequest())).status === 204 ? true : null))
})

it('a restart remembers reservations: a budget is not spent twice', async () => {
  await newServedCampaign(service, {
    campaign: { dailySpend: 0.01, cpm: 2, frequency: 100 },
    persona: { geo: { geos: ['CH'] } },
  })
  await service.delivery.running()!.refresh()
  const inSwitzerland = bidRequest({ device: { geo: { country: 'CHE' } } })
  /** How many of four requests got an ad. */
  const sold = async (send: () => Promise<{ status: number }>) => {
    let ads = 0
    for (let n = 0; n < 4; n++) if ((await send()).status === 200) ads++
    return ads
  }
  const before = await sold(() => service.bid(inSwitzerland))
  expect(before).toBeGreaterThan(0)
  await service.stop()
  const again = await createService({
    config: service.config,
    log: createLog('silent'),
    clock: service.clock,
  })
  const url = await again.listen()
  await again.delivery.started
  const send = () =>
    fetch(`${url}${service.bidPath}`, { method: 'POST', body: JSON.stringify(inSwitzerland) })
  // The budget pays for five; on a busy machine they may be granted a moment later.
  let after = 0
  await until(async () => {
    after += await sold(send)
    return before + after >= 5 ? true : null
  })
  expect(before + after + (await sold(send))).toBe(5)
  await again.stop()
})

it('an ad with a cap is in the journal before it is sent: after a SIGKILL it is not shown too often', async () => {
  const fresh = await startListeningService()
  try {
    await newServedCampaign(fresh, { campaign: { frequency: 2 }, persona: { geo: { geos: ['CH'] } } })
    await fresh.delivery.running()!.refresh()
    const dir = join(fresh.config.DATA_DIR, 'ledger')
    for (let n = 0; n < 20; n++) {
      const request = bidRequest({ user: { id: `u${n}` }, device: { geo: { country: 'CHE' } } })
      const { json } = await fresh.bid(request)
      // What a process that starts now would find.
      const replay = startReplay(fresh.clock.nowMs())
      for (const name of readdirSync(dir)
        .filter(file => file.endsWith('.journal'))
        .sort())
        Array.from(replay.segment(readFileSync(join(dir, name))))
      expect(replay.result().open.map(({ adId }) => adId)).toContain(json.seatbid[0].bid[0].id)
    }
  } finally {
    await fresh.close()
  }
})

it('a restart takes over more open ads than a function call can have arguments', async () => {
  const large = await startListeningService()
  const { cid } = await newServedCampaign(large)
  await large.stop()
  const ads = 200_000
  const dayKey = calendarOf(large.config.TIMEZONE).dayAt(large.clock.nowMs()).key
  const journal = await openJournal({
    dir: join(large.config.DATA_DIR, 'ledger'),
    nowMs: large.clock.nowMs(),
    segmentBytes: 1 << 26,
    maxPendingBytes: 1 << 26,
    onError: error => expect.fail(String(error)),
  })
  const reservedUntilMs = large.clock.nowMs() + 600_000
  for (let n = 0; n < ads; n++) {
    const adId = Buffer.from(String(n).padStart(12, '0')).toString('base64url')
    journal.log.reserved(
      { adId, cid, payer: 0, dayKey, priceMicros: 0, reservedUntilMs, user: null },
      1_000_000,
    )
  }
  await journal.close()
  const again = await createService({
    config: large.config,
    log: createLog('silent'),
    clock: large.clock,
  })
  await again.delivery.started
  expect(again.delivery.running()!.ledger.size()).toBeGreaterThanOrEqual(ads)
  await again.stop()
  await large.close()
})
