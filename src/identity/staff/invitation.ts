// The email to a person who was added to the staff, which says where to sign in. It contains no secret, because a
// passcode is sent to the same address. The app's name is the only text in it that somebody wrote.

import type { Mail } from '../../platform/mail.ts'
import type { App } from '../apps.ts'

export function staffInvitation(email: string, { name, brand }: App, publicUrl: string): Mail {
  const title = brand.title ?? 'Marquee'
  const link = `${publicUrl}/console?app=${encodeURIComponent(name)}`
  const added = `You have been added to the staff of ${title}.`
  const open = 'Sign in here with this email address; a passcode is sent to you:'
  const ignore = 'If you did not expect this, you can ignore this email.'
  return {
    to: email,
    subject: `You work for ${title} now`,
    text: `Hello,\n\n${added}\n\n${open}\n${link}\n\n${ignore}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif;color:#1a1a1a">
<p>Hello,</p>
<p>${escaped(added)}</p>
<p>${open}<br><a href="${escaped(link)}">${escaped(link)}</a></p>
<p>${ignore}</p>
</body></html>
`,
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
