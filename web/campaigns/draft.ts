// A campaign as a form holds it: numbers as they were typed, from the defaults or from what was read, and the body that
// is sent for it.

import { numberToSend, writeNumber } from '../form/number.ts'
import { NO_SITES, type SitesDraft, sitesBodyOf, sitesDraftOf } from '../form/sites-field.tsx'
import type { Campaign } from './data.ts'
import type { Hours } from './hours/week.ts'

export interface CampaignDraft {
  name: string
  start: number | null
  end: number | null
  /** Numbers as they were typed. */
  dailySpend: string
  /** Empty: no limit. */
  monthlySpend: string
  totalSpend: string
  /** What a new campaign is planned by: the daily budget follows from the others. */
  per: 'day' | 'month' | 'total'
  frequency: string
  pricing: 'cpm' | 'cpc'
  /** Empty: the default price of the deployment. */
  cpm: string
  cpc: string
  pacing: 'even' | 'asap'
  /** Null: always. */
  hours: Hours | null
  sites: SitesDraft
  category: string[]
  /** Empty: as for the customer. */
  clickParameters: string
}

const DAY_S = 86_400

export function newDraft(nowS: number, name: string): CampaignDraft {
  const start = Math.floor(nowS / 60) * 60
  return {
    name,
    start,
    end: start + 30 * DAY_S,
    dailySpend: writeNumber(50, 2),
    monthlySpend: '',
    totalSpend: '',
    per: 'day',
    frequency: '3',
    pricing: 'cpm',
    cpm: '',
    cpc: '',
    pacing: 'even',
    hours: null,
    sites: NO_SITES,
    category: [],
    clickParameters: '',
  }
}

export function draftOf(campaign: Campaign): CampaignDraft {
  const {
    name,
    start,
    end,
    dailySpend,
    monthlySpend,
    totalSpend,
    freq,
    pricing,
    cpm,
    cpc,
    pacing,
    hours,
    sites,
    category,
    clickParameters,
  } = campaign
  return {
    name,
    start,
    end,
    dailySpend: writeNumber(dailySpend, 2),
    monthlySpend: monthlySpend === null ? '' : writeNumber(monthlySpend, 2),
    totalSpend: totalSpend === null ? '' : writeNumber(totalSpend, 2),
    per: 'day',
    frequency: writeNumber(freq, 0),
    pricing,
    cpm: writeNumber(cpm, 2),
    cpc: cpc === null ? '' : writeNumber(cpc, 2),
    pacing,
    hours,
    sites: sitesDraftOf(sites),
    category,
    clickParameters: clickParameters ?? '',
  }
}

/** The body that the API expects. Empty fields are sent empty, so that the API says what is missing. */
export function bodyOf(draft: CampaignDraft) {
  const { name, start, end, pricing, pacing, hours, category, clickParameters } = draft
  return {
    name,
    start: start as number,
    end: end as number,
    dailySpend: numberToSend(draft.dailySpend, 2) as number,
    monthlySpend: numberToSend(draft.monthlySpend, 2),
    totalSpend: numberToSend(draft.totalSpend, 2),
    frequency: numberToSend(draft.frequency, 0),
    cpm: numberToSend(draft.cpm, 2),
    pricing,
    cpc: pricing === 'cpc' ? numberToSend(draft.cpc, 2) : null,
    pacing,
    hours,
    sites: sitesBodyOf(draft.sites),
    category,
    clickParameters: clickParameters.trim() || null,
  }
}
