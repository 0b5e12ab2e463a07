// The passcode mail, as text and as HTML. Nothing in it comes from a request but the customer's own name.

import type { Mail } from '../platform/mail.ts'

export function passcodeMail(
  customer: { email: string; name: string | null },
  code: string,
  minutes: number,
): Mail {
  const hello = customer.name ? `Hello ${customer.name},` : 'Hello,'
  const life = `It is valid for ${minutes} minutes and can be used once.`
  const ignore = 'If you did not ask for it, you can ignore this mail: nobody gets in without the passcode.'
  return {
    to: customer.email,
    subject: `${code} is your passcode`,
    text: `${hello}\n\nyour passcode is: ${code}\n\n${life}\n${ignore}\n`,
    html: `<!doctype html><html lang="en"><body style="font-family:sans-serif;color:#1a1a1a">
<p>${escapeHtml(hello)}</p>
<p>your passcode is:</p>
<p style="font-size:28px;letter-spacing:6px;font-weight:bold">${code}</p>
<p>${life}<br>${ignore}</p>
</body></html>
`,
  }
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
