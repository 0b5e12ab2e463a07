// The passcode email, as text and HTML, in the customer's language. It contains nothing that a customer wrote or that
// came in a request, because nobody must be able to send texts of their own through us.

import type { Mail } from '../platform/mail.ts'

const WORDS = {
  en: {
    subject: (code: string) => `${code} is your passcode`,
    hello: 'Hello,',
    is: 'Your passcode is:',
    life: (minutes: number) => `It is valid for ${minutes} minutes and can be used once.`,
    ignore: 'If you did not request it, you can ignore this email: no one can sign in without the passcode.',
  },
  de: {
    subject: (code: string) => `${code} ist Ihr Code`,
    hello: 'Guten Tag,',
    is: 'Ihr Anmeldecode lautet:',
    life: (minutes: number) => `Er ist ${minutes} Minuten gültig und kann einmal verwendet werden.`,
    ignore:
      'Falls Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ohne den Code kann sich niemand anmelden.',
  },
}

export function passcodeMail(
  email: string,
  code: string,
  minutes: number,
  language: keyof typeof WORDS,
): Mail {
  const { subject, hello, is, life, ignore } = WORDS[language]
  return {
    to: email,
    subject: subject(code),
    text: `${hello}\n\n${is} ${code}\n\n${life(minutes)}\n${ignore}\n`,
    html: `<!doctype html><html lang="${language}"><body style="font-family:sans-serif;color:#1a1a1a">
<p>${hello}</p>
<p>${is}</p>
<p style="font-size:28px;letter-spacing:6px;font-weight:bold">${code}</p>
<p>${life(minutes)}<br>${ignore}</p>
</body></html>
`,
  }
}
