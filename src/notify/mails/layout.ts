// How an email looks: paragraphs, tables of figures and links, as text and HTML. Everything is escaped.

import type { Attachment, Mail } from '../../platform/mail.ts'

export type Block =
  | { text: string }
  | { heading: string }
  | { link: { words: string; url: string } }
  /** The first row is the header; the first cell of a row is its name. */
  | { rows: string[][] }

export interface Letter {
  to: string
  /** The same if an email is sent twice, so that mailboxes recognise the duplicate. */
  messageId: string
  language: string
  subject: string
  blocks: Block[]
  off: { words: string; url: string }
  why: string
  attachments?: Attachment[]
}

export function layOut({ to, messageId, language, subject, blocks, off, why, attachments }: Letter): Mail {
  return {
    ...(attachments ? { attachments } : {}),
    to,
    subject,
    messageId,
    headers: {
      'List-Unsubscribe': `<${off.url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
    text: `${blocks.map(asText).join('\n\n')}\n\n-- \n${why}\n${off.words}: ${off.url}\n`,
    html: `<!doctype html><html lang="${language}"><body style="font-family:sans-serif;color:#1a1a1a;max-width:640px">
${blocks.map(asHtml).join('\n')}
<p style="color:#595959;font-size:12px;border-top:1px solid #d9d9d9;padding-top:8px">${escaped(why)}<br>
${linked(off)}</p>
</body></html>
`,
  }
}

function asText(block: Block): string {
  if ('text' in block) return block.text
  if ('heading' in block) return block.heading
  if ('link' in block) return `${block.link.words}: ${block.link.url}`
  const [head, ...rows] = block.rows
  return rows
    .map(([name, ...cells]) => {
      const values = cells.map((cell, i) => (head![i + 1] ? `${head![i + 1]}: ${cell}` : cell))
      return `${name}: ${values.join(', ')}`
    })
    .join('\n')
}

function asHtml(block: Block): string {
  if ('text' in block) return `<p>${escaped(block.text)}</p>`
  if ('heading' in block) return `<h2 style="font-size:16px">${escaped(block.heading)}</h2>`
  if ('link' in block) return `<p>${linked(block.link)}</p>`
  const [head, ...rows] = block.rows
  const cells = (row: string[], tag: string) =>
    row
      .map(
        (cell, i) =>
          `<${tag} style="padding:4px 12px 4px 0;text-align:${i ? 'right' : 'left'}">${escaped(cell)}</${tag}>`,
      )
      .join('')
  return `<table style="border-collapse:collapse">
<tr>${cells(head!, 'th')}</tr>
${rows.map(row => `<tr>${cells(row, 'td')}</tr>`).join('\n')}
</table>`
}

function linked({ words, url }: { words: string; url: string }): string {
  return `<a href="${escaped(url)}">${escaped(words)}</a>`
}

export function escaped(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, character => names[character]!)
}
