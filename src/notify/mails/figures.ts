// Figures as written in an email. A rate of nothing is unknown, not zero, as in the console: what was never shown has
// no click rate.

import type { Figures } from '../../report/figures/figures.ts'
import type { MailWords, mailFormat } from './words.ts'

export type FigureName = keyof MailWords['figure']
type Format = ReturnType<typeof mailFormat>

export const COUNTED: readonly FigureName[] = ['imps', 'clicks', 'ctr', 'actions', 'cnvr', 'spend']
export const WORTH: readonly FigureName[] = ['value', 'roas']
export const MONEY: readonly FigureName[] = ['spend', 'value']
/** The figure that a rate refers to. */
const RATES: Partial<Record<FigureName, 'imps' | 'clicks' | 'spend'>> = {
  ctr: 'imps',
  cnvr: 'clicks',
  roas: 'spend',
}
export const UNKNOWN = '–'

export function figureIn(figures: Figures, name: FigureName): number | null {
  const of = RATES[name]
  return of && figures[of] === 0 ? null : figures[name]
}

export function writeFigure(figures: Figures, name: FigureName, format: Format): string {
  const value = figureIn(figures, name)
  if (value === null) return UNKNOWN
  if (MONEY.includes(name)) return format.money(value)
  return RATES[name] ? format.ratio(value) : format.count(value)
}

/** The figures worth showing: value and return only if there was any value in one of the periods. */
export function figuresShown(now: Figures, before: Figures | null): readonly FigureName[] {
  return now.value + (before?.value ?? 0) > 0 ? [...COUNTED, ...WORTH] : COUNTED
}
