// Sends waiting emails. The rows of one email are leased, sent and settled. If a worker dies, its lease expires and
// another worker sends the same email with the same Message-ID. If the mail server is down, the email is retried.

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { HOUR_MS, MINUTE_MS } from '../../kernel/time/units.ts'
import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Mailer } from '../../platform/mail.ts'
import { pollQueue } from '../../platform/timer.ts'
import { createTrouble } from '../../platform/trouble.ts'
import { type ComposeParts, compose } from './compose.ts'
import { readChoices, wants } from './mails.ts'
import {
  deleteOldMails,
  giveAllowanceBack,
  isAnyWaiting,
  type LeasedRow,
  leaseBatch,
  postponeBatch,
  selectRecipient,
  settleBatch,
  takeAllowance,
} from './queries.ts'

export interface MailSenderParts extends ComposeParts {
  db: Database
  mail: Mailer
  clock: Clock
  log: Log
  /** The deployment's calendar: the daily limit counts its days. */
  calendar: Calendar
}

/**
 * How long to wait after each failed attempt. After the last wait there is one more attempt; then the email has failed.
 */
export const RETRY_AFTER_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
]
/** Sending takes seconds; connecting, greeting and each answer have their own limits. */
export const LEASE_MS = 5 * MINUTE_MS
/** Per customer and per member; the rest waits until the next day and is combined into one email per kind. */
export const MAILS_PER_DAY = 20
/** Many emails wait on purpose, for more news of their kind, so there is no hurry. */
const POLL_MS = { waiting: 2_000, empty: 10_000 }
export const KEEP_MS = 400 * 24 * HOUR_MS
const SWEEP_PAGE = 1_000

/** Returns the function that stops it. */
export function startMailSender(parts: MailSenderParts): () => Promise<void> {
  const trouble = createTrouble(parts.log, {
    text: 'could not send reports and alerts by email; retrying',
    again: 'reports and alerts are sent again',
    about: { work: 'mails' },
    // The next attempt may be hours away: the trouble is over only when an email was sent.
    calmMs: Number.POSITIVE_INFINITY,
  })
  let stopped = false
  async function look(): Promise<boolean> {
    if (!(await isAnyWaiting(parts.db))) return false
    while (!stopped && (await sendOne(parts, trouble)));
    return true
  }
  const polling = pollQueue('mails', POLL_MS, look, parts.log, parts.clock)
  const stopHearing = parts.db.onAnnounced('mails', () => polling.wake())
  return () => {
    stopped = true
    stopHearing()
    return polling.stop()
  }
}

type Trouble = ReturnType<typeof createTrouble>

/** False: nothing is due. */
async function sendOne(parts: MailSenderParts, trouble: Trouble): Promise<boolean> {
  const { db, clock, calendar } = parts
  const nowMs = clock.nowMs()
  const lease = randomUUID()
  const rows = await leaseBatch(db, lease, new Date(nowMs), new Date(nowMs + LEASE_MS))
  const first = rows[0]
  if (!first) return false
  const recipient = await selectRecipient(db, first, first.kind)
  if (!recipient || !wants(await readChoices(db, first.cuid), first.kind)) {
    await settleBatch(db, lease, 'dropped')
    return true
  }
  const day = calendar.dayAt(nowMs)
  if (!(await takeAllowance(db, first, day.key, MAILS_PER_DAY))) {
    await postponeBatch(db, lease, new Date(day.endMs), 0, true)
    return true
  }
  try {
    const facts = rows.sort((a, b) => a.mail_id - b.mail_id).map(row => row.facts)
    const mail = await compose(parts, { ...first, facts }, recipient)
    if (mail) {
      await parts.mail.send({ ...mail, cuid: first.cuid })
      trouble.over()
    } else await giveAllowanceBack(db, first, day.key)
    await settleBatch(db, lease, mail ? 'sent' : 'dropped')
  } catch (error) {
    trouble.is(error)
    await giveAllowanceBack(db, first, day.key)
    await later(parts, lease, rows, error)
  }
  return true
}

async function later({ db, clock }: MailSenderParts, lease: string, rows: LeasedRow[], error: unknown) {
  const waitMs = RETRY_AFTER_MS[Math.max(...rows.map(row => row.tries))]
  if (waitMs === undefined) await settleBatch(db, lease, 'failed')
  else await postponeBatch(db, lease, new Date(clock.nowMs() + waitMs), 1, surelyNotSent(error))
}

/**
 * Whether the email was refused, or no connection was made. After a time-out the server may have accepted it, so the
 * retry must be the same email.
 */
function surelyNotSent(error: unknown): boolean {
  const { code, command } = error as { code?: string; command?: string }
  return command === 'CONN' || ['EAUTH', 'EENVELOPE', 'EMESSAGE', 'EDNS'].includes(code ?? '')
}

/** Sent rows are kept for more than a year, so that nothing in that time is sent twice. */
export async function sweepMails(db: Database, clock: Clock, calendar: Calendar): Promise<void> {
  const before = new Date(clock.nowMs() - KEEP_MS)
  const day = calendar.dayAt(clock.nowMs() - 7 * 24 * HOUR_MS).key
  while ((await deleteOldMails(db, before, day, SWEEP_PAGE)) === SWEEP_PAGE);
}
