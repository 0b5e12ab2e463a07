// The keys that sign links: created by the first start, replaced by age, and kept as long as anyone may still click. A
// new key signs only after every process has had time to load it; the first one signs immediately.

import { notFound } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { Database, Db } from '../../platform/database.ts'
import { type KeyRing, type SigningKey, signingKey } from './links.ts'
import {
  deleteSigningKey,
  deleteSigningKeys,
  insertSigningKey,
  type SigningKeyRow,
  selectSigningKeys,
} from './queries.ts'

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
    await addKey(db, newest, parts)
    await deleteSigningKeys(db, new Date(nowMs - FORGET_AFTER_MS))
    rows = await selectSigningKeys(db)
  }
  return ringOf(rows, nowMs)
}

function addKey(db: Db, newest: SigningKeyRow | undefined, { clock, randomBytes }: KeyParts) {
  return insertSigningKey(db, {
    key_id: (newest?.key_id ?? 0) + 1,
    secret: randomBytes(SECRET_BYTES),
    created_at: new Date(clock.nowMs()),
  })
}

/** What an operator sees of a key. */
export interface ShownKey {
  keyId: number
  created: Date
  /** Whether it signs, will sign, or only verifies what it has signed. */
  use: 'signs' | 'signs soon' | 'verifies'
}

export async function listSigningKeys(db: Db, clock: Clock): Promise<ShownKey[]> {
  const rows = await selectSigningKeys(db)
  if (rows.length === 0) return []
  const signing = signingRow(rows, clock.nowMs()).key_id
  return rows.map(({ key_id, created_at }) => ({
    keyId: key_id,
    created: created_at,
    use: key_id === signing ? 'signs' : key_id > signing ? 'signs soon' : 'verifies',
  }))
}

/** Makes a new key before the present one is old. */
export async function rotateSigningKey(db: Db, parts: KeyParts): Promise<ShownKey> {
  await addKey(db, (await selectSigningKeys(db)).at(-1), parts)
  return (await listSigningKeys(db, parts.clock)).at(-1)!
}

/** Every link that it has signed is refused from then on. Null: it signs, or will, so it cannot be revoked. */
export function revokeSigningKey(db: Database, keyId: number, clock: Clock): Promise<ShownKey | null> {
  return db.transaction(async tx => {
    const key = (await listSigningKeys(tx, clock)).find(one => one.keyId === keyId)
    if (!key) throw notFound(`signing key ${keyId}`)
    if (key.use !== 'verifies') return null
    await deleteSigningKey(tx, keyId)
    return key
  })
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
  return { signing: byId.get(signingRow(rows, nowMs).key_id)!, byId, rows }
}

function signingRow(rows: SigningKeyRow[], nowMs: number): SigningKeyRow {
  return rows.findLast(row => nowMs - row.created_at.getTime() >= SETTLE_MS) ?? rows[0]!
}
