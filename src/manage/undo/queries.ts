// SQL of undo: the entry of the history, and whether it is the last one of its object.

import type { Db } from '../../platform/database.ts'
import type { UndoneChange } from './contract.ts'

export interface ChangeRow {
  audit_id: number
  noun: UndoneChange['noun']
  id: number
  cid: number
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** An entry that belongs to this customer. */
export function selectChange(db: Db, cuid: number, auditId: number) {
  return db.row<ChangeRow>(
    `select audit_id, noun, id, cid, before, after from audit
     where audit_id = $2 and cuid = $1 and noun not in ('customer', 'note') and cid is not null`,
    [cuid, auditId],
  )
}

/** Locks the campaign, deleted or not: nothing in it changes until the end of the transaction. */
export function lockAnyCampaign(tx: Db, cuid: number, cid: number) {
  return tx.row('select 1 from campaign where cid = $1 and cuid = $2 for update', [cid, cuid])
}

export async function isLastChange(tx: Db, { id, audit_id }: ChangeRow): Promise<boolean> {
  const row = await tx.row<{ audit_id: number }>(
    'select audit_id from audit where id = $1 order by audit_id desc limit 1',
    [id],
  )
  return row?.audit_id === audit_id
}
