// Writes counted events as delivery would leave them behind: event or action, and every rollup they belong to.

import { createHash } from 'node:crypto'
import type { Database, Db } from '../../src/platform/database.ts'
import { dateOf, dayNumber } from '../../src/stats/buckets.ts'
import { openZone } from '../../src/stats/zone.ts'

export interface TestEvent {
  kind: 'impression' | 'click' | 'action'
  atMs: number
  adNumber: number
  cuid: number
  cid: number
  fid: number
  pid: number
  bid: number
  spendMicros?: number
  domain?: string | null
  app?: string | null
  device?: string
  os?: string
  country?: string
  /** Of an action. */
  name?: string
}

const UNKNOWN = 'unknown'

export async function recordEvents(db: Database, events: TestEvent[], timeZone = 'UTC'): Promise<void> {
  await db.transaction(async tx => {
    await tx.run('create table if not exists event_default partition of event default')
    for (const event of events) await record(tx, event, timeZone)
  })
}

async function record(tx: Db, event: TestEvent, timeZone: string): Promise<void> {
  const zone = openZone(timeZone)!
  const timeS = Math.floor(event.atMs / 1000)
  const at = new Date(event.atMs)
  const adId = createHash('sha256').update(String(event.adNumber)).digest().subarray(0, 16)
  const placeHash = await placeOf(tx, event)
  const where = [placeHash, event.device ?? null, event.os ?? null, event.country ?? null]
  const ids = [event.cid, event.fid, event.pid, event.bid]
  const spendMicros = event.spendMicros ?? 0
  const day = dayNumber(zone, timeS)
  if (event.kind === 'action') {
    await tx.run(
      `insert into action (cuid, dedupe, at, name, served_at, ad_id, credited_to,
         cid, fid, pid, bid, place_hash, device, os, country)
       values ($1, $2, $3, $4, $3, $5, 'click', $6, $7, $8, $9, $10, $11, $12, $13)`,
      [event.cuid, `o:${event.adNumber}`, at, event.name ?? 'buy', adId, ...ids, ...where],
    )
  } else {
    await tx.run(
      `insert into event (served_at, ad_id, kind, at, cuid, cid, fid, pid, bid, source_id, budget_day,
         spend_micros, place_hash, device, os, country)
       values ($1, $2, $3, $1, $4, $5, $6, $7, $8, 1, $9, $10, $11, $12, $13, $14)`,
      [at, adId, event.kind, event.cuid, ...ids, day, spendMicros, ...where],
    )
  }
  const counts = [
    event.kind === 'impression' ? 1 : 0,
    event.kind === 'click' ? 1 : 0,
    event.kind === 'action' ? 1 : 0,
    spendMicros,
  ]
  const quarter = new Date(Math.floor(timeS / 900) * 900_000)
  for (const id of [event.cuid, ...ids]) {
    await addTo(tx, 'rollup', ['id', 'quarter'], [id, quarter], counts)
    for (const [dimension, name] of dimensionsOf(event, timeS + zone.offsetAt(timeS))) {
      const key = [id, dimension, dateOf(zone, timeS), name]
      await addTo(tx, 'rollup_dimension', ['id', 'dimension', 'day', 'name'], key, counts)
    }
  }
  if (spendMicros > 0) {
    await tx.run(
      `insert into budget_day as b values ($1, $2, $3)
       on conflict (cid, day) do update set spent_micros = b.spent_micros + excluded.spent_micros`,
      [event.cid, day, spendMicros],
    )
  }
}

function dimensionsOf(event: TestEvent, localS: number): [string, string][] {
  const all: [string, string | null | undefined][] = [
    ['os', event.os ?? UNKNOWN],
    ['device', event.device ?? UNKNOWN],
    ['country', event.country ?? UNKNOWN],
    ['banner', String(event.bid)],
    ['persona', String(event.pid)],
    ['hour', String(Math.floor(localS / 3600) % 24).padStart(2, '0')],
    ['domain', event.domain],
    ['app', event.app],
    ['action', event.kind === 'action' ? (event.name ?? 'buy') : null],
  ]
  return all.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
}

async function addTo(tx: Db, table: string, columns: string[], key: unknown[], counts: number[]) {
  const places = [...key, ...counts].map((_, index) => `$${index + 1}`)
  await tx.run(
    `insert into ${table} as r (${columns.join(', ')}, imps, clicks, actions, spend_micros)
     values (${places.join(', ')})
     on conflict (${columns.join(', ')}) do update set imps = r.imps + excluded.imps,
       clicks = r.clicks + excluded.clicks, actions = r.actions + excluded.actions,
       spend_micros = r.spend_micros + excluded.spend_micros`,
    [...key, ...counts],
  )
}

async function placeOf(tx: Db, { domain, app }: TestEvent): Promise<number | null> {
  const name = domain ?? app
  if (!name) return null
  const hash = createHash('sha256').update(name).digest().readUIntBE(0, 6)
  await tx.run('insert into place values ($1, $2, $3) on conflict do nothing', [
    hash,
    domain ? 'domain' : 'app',
    name,
  ])
  return hash
}
