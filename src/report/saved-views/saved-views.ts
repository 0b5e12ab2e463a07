// The verbs of saved views: save, list, read, change, remove; and those of emailing them: which are due, and which
// readers unsubscribe. A view changes no figure and no delivery.

import { recordAside } from '../../changes/changes.ts'
import { zonesOf } from '../../changes/customer-zones.ts'
import type { Tx } from '../../changes/tx.ts'
import { etagOf } from '../../http/etag.ts'
import { type FetchPage, only } from '../../http/list.ts'
import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, notFound, refusal } from '../../kernel/errors/problem.ts'
import { fromMicros, toMicros } from '../../kernel/money.ts'
import { dueDay, nextDueMs } from '../../kernel/report-period.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import { calendarIn, zoneAt } from '../../kernel/time/zones.ts'
import { type Acting, change, idIn, type Kind, type PathIds, record, remove } from '../../manage/noun.ts'
import type { Db } from '../../platform/database.ts'
import { readDimension } from '../figures/breakdown.ts'
import { findSubject } from '../figures/report.ts'
import { MAX_SAVED_VIEWS, type NewSavedView, type SavedView, type SavedViewEdit } from './contract.ts'
import {
  countSavedViews,
  type DueViewRow,
  deleteSavedViewRow,
  insertSavedView,
  lockDueViews,
  lockSavedView,
  type SavedViewFields,
  type SavedViewRow,
  selectMids,
  selectSavedView,
  selectSavedViews,
  setMailAt,
  updateSavedView,
} from './queries.ts'
import { type MailedPeriod, mailedPeriod } from './range.ts'

export interface SavedViewParts {
  clock: Clock
  /** The deployment's zone, for customers without one of their own. */
  timeZone: string
}

export interface FoundSavedView {
  view: SavedView
  etag: string
}

type Reading = Pick<Acting, 'caller' | 'cuid'>
type SavedViewActing = Acting & SavedViewParts

const viewsOf = (cuid: number): Kind<'vid', SavedViewRow> => ({
  noun: 'saved view',
  id: 'vid',
  show: toView,
  lock: (tx, vid) => lockSavedView(tx, cuid, vid),
  update: (tx, wanted, now) => updateSavedView(tx, wanted.vid, wanted, now),
  hide: deleteSavedViewRow,
  removal: 'remove',
  // For the customer only: the history of a campaign has only what belongs to it.
  record: (tx, change) => recordAside(tx, { ...change, noun: 'savedView' }, null),
})

/** A pair that is limited to campaigns sees only views of them. */
function maySee({ caller }: Reading, { cid }: Pick<SavedView, 'cid'>): boolean {
  const own = caller.level === 'customer' ? caller.cids : null
  return own === null || (cid !== null && own.includes(cid))
}

/** The saved view of a path's `:vid`; throws 404 if there is none. */
export async function findSavedView(db: Db, call: Reading, ids: PathIds): Promise<FoundSavedView> {
  const vid = idIn(ids, 'vid')
  const row = vid === null ? null : await selectSavedView(db, call.cuid, vid)
  if (!row || !maySee(call, row)) throw notFound('saved view')
  return found(row)
}

export function listSavedViews(db: Db, call: Reading): FetchPage<SavedView> {
  const page = async (after: number, limit: number) =>
    (await selectSavedViews(db, call.cuid, after, limit)).map(toView)
  return only(
    page,
    ({ vid }) => vid,
    view => maySee(call, view),
  )
}

const NEW: Omit<SavedView, 'vid' | 'cuid' | 'cid' | 'name' | 'created' | 'updated'> = {
  range: null,
  firstDay: null,
  lastDay: null,
  against: 'before',
  againstDay: null,
  figure: 'spend',
  interval: null,
  dimension: null,
  q: null,
  spendFrom: null,
  spendTo: null,
  every: 'off',
  mailTo: [],
}

export async function createSavedView(
  tx: Tx,
  call: SavedViewActing,
  _above: unknown,
  { cid = null, name, against, figure, every, mailTo, ...given }: NewSavedView,
): Promise<FoundSavedView> {
  const { cuid } = call
  const chosen = {
    ...given,
    ...(against ? { against } : {}),
    ...(figure ? { figure } : {}),
    ...(every ? { every } : {}),
    ...(mailTo ? { mailTo } : {}),
  }
  const fields = await fieldsOf(tx, { cuid, cid }, { ...NEW, name }, chosen, null, call)
  if ((await countSavedViews(tx, cuid)) >= MAX_SAVED_VIEWS)
    throw refusal('too_many_saved_views', { max: MAX_SAVED_VIEWS })
  const now = new Date(call.clock.nowMs())
  const row = await insertSavedView(tx, { cuid, cid }, fields, now)
  await record(tx, call, viewsOf(cuid), now, 'create', null, row)
  return found(row)
}

export async function editSavedView(
  tx: Tx,
  call: SavedViewActing,
  { view: { vid } }: FoundSavedView,
  edit: SavedViewEdit,
): Promise<FoundSavedView> {
  const changesOf = (row: SavedViewRow) => fieldsOf(tx, row, toView(row), edit, row, call)
  return found(await change(tx, call, viewsOf(call.cuid), vid, 'edit', changesOf))
}

export function deleteSavedView(tx: Tx, call: Acting, { view: { vid } }: FoundSavedView) {
  return remove(tx, call, viewsOf(call.cuid), vid)
}

type Chosen = typeof NEW & { name: string }

/** The view with its edits; throws 400 if they contradict each other. The due time changes only if `every` changes. */
async function fieldsOf(
  db: Db,
  { cuid, cid }: { cuid: number; cid: number | null },
  before: Chosen,
  edit: SavedViewEdit,
  row: SavedViewRow | null,
  parts: SavedViewParts,
): Promise<SavedViewFields> {
  const given = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined))
  const after: Chosen = { ...before, ...given }
  if (edit.range) Object.assign(after, { firstDay: null, lastDay: null })
  else if (edit.firstDay || edit.lastDay) after.range = null
  if (edit.against && !edit.againstDay) after.againstDay = null
  else if (edit.againstDay) after.against = 'before'
  const subject = await findSubject(db, cuid, String(cid ?? cuid))
  if (after.dimension !== null) readDimension(after.dimension, subject)
  const errors = [
    ...wrongPeriod(after),
    ...wrongReaders(after, await selectMids(db, cuid, after.mailTo), edit.mailTo !== undefined),
  ]
  if (errors.length > 0) throw invalidInput(errors)
  const {
    name,
    every,
    mailTo,
    spendFrom,
    spendTo,
    range,
    firstDay,
    lastDay,
    against,
    againstDay,
    figure,
    interval,
    dimension,
    q,
  } = after
  const calendar = calendarIn(await zonesOf(db, cuid), parts.timeZone)
  const due = every === 'off' ? null : new Date(nextDueMs(every, calendar, parts.clock.nowMs()))
  return {
    name,
    shown: {
      ...{ range, firstDay, lastDay, against, againstDay, figure, interval, dimension, q },
      spendFromMicros: spendFrom === null ? null : toMicros(spendFrom),
      spendToMicros: spendTo === null ? null : toMicros(spendTo),
    },
    every,
    mail_to: [...new Set(mailTo)],
    mail_at: row && row.every === every ? row.mail_at : due,
  }
}

function wrongPeriod({ range, firstDay, lastDay }: Chosen): FieldError[] {
  if (range !== null) return []
  if (firstDay === null && lastDay === null) return [fieldError('/range', 'required')]
  if (firstDay === null) return [fieldError('/firstDay', 'given_together', { field: 'lastDay' })]
  if (lastDay === null) return [fieldError('/lastDay', 'given_together', { field: 'firstDay' })]
  return firstDay > lastDay ? [fieldError('/firstDay', 'start_after_end')] : []
}

/** Readers who were removed since they were chosen do not prevent another change. */
function wrongReaders({ every, mailTo }: Chosen, known: number[], areNew: boolean): FieldError[] {
  if (every !== 'off' && mailTo.length === 0)
    return [fieldError('/mailTo', 'required_with', { field: 'every' })]
  if (!areNew) return []
  return mailTo.flatMap((mid, at) =>
    known.includes(mid) ? [] : [fieldError(`/mailTo/${at}`, 'no_such_member', { mid })],
  )
}

/** A view that has to be emailed now. */
export interface DueView {
  vid: number
  cuid: number
  mailTo: number[]
  /** Identifies this email. */
  about: string
  /** Null: there is nothing to report yet. */
  period: MailedPeriod | null
  zone: string
}

/** Takes the views that are due, each once; if several emails were missed, only the last. */
export async function takeDueViews(tx: Db, parts: SavedViewParts, limit: number): Promise<DueView[]> {
  const nowMs = parts.clock.nowMs()
  const due = await lockDueViews(tx, new Date(nowMs), limit)
  const taken: DueView[] = []
  for (const row of due) taken.push(await takeDue(tx, row, nowMs, parts.timeZone))
  return taken
}

async function takeDue(tx: Db, row: DueViewRow, nowMs: number, timeZone: string): Promise<DueView> {
  const { vid, cuid, every, mail_to: mailTo } = row
  if (every === 'off') throw new Error(`the saved view ${vid} is due and not mailed`)
  const zones = { timezone: row.timezone, before: row.timezone_before ?? [] }
  const calendar = calendarIn(zones, timeZone)
  const day = dueDay(every, calendar, nowMs)
  await setMailAt(tx, vid, new Date(nextDueMs(every, calendar, nowMs)))
  const period = mailedPeriod(row.shown, calendar, day.startMs)
  const zone = zoneAt(zones, nowMs) ?? timeZone
  return { vid, cuid, mailTo, about: `${vid} ${every} ${day.key}`, period, zone }
}

/** Null: the view, or what it shows, is gone. */
export async function viewToMail(db: Db, cuid: number, vid: number): Promise<SavedView | null> {
  const row = await selectSavedView(db, cuid, vid)
  return row && toView(row)
}

/** Removes a reader who unsubscribed; a view without readers is no longer emailed. */
export async function stopMailing(
  tx: Db,
  { cuid, vid, mid }: { cuid: number; vid: number; mid: number },
  { clock }: { clock: Clock },
): Promise<void> {
  const row = await lockSavedView(tx, cuid, vid)
  if (!row?.mail_to.includes(mid)) return
  const mail_to = row.mail_to.filter(other => other !== mid)
  const off = mail_to.length === 0 ? ({ every: 'off', mail_at: null } as const) : {}
  await updateSavedView(tx, vid, { ...row, mail_to, ...off }, new Date(clock.nowMs()))
}

function found(row: SavedViewRow): FoundSavedView {
  return { view: toView(row), etag: etagOf(row.vid, row.version) }
}

function toView(row: SavedViewRow): SavedView {
  const { vid, cuid, cid, name, every, mail_to, created_at, updated_at } = row
  const { spendFromMicros, spendToMicros, range, firstDay, lastDay, figure, interval, dimension, q } =
    row.shown
  // A view that was saved before it could choose.
  const { against = 'before', againstDay = null } = row.shown
  return {
    ...{
      vid,
      cuid,
      cid,
      name,
      range,
      firstDay,
      lastDay,
      against,
      againstDay,
      figure,
      interval,
      dimension,
      q,
    },
    spendFrom: spendFromMicros === null ? null : fromMicros(spendFromMicros),
    spendTo: spendToMicros === null ? null : fromMicros(spendToMicros),
    every,
    mailTo: mail_to,
    created: toSeconds(created_at),
    updated: toSeconds(updated_at),
  }
}
