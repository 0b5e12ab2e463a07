// The catalog follows the database: nothing is missed, in whatever order transactions commit, and if connections break.

import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import type { LiveCampaign, ServablePersona } from '../../budget/live.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { createLog } from '../../platform/log.ts'
import { type Catalog, startCatalog } from './catalog.ts'

let service: TestService
let catalog: Catalog
let cuid: number
/** What the sink received last. */
const received = { personas: new Map<number, ServablePersona>(), campaigns: new Map<number, LiveCampaign>() }

const sink = {
  putPersona: (persona: ServablePersona) => void received.personas.set(persona.pid, persona),
  removePersona: (pid: number) => void received.personas.delete(pid),
  setCampaign: (campaign: LiveCampaign) => void received.campaigns.set(campaign.cid, campaign),
  removeCampaign: (cid: number) => void received.campaigns.delete(cid),
}

beforeAll(async () => {
  service = await startTestService()
  await service.delivery.started
  cuid = (await service.newCustomer({ website: 'https://www.bikes.example/' })).cuid
})
afterAll(async () => {
  await catalog?.stop()
  await service.close()
})

async function start(pollMs: number): Promise<void> {
  await catalog?.stop()
  received.personas.clear()
  received.campaigns.clear()
  const { db, clock, config } = service
  const log = createLog('silent')
  catalog = await startCatalog({
    db,
    databaseUrl: config.DATABASE_URL!,
    clock,
    calendar: calendarOf('UTC'),
    log,
    sink,
    pollMs,
  })
}

/** Inserts rows as the API would, but without its hint. */
async function insert(
  client: { query: pg.Pool['query'] },
  options: { website?: boolean } = {},
): Promise<{ cid: number; pid: number }> {
  const one = async (text: string, params: unknown[]) =>
    Number(Object.values((await client.query(text, params)).rows[0])[0])
  const cid = await one(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category, pacing, created_at, updated_at)
     values ($1, 'c', now() - interval '1 h', now() + interval '1 day', true, 0, 1000000, 2000000, '{}', 'asap', now(), now()) returning cid`,
    [cuid],
  )
  await client.query(
    `insert into flight (cid, is_default, name, created_at, updated_at) values ($1, true, 'f', now(), now())`,
    [cid],
  )
  const pid = await one(
    `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
     values ($1, 'p', '{"geos":["CA-ON-Toronto"]}', '{}', '{"mobile":true,"tablet":true,"desktop":true}',
       '{"gender":null,"age":null}', now(), now()) returning pid`,
    [cid],
  )
  await client.query(
    `insert into banner (pid, name, creative_url, click_url, width, height, type, bytes, creative_name, status, created_at, updated_at)
     values ($1, 'b', 'https://x.example/a.png', $2, 300, 250, 'image/png', 1, 'a.png', 'approved', now(), now())`,
    [pid, options.website ? null : 'https://shop.example/'],
  )
  await changed(client, 'campaign', cid)
  return { cid, pid }
}

const changed = (client: { query: pg.Pool['query'] }, noun: string, id: number) =>
  client.query('insert into catalog_change (noun, id) values ($1, $2)', [noun, id])

describe('loading at the start', () => {
  it('reads campaigns, personas and approved banners, and nothing that may not be served', async () => {
    const { pool } = service.db
    const [good, website, paused, deleted, ended, pending] = [
      await insert(pool),
      await insert(pool, { website: true }),
      await insert(pool),
      await insert(pool),
      await insert(pool),
      await insert(pool),
    ]
    await pool.query('update campaign set enabled = false where cid = $1', [paused.cid])
    await pool.query('update persona set deleted_at = now() where pid = $1', [deleted.pid])
    await pool.query(`update campaign set end_at = now() - interval '1 min' where cid = $1`, [ended.cid])
    await pool.query(`update banner set status = 'pending' where pid = $1`, [pending.pid])
    await start(60_000)
    expect([...received.personas.keys()].sort()).toEqual([good.pid, website.pid].sort())
    expect(received.personas.get(good.pid)).toMatchObject({
      order: { campaign: { cid: good.cid, enabled: true, cpmMicros: 2_000_000 } },
      targeting: { geo: { places: [{ country: 'CA', region: 'ON', city: 'toronto' }] } },
      banners: [{ width: 300, imagePath: '/creative/a.png', adomain: 'shop.example' }],
    })
    expect(received.personas.get(website.pid)!.banners[0]).toMatchObject({ adomain: 'bikes.example' })
    expect(received.campaigns.get(paused.cid)).toMatchObject({ enabled: false })
    expect(received.campaigns.has(ended.cid)).toBe(false)
    expect(new Set(catalog.sources().values()).size).toBe(2)
  })
})

describe('following', () => {
  beforeEach(() => start(60_000))

  it('a transaction that commits late, after later ones were read, is not missed', async () => {
    const slow = await service.db.pool.connect()
    await slow.query('begin')
    const late = await insert(slow)
    const early = await insert(service.db.pool)
    await catalog.refresh()
    expect([catalog.personas.has(early.pid), catalog.personas.has(late.pid)]).toEqual([true, false])
    const between = await insert(service.db.pool)
    await catalog.refresh()
    await slow.query('commit')
    slow.release()
    await catalog.refresh()
    expect([catalog.personas.has(between.pid), catalog.personas.has(late.pid)]).toEqual([true, true])
  })

  it('each kind of change updates what it concerns, without reading the rest', async () => {
    const { pool } = service.db
    const { cid, pid } = await insert(pool, { website: true })
    await catalog.refresh()
    const others = new Map(received.personas)
    const apply = async (noun: string, id: number, text: string, params: unknown[]) => {
      await pool.query(text, params)
      await changed(pool, noun, id)
      await catalog.refresh()
    }
    await apply('persona', pid, `update persona set cat = '{IAB1}' where pid = $1`, [pid])
    expect(catalog.personas.get(pid)!.targeting.cat).toEqual(['IAB1'])
    const { rows } = await pool.query('select bid from banner where pid = $1', [pid])
    await apply('banner', Number(rows[0].bid), `update banner set status = 'rejected' where pid = $1`, [pid])
    expect(catalog.personas.has(pid)).toBe(false)
    await apply('banner', Number(rows[0].bid), `update banner set status = 'approved' where pid = $1`, [pid])
    expect(catalog.personas.has(pid)).toBe(true)
    await apply('customer', cuid, `update customer set website = 'https://other.example/' where cuid = $1`, [
      cuid,
    ])
    expect(catalog.personas.get(pid)!.banners[0]!.adomain).toBe('other.example')
    const { rows: flights } = await pool.query(
      `insert into flight (cid, is_default, name, start_at, end_at, created_at, updated_at)
       values ($1, false, 'f', now(), now() + interval '1 h', now(), now()) returning fid`,
      [cid],
    )
    await apply('flight', Number(flights[0].fid), 'select 1', [])
    expect(catalog.orders.get(cid)!.campaign.flights).toEqual([
      { fid: Number(flights[0].fid), startS: expect.any(Number), endS: expect.any(Number) },
    ])
    await apply('campaign', cid, 'update campaign set enabled = false where cid = $1', [cid])
    expect([catalog.personas.has(pid), catalog.orders.has(cid)]).toEqual([false, true])
    await apply('campaign', cid, 'update campaign set enabled = true where cid = $1', [cid])
    expect(catalog.personas.has(pid)).toBe(true)
    await apply('campaign', cid, 'update campaign set deleted_at = now() where cid = $1', [cid])
    expect([catalog.personas.has(pid), catalog.orders.has(cid), received.campaigns.has(cid)]).toEqual([
      false,
      false,
      false,
    ])
    await apply('customer', cuid, 'update customer set api_access = false where cuid = $1', [cuid])
    expect(catalog.personas.size).toBe(0)
    await apply(
      'customer',
      cuid,
      `update customer set api_access = true, website = 'https://www.bikes.example/' where cuid = $1`,
      [cuid],
    )
    expect(catalog.personas.size).toBe(others.size - 1)
  })

  it('more changes than fit into a page are all read, in whatever order their transactions come', async () => {
    const { pool } = service.db
    const made = await insert(pool)
    await pool.query(
      `insert into catalog_change (noun, id, tx)
      select 'persona', $1, (pg_current_xact_id()::text::bigint + i % 1100)::text::xid8 from generate_series(1, 2500) i`,
      [made.pid],
    )
    const last = await insert(pool)
    await catalog.refresh()
    expect([catalog.personas.has(made.pid), catalog.personas.has(last.pid)]).toEqual([true, true])
    await pool.query('delete from catalog_change')
  })

  it('a campaign whose time is over is removed with its personas', async () => {
    const { cid, pid } = await insert(service.db.pool)
    await catalog.refresh()
    expect(catalog.personas.has(pid)).toBe(true)
    service.clock.advance(25 * 3_600_000)
    await catalog.refresh()
    expect([catalog.personas.has(pid), catalog.orders.has(cid)]).toEqual([false, false])
    service.clock.advance(-25 * 3_600_000)
  })

  it('rows that everybody has read are deleted', async () => {
    await service.db.run(
      `insert into catalog_change (noun, id, at) values ('campaign', 1, now() - interval '2 days')`,
    )
    service.clock.advance(120_000)
    await catalog.refresh()
    service.clock.advance(-120_000)
    const old = await service.db.row(`select 1 from catalog_change where at < now() - interval '1 day'`)
    expect(old).toBeNull()
  })

  it('after a pause in which rows may have been deleted, everything is read again', async () => {
    // In one transaction, so that no poll comes in between.
    const client = await service.db.pool.connect()
    await client.query('begin')
    const { pid } = await insert(client)
    await client.query('delete from catalog_change')
    await client.query('commit')
    client.release()
    await catalog.refresh()
    expect(catalog.personas.has(pid)).toBe(false)
    service.clock.advance(7 * 3_600_000)
    await catalog.refresh()
    service.clock.advance(-7 * 3_600_000)
    expect(catalog.personas.has(pid)).toBe(true)
  })
})

describe('by itself', () => {
  it('polls, so that a lost hint is harmless', async () => {
    await start(100)
    const { pid } = await insert(service.db.pool)
    await until(async () => (catalog.personas.has(pid) ? true : null))
  })

  it('is notified, so that nobody waits for the poll, even after its connection was cut', async () => {
    await start(60_000)
    const cut = () =>
      service.db.rows(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'marquee catalog' and datname = current_database()`)
    for (const step of ['fresh', 'after the cut']) {
      const { pid } = await insert(service.db.pool)
      await until(async () => {
        await service.db.run(`select pg_notify('catalog_change', '')`)
        return catalog.personas.has(pid) ? true : null
      })
      if (step === 'fresh') await cut()
    }
  })
})
