// The unsubscribe link in every email. It is signed, so that no one can unsubscribe someone else, and never expires,
// because emails may be read years later.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseId } from '../kernel/id.ts'
import type { Db } from '../platform/database.ts'
import { secretNamed } from '../platform/secrets.ts'
import { MAIL_KINDS, type MailKind } from './contract.ts'

const SECRET = 'mail links'

export interface OffLink {
  cuid: number
  kind: MailKind
}

export async function offToken(db: Db, link: OffLink): Promise<string> {
  return `${link.cuid}.${link.kind}.${signature(await secretNamed(db, SECRET), link)}`
}

/** Null: the signature is not ours. */
export async function readOffToken(db: Db, token: string): Promise<OffLink | null> {
  const [cuidText = '', kindText, given = ''] = token.split('.')
  const cuid = parseId(cuidText)
  const kind = MAIL_KINDS.find(name => name === kindText)
  if (cuid === null || !kind) return null
  const wanted = Buffer.from(signature(await secretNamed(db, SECRET), { cuid, kind }))
  const got = Buffer.from(given)
  return got.length === wanted.length && timingSafeEqual(got, wanted) ? { cuid, kind } : null
}

function signature(secret: Buffer, { cuid, kind }: OffLink): string {
  return createHmac('sha256', secret).update(`${cuid}.${kind}`).digest('base64url')
}
