// How every email looks: the app's logo and colour, blocks of text, figures and links, one button, and small print; as
// text and as HTML that narrow and dark mail programs show well. Everything is escaped.

import type { Attachment, Mail } from './mail.ts'

export interface LetterBrand {
  title: string
  /** `#rrggbb` */
  color: string
  /** Null: the title is shown. */
  logoUrl: string | null
}

export type Block =
  | { text: string }
  | { heading: string }
  /** The only one of a letter is its button. */
  | { link: { words: string; url: string } }
  /** To be read and typed. */
  | { words: string; code: string }
  /** The first row is the header; the first cell of a row is its name. */
  | { rows: string[][] }

export interface Letter {
  to: string
  language: string
  subject: string
  brand: LetterBrand
  blocks: Block[]
  /** The small print. */
  why: string
  /** How to end letters of this kind. */
  off?: { words: string; url: string }
  /** The same if an email is sent twice, so that mailboxes recognise the duplicate. */
  messageId?: string
  attachments?: Attachment[]
}

export function layOut({ blocks, why, off, brand, language, ...mail }: Letter): Mail {
  const headers = off && {
    'List-Unsubscribe': `<${off.url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  }
  const isOnlyLink = blocks.filter(block => 'link' in block).length === 1
  const body = blocks.map(block => asHtml(block, brand, isOnlyLink)).join('\n')
  return {
    ...mail,
    ...(headers ? { headers } : {}),
    text: `${blocks.map(asText).join('\n\n')}\n\n-- \n${why}\n${off ? `${off.words}: ${off.url}\n` : ''}`,
    html: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escaped(mail.subject)}</title>
<style>${DARK}</style></head>
<body class="page" style="margin:0;background:#f3f4f6;color:#1a1a1a;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<div style="max-width:600px;margin:0 auto;padding:24px 12px">
<div style="padding:0 12px 12px;font-weight:600">${headOf(brand)}</div>
<div class="card" style="background:#ffffff;border-top:4px solid ${brand.color};border-radius:6px;padding:12px 24px">
${body}
</div>
<p class="small" style="color:#5f6368;font-size:13px;padding:0 12px">${escaped(why)}${off ? `<br>\n${linked(off, 'small')}` : ''}</p>
</div></body></html>
`,
  }
}

/** What inline styles cannot say. */
const DARK =
  '@media (prefers-color-scheme:dark){.page{background:#16181d!important;color:#e8eaed!important}' +
  '.card{background:#22252b!important}.small{color:#a9adb5!important}.link{color:#9ec1ff!important}}'

function headOf({ title, logoUrl }: LetterBrand): string {
  const name = escaped(title)
  return logoUrl
    ? `<img src="${escaped(logoUrl)}" alt="${name}" height="40" style="display:block;max-width:240px">`
    : name
}

function asText(block: Block): string {
  if ('text' in block) return block.text
  if ('heading' in block) return block.heading
  if ('code' in block) return `${block.words} ${block.code}`
  if ('link' in block) return `${block.link.words}: ${block.link.url}`
  const [head, ...rows] = block.rows
  return rows
    .map(([name, ...cells]) => {
      const values = cells.map((cell, i) => (head![i + 1] ? `${head![i + 1]}: ${cell}` : cell))
      return `${name}: ${values.join(', ')}`
    })
    .join('\n')
}

function asHtml(block: Block, { color }: LetterBrand, isOnlyLink: boolean): string {
  if ('text' in block) return `<p>${escaped(block.text)}</p>`
  if ('heading' in block) return `<h2 style="font-size:19px;line-height:1.3">${escaped(block.heading)}</h2>`
  if ('code' in block)
    return `<p>${escaped(block.words)}</p>\n<p style="font-size:28px;letter-spacing:6px;font-weight:bold">${escaped(block.code)}</p>`
  if ('link' in block) return isOnlyLink ? button(block.link, color) : `<p>${linked(block.link, 'link')}</p>`
  const [head, ...rows] = block.rows
  const cells = (row: string[], tag: string) =>
    row
      .map((cell, i) => {
        const align = i ? `right${tag === 'td' ? ';white-space:nowrap' : ''}` : 'left'
        return `<${tag} style="padding:4px 12px 4px 0;text-align:${align}">${escaped(cell)}</${tag}>`
      })
      .join('')
  // A narrow screen scrolls a wide table, never the letter.
  return `<div style="overflow-x:auto"><table style="border-collapse:collapse;font-size:14px">
<tr>${cells(head!, 'th')}</tr>
${rows.map(row => `<tr>${cells(row, 'td')}</tr>`).join('\n')}
</table></div>`
}

function button({ words, url }: { words: string; url: string }, color: string): string {
  const look = `display:inline-block;padding:10px 22px;border-radius:6px;font-weight:600;text-decoration:none`
  return `<p style="margin:20px 0"><a href="${escaped(url)}" style="${look};background:${color};color:${inkOn(color)}">${escaped(words)}</a></p>`
}

function linked({ words, url }: { words: string; url: string }, kind: 'link' | 'small'): string {
  return `<a class="${kind}" href="${escaped(url)}" style="color:${kind === 'link' ? '#1a56c4' : '#5f6368'}">${escaped(words)}</a>`
}

/** Black or white, whichever is easier to read on the colour, by the contrast of WCAG. */
function inkOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map(at => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! > 0.179 ? '#000000' : '#ffffff'
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
