// Background work as a part of the service: reviews of banners, the watch over campaigns, webhooks, emails, export of
// events, cleaning up. The work is in the database and claimed row by row, so any number of processes may run it.

import { sweepShares } from '../budget/shares/shares.ts'
import { clearHistory } from '../changes/history.ts'
import { startPacking } from '../count/pack/packing.ts'
import { SOURCE_REFUSALS } from '../count/tracking/refusals.ts'
import { refusedSources } from '../count/tracking/source-outcomes.ts'
import { learnClickRates } from '../deliver/click-rates/click-rates.ts'
import { alertRaised } from '../identity/alerts.ts'
import { sweepSessions } from '../identity/sessions/sessions.ts'
import { sweepAccess } from '../identity/sweep.ts'
import { type Clock, steadyMsOf } from '../kernel/time/clock.ts'
import { calendarOf, keysAnywhere } from '../kernel/time/day.ts'
import { HOUR_MS } from '../kernel/time/units.ts'
import type { Inspect } from '../manage/banners/creative/inspection.ts'
import type { Creatives } from '../manage/banners/creative/store.ts'
import { checkDuePages, type LandingParts } from '../manage/banners/landing/landing.ts'
import { creativeLimits } from '../manage/banners/limits.ts'
import { REVIEW_TASK, reviewTask, sweepReviews } from '../manage/banners/review.ts'
import { sweepUnusedImages } from '../manage/banners/unused-images.ts'
import { type CampaignParts, fillSearchTexts } from '../manage/campaigns/campaigns.ts'
import { sweepErasures } from '../manage/customers/erase.ts'
import { JOB_TASK, jobTask, sweepJobs } from '../manage/jobs/jobs.ts'
import { orderWork } from '../manage/orders/work.ts'
import { expireDue, sweepProposals } from '../manage/proposals/proposals.ts'
import { recordReports, recordStopped } from '../notify/mails/news.ts'
import { recordSavedViews } from '../notify/mails/saved-views.ts'
import { startMailSender, sweepMails } from '../notify/mails/sender.ts'
import { recordThresholds } from '../notify/mails/thresholds.ts'
import { sweepDeliveries } from '../notify/webhooks/deliveries.ts'
import { startSender } from '../notify/webhooks/sender.ts'
import { createWatch } from '../notify/webhooks/watch.ts'
import { tellStalled } from '../notify/webhooks/watch-stalled.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import { startJobs } from '../platform/job-queue.ts'
import type { Log } from '../platform/log.ts'
import { type Mailer, outboxOf } from '../platform/mail.ts'
import type { Metrics } from '../platform/metrics.ts'
import { openStore, s3AccessOf } from '../platform/store/open.ts'
import { type EveryOptions, every, patiently } from '../platform/timer.ts'
import type { Traces } from '../platform/traces.ts'
import { createTrouble, OutsideFailure } from '../platform/trouble.ts'
import { createAccountWatch } from '../report/accounts/watch.ts'
import { startExport } from '../report/export/follow.ts'
import { patienceFor } from '../sandbox/images.ts'
import { MOST_COUNTED, selectQueues } from './queue-queries.ts'
import { quotasOf } from './quotas.ts'

export interface BackgroundParts {
  config: Config
  db: Database
  databaseUrl: string
  clock: Clock
  log: Log
  metrics: Metrics
  traces: Traces
  mail: Mailer
  campaigns: CampaignParts
  creatives: { clock: Clock; files: Creatives; inspect: Inspect }
  landing: LandingParts
}

/** A job mostly waits for another host. */
const JOBS_AT_ONCE = 8
const HISTORY_MS = 600_000
const CLICK_RATES_MS = 300_000
/** Older days are only in the statistics. */
export const KEEP_SHARES_MS = 8 * 24 * HOUR_MS
const DAY_S = 86_400

export async function startBackground(parts: BackgroundParts, closers: (() => unknown)[]): Promise<void> {
  const { config, db, databaseUrl, clock, log, metrics, traces } = parts
  const timeZone = config.TIMEZONE
  const repeat = repeatBy(parts, closers)
  repeat('sweep', HOUR_MS, () => sweep(parts))
  const keepHistoryMs = 1000 * Math.max(config.AUDIT_RETENTION, config.RESTORE_WITHIN)
  repeat('history', HISTORY_MS, () => clearHistory(db, new Date(clock.nowMs() - keepHistoryMs)))
  closers.push(watchQueues({ db, clock, log, metrics }))
  closers.push(watchSources({ db, clock, log, metrics }))
  const tasks = tasksOf(parts)
  closers.push(
    await startJobs({ db, databaseUrl, tasks, concurrency: JOBS_AT_ONCE, clock, log, metrics, traces }),
  )
  repeat('review sweep', 10_000, () => sweepReviews(db, clock), { patiently: true })
  repeat('landing pages', 60_000, () => checkDuePages(db, parts.landing), { patiently: true })
  repeat('search texts', 60_000, () => fillSearchTexts(db))
  startWatches(parts, repeat)
  repeat('click rates', CLICK_RATES_MS, () => learnClickRates(db, clock.nowMs()), { patiently: true })
  closers.push(startPacking({ db, clock, log, metrics, keptS: config.ROLLUP_RETENTION }))
  closers.push(startSender({ db, clock, allowPrivate: config.ALLOW_PRIVATE_WEBHOOKS, log, metrics, traces }))
  const erasure = { db, clock, outboxDir: outboxOf(config.DATA_DIR) }
  repeat('erasures', 60_000, () => sweepErasures(erasure))
  const watched = { ...parts.campaigns, db }
  repeat('reports', 60_000, () => recordReports(watched))
  repeat('thresholds', 60_000, () => recordThresholds({ ...watched, currency: config.CURRENCY }))
  repeat('saved views', 60_000, () => recordSavedViews(db, { clock, timeZone }))
  repeat('stopped campaigns', 60_000, () => recordStopped(watched), { patiently: true })
  closers.push(startMails(parts), startExports(parts))
}

interface Repeating extends EveryOptions {
  /** Rests in proportion to how long it took. */
  patiently?: boolean
}

type Repeat = (name: string, everyMs: number, work: () => Promise<void>, how?: Repeating) => void

function repeatBy({ clock, log }: BackgroundParts, closers: (() => unknown)[]): Repeat {
  const steadyMs = steadyMsOf(clock)
  return (name, everyMs, work, { patiently: isPatient = false, ...how } = {}) => {
    const run = isPatient ? patiently(work, steadyMs) : work
    closers.push(every(name, everyMs, run, log, clock, how))
  }
}

async function sweep({ config, db, clock, creatives }: BackgroundParts): Promise<void> {
  await sweepAccess(db, clock)
  await sweepSessions(db, clock)
  await sweepJobs(db, clock)
  await sweepProposals(db, clock)
  await sweepDeliveries(db, clock)
  await sweepMails(db, clock, calendarOf(config.TIMEZONE))
  await sweepShares(db, keysAnywhere(clock.nowMs() - KEEP_SHARES_MS)[0]!)
  await sweepUnusedImages({ ...creatives, db, keepMs: config.UNUSED_IMAGES * 1000 })
}

/** What jobs in the database do. */
function tasksOf({ config, db, clock, campaigns, creatives }: BackgroundParts) {
  const fetchTimeoutMs = config.CREATIVE_TIMEOUT * 1000
  const review = reviewTask({
    ...creatives,
    db,
    limits: creativeLimits(config.CREATIVE_WEIGHTS ?? {}),
    allowPrivate: config.ALLOW_PRIVATE_CREATIVES,
    fetchTimeoutMs: url =>
      config.SANDBOX ? patienceFor(url, config.PUBLIC_URL, fetchTimeoutMs) : fetchTimeoutMs,
    retryForMs: config.CREATIVE_RETRY * 1000,
  })
  const work = orderWork({ ...campaigns, publicUrl: config.PUBLIC_URL })
  const checks = { timeZone: config.TIMEZONE, quotas: quotasOf(config).quotas, alert: alertRaised }
  const job = jobTask({ db, clock, work, ...checks })
  return { [REVIEW_TASK]: review, [JOB_TASK]: job }
}

/** What happens at a moment of the clock and not by a call: a budget is spent, a balance is low, a proposal expires. */
function startWatches({ config, db, clock, campaigns }: BackgroundParts, repeat: Repeat): void {
  const watched = { ...campaigns, db }
  const watch = createWatch(watched)
  const watchAccounts = createAccountWatch({ db, clock, currency: config.CURRENCY })
  const proposals = { clock, publicUrl: config.PUBLIC_URL, timeZone: config.TIMEZONE }
  const byTheClock = { isByTheClock: true }
  repeat('campaign watch', 2_000, () => watch().then(() => tellStalled(watched)), byTheClock)
  repeat('account watch', 2_000, watchAccounts, byTheClock)
  repeat('proposals', 10_000, () => expireDue(db, proposals), byTheClock)
}

function startMails({ config, db, mail, clock, log, campaigns }: BackgroundParts) {
  return startMailSender({
    db,
    mail,
    clock,
    log,
    publicUrl: config.PUBLIC_URL,
    currency: config.CURRENCY,
    timeZone: config.TIMEZONE,
    calendar: campaigns.calendar,
  })
}

function startExports({ config, db, clock, log, metrics }: BackgroundParts) {
  return startExport({
    db,
    clock,
    log,
    metrics,
    store: config.EXPORT_URL ? openStore(config.EXPORT_URL, s3AccessOf(config)) : null,
    currency: config.CURRENCY,
    keptS: config.EVENT_RETENTION - config.CLICK_WINDOW - DAY_S,
  })
}

// Watches the queues in the database: reviews of banners, webhooks and emails that are due.

interface QueueParts {
  db: Database
  clock: Clock
  log: Log
  metrics: Metrics
}

const LOOK_MS = 10_000

/** Returns the function that stops it. */
function watchQueues({ db, clock, log, metrics }: QueueParts) {
  const upTo = `at most ${MOST_COUNTED} are counted`
  const reviews = metrics.gauge('marquee_reviews_waiting', `Banners waiting for their review; ${upTo}.`)
  const webhooks = metrics.gauge('marquee_webhooks_waiting', `Pending webhook deliveries; ${upTo}.`)
  const overdue = metrics.gauge(
    'marquee_webhooks_oldest_seconds',
    'How long the oldest delivery has been due; 0 if none is due.',
  )
  const mails = metrics.gauge('marquee_mails_waiting', `Reports and alerts not emailed yet; ${upTo}.`)
  async function look(): Promise<void> {
    const found = await selectQueues(db)
    reviews.set(found.reviews)
    webhooks.set(found.webhooks)
    overdue.set(found.webhook_s)
    mails.set(found.mails)
  }
  return every('queues', LOOK_MS, patiently(look, steadyMsOf(clock)), log, clock)
}

// Watches which part of the impressions of each source is refused: a wrong chain of proxies in front makes all visitors
// look like others, and nothing is billed while every call gets 200.

const REFUSALS_MS = 10_000

/** Returns the function that stops it. */
function watchSources(parts: { db: Database; clock: Clock; log: Log; metrics: Metrics }) {
  const { db, clock, log, metrics } = parts
  const sources = new Map<string, number>(SOURCE_REFUSALS.map(reason => [reason, 0]))
  metrics.readings(
    'marquee_sources_refused',
    'Sources of which at least fifty impressions of the last hour, and one in five, were not counted, by outcome.',
    'outcome',
    () => sources,
  )
  const trouble = createTrouble(log, {
    text: 'many impressions of a source are not counted',
    again: 'the impressions of all sources are counted again',
    about: { part: 'counting' },
    calmMs: Number.POSITIVE_INFINITY,
  })
  async function look(): Promise<void> {
    const found = await refusedSources(db, clock.nowMs())
    for (const reason of SOURCE_REFUSALS)
      sources.set(reason, found.filter(one => one.reason === reason).length)
    for (const { sourceId, source, reason, refused, of } of found)
      trouble.is(new OutsideFailure(`${reason} at source ${sourceId}`), { source, refused, of })
    if (found.length === 0) trouble.over()
  }
  return every('refused sources', REFUSALS_MS, patiently(look, steadyMsOf(clock)), log, clock)
}
