// One change for many campaigns: what it means for each of them, what their budgets add up to, and how it is undone.

import type { BulkOperation } from '../bulk/run.ts'
import { readNumber } from '../form/number.ts'
import type { Campaign } from './data.ts'
import { dailyOfMonth } from './months.ts'

export interface Change {
  budget: string
  /** `amount`: the new daily budget; `month`: the new monthly one; `percent`: how much more or less of each. */
  budgetBy: 'amount' | 'month' | 'percent'
  start: number | null
  end: number | null
  pricing: 'keep' | 'cpm' | 'cpc'
  /** The price in the chosen pricing; empty: the current price, or the usual one. */
  price: string
  state: 'keep' | 'pause' | 'resume'
}

export const NO_CHANGE: Change = {
  budget: '',
  budgetBy: 'amount',
  start: null,
  end: null,
  pricing: 'keep',
  price: '',
  state: 'keep',
}

export function isNothing({ budget, start, end, pricing, state }: Change): boolean {
  return budget === '' && start === null && end === null && pricing === 'keep' && state === 'keep'
}

/** A click has no usual price. */
export function isPriceMissing({ pricing, price }: Change): boolean {
  return pricing === 'cpc' && price === ''
}

/** When, and in which zone: a month is divided by its days. */
export interface Where {
  nowS: number
  timeZone: string
}

type Budgets = Pick<Campaign, 'dailySpend' | 'monthlySpend'>

/** A campaign's new budgets; unchanged if the field is empty or wrong. */
function budgetsOf(
  { dailySpend, monthlySpend }: Budgets,
  change: Change,
  { nowS, timeZone }: Where,
): Budgets {
  const read = readNumber(change.budget, 2)
  if (!('value' in read)) return { dailySpend, monthlySpend }
  const { value } = read
  const scaled = (amount: number) => Math.round(amount * (100 + value)) / 100
  switch (change.budgetBy) {
    case 'amount':
      return { dailySpend: value, monthlySpend }
    case 'month':
      return { dailySpend: dailyOfMonth(Math.max(0, value), nowS, timeZone), monthlySpend: value }
    case 'percent':
      return {
        dailySpend: scaled(dailySpend),
        monthlySpend: monthlySpend === null ? null : scaled(monthlySpend),
      }
  }
}

interface Totals {
  before: number
  after: number
}

/** The sums of all budgets, added in cents to avoid rounding errors. `monthly`: null if none has one. */
export function totalsOf(
  campaigns: readonly Campaign[],
  change: Change,
  where: Where,
): { daily: Totals; monthly: Totals | null } {
  const sum = (amountOf: (campaign: Campaign) => number) =>
    campaigns.reduce((cents, campaign) => cents + Math.round(amountOf(campaign) * 100), 0) / 100
  const both = (field: keyof Budgets): Totals => ({
    before: sum(campaign => campaign[field] ?? 0),
    after: sum(campaign => budgetsOf(campaign, change, where)[field] ?? 0),
  })
  const monthly = both('monthlySpend')
  return { daily: both('dailySpend'), monthly: monthly.before + monthly.after > 0 ? monthly : null }
}

/** The budgets that a change is about. */
function changedBudgets({ monthlySpend }: Budgets, { budget, budgetBy }: Change): (keyof Budgets)[] {
  if (budget === '') return []
  const isMonthly = budgetBy === 'month' || (budgetBy === 'percent' && monthlySpend !== null)
  return isMonthly ? ['dailySpend', 'monthlySpend'] : ['dailySpend']
}

export function operationsOf(campaign: Campaign, change: Change, where: Where): BulkOperation[] {
  const { cid, enabled } = campaign
  const body: Record<string, number | string | null> = {}
  const budgets = budgetsOf(campaign, change, where)
  for (const field of changedBudgets(campaign, change)) body[field] = budgets[field]
  if (change.start !== null) body.start = change.start
  if (change.end !== null) body.end = change.end
  if (change.pricing !== 'keep') {
    body.pricing = change.pricing
    const price = readNumber(change.price, 2)
    if ('value' in price) body[change.pricing] = price.value
  }
  const operations: BulkOperation[] = []
  if (Object.keys(body).length > 0) operations.push({ op: 'editCampaign', cid, body })
  if (change.state === 'pause' && enabled) operations.push({ op: 'pauseCampaign', cid })
  if (change.state === 'resume' && !enabled) operations.push({ op: 'resumeCampaign', cid })
  return operations
}

/**
 * The operations that undo a change. `campaign`: before the change; `etag`: its version after it, so that no later
 * change is lost.
 */
export function backOperationsOf(
  campaign: Campaign,
  change: Change,
  etag: string | undefined,
  where: Where,
): BulkOperation[] {
  const { cid, start, end, pricing, cpm, cpc } = campaign
  const back = operationsOf(campaign, change, where).map(({ op }): BulkOperation => {
    if (op === 'pauseCampaign') return { op: 'resumeCampaign', cid }
    if (op === 'resumeCampaign') return { op: 'pauseCampaign', cid }
    const body: Record<string, number | string | null> = {}
    for (const field of changedBudgets(campaign, change)) body[field] = campaign[field]
    if (change.start !== null) body.start = start
    if (change.end !== null) body.end = end
    if (change.pricing !== 'keep') Object.assign(body, { pricing, cpm }, cpc !== null && { cpc })
    return { op, cid, body }
  })
  // Only the first step can name the version, because it creates a new one.
  return back.map((operation, index) => (index === 0 && etag ? { ...operation, ifMatch: etag } : operation))
}
