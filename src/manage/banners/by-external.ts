// Creates or changes a banner by the id of the app's own system, and never creates it twice within its persona. Sending
// the current image again does not start another review, unlike in an edit of a rejected banner.

import type { Tx } from '../../changes/tx.ts'
import { bodyToCreate, byExternalId, type ExternalKey } from '../../http/external-id.ts'
import type { Db } from '../../platform/database.ts'
import type { FoundPersona } from '../personas/personas.ts'
import { type Change, createBanner, editBanner, type FoundBanner, foundBanner } from './banners.ts'
import { type Banner, type BannerEdit, NewBanner } from './contract.ts'
import { lockBannersByExternalId } from './queries.ts'
import { givenSource, readSource } from './source.ts'

const banners = byExternalId('banner', row => row.bid, lockBannersByExternalId)
export const bannerKey = banners.key

/** The banner as it is now; null if there is none yet. */
export async function presentBanner(db: Db, cuid: number, key: ExternalKey): Promise<Banner | null> {
  const row = await banners.find(db, key)
  return row && foundBanner(cuid, row).banner
}

export function putBanner(
  db: Tx,
  persona: FoundPersona,
  key: ExternalKey,
  body: BannerEdit,
  change: Change,
): Promise<{ result: FoundBanner; created: boolean }> {
  return banners.upsert(db, key, {
    body,
    ifMatch: change.ifMatch,
    create: () => createBanner(db, persona, bodyToCreate<NewBanner>(NewBanner, body, key), change),
    change: async row => {
      const target = foundBanner(persona.cuid, row)
      return editBanner(db, target, await withoutSameSource(db, target, body, change), change)
    },
  })
}

async function withoutSameSource(
  db: Db,
  { banner, cuid }: FoundBanner,
  edit: BannerEdit,
  { publicUrl }: Change,
): Promise<BannerEdit> {
  const given = givenSource(edit)
  if (given === undefined || (await readSource(db, cuid, given, publicUrl)) !== banner.creativeURL)
    return edit
  const { creativeURL: _, creativeUrl: __, ...rest } = edit
  return rest
}
