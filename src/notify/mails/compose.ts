// Composes an email in the customer's language and time zone. Its figures are the same as those of `/stats`.

import { createHash } from 'node:crypto'
import { listRemedies, type Remedy } from '../../diagnose/issues/issues.ts'
import { letterBrand } from '../../identity/apps.ts'
import type { BudgetRaised, By } from '../../identity/contract.ts'
import { type AccessFact, isPlain, linkless, personOf } from '../../identity/who-in-mail.ts'
import type { Every } from '../../kernel/report-period.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { zoneAt } from '../../kernel/time/zones.ts'
import type { Db } from '../../platform/database.ts'
import { type Block, layOut } from '../../platform/letter.ts'
import type { Attachment, Mail } from '../../platform/mail.ts'
import { selectNames } from '../../report/figures/breakdown-queries.ts'
import { figuresOf } from '../../report/figures/figures.ts'
import { findSubject, summary } from '../../report/figures/report.ts'
import { composeView, type ViewFacts } from './compose-view.ts'
import type { MailKind } from './contract.ts'
import { type FigureName, figuresShown, writeFigure } from './figures.ts'
import { offToken } from './links.ts'
import { type RecipientRow, selectReasons } from './queries.ts'
import { sumByCampaign } from './report-queries.ts'
import type { ThresholdFact } from './thresholds.ts'
import { MAIL_WORDS, type MailWords, mailFormat, TO_DO } from './words.ts'

export interface ComposeParts {
  db: Db
  clock: Clock
  publicUrl: string
  currency: string
  /** The deployment's zone, for customers without one of their own. */
  timeZone: string
}

export interface News {
  cuid: number
  kind: MailKind
  /** The member that it is for; null: the customer itself. */
  mid: number | null
  /** Identifies this email forever. */
  batch: number
  /** A report has one; an alert email has all its alerts. */
  facts: Record<string, unknown>[]
}

interface Written {
  subject: string
  blocks: Block[]
  attachments?: Attachment[]
}

interface Reader {
  words: MailWords
  format: ReturnType<typeof mailFormat>
  /** The URL of a console page, or of the app's own platform if it has one. */
  page: (path: string) => string
  /** The name of the app. */
  title: string
  /** What to call a campaign: its name if that is plain words, otherwise its id. */
  campaign: (cid: number) => string
}

const CAMPAIGNS = 10
/** More would be a list that nobody begins. */
const THINGS_TO_DO = 3

/** Null: the subject of the email is gone. */
export async function compose(
  parts: ComposeParts,
  news: News,
  recipient: RecipientRow,
): Promise<Mail | null> {
  const { db, clock, publicUrl, currency, timeZone } = parts
  const { cuid, kind } = news
  const language = recipient.language ?? 'en'
  const words = MAIL_WORDS[language]
  const zones = { timezone: recipient.timezone, before: recipient.timezone_before ?? [] }
  const ownZone = zoneAt(zones, clock.nowMs()) ?? timeZone
  const zone = (news.facts[0]!.zone as string | undefined) ?? ownZone
  const format = mailFormat(language, zone, currency)
  const page = (path: string) => recipient.platform_url ?? `${publicUrl}/console${path}`
  const brand = letterBrand(recipient.brand, publicUrl)
  const { title } = brand
  const campaign = await namesIn(db, news.facts, words)
  const campaignOf = async (cid: number) => (await namesIn(db, [{ cid }], words))(cid)
  const reader = { words, format, page, title, campaign }
  const view = kind === 'savedView' ? (news.facts[0] as unknown as ViewFacts) : null
  const composed: Written | null = view
    ? await composeView(parts, cuid, view, { ...reader, campaignOf, language, currency })
    : kind === 'report'
      ? await report(parts, cuid, news.facts[0] as never, reader)
      : kind === 'decisions'
        ? await aboutDecisions(db, news, reader)
        : alert(news, reader)
  if (composed === null) return null
  const { subject, blocks, attachments } = composed
  const link = { cuid, kind, mid: news.mid, vid: view?.vid }
  return layOut({
    to: recipient.email,
    messageId: messageIdOf(news.batch, publicUrl),
    language,
    brand,
    subject,
    blocks: [{ text: words.hello }, ...blocks],
    off: {
      words: words.switchOff,
      url: `${publicUrl}/mails/${await offToken(db, link)}`,
    },
    why: words.why(title),
    ...(attachments ? { attachments } : {}),
  })
}

async function namesIn(db: Db, facts: readonly object[], words: MailWords): Promise<Reader['campaign']> {
  const cids = facts.flatMap(fact => ('cid' in fact && typeof fact.cid === 'number' ? [fact.cid] : []))
  const rows = cids.length === 0 ? [] : await selectNames(db, 'campaign', cids)
  const names = new Map(rows.filter(({ name }) => isPlain(name)).map(({ id, name }) => [id, name]))
  return cid => (names.has(cid) ? words.quoted(names.get(cid)!) : String(cid))
}

/** Includes the deployment, so that no two deployments share an id. */
function messageIdOf(batch: number, publicUrl: string): string {
  const { hostname } = new URL(publicUrl)
  const mark = createHash('sha256').update(publicUrl).digest('hex').slice(0, 12)
  return `<mail.${batch}.${mark}@${hostname}>`
}

interface ReportFacts {
  every: Exclude<Every, 'monthly'>
  startS: number
  endS: number
  beforeS: number
  zone: string
}

async function report(
  parts: ComposeParts,
  cuid: number,
  facts: ReportFacts,
  reader: Reader,
): Promise<Written | null> {
  const { db } = parts
  const { every, startS, endS, beforeS, zone } = facts
  const { words, format, page } = reader
  const subject = await findSubject(db, cuid, String(cuid))
  const now = await summary(db, subject, { start: startS, end: endS })
  const before = await summary(db, subject, { start: beforeS, end: startS })
  const period = every === 'daily' ? format.day(startS) : format.days(startS, endS)
  const row = (name: FigureName) => [
    words.figure[name],
    writeFigure(now, name, format),
    writeFigure(before, name, format),
  ]
  const title = words.reportSubject[every](period)
  const campaigns = await byCampaign(db, cuid, facts, reader)
  const toDoFirst = every === 'weekly' ? await toDo(parts, cuid, reader) : []
  const hasNoFigures = [now, before].every(({ imps, clicks, actions }) => imps + clicks + actions === 0)
  // A weekly one comes without being asked for, so it does not come to say nothing.
  if (every === 'weekly' && hasNoFigures && toDoFirst.length === 0) return null
  const blocks: Block[] = [
    { heading: title },
    { rows: [['', '', words.before[every]], ...figuresShown(now, before).map(row)] },
    ...toDoFirst,
    ...campaigns,
    { text: words.zone(zone) },
    { link: { words: words.open, url: page('/statistics') } },
  ]
  return { subject: title, blocks }
}

/** What keeps the most money from being spent now, with a link to where it is mended. */
async function toDo({ db, clock, timeZone }: ComposeParts, cuid: number, reader: Reader): Promise<Block[]> {
  const { words, page } = reader
  const remedies = await listRemedies(db, cuid, { clock, timeZone, codes: TO_DO, limit: THINGS_TO_DO })
  if (remedies.length === 0) return []
  const campaign = await namesIn(db, remedies, words)
  const blocks = remedies.flatMap((remedy): Block[] => [
    { text: words.toDo(remedy.code as (typeof TO_DO)[number], campaign(remedy.cid)) },
    { link: { words: words.open, url: page(placeOf(remedy)) } },
  ])
  return [{ heading: words.toDoFirst }, ...blocks]
}

/** Tabs of the account page: web/account/account.page.tsx. */
const ACCOUNT = { billing: '/account?tab=billing', people: '/account?tab=people', keys: '/account?tab=keys' }

function placeOf({ code, cid, pid, bid }: Remedy): string {
  if (code === 'frozen') return '/account'
  if (code === 'balance_spent') return ACCOUNT.billing
  const persona = pid === null ? '' : `/personas/${pid}`
  return `/campaigns/${cid}${persona}${bid === null ? '' : `/banners/${bid}`}`
}

async function byCampaign(
  db: Db,
  cuid: number,
  { startS, endS }: ReportFacts,
  reader: Reader,
): Promise<Block[]> {
  const { words, format } = reader
  const [from, to] = [new Date(startS * 1000), new Date(endS * 1000)]
  const sums = await sumByCampaign(db, cuid, from, to, CAMPAIGNS)
  if (sums.length === 0) return []
  const campaign = await namesIn(db, sums, words)
  const worth = sums.some(sum => sum.valueMicros > 0) ? (['value'] as const) : []
  const names = ['imps', 'clicks', 'actions', 'spend', ...worth] as const
  const rows = sums.map(sum => {
    const figures = figuresOf(sum)
    const { imps, clicks, actions } = figures
    const amounts = (['spend', ...worth] as const).map(name => format.money(figures[name]))
    return [words.campaign(campaign(sum.cid)), ...[imps, clicks, actions].map(format.count), ...amounts]
  })
  const more = sums[0]!.of - sums.length
  return [
    { heading: words.byCampaign },
    { rows: [['', ...names.map(name => words.figure[name])], ...rows] },
    ...(more > 0 ? [{ text: words.more(more) }] : []),
  ]
}

/** The last fact has the current state. */
function aboutBalance({ facts }: News, { words, format, page }: Reader): Written {
  const { what, balance } = facts.at(-1) as { what: 'low' | 'spent'; balance: number }
  const link = { words: words.open, url: page(ACCOUNT.billing) }
  return written(
    words.balanceSubject[what],
    [{ text: words.balance[what](format.money(balance)) }, { link }],
    words.balanceAbout[what],
  )
}

interface ProposalFact {
  id: number
  cid: number | null
  costsAtMost: number
  by?: By
}

function aboutProposals({ facts }: News, { words, format, page, title, campaign }: Reader): Written {
  const blocks = facts.flatMap((fact): Block[] => {
    const { id, cid, costsAtMost, by } = fact as unknown as ProposalFact
    const most = format.money(costsAtMost)
    const what = cid === null ? words.proposedNew(most) : words.proposed(campaign(cid), most)
    // A proposal that has waited since before this version has no `by`.
    const text = by ? `${what} ${words.by(personOf(by), title)}` : what
    return [{ text }, { link: { words: words.open, url: page(`/proposals?id=${id}`) } }]
  })
  return written(words.proposedSubject(facts.length), blocks, words.proposedAbout)
}

interface DecisionFact {
  id: number
  cid: number | null
  status: 'approved' | 'declined'
  by: By
}

/** Null: the proposals are gone. A reason that could be a link is only shown in the console. */
async function aboutDecisions(
  db: Db,
  { cuid, facts }: News,
  { words, page, title, campaign }: Reader,
): Promise<Written | null> {
  const all = facts as unknown as DecisionFact[]
  const reasons = await selectReasons(
    db,
    cuid,
    all.map(({ id }) => id),
  )
  const known = all.filter(({ id }) => reasons.has(id))
  const blocks = known.flatMap(({ id, cid, status, by }): Block[] => {
    const reason = reasons.get(id) ?? null
    const text = `${words.decided[status](id, cid === null ? null : campaign(cid))} ${words.by(personOf(by), title)}`
    const said = reason === null ? [] : [{ text: words.reason(linkless(reason)) }]
    return [{ text }, ...said, { link: { words: words.open, url: page(`/proposals?id=${id}`) } }]
  })
  const [first] = known
  if (!first) return null
  return {
    subject: known.length === 1 ? words.decidedOne[first.status] : words.decidedSeveral(known.length),
    blocks,
  }
}

function aboutRaised({ facts }: News, { words, format, page, title, campaign }: Reader): Written {
  const blocks = facts.flatMap((fact): Block[] => {
    const { cid, fid, field, before, after, by } = fact as BudgetRaised
    const amounts = [format.money(before), after === null ? null : format.money(after)] as const
    const text = `${words.raised({ campaign: campaign(cid), fid, field }, ...amounts)} ${words.by(personOf(by), title)}`
    return [{ text }, { link: { words: words.open, url: page(`/campaigns/${cid}`) } }]
  })
  return written(words.raisedSubject(facts.length), blocks, words.raisedAbout)
}

/** Thresholds that the customer has set itself. */
function aboutThresholds({ facts }: News, { words, format, page, campaign }: Reader): Written {
  const all = facts as unknown as ThresholdFact[]
  const textOf = (fact: ThresholdFact) => {
    if (fact.what === 'spend')
      return words.overSpend(format.money(fact.spend), format.money(fact.limit), format.dayOfKey(fact.day))
    if (fact.what === 'balance') return words.balanceDays(format.money(fact.balance), fact.days)
    const [spend, budget] = [format.money(fact.spend), format.money(fact.budget)]
    return words.paceLag(campaign(fact.cid), spend, budget, format.dayOfKey(fact.day))
  }
  const urlOf = (fact: ThresholdFact) =>
    fact.what === 'pace'
      ? page(`/campaigns/${fact.cid}`)
      : page(fact.what === 'balance' ? ACCOUNT.billing : '/statistics?range=today')
  const blocks = all.flatMap((fact): Block[] => [
    { text: textOf(fact) },
    { link: { words: words.open, url: urlOf(fact) } },
  ])
  const { what } = all[0]!
  const subject = words.thresholdSubject[all.every(fact => fact.what === what) ? what : 'several']
  return written(subject, blocks, words.thresholdAbout)
}

/** A member, a key, or a network; the subject names the kind if all are of one kind. */
function aboutAccess({ facts }: News, { words, page, title }: Reader): Written {
  const all = facts as unknown as AccessFact[]
  const texts = all.map(fact => ({ text: `${words.access(fact)} ${words.by(personOf(fact.by), title)}` }))
  const { what } = all[0]!
  const subject = words.accessSubject[all.every(fact => fact.what === what) ? what : 'several']
  const isAboutPeople = all.every(fact => fact.what === 'member')
  const link = { words: words.open, url: page(ACCOUNT[isAboutPeople ? 'people' : 'keys']) }
  return written(subject, [...texts, { link }], words.accessAbout)
}

function alert(news: News, reader: Reader): Written {
  const { kind, facts } = news
  const { words, format, page, campaign } = reader
  if (kind === 'balance') return aboutBalance(news, reader)
  if (kind === 'proposals') return aboutProposals(news, reader)
  if (kind === 'budgetRaised') return aboutRaised(news, reader)
  if (kind === 'access') return aboutAccess(news, reader)
  if (kind === 'threshold') return aboutThresholds(news, reader)
  const campaignPage = (cid: unknown) => page(`/campaigns/${cid}`)
  const blocks = facts.flatMap((fact): Block[] => {
    const { cid, fid, pid, bid, budget, day, since } = fact as Record<string, number>
    if (kind === 'bannerRejected') {
      const url = page(`/campaigns/${cid}/personas/${pid}/banners/${bid}`)
      return [{ text: words.rejected(bid!, campaign(cid!)) }, { link: { words: words.open, url } }]
    }
    const spent = () => {
      // Before it had a kind of its own, news of a day was of the kind of totals.
      if (fact.by === 'day') return words.spent(campaign(cid!), format.money(budget!), format.dayOfKey(day!))
      if (fact.by === 'month') return words.month(campaign(cid!), format.money(budget!))
      return fid === undefined
        ? words.total(campaign(cid!), format.money(budget!))
        : words.flight(fid, campaign(cid!), format.money(budget!))
    }
    const { code } = fact as { code?: string }
    const stopped = () =>
      code ? words.stalled(campaign(cid!), code) : words.stopped(campaign(cid!), format.time(since!))
    const text = kind === 'stopped' ? stopped() : spent()
    return [{ text }, { link: { words: words.open, url: campaignPage(cid) } }]
  })
  if (kind === 'bannerRejected')
    return written(words.rejectedSubject(facts.length), blocks, words.rejectedAbout)
  if (kind === 'daySpent') return written(words.spentSubject(facts.length), blocks, words.spentAbout)
  if (kind === 'budgetSpent') return written(words.totalSubject(facts.length), blocks, words.totalAbout)
  return written(words.stoppedSubject(facts.length), blocks, words.stoppedAbout)
}

function written(subject: string, blocks: Block[], about: string): Written {
  return { subject, blocks: [...blocks, { text: about }] }
}
