// Counts as stored in the rollups, and the figures that callers see.

import { fromMicros } from '../kernel/money.ts'

export interface Counts {
  imps: number
  views: number
  clicks: number
  actions: number
  spendMicros: number
}

export interface Figures {
  imps: number
  views: number
  clicks: number
  actions: number
  spend: number
  ctr: number
  cnvr: number
}

export const NOTHING: Counts = { imps: 0, views: 0, clicks: 0, actions: 0, spendMicros: 0 }

export function figuresOf({ imps, views, clicks, actions, spendMicros }: Counts): Figures {
  return {
    imps,
    views,
    clicks,
    actions,
    spend: fromMicros(spendMicros),
    ctr: ratio(clicks, imps),
    cnvr: ratio(actions, clicks),
  }
}

export function add(a: Counts, b: Counts): Counts {
  return {
    imps: a.imps + b.imps,
    views: a.views + b.views,
    clicks: a.clicks + b.clicks,
    actions: a.actions + b.actions,
    spendMicros: a.spendMicros + b.spendMicros,
  }
}

/** 0 when the divisor is 0. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
