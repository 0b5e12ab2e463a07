// The passcode mail, as text and as HTML. Nothing in it was written by a customer or comes from a request: whoever can
// have us send mail must not be able to choose what it says.

import type { Mail } from '../platform/mail.ts'

export function passcodeMail(email: string, code: string, minutes: number): Mail {
  const life = `It is valid for ${minutes} minutes and can be used once.`
  const ignore = 'If you did not ask for it, you can ignore this mail: nobody gets in without the passcode.'
  return {
    to: email,
    subject: `${code} is your passcode`,
    text: `Hello,\n\nyour passcode is: ${code}\n\n${life}\n${ignore}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif;color:#1a1a1a">
<p>Hello,</p>
<p>your passcode is:</p>
<p style="font-size:28px;letter-spacing:6px;font-weight:bold">${code}</p>
<p>${life}<br>${ignore}</p>
</body></html>
`,
  }
}
