// Sends an event as webhooks report it, with the current object, so that a receiver can be tested without the real
// event.

import { recordEvent } from '../changes/outbox.ts'
import type { BodyOf } from '../http/endpoint.ts'
import { listPairs } from '../identity/credentials.ts'
import { whoIs } from '../identity/who.ts'
import type { Caller } from '../kernel/caller.ts'
import { finding } from '../kernel/errors/finding.ts'
import { notFound } from '../kernel/errors/problem.ts'
import { findBanner } from '../manage/banners/banners.ts'
import { readLandingPage } from '../manage/banners/landing/landing.ts'
import { type CampaignParts, findCampaign, listCampaigns, show } from '../manage/campaigns/campaigns.ts'
import { findCustomer } from '../manage/customers/customers.ts'
import { listMembers } from '../manage/customers/members/members.ts'
import { type ProposalParts, reportedProposal } from '../manage/proposals/proposals.ts'
import type { Db } from '../platform/database.ts'
import { lastEntry, readAccount } from '../report/accounts/accounts.ts'
import type { sendEvent as contract } from './contract.ts'
import { selectBannerPlace, selectCampaignOwner, selectProposalOwner } from './queries.ts'

export interface EventParts {
  campaigns: CampaignParts
  proposals: ProposalParts
  currency: string
}

/** Throws 404 for an object that does not exist or is another app's. */
export async function sendEvent(
  db: Db,
  caller: Caller,
  { type, id }: BodyOf<typeof contract>,
  parts: EventParts,
): Promise<{ time: number; kind: string; cuid: number }> {
  const { clock } = parts.campaigns
  const { cuid, data } = await objectOf(db, caller, type, id, parts)
  const at = new Date(clock.nowMs())
  await recordEvent(db, { at, type, cuid, data })
  return { time: Math.floor(at.getTime() / 1000), kind: type, cuid }
}

async function objectOf(
  db: Db,
  caller: Caller,
  type: BodyOf<typeof contract>['type'],
  id: number,
  { campaigns, proposals, currency }: EventParts,
): Promise<{ cuid: number; data: object }> {
  if (type.startsWith('campaign.')) {
    const cuid = await selectCampaignOwner(db, caller.appId, id)
    if (cuid === null) throw notFound('campaign')
    const { campaign } = await show(db, campaigns, await findCampaign(db, { cuid }, { cid: id }))
    if (type === 'campaign.budget_spent') return { cuid, data: { ...campaign, by: campaign.spentBy } }
    if (type === 'campaign.stalled')
      return { cuid, data: { ...campaign, findings: [finding('no_request_fits', { requests: 1_800 })] } }
    const isOfCall = type === 'campaign.paused' || type === 'campaign.resumed'
    return { cuid, data: isOfCall ? { ...campaign, by: await whoIs(db, cuid, caller.key) } : campaign }
  }
  if (type === 'landing_page.broken') {
    const place = await selectBannerPlace(db, caller.appId, id)
    if (!place) throw notFound('banner')
    const { cuid, ...ids } = place
    const page = await readLandingPage(db, id)
    return { cuid, data: { ...page, cuid, banners: [{ ...ids, bid: id }] } }
  }
  if (type.startsWith('banner.')) {
    const place = await selectBannerPlace(db, caller.appId, id)
    if (!place) throw notFound('banner')
    const { banner } = await findBanner(db, place, { ...place, bid: id })
    return { cuid: place.cuid, data: banner }
  }
  if (type.startsWith('proposal.')) {
    const cuid = await selectProposalOwner(db, caller.appId, id)
    if (cuid === null) throw notFound('proposal')
    return { cuid, data: await reportedProposal(db, cuid, id, type, proposals) }
  }
  const { customer } = await findCustomer(db, { ...campaigns, caller }, { cuid: id })
  if (type === 'customer.credited') {
    const entry = await lastEntry(db, id)
    if (!entry) throw notFound('credit')
    const by = await whoIs(db, id, caller.key)
    return { cuid: id, data: { ...(await readAccount(db, id, currency)), entry, by } }
  }
  const by = await whoIs(db, id, caller.key)
  if (type === 'customer.created') return { cuid: id, data: { ...customer, by } }
  const alerted = await alertedObject(db, type, id, campaigns)
  if (alerted) return { cuid: id, data: { ...alerted, by } }
  const isOfAccount = type === 'customer.balance_low' || type === 'customer.balance_spent'
  return { cuid: id, data: isOfAccount ? await readAccount(db, id, currency) : customer }
}

/** The object of an alert: the customer's last member or pair, or its first campaign. Null: the event is no alert. */
async function alertedObject(
  db: Db,
  type: BodyOf<typeof contract>['type'],
  cuid: number,
  campaigns: CampaignParts,
): Promise<object | null> {
  if (type === 'customer.member_added') return (await listMembers(db, cuid)).at(-1)!
  if (type === 'customer.key_created' || type === 'customer.key_new_network') {
    const pair = (await listPairs(db, cuid, campaigns.clock)).at(-1)
    if (!pair) throw notFound('credential')
    const { key, name, scope, created, expires } = pair
    return { key, name, scope, created, expires }
  }
  if (type !== 'customer.budget_raised') return null
  const [campaign] = await listCampaigns(db, { ...campaigns, cuid }, { after: 0, limit: 1 })
  if (!campaign) throw notFound('campaign')
  const { cid, dailySpend } = campaign
  return { cid, fid: null, field: 'dailySpend', before: dailySpend, after: dailySpend }
}
