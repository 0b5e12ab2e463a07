// The verbs of banners: create, list, read, edit, pause, resume, copy, remove. A change of anything that the review
// depends on sends a banner back to review in the same transaction. An edit without a change leaves no trace.

import { isDeepStrictEqual } from 'node:util'
import { recordBirths, recordChange } from '../../changes/changes.ts'
import type { Tx } from '../../changes/tx.ts'
import { deletionOf, type RestoreTimes, restorableSince } from '../../http/deleted.ts'
import { asRead, etagOf } from '../../http/etag.ts'
import type { Caller } from '../../kernel/caller.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidField, notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type FoundPersona, findPersona } from '../personas/personas.ts'
import { AD_SIZES, isAllowedSize, sizeTexts } from '../reference/ad-sizes.ts'
import type { Banner, BannerEdit, NewBanner } from './contract.ts'
import { toBanner } from './object.ts'
import {
  type BannerRow,
  type BannerScope,
  insertBanner,
  insertCopies,
  insertCopy,
  lastOfPage,
  lockBanner,
  selectAllBanners,
  selectBanner,
  selectBanners,
  selectClickUrl,
  selectDeletedBanners,
  setDeleted,
  updateBanner,
} from './queries.ts'
import { askForReview, askForReviews, backToReview } from './review.ts'
import { defaultName, givenSource, readSource } from './source.ts'

export interface FoundBanner {
  banner: Banner
  cuid: number
  etag: string
}

/** Who changes a banner, when, and on which condition. */
export interface Change {
  caller: Caller
  ifMatch: string | null
  clock: Clock
  /** The base of our own absolute URLs. */
  publicUrl: string
}

/** Throws what `createBanner` would throw, but creates nothing. */
export async function checkNewBanner(
  db: Db,
  cuid: number,
  body: NewBanner,
  { publicUrl }: Pick<Change, 'publicUrl'>,
): Promise<void> {
  const given = givenSource(body)
  if (given === undefined) throw invalidField('/creativeURL', 'required')
  givenSize(body)
  await readSource(db, cuid, given, publicUrl)
}

export async function createBanner(
  db: Tx,
  { persona, cuid }: FoundPersona,
  body: NewBanner,
  { caller, clock, publicUrl }: Omit<Change, 'ifMatch'>,
): Promise<FoundBanner> {
  const given = givenSource(body)
  if (given === undefined) throw invalidField('/creativeURL', 'required')
  const size = givenSize(body) ?? { width: null, height: null }
  const creativeUrl = await readSource(db, cuid, given, publicUrl)
  const name = body.name ?? defaultName(creativeUrl)
  const now = new Date(clock.nowMs())
  const kept = { externalId: body.externalId ?? null, metadata: body.metadata ?? {} }
  const banner = { name, creativeUrl, clickUrl: body.clickUrl ?? null, ...size, ...kept }
  const row = await insertBanner(db, persona.pid, { ...banner, enabled: body.enabled ?? true }, now)
  if (!row) throw notFound('persona')
  await askForReview(db, row)
  const created = foundBanner(cuid, row)
  await record(db, 'create', caller, now, created, null, created.banner)
  return created
}

export async function listBanners(
  db: Db,
  { persona }: FoundPersona,
  after: number,
  limit: number,
): Promise<Banner[]> {
  return (await selectBanners(db, persona.pid, after, limit)).map(toBanner)
}

/** The banners that can still be restored. */
export async function listDeletedBanners(
  db: Db,
  { persona }: FoundPersona,
  after: number,
  limit: number,
  times: RestoreTimes,
): Promise<Banner[]> {
  const rows = await selectDeletedBanners(db, persona.pid, after, limit, restorableSince(times))
  return rows.map(row => ({ ...toBanner(row), ...deletionOf(row.deleted_at, times) }))
}

/** Lists banners of all personas. */
export async function listAllBanners(
  db: Db,
  cuid: number,
  scope: BannerScope,
  after: number,
  limit: number,
): Promise<Banner[]> {
  return (await selectAllBanners(db, cuid, scope, after, limit)).map(toBanner)
}

/** The banner of a path's `:cid`, `:pid` and `:bid`; throws 404 for the first that is missing. */
export async function findBanner(
  db: Db,
  cuid: number,
  cidText: string,
  pidText: string,
  bidText: string,
): Promise<FoundBanner> {
  const { persona } = await findPersona(db, cuid, cidText, pidText)
  const bid = parseId(bidText)
  const row = bid === null ? null : await selectBanner(db, persona.pid, bid)
  if (!row) throw notFound('banner')
  return foundBanner(cuid, row)
}

/** Where a click on a banner leads, even if the banner is no longer shown; null: nowhere. */
export async function clickUrlOf(db: Db, bid: number): Promise<string | null> {
  return (await selectClickUrl(db, bid))?.click_url ?? null
}

/** The banner of a persona that is meant by an edit without `:bid` in its path. */
export async function findNamedBanner(
  db: Db,
  { persona, cuid }: FoundPersona,
  inBody: number | undefined,
  inQuery: number | undefined,
): Promise<FoundBanner> {
  if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery) {
    throw invalidField('/bid', 'contradicts_query', { value: inBody, field: 'bid', inQuery })
  }
  const bid = inBody ?? inQuery
  if (bid !== undefined) {
    const row = await selectBanner(db, persona.pid, bid)
    if (!row) throw notFound('banner')
    return foundBanner(cuid, row)
  }
  const [only, another] = await selectBanners(db, persona.pid, 0, 2)
  if (only && !another) return foundBanner(cuid, only)
  throw only
    ? refusal('ambiguous_banner', {}, { errors: [fieldError('/bid', 'several_banners')] })
    : refusal('no_banner', {}, { errors: [fieldError('/bid', 'no_banner')] })
}

export async function editBanner(
  db: Tx,
  target: FoundBanner,
  edit: BannerEdit,
  change: Change,
): Promise<FoundBanner> {
  const edited = await editFields(db, target, edit, change)
  const { enabled = null } = edit
  return enabled === null ? edited : setEnabled(db, edited, enabled, { ...change, ifMatch: null })
}

async function editFields(
  db: Tx,
  target: FoundBanner,
  edit: BannerEdit,
  { caller, ifMatch, clock, publicUrl }: Change,
): Promise<FoundBanner> {
  const given = givenSource(edit)
  const size = asShown(edit, target.banner) ? undefined : givenSize(edit)
  const source = given === undefined ? undefined : await readSource(db, target.cuid, given, publicUrl)
  const row = await lock(db, target, ifMatch)
  const wanted: BannerRow = {
    ...row,
    creative_url: source ?? row.creative_url,
    click_url: edit.clickUrl === undefined ? row.click_url : edit.clickUrl,
    declared_width: size ? size.width : row.declared_width,
    declared_height: size ? size.height : row.declared_height,
  }
  if (edit.name !== undefined) wanted.name = edit.name ?? defaultName(wanted.creative_url)
  if (edit.externalId !== undefined) wanted.external_id = edit.externalId
  if (edit.metadata !== undefined) wanted.metadata = edit.metadata ?? {}
  const again = needsReview(row, wanted, source !== undefined)
  if (!again && isDeepStrictEqual(toBanner(wanted), toBanner(row))) return foundBanner(target.cuid, row)
  const now = new Date(clock.nowMs())
  const changed = await updateBanner(db, again ? backToReview(row, wanted) : wanted, now)
  if (again) await askForReview(db, changed)
  const result = foundBanner(target.cuid, changed)
  await record(db, 'edit', caller, now, result, toBanner(row), result.banner)
  return result
}

/** Idempotent: if nothing changes, nothing is recorded. */
export async function setEnabled(
  db: Tx,
  target: FoundBanner,
  enabled: boolean,
  { caller, ifMatch, clock }: Omit<Change, 'publicUrl'>,
): Promise<FoundBanner> {
  const row = await lock(db, target, ifMatch)
  if (row.enabled === enabled) return foundBanner(target.cuid, row)
  const now = new Date(clock.nowMs())
  const result = foundBanner(target.cuid, await updateBanner(db, { ...row, enabled }, now))
  await record(db, enabled ? 'resume' : 'pause', caller, now, result, toBanner(row), result.banner)
  return result
}

/**
 * Copies a banner with the result of its review; a pending copy gets its own review. `keepsId`: copies the `externalId`
 * too, because the persona is copied as well.
 */
export async function copyBanner(
  db: Tx,
  { banner, cuid }: FoundBanner,
  into: { pid: number; name: string; keepsId: boolean },
  { caller, clock }: Omit<Change, 'ifMatch' | 'publicUrl'>,
): Promise<FoundBanner> {
  const now = new Date(clock.nowMs())
  const row = await insertCopy(db, banner.bid, into, now)
  if (!row) throw notFound('persona')
  if (row.status === 'pending') await askForReview(db, row)
  const copy = foundBanner(cuid, row)
  await record(db, 'create', caller, now, copy, null, copy.banner)
  return copy
}

const COPY_PAGE = 200

/** Copies all banners of a persona to another persona of the same customer, a page at a time. */
export async function* copyBanners(
  db: Tx,
  cuid: number,
  fromPid: number,
  into: { pid: number; cid: number },
  { caller, clock }: Omit<Change, 'ifMatch' | 'publicUrl'>,
): AsyncGenerator<Banner[]> {
  const now = new Date(clock.nowMs())
  for (let after = 0; ; ) {
    const last = await lastOfPage(db, fromPid, after, COPY_PAGE)
    if (last === null) return
    const rows = await insertCopies(db, fromPid, into.pid, now, after, COPY_PAGE)
    if (rows.length === 0) throw notFound('persona')
    await askForReviews(
      db,
      rows.filter(row => row.status === 'pending'),
    )
    const page = rows.map(toBanner)
    const born = page.map(banner => ({ id: banner.bid, after: banner }))
    await recordBirths(db, { at: now, noun: 'banner', cuid, cid: into.cid, actor: caller.key, born })
    yield page
    after = last
  }
}

export async function deleteBanner(
  db: Tx,
  target: FoundBanner,
  { caller, ifMatch, clock }: Omit<Change, 'publicUrl'>,
): Promise<void> {
  const row = await lock(db, target, ifMatch)
  const now = new Date(clock.nowMs())
  await setDeleted(db, row.bid, now)
  await record(db, 'delete', caller, now, target, toBanner(row), null)
}

/** Whether the rules must be checked again. Sending the source of a rejected banner again asks for that, too. */
function needsReview(row: BannerRow, wanted: BannerRow, sourceGiven: boolean): boolean {
  return (
    wanted.creative_url !== row.creative_url ||
    wanted.click_url !== row.click_url ||
    wanted.declared_width !== row.declared_width ||
    wanted.declared_height !== row.declared_height ||
    (sourceGiven && row.status === 'rejected')
  )
}

/** When a read answer is sent back, the size that the review found does not count as declared. */
function asShown({ width, height }: Sides, banner: Banner): boolean {
  return width === banner.width && height === banner.height
}

interface Sides {
  width?: number | null
  height?: number | null
}

/** The declared size; undefined if the body does not mention it, nulls if it removes it. */
function givenSize({ width, height }: Sides): { width: number | null; height: number | null } | undefined {
  if (width === undefined && height === undefined) return undefined
  if ((width ?? null) === null && (height ?? null) === null) return { width: null, height: null }
  if (!width) throw invalidField('/width', 'given_together', { field: 'height' })
  if (!height) throw invalidField('/height', 'given_together', { field: 'width' })
  if (!isAllowedSize(width, height))
    throw invalidField('/width', 'size_not_allowed', { width, height, allowed: sizeTexts(AD_SIZES) })
  return { width, height }
}

async function lock(db: Db, { banner }: FoundBanner, ifMatch: string | null): Promise<BannerRow> {
  return asRead(await lockBanner(db, banner.bid), 'banner', banner.bid, ifMatch)
}

function record(
  db: Tx,
  action: string,
  caller: Caller,
  at: Date,
  { banner: { bid, cid }, cuid }: FoundBanner,
  before: Banner | null,
  after: Banner | null,
): Promise<void> {
  const change = { at, noun: 'banner' as const, id: bid, action, cuid, cid, actor: caller.key }
  return recordChange(db, { ...change, before, after })
}

export function foundBanner(cuid: number, row: BannerRow): FoundBanner {
  return { banner: toBanner(row), cuid, etag: etagOf(row.bid, row.version) }
}
