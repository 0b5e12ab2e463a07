// The passcode mail, as text and as HTML, in the customer's language. Nothing in it was written by a customer or comes
// from a request: a person who can make us send mail must not be able to choose its text.

import type { Mail } from '../platform/mail.ts'

const WORDS = {
  en: {
    subject: (code: string) => `${code} is your passcode`,
    hello: 'Hello,',
    is: 'your passcode is:',
    life: (minutes: number) => `It is valid for ${minutes} minutes and can be used once.`,
    ignore: 'If you did not ask for it, you can ignore this mail: nobody gets in without the passcode.',
  },
  de: {
    subject: (code: string) => `${code} ist Ihr Code`,
    hello: 'Guten Tag,',
    is: 'Ihr Code zum Anmelden:',
    life: (minutes: number) => `Er gilt ${minutes} Minuten lang und nur ein Mal.`,
    ignore:
      'Wenn Sie ihn nicht angefordert haben, brauchen Sie nichts zu tun: Ohne den Code kommt niemand hinein.',
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
