// The advisory locks of the database, all in one place: two uses of one number would wait for each other.

import type { Db } from './database.ts'

export const LOCKS = {
  migrations: 7_731_001,
  firstStart: 7_731_002,
  /** Held by the process of 0.1.0 that delivers, as long as it lives. */
  formerDelivery: 7_731_003,
  partitions: 7_731_004,
  /** Of those who export, one writes at a time. */
  export: 7_731_030,
  numbering: 7_731_031,
  /** Held by a transaction that takes webhooks to be sent. */
  webhooks: 7_731_040,
  /** Held by a transaction that folds events into figures. */
  folding: 7_731_020,
  /** Held by a transaction that names a source. */
  sources: 7_731_050,
  /** With the noun, its parent and the id: of those who create or change by an id of the app's own. */
  externalId: 7_731_100,
  /** With its holder: of those who count answers kept for idempotency keys. */
  idempotency: 7_731_110,
  /** Held by a transaction that packs old figures. */
  packing: 7_731_021,
} as const

/** Locks one thing of a kind until the transaction ends. */
export async function lockUntilCommit(tx: Db, kind: number, name: string): Promise<void> {
  await tx.run('select pg_advisory_xact_lock(hashtextextended($1, $2))', [name, kind])
}
