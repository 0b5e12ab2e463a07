// Invitations: an email with a link that signs the new member in once, within 7 days. Only a hash of the link is
// stored. Of what a customer wrote, the email contains only names that are plain words, because a customer must not be
// able to send texts of its own through us.

import { hash } from 'node:crypto'
import { letterBrand, readApp } from '../../../identity/apps.ts'
import { randomText } from '../../../identity/pair.ts'
import { whoIs } from '../../../identity/who.ts'
import { isPlain, personOf } from '../../../identity/who-in-mail.ts'
import type { ActorText } from '../../../kernel/actor.ts'
import { refusal } from '../../../kernel/errors/problem.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { DAY_MS } from '../../../kernel/time/units.ts'
import type { Db } from '../../../platform/database.ts'
import { type LetterBrand, layOut } from '../../../platform/letter.ts'
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
  company: string
  /** Who invites. */
  actor: ActorText
}

const TOKEN_CHARACTERS = 43

/** Runs in the transaction that adds the member: if the email cannot be sent, nothing is stored. */
export async function invite(
  db: Db,
  { mid, cuid, email, appId, language, company, actor }: Invited,
  now: Date,
  { mail, publicUrl }: InvitationParts,
): Promise<void> {
  const token = `mqin_${randomText(TOKEN_CHARACTERS)}`
  await updateInvitation(db, mid, hashOf(token), new Date(now.getTime() + INVITATION_DAYS * DAY_MS))
  const { brand } = await readApp(db, appId)
  const link = `${publicUrl}/console?invitation=${token}`
  try {
    const by = personOf(await whoIs(db, cuid, actor)).name
    const letter = invitationMail({ email, by, company, language }, link, letterBrand(brand, publicUrl))
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
    invited: (by: string | null, company: string | null, title: string) =>
      `${by === null ? 'You have been invited' : `${by} has invited you`} to work on ${company === null ? 'an advertising account' : `the advertising account of ${company}`} in ${title}.`,
    open: 'Accept the invitation',
    life: `The invitation works once, within ${INVITATION_DAYS} days. After that, sign in with this email address; a passcode is sent to you.`,
    ignore: 'If you did not expect this, you can ignore this email.',
  },
  de: {
    subject: (title: string) => `Einladung zu ${title}`,
    hello: 'Guten Tag,',
    invited: (by: string | null, company: string | null, title: string) =>
      `${by === null ? 'Sie wurden eingeladen' : `${by} hat Sie eingeladen`}, in ${title} ${company === null ? 'an einem Werbekonto' : `am Werbekonto von ${company}`} mitzuarbeiten.`,
    open: 'Einladung annehmen',
    life: `Die Einladung gilt einmal und ${INVITATION_DAYS} Tage lang. Danach melden Sie sich mit dieser E-Mail-Adresse an; ein Code wird Ihnen zugesandt.`,
    ignore: 'Falls Sie das nicht erwartet haben, ignorieren Sie diese E-Mail.',
  },
}

interface Addressed {
  email: string
  by: string | null
  company: string
  language: 'en' | 'de' | null
}

function invitationMail({ email, by, company, ...to }: Addressed, url: string, brand: LetterBrand): Mail {
  const language = to.language ?? 'en'
  const { subject, hello, invited, open, life, ignore } = WORDS[language]
  const { title } = brand
  const blocks = [
    { text: hello },
    { text: invited(by, isPlain(company) ? company : null, title) },
    { link: { words: open, url } },
    { text: life },
  ]
  return layOut({ to: email, language, brand, subject: subject(title), blocks, why: ignore })
}
