// How much one customer may have. Every creation and restoration is noted by `recordChange`. Before the transaction
// commits, the total is checked under a lock that is held only until the commit, so parallel calls cannot exceed a
// quota together, however they create. For the counting see migrations/0110-quotas-and-jobs.sql.

import { type Problem, refusal } from '../kernel/errors/problem.ts'
import type { Db } from '../platform/database.ts'
import type { Tx } from './tx.ts'

export interface Quotas {
  campaigns: number
  personas: number
  personasPerCampaign: number
  banners: number
}

type Counted = 'campaigns' | 'personas' | 'banners'

/** The settings as messages name them. */
const SETTING = {
  campaigns: 'CAMPAIGN_QUOTA',
  personas: 'PERSONA_QUOTA',
  personasPerCampaign: 'PERSONAS_PER_CAMPAIGN',
  banners: 'BANNER_QUOTA',
} as const

interface Grown {
  what: Set<Counted>
  /** Campaigns that got a persona. */
  cids: Set<number>
}

/** What the transaction has created and restored, by customer. */
function grownIn({ notes }: Tx): Map<number, Grown> {
  const customers = new Map<number, Grown>()
  for (const { noun, action, cuid, cid } of notes) {
    if (action !== 'create' && action !== 'restore') continue
    const found = customers.get(cuid) ?? { what: new Set(), cids: new Set() }
    customers.set(cuid, found)
    // A restored object brings back everything beneath it.
    const isWhole = action === 'restore'
    if (noun === 'campaign') found.what.add('campaigns')
    if (noun === 'persona' || (isWhole && noun === 'campaign')) found.what.add('personas')
    if (noun === 'banner' || (isWhole && noun !== 'flight')) found.what.add('banners')
    if (noun === 'persona' && cid !== null) found.cids.add(cid)
  }
  return customers
}

/**
 * Throws 409 if the transaction has made more than a quota allows. `isFinal`: right before the commit, and binding; a
 * check before that only says what would happen, and holds no lock.
 */
export async function checkQuotas(tx: Tx, quotas: Quotas, isFinal: boolean): Promise<void> {
  for (const [cuid, { what, cids }] of grownIn(tx)) {
    const has = isFinal ? await sumUp(tx, cuid) : await selectUsage(tx, cuid)
    for (const counted of what) {
      if (has[counted] > quotas[counted])
        throw exceeded(counted, 'this customer', has[counted], quotas[counted], SETTING[counted])
    }
    for (const cid of cids) {
      const personas = await countPersonas(tx, cid, quotas.personasPerCampaign + 1)
      if (personas > quotas.personasPerCampaign)
        throw exceeded(
          'personas',
          `campaign ${cid}`,
          personas,
          quotas.personasPerCampaign,
          SETTING.personasPerCampaign,
        )
    }
  }
}

export function exceeded(
  what: string,
  whose: string,
  wanted: number,
  quota: number,
  setting: string,
): Problem {
  return refusal('quota_exceeded', { whose, wanted, what, quota, setting })
}

type Usage = Record<Counted, number>

/** Adds what was noted to the customer's row, which stays locked, so that the next check sees all of it. */
async function sumUp(tx: Db, cuid: number): Promise<Usage> {
  const row = await tx.row<Usage>(
    `with noted as (
       delete from customer_usage_change where cuid = $1 returning campaigns, personas, banners
     ), sums as (
       select coalesce(sum(campaigns), 0) as campaigns, coalesce(sum(personas), 0) as personas,
         coalesce(sum(banners), 0) as banners from noted
     )
     insert into customer_usage as u (cuid, campaigns, personas, banners)
     select $1, campaigns, personas, banners from sums
     on conflict (cuid) do update set campaigns = u.campaigns + excluded.campaigns,
       personas = u.personas + excluded.personas, banners = u.banners + excluded.banners
     returning campaigns, personas, banners`,
    [cuid],
  )
  return row!
}

async function selectUsage(db: Db, cuid: number): Promise<Usage> {
  const row = await db.row<Usage>(
    `select coalesce(sum(campaigns), 0) as campaigns, coalesce(sum(personas), 0) as personas,
       coalesce(sum(banners), 0) as banners
     from (
       select campaigns, personas, banners from customer_usage where cuid = $1
       union all select campaigns, personas, banners from customer_usage_change where cuid = $1
     ) noted`,
    [cuid],
  )
  return row!
}

async function countPersonas(db: Db, cid: number, most: number): Promise<number> {
  const row = await db.row<{ count: number }>(
    `select count(*) as count from (
       select from persona where cid = $1 and deleted_at is null limit $2
     ) found`,
    [cid, most],
  )
  return row!.count
}
