// Copies and orders that are too large for one call: done as a job, completely or not at all, and once.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../sdk/client.ts'
import { type Advertiser, newAdvertiser, until } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { recordChange } from '../../changes/changes.ts'
import { inTx } from '../../changes/tx.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { startJobs } from '../../platform/job-queue.ts'
import { createLog } from '../../platform/log.ts'
import { findCampaign } from '../campaigns/campaigns.ts'
import { copyOrder } from '../orders/orders.ts'
import type { Job } from './contract.ts'
import { JOB_TASK, jobTask, sweepJobs, type Work } from './jobs.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ JOB_OBJECTS: '4000', BANNER_QUOTA: '6000' })
})
afterAll(() => service.close())

/** Gives a persona more banners than anybody would create one by one. */
async function fill({ pid }: Advertiser, banners: number, db = service.db): Promise<void> {
  await db.run(
    `insert into banner (pid, name, creative_url, status, external_id, created_at, updated_at)
     select $1, 'b' || i, 'https://bikes.example/' || i || '.png', 'rejected', 'x' || i, now(), now()
     from generate_series(1, $2::integer) i`,
    [pid, banners],
  )
}

async function countOf({ cuid }: Advertiser, of = service) {
  return of.db.row<{ campaigns: number; banners: number }>(
    `select count(distinct c.cid) as campaigns, count(b.bid) as banners from campaign c
       left join persona p on p.cid = c.cid left join banner b on b.pid = p.pid where c.cuid = $1`,
    [cuid],
  )
}

const ended = (who: Advertiser, { job }: Job): Promise<Job> =>
  until(async () => {
    const { body } = await who.call('GET', `/job/${job}`)
    return body.ended === null ? null : body
  }, 240_000)

describe('a copy of more than 2,000 objects', () => {
  it('answers 202 with where to look, and exists when the job is done, once for one idempotency key', async () => {
    const ann = await newAdvertiser(service)
    await fill(ann, 2_500)
    const send = () =>
      ann.call('POST', `/campaign/${ann.cid}/copy`, { name: 'Twin' }, { 'idempotency-key': 'twin' })
    const [asked, again] = [await send(), await send()]
    expect([asked.status, again.status]).toEqual([202, 202])
    expect(asked.body).toMatchObject({
      kind: 'copyCampaign',
      done: 0,
      total: 2_502,
      result: null,
      error: null,
    })
    expect(again.body).toEqual(asked.body)
    expect(asked.headers.location).toBe(`http://localhost:8080/job/${asked.body.job}?cuid=${ann.cuid}`)
    const job = await ended(ann, asked.body)
    expect(job).toMatchObject({ status: 'done', done: 2_502, total: 2_502 })
    const { cid } = job.result!
    expect((await ann.call('GET', `/campaign/${cid}`)).body).toMatchObject({ name: 'Twin', enabled: false })
    expect(await countOf(ann)).toEqual({ campaigns: 2, banners: 5_000 })
    const { body: personas } = await ann.call('GET', `/campaign/${cid}/persona`)
    const { body: banners } = await ann.call(
      'GET',
      `/campaign/${cid}/persona/${personas[0].pid}/banner?limit=1000`,
    )
    expect(banners[0]).toMatchObject({ name: 'b1', externalId: 'x1', status: 'rejected' })
    const { body: history } = await ann.call('GET', `/campaign/${cid}/history?limit=1000&after=1`)
    expect(history[3]).toMatchObject({ noun: 'banner', action: 'create', after: { name: 'b2' } })
  })

  it('creates nothing if it fails, and says why', async () => {
    const bob = await newAdvertiser(service)
    await fill(bob, 3_500)
    const path = `/campaign/${bob.cid}/persona/${bob.pid}/copy`
    const { status, body } = await bob.call('POST', path)
    expect([status, body.kind]).toEqual([202, 'copyPersona'])
    const job = await ended(bob, body)
    expect(job).toMatchObject({
      status: 'failed',
      done: 0,
      result: null,
      error: { status: 409, code: 'quota_exceeded' },
    })
    expect(job.error!.message).toContain('7,000 banners, and the quota is 6,000')
    expect(await countOf(bob)).toEqual({ campaigns: 1, banners: 3_500 })
  })

  it('or of fewer with very many places is a job too, and cannot be tried: the answer would contain all places', async () => {
    const eve = await newAdvertiser(service)
    const places = Array.from({ length: 1_000 }, (_, n) => ['CA', 'DE', 'FR', 'US'][n % 4])
    await service.db.run(
      `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
       select cid, 'p' || i, jsonb_build_object('geos', $2::jsonb), cat, device, demo, now(), now()
       from persona, generate_series(1, 190) i where pid = $1`,
      [eve.pid, JSON.stringify(places)],
    )
    const path = `/campaign/${eve.cid}/copy`
    const tried = await eve.call('POST', `${path}?dryRun=true`)
    expect([tried.status, tried.body.code]).toEqual([400, 'too_many_objects'])
    const { status, body } = await eve.call('POST', path)
    expect([status, body.total]).toEqual([202, 192])
    expect(await ended(eve, body)).toMatchObject({ status: 'done', done: 192 })
  })

  it('is a job with fewer objects too, if their places are very long: one answer is bounded by bytes', async () => {
    const fay = await newAdvertiser(service)
    await service.db.run(
      `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
       select cid, 'p' || i, jsonb_build_object('geos', (
           select jsonb_agg('CA-ON-' || rpad(n || '-', 100, '𝒳')) from generate_series(1, 1000) n
         )), cat, device, demo, now(), now()
       from persona, generate_series(1, 60) i where pid = $1`,
      [fay.pid],
    )
    const path = `/campaign/${fay.cid}/copy`
    const tried = await fay.call('POST', `${path}?dryRun=true`)
    expect([tried.status, tried.body.code]).toEqual([400, 'too_many_objects'])
    expect((await fay.call('POST', path)).status).toBe(202)
    const { body: personas } = await fay.call('GET', `/campaign/${fay.cid}/persona?limit=2`)
    const one = await fay.call('POST', `/campaign/${fay.cid}/persona/${personas[1].pid}/copy`)
    expect(one.status).toBe(201)
  })

  it('does not keep what it has created, because nobody reads it', async () => {
    const gus = await newAdvertiser(service)
    await fill(gus, 500)
    const found = await findCampaign(service.db, gus, { cid: gus.cid })
    const caller = {
      level: 'customer',
      appId: 0,
      cuid: gus.cuid,
      key: 'operator',
      scope: 'all',
      cids: null,
    } as const
    const { config, clock } = service
    const calendar = calendarOf(config.TIMEZONE)
    const parts = { clock, calendar, defaultCpmMicros: 1, publicUrl: '' }
    const reported: number[] = []
    const made = async (objects: number) => void reported.push(objects)
    const { order } = await inTx(service.db, tx =>
      copyOrder(tx, { ...parts, made, caller, cuid: gus.cuid, ifMatch: null }, found, {}),
    )
    expect(order.personas ?? []).toEqual([])
    expect(reported.reduce((sum, objects) => sum + objects)).toBe(501)
    expect(Math.max(...reported)).toBeLessThan(500)
  })

  it('has an upper bound, is refused in a bulk call and a dry run, and its input is checked at once', async () => {
    const cid = await newAdvertiser(service)
    await fill(cid, 2_500)
    const path = `/campaign/${cid.cid}/copy`
    const tried = await cid.call('POST', `${path}?dryRun=true`)
    expect([tried.status, tried.body.code]).toEqual([400, 'too_many_objects'])
    const bulk = await cid.call('POST', '/bulk', { operations: [{ op: 'copyCampaign', cid: cid.cid }] })
    expect(bulk.body.results[0]).toMatchObject({ status: 400, error: { code: 'too_many_objects' } })
    const wrong = await cid.call('POST', path, { end: 1 })
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, '/end'])
    await service.db.run('update banner set external_id = null where pid = $1', [cid.pid])
    await fill(cid, 1_600)
    const huge = await cid.call('POST', path)
    expect([huge.status, huge.body.code, huge.body.message]).toEqual([
      409,
      'quota_exceeded',
      expect.stringContaining('4,102 objects, and the quota is 4,000 (JOB_OBJECTS)'),
    ])
  })

  it('is visible only to its own customer, and looks like a small one to the client', async () => {
    const [dan, eve] = [await newAdvertiser(service), await newAdvertiser(service)]
    await fill(dan, 2_100)
    const baseUrl = await service.listen()
    const client = createClient({ baseUrl, credentials: dan })
    const copy = await client.copyCampaign({ cid: dan.cid, body: { name: 'By the client' } })
    expect(copy).toMatchObject({ name: 'By the client', enabled: false })
    expect(copy.cid).not.toBe(dan.cid)
    const row = await service.db.row<{ job_id: number }>('select job_id from job where cuid = $1', [dan.cuid])
    expect((await dan.call('GET', `/job/${row!.job_id}`)).status).toBe(200)
    expect((await eve.call('GET', `/job/${row!.job_id}`)).status).toBe(404)
    await expect(client.copyPersona({ cid: dan.cid, pid: dan.pid })).rejects.toMatchObject({
      status: 409,
      code: 'quota_exceeded',
    })
  })
})

it('an order of more than 2,000 objects becomes a job too', async () => {
  const ann = await newAdvertiser(service)
  const now = Math.floor(service.clock.nowMs() / 1000)
  const banners = Array.from({ length: 100 }, (_, n) => ({ creativeURL: `https://bikes.example/${n}.png` }))
  const personas = Array.from({ length: 20 }, () => ({
    name: 'P',
    geo: { geos: ['CA'] },
    device: { mobile: true },
    banners,
  }))
  const order = { name: 'Whole', start: now, end: now + 86_400, dailySpend: 10, personas }
  const wrong = await ann.call('POST', '/campaign', { ...order, dailySpend: 0 })
  expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, '/dailySpend'])
  const pairs = `/customer/${ann.cuid}/credential`
  const pair = (await service.call('POST', pairs, { as: ann, body: { scope: 'propose' } })).body
  const propose = (body: object) => service.call('POST', `/campaign?cuid=${ann.cuid}`, { as: pair, body })
  const refused = await propose(order)
  expect([refused.status, refused.body.reason]).toEqual([403, 'too_large_to_propose'])
  const { status, body } = await propose({ ...order, enabled: false })
  expect([status, body.total]).toEqual([202, 2_021])
  expect(await ended(ann, body)).toMatchObject({ status: 'done', result: { cid: expect.any(Number) } })
  expect(await countOf(ann)).toEqual({ campaigns: 2, banners: 2_000 })
})

it('jobs wait for a worker, survive a failure and a restart, are done once, and are limited per customer', async () => {
  const idle = await startTestService({ ROLES: 'api', JOB_OBJECTS: '4000' })
  try {
    const ann = await newAdvertiser(idle)
    await fill(ann, 2_000, idle.db)
    const ask = () => ann.call('POST', `/campaign/${ann.cid}/copy`)
    const jobs = await Promise.all(Array.from({ length: 7 }, ask))
    expect(jobs.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 202, 429, 429])
    const first = jobs.find(({ status }) => status === 202)!.body as Job
    expect((await ann.call('GET', `/job/${first.job}`)).body).toMatchObject({ status: 'waiting' })
    await idle.db.run('delete from graphile_worker._private_jobs where key <> $1', [`job:${first.job}`])
    let runs = 0
    const quotas = { campaigns: 99, personas: 99, personasPerCampaign: 99, banners: 99_999 }
    const task = jobTask({
      db: idle.db,
      clock: idle.clock,
      timeZone: 'UTC',
      quotas,
      alert: async () => {},
      work: async (tx, job) => {
        runs++
        await tx.run("insert into campaign_watch (cid, phase) values ($1, 'over')", [-job.job_id])
        if (runs === 1) throw new Error('the process died')
        return { cid: ann.cid }
      },
    })
    const start = () =>
      startJobs({
        db: idle.db,
        databaseUrl: idle.databaseUrl,
        tasks: { [JOB_TASK]: task },
        concurrency: 2,
        clock: idle.clock,
        log: createLog('silent'),
      })
    const stop = await start()
    await until(async () => (runs > 0 ? true : null))
    await stop()
    expect((await ann.call('GET', `/job/${first.job}`)).body).toMatchObject({
      status: 'running',
      ended: null,
    })
    await idle.db.run('update graphile_worker._private_jobs set run_at = now()')
    const stopAgain = await start()
    const done = await until(async () => {
      const { body } = await ann.call('GET', `/job/${first.job}`)
      return body.ended === null ? null : body
    })
    await stopAgain()
    expect(done).toMatchObject({ status: 'done', result: { cid: ann.cid } })
    await task({ jobId: first.job })
    expect(runs).toBe(2)

    // If a freeze or a ceiling arrives while the job runs, the job fails and leaves nothing behind.
    const others = jobs.filter(({ status, body }) => status === 202 && body.job !== first.job)
    const meet = async ({ body: job }: (typeof jobs)[number], change: () => Promise<unknown>) => {
      const work: Work = async (tx, { job_id, cuid, actor }) => {
        await tx.run("insert into campaign_watch (cid, phase) values ($1, 'over')", [-job_id])
        const made = { noun: 'campaign', id: ann.cid, action: 'create', cuid, cid: ann.cid, actor } as const
        const after = { enabled: true, dailySpend: 10 }
        await recordChange(tx, { ...made, at: new Date(idle.clock.nowMs()), before: null, after })
        await change()
        return { cid: ann.cid }
      }
      const checks = { timeZone: 'UTC', quotas, alert: async () => {} }
      await jobTask({ db: idle.db, clock: idle.clock, work, ...checks })({ jobId: job.job })
      const { status, result, error } = (await ann.call('GET', `/job/${job.job}`)).body
      const left = await idle.db.rows('select 1 from campaign_watch where cid = $1', [-job.job])
      return [status, result, error?.code, left.length]
    }
    const customer = `/customer/${ann.cuid}`
    const frozen = await meet(others[0]!, () => idle.call('PUT', `${customer}/freeze`))
    expect(frozen).toEqual(['failed', null, 'frozen', 0])
    await idle.call('PUT', `${customer}/unfreeze`)
    const body = { ceilings: { dailySpend: 5 } }
    const ceiled = await meet(others[1]!, () => idle.call('PUT', customer, { body }))
    expect(ceiled).toEqual(['failed', null, 'ceiling_exceeded', 0])

    idle.clock.advance(8 * 86_400_000)
    await sweepJobs(idle.db, idle.clock)
    expect((await ann.call('GET', `/job/${first.job}`)).status).toBe(404)
  } finally {
    await idle.close()
  }
})
