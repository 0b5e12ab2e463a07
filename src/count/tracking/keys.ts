// The keys that sign links: created by the first start, replaced by age, and kept as long as anyone may still click. A
// new key signs only after every process has had time to load it; the first one signs immediately.

import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { type KeyRing, type SigningKey, signingKey } from './links.ts'
import { deleteSigningKeys, insertSigningKey, type SigningKeyRow, selectSigningKeys } from './queries.ts'

const DAY_MS = 86_400_000
const SECRET_BYTES = 32
const ROTATE_AFTER_MS = 30 * DAY_MS
/** An old link still redirects (uncounted), so keys are kept much longer than their links count. */
const FORGET_AFTER_MS = 800 * DAY_MS
/** Longer than the time between two refreshes of any process. */
const SETTLE_MS = 5 * 60_000

/** The keys as they are stored in the database. */
export interface StoredKeys extends KeyRing {
  rows: SigningKeyRow[]
}

export interface KeyParts {
  clock: Clock
  randomBytes: (count: number) => Buffer
}

/** Loads the keys, and makes a first or a new one if it is due. */
export async function loadSigningKeys(db: Db, parts: KeyParts): Promise<StoredKeys> {
  const nowMs = parts.clock.nowMs()
  let rows = await selectSigningKeys(db)
  const newest = rows.at(-1)
  if (!newest || nowMs - newest.created_at.getTime() >= ROTATE_AFTER_MS) {
    await insertSigningKey(db, {
      key_id: (newest?.key_id ?? 0) + 1,
      secret: parts.randomBytes(SECRET_BYTES),
      created_at: new Date(nowMs),
    })
    await deleteSigningKeys(db, new Date(nowMs - FORGET_AFTER_MS))
    rows = await selectSigningKeys(db)
  }
  return ringOf(rows, nowMs)
}

/** Updates the ring in place for all its users. Must be repeated every minute. */
export async function refreshSigningKeys(db: Db, ring: StoredKeys, parts: KeyParts): Promise<void> {
  Object.assign(ring, await loadSigningKeys(db, parts))
}

/** A database that went back in time may lack the newest keys, which have signed links already. */
export async function keepSigningKeys(db: Db, { rows }: StoredKeys): Promise<void> {
  for (const row of rows) await insertSigningKey(db, row)
}

function ringOf(rows: SigningKeyRow[], nowMs: number): StoredKeys {
  const byId = new Map<number, SigningKey>()
  for (const row of rows) byId.set(row.key_id, signingKey(row.key_id, row.secret))
  const settled = rows.filter(row => nowMs - row.created_at.getTime() >= SETTLE_MS)
  const signing = settled.at(-1) ?? rows[0]!
  return { signing: byId.get(signing.key_id)!, byId, rows }
}
