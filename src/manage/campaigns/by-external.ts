// Creates or changes a campaign by the id of the app's own system, and never creates it twice.

import type { Tx } from '../../changes/tx.ts'
import { bodyToCreate, byExternalId, type ExternalKey } from '../../http/external-id.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../platform/database.ts'
import {
  type CampaignParts,
  createCampaign,
  editCampaign,
  findCampaign,
  type ShownCampaign,
  show,
} from './campaigns.ts'
import { type Campaign, type CampaignEdit, NewCampaign } from './contract.ts'
import { lockCampaignsByExternalId } from './queries.ts'

const campaigns = byExternalId('campaign', row => row.cid, lockCampaignsByExternalId)
export const campaignKey = campaigns.key

/** The campaign as it is now; null if there is none yet. */
export async function presentCampaign(
  db: Db,
  key: ExternalKey,
  parts: CampaignParts,
): Promise<Campaign | null> {
  const row = await campaigns.find(db, key)
  if (!row) return null
  return (await show(db, await findCampaign(db, key.parent, String(row.cid)), parts)).campaign
}

export function putCampaign(
  db: Tx,
  caller: Caller,
  key: ExternalKey,
  body: CampaignEdit,
  ifMatch: string | null,
  parts: CampaignParts,
): Promise<{ result: ShownCampaign; created: boolean }> {
  return campaigns.upsert(db, key, {
    body,
    ifMatch,
    create: () =>
      createCampaign(db, caller, key.parent, bodyToCreate<NewCampaign>(NewCampaign, body, key), parts),
    change: ({ cid }) => editCampaign(db, caller, cid, body, ifMatch, parts),
  })
}
