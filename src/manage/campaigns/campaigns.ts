// The verbs of campaigns: create, list, read, edit, pause, resume, delete.
// Every write locks the row, replaces it as a whole, and writes its audit and catalog rows in the same transaction.

import { recordEvent } from '../../changes/outbox.ts'
import type { Tx } from '../../changes/tx.ts'
import { etagOf } from '../../http/etag.ts'
import { type FetchPage, fitsFilter, type LongRead, type NamedFilter, only } from '../../http/list.ts'
import { whoIs } from '../../identity/who.ts'
import { notFound } from '../../kernel/errors/problem.ts'
import { fromMicros } from '../../kernel/money.ts'
import { type Clock, nowSeconds, toSeconds } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { createHours, hoursOfDays, type Week, weekHourAt } from '../../kernel/time/hours.ts'
import { monthOf, nextMonth, startOfMonth } from '../../kernel/time/months.ts'
import { calendarIn } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
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
} from '../noun.ts'
import { checkSites } from '../site-lists/site-lists.ts'
import type { Campaign, CampaignEdit, NewCampaign } from './contract.ts'
import { editedFields, newFields } from './fields.ts'
import { checkFlightsInside } from './flights/flights.ts'
import { insertBornFlight } from './flights/queries.ts'
import {
  type CampaignRow,
  fillSearched,
  hideCampaign,
  insertCampaign,
  lockCampaign,
  selectCampaign,
  selectCampaigns,
  selectWanted,
  selectZone,
  updateCampaign,
} from './queries.ts'
import { type MomentOf, selectStates } from './state-queries.ts'
import { type CampaignRecord, type Run, resumesAt, runsOf } from './status.ts'

export { listDeleted, type RestoreParts, restore, restoreOwn } from './restore.ts'

export interface CampaignParts {
  clock: Clock
  defaultCpmMicros: number
  /** The deployment's calendar, for customers without a zone of their own. */
  calendar: Calendar
}

export interface FoundCampaign {
  campaign: CampaignRecord
  etag: string
  hours: Week | null
  /** If there are any, the campaign delivers only in them. */
  ownFlights: Run[]
}

export interface ShownCampaign {
  campaign: Campaign
  etag: string
}

const BORN_FLIGHT_NAME = 'Whole campaign'
const FILLED_AT_ONCE = 500
const idOf = ({ cid }: Campaign) => cid

/** Who calls, with what the verbs of a campaign need. */
export type CampaignActing = Acting & CampaignParts

type Target = { campaign: { cid: number } }

const campaigns: Kind<'cid', CampaignRow> = {
  noun: 'campaign',
  id: 'cid',
  show: row => toFound(row).campaign,
  lock: lockCampaign,
  update: (tx, wanted, now) => updateCampaign(tx, wanted.cid, wanted, now),
  hide: hideCampaign,
  // The price per click that it had before it was paid for otherwise.
  aside: ({ cpc_aside_micros: cpc }) => (cpc === null ? {} : { cpc: fromMicros(cpc) }),
}

/** The campaign of a path's `:cid`. Throws 404 if it is no id, does not exist, is deleted, or is another customer's. */
export async function findCampaign(db: Db, { cuid }: { cuid: number }, ids: PathIds): Promise<FoundCampaign> {
  const cid = idIn(ids, 'cid')
  const row = cid === null ? null : await selectCampaign(db, cuid, cid)
  if (!row) throw notFound('campaign')
  return toFound(row)
}

/** Throws what `createCampaign` would throw, but creates nothing. */
export function checkNewCampaign(body: NewCampaign, parts: CampaignParts): void {
  newFields(body, parts)
}

export async function createCampaign(
  tx: Tx,
  call: CampaignActing,
  _above: unknown,
  body: NewCampaign,
): Promise<ShownCampaign> {
  const fields = newFields(body, call)
  await checkSites(tx, call.caller.appId, fields.sites)
  const now = new Date(call.clock.nowMs())
  const row = await insertCampaign(tx, call.cuid, fields, now)
  await insertBornFlight(tx, row.cid, BORN_FLIGHT_NAME, now)
  await record(tx, call, campaigns, now, 'create', null, row)
  return show(tx, call, toFound(row))
}

/** Those that can still be restored have the status that they would have. */
export async function listCampaigns(
  db: Db,
  parts: CampaignParts & Restoring & { cuid: number },
  page: Page,
): Promise<Campaign[]> {
  const rows = await selectCampaigns(db, parts.cuid, page)
  const shown = await withStatus(db, rows.map(toFound), parts)
  return shown.map((campaign, at) => ({ ...campaign, ...deletionIn(rows[at]!, parts) }))
}

export interface CampaignFilter extends NamedFilter {
  status?: Campaign['status']
}

function fits({ status, ...named }: CampaignFilter, campaign: Campaign): boolean {
  return (status === undefined || campaign.status === status) && fitsFilter(named, campaign)
}

/**
 * Pages of the campaigns that fit the filter. The database finds candidates; those that do not fit, or whose status
 * changed meanwhile, are left out here, and more are read until a page is full. All statuses are of the same moment.
 */
export function listOf(
  db: Db,
  cuid: number,
  filter: CampaignFilter,
  parts: CampaignParts,
  longRead?: LongRead,
): FetchPage<Campaign> {
  let moment: Promise<MomentIn> | undefined
  const page = async (after: number, limit: number) => {
    moment ??= momentOf(db, cuid, parts)
    const rows = await selectWanted(db, cuid, after, limit, { ...filter, ...(await moment) })
    return withStatus(db, rows.map(toFound), parts, await moment)
  }
  return (after, limit) => only(page, idOf, campaign => fits(filter, campaign), longRead, limit)(after, limit)
}

/** Fills in the search texts of campaigns that an older version wrote, so that the database finds them too. */
export async function fillSearchTexts(db: Db): Promise<void> {
  while ((await fillSearched(db, FILLED_AT_ONCE)) === FILLED_AT_ONCE);
}

/** The campaign as the API shows it, with its current status. */
export async function show(db: Db, parts: CampaignParts, found: FoundCampaign): Promise<ShownCampaign> {
  const [campaign] = await withStatus(db, [found], parts)
  if (!campaign) throw notFound('campaign')
  return { campaign, etag: found.etag }
}

export async function editCampaign(
  tx: Tx,
  call: CampaignActing,
  { campaign: { cid } }: Target,
  edit: CampaignEdit,
): Promise<ShownCampaign> {
  const row = await change(tx, call, campaigns, cid, 'edit', async row => {
    const fields = editedFields(row, edit, call)
    await checkFlightsInside(tx, cid, fields)
    await checkSites(tx, call.caller.appId, fields.sites, row.sites)
    return fields
  })
  const { enabled = null } = edit
  const edited = toFound(row)
  return enabled === null || enabled === row.enabled
    ? show(tx, call, edited)
    : setEnabled(tx, { ...call, ifMatch: null }, edited, enabled)
}

/** Idempotent: if nothing changes, nothing is recorded and no event is sent. */
export async function setEnabled(
  tx: Tx,
  call: CampaignActing,
  { campaign: { cid } }: Target,
  enabled: boolean,
): Promise<ShownCampaign> {
  let wasSwitched = false
  const row = await change(tx, call, campaigns, cid, enabled ? 'resume' : 'pause', row => {
    wasSwitched = row.enabled !== enabled
    return { enabled }
  })
  const shown = await show(tx, call, toFound(row))
  if (wasSwitched) {
    const type = enabled ? 'campaign.resumed' : 'campaign.paused'
    const at = new Date(call.clock.nowMs())
    const data = { ...shown.campaign, by: await whoIs(tx, row.cuid, call.caller.key) }
    await recordEvent(tx, { at, type, cuid: row.cuid, data })
  }
  return shown
}

export function deleteCampaign(tx: Tx, call: Acting, { campaign: { cid } }: Target) {
  return remove(tx, call, campaigns, cid)
}

/** The calendar by which a customer's campaign hours are read. `own` is the deployment's. */
export async function calendarOfCustomer(db: Db, cuid: number, own: Calendar): Promise<Calendar> {
  const { timezone = null, timezone_before: before } = (await selectZone(db, cuid)) ?? {}
  return calendarIn({ timezone, before: before ?? [] }, own.zone)
}

interface MomentIn extends MomentOf {
  calendar: Calendar
}

/** Now, to the second, by the customer's calendar. */
async function momentOf(db: Db, cuid: number, { clock, calendar: own }: CampaignParts): Promise<MomentIn> {
  const nowMs = nowSeconds(clock) * 1000
  const calendar = await calendarOfCustomer(db, cuid, own)
  const { key: day } = calendar.dayAt(nowMs)
  return { cuid, now: new Date(nowMs), day, weekHour: weekHourAt(calendar, nowMs), calendar }
}

/** All campaigns must belong to one customer. Those that were erased since they were found are left out. */
async function withStatus(
  db: Db,
  found: FoundCampaign[],
  parts: CampaignParts,
  known?: MomentIn,
): Promise<Campaign[]> {
  if (found.length === 0) return []
  const moment = known ?? (await momentOf(db, found[0]!.campaign.cuid, parts))
  const nowS = toSeconds(moment.now)
  const cids = found.map(({ campaign }) => campaign.cid)
  const states = new Map((await selectStates(db, cids, moment)).map(state => [state.cid, state]))
  return found.flatMap(({ campaign, ownFlights, hours }) => {
    const state = states.get(campaign.cid)
    if (!state) return []
    const { status, spent_by: spentBy, missing } = state
    const fromS =
      spentBy === 'month' ? startOfMonth(moment.calendar, nextMonth(monthOf(moment.day))) / 1000 : nowS
    const isKnown = status === 'off_hours' || spentBy === 'month'
    const week = isKnown && hours ? createHours(hours, moment.calendar) : null
    const resumes = isKnown ? resumesAt(runsOf(campaign, ownFlights), fromS, week) : null
    return [withStatusOf(campaign, { status, spentBy, resumes, missing })]
  })
}

/** Copies field by field for speed: a list may have a thousand campaigns. */
function withStatusOf(
  campaign: CampaignRecord,
  { status, spentBy, resumes, missing }: Pick<Campaign, 'status' | 'spentBy' | 'resumes' | 'missing'>,
): Campaign {
  return {
    cid: campaign.cid,
    cuid: campaign.cuid,
    start: campaign.start,
    end: campaign.end,
    name: campaign.name,
    enabled: campaign.enabled,
    freq: campaign.freq,
    frequency: campaign.frequency,
    dailySpend: campaign.dailySpend,
    monthlySpend: campaign.monthlySpend,
    totalSpend: campaign.totalSpend,
    cpm: campaign.cpm,
    pricing: campaign.pricing,
    cpc: campaign.cpc,
    category: campaign.category,
    pacing: campaign.pacing,
    hours: campaign.hours,
    clickParameters: campaign.clickParameters,
    sites: campaign.sites,
    status,
    spentBy,
    resumes,
    missing,
    externalId: campaign.externalId,
    metadata: campaign.metadata,
    created: campaign.created,
    updated: campaign.updated,
  }
}

function toFound(row: CampaignRow): FoundCampaign {
  const campaign = {
    cid: row.cid,
    cuid: row.cuid,
    start: toSeconds(row.start_at),
    end: toSeconds(row.end_at),
    name: row.name,
    enabled: row.enabled,
    freq: row.freq,
    frequency: row.freq,
    dailySpend: fromMicros(row.daily_spend_micros),
    monthlySpend: row.monthly_spend_micros === null ? null : fromMicros(row.monthly_spend_micros),
    totalSpend: row.total_spend_micros === null ? null : fromMicros(row.total_spend_micros),
    cpm: fromMicros(row.cpm_micros),
    pricing: row.cpc_micros === null ? ('cpm' as const) : ('cpc' as const),
    cpc: row.cpc_micros === null ? null : fromMicros(row.cpc_micros),
    category: row.category,
    pacing: row.pacing,
    hours: row.hours && hoursOfDays(row.hours),
    clickParameters: row.click_parameters,
    sites: row.sites,
    externalId: row.external_id,
    metadata: row.metadata,
    created: toSeconds(row.created_at),
    updated: toSeconds(row.updated_at),
  }
  const { hours, own_flights: ownFlights } = row
  return { campaign, etag: etagOf(row.cid, row.version), hours, ownFlights }
}
