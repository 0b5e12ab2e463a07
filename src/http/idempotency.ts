// `idempotency-key` on a POST: within 24 h, the same key with the same request gets the first answer again; with
// another request it gets 409. The claim is a row in the same transaction as the work, so it exists exactly if the work
// was done. The answer is encrypted under a key derived from the caller's token, which we do not store.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { invalidField, refusal } from '../kernel/errors/problem.ts'
import type { Db } from '../platform/database.ts'
import {
  deleteOldAnswers,
  deleteOldCounts,
  insertKey,
  selectKept,
  updateAnswer,
} from './idempotency-queries.ts'

export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
  /** One `set-cookie` header each. */
  cookies?: string[]
  /** Nothing of it is kept. */
  undo?: boolean
  /** For a dry run: the call would become a proposal. */
  wouldPropose?: boolean
}

export interface Claim {
  /** The key of the credential: the same idempotency key of another caller is a different one. */
  owner: string
  key: string
  requestHash: Buffer
  /** Null for a body of raw bytes. */
  contentHash: string | null
  secret: string
}

/** What is kept, encrypted. */
interface KeptAnswer extends StoredAnswer {
  contentHash?: string | null
}

const MAX_KEY_LENGTH = 255

export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw invalidField('idempotency-key', 'not_an_idempotency_key', { max: MAX_KEY_LENGTH })
  }
  return header
}

/** `requestHash` is of what was sent. `contentHash` is of what it means: the order of fields does not matter. */
export function hashRequest(
  method: string,
  url: string,
  body: unknown,
): Pick<Claim, 'requestHash' | 'contentHash'> {
  const hashOf = (bytes: string | Buffer) =>
    createHash('sha256').update(`${method} ${url}\n`).update(bytes).digest()
  if (Buffer.isBuffer(body)) return { requestHash: hashOf(body), contentHash: null }
  return {
    requestHash: hashOf(JSON.stringify(body ?? null)),
    contentHash: hashOf(JSON.stringify(body ?? null, inOrder)).toString('base64'),
  }
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Claims the key inside the transaction. Returns the earlier answer if the key was used before, else null. */
export async function claim(tx: Db, wanted: Claim): Promise<StoredAnswer | null> {
  const { owner, key } = wanted
  if (await insertKey(tx, owner, key, wanted.requestHash)) return null
  const earlier = await selectKept(tx, owner, key)
  if (earlier?.answer === null) throw refusal('idempotent_customer_erased')
  const kept = earlier && opened(earlier.answer!, wanted)
  const isSame =
    earlier?.request_hash.equals(wanted.requestHash) ||
    (kept?.contentHash && kept.contentHash === wanted.contentHash)
  if (!kept || !isSame) throw refusal('idempotency_conflict')
  const { contentHash: _, ...answer } = kept
  return answer
}

/** `cuid`: the customer that the answer is about; it is erased with that customer. Returns how many bytes are kept. */
export async function keepAnswer(
  tx: Db,
  claimed: Claim,
  answer: StoredAnswer,
  cuid: number | null,
): Promise<number> {
  const sealed = encrypt({ ...answer, contentHash: claimed.contentHash }, claimed)
  await updateAnswer(tx, claimed.owner, claimed.key, sealed, cuid)
  return sealed.length
}

export async function forgetOldAnswers(db: Db): Promise<void> {
  await deleteOldAnswers(db)
  await deleteOldCounts(db)
}

function keyFrom({ secret, owner, key }: Claim): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, owner, `marquee idempotency ${key}`, 32))
}

function encrypt(answer: KeptAnswer, claimed: Claim): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(claimed), iv)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Null: it was kept for another secret of the same owner, such as another session of a person. */
function opened(stored: Buffer, claimed: Claim): KeptAnswer | null {
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(claimed), stored.subarray(0, 12))
  decipher.setAuthTag(stored.subarray(12, 28))
  const text = decipher.update(stored.subarray(28))
  try {
    decipher.final()
  } catch {
    return null
  }
  return JSON.parse(text.toString('utf8'))
}
