// Counts as stored in the rollups, and the figures that callers see.

import { fromMicros } from '../kernel/money.ts'

export interface Counts {
  imps: number
  views: number
  clicks: number
  actions: number
  spendMicros: number
  /** What the conversions were worth. */
  valueMicros: number
}

export interface Figures {
  imps: number
  views: number
  clicks: number
  actions: number
  spend: number
  ctr: number
  cnvr: number
  value: number
  /** Return on ad spend. */
  roas: number
  valuePerAction: number
}

export const NOTHING: Counts = { imps: 0, views: 0, clicks: 0, actions: 0, spendMicros: 0, valueMicros: 0 }

export function figuresOf({ imps, views, clicks, actions, spendMicros, valueMicros }: Counts): Figures {
  return {
    imps,
    views,
    clicks,
    actions,
    spend: fromMicros(spendMicros),
    ctr: ratio(clicks, imps),
    cnvr: ratio(actions, clicks),
    value: fromMicros(valueMicros),
    roas: ratio(valueMicros, spendMicros),
    valuePerAction: ratio(fromMicros(valueMicros), actions),
  }
}

export function add(a: Counts, b: Counts): Counts {
  return {
    imps: a.imps + b.imps,
    views: a.views + b.views,
    clicks: a.clicks + b.clicks,
    actions: a.actions + b.actions,
    spendMicros: a.spendMicros + b.spendMicros,
    valueMicros: a.valueMicros + b.valueMicros,
  }
}

/** 0 when the divisor is 0. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
