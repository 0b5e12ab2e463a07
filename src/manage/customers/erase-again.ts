// After a restore: erases again who was erased since the backup was made, from a list that was kept elsewhere. The list
// has no personal data. A customer that the backup does not know was created later and is gone with it.

import { inTx } from '../../changes/tx.ts'
import type { Database, Db } from '../../platform/database.ts'
import { OPERATOR, removeCustomer } from './customers.ts'
import { type ErasureParts, eraseCustomer } from './erase.ts'
import { type KnownRow, selectErased, selectKnown } from './erase-queries.ts'

/** `created` recognises a customer of another deployment that has the same id. */
export interface ErasedCustomer {
  cuid: number
  created: string
  erased: string
}

export async function listErased(db: Db): Promise<ErasedCustomer[]> {
  const rows = await selectErased(db)
  return rows.map(({ cuid, created_at, erased_at }) => ({
    cuid,
    created: created_at.toISOString(),
    erased: erased_at.toISOString(),
  }))
}

export interface ErasedAgain {
  erased: number[]
  already: number
  unknown: number
}

/** Those on the list that are another customer here. */
export async function findStrangers(db: Db, list: ErasedCustomer[]): Promise<number[]> {
  const known = await knownOf(db, list)
  return list.flatMap(({ cuid, created }) => {
    const row = known.get(cuid)
    return row && row.created_at.toISOString() !== created ? [cuid] : []
  })
}

/** May be interrupted and repeated. */
export async function eraseAgain(parts: ErasureParts, list: ErasedCustomer[]): Promise<ErasedAgain> {
  const { db, clock } = parts
  const known = await knownOf(db, list)
  const erased: number[] = []
  for (const row of known.values()) {
    if (row.erased_at) continue
    if (!row.deleted_at) await inTx(db, tx => removeCustomer(tx, row.cuid, clock))
    await eraseCustomer(parts, { cuid: row.cuid, appId: null, actor: OPERATOR })
    erased.push(row.cuid)
  }
  return {
    erased,
    already: known.size - erased.length,
    unknown: new Set(list.map(({ cuid }) => cuid)).size - known.size,
  }
}

async function knownOf(db: Db | Database, list: ErasedCustomer[]): Promise<Map<number, KnownRow>> {
  const rows = await selectKnown(
    db,
    list.map(({ cuid }) => cuid),
  )
  return new Map(rows.map(row => [row.cuid, row]))
}
