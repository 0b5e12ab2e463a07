// Saved views through the API: what is shown under a name, checked and limited; and by email on a real SMTP server,
// once for each reader and due time, however many processes look.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { invitationIn, visit } from '../../../test/support/console.ts'
import { type Inbox, type ReadMail, readMail } from '../../../test/support/inbox.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { recordEvents } from '../../../test/support/stats.ts'
import { startTwoMailers, type TwoMailers } from '../../../test/support/two-mailers.ts'
import { recordSavedViews } from '../../notify/mails/saved-views.ts'
import { MAX_SAVED_VIEWS } from './contract.ts'

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

const BY_SITE = { name: 'Spend by site', range: '28d', dimension: 'domain' }
const save = (who: TestCustomer, fields: object = {}) =>
  who.call('POST', '/saved-view', { ...BY_SITE, ...fields })

describe('a saved view', () => {
  it('is saved, read, changed and removed', async () => {
    const ann = await newTestCustomer(service)
    const made = await save(ann, { q: 'news', spendFrom: 1.5, figure: 'clicks', interval: 'week' })
    expect(made.status, made.text).toBe(201)
    const { vid } = made.body
    const kept = { q: 'news', spendFrom: 1.5, spendTo: null, figure: 'clicks', interval: 'week' }
    expect(made.body).toMatchObject({ ...BY_SITE, ...kept, cid: null, every: 'off', mailTo: [] })
    expect((await ann.call('GET', '/saved-view')).body).toEqual([made.body])
    const etag = (await ann.call('GET', `/saved-view/${vid}`)).headers.etag!
    const days = { firstDay: '2026-11-01', lastDay: '2026-11-30' }
    const fixed = await ann.call('PUT', `/saved-view/${vid}`, days, { 'if-match': etag })
    expect(fixed.body).toMatchObject({ ...kept, ...days, range: null })
    expect((await ann.call('PUT', `/saved-view/${vid}`, fixed.body)).body).toEqual(fixed.body)
    const moving = await ann.call('PUT', `/saved-view/${vid}`, { range: '7d', name: 'A week' })
    expect(moving.body).toMatchObject({ range: '7d', firstDay: null, lastDay: null, name: 'A week' })
    expect((await ann.call('PUT', `/saved-view/${vid}`, days, { 'if-match': etag })).status).toBe(412)
    expect((await ann.call('DELETE', `/saved-view/${vid}`)).body).toEqual({ vid, deleted: true })
    expect((await ann.call('GET', `/saved-view/${vid}`)).status).toBe(404)
  })

  it.each([
    [{ range: null }, '/range', 'required'],
    [{ range: null, firstDay: '2026-11-01' }, '/lastDay', 'given_together'],
    [{ range: null, firstDay: '2026-11-02', lastDay: '2026-11-01' }, '/firstDay', 'start_after_end'],
    [{ range: 'ever' }, '/range', 'not_an_option'],
    [{ against: 'ever' }, '/against', 'not_an_option'],
    [{ dimension: 'weather' }, '/dimension', 'not_an_option'],
    [{ every: 'weekly' }, '/mailTo', 'required_with'],
    [{ every: 'weekly', mailTo: [999_999_999] }, '/mailTo/0', 'no_such_member'],
  ])('refuses %j', async (fields, path, code) => {
    const ann = await newTestCustomer(service)
    const refused = await save(ann, fields)
    expect(refused.status, refused.text).toBe(400)
    expect(refused.body.errors).toMatchObject([{ path, code }])
  })

  it('keeps what it is compared with: a way, or a day of its own', async () => {
    const ann = await newTestCustomer(service)
    const made = await save(ann)
    expect(made.body).toMatchObject({ against: 'before', againstDay: null })
    const { vid } = made.body
    const put = async (body: object) => (await ann.call('PUT', `/saved-view/${vid}`, body)).body
    expect(await put({ against: 'year' })).toMatchObject({ against: 'year', againstDay: null })
    const own = await put({ againstDay: '2026-03-01' })
    expect(own).toMatchObject({ against: 'before', againstDay: '2026-03-01' })
    expect(await put(own)).toEqual(own)
    expect(await put({ against: 'none' })).toMatchObject({ against: 'none', againstDay: null })
    // One that was saved before views could choose.
    await service.db.run(`update saved_view set shown = shown - 'against' - 'againstDay' where vid = $1`, [
      vid,
    ])
    expect((await ann.call('GET', `/saved-view/${vid}`)).body).toMatchObject({
      ...{ against: 'before', againstDay: null },
    })
  })

  it('null for an optional field is as if it was not given', async () => {
    const ann = await newTestCustomer(service)
    const made = await save(ann, { figure: null, every: null, mailTo: null })
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({ figure: 'spend', every: 'off', mailTo: [] })
  })

  it('is never emailed to a stranger: only members of its customer can be readers', async () => {
    const [ann, bob] = [await newTestCustomer(service), await newTestCustomer(service)]
    const members = await service.call('GET', `/customer/${bob.cuid}/member`, { as: bob })
    const refused = await save(ann, { every: 'daily', mailTo: [members.body[0].mid] })
    expect(refused.body.errors).toMatchObject([{ path: '/mailTo/0', code: 'no_such_member' }])
  })

  it('belongs to the customer or a campaign, and is hidden while the campaign is deleted', async () => {
    const [ann, bob] = [await newTestCustomer(service), await newTestCustomer(service)]
    const [mine, theirs] = [await ann.newCampaign(), await bob.newCampaign()]
    expect((await save(ann, { cid: theirs.cid })).status).toBe(404)
    const { vid } = (await save(ann, { cid: mine.cid })).body
    await ann.call('DELETE', `/campaign/${mine.cid}`)
    expect((await ann.call('GET', '/saved-view')).body).toEqual([])
    await ann.call('POST', `/campaign/${mine.cid}/restore`)
    expect((await ann.call('GET', '/saved-view')).body).toMatchObject([{ vid, cid: mine.cid }])
    const body = { scope: 'propose', cids: [mine.cid] }
    const made = await service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body })
    const limited = (method: string, path: string, body?: object) =>
      service.call(method, `${path}?cuid=${ann.cuid}`, { as: made.body as TestPair, body })
    await save(ann)
    expect((await limited('GET', '/saved-view')).body).toMatchObject([{ vid }])
    expect((await limited('POST', '/saved-view', BY_SITE)).body.code).toBe('campaign_not_allowed')
  })

  it('are limited per customer, however many are saved at once', async () => {
    const ann = await newTestCustomer(service)
    await service.db.run(
      `insert into saved_view (cuid, name, shown, created_at, updated_at)
       select $1, 'v' || n, '{}', now(), now() from generate_series(1, $2) n`,
      [ann.cuid, MAX_SAVED_VIEWS - 1],
    )
    const answers = await Promise.all([save(ann), save(ann), save(ann)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('by email', () => {
  const goTo = (time: string) => service.clock.advance(Date.parse(time) - service.clock.nowMs())
  /** Dates contain several kinds of spaces. */
  const read = (raw: string): ReadMail => {
    const mail = readMail(raw)
    return { ...mail, subject: mail.subject.replace(/\s/g, ' ') }
  }
  const to = (email: string) =>
    inbox.mails
      .filter(mail => mail.to === email)
      .map(({ raw }) => read(raw))
      .filter(({ attachments }) => Object.keys(attachments).length > 0)
  const views = async (email: string, count: number): Promise<ReadMail[]> => {
    await until(async () => (to(email).length >= count ? true : null))
    return to(email)
  }
  /** Looks as several processes at once, in addition to the two that are running. */
  const lookFromEverywhere = () =>
    Promise.all(
      [service.db, service.db, beside.db, beside.db].map(db =>
        recordSavedViews(db, { clock: service.clock, timeZone: 'UTC' }),
      ),
    )
  let adNumber = 0
  async function newWorld(fields: object = {}) {
    const email = `view-${++adNumber}-${Date.now()}@bikes.example`
    const ann = await newTestCustomer(service, { email, ...fields })
    const { cid } = await ann.newCampaign({ name: '=WRITTEN' })
    const { fid } = (await ann.call('GET', `/campaign/${cid}/flight`)).body[0]
    const shown = (time: string, domain: string, count: number) =>
      recordEvents(
        service.db,
        Array.from({ length: count }, () => ({
          ...{ cuid: ann.cuid, cid, fid, pid: 1, bid: 1, kind: 'impression' as const, domain },
          ...{ atMs: Date.parse(time), adNumber: ++adNumber, spendMicros: 250_000 },
        })),
      )
    const members = await service.call('GET', `/customer/${ann.cuid}/member`, { as: ann })
    return { ann, email, cid, shown, mid: members.body[0].mid as number }
  }
  const linkIn = (mail: ReadMail) => new URL(/<(.*)>/.exec(mail.headers['list-unsubscribe']!)![1]!)

  it('each reader gets it once: the last whole days, the change, and a CSV for spreadsheets in their language', async () => {
    const { ann, email, shown, mid } = await newWorld({ language: 'de', timezone: 'Europe/Berlin' })
    await shown('2026-11-03T12:00:00Z', 'alt.example', 2)
    await shown('2026-11-10T12:00:00Z', 'news.example', 4)
    // On the day of the email, which is not over.
    await shown('2026-11-16T05:00:00Z', 'news.example', 50)
    const reader = `reader-${ann.cuid}@bikes.example`
    const body = { email: reader, role: 'viewer' }
    const { body: member } = await service.call('POST', `/customer/${ann.cuid}/member`, { as: ann, body })
    const view = { range: '7d', every: 'weekly', mailTo: [mid, member.mid] }
    const { vid } = (await save(ann, view)).body

    // Monday, 7:00 in Berlin. The member has never signed in.
    goTo('2026-11-16T05:59:00Z')
    await lookFromEverywhere()
    expect(to(email)).toEqual([])
    goTo('2026-11-16T06:01:00Z')
    await lookFromEverywhere()
    const [mail, ...more] = await views(email, 1)
    expect(more).toEqual([])
    expect(to(reader)).toEqual([])
    expect(mail!.subject).toBe('Spend by site: 9.–15. November 2026')
    expect(mail!.text).toMatch(/Impressionen: 4, Davor: 2, Änderung: \+100\s%/)
    const [[name, csv]] = Object.entries(mail!.attachments) as [[string, string]]
    expect(name).toBe('statistik-2026-11-09.csv')
    expect(csv.startsWith('\ufeff')).toBe(true)
    expect(csv).toContain('Impressionen;Klicks;')
    expect(csv).toMatch(/news\.example;news\.example;4;0;0;0;;1;/)
    expect(csv).not.toContain('alt.example')

    // The next week another member reads it too, and the first one unsubscribes.
    const visitor = visit(service)
    const invited = inbox.mails.find(one => one.to === reader)!
    await visitor.signIn({ invitation: invitationIn(readMail(invited.raw).text) })
    const page = await service.call('GET', linkIn(mail!).pathname, { as: null })
    expect(page.text).toContain('E-Mails mit dieser Ansicht')
    expect((await ann.call('GET', `/saved-view/${vid}`)).body.mailTo).toEqual([mid, member.mid])
    expect((await service.call('POST', linkIn(mail!).pathname, { as: null })).status).toBe(200)
    expect((await ann.call('GET', `/saved-view/${vid}`)).body).toMatchObject({
      every: 'weekly',
      mailTo: [member.mid],
    })
    goTo('2026-11-23T06:01:00Z')
    await lookFromEverywhere()
    const [second] = await views(reader, 1)
    expect(second!.subject).toContain('16.–22. November 2026')
    expect(second!.text).toMatch(/Impressionen: 50, Davor: 4/)
    expect(await views(email, 1)).toHaveLength(1)
    // Without readers it is no longer emailed.
    await service.call('POST', linkIn(second!).pathname, { as: null })
    expect((await ann.call('GET', `/saved-view/${vid}`)).body).toMatchObject({ every: 'off', mailTo: [] })
  })

  it('each view is a separate email, by day or month; its filters apply; names that people wrote are no formulas', async () => {
    const { ann, email, cid, shown, mid } = await newWorld()
    goTo('2026-11-29T10:00:00Z')
    await shown('2026-11-29T12:00:00Z', 'news.example', 3)
    await shown('2026-11-29T12:00:00Z', 'blog.example', 1)
    await save(ann, { name: 'Only news', range: 'yesterday', q: 'NEWS', every: 'daily', mailTo: [mid] })
    const monthly = { name: 'See http://bad.example', dimension: 'campaign', every: 'monthly', mailTo: [mid] }
    await save(ann, { ...monthly, range: 'month' })
    await save(ann, { name: 'Days', range: '7d', dimension: null, cid, every: 'daily', mailTo: [mid] })
    goTo('2026-11-30T07:01:00Z')
    await lookFromEverywhere()
    const daily = await views(email, 2)
    expect(daily.map(({ subject }) => subject).sort()).toEqual([
      'Days: November 23 – 29, 2026',
      'Only news: November 29, 2026',
    ])
    const csvOf = (start: string, list = daily) =>
      Object.values(list.find(({ subject }) => subject.startsWith(start))!.attachments)[0]!
    expect(csvOf('Only news')).toContain('news.example,news.example,3,')
    expect(csvOf('Only news')).not.toContain('blog.example')
    expect(csvOf('Days')).toContain('2026-11-29,4,')
    goTo('2026-12-01T07:01:00Z')
    await lookFromEverywhere()
    const all = await views(email, 5)
    const month = all.find(({ subject }) => subject.startsWith('Saved view'))!
    expect(month.subject).toBe('Saved view: November 1 – 30, 2026')
    expect(month.text + month.html).not.toContain('bad.example')
    expect(csvOf('Saved view', all)).toContain("'=WRITTEN")
  })

  it('a fixed period is emailed as far as it is over, however long; no view delays the others', async () => {
    const { ann, email, shown, mid } = await newWorld()
    const other = await newWorld()
    goTo('2026-12-01T10:00:00Z')
    await shown('2026-12-01T12:00:00Z', 'news.example', 3)
    // On the day of the email.
    await shown('2026-12-02T05:00:00Z', 'news.example', 50)
    const fixed = (firstDay: string, lastDay: string) =>
      save(ann, {
        ...{ name: `${firstDay} to ${lastDay}`, range: null, firstDay, lastDay, dimension: null },
        ...{ every: 'daily', mailTo: [mid] },
      })
    await fixed('2026-11-30', '9999-12-31')
    await fixed('1970-01-01', '2099-12-31')
    await fixed('1970-01-01', '1970-01-01')
    // This period has not begun.
    await fixed('9999-12-31', '9999-12-31')
    await save(other.ann, { every: 'daily', mailTo: [other.mid] })
    goTo('2026-12-02T07:01:00Z')
    await lookFromEverywhere()
    expect((await views(other.email, 1)).length).toBe(1)
    const mails = await views(email, 3)
    const figures = mails.map(({ subject, text }) => [subject, /Impressions: (\d+)/.exec(text)?.[1]]).sort()
    expect(figures).toEqual([
      ['1970-01-01 to 1970-01-01: January 1, 1970', '0'],
      ['1970-01-01 to 2099-12-31: December 2, 2016 – December 1, 2026', '3'],
      ['2026-11-30 to 9999-12-31: November 30 – December 1, 2026', '3'],
    ])
  })

  it('compares with what the view says, or with nothing', async () => {
    const { ann, email, shown, mid } = await newWorld()
    goTo('2026-12-02T12:00:00Z')
    await shown('2026-11-25T12:00:00Z', 'news.example', 2)
    await shown('2026-12-01T12:00:00Z', 'news.example', 9)
    await shown('2026-12-02T12:00:00Z', 'news.example', 4)
    const view = { range: 'yesterday', every: 'daily', mailTo: [mid] }
    await save(ann, { ...view, name: 'Weekdays', against: 'weekdays' })
    await save(ann, { ...view, name: 'Before' })
    await save(ann, { ...view, name: 'Alone', against: 'none' })
    // Long ago, and so bounded.
    await save(ann, { ...view, name: 'Own', againstDay: '1970-01-01' })
    goTo('2026-12-03T07:01:00Z')
    await lookFromEverywhere()
    const mails = await views(email, 4)
    const textOf = (name: string) => mails.find(({ subject }) => subject.startsWith(name))!.text
    expect(textOf('Weekdays')).toMatch(/Impressions: 4, November 25, 2026: 2, Change: \+100%/)
    expect(textOf('Weekdays')).toContain('against=weekdays')
    expect(textOf('Before')).toMatch(/Impressions: 4, Before: 9, Change: -55/)
    expect(textOf('Alone')).toMatch(/Impressions: 4$/m)
    expect(textOf('Own')).toMatch(/Impressions: 4, .*: 0, Change: –/)
  })

  it('is not sent for a deleted campaign, nor to a removed member', async () => {
    const { ann, email, cid, mid } = await newWorld()
    goTo('2026-12-03T10:00:00Z')
    await save(ann, { cid, every: 'daily', mailTo: [mid] })
    await ann.call('DELETE', `/campaign/${cid}`)
    goTo('2026-12-04T07:01:00Z')
    await lookFromEverywhere()
    await until(async () => {
      const rows = await service.db.rows<{ state: string }>(
        "select state from mail where cuid = $1 and kind = 'savedView'",
        [ann.cuid],
      )
      return rows.length === 1 && rows[0]!.state === 'dropped' ? true : null
    })
    expect(to(email)).toEqual([])
  })
})

it('is due on the virtual clock of a sandbox, once a day', async () => {
  const sandbox = await startTestService({ SANDBOX: 'true', SANDBOX_START: '2026-10-01' })
  try {
    const ann = await newTestCustomer(sandbox)
    const { body: members } = await sandbox.call('GET', `/customer/${ann.cuid}/member`, { as: ann })
    const [{ mid, email }] = members
    expect((await save(ann, { name: 'Daily', range: '7d', every: 'daily', mailTo: [mid] })).status).toBe(201)
    await sandbox.call('POST', '/sandbox/clock', { body: { by: 3 * 86_400 } })
    const mails = await until(async () => {
      const { body: clock } = await sandbox.call('GET', '/sandbox/clock')
      if (clock.target !== null) return null
      return (await sandbox.call('GET', `/sandbox/outbox?to=${encodeURIComponent(email)}`)).body
    })
    const subjects = mails.map(({ subject }: { subject: string }) => subject.replace(/\s/g, ' '))
    expect(subjects.filter((subject: string) => subject.startsWith('Daily')).sort()).toEqual([
      'Daily: September 24 – 30, 2026',
      'Daily: September 25 – October 1, 2026',
      'Daily: September 26 – October 2, 2026',
    ])
    expect(mails[0].text).toContain('Impressions: 0')
  } finally {
    await sandbox.close()
  }
})
