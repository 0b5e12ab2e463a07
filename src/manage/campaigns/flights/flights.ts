// The verbs of flights, the dated runs inside a campaign. A moment of a campaign is in at most one own flight, so that
// every event has exactly one flight. Each write locks the campaign's row to guarantee that.

import { recordChange } from '../../../changes/changes.ts'
import type { Tx } from '../../../changes/tx.ts'
import { deletionOf, type RestoreTimes, restorableSince } from '../../../http/deleted.ts'
import { checkIfMatch, etagOf } from '../../../http/etag.ts'
import type { ActorText } from '../../../kernel/actor.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { type FieldError, fieldError } from '../../../kernel/errors/field-error.ts'
import { invalidInput, notFound, refusal } from '../../../kernel/errors/problem.ts'
import { parseId } from '../../../kernel/id.ts'
import { fromMicros, toMicros } from '../../../kernel/money.ts'
import { type Clock, fromSeconds, toSeconds } from '../../../kernel/time/clock.ts'
import type { Db } from '../../../platform/database.ts'
import { checkDates } from '../fields.ts'
import { type CampaignRow, lockCampaign } from '../queries.ts'
import type { Flight, FlightEdit, NewFlight } from './contract.ts'
import {
  countOwnFlights,
  type FlightFields,
  type FlightRow,
  hideFlight,
  insertFlight,
  selectDeletedFlights,
  selectFlight,
  selectFlights,
  selectOutside,
  selectOverlapping,
  updateFlight,
} from './queries.ts'

export const MAX_FLIGHTS = 1000
/** Stands for no flight: ids begin at 1. */
const NO_FLIGHT = 0

export interface FoundFlight {
  flight: Flight
  etag: string
}

interface Span {
  start_at: Date
  end_at: Date
}

/** The flight of a path's `:fid` within the campaign found before; throws 404 if there is none. */
export async function findFlight(db: Db, cid: number, fidText: string): Promise<FoundFlight> {
  const fid = parseId(fidText)
  return found(fid === null ? null : await selectFlight(db, cid, fid))
}

export async function listFlights(db: Db, cid: number, after: number, limit: number): Promise<Flight[]> {
  return (await selectFlights(db, cid, after, limit)).map(toFlight)
}

/** The flights that can still be restored. */
export async function listDeletedFlights(
  db: Db,
  cid: number,
  after: number,
  limit: number,
  times: RestoreTimes,
): Promise<Flight[]> {
  const rows = await selectDeletedFlights(db, cid, after, limit, restorableSince(times))
  return rows.map(row => ({ ...toFlight(row), ...deletionOf(row.deleted_at, times) }))
}

export async function createFlight(
  db: Tx,
  caller: Caller,
  cid: number,
  body: NewFlight,
  clock: Clock,
): Promise<FoundFlight> {
  const campaign = await lock(db, cid)
  const fields: FlightFields = {
    name: body.name,
    start_at: fromSeconds(body.start),
    end_at: fromSeconds(body.end),
    total_spend_micros: totalMicros(body.totalSpend),
  }
  checkDates(fields, body)
  await checkPlace(db, campaign, null, fields)
  const now = new Date(clock.nowMs())
  const created = found(await insertFlight(db, cid, fields, now))
  await record(db, caller.key, now, 'create', campaign, null, created.flight)
  return created
}

export async function editFlight(
  db: Tx,
  caller: Caller,
  { cid, fid }: Flight,
  edit: FlightEdit,
  ifMatch: string | null,
  clock: Clock,
): Promise<FoundFlight> {
  const campaign = await lock(db, cid)
  const row = await ownFlight(db, cid, fid, ifMatch)
  const fields: FlightFields = {
    name: edit.name ?? row.name,
    start_at: edit.start === undefined ? row.start_at : fromSeconds(edit.start),
    end_at: edit.end === undefined ? row.end_at : fromSeconds(edit.end),
    total_spend_micros: edit.totalSpend === undefined ? row.total_spend_micros : totalMicros(edit.totalSpend),
  }
  checkDates(fields, edit)
  await checkPlace(db, campaign, fid, fields)
  const before = toFlight(row)
  if (JSON.stringify(toFlight({ ...row, ...fields })) === JSON.stringify(before)) return found(row)
  const now = new Date(clock.nowMs())
  const after = found(await updateFlight(db, fid, fields, now))
  await record(db, caller.key, now, 'edit', campaign, before, after.flight)
  return after
}

export async function deleteFlight(
  db: Tx,
  caller: Caller,
  { cid, fid }: Flight,
  ifMatch: string | null,
  clock: Clock,
): Promise<{ fid: number; deleted: true }> {
  const campaign = await lock(db, cid)
  const before = toFlight(await ownFlight(db, cid, fid, ifMatch))
  const now = new Date(clock.nowMs())
  await hideFlight(db, fid, now)
  await record(db, caller.key, now, 'delete', campaign, before, null)
  return { fid, deleted: true }
}

/** Throws a 409 that names a flight if new dates of a campaign would leave it outside. */
export async function checkFlightsInside(db: Db, cid: number, span: Span): Promise<void> {
  const outside = await selectOutside(db, cid, span.start_at, span.end_at)
  if (!outside) return
  throw refusal('flight_left_outside', shownFlight(outside))
}

/**
 * Checks that a flight is inside its campaign (400), overlaps no other flight (409), and does not exceed the limit of
 * flights (409). `fid` is the flight that moves; null for a new one.
 */
export async function checkPlace(
  db: Db,
  campaign: CampaignRow,
  fid: number | null,
  span: Span,
): Promise<void> {
  const errors: FieldError[] = []
  const dates = { start: toSeconds(campaign.start_at), end: toSeconds(campaign.end_at) }
  if (span.start_at < campaign.start_at || span.start_at >= campaign.end_at)
    errors.push(fieldError('/start', 'outside_campaign', dates))
  if (span.end_at > campaign.end_at || span.end_at <= campaign.start_at)
    errors.push(fieldError('/end', 'outside_campaign', dates))
  if (errors.length > 0) throw invalidInput(errors)
  const other = await selectOverlapping(db, campaign.cid, fid ?? NO_FLIGHT, span.start_at, span.end_at)
  if (other) {
    throw refusal('flights_overlap', shownFlight(other))
  }
  if (fid === null && (await countOwnFlights(db, campaign.cid)) >= MAX_FLIGHTS) {
    throw refusal('too_many_flights', { max: MAX_FLIGHTS })
  }
}

async function lock(db: Db, cid: number): Promise<CampaignRow> {
  const campaign = await lockCampaign(db, cid)
  if (!campaign) throw notFound('campaign')
  return campaign
}

async function ownFlight(db: Db, cid: number, fid: number, ifMatch: string | null): Promise<FlightRow> {
  const row = await selectFlight(db, cid, fid)
  if (!row) throw notFound('flight')
  if (row.is_default) {
    throw refusal('flight_follows_campaign')
  }
  checkIfMatch(ifMatch, etagOf(row.fid, row.version))
  return row
}

function record(
  db: Tx,
  actor: ActorText,
  at: Date,
  action: string,
  { cid, cuid }: CampaignRow,
  before: Flight | null,
  after: Flight | null,
): Promise<void> {
  const id = (after ?? before)!.fid
  return recordChange(db, { at, noun: 'flight', id, action, cuid, cid, actor, before, after })
}

/** The flight as a refusal describes it. */
function shownFlight({ fid, name, start_at, end_at }: FlightRow) {
  return { fid, name, start: toSeconds(start_at), end: toSeconds(end_at) }
}

function totalMicros(totalSpend: number | null | undefined): number | null {
  return totalSpend == null ? null : toMicros(totalSpend)!
}

function found(row: FlightRow | null): FoundFlight {
  if (!row) throw notFound('flight')
  return { flight: toFlight(row), etag: etagOf(row.fid, row.version) }
}

function toFlight(row: FlightRow): Flight {
  return {
    fid: row.fid,
    cid: row.cid,
    name: row.name,
    start: toSeconds(row.start_at),
    end: toSeconds(row.end_at),
    totalSpend: row.total_spend_micros === null ? null : fromMicros(row.total_spend_micros),
    default: row.is_default,
    created: toSeconds(row.created_at),
    updated: toSeconds(row.updated_at),
  }
}
