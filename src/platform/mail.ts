// Sends email by SMTP. Without a server, emails are written to the outbox folder as .eml files that any email program
// opens.

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../kernel/time/clock.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export interface Attachment {
  filename: string
  contentType: string
  content: string
}

export interface Mail {
  to: string
  /** The customer it is about: erasing that one removes it from the outbox, whoever it went to. */
  cuid?: number
  subject: string
  text: string
  html: string
  messageId?: string
  headers?: Record<string, string>
  attachments?: Attachment[]
}

export interface Mailer {
  send(mail: Mail): Promise<void>
  close(): void
}

export function outboxOf(dataDir: string): string {
  return join(dataDir, 'outbox')
}

const TIMEOUT_MS = 10_000

interface OutboxParts {
  from: string
  outboxDir: string
  clock: Clock
  log: Log
}

export function createMailer(options: {
  smtpUrl: string | null
  from: string
  outboxDir: string
  clock: Clock
  log: Log
  metrics?: Pick<Metrics, 'counter'>
}): Mailer {
  const mailer = options.smtpUrl ? smtpMailer(options.smtpUrl, options.from) : outboxMailer(options)
  const mails = options.metrics?.counter('marquee_mails_total', 'Emails by outcome.', ['outcome'])
  return {
    ...mailer,
    async send(mail) {
      try {
        await mailer.send(mail)
        mails?.inc({ outcome: 'sent' })
      } catch (error) {
        mails?.inc({ outcome: 'failed' })
        throw error
      }
    },
  }
}

/** The library is loaded at once: loading it later would stop everything for a moment. */
function smtpMailer(url: string, from: string): Mailer {
  const opened = import('nodemailer').then(({ createTransport }) =>
    createTransport(
      {
        url,
        pool: true,
        maxConnections: 3,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from },
    ),
  )
  // The senders get this error.
  opened.catch(() => {})
  return {
    send: async mail => {
      await (await opened).sendMail(mail)
    },
    close: () => {
      opened.then(transport => transport.close()).catch(() => {})
    },
  }
}

function outboxMailer({ from, outboxDir, clock, log }: OutboxParts): Mailer {
  return {
    async send(mail) {
      const { createTransport } = await import('nodemailer')
      const composer = createTransport({ streamTransport: true, buffer: true }, { from })
      const { cuid, ...letter } = mail
      const { message } = await composer.sendMail(letter)
      await mkdir(outboxDir, { recursive: true, mode: 0o700 })
      const at = new Date(clock.nowMs()).toISOString().replaceAll(':', '-')
      const name = `${at}-${randomUUID().slice(0, 8)}${cuid === undefined ? '' : endOf(cuid)}.eml`
      const path = join(outboxDir, name)
      await writeFile(`${path}.part`, message as Buffer, { mode: 0o600 })
      await rename(`${path}.part`, path)
      log.info({ path }, 'email written to the outbox (SMTP_URL is not set)')
    },
    close: () => {},
  }
}

function endOf(cuid: number): string {
  return `-of-${cuid}`
}

/** Removes all emails about this customer or to these addresses from the outbox folder. */
export async function forgetMails(
  outboxDir: string,
  cuid: number,
  addresses: readonly string[],
): Promise<void> {
  for (const name of await readdir(outboxDir).catch(() => [])) {
    const path = join(outboxDir, name)
    const isAbout = name.endsWith(`${endOf(cuid)}.eml`)
    if (isAbout || addresses.includes(await recipientOf(path))) await rm(path, { force: true })
  }
}

/** The recipient of the email in a file; empty if it is not an email or is already gone. */
async function recipientOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const head = text.split(/\r?\n\r?\n/, 1)[0]!
  return /^To: (.*)$/im.exec(head)?.at(1)?.trim().toLowerCase() ?? ''
}
