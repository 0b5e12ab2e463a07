// Erasing a deleted customer leaves no text of the person in any column of any table, in any file, or in the statistics
// of the database. Figures and money stay as they were, and it cannot be undone.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  eventually,
  invitationIn,
  mailsTo,
  visit,
  visitAs,
  visitAsStaff,
} from '../../../test/support/console.ts'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { newWebhook, type Receiver, startReceiver } from '../../../test/support/webhooks.ts'
import { recordMail } from '../../changes/outbox.ts'
import { createApp } from '../../identity/apps.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import type { Database } from '../../platform/database.ts'
import { eraseCustomer, sweepErasures } from './erase.ts'
import { blankOrders } from './erase-queries.ts'

/** Part of every text that the person leaves. */
const MARK = 'zorblax'
const EMAIL = `ann.${MARK}@bikes.example`
const EARLIER = `earlier.${MARK}@bikes.example`
const MEMBER = `bob.${MARK}@bikes.example`
const FORMER_MEMBER = `carl.${MARK}@bikes.example`
/** Works for another customer, too. */
const SHARED = 'dora@agency.example'

let service: ListeningService
let receiver: Receiver
beforeAll(async () => {
  service = await startListeningService()
  receiver = await startReceiver()
})
afterAll(async () => {
  await service.close()
  await receiver.close()
})

const kept = { externalId: `crm-${MARK}`, metadata: { contact: `Ann ${MARK}` } }
const erase = (cuid: number, options: object = {}) =>
  service.call('DELETE', `/customer/${cuid}?erase=true`, options)
const parts = () => ({ db: service.db, clock: service.clock, outboxDir: '/nowhere' })

/** The number of rows per table that contain the mark in any column: text, JSON, arrays or bytes. */
async function rowsWith(mark: string, db: Database = service.db): Promise<Record<string, number>> {
  const tables = await db.rows<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'`,
  )
  const hex = Buffer.from(mark).toString('hex')
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await db.pool.query(
      `select count(*)::int as n from ${name} t where t::text ilike $1 or t::text like $2`,
      [`%${mark}%`, `%${hex}%`],
    )
    if (rows[0].n > 0) found[name] = rows[0].n
  }
  return found
}

/** The columns of which PostgreSQL's planner knows values that contain the mark. */
async function samplesWith(mark: string): Promise<string[]> {
  await service.db.run('analyze')
  const rows = await service.db.rows<{ name: string }>(
    `select format('%s.%s', tablename, attname) as name from pg_stats s where s::text ilike $1 or s::text like $2`,
    [`%${mark}%`, `%${Buffer.from(mark).toString('hex')}%`],
  )
  return rows.map(({ name }) => name)
}

/** The files of the service that contain the mark. */
async function filesWith(mark: string): Promise<string[]> {
  const folder = service.config.DATA_DIR
  const found = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // Letters break their lines anywhere.
    const text = entry.isFile() ? (await readFile(path, 'latin1')).replaceAll('=\r\n', '') : ''
    if (entry.name.includes(mark) || text.includes(mark)) found.push(path)
  }
  return found
}

/** All figures and all money of the database, without names. */
async function figures(): Promise<unknown> {
  const reports = []
  for (const by of ['customer', 'campaign', 'day', 'month']) {
    const { body, status } = await service.call('GET', `/report?by=${by}`)
    expect(status).toBe(200)
    const nameless = JSON.stringify(body, (key, value) =>
      ['company', 'campaign', 'externalId', 'campaignExternalId'].includes(key) ? undefined : value,
    )
    reports.push(nameless)
  }
  const sums = await service.db.row(
    `select (select count(*) from event) as events, (select sum(spend_micros) from event) as spend,
       (select count(*) from action) as actions, (select sum(value_micros) from action) as value,
       (select sum(billed_micros) from share) as billed, (select sum(limit_micros) from budget) as budgets,
       (select sum(daily_spend_micros) from campaign) as daily`,
  )
  return { reports, sums }
}

/** A customer that has left texts everywhere, and whose ads were really served, clicked and converted. */
async function person(): Promise<ServedCampaign & { cuid: number }> {
  const served = await newServedCampaign(service, {
    campaign: { name: `${MARK} spring`, ...kept },
    persona: { name: `${MARK} fans`, ...kept },
    banner: { name: `${MARK} banner`, clickUrl: `https://${MARK}.example/`, ...kept },
  })
  const { customer, cid, pid } = served
  const { cuid } = customer
  const ok = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    if (status >= 400) throw new Error(text)
  }
  const details = { company: `${MARK} Ltd`, name: `Ann ${MARK}`, address: `1 ${MARK} Road`, city: MARK }
  const more = {
    country: MARK,
    zip: MARK,
    state: MARK,
    phone: `+1 ${MARK}`,
    website: `https://${MARK}.example/`,
  }
  const body = { ...details, ...more, ...kept, email: EMAIL, language: 'de', timezone: 'Europe/Berlin' }
  await ok(service.call('PUT', `/customer/${cuid}`, { body: { email: EARLIER } }))
  await ok(service.call('GET', `/customer/${EARLIER}/passcode`))
  await ok(service.call('PUT', `/customer/${cuid}`, { body }))
  await people(served)
  // Visitors see, click and buy.
  const ad = (await service.serverAd({ size: '300x250', geo: { country: 'CA' }, device: 'desktop' })).json.ad
  const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36' }
  await service.send('GET', new URL(ad.impression).pathname, undefined, agent)
  const click = await service.send('GET', new URL(ad.click).pathname, undefined, agent)
  const mqclid = new URL(click.headers.location!).searchParams.get('mqclid')
  const action = { click: mqclid, name: 'buy', value: 20, order: `order of ${MARK}` }
  const counted = await customer.call('POST', '/action', action)
  expect(counted.body).toEqual({ counted: true })
  await ok(customer.call('POST', '/action', { click: mqclid, name: `test ${MARK}`, test: true }))
  // Creates more of everything, and deletes some of it.
  const nowS = Math.floor(service.clock.nowMs() / 1000)
  const dates = { start: nowS + 86_400, end: nowS + 2 * 86_400 }
  await ok(customer.call('POST', `/campaign/${cid}/flight`, { name: `${MARK} flight`, ...dates }))
  const gone = await customer.newCampaign({ name: `${MARK} gone`, ...kept })
  await ok(customer.call('POST', '/saved-view', { name: `${MARK} view`, range: '7d', q: MARK }))
  for (const note of [{}, { cid }, { cid: gone.cid }])
    await ok(customer.call('POST', '/note', { day: '2026-11-10', text: `${MARK} began`, ...note }))
  await ok(customer.call('DELETE', `/campaign/${gone.cid}`))
  const around = { geo: { radius: 500, geocode: [43.6, -79.3] }, device: { mobile: true } }
  const { body: second } = await customer.call('POST', `/campaign/${cid}/persona`, { name: MARK, ...around })
  const elsewhere = { creativeURL: `http://127.0.0.1:9/${MARK}.png`, name: `${MARK} two` }
  const path = `/campaign/${cid}/persona/${second.pid}`
  await ok(customer.call('POST', `${path}/banner`, elsewhere))
  await ok(customer.call('DELETE', path))
  const { body: third } = await customer.call('POST', `/campaign/${cid}/persona/${pid}/banner`, elsewhere)
  await ok(customer.call('DELETE', `/campaign/${cid}/persona/${pid}/banner/${third.bid}`))
  await ok(customer.call('PUT', `/campaign/${cid}/pause`))
  // Emails, sign-ins, and answers kept for repeated calls.
  await ok(service.call('GET', `/customer/${EMAIL}/passcode`))
  await visitAs(service, EMAIL)
  await service.call('GET', `/customer/${EMAIL}/sso`)
  const staff = await visitAsStaff(service)
  await ok(staff.call('POST', '/console/api/session/customer', { body: { cuid } }))
  await recordMail(service.db, {
    at: new Date(service.clock.nowMs()),
    cuid,
    kind: 'bannerRejected',
    about: `banner ${MARK}`,
    facts: { name: MARK },
    notBefore: new Date(service.clock.nowMs() + HOUR_MS),
  })
  const idempotent = { 'idempotency-key': `key-${MARK}` }
  await ok(customer.call('POST', '/campaign', { name: MARK, dailySpend: 1, ...dates }, idempotent))
  return { ...served, cuid }
}

/** Members who have signed in, were invited, were removed, or work for another customer too; and a letter to them. */
async function people({ customer, path }: ServedCampaign): Promise<void> {
  const member = (as: typeof customer, email: string) =>
    service.call('POST', `/customer/${as.cuid}/member`, {
      as,
      body: { email, role: 'owner', name: `of ${MARK}` },
    })
  for (const email of [MEMBER, SHARED, FORMER_MEMBER]) {
    const { body } = await member(customer, email)
    const invitation = invitationIn((await mailsTo(service, email))[0]!)
    expect((await visit(service).signIn({ invitation })).status).toBe(200)
    if (email !== FORMER_MEMBER) continue
    await service.call('DELETE', `/customer/${customer.cuid}/member/${body.mid}`, { as: customer })
  }
  await visit(service).call('POST', '/console/api/passcode', { body: { email: MEMBER } })
  await eventually(async () => (await mailsTo(service, MEMBER)).some(mail => mail.includes('Anmeldecode')))
  const other = await service.newCustomer()
  await service.call('POST', `/customer/${other.cuid}/member`, {
    as: { key: other.key, token: other.token },
    body: { email: SHARED, role: 'viewer' },
  })
  await customer.call('PUT', path.replace(/\/persona.*/, ''), { dailySpend: 100_000 })
  await eventually(async () => (await mailsTo(service, SHARED)).some(mail => mail.includes(MARK)))
}

describe('erasure', () => {
  it('leaves no text of the person anywhere, and every figure as it was', async () => {
    receiver.answer = 500
    await newWebhook(service, { url: receiver.url })
    const { cuid, customer, cid } = await person()
    await until(async () => (receiver.received.some(({ text }) => text.includes(MARK)) ? true : null))
    expect(Object.keys(await rowsWith(MARK))).toEqual(
      expect.arrayContaining(
        ['customer', 'campaign', 'flight', 'persona', 'banner', 'audit', 'webhook_delivery', 'mail', 'action']
          .concat(['action_test', 'mail_allowance', 'idempotency', 'note', 'saved_view', 'member'])
          .concat(['console_session'])
          .map(table => `public.${table}`),
      ),
    )
    for (const email of [EMAIL, EARLIER, MEMBER, FORMER_MEMBER])
      expect([email, (await mailsTo(service, email)).length > 0]).toEqual([email, true])
    expect(await samplesWith(MARK)).toEqual([])
    const deleted = await service.call('DELETE', `/customer/${cuid}`)
    expect(deleted.body).toEqual({ cuid, deleted: true })
    const before = await figures()
    expect(JSON.stringify(before)).toContain('"actions":1')

    const answer = await erase(cuid)
    expect([answer.status, answer.body]).toEqual([200, { cuid, deleted: true, erased: true }])
    expect(await rowsWith(MARK)).toEqual({})
    expect(await filesWith(MARK)).toEqual([])
    expect(await samplesWith(MARK)).toEqual([])
    // The other customer keeps its member, who stays signed in and has its invitation.
    expect(await mailsTo(service, SHARED)).toHaveLength(1)
    const shared = await service.db.rows('select person from console_session where person = $1', [SHARED])
    expect(shared.length).toBe(1)
    expect(await figures()).toEqual(before)
    for (const table of [
      'member',
      'credential',
      'passcode',
      'sso_ticket',
      'console_session',
      'mail',
      'mail_choice',
    ]) {
      expect(await service.db.rows(`select 1 from ${table} where cuid = $1`, [cuid]), table).toEqual([])
    }
    expect(await service.db.rows('select 1 from console_session where opened_cuid = $1', [cuid])).toEqual([])
    expect(await service.db.rows('select 1 from creative_upload where cuid = $1', [cuid])).toEqual([])
    expect((await customer.call('GET', `/campaign/${cid}`)).body.code).toBe('credentials_invalid')
    // One line of history remains: that the customer was erased, by whom and when.
    const history = await service.db.rows('select action, actor, before, after from audit where cuid = $1', [
      cuid,
    ])
    expect(history).toEqual([{ action: 'erase', actor: service.app.key, before: null, after: null }])
    // The email can be used again, and does not find the old customer.
    const again = await service.newCustomer({ email: EMAIL })
    expect(
      (await service.call('GET', `/customer?email=${EMAIL}`)).body.map((c: { cuid: number }) => c.cuid),
    ).toEqual([again.cuid])
    receiver.answer = 204
  })

  it('can be repeated, and cannot be undone', async () => {
    const { cuid } = await service.newCustomer()
    await service.call('DELETE', `/customer/${cuid}`)
    for (let i = 0; i < 2; i++)
      expect((await erase(cuid)).body).toEqual({ cuid, deleted: true, erased: true })
    expect((await service.call('POST', `/customer/${cuid}/restore`)).status).toBe(404)
    expect((await service.call('GET', `/customer/${cuid}`)).status).toBe(404)
    expect((await service.call('DELETE', `/customer/${cuid}`)).status).toBe(404)
    // Not even a program that does not know about erasure can undo it.
    await expect(
      service.db.run('update customer set deleted_at = null where cuid = $1', [cuid]),
    ).rejects.toThrow(/erased_is_deleted/)
  })

  it('removes stored answers of the app’s calls, and repeating their keys creates no customer again', async () => {
    const headers = { 'idempotency-key': 'made-once' }
    const body = { company: `${MARK} Ltd`, email: `once.${MARK}@bikes.example` }
    const make = () => service.call('POST', '/customer', { body, headers })
    const { cuid } = (await make()).body
    const more = { 'idempotency-key': 'made-for-it' }
    await service.call('POST', `/customer/${cuid}/credential`, { headers: more })
    const nowS = Math.floor(service.clock.nowMs() / 1000)
    const campaign = { name: 'c', start: nowS, end: nowS + 60, dailySpend: 1 }
    const third = { body: campaign, headers: { 'idempotency-key': 'made-under-it' } }
    await service.call('POST', `/campaign?cuid=${cuid}`, third)
    await service.call('DELETE', `/customer/${cuid}`)
    await erase(cuid)
    const kept = `select key from idempotency where key like 'made-%' and answer is not null`
    expect(await service.db.rows(kept)).toEqual([])
    expect((await make()).status).toBe(409)
    expect((await service.call('GET', `/customer?email=${body.email}`)).body).toEqual([])
  })

  it('an upgrade forgets what the planner knew of texts, also of a table that is empty by now', async () => {
    const sample = (target: number) => service.db.run(`alter table note alter text set statistics ${target}`)
    const known = () =>
      service.db.rows(`select attname from pg_stats where tablename = 'note' and attname = 'text'`)
    const { cuid } = await service.newCustomer()
    await sample(100)
    await service.db.run(
      `insert into note (cuid, day, text, actor, created_at, updated_at)
       select $1, '2026-11-10', 'of grumlow', 'operator', now(), now() from generate_series(1, 9)`,
      [cuid],
    )
    await service.db.run('analyze note')
    await service.db.run('delete from note where cuid = $1', [cuid])
    await sample(0)
    await service.db.run('analyze note')
    expect(await known()).toHaveLength(1)
    await service.db.run(await readFile('migrations/0431-forget-statistics.sql', 'utf8'))
    expect(await known()).toEqual([])
  })

  it('needs a deletion before it, the super pair of the app, and an id', async () => {
    const { cuid, key, token } = await service.newCustomer()
    const refused = await erase(cuid)
    expect([refused.status, refused.body.code]).toEqual([409, 'not_deleted'])
    expect((await erase(cuid, { as: { key, token } })).body.code).toBe('credentials_wrong_level')
    await service.call('DELETE', `/customer/${cuid}`)
    const { pair } = await createApp(service.db, { name: 'stranger' }, service.clock)
    expect((await erase(cuid, { app: pair })).status).toBe(404)
    expect((await service.call('DELETE', '/customer/x?erase=true')).status).toBe(404)
    expect((await service.call('DELETE', `/customer/${cuid}?erase=yes`)).body.errors[0].path).toBe('?erase')
    const conditional = await erase(cuid, { headers: { 'if-match': '*' } })
    expect([conditional.status, conditional.body.code]).toEqual([400, 'if_match_not_honoured'])
    // None of these calls changed the customer.
    expect((await service.call('POST', `/customer/${cuid}/restore`)).status).toBe(200)
  })

  it('many calls at once, with a restoration among them, agree on the outcome', async () => {
    const { cuid } = await service.newCustomer({ name: `race of ${MARK}` })
    await service.call('DELETE', `/customer/${cuid}`)
    const restore = () => service.call('POST', `/customer/${cuid}/restore`)
    const answers = await Promise.all([erase(cuid), erase(cuid), restore(), erase(cuid), erase(cuid)])
    const restored = answers[2]!.status === 200
    for (const { status } of answers.filter((_, index) => index !== 2))
      expect(restored ? [200, 409] : [200]).toContain(status)
    const { status } = await service.call('GET', `/customer/${cuid}`)
    const row = await service.db.row<{ name: string | null }>('select name from customer where cuid = $1', [
      cuid,
    ])
    expect([status, row!.name]).toEqual(restored ? [200, `race of ${MARK}`] : [404, null])
  })
})

describe('with much history', () => {
  const ROWS = 12_000

  async function much(): Promise<number> {
    const { cuid } = await service.newCustomer()
    await service.db.run(
      `insert into audit (at, cuid, cid, noun, id, action, actor, after)
       select now(), $1, null, 'customer', $1, 'edit', 'operator', '{"name": "Ann grumlow"}' from generate_series(1, ${ROWS})`,
      [cuid],
    )
    await service.db.run(
      `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
         pacing, created_at, updated_at, deleted_at)
       select $1, 'grumlow ' || i, now(), now() + interval '1 day', true, 0, 1, 1, '{}', 'even', now(), now(),
         case when i % 2 = 0 then now() end from generate_series(1, 900) i`,
      [cuid],
    )
    await service.db.run(
      `insert into action (cuid, dedupe, at, name, served_at, ad_id, credited_to, cid, fid, pid, bid)
       select $1, 'o:grumlow ' || i, now(), 'buy', now(), '', 'click', 1, 1, 1, 1 from generate_series(${ROWS}, 1, -1) i`,
      [cuid],
    )
    await service.call('DELETE', `/customer/${cuid}`)
    return cuid
  }

  it('the call leaves the rest to the background, which finishes it', async () => {
    const cuid = await much()
    const first = await erase(cuid)
    expect([first.status, first.body]).toEqual([202, { cuid, deleted: true, erased: false }])
    expect(Object.keys(await rowsWith('grumlow')).length).toBeGreaterThan(0)
    await sweepErasures(parts())
    expect(await rowsWith('grumlow')).toEqual({})
    expect((await erase(cuid)).body.erased).toBe(true)
  })

  it('an interrupted erasure continues where it was, and no row is erased twice', async () => {
    const cuid = await much()
    const erasure = { cuid, appId: null, actor: 'operator' } as const
    expect(await eraseCustomer(parts(), erasure, 3)).toBe(false)
    await Promise.all([sweepErasures(parts()), sweepErasures(parts()), eraseCustomer(parts(), erasure)])
    expect(await rowsWith('grumlow')).toEqual({})
    const count = await service.db.row<{ n: number }>('select count(*) as n from action where cuid = $1', [
      cuid,
    ])
    expect(count!.n).toBe(ROWS)
  })

  it('two at once never deadlock, though their query plans read rows in different orders', async () => {
    const cuid = await much()
    const blank = (...off: string[]) =>
      service.db.transaction(async tx => {
        for (const way of off) await tx.run(`set local enable_${way} = off`)
        return blankOrders(tx, cuid, '', ROWS)
      })
    const [one, other] = await Promise.all([blank('hashjoin', 'mergejoin'), blank('nestloop', 'mergejoin')])
    expect(other).toBe(one)
    await eraseCustomer(parts(), { cuid, appId: null, actor: 'operator' as const })
    expect(await rowsWith('grumlow')).toEqual({})
  })

  it('a last look finds what a call wrote that was under way at the deletion', async () => {
    const { cuid } = await service.newCustomer()
    await service.call('DELETE', `/customer/${cuid}`)
    await erase(cuid)
    const late = () =>
      service.db.run(
        `insert into audit (at, cuid, noun, id, action, actor, after)
         values (now(), $1, 'customer', $1, 'edit', 'operator', '{"name": "grumlow"}')`,
        [cuid],
      )
    await late()
    await sweepErasures(parts())
    expect(await rowsWith('grumlow')).toEqual({ 'public.audit': 1 })
    service.clock.advance(HOUR_MS)
    await sweepErasures(parts())
    expect(await rowsWith('grumlow')).toEqual({})
    const row = await service.db.row('select erasure_due_at from customer where cuid = $1', [cuid])
    expect(row).toEqual({ erasure_due_at: null })
  })
})
