// The verbs of banners: create, list, read, edit, pause, resume, copy, remove. A change of anything that the review
// depends on sends a banner back to review in the same transaction. An edit without a change leaves no trace.

import { recordBirths } from '../../changes/changes.ts'
import type { Tx } from '../../changes/tx.ts'
import { etagOf } from '../../http/etag.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidField, notFound, refusal } from '../../kernel/errors/problem.ts'
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
import { type FoundPersona, findPersona } from '../personas/personas.ts'
import { AD_SIZES, isAllowedSize, sizeTexts } from '../reference/ad-sizes.ts'
import { landingUrlOf } from './click-url.ts'
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

/** `publicUrl`: the base of our own absolute URLs. */
export type BannerActing = Acting & { publicUrl: string }

type Above = Pick<FoundPersona, 'persona'>
type Target = Pick<FoundBanner, 'banner'>

const banners: Kind<'bid', BannerRow> = {
  noun: 'banner',
  id: 'bid',
  show: toBanner,
  lock: lockBanner,
  update: async (tx, wanted, now, row) => {
    const changed = await updateBanner(tx, wanted, now)
    if (wanted.review_round !== row.review_round) await askForReview(tx, changed)
    return changed
  },
  hide: setDeleted,
}

/** Throws what `createBanner` would throw, but creates nothing. */
export async function checkNewBanner(
  db: Db,
  { cuid, publicUrl }: Pick<BannerActing, 'cuid' | 'publicUrl'>,
  body: NewBanner,
): Promise<{ size: Size; creativeUrl: string }> {
  const given = givenSource(body)
  if (given === undefined) throw invalidField('/creativeURL', 'required')
  const size = givenSize(body) ?? { width: null, height: null }
  return { size, creativeUrl: await readSource(db, cuid, given, publicUrl) }
}

export async function createBanner(
  tx: Tx,
  call: BannerActing,
  { persona }: Above,
  body: NewBanner,
): Promise<FoundBanner> {
  const { size, creativeUrl } = await checkNewBanner(tx, call, body)
  const name = body.name ?? defaultName(creativeUrl)
  const now = new Date(call.clock.nowMs())
  const tracked = { clickParameters: body.clickParameters ?? null, weight: body.weight ?? 1 }
  const kept = { externalId: body.externalId ?? null, metadata: body.metadata ?? {} }
  const banner = { name, creativeUrl, clickUrl: body.clickUrl ?? null, ...size, ...kept, ...tracked }
  const row = await insertBanner(tx, persona.pid, { ...banner, enabled: body.enabled ?? true }, now)
  return created(tx, call, now, row)
}

async function created(tx: Tx, call: Acting, now: Date, row: BannerRow | null): Promise<FoundBanner> {
  if (!row) throw notFound('persona')
  if (row.status === 'pending') await askForReview(tx, row)
  await record(tx, call, banners, now, 'create', null, row)
  return foundBanner(call.cuid, row)
}

export async function listBanners(
  db: Db,
  times: Restoring,
  { persona }: Above,
  page: Page,
): Promise<Banner[]> {
  const rows = await selectBanners(db, persona.pid, page)
  return rows.map(row => ({ ...toBanner(row), ...deletionIn(row, times) }))
}

/** Lists banners of all personas. */
export async function listAllBanners(
  db: Db,
  { cuid }: { cuid: number },
  scope: BannerScope,
  page: Page,
): Promise<Banner[]> {
  return (await selectAllBanners(db, cuid, scope, page)).map(toBanner)
}

/** The banner of a path's `:cid`, `:pid` and `:bid`; throws 404 for the first that is missing. */
export async function findBanner(db: Db, call: { cuid: number }, ids: PathIds): Promise<FoundBanner> {
  const { persona } = await findPersona(db, call, ids)
  const bid = idIn(ids, 'bid')
  const row = bid === null ? null : await selectBanner(db, persona.pid, bid)
  if (!row) throw notFound('banner')
  return foundBanner(call.cuid, row)
}

/** Where a click on a banner leads, even if the banner is no longer shown; null: nowhere. */
export async function clickUrlOf(db: Db, bid: number): Promise<string | null> {
  const row = await selectClickUrl(db, bid)
  return row && landingUrlOf(row)
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
  const [only, another] = await selectBanners(db, persona.pid, { after: 0, limit: 2 })
  if (only && !another) return foundBanner(cuid, only)
  throw only
    ? refusal('ambiguous_banner', {}, { errors: [fieldError('/bid', 'several_banners')] })
    : refusal('no_banner', {}, { errors: [fieldError('/bid', 'no_banner')] })
}

export async function editBanner(
  tx: Tx,
  call: BannerActing,
  { banner }: Target,
  edit: BannerEdit,
): Promise<FoundBanner> {
  const given = givenSource(edit)
  const size = asShown(edit, banner) ? undefined : givenSize(edit)
  const source = given === undefined ? undefined : await readSource(tx, call.cuid, given, call.publicUrl)
  const row = await change(tx, call, banners, banner.bid, 'edit', row => {
    const wanted: BannerRow = {
      ...row,
      creative_url: source ?? row.creative_url,
      click_url: edit.clickUrl === undefined ? row.click_url : edit.clickUrl,
      declared_width: size ? size.width : row.declared_width,
      declared_height: size ? size.height : row.declared_height,
    }
    if (edit.name !== undefined) wanted.name = edit.name ?? defaultName(wanted.creative_url)
    if (edit.weight !== undefined) wanted.weight = edit.weight ?? 1
    if (edit.clickParameters !== undefined) wanted.click_parameters = edit.clickParameters
    if (edit.externalId !== undefined) wanted.external_id = edit.externalId
    if (edit.metadata !== undefined) wanted.metadata = edit.metadata ?? {}
    return needsReview(row, wanted, source !== undefined) ? backToReview(row, wanted) : wanted
  })
  const edited = foundBanner(call.cuid, row)
  const { enabled = null } = edit
  return enabled === null ? edited : setEnabled(tx, { ...call, ifMatch: null }, edited, enabled)
}

export async function setEnabled(
  tx: Tx,
  call: Acting,
  { banner: { bid } }: Target,
  enabled: boolean,
): Promise<FoundBanner> {
  const action = enabled ? 'resume' : 'pause'
  return foundBanner(call.cuid, await change(tx, call, banners, bid, action, () => ({ enabled })))
}

/** An edit by the external id: sending the current image again does not start another review. */
export async function editByExternalId(
  tx: Tx,
  call: BannerActing,
  target: Target,
  edit: BannerEdit,
): Promise<FoundBanner> {
  const given = givenSource(edit)
  const { creativeURL: _, creativeUrl: __, ...rest } = edit
  const isSame =
    given !== undefined &&
    (await readSource(tx, call.cuid, given, call.publicUrl)) === target.banner.creativeURL
  return editBanner(tx, call, target, isSame ? rest : edit)
}

/**
 * Copies a banner with the result of its review; a pending copy gets its own review. `keepsId`: copies the `externalId`
 * too, because the persona is copied as well.
 */
export async function copyBanner(
  tx: Tx,
  call: Acting,
  { banner }: Target,
  into: { pid: number; name: string; keepsId: boolean },
): Promise<FoundBanner> {
  const now = new Date(call.clock.nowMs())
  return created(tx, call, now, await insertCopy(tx, banner.bid, into, now))
}

const COPY_PAGE = 200

/** Copies all banners of a persona to another persona of the same customer, a page at a time. */
export async function* copyBanners(
  db: Tx,
  { caller, cuid, clock }: Acting,
  fromPid: number,
  into: { pid: number; cid: number },
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

export function deleteBanner(tx: Tx, call: Acting, { banner: { bid } }: Target) {
  return remove(tx, call, banners, bid)
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

interface Size {
  width: number | null
  height: number | null
}

/** The declared size; undefined if the body does not mention it, nulls if it removes it. */
function givenSize({ width, height }: Sides): Size | undefined {
  if (width === undefined && height === undefined) return undefined
  if ((width ?? null) === null && (height ?? null) === null) return { width: null, height: null }
  if (!width) throw invalidField('/width', 'given_together', { field: 'height' })
  if (!height) throw invalidField('/height', 'given_together', { field: 'width' })
  if (!isAllowedSize(width, height))
    throw invalidField('/width', 'size_not_allowed', { width, height, allowed: sizeTexts(AD_SIZES) })
  return { width, height }
}

export function foundBanner(cuid: number, row: BannerRow): FoundBanner {
  return { banner: toBanner(row), cuid, etag: etagOf(row.bid, row.version) }
}
