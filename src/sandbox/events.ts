// An event as webhooks report it, now, with the object as it is: a receiver is tried without making it happen.

import { lastEntry, readAccount } from '../accounts/accounts.ts'
import { findBanner } from '../banners/banners.ts'
import { type CampaignParts, findCampaign, show } from '../campaigns/campaigns.ts'
import { findCustomer } from '../customers/customers.ts'
import type { BodyOf } from '../http/endpoint.ts'
import type { Caller } from '../kernel/caller.ts'
import { notFound } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import { recordEvent } from '../platform/outbox.ts'
import type { sendEvent as contract } from './contract.ts'
import { selectBannerPlace, selectCampaignOwner } from './queries.ts'

export interface EventParts {
  campaigns: CampaignParts
  currency: string
}

/** 404 for an object that is not there, or another app's. */
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
  { campaigns, currency }: EventParts,
): Promise<{ cuid: number; data: object }> {
  if (type.startsWith('campaign.')) {
    const cuid = await selectCampaignOwner(db, caller.appId, id)
    if (cuid === null) throw notFound('campaign')
    const { campaign } = await show(db, await findCampaign(db, cuid, String(id)), campaigns)
    return { cuid, data: type === 'campaign.budget_spent' ? { ...campaign, by: campaign.spentBy } : campaign }
  }
  if (type.startsWith('banner.')) {
    const place = await selectBannerPlace(db, caller.appId, id)
    if (!place) throw notFound('banner')
    const { banner } = await findBanner(db, place.cuid, String(place.cid), String(place.pid), String(id))
    return { cuid: place.cuid, data: banner }
  }
  const { customer } = await findCustomer(db, caller, String(id), campaigns.clock)
  if (type === 'customer.credited') {
    const entry = await lastEntry(db, id)
    if (!entry) throw notFound('credit')
    return { cuid: id, data: { ...(await readAccount(db, id, currency)), entry } }
  }
  const isOfAccount = type === 'customer.balance_low' || type === 'customer.balance_spent'
  return { cuid: id, data: isOfAccount ? await readAccount(db, id, currency) : customer }
}
