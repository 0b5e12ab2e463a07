// Tests sso, passcode, auth and auth/nopasscode (sections 4, 5 and 7 of the specification) with a real SMTP server.

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Inbox, readMail, startInbox } from '../../../test/support/inbox.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { createApp } from '../../identity/apps.ts'

let inbox: Inbox
let service: TestService
beforeAll(async () => {
  inbox = await startInbox()
  service = await startTestService({ SMTP_URL: inbox.url, MAIL_FROM: 'Ads <ads@shop.example>' })
})
afterAll(async () => {
  await service.close()
  await inbox.close()
})

function codeIn(mail: { raw: string }): string {
  return /Your passcode is: (\d{6})/.exec(mail.raw)![1]!
}

async function mailedCode(email: string): Promise<string> {
  const answer = await service.call('GET', `/customer/${encodeURIComponent(email)}/passcode`)
  expect(answer.status).toBe(200)
  return codeIn(inbox.mails.filter(mail => mail.to === email).at(-1)!)
}

const authUrl = (email: string, passcode: string) => `/customer/${email}/auth?passcode=${passcode}`
const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('GET /customer/:email/passcode', () => {
  it('e-mails a passcode as text and HTML and says so', async () => {
    const { email } = await service.newCustomer({ name: 'Ann <b>' })
    const answer = await service.call('GET', `/customer/${email}/passcode`)
    expect([answer.status, answer.body]).toEqual([200, { message: `A passcode was emailed to ${email}.` }])
    const mail = inbox.mails.at(-1)!
    expect(mail.to).toBe(email)
    expect(mail.raw).toContain('From: Ads <ads@shop.example>')
    expect(mail.raw).toContain('multipart/alternative')
    expect(answer.text).not.toContain(codeIn(mail))
  })

  it('e-mails it in the language of the customer', async () => {
    const { email } = await service.newCustomer({ language: 'de' })
    await service.call('GET', `/customer/${email}/passcode`)
    const { subject, text, html } = readMail(inbox.mails.at(-1)!.raw)
    const code = /^(\d{6}) ist Ihr Code$/.exec(subject)![1]
    expect(text).toContain(`Ihr Anmeldecode lautet: ${code}`)
    expect(text).toContain('Er ist 10 Minuten gültig und kann einmal verwendet werden.')
    expect(html).toContain('<html lang="de">')
    expect(text + html).not.toMatch(/passcode|Hello/)
  })

  it('e-mails nothing that a customer wrote', async () => {
    const { email } = await service.newCustomer({ name: 'WRITTEN-name', company: 'WRITTEN-company' })
    await service.call('GET', `/customer/${email}/passcode`)
    expect(inbox.mails.at(-1)!.raw).not.toContain('WRITTEN')
  })

  it('answers 404 for an address that no customer has', async () => {
    expect((await service.call('GET', '/customer/nobody@a.example/passcode')).status).toBe(404)
  })

  it('answers 401 for a customer whose API access is off', async () => {
    const { cuid, email } = await service.newCustomer()
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: false } })
    const answer = await service.call('GET', `/customer/${email}/passcode`)
    expect([answer.status, answer.body.code]).toEqual([401, 'api_access_off'])
  })

  it('answers 500 with a message when the mail cannot be sent, and leaves no passcode', async () => {
    const { email } = await service.newCustomer()
    inbox.refuse = true
    const answer = await service.call('GET', `/customer/${email}/passcode`)
    inbox.refuse = false
    expect([answer.status, answer.body.code]).toEqual([500, 'mail_failed'])
    expect(answer.body.message).toBe('the passcode could not be e-mailed')
    expect((await service.call('GET', authUrl(email, '000000'))).status).toBe(401)
  })

  it('sends at most 5 mails per hour to one address, even when 20 are requested at once', async () => {
    const { email } = await service.newCustomer()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call('GET', `/customer/${email}/passcode`)),
    )
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(5)
    const refused = answers.find(answer => answer.status === 429)!
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3500)
    expect(inbox.mails.filter(mail => mail.to === email)).toHaveLength(5)
    service.clock.advance(3_601_000)
    expect((await service.call('GET', `/customer/${email}/passcode`)).status).toBe(200)
  })

  it('does nothing on HEAD', async () => {
    const { email } = await service.newCustomer()
    const answer = await service.call('HEAD', `/customer/${email}/passcode`)
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET'])
    expect(inbox.mails.some(mail => mail.to === email)).toBe(false)
  })
})

describe('GET /customer/:identifier/auth', () => {
  it('by cuid: answers cuid, key and token that work for that customer', async () => {
    const customer = await service.newCustomer()
    const { status, body } = await service.call('GET', `/customer/${customer.cuid}/auth`)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['cuid', 'expires', 'key', 'token'])
    expect((await service.call('GET', `/customer/${customer.cuid}`, { as: body })).status).toBe(200)
    expect((await service.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(200)
  })

  it('by e-mail with the mailed passcode, whatever the case of the address', async () => {
    const { cuid, email } = await service.newCustomer()
    const code = await mailedCode(email)
    const { status, body } = await service.call('GET', authUrl(email.toUpperCase(), code))
    expect([status, body.cuid]).toEqual([200, cuid])
    expect((await service.call('GET', `/customer/${cuid}`, { as: body })).status).toBe(200)
  })

  it('by e-mail without a passcode: 400', async () => {
    const { email } = await service.newCustomer()
    const answer = await service.call('GET', `/customer/${email}/auth`)
    expect([answer.status, answer.body.code]).toEqual([400, 'missing_passcode'])
    expect(answer.body.errors[0].path).toBe('?passcode')
  })

  it('a passcode works once', async () => {
    const { email } = await service.newCustomer()
    const code = await mailedCode(email)
    expect((await service.call('GET', authUrl(email, code))).status).toBe(200)
    const again = await service.call('GET', authUrl(email, code))
    expect([again.status, again.body.code]).toEqual([401, 'passcode_invalid'])
  })

  it('a passcode works once, even if 10 requests use it at once', async () => {
    const { email } = await service.newCustomer()
    const code = await mailedCode(email)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.call('GET', authUrl(email, code))),
    )
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
  })

  it('a passcode expires after 10 minutes', async () => {
    const { email } = await service.newCustomer()
    const code = await mailedCode(email)
    service.clock.advance(10 * 60_000)
    expect((await service.call('GET', authUrl(email, code))).status).toBe(401)
  })

  it('a new passcode voids the old one', async () => {
    const { email } = await service.newCustomer()
    const first = await mailedCode(email)
    const second = await mailedCode(email)
    if (first !== second) expect((await service.call('GET', authUrl(email, first))).status).toBe(401)
    expect((await service.call('GET', authUrl(email, second))).status).toBe(200)
  })

  it('a passcode is void after 5 wrong tries', async () => {
    const { email } = await service.newCustomer()
    const code = await mailedCode(email)
    for (let i = 0; i < 5; i++) {
      expect((await service.call('GET', authUrl(email, wrongCode(code)))).status).toBe(401)
    }
    expect((await service.call('GET', authUrl(email, code))).status).toBe(401)
  })

  it('at most 5 of 100 parallel guesses are checked', async () => {
    const { cuid, email } = await service.newCustomer()
    const code = await mailedCode(email)
    await Promise.all(Array.from({ length: 100 }, () => service.call('GET', authUrl(email, wrongCode(code)))))
    const row = await service.db.row<{ tries: number }>('select tries from passcode where cuid = $1', [cuid])
    expect(row!.tries).toBe(5)
    expect((await service.call('GET', authUrl(email, code))).status).toBe(401)
  })

  it.each(['12345', '', 'abcdef', '0000000', 'x'.repeat(5000)])(
    'refuses the passcode "%.10s" with 401',
    async code => {
      const { email } = await service.newCustomer()
      await mailedCode(email)
      expect((await service.call('GET', authUrl(email, code))).status).toBe(401)
    },
  )

  it.each(['999999999', 'nobody@a.example', 'neither', '0'])(
    'answers 404 for %s, which belongs to nobody',
    async who => {
      expect((await service.call('GET', `/customer/${who}/auth?passcode=1`)).status).toBe(404)
    },
  )

  it('answers 401 for a customer whose API access is off', async () => {
    const { cuid } = await service.newCustomer()
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: false } })
    expect((await service.call('GET', `/customer/${cuid}/auth`)).status).toBe(401)
  })
})

describe('GET /customer/:email/auth/nopasscode', () => {
  it('answers like auth by cuid, without a passcode', async () => {
    const { cuid, email } = await service.newCustomer()
    const { status, body } = await service.call('GET', `/customer/${email}/auth/nopasscode`)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['cuid', 'expires', 'key', 'token'])
    expect((await service.call('GET', `/customer/${cuid}`, { as: body })).status).toBe(200)
  })

  it('accepts only an e-mail', async () => {
    const { cuid } = await service.newCustomer()
    expect((await service.call('GET', `/customer/${cuid}/auth/nopasscode`)).status).toBe(404)
  })
})

describe('special provisioning', () => {
  it('an app without it is refused passcode and nopasscode with 401, but may auth by cuid', async () => {
    const { pair } = await createApp(service.db, { name: 'plain' }, service.clock)
    const { body: customer } = await service.call('POST', '/customer', {
      app: pair,
      body: { company: 'A', email: 'p@a.example' },
    })
    for (const call of ['passcode', 'auth/nopasscode']) {
      const answer = await service.call('GET', `/customer/p@a.example/${call}`, { app: pair })
      expect([answer.status, answer.body.code]).toEqual([401, 'not_provisioned'])
    }
    expect((await service.call('GET', `/customer/${customer.cuid}/auth`, { app: pair })).status).toBe(200)
  })
})

describe('GET /customer/:email/sso', () => {
  it('redirects with 302 to the console with a one-time ticket', async () => {
    const { email } = await service.newCustomer()
    const { status, headers } = await service.call('GET', `/customer/${email}/sso`)
    expect(status).toBe(302)
    const url = new URL(headers.location!)
    expect(url.origin + url.pathname).toBe('http://localhost:8080/console')
    expect(url.searchParams.get('ticket')).toMatch(/^mqti_\w{43}$/)
    expect(headers['cache-control']).toBe('no-store')
  })

  it('redirects to the platform of the app, which redeems the ticket once by POST', async () => {
    const platform = { name: 'white', platformUrl: 'https://ads.shop.example/in?theme=dark' }
    const { pair } = await createApp(service.db, platform, service.clock)
    const body = { company: 'Shop', email: 's@shop.example', name: 'Sam' }
    const { body: customer } = await service.call('POST', '/customer', { app: pair, body })
    const { headers } = await service.call('GET', '/customer/s@shop.example/sso', { app: pair })
    const url = new URL(headers.location!)
    expect(url.host + url.pathname).toBe('ads.shop.example/in')
    expect(url.searchParams.get('theme')).toBe('dark')
    const ticket = url.searchParams.get('ticket')!

    const foreign = await service.call('POST', '/sso/redeem', { body: { ticket } })
    expect([foreign.status, foreign.body.code]).toEqual([401, 'ticket_invalid'])
    const redeemed = await service.call('POST', '/sso/redeem', { app: pair, body: { ticket } })
    expect(redeemed.status).toBe(200)
    expect(redeemed.body).toEqual({
      cuid: customer.cuid,
      email: 's@shop.example',
      company: 'Shop',
      name: 'Sam',
    })
    expect((await service.call('POST', '/sso/redeem', { app: pair, body: { ticket } })).status).toBe(401)
  })

  it('a ticket expires after 60 s', async () => {
    const { email } = await service.newCustomer()
    const { headers } = await service.call('GET', `/customer/${email}/sso`)
    const ticket = new URL(headers.location!).searchParams.get('ticket')
    service.clock.advance(60_000)
    expect((await service.call('POST', '/sso/redeem', { body: { ticket } })).status).toBe(401)
  })

  it('answers 404 for an unknown e-mail and 401 for a customer whose API access is off', async () => {
    expect((await service.call('GET', '/customer/nobody@a.example/sso')).status).toBe(404)
    const { cuid, email } = await service.newCustomer()
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: false } })
    expect((await service.call('GET', `/customer/${email}/sso`)).status).toBe(401)
  })
})

describe('without SMTP_URL', () => {
  it('mails are written to the outbox, readable by the owner only', async () => {
    const other = await startTestService()
    const { email } = await other.newCustomer()
    expect((await other.call('GET', `/customer/${email}/passcode`)).status).toBe(200)
    const outbox = join(other.config.DATA_DIR, 'outbox')
    const [name] = await readdir(outbox)
    expect(name).toMatch(/\.eml$/)
    expect((await stat(join(outbox, name!))).mode & 0o777).toBe(0o600)
    const raw = await readFile(join(outbox, name!), 'utf8')
    expect(raw).toContain(`To: ${email}`)
    const code = codeIn({ raw })
    expect((await other.call('GET', authUrl(email, code))).status).toBe(200)
    expect(other.logLines.join('')).toContain('outbox')
    expect(other.logLines.join('')).not.toContain(code)
    await other.close()
  })
})
