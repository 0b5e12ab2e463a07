// Counted events for tests, written by the ingest itself, and a client for streams.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createIngest } from '../../src/count/ingest/ingest.ts'
import { ensurePartitions } from '../../src/count/ingest/partitions.ts'
import { adKeyOf, type DeviceName, type ServedAd } from '../../src/count/tracking/ad.ts'
import type { AdEvent } from '../../src/count/tracking/event.ts'
import { createPlaces, type Places } from '../../src/count/tracking/places.ts'
import { DAY_MS } from '../../src/kernel/time/units.ts'
import type { Database } from '../../src/platform/database.ts'
import { dayNumber } from '../../src/report/figures/buckets.ts'
import { openZone } from '../../src/report/figures/zone.ts'
import { withPlenty } from './shares.ts'

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
  domain?: string
  app?: string
  device?: DeviceName
  os?: string
  country?: string
  locality?: number
  audience?: number
  sourceId?: number
  /** The name of an action. */
  name?: string
  valueMicros?: number
}

export async function recordEvents(db: Database, events: TestEvent[], timeZone = 'UTC'): Promise<void> {
  const places = createPlaces({ maxPlaces: 1000 })
  const ingest = withPlenty(db, createIngest({ db, timeZone, places }))
  await ensurePartitions(db, new Set(events.map(event => Math.floor(event.atMs / DAY_MS))))
  const counted = events.flatMap(event =>
    event.kind === 'action'
      ? []
      : [
          {
            kind: event.kind,
            ad: adOf(event, places, timeZone),
            atMs: event.atMs,
            spendMicros: event.spendMicros ?? 0,
          },
        ],
  )
  const actions = events
    .filter(event => event.kind === 'action')
    .map(event => ({
      ad: adOf(event, places, timeZone),
      creditedTo: 'click' as const,
      dedupe: `o:${event.adNumber}`,
      byPixel: false,
      atMs: event.atMs,
      name: event.name ?? 'buy',
      valueMicros: event.valueMicros ?? null,
    }))
  const written = await withImpressions(db, counted, () =>
    ingest({ events: counted, actions: [], ignored: [] }),
  )
  const results = [written, await ingest({ events: [], actions, ignored: [] })]
  const left = results.flatMap(({ known, late, unseen = [] }) => [...known, ...late, ...unseen])
  if (left.length > 0) throw new Error(`${left.length} events were not counted`)
}

/** A click counts only if its impression does: that is there while they are written, and in no figures. */
async function withImpressions<T>(db: Database, events: AdEvent[], write: () => Promise<T>): Promise<T> {
  const seen = new Set(events.flatMap(({ kind, ad }) => (kind === 'impression' ? [adKeyOf(ad)] : [])))
  const clicks = events.filter(({ kind, ad }) => kind === 'click' && !seen.has(adKeyOf(ad)))
  if (clicks.length === 0) return write()
  const keys = [clicks.map(({ ad }) => adKeyOf(ad)), clicks.map(({ ad }) => ad.servedS)]
  const lent = await db.rows<{ ad: string }>(
    `insert into event (ad, at, cid, leaf, source_id, place_hash, user_hi, user_lo, spend_micros, budget_day, country,
       kind, device, os)
     select ad, to_timestamp(at), 0, 0, 0, 0, 0, 0, 0, 0, 0, 'i', '?', '?'
     from unnest($1::uuid[], $2::float8[]) as t(ad, at) on conflict do nothing returning ad`,
    keys,
  )
  const result = await write()
  await db.run("delete from event where kind = 'i' and leaf = 0 and ad = any($1)", [lent.map(({ ad }) => ad)])
  return result
}

function adOf(event: TestEvent, places: Places, timeZone: string): ServedAd {
  const { cuid, cid, fid, pid, bid, adNumber, atMs, domain, app } = event
  const place = domain ? places.hashOf('domain', domain) : app ? places.hashOf('app', app) : null
  return {
    adId: createHash('sha256').update(String(adNumber)).digest().subarray(0, 12).toString('base64url'),
    servedS: Math.floor(atMs / 1000),
    ...{ cuid, cid, fid, pid, bid },
    sourceId: event.sourceId ?? 1,
    priceMicros: event.spendMicros ?? 0,
    ttlS: 300,
    dayKey: dayNumber(openZone(timeZone)!, Math.floor(atMs / 1000)),
    nodeId: 0,
    flightPays: false,
    user: null,
    placeHash: place,
    placeName: null,
    networkHash: null,
    agentHash: null,
    country: event.country ?? null,
    locality: event.locality ?? 0,
    audience: event.audience ?? 0,
    device: event.device ?? null,
    os: event.os ?? null,
    test: false,
    foreignDomain: false,
    billsOn: 'pixel',
    takesPrice: false,
  }
}

/** Opens a request on its own connection, which ends with it. `fetch` opens spare ones, and a stop waits for those. */
export async function openRequest(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const request = get(url, { headers, agent: false })
  const [answer] = await once(request, 'response')
  // A test that closes a stream early does so on purpose.
  answer.on('error', () => {})
  return answer
}
