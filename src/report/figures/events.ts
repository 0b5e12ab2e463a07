// Streams every counted event of a campaign, flight, persona or banner in time order, in constant memory. Impressions
// and clicks are one sequence of pages, actions are another; they are merged as they are read.

import { Readable } from 'node:stream'
import { readAdKey } from '../../count/tracking/ad.ts'
import { categoryOf, countryName, deviceName, kindName, osName } from '../../count/tracking/codes.ts'
import { fromMicros } from '../../kernel/money.ts'
import { fromSeconds } from '../../kernel/time/clock.ts'
import { iabCodes } from '../../manage/reference/iab.ts'
import type { Db } from '../../platform/database.ts'
import { QUARTER_S } from './buckets.ts'
import type { StatsEvent } from './contract.ts'
import { csvHeaders, csvLine } from './csv.ts'
import {
  type ActionKey,
  type ActionRow,
  type EventKey,
  type EventRow,
  FIRST_AD,
  selectActions,
  selectEvents,
} from './event-queries.ts'
import { checked, type Period, type SubjectOfCampaign as Subject } from './report.ts'

export const EVENT_MEDIA = ['application/json', 'application/x-ndjson', 'text/csv'] as const
export type EventMedia = (typeof EVENT_MEDIA)[number]

const PAGE_SIZE = 5000
const LARGEST_INT = 2_147_483_647

const COLUMNS: (keyof StatsEvent)[] = [
  'kind',
  'time',
  'ad',
  'cid',
  'fid',
  'pid',
  'bid',
  'source',
  'spend',
  'domain',
  'app',
  'device',
  'os',
  'country',
  'name',
  'value',
  'creditedTo',
  'region',
  'city',
  'category',
]

export function eventHeaders(subject: Subject, media: EventMedia): Record<string, string> {
  if (media === 'text/csv') return csvHeaders(`events-${subject.id}`)
  return { 'content-type': `${media}; charset=utf-8`, vary: 'accept' }
}

/** Reads nothing before the first byte is requested. */
export function eventStream(db: Db, subject: Subject, period: Period, media: EventMedia): Readable {
  return Readable.from(chunks(pages(db, subject, checked(period)), media), { objectMode: false })
}

async function* chunks(batches: AsyncGenerator<StatsEvent[]>, media: EventMedia): AsyncGenerator<string> {
  let separator = ''
  if (media === 'application/json') yield '['
  if (media === 'text/csv') yield csvLine(COLUMNS)
  for await (const batch of batches) {
    if (media === 'text/csv') yield batch.map(event => csvLine(COLUMNS.map(name => event[name]))).join('')
    else if (media === 'application/x-ndjson') yield batch.map(event => `${JSON.stringify(event)}\n`).join('')
    else yield separator + JSON.stringify(batch).slice(1, -1)
    separator = ','
  }
  if (media === 'application/json') yield ']'
}

/** Yields batches in time order that are never empty. */
async function* pages(db: Db, subject: Subject, period: Period): AsyncGenerator<StatsEvent[]> {
  let batch: StatsEvent[] = []
  for await (const event of merged(events(db, subject, period), actions(db, subject, period))) {
    if (!isOf(subject, event)) continue
    batch.push(event)
    if (batch.length < PAGE_SIZE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

interface Timed {
  /** As text in UTC, which sorts by time. */
  at: string
  event: StatsEvent
}

async function* merged(
  first: AsyncGenerator<Timed>,
  second: AsyncGenerator<Timed>,
): AsyncGenerator<StatsEvent> {
  let [a, b] = [await first.next(), await second.next()]
  while (!a.done || !b.done) {
    if (b.done || (!a.done && a.value.at <= b.value.at)) {
      yield (a.value as Timed).event
      a = await first.next()
    } else {
      yield b.value.event
      b = await second.next()
    }
  }
}

/** Pages contain all events of the campaign, as the index does; so everything beneath it costs the same. */
function isOf({ id, kind }: Subject, event: StatsEvent): boolean {
  if (kind === 'campaign') return true
  return event[kind === 'flight' ? 'fid' : kind === 'persona' ? 'pid' : 'bid'] === id
}

async function* events(db: Db, { cid }: Subject, period: Period): AsyncGenerator<Timed> {
  const { from, to } = boundsOf(period)
  let after: EventKey | null = { at: from, quarter: quarterOf(period), ad: FIRST_AD, kind: '' }
  while (after) {
    const rows: EventRow[] = await selectEvents(db, cid, to, after, PAGE_SIZE)
    for (const row of rows) yield { at: row.at, event: fromEvent(cid, row) }
    const last = rows.length === PAGE_SIZE ? rows.at(-1)! : null
    after = last && { at: last.at, quarter: last.quarter, ad: last.ad, kind: last.kind }
  }
}

async function* actions(db: Db, { cid }: Subject, period: Period): AsyncGenerator<Timed> {
  const { from, to } = boundsOf(period)
  let after: ActionKey | null = { at: from, actionId: 0 }
  while (after) {
    const rows: ActionRow[] = await selectActions(db, cid, to, after, PAGE_SIZE)
    for (const row of rows) yield { at: row.at, event: fromAction(cid, row) }
    const last = rows.length === PAGE_SIZE ? rows.at(-1)! : null
    after = last && { at: last.at, actionId: last.action_id }
  }
}

/** The first quarter that the period touches. */
function quarterOf({ start }: Period): number {
  return start === undefined ? -LARGEST_INT : Math.floor(start / QUARTER_S)
}

function boundsOf({ start, end }: Period): { from: string; to: Date | string } {
  return {
    from: start === undefined ? '-infinity' : fromSeconds(start).toISOString(),
    to: end === undefined ? 'infinity' : fromSeconds(end),
  }
}

function fromEvent(cid: number, row: EventRow): StatsEvent {
  return {
    kind: kindName(row.kind),
    ...common(cid, row, readAdKey(row.ad).adId),
    source: row.source_id,
    spend: fromMicros(row.spend_micros),
    ...where(row),
    device: deviceName(row.device),
    os: osName(row.os),
    country: countryName(row.country),
    ...about(row),
    name: null,
    value: null,
    creditedTo: null,
  }
}

function fromAction(cid: number, row: ActionRow): StatsEvent {
  return {
    kind: 'action',
    ...common(cid, row, row.ad_id.toString('base64url')),
    source: null,
    spend: 0,
    ...where(row),
    device: row.device,
    os: row.os,
    country: row.country,
    ...about(row),
    name: row.name,
    value: row.value_micros === null ? null : fromMicros(row.value_micros),
    creditedTo: row.credited_to,
  }
}

function common(cid: number, { at_s: time, fid, pid, bid }: EventRow | ActionRow, ad: string) {
  return { time, ad, cid, fid, pid, bid }
}

const CATEGORIES = iabCodes()

function about({ region, city, audience }: EventRow | ActionRow) {
  return { region, city, category: CATEGORIES[categoryOf(audience) - 1] ?? null }
}

function where({ place_kind, place_name }: EventRow | ActionRow) {
  return {
    domain: place_kind === 'domain' ? place_name : null,
    app: place_kind === 'app' ? place_name : null,
  }
}
