// SQL of the bin. A deletion is an entry of the history. The bin has its object as long as that deletion still hides it
// and everything above the object exists.

import type { Db } from '../../../platform/database.ts'
import type { DeletedObject } from './contract.ts'

export interface DeletedRow {
  audit_id: number
  noun: DeletedObject['noun']
  id: number
  name: string
  cid: number
  campaign: string
  pid: number | null
  actor: string
  deleted_at: Date
}

/** Looks each object up by its key: with a join, the planner might read whole tables. */
const OBJECT = `select campaign.name, null::bigint as pid from campaign where d.noun = 'campaign'
      and campaign.cid = d.id and campaign.deleted_at = d.at
    union all select name, null from flight where d.noun = 'flight' and c.deleted_at is null
      and fid = d.id and deleted_at = d.at
    union all select name, null from persona where d.noun = 'persona' and c.deleted_at is null
      and pid = d.id and deleted_at = d.at
    union all select b.name, b.pid from banner b where d.noun = 'banner' and c.deleted_at is null
      and b.bid = d.id and b.deleted_at = d.at
      and (select p.deleted_at from persona p where p.pid = b.pid) is null`

export function selectBin(db: Db, cuid: number, after: number, limit: number, since: Date) {
  return db.rows<DeletedRow>(
    `select d.audit_id, d.noun, d.id, o.name, d.cid, c.name as campaign, o.pid, d.actor, d.at as deleted_at
     from (
       select audit_id, at, cid, noun, id, actor from audit
       where cuid = $1 and audit_id > $2 and action = 'delete' and cid is not null and at > $4
     ) d
     cross join lateral (select name, deleted_at from campaign where campaign.cid = d.cid offset 0) c
     cross join lateral (${OBJECT} offset 0) o
     order by d.audit_id limit $3`,
    [cuid, after, limit, since],
  )
}
