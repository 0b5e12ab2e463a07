// Binds statistics endpoints to their verbs; sends figures as JSON or CSV.

import { zonesOf } from '../../changes/customer-zones.ts'
import { Answer, type Api } from '../../http/api.ts'
import { answerTo, createSlots, slotOwner } from '../../http/slots.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Day } from '../../kernel/time/day.ts'
import { calendarIn, zoneAt } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import { breakdown, isById, readDimension } from './breakdown.ts'
import * as contract from './contract.ts'
import { csvHeaders, csvOf } from './csv.ts'
import { EVENT_MEDIA, eventHeaders, eventStream } from './events.ts'
import { createLive } from './live.ts'
import { pickMedia } from './media.ts'
import {
  filtered,
  findSubject,
  findSubjectOfCampaign,
  type Period,
  type SeriesQuestion,
  type Subject,
  summary,
  timeseries,
} from './report.ts'
import { type FiguresQuestion, figuresAtOnce } from './snapshot.ts'
import { type Zone, zoneOfSetting } from './zone.ts'

export interface StatsParts {
  clock: Clock
  /** The deployment's time zone, for customers without one of their own. */
  timeZone: string
  log: Log
}

interface At {
  db: Db
  caller: Caller
  cuid: number
  params: Record<string, string>
}

interface Asked {
  request: { headers: { accept?: string | undefined } }
}

const FIGURES = ['imps', 'clicks', 'actions', 'spend', 'ctr', 'cnvr'] as const
/** CSV columns are also read by position, so new ones come last. */
const ADDED = ['views', 'value', 'roas', 'valuePerAction'] as const
/** Limited because each export reads page after page, as fast as its reader takes them. */
export const EXPORTS_AT_ONCE = { total: 8, perApp: 4, perCustomer: 2 }

export function statsRoutes(api: Api, { clock, timeZone, log }: StatsParts): void {
  const zoneOf = zoneOfCustomer({ clock, timeZone })
  const todayOf = todayOfCustomer({ clock, timeZone })
  const find = (call: At) => allowed(call, findSubject(call.db, call.cuid, call.params.id!))

  api.bind(contract.readSummary, {
    find,
    handle: async call => {
      const body = await summary(call.db, call.found, call.query as Period)
      return asAsked(call, body, ['id', ...FIGURES, ...ADDED], [body], `summary-${body.id}`)
    },
  })
  api.bind(contract.readTimeseries, {
    find,
    handle: async call => {
      const question = call.query as SeriesQuestion
      const body = await timeseries(call.db, call.found, question, { clock, zone: await zoneOf(call) })
      return asAsked(call, body, ['date', ...FIGURES, ...ADDED], body.timeseries, `timeseries-${body.id}`)
    },
  })
  api.bind(contract.readBreakdown, {
    find: async call => {
      const subject = await find(call)
      return { subject, dimension: readDimension(call.params.dimension!, subject) }
    },
    handle: async call => {
      const { subject, dimension } = call.found
      const body = await breakdown(call.db, subject, dimension, call.query as Period, await zoneOf(call))
      const rows = body.breakdown.map(row => ({ ...row, id: row.id ?? null }))
      const first = isById(dimension) ? (['id', 'name'] as const) : (['name'] as const)
      const columns = [...first, ...FIGURES, 'share', ...ADDED] as const
      return asAsked(call, body, columns, rows, `${dimension}-${body.id}`)
    },
  })
  api.bind(contract.readFiltered, {
    find,
    handle: async call => {
      const body = await filtered(call.db, call.found, call.query as Period, await zoneOf(call))
      const columns = ['reason', 'imps', 'clicks', 'actions'] as const
      return asAsked(call, body, columns, body.filtered, `filtered-${body.id}`)
    },
  })
  api.bind(contract.readFigures, {
    find,
    handle: async call => {
      const parts = { clock, zone: await zoneOf(call), today: await todayOf(call) }
      return figuresAtOnce(call.database, call.found, call.query as FiguresQuestion, parts)
    },
  })
  bindEvents(api)
  bindLive(api, { clock, timeZone, log })
}

/** Throws 403 if the pair is limited to some campaigns and the subject is not part of them. */
async function allowed<S extends Subject>({ caller }: At, found: Promise<S>): Promise<S> {
  const subject = await found
  const cids = caller.level === 'customer' ? caller.cids : null
  if (cids !== null && (subject.cid === null || !cids.includes(subject.cid)))
    throw refusal('campaign_not_allowed')
  return subject
}

/** The customer's current zone, whose days are the days of its figures. */
function zoneOfCustomer({ clock, timeZone }: Pick<StatsParts, 'clock' | 'timeZone'>) {
  return async ({ db, cuid }: { db: Db; cuid: number }): Promise<Zone> =>
    zoneOfSetting(zoneAt(await zonesOf(db, cuid), clock.nowMs()) ?? timeZone)
}

function todayOfCustomer({ clock, timeZone }: Pick<StatsParts, 'clock' | 'timeZone'>) {
  return async ({ db, cuid }: { db: Db; cuid: number }): Promise<Day> =>
    calendarIn(await zonesOf(db, cuid), timeZone).dayAt(clock.nowMs())
}

function bindEvents(api: Api): void {
  const takeSlot = createSlots('exports', EXPORTS_AT_ONCE)
  api.bind(contract.listEvents, {
    find: call => allowed(call, findSubjectOfCampaign(call.db, call.cuid, call.params.id!)),
    handle: async call => {
      const media = pickMedia(call.request.headers.accept, EVENT_MEDIA)
      const headers = eventHeaders(call.found, media)
      const stream = eventStream(call.db, call.found, call.query as Period, media)
      if (call.request.method === 'HEAD') return streamed('', headers)
      stream.once('close', takeSlot(slotOwner(call.caller, call.cuid), answerTo(call.request.raw)))
      return streamed(stream, headers)
    },
  })
}

function bindLive(api: Api, { clock, timeZone, log }: StatsParts): void {
  const live = createLive({ db: api.reads, clock, todayOf: todayOfCustomer({ clock, timeZone }), log })
  // Runs before the server waits for requests under way, because streams would never end by themselves.
  api.fastify.addHook('preClose', () => live.close())
  api.bind(contract.readLive, {
    handle: async call => {
      const media = pickMedia(call.request.headers.accept, ['application/json', 'text/event-stream'])
      if (media === 'application/json' || call.request.method === 'HEAD') return live.read(call.db, call.cuid)
      const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
      const owner = { appId: call.caller.appId, cuid: call.cuid }
      return streamed(await live.open(owner, answerTo(call.request.raw)), { ...headers, vary: 'accept' })
    },
  })
}

/** A stream or text is sent as it is. To the type checker, it is the answer that the contract describes. */
function streamed(body: unknown, headers: Record<string, string>): Answer<never> {
  return new Answer(body as never, headers)
}

function asAsked<Body, Row extends object>(
  call: Asked,
  body: Body,
  columns: readonly (keyof Row & string)[],
  rows: Row[],
  fileName: string,
): Answer<Body> {
  const media = pickMedia(call.request.headers.accept, ['application/json', 'text/csv'])
  if (media === 'application/json') return new Answer(body, { vary: 'accept' })
  return streamed(csvOf(columns, rows), csvHeaders(fileName))
}
