// SQL of alerts: what a customer chose, and the networks that its pairs are used from.

import type { Scope } from '../kernel/permissions.ts'
import type { Db } from '../platform/database.ts'

/** Null: the customer chose nothing. */
export function selectRaisedFactor(db: Db, cuid: number) {
  return db.row<{ budget_raised: number | null }>('select budget_raised from mail_choice where cuid = $1', [
    cuid,
  ])
}

export interface WatchedPairRow {
  key: string
  name: string | null
  scope: Scope
  created_at: Date
  expires_at: Date
}

/** Locks the pair until the end of the transaction, so that its networks are recorded one after the other. */
export function lockPair(tx: Db, cuid: number, key: string) {
  return tx.row<WatchedPairRow>(
    `select key, name, scope, created_at, expires_at from credential
     where key = $2 and cuid = $1 for no key update`,
    [cuid, key],
  )
}

export async function countNetworks(tx: Db, key: string): Promise<number> {
  const row = await tx.row<{ count: number }>(
    'select count(*) as count from credential_network where key = $1',
    [key],
  )
  return row!.count
}

/** False: the network was known. */
export async function insertNetwork(tx: Db, key: string, network: Buffer, now: Date): Promise<boolean> {
  const inserted = await tx.run(
    'insert into credential_network (key, network, seen_at) values ($1, $2, $3) on conflict do nothing',
    [key, network, now],
  )
  return inserted === 1
}
