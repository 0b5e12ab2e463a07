// The verbs of email preferences. The customer, its app, or a link in an email can change them.

import type { Clock } from '../kernel/clock.ts'
import type { Calendar } from '../kernel/day.ts'
import type { Db } from '../platform/database.ts'
import type { MailChoices, MailChoicesEdit, MailKind } from './contract.ts'
import { nextDueMs } from './period.ts'
import { type ChoiceRow, lockChoice, selectChoice, updateChoice } from './queries.ts'

const FIRST: ChoiceRow = {
  report: 'off',
  banner_rejected: true,
  budget_spent: true,
  balance: true,
  proposals: true,
  stopped: true,
}

export async function readChoices(db: Db, cuid: number): Promise<MailChoices> {
  return toChoices(cuid, (await selectChoice(db, cuid)) ?? FIRST)
}

/** `calendar`: the customer's. The due time changes only with the choice of report. */
export async function editChoices(
  db: Db,
  cuid: number,
  edit: MailChoicesEdit,
  { calendar, clock }: { calendar: Calendar; clock: Clock },
): Promise<MailChoices> {
  const row = await lockChoice(db, cuid)
  const changed: ChoiceRow = {
    report: edit.report ?? row.report,
    banner_rejected: edit.bannerRejected ?? row.banner_rejected,
    budget_spent: edit.budgetSpent ?? row.budget_spent,
    balance: edit.balance ?? row.balance,
    proposals: edit.proposals ?? row.proposals,
    stopped: edit.stopped ?? row.stopped,
  }
  const { report } = changed
  const due = report === 'off' ? null : new Date(nextDueMs(report, calendar, clock.nowMs()))
  await updateChoice(db, cuid, changed, report === row.report ? row.report_at : due)
  return toChoices(cuid, changed)
}

export function switchedOff(kind: MailKind): MailChoicesEdit {
  return kind === 'report' ? { report: 'off' } : { [kind]: false }
}

export function wants(choices: MailChoices, kind: MailKind): boolean {
  return kind === 'report' ? choices.report !== 'off' : choices[kind]
}

export function toChoices(cuid: number, row: ChoiceRow): MailChoices {
  return {
    cuid,
    report: row.report,
    bannerRejected: row.banner_rejected,
    budgetSpent: row.budget_spent,
    balance: row.balance,
    proposals: row.proposals,
    stopped: row.stopped,
  }
}
