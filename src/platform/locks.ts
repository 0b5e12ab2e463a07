// The advisory locks of the database, all in one place, because two uses of one number would wait for each other.

import type { Db } from './database.ts'

export const LOCKS = {
  migrations: 7_731_001,
  firstStart: 7_731_002,
  /** Held by the delivering process of version 0.1.0 as long as it lives. */
  formerDelivery: 7_731_003,
  partitions: 7_731_004,
  /** Of the processes that export, only one writes at a time. */
  export: 7_731_030,
  numbering: 7_731_031,
  /** Held by a transaction that takes webhooks to be sent. */
  webhooks: 7_731_040,
  /** Held by a transaction that folds events into figures. */
  folding: 7_731_020,
  /** Held by a transaction that takes a name for a source. */
  sources: 7_731_050,
  /** Held with the app, by those who declare an attribute. */
  attributes: 7_731_055,
  /** Held with the app, by those who create a site list. */
  siteLists: 7_731_051,
  /** Held with the noun, its parent and the id, by those who create or change by an external id. */
  externalId: 7_731_100,
  /** Held with its owner, by those who count answers kept for idempotency keys. */
  idempotency: 7_731_110,
  /** Held with the person, by those who add or remove passkeys. */
  passkeys: 7_731_120,
  /** Held by a transaction that packs old figures. */
  packing: 7_731_021,
} as const

/** Locks one thing of a kind until the transaction ends. */
export async function lockUntilCommit(tx: Db, kind: number, name: string): Promise<void> {
  await tx.run('select pg_advisory_xact_lock(hashtextextended($1, $2))', [name, kind])
}
