// SQL of deleted objects, over all nouns of a campaign. Ids come from one sequence, so an id alone tells what it is.

import type { Db } from '../../platform/database.ts'
import type { HistoryEntry } from './contract.ts'

/** The nouns that can be restored; notes cannot. */
export type Noun = Exclude<HistoryEntry['noun'], 'note'>

export interface DeletableRow {
  noun: Noun
  id: number
  name: string
  cuid: number
  cid: number
  /** The persona of a banner; null for other nouns. */
  pid: number | null
  deleted_at: Date | null
  /** The nearest deleted object above it: `persona 12`, `campaign 7` or `customer 3`. */
  under: string | null
}

const CUSTOMER_GONE = "case when u.deleted_at is not null then 'customer ' || u.cuid end"
const CAMPAIGN_GONE = "case when c.deleted_at is not null then 'campaign ' || c.cid end"
const PERSONA_GONE = "case when p.deleted_at is not null then 'persona ' || p.pid end"

const SELECT: Record<Noun, string> = {
  campaign: `select 'campaign' as noun, c.cid as id, c.name, c.cuid, c.cid, null::bigint as pid, c.deleted_at,
      ${CUSTOMER_GONE} as under
    from campaign c join customer u on u.cuid = c.cuid`,
  flight: `select 'flight' as noun, f.fid as id, f.name, c.cuid, c.cid, null::bigint as pid, f.deleted_at,
      coalesce(${CAMPAIGN_GONE}, ${CUSTOMER_GONE}) as under
    from flight f join campaign c on c.cid = f.cid join customer u on u.cuid = c.cuid`,
  persona: `select 'persona' as noun, p.pid as id, p.name, c.cuid, c.cid, null::bigint as pid, p.deleted_at,
      coalesce(${CAMPAIGN_GONE}, ${CUSTOMER_GONE}) as under
    from persona p join campaign c on c.cid = p.cid join customer u on u.cuid = c.cuid`,
  banner: `select 'banner' as noun, b.bid as id, b.name, c.cuid, c.cid, p.pid, b.deleted_at,
      coalesce(${PERSONA_GONE}, ${CAMPAIGN_GONE}, ${CUSTOMER_GONE}) as under
    from banner b join persona p on p.pid = b.pid join campaign c on c.cid = p.cid
      join customer u on u.cuid = c.cuid`,
}

const ID: Record<Noun, string> = { campaign: 'c.cid', flight: 'f.fid', persona: 'p.pid', banner: 'b.bid' }
const NOUNS = Object.keys(SELECT) as Noun[]

/** The object with this id, deleted or not. */
export function selectAnything(db: Db, id: number) {
  const parts = NOUNS.map(noun => `${SELECT[noun]} where ${ID[noun]} = $1`)
  return db.row<DeletableRow>(parts.join(' union all '), [id])
}

export function selectDeleted(db: Db, after: number, limit: number) {
  const parts = NOUNS.map(noun => {
    const gone = `${ID[noun].split('.')[0]}.deleted_at`
    return `(${SELECT[noun]} where ${gone} is not null and ${ID[noun]} > $1 order by ${ID[noun]} limit $2)`
  })
  return db.rows<DeletableRow & { deleted_at: Date }>(`${parts.join(' union all ')} order by id limit $2`, [
    after,
    limit,
  ])
}

const UNHIDE: Record<Noun, string> = {
  campaign:
    'update campaign set deleted_at = null, updated_at = $2, version = version + 1 where cid = $1 and deleted_at is not null',
  flight:
    'update flight set deleted_at = null, updated_at = $2, version = version + 1 where fid = $1 and deleted_at is not null',
  persona:
    'update persona set deleted_at = null, updated_at = $2, version = version + 1 where pid = $1 and deleted_at is not null',
  banner:
    'update banner set deleted_at = null, updated_at = $2, version = version + 1 where bid = $1 and deleted_at is not null',
}

export function unhide(db: Db, noun: Noun, id: number, now: Date) {
  return db.run(UNHIDE[noun], [id, now])
}

export function selectDeletedFlight(db: Db, fid: number) {
  return db.row<{ start_at: Date; end_at: Date }>(
    'select start_at, end_at from flight where fid = $1 and deleted_at is not null',
    [fid],
  )
}

/** The object as it was when it was deleted, according to the audit. */
export async function selectLastSeen(db: Db, noun: Noun, id: number, cid: number): Promise<object | null> {
  const row = await db.row<{ before: object }>(
    `select before from audit
     where cid = $3 and noun = $1 and id = $2 and before is not null and after is null
     order by audit_id desc limit 1`,
    [noun, id, cid],
  )
  return row?.before ?? null
}
