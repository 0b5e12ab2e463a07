// The email about a change of passkeys, in the person's language. It contains nothing that anybody
// wrote, because nobody must be able to send texts of their own through us.

import { type LetterBrand, layOut } from '../../platform/letter.ts'
import type { Mail } from '../../platform/mail.ts'

export type PasskeyEvent = 'added' | 'removed' | 'reset'

const WORDS = {
  en: {
    hello: 'Hello,',
    added: [
      'A passkey was added',
      'A passkey was added to your sign-in. It is asked for after the passcode.',
    ],
    removed: ['A passkey was removed', 'A passkey was removed from your sign-in.'],
    reset: [
      'Your passkeys were reset',
      'All your passkeys were removed, and you were signed out everywhere. You can register new ones after signing in.',
    ],
    open: 'Sign in',
    otherwise:
      'If this was not you, or not what you asked for, contact the operator of this service at once.',
  },
  de: {
    hello: 'Guten Tag,',
    added: [
      'Ein Passkey wurde hinzugefügt',
      'Ihrer Anmeldung wurde ein Passkey hinzugefügt. Nach dem Code wird künftig danach gefragt.',
    ],
    removed: ['Ein Passkey wurde entfernt', 'Ein Passkey wurde aus Ihrer Anmeldung entfernt.'],
    reset: [
      'Ihre Passkeys wurden zurückgesetzt',
      'Alle Ihre Passkeys wurden entfernt, und Sie wurden überall abgemeldet. Nach der Anmeldung können Sie neue anlegen.',
    ],
    open: 'Anmelden',
    otherwise:
      'Falls Sie das nicht waren oder nicht darum gebeten haben, wenden Sie sich sofort an den Betreiber dieses Dienstes.',
  },
} as const

export function passkeyMail(
  email: string,
  event: PasskeyEvent,
  { link, language, brand }: { link: string; language: keyof typeof WORDS; brand: LetterBrand },
): Mail {
  const { hello, open, otherwise, [event]: said } = WORDS[language]
  const [subject, text] = said
  const blocks = [{ text: hello }, { text }, { link: { words: open, url: link } }]
  return layOut({ to: email, language, brand, subject, blocks, why: otherwise })
}
