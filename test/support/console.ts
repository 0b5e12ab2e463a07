// A browser for tests of the console: it keeps the cookie, and sends what a browser sends from our own page.

import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from './banners.ts'
import type { CallOptions, TestAnswer, TestPair, TestService } from './service.ts'

export interface Visitor {
  /** The session cookie. */
  cookie: string | null
  /** The cookie that shows that this browser has signed in before. */
  known: string | null
  call(method: string, url: string, options?: Pick<CallOptions, 'body' | 'headers'>): Promise<TestAnswer>
  signIn(body: object): Promise<TestAnswer>
}

/** Headers that a browser adds to a call by the console's own script. */
export const OWN_PAGE = { 'x-marquee-csrf': '1', 'sec-fetch-site': 'same-origin' }

export function visit(service: TestService, headers: Record<string, string> = OWN_PAGE): Visitor {
  const visitor: Visitor = {
    cookie: null,
    known: null,
    async call(method, url, options = {}) {
      const answer = await service.call(method, url, {
        as: null,
        body: options.body,
        headers: {
          ...headers,
          cookie: ['other=1', visitor.known, visitor.cookie].filter(Boolean).join('; '),
          ...options.headers,
        },
      })
      for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
        const value = set.includes('Max-Age=0') ? null : set.split(';', 1)[0]!
        visitor[set.includes('mqknown') ? 'known' : 'cookie'] = value
      }
      return answer
    },
    signIn: body => visitor.call('POST', '/console/api/session', { body }),
  }
  return visitor
}

/** A visitor signed in as this customer by a ticket. */
export async function visitAs(service: TestService, email: string): Promise<Visitor> {
  const visitor = visit(service)
  const answer = await visitor.signIn({ ticket: await ticketFor(service, email) })
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`)
  return visitor
}

/** A visitor signed in by the super pair. */
export async function visitAsStaff(service: TestService, pair = service.app): Promise<Visitor> {
  const visitor = visit(service)
  const answer = await visitor.signIn({ superkey: pair.key, supertoken: pair.token })
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`)
  return visitor
}

export async function ticketFor(service: TestService, email: string, app = service.app): Promise<string> {
  const { headers } = await service.call('GET', `/customer/${email}/sso`, { app })
  return new URL(headers.location!).searchParams.get('ticket')!
}

/** Every email in the outbox to this address, oldest first. */
export async function mailsTo(service: TestService, email: string): Promise<string[]> {
  const outbox = join(service.config.DATA_DIR, 'outbox')
  const names = (await readdir(outbox).catch(() => [])).filter(name => name.endsWith('.eml')).sort()
  const mails = await Promise.all(names.map(name => readFile(join(outbox, name), 'utf8')))
  return mails.filter(mail => mail.includes(`To: ${email}`))
}

/** The secret in the link of an invitation. */
export function invitationIn(mail: string): string {
  return /invitation=(mqin_\w+)/.exec(mail.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '='))![1]!
}

/** A signed-in person with this role at a customer; `call` names the customer. */
export async function visitAsMember(
  service: TestService,
  customer: TestPair & { cuid: number },
  role: string,
  more: object = {},
) {
  const email = `${role}-${customer.cuid}@people.example`
  const body = { email, role, ...more }
  await service.call('POST', `/customer/${customer.cuid}/member`, { as: customer, body })
  const visitor = visit(service)
  await visitor.signIn({ invitation: invitationIn((await mailsTo(service, email))[0]!) })
  const call = (method: string, path: string, body?: object) =>
    visitor.call(method, `${path}?cuid=${customer.cuid}`, { body })
  return { email, call }
}

export function eventually<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  return until(async () => (await look()) || null)
}

/** Requests a passcode on the sign-in page; returns what is needed to sign in. */
export async function passcodeFor(service: TestService, email: string) {
  const codes = async () => (await mailsTo(service, email)).filter(mail => mail.includes('passcode is:'))
  const before = (await codes()).length
  const asked = await visit(service).call('POST', '/console/api/passcode', { body: { email } })
  const mail = await eventually(async () => (await codes())[before])
  const request: string = asked.body.request
  // The code is stored after the email was sent.
  await eventually(() =>
    service.db.row('select 1 from passcode where request_hash = $1', [hash('sha256', request, 'buffer')]),
  )
  return { passcode: /Your passcode is: (\d{6})/.exec(mail)![1]!, request }
}
