// A campaign by the id of the app's own system: created or changed, and never twice.

import {
  bodyToCreate,
  checkSameId,
  type ExternalKey,
  MOST_NAMED,
  onlyOne,
  readExternalId,
  upsert,
} from '../http/external-id.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Db } from '../platform/database.ts'
import {
  type CampaignParts,
  createCampaign,
  editCampaign,
  findCampaign,
  type ShownCampaign,
  setEnabled,
  show,
} from './campaigns.ts'
import { type Campaign, type CampaignUpsert, NewCampaign } from './contract.ts'
import { lockCampaignsByExternalId } from './queries.ts'

export function campaignKey(cuid: number, externalIdText: string): ExternalKey {
  return { noun: 'campaign', parent: cuid, externalId: readExternalId(externalIdText) }
}

/** As it is shown now; null: there is none yet. */
export async function presentCampaign(
  db: Db,
  key: ExternalKey,
  parts: CampaignParts,
): Promise<Campaign | null> {
  const row = onlyOne(key, await lockRows(db, key), idOf)
  if (!row) return null
  return (await show(db, await findCampaign(db, key.parent, String(row.cid)), parts)).campaign
}

export function putCampaign(
  db: Db,
  caller: Caller,
  key: ExternalKey,
  body: CampaignUpsert,
  ifMatch: string | null,
  parts: CampaignParts,
): Promise<{ result: ShownCampaign; created: boolean }> {
  checkSameId(body, key)
  return upsert(db, key, {
    ifMatch,
    idOf,
    lock: () => lockRows(db, key),
    create: () =>
      createCampaign(db, caller, key.parent, bodyToCreate<NewCampaign>(NewCampaign, body, key), parts),
    change: async ({ cid }) => {
      const { enabled, ...edit } = body
      const shown = await editCampaign(db, caller, cid, edit, ifMatch, parts)
      return typeof enabled === 'boolean' ? setEnabled(db, caller, cid, enabled, null, parts) : shown
    },
  })
}

const idOf = (row: { cid: number }) => row.cid
const lockRows = (db: Db, { parent, externalId }: ExternalKey) =>
  lockCampaignsByExternalId(db, parent, externalId, MOST_NAMED)
