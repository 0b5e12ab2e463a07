// Counts as stored in the rollups, and the figures that callers see.

import { fromMicros } from '../../kernel/money.ts'

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

export function figuresOf(counts: Counts): Figures {
  return withFigures({}, counts)
}

/** Writes the figures into a record, because spreading them into each of ten thousand rows takes ten times as long. */
export function withFigures<T extends object>(record: T, counts: Counts): T & Figures {
  const { imps, views, clicks, actions, spendMicros, valueMicros } = counts
  const shown = record as unknown as Figures
  shown.imps = imps
  shown.views = views
  shown.clicks = clicks
  shown.actions = actions
  shown.spend = fromMicros(spendMicros)
  shown.ctr = ratio(clicks, imps)
  shown.cnvr = ratio(actions, clicks)
  shown.value = fromMicros(valueMicros)
  shown.roas = ratio(valueMicros, spendMicros)
  shown.valuePerAction = ratio(fromMicros(valueMicros), actions)
  return shown as T & Figures
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

/** 0 if the divisor is 0. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
