// Invitations: an email with a link that signs the new member in once, within 7 days. Only a hash of the link is
// stored. The email contains nothing that a customer wrote, because a customer must not be able to send texts of its
// own through us.

import { hash } from 'node:crypto'
import { readApp } from '../../../identity/apps.ts'
import { randomText } from '../../../identity/pair.ts'
import { refusal } from '../../../kernel/errors/problem.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { DAY_MS } from '../../../kernel/time/units.ts'
import type { Db } from '../../../platform/database.ts'
import type { Mail, Mailer } from '../../../platform/mail.ts'
import { INVITATION_DAYS } from './contract.ts'
import { type InvitedRow, selectInvited, takeInvitation, updateInvitation } from './queries.ts'

export interface InvitationParts {
  mail: Mailer
  publicUrl: string
}

interface Invited {
  mid: number
  cuid: number
  email: string
  appId: number
  language: 'en' | 'de' | null
}

const TOKEN_CHARACTERS = 43

/** Runs in the transaction that adds the member: if the email cannot be sent, nothing is stored. */
export async function invite(
  db: Db,
  { mid, cuid, email, appId, language }: Invited,
  now: Date,
  { mail, publicUrl }: InvitationParts,
): Promise<void> {
  const token = `mqin_${randomText(TOKEN_CHARACTERS)}`
  await updateInvitation(db, mid, hashOf(token), new Date(now.getTime() + INVITATION_DAYS * DAY_MS))
  const { brand } = await readApp(db, appId)
  const link = `${publicUrl}/console?invitation=${token}`
  try {
    const letter = invitationMail(email, link, brand.title ?? 'Marquee', language ?? 'en')
    await mail.send({ ...letter, cuid })
  } catch (error) {
    throw refusal('invitation_failed', {}, { cause: error })
  }
}

/** Finds whom an invitation would sign in, without using it up. Null: nobody. */
export function invitedBy(db: Db, token: string, clock: Clock): Promise<InvitedRow | null> {
  return selectInvited(db, hashOf(token), new Date(clock.nowMs()))
}

/** Throws 401 if the invitation is unknown, used or expired, or its member was removed. */
export async function redeemInvitation(db: Db, token: string, clock: Clock): Promise<InvitedRow> {
  const invited = await invitedBy(db, token, clock)
  if (!invited || !(await takeInvitation(db, invited.mid, hashOf(token)))) throw refusal('invitation_invalid')
  return invited
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

const WORDS = {
  en: {
    subject: (title: string) => `You are invited to ${title}`,
    hello: 'Hello,',
    invited: (title: string) => `You have been invited to work on an advertising account in ${title}.`,
    open: 'Open this link to sign in:',
    life: `It works once, within ${INVITATION_DAYS} days. After that, sign in with this email address; a passcode is sent to you.`,
    ignore: 'If you did not expect this, you can ignore this email.',
  },
  de: {
    subject: (title: string) => `Einladung zu ${title}`,
    hello: 'Guten Tag,',
    invited: (title: string) => `Sie wurden eingeladen, in ${title} an einem Werbekonto mitzuarbeiten.`,
    open: 'Mit diesem Link melden Sie sich an:',
    life: `Er gilt einmal und ${INVITATION_DAYS} Tage lang. Danach melden Sie sich mit dieser E-Mail-Adresse an; ein Code wird Ihnen zugesandt.`,
    ignore: 'Falls Sie das nicht erwartet haben, ignorieren Sie diese E-Mail.',
  },
}

function invitationMail(email: string, link: string, title: string, language: keyof typeof WORDS): Mail {
  const { subject, hello, invited, open, life, ignore } = WORDS[language]
  const shown = escaped(title)
  return {
    to: email,
    subject: subject(title),
    text: `${hello}\n\n${invited(title)}\n\n${open}\n${link}\n\n${life}\n${ignore}\n`,
    html: `<!doctype html><html lang="${language}"><body style="font-family:sans-serif;color:#1a1a1a">
<p>${hello}</p>
<p>${invited(shown)}</p>
<p>${open}<br><a href="${link}">${link}</a></p>
<p>${life}<br>${ignore}</p>
</body></html>
`,
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
