// The verbs of email preferences. The customer, its app, or a link in an email can change them.

import { RAISED_FACTOR } from '../../changes/outbox.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import { nextDueMs } from '../../kernel/report-period.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import { MAIL_KINDS, type MailChoices, type MailChoicesEdit, type MailKind } from './contract.ts'
import {
  type Choices,
  clearMailsOff,
  insertChoice,
  lockChoice,
  selectChoice,
  updateChoice,
} from './queries.ts'

/** Of a customer without a choice: one that was created before the weekly report was on by default. */
const FIRST: Choices = {
  report: 'off',
  bannerRejected: true,
  budgetSpent: true,
  daySpent: false,
  balance: true,
  proposals: true,
  decisions: true,
  stopped: true,
  spendOver: null,
  balanceDays: null,
  paceBelow: null,
  budgetRaised: RAISED_FACTOR,
  access: true,
}

/** New customers get the weekly report until they choose otherwise. */
export async function beginMails(db: Db, cuid: number, calendar: Calendar, now: Date): Promise<void> {
  await insertChoice(db, cuid, 'weekly', new Date(nextDueMs('weekly', calendar, now.getTime())))
}

export async function readChoices(db: Db, cuid: number): Promise<MailChoices> {
  return { cuid, ...((await selectChoice(db, cuid)) ?? FIRST) }
}

/** `calendar`: the customer's. The due time changes only if the choice of report changes. */
export async function editChoices(
  db: Db,
  cuid: number,
  edit: MailChoicesEdit,
  { calendar, clock }: { calendar: Calendar; clock: Clock },
): Promise<MailChoices> {
  const { reportAt, ...before } = await lockChoice(db, cuid)
  const [was, is] = [
    { cuid, ...before },
    { cuid, ...before, ...edit },
  ]
  const due = is.report === 'off' ? null : new Date(nextDueMs(is.report, calendar, clock.nowMs()))
  const hasThresholds = is.spendOver !== null || is.balanceDays !== null || is.paceBelow !== null
  await updateChoice(db, cuid, is, {
    reportAt: is.report === was.report ? reportAt : due,
    lookAt: hasThresholds ? new Date(clock.nowMs()) : null,
  })
  for (const kind of MAIL_KINDS) if (!wants(was, kind) && wants(is, kind)) await clearMailsOff(db, cuid, kind)
  return is
}

/** Throws 403 if the caller may not decide who is told about rights and money. */
export function refuseAlertEdit(caller: Caller, now: MailChoices, edit: MailChoicesEdit): void {
  if (caller.level === 'app' || caller.scope === 'all') return
  const { budgetRaised = now.budgetRaised, access = now.access } = edit
  if (budgetRaised !== now.budgetRaised || access !== now.access)
    throw refusal('scope_too_low', { scope: caller.scope, needs: 'rights' })
}

export function switchedOff(kind: MailKind): MailChoicesEdit {
  if (kind === 'report') return { report: 'off' }
  if (kind === 'threshold') return { spendOver: null, balanceDays: null, paceBelow: null }
  return kind === 'budgetRaised' ? { budgetRaised: null } : { [kind]: false }
}

export function wants(choices: MailChoices, kind: MailKind): boolean {
  if (kind === 'report') return choices.report !== 'off'
  // Each saved view has its own readers.
  if (kind === 'savedView') return true
  if (kind === 'threshold')
    return choices.spendOver !== null || choices.balanceDays !== null || choices.paceBelow !== null
  return kind === 'budgetRaised' ? choices.budgetRaised !== null : choices[kind]
}
