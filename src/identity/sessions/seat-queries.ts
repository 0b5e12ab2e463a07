// SQL of seats: at which customers a person with an address may work.

import type { Role } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/database.ts'

/** The seat of a person at one customer. */
export interface SeatRow {
  mid: number
  cuid: number
  email: string
  name: string | null
  role: Role
  company: string
  language: 'en' | 'de' | null
  api_access: boolean
  is_first: boolean
}

/** Every customer of the app that the person with this address works for. */
export function selectSeats(db: Db, appId: number, emailKey: string) {
  return db.rows<SeatRow>(
    `select m.mid, m.cuid, m.email, m.name, m.role, u.company, u.language, u.api_access,
       m.email_key = u.email_key as is_first
     from member m join customer u using (cuid)
     where m.email_key = $2 and m.removed_at is null and u.app_id = $1 and u.deleted_at is null order by m.cuid`,
    [appId, emailKey],
  )
}

/** Adds the first owner that is missing if a process of an older version made the customer. */
export function insertMissingOwner(db: Db, appId: number, emailKey: string) {
  return db.run(
    `insert into member (cuid, email, email_key, name, role, created_at)
     select cuid, email, email_key, name, 'owner', created_at from customer
     where app_id = $1 and email_key = $2 and deleted_at is null
     on conflict (cuid, email_key) where removed_at is null do nothing`,
    [appId, emailKey],
  )
}

export function updateJoined(db: Db, appId: number, emailKey: string, now: Date) {
  return db.run(
    `update member m set joined_at = $3 from customer u
     where m.email_key = $2 and m.removed_at is null and m.joined_at is null and u.cuid = m.cuid and u.app_id = $1`,
    [appId, emailKey, now],
  )
}
