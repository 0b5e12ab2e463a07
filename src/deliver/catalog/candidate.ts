// One persona with everything that decides about it, as it is in the database now, whether it may be served or not. For
// explanations, which must not depend on the state of delivery's memory.

import type { ServablePersona } from '../../budget/live.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import { selectCandidate } from './queries.ts'
import { bannersOf, targetingOf, toLiveCampaign } from './rows.ts'
import { readSiteLists } from './site-lists.ts'

export interface Candidate {
  /** With its approved banners; its campaign's `enabled` is the campaign's own switch. */
  persona: ServablePersona
  /** When it could be served for the first time: it was there, and its campaign had begun. Unix seconds. */
  sinceS: number
  personaEnabled: boolean
  customerEnabled: boolean
  pendingBanners: number
  rejectedBanners: number
}

/** Null if it is gone. */
export async function readCandidate(db: Db, pid: number, calendar: Calendar): Promise<Candidate | null> {
  const row = await selectCandidate(db, pid)
  if (!row) return null
  const lists = await readSiteLists(db, row.app_id, [row.sites, row.customer_sites])
  const campaign = toLiveCampaign(row, calendar, lists)
  return {
    sinceS: Math.max(toSeconds(row.created_at), Math.min(...campaign.flights.map(({ startS }) => startS))),
    persona: {
      pid,
      order: { campaign, pids: new Set([pid]) },
      targeting: targetingOf(row, row.app_id),
      ...(row.rotation === 'even' ? {} : { rotation: row.rotation }),
      banners: bannersOf({ ...row, banners: row.banners ?? [] }),
    },
    personaEnabled: row.persona_enabled,
    customerEnabled: row.customer_enabled,
    pendingBanners: row.pending,
    rejectedBanners: row.rejected,
  }
}
