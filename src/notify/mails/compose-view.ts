// A saved view as an email: its figures, their change against the period before, and the breakdown (or the days) as a
// CSV for spreadsheets in the reader's language. Names that people wrote are only in the attachment; the name of the
// view is in the email if it is plain words.

import { isPlain } from '../../identity/who-in-mail.ts'
import { Problem } from '../../kernel/errors/problem.ts'
import { containsText } from '../../kernel/text.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { Block } from '../../platform/letter.ts'
import type { Attachment } from '../../platform/mail.ts'
import { breakdown } from '../../report/figures/breakdown.ts'
import { OTHER } from '../../report/figures/contract.ts'
import { type Cell, csvLine, GERMAN } from '../../report/figures/csv.ts'
import type { Figures } from '../../report/figures/figures.ts'
import { findSubject, type Subject, summary, timeseries } from '../../report/figures/report.ts'
import { zoneOfSetting } from '../../report/figures/zone.ts'
import type { SavedView } from '../../report/saved-views/contract.ts'
import { viewToMail } from '../../report/saved-views/saved-views.ts'
import {
  COUNTED,
  type FigureName,
  figureIn,
  figuresShown,
  MONEY,
  UNKNOWN,
  WORTH,
  writeFigure,
} from './figures.ts'
import type { MailLanguage, MailWords, mailFormat } from './words.ts'

export interface ViewFacts {
  vid: number
  startS: number
  endS: number
  beforeS: number | null
  /** Left out of emails that were recorded when all ended with the start. */
  beforeEndS?: number | null
  zone: string
}

export interface ViewReader {
  words: MailWords
  format: ReturnType<typeof mailFormat>
  page: (path: string) => string
  campaignOf: (cid: number) => Promise<string>
  language: MailLanguage
  currency: string
}

export interface WrittenView {
  subject: string
  blocks: Block[]
  attachments: Attachment[]
}

const MOST_ROWS = 1000
const BOM = '\ufeff'

/** Null: the view or its subject is gone. */
export async function composeView(
  { db, clock }: { db: Db; clock: Clock },
  cuid: number,
  facts: ViewFacts,
  reader: ViewReader,
): Promise<WrittenView | null> {
  const view = await viewToMail(db, cuid, facts.vid)
  const subject = view && (await subjectOf(db, cuid, view))
  if (!view || !subject) return null
  const { startS: start, endS: end, beforeS, zone } = facts
  const beforeEnd = facts.beforeEndS ?? start
  const { words, format, page } = reader
  const now = await summary(db, subject, { start, end })
  const before = beforeS === null ? null : await summary(db, subject, { start: beforeS, end: beforeEnd })
  const title = words.viewSubject(isPlain(view.name) ? view.name : null, format.days(start, end))
  const row = (name: FigureName) => [
    words.figure[name],
    writeFigure(now, name, format),
    ...(before ? [writeFigure(before, name, format), changeOf(name, now, before, format)] : []),
  ]
  const comparedWith =
    beforeS === null || beforeEnd === start ? words.viewBefore : format.days(beforeS, beforeEnd)
  const lines = await linesOf({ db, clock }, view, subject, facts, reader)
  return {
    subject: title,
    blocks: [
      { heading: title },
      ...(view.cid === null ? [] : [{ text: words.campaign(await reader.campaignOf(view.cid)) }]),
      {
        rows: [
          ['', '', ...(before ? [comparedWith, words.change] : [])],
          ...figuresShown(now, before).map(row),
        ],
      },
      { text: words.viewAttached },
      { text: words.zone(zone) },
      { link: { words: words.open, url: page(addressOf(view)) } },
    ],
    attachments: [
      {
        filename: `${words.viewFile}-${dayIn(zone)(start)}.csv`,
        contentType: 'text/csv; charset=utf-8',
        content: BOM + lines.join(''),
      },
    ],
  }
}

async function subjectOf(db: Db, cuid: number, { cid }: SavedView): Promise<Subject | null> {
  try {
    return await findSubject(db, cuid, String(cid ?? cuid))
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null
    throw error
  }
}

function changeOf(name: FigureName, now: Figures, before: Figures, format: ViewReader['format']): string {
  const [value, old] = [figureIn(now, name), figureIn(before, name)]
  return value === null || !old ? UNKNOWN : format.change((value - old) / old)
}

/** The rows of the breakdown that pass the filters, or one row per day. */
async function linesOf(
  { db, clock }: { db: Db; clock: Clock },
  view: SavedView,
  subject: Subject,
  { startS: start, endS: end, zone: zoneName }: ViewFacts,
  { words, language, currency }: ViewReader,
): Promise<string[]> {
  const zone = zoneOfSetting(zoneName)
  const line = (cells: Cell[]) => (language === 'de' ? csvLine(cells, GERMAN) : csvLine(cells))
  const names = [...COUNTED, ...WORTH]
  const titles = names.map(name =>
    MONEY.includes(name) ? `${words.figure[name]} (${currency})` : words.figure[name],
  )
  const cells = (figures: Figures) => names.map(name => rounded(figureIn(figures, name)))
  if (view.dimension === null) {
    const question = { start, end, interval: 'day' as const, tz: zoneName }
    const { timeseries: days } = await timeseries(db, subject, question, { clock, zone })
    const dayOf = dayIn(zoneName)
    return [line([words.day, ...titles]), ...days.map(day => line([dayOf(day.date), ...cells(day)]))]
  }
  const { breakdown: rows } = await breakdown(
    db,
    subject,
    view.dimension,
    { start, end, limit: MOST_ROWS },
    zone,
  )
  const { q, spendFrom, spendTo } = view
  const shown = rows.filter(
    ({ name, label, spend }) =>
      (q === null || containsText([name, label ?? null], q)) &&
      spend >= (spendFrom ?? 0) &&
      spend <= (spendTo ?? Number.POSITIVE_INFINITY),
  )
  const nameOf = (name: string) => (name === OTHER ? words.others : name === 'unknown' ? words.unknown : name)
  return [
    line([words.viewName, words.viewCode, ...titles]),
    ...shown.map(row => line([row.label ?? nameOf(row.name), row.id ?? row.name, ...cells(row)])),
  ]
}

/** `2026-11-09` */
function dayIn(timeZone: string): (timeS: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  return timeS => format.format(timeS * 1000)
}

/** Money is in micros. An unknown value is an empty cell. */
const rounded = (value: number | null) => value && Number(value.toFixed(6))

/** The page of the console that shows the same view. */
function addressOf(view: SavedView): string {
  const {
    cid,
    range,
    firstDay,
    lastDay,
    against,
    againstDay,
    figure,
    interval,
    dimension,
    q,
    spendFrom,
    spendTo,
  } = view
  const search = new URLSearchParams({
    ...(cid === null ? {} : { tab: 'statistics' }),
    ...(range ? { range } : { from: firstDay ?? '', to: lastDay ?? '' }),
    ...(againstDay || against !== 'before' ? { against: againstDay ?? against } : {}),
    ...(figure === 'spend' ? {} : { figure }),
    ...(interval ? { by: interval } : {}),
    ...(dimension ? { dimension } : {}),
    ...(q === null ? {} : { 'breakdown.q': q }),
    ...(spendFrom === null ? {} : { 'breakdown.from': String(spendFrom) }),
    ...(spendTo === null ? {} : { 'breakdown.to': String(spendTo) }),
  })
  return `${cid === null ? '/statistics' : `/campaigns/${cid}`}?${search}`
}
