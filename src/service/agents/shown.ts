// What customers own, as tools show it: the objects of the contracts with fewer fields, and a sentence beside them. No
// sentence repeats a name: names are written by others.

import { type Static, Type } from 'typebox'
import { Body } from '../../http/schema.ts'
import { Banner } from '../../manage/banners/contract.ts'
import { Campaign, type Missing } from '../../manage/campaigns/contract.ts'
import { Persona } from '../../manage/personas/contract.ts'
import { NOT_FOR_AGENTS, stripped, without } from './schemas.ts'
import { amount, time } from './words.ts'

const NOISE = [...NOT_FOR_AGENTS, 'cuid']
const BANNER_NOISE = [...NOT_FOR_AGENTS, 'cid', 'findings', 'bytes', 'type']
const PERSONA_NOISE = [...NOT_FOR_AGENTS, 'cid', 'start', 'end']

/** Which hours of the week: its form says nothing that its name does not. */
const hours = Type.Unsafe<Static<typeof Campaign>['hours']>({ type: ['object', 'null'] })

export const ShownCampaign = without(Body({ ...Campaign.properties, hours }), NOISE)
export const ShownPersona = without(Persona, PERSONA_NOISE)
export const ShownBanner = without(Banner, BANNER_NOISE)

export const shownCampaign = <C extends object>(campaign: C) => stripped(campaign, NOISE)

const MOST_PLACES = 20

/** A persona with very many places shows the first of them. */
export function shownPersona(persona: Static<typeof Persona>): Static<typeof ShownPersona> {
  const { geo, ...rest } = stripped(persona, PERSONA_NOISE)
  const few = 'geos' in geo ? { geos: geo.geos.slice(0, MOST_PLACES) } : geo
  return {
    ...rest,
    geo: few,
    warnings: rest.warnings.slice(0, 5),
    cat: rest.cat.slice(0, MOST_PLACES),
  } as never
}

export const shownBanner = (banner: Static<typeof Banner>): Static<typeof ShownBanner> =>
  stripped(banner, BANNER_NOISE)

/** A campaign in a list. */
export const BriefCampaign = Body({
  cid: Campaign.properties.cid,
  name: Campaign.properties.name,
  status: Campaign.properties.status,
  start: Campaign.properties.start,
  end: Campaign.properties.end,
  dailySpend: Campaign.properties.dailySpend,
  enabled: Campaign.properties.enabled,
  inWords: Type.String(),
})

export function briefCampaign(campaign: Static<typeof Campaign>, money: Money): Static<typeof BriefCampaign> {
  const { cid, name, status, start, end, dailySpend, enabled } = campaign
  return { cid, name, status, start, end, dailySpend, enabled, inWords: campaignInWords(campaign, money) }
}

export interface Money {
  currency: string
  zone: string
}

type Described = Pick<
  Static<typeof Campaign>,
  | 'start'
  | 'end'
  | 'dailySpend'
  | 'monthlySpend'
  | 'totalSpend'
  | 'status'
  | 'spentBy'
  | 'missing'
  | 'resumes'
> & { cpm?: number; cpc?: number | null; pricing?: string }

export function campaignInWords(campaign: Described, { currency, zone }: Money): string {
  const { start, end, dailySpend, monthlySpend, totalSpend, cpm, cpc, pricing, missing } = campaign
  const money = (units: number) => amount(units, currency)
  const limits = [
    `${money(dailySpend)} a day`,
    ...(monthlySpend === null ? [] : [`${money(monthlySpend)} a month`]),
    ...(totalSpend === null ? [] : [`${money(totalSpend)} in total`]),
  ]
  const byClick = pricing === 'cpc' && typeof cpc === 'number'
  const price = byClick
    ? `${money(cpc)} a click`
    : cpm === undefined
      ? null
      : `${money(cpm)} per 1,000 impressions`
  return [
    `From ${time(start, zone)} until ${time(end, zone)} (${zone}).`,
    `Spends at most ${limits.join(', ')}${price === null ? '' : `, at ${price}`}.`,
    statusInWords(campaign, zone),
    ...(missing.length > 0 ? [`It lacks: ${missing.map(name => MISSING_WORDS[name]).join('; ')}.`] : []),
  ].join(' ')
}

function statusInWords({ status, spentBy, resumes }: Described, zone: string): string {
  const again = resumes === null ? '' : ` It delivers again on ${time(resumes, zone)}.`
  if (status === 'spent')
    return `Its ${spentBy === 'balance' ? 'balance' : `budget of the ${spentBy}`} is spent.${again}`
  return `${STATUS_WORDS[status] ?? `Its status is ${status}.`}${again}`
}

const STATUS_WORDS: Partial<Record<Static<typeof Campaign>['status'], string>> = {
  scheduled: 'It has not begun yet.',
  running: 'It can deliver now.',
  paused: 'It is paused and costs nothing.',
  frozen: 'Its customer is frozen: nothing delivers.',
  off_hours: 'It is outside of its hours.',
  ended: 'It has ended.',
  incomplete: 'It cannot deliver yet.',
}

const MISSING_WORDS: Record<Missing, string> = {
  no_persona: 'a persona, which says whom to reach (plan_change with createPersona)',
  personas_paused: 'an active persona, all are paused (request_resume)',
  no_banner: 'a banner (upload_creative)',
  banners_paused: 'an active banner, all are paused (request_resume)',
  banner_pending: 'the review of its banner, which usually takes seconds',
  banner_rejected: 'a banner that passes review (get_campaign has the reasons)',
  no_click_url: 'a page that clicks lead to (clickUrl of the banner, or the website of the customer)',
}
