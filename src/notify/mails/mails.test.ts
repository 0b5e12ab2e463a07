// Reports and alerts by email, on a real SMTP server: each is sent once, in the customer's language and days, with the
// figures of /stats. Customers that do not want them or may not use the service get none.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, picture, until } from '../../../test/support/banners.ts'
import { type Inbox, type ReadMail, readMail } from '../../../test/support/inbox.ts'
import type { TestService } from '../../../test/support/service.ts'
import { recordEvents, type TestEvent } from '../../../test/support/stats.ts'
import { startTwoMailers, type TwoMailers } from '../../../test/support/two-mailers.ts'
import { recordMail } from '../../changes/outbox.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import { WEEKDAYS } from '../../kernel/time/hours.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/time/units.ts'
import { offToken } from './links.ts'
import { type NewsParts, recordReports, recordStopped } from './news.ts'
import { leaseBatch } from './queries.ts'
import { LEASE_MS } from './sender.ts'
import { recordThresholds } from './thresholds.ts'

/** A Wednesday. */
const START_MS = Date.parse('2026-11-11T10:00:00Z')

let two: TwoMailers
let inbox: Inbox
let service: TestService
let beside: TwoMailers['beside']
beforeAll(async () => {
  two = await startTwoMailers(START_MS)
  inbox = two.inbox
  service = two.service
  beside = two.beside
})
afterAll(() => two?.close())

/** Looks as several processes at once, in addition to the two that are running. */
async function lookFromEverywhere(look: (parts: NewsParts) => Promise<void>): Promise<void> {
  const { clock } = service
  const parts = { clock, defaultCpmMicros: 2_000_000, calendar: calendarOf('UTC') }
  const dbs = [service.db, service.db, beside.db, beside.db]
  await Promise.all(dbs.map(db => look({ ...parts, db })))
}

/** Thresholds are compared every ten minutes. */
async function lookAtThresholds(): Promise<void> {
  service.clock.advance(10 * 60_000)
  await lookFromEverywhere(parts => recordThresholds({ ...parts, currency: 'USD' }))
}

const goTo = (time: string) => service.clock.advance(Date.parse(time) - service.clock.nowMs())
const to = (email: string) => inbox.mails.filter(mail => mail.to === email)
const mails = async (email: string, count: number): Promise<ReadMail[]> => {
  await until(async () => (to(email).length >= count ? true : null))
  return to(email).map(mail => readMail(mail.raw))
}
/** Waits until no email to this customer is due. */
async function settled(cuid: number): Promise<string[]> {
  return until(async () => {
    const rows = await service.db.rows<{ state: string; next_at: Date }>(
      'select state, next_at from mail where cuid = $1 order by mail_id',
      [cuid],
    )
    const due = (row: { state: string; next_at: Date }) =>
      row.state === 'waiting' && row.next_at.getTime() <= service.clock.nowMs()
    return rows.length > 0 && !rows.some(due) ? rows.map(row => row.state) : null
  })
}

interface Setting extends Advertiser {
  email: string
  /** Impressions at these times, each for a tenth of a currency unit. */
  shown(times: string[]): Promise<void>
  sold(time: string, valueMicros: number): Promise<void>
  choose(body: object): Promise<void>
}

let adNumber = 0
async function newSetting(name: string, fields: object = {}): Promise<Setting> {
  const email = `${name}@bikes.example`
  const own = await newAdvertiser(service, { email, company: 'WRITTEN-company', ...fields })
  const { body: flights } = await own.call('GET', `/campaign/${own.cid}/flight`)
  // The tests are not about this raise.
  await service.db.run(
    'insert into mail_choice (cuid, budget_raised) values ($1, null) on conflict (cuid) do update set budget_raised = null',
    [own.cuid],
  )
  await own.call('PUT', `/campaign/${own.cid}`, {
    name: 'WRITTEN <b>name</b>',
    dailySpend: 1000,
    cpm: 100,
    end: Math.floor(service.clock.nowMs() / 1000) + 90 * 86_400,
  })
  await service.db.run('delete from mail_choice where cuid = $1', [own.cuid])
  const ids = { cuid: own.cuid, cid: own.cid, pid: own.pid, fid: flights[0].fid as number, bid: 1 }
  return {
    ...own,
    email,
    async shown(times) {
      const events = times.map(
        (time): TestEvent => ({
          ...ids,
          kind: 'impression',
          atMs: Date.parse(time),
          adNumber: ++adNumber,
          spendMicros: 100_000,
        }),
      )
      await recordEvents(service.db, events)
    },
    sold: (time, valueMicros) =>
      recordEvents(service.db, [
        { ...ids, kind: 'action', atMs: Date.parse(time), adNumber: ++adNumber, valueMicros },
      ]),
    async choose(body) {
      const path = `/customer/${own.cuid}/mails`
      expect((await service.call('PUT', path, { as: own, body })).status).toBe(200)
    },
  }
}

const linkIn = (mail: ReadMail) => new URL(/<(.*)>/.exec(mail.headers['list-unsubscribe']!)![1]!)

describe('what a customer wants', () => {
  it('is alerts and the weekly report until it chooses; an edit changes only the supplied fields', async () => {
    const fresh = await service.call('POST', '/customer', {
      body: { email: 'fresh@bikes.example', company: 'Fresh', timezone: 'Asia/Tokyo' },
    })
    const { cuid } = fresh.body
    expect((await service.call('GET', `/customer/${cuid}/mails`)).body).toMatchObject({
      ...{ report: 'weekly', stopped: true, daySpent: false },
    })
    const dueAt = 'select report_at as at from mail_choice where cuid = $1'
    // Monday at seven in Tokyo.
    expect((await service.db.row<{ at: Date }>(dueAt, [cuid]))!.at).toEqual(new Date('2026-11-15T22:00:00Z'))
    const byId = await service.call('PUT', '/customer/by-external/fresh-2', {
      body: { email: 'fresh-2@bikes.example', company: 'Fresh' },
    })
    expect((await service.call('GET', `/customer/${byId.body.cuid}/mails`)).body.report).toBe('weekly')
    // Customers that were there before the weekly report was on by default.
    const own = await newSetting('chooser')
    const path = `/customer/${own.cuid}/mails`
    const alerts = {
      ...{
        bannerRejected: true,
        budgetSpent: true,
        daySpent: false,
        balance: true,
        proposals: true,
        stopped: true,
      },
      ...{ budgetRaised: 3, access: true, decisions: true },
      ...{ spendOver: null, balanceDays: null, paceBelow: null },
    }
    const first = { cuid: own.cuid, report: 'off', ...alerts }
    expect((await service.call('GET', path, { as: own })).body).toEqual(first)
    const edited = await service.call('PUT', path, { as: own, body: { report: 'daily', stopped: false } })
    expect(edited.body).toEqual({ ...first, report: 'daily', stopped: false })
    expect((await service.call('GET', path)).body).toEqual(edited.body)
    const odd = await service.call('PUT', path, { as: own, body: { report: 'hourly', budgetSpent: 1 } })
    expect(odd.body.errors.map((error: { path: string }) => error.path)).toEqual(['/report', '/budgetSpent'])
    await own.choose({ report: 'off' })
  })

  it('may be thresholds of its own, which are checked, and are off together by the link in their mail', async () => {
    const own = await newSetting('thresholds-checked')
    const path = `/customer/${own.cuid}/mails`
    const wrong = { spendOver: 0, balanceDays: 1.5, paceBelow: 101 }
    const refused = await service.call('PUT', path, { as: own, body: wrong })
    expect(refused.body.errors.map((error: { path: string }) => error.path)).toEqual([
      ...['/spendOver', '/balanceDays', '/paceBelow'],
    ])
    const set = { spendOver: 12.34, balanceDays: 5, paceBelow: 50 }
    await own.choose(set)
    expect((await service.call('GET', path)).body).toMatchObject(set)
    await own.choose({ balanceDays: null })
    expect((await service.call('GET', path)).body).toMatchObject({ ...set, balanceDays: null })
    const token = await offToken(service.db, { cuid: own.cuid, kind: 'threshold', mid: null })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const off = await service.api.fastify.inject({
      ...{ method: 'POST', url: `/mails/${token}`, headers, payload: 'x=1' },
    })
    expect(off.statusCode).toBe(200)
    expect((await service.call('GET', path)).body).toMatchObject({ spendOver: null, paceBelow: null })
  })
})

describe('reports', () => {
  it('for a week come once, on Monday morning, in the customer’s language and days, with the figures of /stats', async () => {
    const own = await newSetting('tokyo', { language: 'de', timezone: 'Asia/Tokyo' })
    await own.choose({ report: 'weekly' })
    // In UTC, the week in Tokyo lasts from Sunday 15:00 to Sunday 15:00.
    await own.shown(['2026-11-08T14:59:00Z', '2026-11-08T15:00:00Z', '2026-11-15T14:59:00Z'])
    await own.shown(['2026-11-15T15:00:00Z'])
    await own.sold('2026-11-15T14:59:00Z', 49_900_000)
    goTo('2026-11-15T21:59:00Z')
    await lookFromEverywhere(recordReports)
    expect(to(own.email)).toEqual([])
    goTo('2026-11-15T22:00:00Z')
    await lookFromEverywhere(recordReports)
    const [mail] = await mails(own.email, 1)
    await lookFromEverywhere(recordReports)
    expect(await settled(own.cuid)).toEqual(['sent'])
    expect(to(own.email)).toHaveLength(1)

    const [start, end] = [
      Date.parse('2026-11-08T15:00:00Z') / 1000,
      Date.parse('2026-11-15T15:00:00Z') / 1000,
    ]
    const { body } = await own.call('GET', `/stats/${own.cuid}/summary?start=${start}&end=${end}`)
    expect([body.imps, body.spend, body.value]).toEqual([2, 0.2, 49.9])
    expect(mail!.subject).toBe('Ihre Zahlen für die Woche vom 9.–15. November 2026')
    expect(mail!.text).toContain('Impressionen: 2, Vorwoche: 1')
    expect(mail!.text).toMatch(/Klickrate: 0\s%, Vorwoche: 0\s%/)
    expect(mail!.text).toContain('Conversion-Rate: –, Vorwoche: –')
    expect(mail!.text).toMatch(/Ausgaben: 0,20\s\$, Vorwoche: 0,10\s\$/)
    expect(mail!.text).toMatch(
      new RegExp(
        `Kampagne ${own.cid}: Impressionen: 2, Klicks: 0, Aktionen: 1, Ausgaben: 0,20\\s\\$, Wert der Aktionen: 49,90`,
      ),
    )
    expect(mail!.text).toMatch(/Wert der Aktionen: 49,90\s\$, Vorwoche: 0,00\s\$/)
    expect(mail!.text).toContain('Zeitzone: Asia/Tokyo')
    expect(mail!.html).toContain('<html lang="de">')
    expect(mail!.text + mail!.html + mail!.subject).not.toContain('WRITTEN')
    expect(mail!.headers['message-id']).toMatch(/^<mail\.\d+\.\w+@localhost>$/)
  })

  it('for a day come each morning; if days were missed, only the last is sent', async () => {
    const own = await newSetting('daily')
    await own.choose({ report: 'daily' })
    for (const day of ['2026-11-17T07:00:00Z', '2026-11-18T07:00:00Z', '2026-11-21T09:00:00Z']) {
      goTo(day)
      await lookFromEverywhere(recordReports)
      await settled(own.cuid)
    }
    const daily = await mails(own.email, 3)
    expect(daily.map(mail => mail.subject)).toEqual([
      'Your figures for November 16, 2026',
      'Your figures for November 17, 2026',
      'Your figures for November 20, 2026',
    ])
    // Without impressions there is no click rate.
    expect(daily[0]!.text).toContain('Click-through rate: –, Previous day: –')
    await own.choose({ report: 'off' })
  })

  it('for a week say the three things to do first, by the money that they keep, with a link to each', async () => {
    const own = await newSetting('todo')
    await own.choose({ report: 'weekly' })
    const start = Math.floor(service.clock.nowMs() / 1000)
    const add = async (name: string, dailySpend: number) => {
      const body = { name, dailySpend, start, end: start + 30 * 86_400 }
      return (await own.call('POST', '/campaign', body)).body.cid as number
    }
    const [small, large, smaller] = [await add('Small', 20), await add('Large', 50), await add('Smaller', 10)]
    goTo('2026-11-23T07:00:00Z')
    await lookFromEverywhere(recordReports)
    const [mail] = await mails(own.email, 1)
    const [, ...said] = mail!.text.split('What to do first')[1]!.split('\n').filter(Boolean)
    const pages = said
      .filter(line => line.includes('/campaigns/'))
      .map(line => new URL(/http\S+/.exec(line)![0]).pathname)
    expect(pages).toEqual(
      [`${own.cid}/personas/${own.pid}`, large, small].map(path => `/console/campaigns/${path}`),
    )
    expect(mail!.text).toContain(`Campaign ${own.cid} has a persona without a banner. Upload one.`)
    expect(mail!.text).toContain('Campaign “Large” has no persona: nobody is meant to see it. Add one.')
    expect(mail!.text).not.toContain(`/campaigns/${smaller}`)
    await own.choose({ report: 'off' })
  })

  it('for a week go to every owner, and are not sent if there is nothing to say', async () => {
    const own = await newSetting('weekly-owners')
    const people = `/customer/${own.cuid}/member`
    const second = 'weekly-second@bikes.example'
    const body = { email: second, role: 'owner' }
    const { mid } = (await service.call('POST', people, { as: own, body })).body
    await service.db.run('update member set joined_at = created_at where mid = $1', [mid])
    await own.call('DELETE', `/campaign/${own.cid}`)
    await own.choose({ report: 'weekly' })
    const monday = () => {
      const days = (8 - new Date(service.clock.nowMs()).getUTCDay()) % 7 || 7
      const date = new Date(service.clock.nowMs() + days * DAY_MS).toISOString().slice(0, 10)
      return `${date}T07:00:00Z`
    }
    const stateOfReports = () =>
      service.db.rows<{ state: string }>(`select state from mail where cuid = $1 and kind = 'report'`, [
        own.cuid,
      ])
    goTo(monday())
    await lookFromEverywhere(recordReports)
    await settled(own.cuid)
    expect((await stateOfReports()).map(({ state }) => state)).toEqual(['dropped', 'dropped'])
    await own.shown([new Date(service.clock.nowMs()).toISOString()])
    goTo(monday())
    await lookFromEverywhere(recordReports)
    const reportsTo = (email: string) =>
      to(email).filter(({ raw }) => readMail(raw).subject.startsWith('Your figures'))
    await until(async () => (reportsTo(own.email).length > 0 && reportsTo(second).length > 0 ? true : null))
    await settled(own.cuid)
    expect([reportsTo(own.email).length, reportsTo(second).length]).toEqual([1, 1])
    await own.choose({ report: 'off' })
  })
})

describe('the link in an email', () => {
  it('asks first, and unsubscribes only when a person or a mail program confirms; a forged link does nothing', async () => {
    const own = await newSetting('leaver', { language: 'de' })
    await own.choose({ report: 'daily' })
    goTo(new Date(service.clock.nowMs() + DAY_MS).toISOString())
    await lookFromEverywhere(recordReports)
    const [mail] = await mails(own.email, 1)
    expect(mail!.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
    const { pathname, href } = linkIn(mail!)
    expect(mail!.text).toContain(href)
    const report = async () => (await service.call('GET', `/customer/${own.cuid}/mails`)).body.report
    const opened = await service.call('GET', pathname, { as: null })
    expect([opened.status, opened.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(opened.text).toContain('Berichte abbestellen?')
    expect(await report()).toBe('daily')

    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = 'List-Unsubscribe=One-Click'
    const post = (url: string) => service.api.fastify.inject({ method: 'POST', url, headers, payload })
    for (const forged of [
      pathname.replace(/.$/, '!'),
      pathname.replace('report', 'stopped'),
      '/mails/1.report.x',
    ]) {
      expect((await post(forged)).statusCode).toBe(404)
    }
    expect(await report()).toBe('daily')
    const off = await post(pathname)
    expect([off.statusCode, await report()]).toEqual([200, 'off'])
    expect(off.body).toContain('Sie erhalten keine Berichte mehr.')
    expect((await post(pathname)).statusCode).toBe(200)
    expect((await service.call('GET', `/customer/${own.cuid}/mails`)).body).toMatchObject({ stopped: true })
  })
})

describe('alerts', () => {
  // A test that fails while the server refuses must not fail the next ones.
  afterEach(() => {
    inbox.refuse = false
  })

  async function rejectTwo(own: Setting): Promise<number[]> {
    const upload = await own.call('POST', '/creative', await picture(123, 45), {
      'content-type': 'image/png',
    })
    const bids: number[] = []
    for (const name of ['WRITTEN-one', 'WRITTEN-two']) {
      const { bid } = await own.banner({ name, creativeURL: upload.body.creativeURL })
      expect((await own.reviewed(bid)).status).toBe('rejected')
      bids.push(bid)
    }
    service.clock.advance(2 * 60_000)
    return bids
  }

  it('for banners rejected within minutes come in one email, once, and are retried if the mail server was down', async () => {
    const own = await newSetting('rejected')
    inbox.refuse = true
    const bids = await rejectTwo(own)
    expect(await settled(own.cuid)).toEqual(['waiting', 'waiting'])
    // However late the next attempt, the log does not claim that the trouble is over.
    const isOver = () => two.said().includes('reports and alerts are sent again')
    expect(two.said()).toContain('could not send reports and alerts by email; retrying')
    await sleep(11_000)
    expect(isOver()).toBe(false)
    inbox.refuse = false
    service.clock.advance(60_000)
    const [mail] = await mails(own.email, 1)
    await until(async () => isOver() || null)
    expect(await settled(own.cuid)).toEqual(['sent', 'sent'])
    expect(to(own.email)).toHaveLength(1)
    expect(mail!.subject).toBe('2 banners were rejected')
    for (const bid of bids) {
      expect(mail!.text).toContain(`Banner ${bid} in campaign ${own.cid} was rejected`)
      expect(mail!.text).toContain(
        `http://localhost:8080/console/campaigns/${own.cid}/personas/${own.pid}/banners/${bid}`,
      )
    }
    expect(mail!.text + mail!.html).not.toContain('WRITTEN')
  })

  it('are not sent to customers that switched them off, have no access or are deleted by then', async () => {
    const off = await newSetting('off')
    await off.choose({ bannerRejected: false })
    await rejectTwo(off)
    const barred = await newSetting('barred')
    const gone = await newSetting('gone')
    const late = await newSetting('late')
    inbox.refuse = true
    for (const own of [barred, gone, late]) await rejectTwo(own)
    for (const own of [barred, gone, late]) await settled(own.cuid)
    await service.call('PUT', `/customer/${barred.cuid}`, { body: { apiAccess: false } })
    await service.call('DELETE', `/customer/${gone.cuid}`)
    await late.choose({ bannerRejected: false })
    inbox.refuse = false
    service.clock.advance(30 * 60_000)
    for (const own of [barred, gone, late]) {
      expect(await settled(own.cuid)).toEqual(['dropped', 'dropped'])
      expect(to(own.email)).toEqual([])
    }
    expect(await service.db.rows('select 1 from mail where cuid = $1', [off.cuid])).toEqual([])
  })

  it("beyond a customer's daily limit wait for the next day, in one email", async () => {
    const own = await newSetting('many')
    const day = calendarOf('UTC').dayAt(service.clock.nowMs()).key
    await service.db.run('insert into mail_day (cuid, day, mails) values ($1, $2, 20)', [own.cuid, day])
    await rejectTwo(own)
    expect(await settled(own.cuid)).toEqual(['waiting', 'waiting'])
    expect(to(own.email)).toEqual([])
    service.clock.advance(DAY_MS)
    const [mail] = await mails(own.email, 1)
    expect(mail!.subject).toBe('2 banners were rejected')
    expect(await settled(own.cuid)).toEqual(['sent', 'sent'])
  })

  it('of a process that died are sent by another, and an email of unknown outcome is sent again unchanged', async () => {
    const own = await newSetting('died')
    const nowMs = service.clock.nowMs()
    const later = new Date(nowMs + HOUR_MS)
    const news = { at: new Date(nowMs), cuid: own.cuid, kind: 'budgetSpent', notBefore: later } as const
    for (const day of [20_261_101, 20_261_102]) {
      await recordMail(service.db, { ...news, about: `1 ${day}`, facts: { cid: 1, day, budget: 5 } })
      await recordMail(service.db, { ...news, about: `1 ${day}`, facts: { cid: 1, day, budget: 5 } })
    }
    const leased = await leaseBatch(service.db, randomUUID(), later, new Date(later.getTime() + LEASE_MS))
    expect(leased).toHaveLength(2)
    service.clock.advance(HOUR_MS + LEASE_MS)
    await mails(own.email, 1)
    expect(await settled(own.cuid)).toEqual(['sent', 'sent'])
    await service.db.run(`update mail set state = 'waiting' where cuid = $1`, [own.cuid])
    const [first, second] = await mails(own.email, 2)
    expect(second!.headers['message-id']).toBe(first!.headers['message-id'])
    expect(second!.text).toBe(first!.text)
    expect(first!.subject).toBe('2 campaigns have spent their budgets')
  })

  it('about money and access go to every owner who has signed in and name the person; each can unsubscribe', async () => {
    const own = await newSetting('owners', { language: 'de' })
    const people = `/customer/${own.cuid}/member`
    const add = async (email: string, role: string) =>
      (await service.call('POST', people, { as: own, body: { email, role, name: 'http://WRITTEN.example' } }))
        .body.mid
    const second = 'second-owner@bikes.example'
    const mids = [await add(second, 'owner'), await add('some-manager@bikes.example', 'manager')]
    await add('stranger@bikes.example', 'owner')
    await service.db.run('update member set joined_at = created_at where mid = any($1::bigint[])', [mids])
    const read = (email: string) => to(email).map(mail => readMail(mail.raw))
    const RAISED = 'Ein Budget wurde stark erhöht'
    const about = (email: string, subject: string) => read(email).filter(mail => mail.subject === subject)
    const raisedTo = (email: string, count: number) =>
      until(async () => (about(email, RAISED).length >= count ? about(email, RAISED) : null))
    await settled(own.cuid)
    const key = { name: 'Nightly sync', scope: 'spend' }
    const pair = (await service.call('POST', `/customer/${own.cuid}/credential`, { as: own, body: key })).body
    const raise = async (dailySpend: number) => {
      const body = { dailySpend }
      const put = await service.call('PUT', `/campaign/${own.cid}?cuid=${own.cuid}`, { as: pair, body })
      expect(put.status).toBe(200)
    }
    await raise(5000)
    const [raised] = await raisedTo(second, 1)
    expect(raised!.text).toMatch(
      /Tagesbudget von Kampagne \d+ wurde von 1\.000,00\s\$ auf 5\.000,00\s\$ erhöht\./,
    )
    expect(raised!.text).toContain('Durch den Schlüssel „Nightly sync“.')
    await settled(own.cuid)
    const [made] = about(second, 'Für Ihr Konto wurde ein Schlüssel erstellt')
    expect(made!.text).toContain(`Der Schlüssel ${pair.key.slice(0, 12)}… (Ausgeben) wurde erstellt.`)
    expect(made!.text).toContain('/console/account?tab=keys')
    const texts = read(own.email)
      .map(mail => mail.text)
      .join()
    expect(texts).toContain(`${second} arbeitet jetzt mit der Rolle Inhaber an Ihrem Konto mit.`)
    expect(texts).not.toContain('WRITTEN')

    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const link = linkIn(raised!).pathname
    const off = await service.api.fastify.inject({ method: 'POST', url: link, headers, payload: 'x=1' })
    expect(off.statusCode).toBe(200)
    await raise(50_000)
    await raisedTo(own.email, 2)
    await settled(own.cuid)
    expect(about(second, RAISED)).toHaveLength(1)
    expect((await service.call('GET', `/customer/${own.cuid}/mails`)).body.budgetRaised).toBe(3)
    // After switching it off and on again, all owners get it again.
    await own.choose({ budgetRaised: null })
    await own.choose({ budgetRaised: 2 })
    await raise(500_000)
    await raisedTo(second, 2)
    await settled(own.cuid)
    for (const email of ['stranger@bikes.example', 'some-manager@bikes.example'])
      expect(to(email).map(mail => readMail(mail.raw).subject)).toEqual(['Einladung zu Marquee'])
  })

  it('for a spent day’s budget, which is the normal case, come only if wanted, once per day', async () => {
    const own = await newSetting('spender', { language: 'de' })
    const other = await newSetting('indifferent')
    await own.choose({ daySpent: true })
    await own.call('PUT', `/campaign/${own.cid}`, { dailySpend: 0.1, name: 'Sommer 2026' })
    await other.call('PUT', `/campaign/${other.cid}`, { dailySpend: 0.1 })
    await other.shown([new Date(service.clock.nowMs()).toISOString()])
    await own.shown([new Date(service.clock.nowMs()).toISOString()])
    await until(async () => service.db.row('select 1 from mail where cuid = $1', [own.cuid]))
    service.clock.advance(60_000)
    const [mail] = await mails(own.email, 1)
    expect(mail!.subject).toBe('Eine Kampagne hat ihr Tagesbudget aufgebraucht')
    expect(mail!.text).toMatch(/Kampagne „Sommer 2026“ hat ihr Budget von 0,10\s\$ für den/)
    expect(await settled(own.cuid)).toEqual(['sent'])
    const seen = 'select spent_day is not null as seen from campaign_watch where cid = $1'
    await until(async () => (await service.db.row<{ seen: boolean }>(seen, [other.cid]))?.seen)
    expect(await service.db.rows('select 1 from mail where cuid = $1', [other.cuid])).toEqual([])
  })

  it('by thresholds of its own: a day that costs more is told once, for each amount', async () => {
    const own = await newSetting('over')
    await own.choose({ spendOver: 0.15 })
    await own.shown([new Date(service.clock.nowMs()).toISOString()])
    await lookAtThresholds()
    expect(await service.db.rows('select 1 from mail where cuid = $1', [own.cuid])).toEqual([])
    await own.shown([new Date(service.clock.nowMs()).toISOString()])
    await lookAtThresholds()
    const [mail] = await mails(own.email, 1)
    expect(mail!.subject).toBe('Your campaigns have passed your limit for a day')
    expect(mail!.text).toMatch(/have spent \$0\.20 on .*, more than \$0\.15\./)
    await lookAtThresholds()
    expect(await settled(own.cuid)).toEqual(['sent'])
    await own.choose({ spendOver: 0.18 })
    await lookAtThresholds()
    await mails(own.email, 2)
    await own.choose({ spendOver: null })
  })

  it('by thresholds of its own: a balance that lasts for few days is told once for each credit', async () => {
    const own = await newSetting('lasting', { prepaid: true })
    const credit = (reference: string) =>
      service.call('POST', `/customer/${own.cuid}/credit`, { body: { amount: 1, reference } })
    expect((await credit('a')).status).toBe(201)
    await own.choose({ balanceDays: 8 })
    // Seven days of ten cents: the balance lasts for ten.
    const before = (days: number) => new Date(service.clock.nowMs() - days * DAY_MS).toISOString()
    await own.shown([1, 2, 3, 4, 5, 6, 7].map(before))
    await lookAtThresholds()
    expect(
      await service.db.rows(`select 1 from mail where cuid = $1 and kind = 'threshold'`, [own.cuid]),
    ).toEqual([])
    await own.shown([1, 2, 3, 4, 5, 6, 7].map(before))
    await lookAtThresholds()
    await lookAtThresholds()
    const [mail] = await mails(own.email, 1)
    expect(mail!.subject).toBe('Your balance will not last long')
    expect(mail!.text).toContain('Your balance of $1.00 lasts for about 5 days.')
    expect(await settled(own.cuid)).toEqual(['sent'])
    await own.choose({ balanceDays: null })
  })

  it('by thresholds of its own: a campaign that spent too little of a whole day is told in the morning', async () => {
    const own = await newSetting('behind', { language: 'de' })
    await own.call('PUT', `/campaign/${own.cid}`, { dailySpend: 1, name: 'Herbst' })
    await own.choose({ paceBelow: 50 })
    const upload = await own.call('POST', '/creative', await picture(300, 250), {
      'content-type': 'image/png',
    })
    const { bid } = await own.banner({ creativeURL: upload.body.creativeURL })
    await own.reviewed(bid)
    const day = (n: number) => new Date(service.clock.nowMs() + n * DAY_MS).toISOString().slice(0, 10)
    const [first, second, third] = [day(1), day(2), day(3)]
    // It was changed on the day before, so that one is not judged.
    goTo(`${first}T08:00:00Z`)
    await lookAtThresholds()
    expect(
      await service.db.rows(`select 1 from mail where cuid = $1 and kind = 'threshold'`, [own.cuid]),
    ).toEqual([])
    goTo(`${second}T06:40:00Z`)
    await lookAtThresholds()
    expect(
      await service.db.rows(`select 1 from mail where cuid = $1 and kind = 'threshold'`, [own.cuid]),
    ).toEqual([])
    goTo(`${second}T07:10:00Z`)
    await lookAtThresholds()
    await lookAtThresholds()
    const mailsOfPace = () =>
      to(own.email)
        .map(({ raw }) => readMail(raw))
        .filter(({ subject }) => /ausgegeben/.test(subject))
    await until(async () => (mailsOfPace().length > 0 ? true : null))
    expect(mailsOfPace()[0]!.text).toMatch(
      /Kampagne „Herbst“ hat am .* von ihrem Tagesbudget von 1,00\s\$ nur 0,00\s\$ ausgegeben\./,
    )
    // Its pages are not told again for a day that was spent.
    await service.db.run(
      `insert into share (day, cid, node_id, granted_micros, billed_micros) values ($2, $1, 0, 1000000, 600000)`,
      [own.cid, Number(second.replaceAll('-', ''))],
    )
    goTo(`${third}T08:00:00Z`)
    await lookAtThresholds()
    await settled(own.cuid)
    expect(mailsOfPace()).toHaveLength(1)
    await own.choose({ paceBelow: null })
  })

  it('for a campaign that stopped delivering wait until its hours have been open for long enough', async () => {
    const own = await newSetting('hours')
    const upload = await own.call('POST', '/creative', await picture(300, 250), {
      'content-type': 'image/png',
    })
    const { bid } = await own.banner({ creativeURL: upload.body.creativeURL })
    expect((await own.reviewed(bid)).status).toBe('approved')
    const nowMs = service.clock.nowMs()
    const closed = new Date(nowMs + HOUR_MS).getUTCHours()
    const open = Array.from({ length: 24 }, (_, hour) => hour).filter(hour => hour !== closed)
    const hours = Object.fromEntries(WEEKDAYS.map(day => [day, open]))
    expect((await own.call('PUT', `/campaign/${own.cid}`, { hours })).status).toBe(200)
    await until(async () =>
      service.db.row(`select 1 from campaign_watch where cid = $1 and phase = 'begun'`, [own.cid]),
    )
    await own.shown(Array.from({ length: 12 }, () => new Date(nowMs).toISOString()))
    service.clock.advance(4 * HOUR_MS)
    await lookFromEverywhere(recordStopped)
    expect(await service.db.rows('select 1 from mail where cuid = $1', [own.cuid])).toEqual([])
    service.clock.advance(HOUR_MS)
    await lookFromEverywhere(recordStopped)
    await mails(own.email, 1)
  })

  it('for a campaign that stopped delivering come once for each time it stops', async () => {
    const own = await newSetting('stopped')
    const upload = await own.call('POST', '/creative', await picture(300, 250), {
      'content-type': 'image/png',
    })
    const { bid } = await own.banner({ creativeURL: upload.body.creativeURL })
    expect((await own.reviewed(bid)).status).toBe('approved')
    await until(async () =>
      service.db.row(`select 1 from campaign_watch where cid = $1 and phase = 'begun'`, [own.cid]),
    )
    const deliver = async () => {
      const time = new Date(service.clock.nowMs()).toISOString()
      await own.shown(Array.from({ length: 12 }, () => time))
    }
    await deliver()
    service.clock.advance(2 * HOUR_MS)
    await lookFromEverywhere(recordStopped)
    expect(await service.db.rows('select 1 from mail where cuid = $1', [own.cuid])).toEqual([])
    service.clock.advance(2 * HOUR_MS)
    await lookFromEverywhere(recordStopped)
    await lookFromEverywhere(recordStopped)
    const [mail] = await mails(own.email, 1)
    expect(mail!.subject).toBe('A campaign has stopped delivering')
    expect(mail!.text).toMatch(
      new RegExp(`Campaign ${own.cid} is running but has delivered nothing since .*\\(UTC\\)`),
    )
    await deliver()
    service.clock.advance(4 * HOUR_MS)
    await lookFromEverywhere(recordStopped)
    await mails(own.email, 2)
    expect(await settled(own.cuid)).toEqual(['sent', 'sent'])

    // The customer paused it and therefore knows.
    await deliver()
    await own.call('PUT', `/campaign/${own.cid}/pause`)
    service.clock.advance(4 * HOUR_MS)
    await lookFromEverywhere(recordStopped)
    expect(await settled(own.cuid)).toEqual(['sent', 'sent'])
  })
})
