// SQL of orders: how large a copy would be.

import type { Db } from '../platform/database.ts'

async function sizeOf(db: Db, text: string, id: number): Promise<number> {
  return (await db.row<{ objects: number }>(text, [id]))!.objects
}

const CAMPAIGN = `select 1
    + (select count(*) from flight where cid = $1 and deleted_at is null and not is_default)
    + (select count(*) from persona where cid = $1 and deleted_at is null)
    + (select count(*) from persona p join banner b on b.pid = p.pid
       where p.cid = $1 and p.deleted_at is null and b.deleted_at is null) as objects`

const PERSONA = `select 1 + (select count(*) from banner where pid = $1 and deleted_at is null) as objects`

/** The campaign with all that is beneath it. */
export const sizeOfCampaign = (db: Db, cid: number) => sizeOf(db, CAMPAIGN, cid)
export const sizeOfPersona = (db: Db, pid: number) => sizeOf(db, PERSONA, pid)
