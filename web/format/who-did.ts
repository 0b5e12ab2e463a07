// Who changed something: a person if one is known, a program with the person it acts for, otherwise the way they came
// in.

import type { By } from '../../src/identity/contract.ts'
import type { Session } from '../session/session.ts'
import { t } from '../words/words.ts'

/** `actor`: as in the history, if known. */
export function whoDid(by: By, { customer }: Pick<Session, 'customer'>, actor?: string): string {
  if (by.kind === 'key' && by.email !== null)
    return t('history.byAgent', { name: by.name ?? t('bin.byProgram'), email: by.email })
  if (by.email !== null) {
    const person = by.name === null ? by.email : `${by.name} (${by.email})`
    return by.as === null ? person : `${person}, ${t('shell.staff')}`
  }
  if (by.kind === 'person') return customer?.name ?? customer?.company ?? t('history.someone')
  if (by.kind === 'app') return by.name === null ? t('shell.staff') : `${t('shell.staff')} (${by.name})`
  if (by.kind === 'key') {
    const key = by.name ?? (actor && `${actor.slice(0, 12)}…`)
    return key ? t('history.byKey', { key }) : t('bin.byProgram')
  }
  return actor === 'review' ? t('history.review_itself') : t('history.operator')
}
