// One change for many campaigns: what it means for each of them, what their budgets add up to, and how it is undone.

import type { BulkOperation } from '../bulk/run.ts'
import { readNumber } from '../form/number.ts'
import type { Campaign } from './data.ts'

export interface Change {
  budget: string
  /** `amount`: the new budget; `percent`: how much more or less. */
  budgetBy: 'amount' | 'percent'
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

/** A campaign's new daily budget; unchanged if the field is empty or wrong. */
function budgetOf({ dailySpend }: Campaign, { budget, budgetBy }: Change): number {
  const read = readNumber(budget, 2)
  if (!('value' in read)) return dailySpend
  return budgetBy === 'amount' ? read.value : Math.round(dailySpend * (100 + read.value)) / 100
}

/** The sums of all daily budgets, added in cents to avoid rounding errors. */
export function totalsOf(campaigns: readonly Campaign[], change: Change): { before: number; after: number } {
  const sum = (amountOf: (campaign: Campaign) => number) =>
    campaigns.reduce((cents, campaign) => cents + Math.round(amountOf(campaign) * 100), 0) / 100
  return { before: sum(({ dailySpend }) => dailySpend), after: sum(campaign => budgetOf(campaign, change)) }
}

export function operationsOf(campaign: Campaign, change: Change): BulkOperation[] {
  const { cid, enabled } = campaign
  const body: Record<string, number | string> = {}
  if (change.budget !== '') body.dailySpend = budgetOf(campaign, change)
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
): BulkOperation[] {
  const { cid, dailySpend, start, end, pricing, cpm, cpc } = campaign
  const back = operationsOf(campaign, change).map(({ op }): BulkOperation => {
    if (op === 'pauseCampaign') return { op: 'resumeCampaign', cid }
    if (op === 'resumeCampaign') return { op: 'pauseCampaign', cid }
    const body: Record<string, number | string> = {}
    if (change.budget !== '') body.dailySpend = dailySpend
    if (change.start !== null) body.start = start
    if (change.end !== null) body.end = end
    if (change.pricing !== 'keep') Object.assign(body, { pricing, cpm }, cpc !== null && { cpc })
    return { op, cid, body }
  })
  // Only the first step can name the version, because it creates a new one.
  return back.map((operation, index) => (index === 0 && etag ? { ...operation, ifMatch: etag } : operation))
}
