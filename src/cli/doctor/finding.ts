// A finding of `marquee doctor`: what was checked, its state, and how to fix it, in plain words for the operator.

import { reasonOf } from '../../platform/trouble.ts'

/** Error: the service does not start, or loses or refuses something. Warning: it works, but not as it should. */
export type Severity = 'ok' | 'warning' | 'error'

export interface Finding {
  check: string
  severity: Severity
  says: string
  /** How to fix it, if something is wrong. */
  advice?: string
}

export const EXIT_CODES: Record<Severity, number> = { ok: 0, warning: 1, error: 2 }

export const ok = (check: string, says: string): Finding => ({ check, severity: 'ok', says })
export const warning = (check: string, says: string, advice: string): Finding => ({
  check,
  severity: 'warning',
  says,
  advice,
})
export const error = (check: string, says: string, advice: string): Finding => ({
  check,
  severity: 'error',
  says,
  advice,
})

export function worstOf(findings: Finding[]): Severity {
  const has = (severity: Severity) => findings.some(finding => finding.severity === severity)
  return has('error') ? 'error' : has('warning') ? 'warning' : 'ok'
}

export function upper(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1)
}

export function wordsOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure)
  const { code } = failure as NodeJS.ErrnoException
  return (reasonOf(failure) ?? failure.message) || code || 'no reason given'
}
