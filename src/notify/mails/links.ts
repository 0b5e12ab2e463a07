// The unsubscribe link in every email. It is signed, so that no one can unsubscribe someone else, and never expires,
// because emails may be read years later.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseId } from '../../kernel/id.ts'
import type { Db } from '../../platform/database.ts'
import { secretNamed } from '../../platform/secrets.ts'
import { MAIL_KINDS, type MailKind } from './contract.ts'

const SECRET = 'mail links'

export interface OffLink {
  cuid: number
  kind: MailKind
  /** Null: for the customer; otherwise for this member alone. */
  mid: number | null
  /** For a saved view: this view alone. */
  vid?: number | undefined
}

export async function offToken(db: Db, link: OffLink): Promise<string> {
  return `${textOf(link)}.${signature(await secretNamed(db, SECRET), link)}`
}

/** Null: we did not sign it. */
export async function readOffToken(db: Db, token: string): Promise<OffLink | null> {
  const parts = token.split('.')
  const given = parts.pop()!
  const [cuidText = '', kindText, midText, vidText] = parts
  const cuid = parseId(cuidText)
  const mid = midText === undefined ? null : parseId(midText)
  const kind = MAIL_KINDS.find(name => name === kindText)
  const vid = vidText === undefined ? undefined : parseId(vidText)
  if (cuid === null || !kind || (midText !== undefined && mid === null) || vid === null) return null
  const link = { cuid, kind, mid, vid }
  const wanted = Buffer.from(signature(await secretNamed(db, SECRET), link))
  const got = Buffer.from(given)
  return got.length === wanted.length && timingSafeEqual(got, wanted) ? link : null
}

function textOf({ cuid, kind, mid, vid }: OffLink): string {
  return [cuid, kind, ...(mid === null ? [] : [mid]), ...(vid === undefined ? [] : [vid])].join('.')
}

function signature(secret: Buffer, link: OffLink): string {
  return createHmac('sha256', secret).update(textOf(link)).digest('base64url')
}
