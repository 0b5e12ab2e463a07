// A real SMTP server that keeps or refuses the emails it gets, and a reader that shows them as a person sees them.

import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  to: string
  raw: string
}

export interface Inbox {
  url: string
  mails: ReceivedMail[]
  /** While true, the server refuses every email. */
  refuse: boolean
  close(): Promise<void>
}

export async function startInbox(): Promise<Inbox> {
  const mails: ReceivedMail[] = []
  const inbox = { mails, refuse: false } as Inbox
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', chunk => chunks.push(chunk))
      stream.on('end', () => {
        if (inbox.refuse) return done(new Error('mailbox full'))
        const to = session.envelope.rcptTo[0]!.address
        mails.push({ to, raw: Buffer.concat(chunks).toString('utf8') })
        done()
      })
    },
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as { port: number }
  inbox.url = `smtp://127.0.0.1:${port}`
  inbox.close = () => new Promise(resolve => server.close(() => resolve()))
  return inbox
}

export interface ReadMail {
  headers: Record<string, string>
  subject: string
  text: string
  html: string
  /** Attachments by file name. */
  attachments: Record<string, string>
}

interface Part {
  headers: Record<string, string>
  body: string
}

export function readMail(raw: string): ReadMail {
  const whole = split(raw)
  const { headers } = whole
  const parts = partsOf(whole)
  const isAttached = (one: Part) => /^attachment/.test(one.headers['content-disposition'] ?? '')
  const read = (one: Part) => decoded(one.body, one.headers['content-transfer-encoding'] ?? '7bit')
  const part = (type: string) =>
    read(parts.find(one => !isAttached(one) && one.headers['content-type']!.startsWith(type))!)
  const nameOf = (one: Part) => /filename="?([^";]+)/.exec(one.headers['content-disposition']!)![1]!
  const attachments = Object.fromEntries(parts.filter(isAttached).map(one => [nameOf(one), read(one)]))
  return {
    headers,
    subject: words(headers.subject!),
    text: part('text/plain'),
    html: part('text/html'),
    attachments,
  }
}

/** Returns the parts that have no parts themselves. */
function partsOf(whole: Part): Part[] {
  const boundary = /boundary="([^"]+)"/.exec(whole.headers['content-type']!)?.[1]
  if (boundary === undefined) return [whole]
  return whole.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap(part => partsOf(split(part.replace(/^\r\n/, ''))))
}

function split(raw: string): { headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { headers, body: rest.join('\r\n\r\n') }
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  const text = encoding === 'quoted-printable' ? fromQuoted(body.replace(/=\r\n/g, '')) : body
  return text.replaceAll('\r\n', '\n')
}

function fromQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

function words(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_, how: string, text: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : fromQuoted(text.replaceAll('_', ' ')),
    )
}
