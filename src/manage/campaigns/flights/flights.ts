// The verbs of flights, the dated runs inside a campaign. A moment of a campaign is in at most one own flight, so that
// every event has exactly one flight. Each write locks the campaign's row to guarantee that.

import type { Tx } from '../../../changes/tx.ts'
import { etagOf } from '../../../http/etag.ts'
import { type FieldError, fieldError } from '../../../kernel/errors/field-error.ts'
import { invalidInput, notFound, refusal } from '../../../kernel/errors/problem.ts'
import { fromMicros, toMicros } from '../../../kernel/money.ts'
import { fromSeconds, toSeconds } from '../../../kernel/time/clock.ts'
import type { Db } from '../../../platform/database.ts'
import {
  type Acting,
  change,
  deletionIn,
  idIn,
  type Kind,
  type Page,
  type PathIds,
  type Restoring,
  record,
  remove,
} from '../../noun.ts'
import { checkDates } from '../fields.ts'
import { type CampaignRow, lockCampaign } from '../queries.ts'
import type { Flight, FlightEdit, NewFlight } from './contract.ts'
import {
  countOwnFlights,
  type FlightFields,
  type FlightRow,
  hideFlight,
  insertFlight,
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

/** What a flight is created in. */
type Above = { campaign: { cid: number } }
type Target = Pick<FoundFlight, 'flight'>

/** The flights of a campaign whose row is locked, and with it all of them. */
const flightsOf = (cid: number): Kind<'fid', FlightRow> => ({
  noun: 'flight',
  id: 'fid',
  show: toFlight,
  async lock(tx, fid) {
    const row = await selectFlight(tx, cid, fid)
    if (row?.is_default) throw refusal('flight_follows_campaign')
    return row
  },
  update: (tx, wanted, now) => updateFlight(tx, wanted.fid, wanted, now),
  hide: hideFlight,
})

/** The flight of a path's `:fid` within a campaign that was found before; throws 404 if there is none. */
export async function findFlight(db: Db, { campaign: { cid } }: Above, ids: PathIds): Promise<FoundFlight> {
  const fid = idIn(ids, 'fid')
  return found(fid === null ? null : await selectFlight(db, cid, fid))
}

export async function listFlights(
  db: Db,
  times: Restoring,
  { campaign: { cid } }: Above,
  page: Page,
): Promise<Flight[]> {
  const rows = await selectFlights(db, cid, page)
  return rows.map(row => ({ ...toFlight(row), ...deletionIn(row, times) }))
}

export async function createFlight(
  tx: Tx,
  call: Acting,
  { campaign: { cid } }: Above,
  body: NewFlight,
): Promise<FoundFlight> {
  const campaign = await lock(tx, cid)
  const fields: FlightFields = {
    name: body.name,
    start_at: fromSeconds(body.start),
    end_at: fromSeconds(body.end),
    total_spend_micros: totalMicros(body.totalSpend),
  }
  checkDates(fields, body)
  await checkPlace(tx, campaign, null, fields)
  const now = new Date(call.clock.nowMs())
  const row = await insertFlight(tx, cid, fields, now)
  await record(tx, call, flightsOf(cid), now, 'create', null, row)
  return found(row)
}

export async function editFlight(
  tx: Tx,
  call: Acting,
  { flight: { cid, fid } }: Target,
  edit: FlightEdit,
): Promise<FoundFlight> {
  const campaign = await lock(tx, cid)
  const changesOf = async (row: FlightRow): Promise<FlightFields> => {
    const fields = {
      name: edit.name ?? row.name,
      start_at: edit.start === undefined ? row.start_at : fromSeconds(edit.start),
      end_at: edit.end === undefined ? row.end_at : fromSeconds(edit.end),
      total_spend_micros:
        edit.totalSpend === undefined ? row.total_spend_micros : totalMicros(edit.totalSpend),
    }
    checkDates(fields, edit)
    await checkPlace(tx, campaign, fid, fields)
    return fields
  }
  return found(await change(tx, call, flightsOf(cid), fid, 'edit', changesOf))
}

export async function deleteFlight(tx: Tx, call: Acting, { flight: { cid, fid } }: Target) {
  await lock(tx, cid)
  return remove(tx, call, flightsOf(cid), fid)
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
