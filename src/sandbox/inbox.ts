// Receives webhooks inside the sandbox, and keeps what the sandbox sent: in memory, only the latest.

import type { IncomingHttpHeaders } from 'node:http'
import { type Clock, nowSeconds, sandboxMark } from '../kernel/time/clock.ts'
import type { Mail, Mailer } from '../platform/mail.ts'
import type { ReceivedCall, SentMail } from './contract.ts'

const MOST_CALLS = 10_000
/** Of all calls together: anybody may send them. */
const MOST_BYTES = 50_000_000
const BYTES_PER_LETTER = 2
const MOST_MAILS = 1_000

export interface Inbox {
  received(call: { method: string; url: string; headers: IncomingHttpHeaders }, body: string): void
  list(): ReceivedCall[]
  clear(): void
}

export function createInbox(clock: Clock): Inbox {
  let calls: ReceivedCall[] = []
  let sizes: number[] = []
  let bytes = 0
  return {
    received({ method, url, headers }, body) {
      const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      const call = { time: nowSeconds(clock), method, url, headers: texts, body }
      const size = BYTES_PER_LETTER * JSON.stringify(call).length
      bytes += size
      let dropped = Math.max(0, calls.length - MOST_CALLS + 1)
      for (let n = 0; n < calls.length && (n < dropped || bytes > MOST_BYTES); n++) {
        bytes -= sizes[n]!
        dropped = Math.max(dropped, n + 1)
      }
      calls = [...calls.slice(dropped), call]
      sizes = [...sizes.slice(dropped), size]
    },
    list: () => calls,
    clear() {
      calls = []
      sizes = []
      bytes = 0
    },
  }
}

export interface Outbox {
  mailer: Mailer
  list(to: string | null): SentMail[]
  clear(): void
}

/** Marks each email, keeps a copy and sends it on. */
export function createOutbox(clock: Clock, mailer: Mailer, sent: (mail: Mail) => void): Outbox {
  let mails: SentMail[] = []
  return {
    mailer: {
      ...mailer,
      async send(mail) {
        await mailer.send({ ...mail, headers: { ...mail.headers, ...sandboxMark(clock) } })
        const { to, subject, text, html } = mail
        mails = [...mails.slice(-MOST_MAILS + 1), { time: nowSeconds(clock), to, subject, text, html }]
        sent(mail)
      },
    },
    list: to => (to === null ? mails : mails.filter(mail => mail.to.toLowerCase() === to.toLowerCase())),
    clear() {
      mails = []
    },
  }
}
