// The sandbox, a service whose clock is moved by calls, tested through its API. A day of visitors and the reset are in
// visitors.test.ts; what it offers for tests is in fixtures.test.ts.

import { afterAll, describe, expect, it } from 'vitest'
import { createClient, createSandbox, verifyWebhook } from '../../sdk/index.ts'
import { picture, until } from '../../test/support/banners.ts'
import { type ListeningService, newServedCampaign } from '../../test/support/delivery.ts'
import { freePort } from '../../test/support/ports.ts'
import { callMarquee, runMarquee } from '../../test/support/process.ts'
import { runProgram } from '../../test/support/programs.ts'
import { startTestSandbox } from '../../test/support/sandbox.ts'
import { startTestService, type TestAnswer } from '../../test/support/service.ts'
import { inTx } from '../changes/tx.ts'
import { setApiAccess } from '../manage/customers/customers.ts'
import { openSandbox } from './open.ts'
import { WAITING } from './queries.ts'

const START_S = Date.parse('2026-10-01T00:00:00Z') / 1000
const DAY_S = 86_400
const JSON_BODY = { 'content-type': 'application/json' }
const { service: sandbox, base, move, now } = await startTestSandbox('2026-10-01')
afterAll(() => sandbox.close())

describe('the clock', () => {
  it('stands still until it is moved, and every answer says what it is', async () => {
    const { body, headers } = await sandbox.call('GET', '/sandbox/clock')
    expect(body).toEqual({ now: START_S, start: START_S, target: null, progress: null, events: [] })
    expect(headers['x-marquee-sandbox']).toBe(String(START_S))
    expect((await sandbox.call('GET', '/nowhere')).headers['x-marquee-sandbox']).toBe(String(START_S))
  })

  it('is what an end in the past is compared with, and the refusal says so', async () => {
    const { cuid, ...as } = await sandbox.newCustomer()
    const body = { name: 'late', start: START_S - DAY_S, end: START_S - 1, dailySpend: 1 }
    const refused = await sandbox.call('POST', `/campaign?cuid=${cuid}`, { as, body })
    expect(refused.body.errors).toMatchObject([
      { path: '/end', code: 'not_in_the_future', params: { now: await now() } },
    ])
    expect(refused.body.message).toContain(`the clock of this service says ${await now()}`)
  })

  it('delays nothing that another process switches, although it stands still', async () => {
    const { cuid, ...pair } = await sandbox.newCustomer()
    const read = async () => (await sandbox.call('GET', `/campaign?cuid=${cuid}`, { as: pair })).body.code
    expect(await read()).toBeUndefined()
    await inTx(sandbox.db, tx => setApiAccess(tx, cuid, false, sandbox.clock))
    expect(await read()).toBe('api_access_off')
  })

  it('goes forward only, and at most ten years by one call', async () => {
    expect((await move({ to: START_S - 1 })).body).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: '/to', code: 'not_in_the_future' }],
    })
    expect((await move({})).body.errors).toMatchObject([{ path: '/by', code: 'required' }])
    expect((await move({ by: 1, to: START_S + 1 })).body.errors).toMatchObject([{ code: 'not_together' }])
    const max = START_S + 10 * 366 * DAY_S
    expect((await move({ to: max + 1 })).body.errors).toMatchObject([
      { path: '/to', code: 'too_large', params: { max } },
    ])
  })

  it('passes the midnights of all customers, and the database goes with it', async () => {
    await sandbox.newCustomer({ timezone: 'America/New_York' })
    const { status, body } = await move({ by: DAY_S })
    expect(status).toBe(200)
    expect(body.now).toBe(START_S + DAY_S)
    expect(body.events).toEqual([
      { time: START_S + 4 * 3600, kind: 'midnight', zone: 'America/New_York' },
      { time: START_S + DAY_S, kind: 'midnight', zone: 'UTC' },
    ])
    const row = await sandbox.db.row<{ s: number }>('select extract(epoch from now())::float8 as s')
    expect(row!.s).toBe(START_S + DAY_S)
  })

  it('knows every time at which work falls due: a new column must be in WAITING, or here', async () => {
    const columns = await sandbox.db.rows<{ table: string; name: string }>(
      `select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as table, a.attname as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and not c.relispartition
         and a.atttypid = 'timestamptz'::regtype and a.attnum > 0 and not a.attisdropped`,
    )
    const past =
      /^(at|applied_at|hour|quarter|since|sent|(began|checked|closed|created|decided|deleted|emptied|ended|erased|frozen|joined|locked|proven|removed|reported|revoked|seen|served|updated|used)_at)$/
    const ofCampaign = 'campaign_watch.due_at knows it'
    const onDemand = 'nothing happens then; whoever asks compares it'
    const lease = 'of a process that may have died'
    const others = {
      'graphile_worker._private_jobs.run_at': 'the view `jobs` shows it',
      'graphile_worker._private_known_crontabs.known_since': 'there are none',
      'graphile_worker._private_known_crontabs.last_execution': 'there are none',
      'graphile_worker.migrations.ts': 'past',
      'banner.awaits_person_since': 'past',
      'share_want.wanted_at': 'past',
      'agent_grant.rotated_at': 'past',
      'agent_code.expires_at': onDemand,
      'agent_grant.refresh_until': onDemand,
      'agent_token.expires_at': onDemand,
      'campaign.start_at': ofCampaign,
      'campaign.end_at': ofCampaign,
      'flight.start_at': ofCampaign,
      'flight.end_at': ofCampaign,
      'console_session.ends_at': onDemand,
      'console_session.idle_until': onDemand,
      'credential.expires_at': onDemand,
      'member.invited_until': onDemand,
      'passcode.expires_at': onDemand,
      'passkey_challenge.expires_at': onDemand,
      'sso_ticket.expires_at': onDemand,
      'webhook.old_secret_until': onDemand,
      'source.old_key_until': onDemand,
      'source.old_server_key_until': onDemand,
      'mail_choice.look_at': 'thresholds are compared in each hour',
      'duty.until': lease,
      'mail.leased_until': lease,
      'node.ads_until': lease,
      'node.valid_until': lease,
      'webhook_delivery.sent_until': lease,
    }
    const unknown = columns
      .filter(
        ({ table, name }) => !past.test(name) && !WAITING.some(([at, of]) => at === name && of === table),
      )
      .map(({ table, name }) => `${table}.${name}`)
    expect(unknown.filter(column => !Object.hasOwn(others, column)).toSorted()).toEqual([])
  })
})

it('the program in the guide for CI works as it is written', async () => {
  const { key: superkey, token: supertoken } = sandbox.app
  const scope = { createClient, createSandbox, verifyWebhook, baseUrl: base, superkey, supertoken }
  const [status, spend, midnights, types, invoiced] = await runProgram('docs/testing.md', scope)
  expect([status, spend, midnights, invoiced]).toEqual(['approved', 0.2, 30, 0.2])
  // Events of the same moment arrive in any order.
  expect(String(types).split(' ').toSorted()).toEqual([
    'banner.approved',
    'campaign.budget_spent',
    'campaign.budget_spent',
    'campaign.ended',
    'campaign.started',
    'customer.created',
  ])
  for (const { wid } of (await sandbox.call('GET', '/webhook')).body)
    await sandbox.call('DELETE', `/webhook/${wid}`)
})

it('the inbox keeps the last calls, as many as fit into 50 MB', async () => {
  const send = (n: number) =>
    sandbox.call('POST', `/sandbox/inbox?of=${n}`, { app: null, body: `"${'x'.repeat(2 ** 20 - 100)}"` })
  for (let n = 0; n < 60; n++) expect((await send(n)).status).toBe(204)
  const kept: { url: string; body: string }[] = (await sandbox.call('GET', '/sandbox/inbox')).body
  expect(kept.at(-1)!.url).toBe('/sandbox/inbox?of=59')
  const bytes = kept.reduce((sum, { body }) => sum + 2 * body.length, 0)
  expect(bytes).toBeLessThan(50_000_000)
  expect(bytes).toBeGreaterThan(45_000_000)
  expect((await sandbox.call('POST', '/sandbox/inbox?of=last', { app: null, body: 'x' })).status).toBe(204)
})

describe('time in a sandbox', () => {
  it('starts and ends campaigns, and webhooks say so at their times, signed and marked', async () => {
    const hook = await sandbox.call('POST', '/webhook', {
      body: { url: `${base}/sandbox/inbox?of=times`, events: ['campaign.started', 'campaign.ended'] },
    })
    expect(hook.status).toBe(201)
    const customer = await sandbox.newCustomer({ timezone: 'Asia/Tokyo' })
    const { now } = (await sandbox.call('GET', '/sandbox/clock')).body
    const start = now + 3 * DAY_S + 17
    const end = start + 2 * DAY_S
    const made = await sandbox.call('POST', `/campaign?cuid=${customer.cuid}`, {
      as: customer,
      body: { name: 'Later', start, end, dailySpend: 10 },
    })
    expect(made.status).toBe(201)
    const { cid } = made.body
    const { body } = await move({ by: 10 * DAY_S })
    const about = body.events.filter((event: { cid?: number }) => event.cid === cid)
    expect(about).toEqual([
      { time: start, kind: 'campaign.started', cuid: customer.cuid, cid },
      { time: end, kind: 'campaign.ended', cuid: customer.cuid, cid },
    ])
    const calls = (await sandbox.call('GET', '/sandbox/inbox')).body.filter(
      ({ url }: { url: string }) => url === '/sandbox/inbox?of=times',
    )
    expect(
      calls.map((call: { time: number; body: string }) => [call.time, JSON.parse(call.body).type]),
    ).toEqual([
      [start, 'campaign.started'],
      [end, 'campaign.ended'],
    ])
    expect(calls[0].headers['x-marquee-sandbox']).toBe(String(start))
    const [first] = calls
    const verified = await verifyWebhook(first.headers, first.body, hook.body.secret, { nowMs: start * 1000 })
    expect(verified.type).toBe('campaign.started')
  })

  it('sends any event with the object as it is, to the webhooks of its own app', async () => {
    const hook = await sandbox.call('POST', '/webhook', { body: { url: `${base}/sandbox/inbox?of=events` } })
    const customer = await sandbox.newCustomer({ prepaid: true })
    const send = (type: string, id: number) => sandbox.call('POST', '/sandbox/event', { body: { type, id } })
    expect((await send('customer.balance_low', customer.cuid)).status).toBe(200)
    expect((await send('campaign.ended', customer.cuid)).body.code).toBe('not_found')
    expect((await send('customer.credited', customer.cuid)).body.code).toBe('not_found')
    await sandbox.call('POST', `/customer/${customer.cuid}/credit`, {
      body: { amount: 5, reference: 'paid' },
    })
    expect((await send('customer.credited', customer.cuid)).status).toBe(200)
    const sentOf = (type: string, count: number) =>
      until(async () => {
        const bodies = (await sandbox.call('GET', '/sandbox/inbox')).body
          .filter(({ url }: { url: string }) => url.endsWith('?of=events'))
          .map(({ body }: { body: string }) => JSON.parse(body))
          .filter((event: { type: string }) => event.type === type)
        return bodies.length >= count ? bodies : null
      })
    const [low] = await sentOf('customer.balance_low', 1)
    expect(low.data).toMatchObject({ cuid: customer.cuid, balance: 0 })
    // Has the same data as the event that the credit itself sent.
    const [credited, again] = await sentOf('customer.credited', 2)
    expect(again.data).toEqual(credited.data)
    await sandbox.call('DELETE', `/webhook/${hook.body.wid}`)
  })

  it('sends the proposal that an event of proposals is about, by its own id', async () => {
    const hook = await sandbox.call('POST', '/webhook', {
      body: { url: `${base}/sandbox/inbox?of=proposals` },
    })
    const { cuid, key, token } = await sandbox.newCustomer()
    const start = Math.floor(sandbox.clock.nowMs() / 1000)
    const body = { name: 'Spring', start, end: start + 10 * DAY_S, dailySpend: 20 }
    const path = `/campaign?cuid=${cuid}&propose=true`
    const { proposal } = (await sandbox.call('POST', path, { as: { key, token }, body })).body
    const send = (type: string, id: number) => sandbox.call('POST', '/sandbox/event', { body: { type, id } })
    expect((await send('proposal.created', cuid)).body.code).toBe('not_found')
    const answer = await send('proposal.created', proposal.id)
    expect(answer).toMatchObject({ status: 200, body: { kind: 'proposal.created', cuid } })
    expect((await send('proposal.expired', proposal.id)).status).toBe(200)
    const events = await until(async () => {
      const bodies = (await sandbox.call('GET', '/sandbox/inbox')).body
        .filter(({ url }: { url: string }) => url.endsWith('?of=proposals'))
        .map((call: { body: string }) => JSON.parse(call.body))
        .filter(({ type }: { type: string }) => type.startsWith('proposal.'))
      return bodies.length === 3 ? bodies : null
    })
    const [first, again] = events.filter(({ type }: { type: string }) => type === 'proposal.created')
    expect(first.data).toMatchObject({ id: proposal.id, cuid, status: 'pending', by: { kind: 'key' } })
    // Has the same data as the event that the proposal itself sent.
    expect(again.data).toEqual(first.data)
    const expired = events.find(({ type }: { type: string }) => type === 'proposal.expired')
    expect(expired.data).toMatchObject({ id: proposal.id, after: { name: 'Spring' } })
    await sandbox.call('DELETE', `/webhook/${hook.body.wid}`)
  })

  it('lets a failed webhook be tried again until it is given up, days later', async () => {
    const port = await freePort()
    const hook = await sandbox.call('POST', '/webhook', {
      body: { url: `http://127.0.0.1:${port}/`, events: ['banner.approved'] },
    })
    const tested = await sandbox.call('POST', `/webhook/${hook.body.wid}/test`)
    expect(tested.status).toBeLessThan(300)
    await move({ by: 3 * DAY_S })
    const [last] = (await sandbox.call('GET', `/webhook/${hook.body.wid}/delivery`)).body
    expect(last.state).toBe('failed')
    expect(last.attempts.length).toBe(8)
  })

  it('keeps mails, and a passcode is over when its time is', async () => {
    const { email } = await sandbox.newCustomer()
    const path = `/customer/${encodeURIComponent(email)}`
    await sandbox.call('GET', `${path}/passcode`)
    const [mail] = (await sandbox.call('GET', `/sandbox/outbox?to=${encodeURIComponent(email)}`)).body
    const passcode = /\b\d{6}\b/.exec(mail.text)![0]
    await move({ by: DAY_S })
    const late = await sandbox.call('GET', `${path}/auth?passcode=${passcode}`)
    expect(late.body.code).toBe('passcode_invalid')
  })
})

describe('visitors', () => {
  it('are refused if the request is impossible', async () => {
    const faultsOf = async (body: object) =>
      (await sandbox.call('POST', '/sandbox/traffic', { body })).body.errors.map(
        ({ path, code }: { path: string; code: string }) => `${path} ${code}`,
      )
    expect(await faultsOf({})).toEqual(['/perHour required'])
    expect(await faultsOf({ perHour: 1, requests: 1 })).toEqual(['/perHour not_together'])
    expect(await faultsOf({ perHour: 1, from: START_S - 1 })).toContain('/from not_in_the_future')
    expect(await faultsOf({ perHour: 1, from: START_S + 9, to: START_S + 8 })).toContain(
      '/to not_after_start',
    )
    expect(await faultsOf({ requests: 1, to: START_S + 400 * 366 * DAY_S })).toEqual(['/to too_large'])
    expect(await faultsOf({ perHour: 90_000, to: START_S + 300 * DAY_S })).toEqual(['/perHour too_large'])
    expect(await faultsOf({ perHour: 1, mix: { countries: {}, sizes: { '300x250': 0 } } })).toEqual([
      '/mix/countries empty',
      '/mix/sizes empty',
    ])
    expect(await faultsOf({ perHour: 1, mix: { categories: { IAB99: 1 } } })).toEqual([
      '/mix/categories/IAB99 unknown_category',
    ])
    expect(await faultsOf({ perHour: 1, mix: { countries: { XX: 1 } } })).toEqual([
      '/mix/countries/XX not_a_country',
    ])
    expect(
      await faultsOf({ perHour: 1, mix: { places: { 'CA-XX': 1, '*': 1, '@1,2,3': 1, FR: 1 } } }),
    ).toEqual(['/mix/places/* too_short'])
    expect(
      await faultsOf({ perHour: 1, mix: { countries: { CA: 1 }, places: { FR: 1, 'CA-XX': 1 } } }),
    ).toEqual(['/mix/countries not_together', '/mix/places/CA-XX place_region_unknown'])
  })

  it('fit what campaigns are meant for: live in their towns, read their pages, have room for their sizes', async () => {
    const period = { start: (await now()) - 1, end: (await now()) + DAY_S, dailySpend: 50, cpm: 1 }
    const geos = [
      { geos: ['FR-IDF'] },
      { geos: ['JP-13-Tokyo'] },
      { radius: 2000, geocode: [-33.8688, 151.2093] },
    ]
    const served = await Promise.all(
      geos.map(geo =>
        newServedCampaign(sandbox as unknown as ListeningService, {
          campaign: period,
          persona: { geo, cat: ['IAB23'] },
        }),
      ),
    )
    const imps = () =>
      Promise.all(
        served.map(
          async ({ customer, cid }) => (await customer.call('GET', `/stats/${cid}/summary`)).body.imps,
        ),
      )
    const send = async (body: object) => {
      await sandbox.call('POST', '/sandbox/traffic', { body: { to: (await now()) + 600, ...body } })
      await until(async () => (await sandbox.call('GET', '/sandbox/traffic')).body.done || null)
    }
    const { customer, cid, path } = served[0]!
    const headers = { 'content-type': 'image/png' }
    const { creativeURL } = (await customer.call('POST', '/creative', await picture(970, 250), headers)).body
    const billboard = { creativeURL, clickUrl: 'https://shop.example.com/', name: 'Billboard' }
    const { bid } = (await customer.call('POST', `${path}/banner`, billboard)).body
    await until(async () => {
      const { status } = (await customer.call('GET', `${path}/banner/${bid}`)).body
      return status === 'approved' || null
    })
    await send({ requests: 200 })
    const first = await imps()
    for (const count of first) expect(count).toBeGreaterThan(0)
    const { breakdown } = (await customer.call('GET', `/stats/${cid}/breakdown/banner`)).body
    expect(breakdown.map(({ name }: { name: string }) => name)).toContain('Billboard')
    await send({ requests: 50, mix: { places: { 'JP-13-Tokyo': 1 } } })
    const second = await imps()
    expect(second.map((count, at) => count > first[at]!)).toEqual([false, true, false])
    // A country consists of all of its towns; larger ones have more visitors.
    await send({ requests: 50, mix: { countries: { FR: 1 } } })
    expect((await imps()).map((count, at) => count > second[at]!)).toEqual([true, false, false])
  })
})

describe('what visitors do when their traffic is over', () => {
  it('happens when the clock gets there: purchases come up to three hours after their clicks', async () => {
    await newServedCampaign(sandbox as unknown as ListeningService, {
      campaign: { start: (await now()) - 1, end: (await now()) + DAY_S, dailySpend: 50, cpm: 1 },
    })
    const mix = { countries: { CA: 1 }, sizes: { '300x250': 1 }, ctr: 1, cvr: 1 }
    await sandbox.call('POST', '/sandbox/traffic', {
      body: { to: (await now()) + 60, requests: 20, mix },
    })
    const figures = async () => (await sandbox.call('GET', '/sandbox/traffic')).body
    const first = await until(async () => ((await figures()).done ? figures() : null))
    expect(first.counted.imps).toBeGreaterThan(0)
    await move({ by: 4 * 3600 })
    const { counted } = await figures()
    expect(counted.clicks).toBeGreaterThan(0)
    expect(counted.clicks).toBeGreaterThanOrEqual(first.counted.clicks)
    expect(counted.actions).toBe(counted.clicks)
  })

  it('they are over only when the clock is free again: figures that are still being folded are awaited', async () => {
    const to = (await now()) + 60
    const folding = await sandbox.db.pool.connect()
    const isOver = async () => (await sandbox.call('GET', '/sandbox/traffic')).body.done
    let sent: Promise<TestAnswer>
    try {
      await folding.query('begin')
      await folding.query('lock table fresh_part')
      sent = sandbox.call('POST', '/sandbox/traffic', { body: { to, requests: 1 } })
      await until(async () => (await now()) === to || null)
      // Everything else is done within this time.
      await new Promise(resolve => setTimeout(resolve, 500))
      expect(await isOver()).toBe(false)
    } finally {
      await folding.query('rollback')
      folding.release()
    }
    await sent
    await until(async () => (await isOver()) || null)
    expect((await sandbox.call('POST', '/sandbox/clock', { body: { by: 1 } })).status).toBe(200)
  })
})

describe('commands beside it', () => {
  it('use its clock, and issue its pairs', async () => {
    const env = { DATABASE_URL: sandbox.config.DATABASE_URL!, DATA_DIR: sandbox.config.DATA_DIR }
    const { output } = await callMarquee(['app', 'create', 'beside', '--json'], env)
    const { superkey, supertoken, created } = JSON.parse(output)
    expect(superkey).toMatch(/^mqsk_sandbox_/)
    expect(Math.floor(new Date(created).getTime() / 1000)).toBe(await now())
    const app = { key: superkey, token: supertoken }
    expect((await sandbox.call('GET', '/customer', { app })).body).toEqual([])
  })
})

describe('a sandbox and a real deployment', () => {
  it('are never confused', async () => {
    const real = await startTestService()
    try {
      const realUrl = await real.listen()
      expect(sandbox.app.key).toMatch(/^mqsk_sandbox_/)
      const there = await real.call('GET', '/customer', { app: sandbox.app })
      expect(there.body).toMatchObject({ code: 'credentials_invalid', reason: 'credentials_of_sandbox' })
      const here = await sandbox.call('GET', '/customer', { app: real.app })
      expect(here.body).toMatchObject({ code: 'credentials_invalid', reason: 'credentials_not_of_sandbox' })
      expect((await real.call('GET', '/sandbox/clock')).status).toBe(404)
      expect(real.routes.filter(route => route.includes('/sandbox'))).toEqual([])
      expect(sandbox.routes.filter(route => route.includes('/sandbox')).length).toBeGreaterThan(8)
      expect((await real.call('GET', '/healthz')).headers['x-marquee-sandbox']).toBeUndefined()
      const image = await fetch(`${realUrl}/sandbox/image/approved/300x250.png`)
      expect(image.status).toBe(404)
      expect(real.app.key).not.toContain('sandbox')
      // Its statements get the time from PostgreSQL itself.
      const schema = await real.db.row<{ of: string }>(
        `select pronamespace::regnamespace::text as of from pg_proc where oid = 'now()'::regprocedure`,
      )
      expect(schema!.of).toBe('pg_catalog')
      const visit = { source: real.firstCredentials!.serverKey, size: '300x250', geo: { country: 'ZZ' } }
      // A process that is busy may answer without errors; then the test asks again.
      const errors = await until(async () => {
        const body = JSON.stringify(visit)
        const asked = await fetch(`${realUrl}/ad`, { method: 'POST', headers: JSON_BODY, body })
        return ((await asked.json()) as { errors?: object[] }).errors ?? null
      })
      expect(errors).toMatchObject([{ path: '/geo/country', code: 'not_a_country' }])
      const asSandbox = openSandbox(real.databaseUrl, { ...real.config, SANDBOX: true }, 0)
      await expect(asSandbox).rejects.toThrow('belongs to a real deployment')
      const asReal = openSandbox(sandbox.databaseUrl, { ...sandbox.config, SANDBOX: false }, 0)
      await expect(asReal).rejects.toThrow('belongs to a sandbox')
      // A sandbox's database may be less durable.
      for (const [{ databaseUrl, config }, severity] of [
        [real, 'error'],
        [sandbox, 'ok'],
      ] as const) {
        const env = { DATABASE_URL: databaseUrl, DATA_DIR: config.DATA_DIR }
        const { findings } = JSON.parse((await runMarquee(['doctor', '--json'], env)).output)
        expect(findings).toContainEqual(expect.objectContaining({ check: 'durability', severity }))
      }
    } finally {
      await real.close()
    }
  })
})

it('a campaign that nobody’s request fits is reported once: as an issue, by webhook and by mail', async () => {
  await sandbox.call('POST', '/sandbox/reset')
  const inbox = `${base}/sandbox/inbox?of=stalled`
  await sandbox.call('POST', '/webhook', { body: { url: inbox, events: ['campaign.stalled'] } })
  const start = await now()
  const served = await newServedCampaign(sandbox as unknown as ListeningService, {
    campaign: { start, end: start + 30 * DAY_S },
    persona: { geo: { geos: ['IS'] }, device: { tablet: true } },
  })
  const { customer, cid } = served
  const issues = async () => (await customer.call('GET', `/campaign/${cid}/issues`)).body
  const play = async () => {
    const body = {
      requests: 400,
      to: (await now()) + DAY_S,
      mix: { countries: { CA: 1 }, devices: { mobile: 1 } },
    }
    await sandbox.call('POST', '/sandbox/traffic', { body })
    await until(async () => (await sandbox.call('GET', '/sandbox/traffic')).body.done)
    await move({ by: 7 * 3600 })
  }
  await play()
  expect(await issues()).toMatchObject([
    {
      code: 'no_request_fits',
      findings: [{ code: 'no_request_fits', params: { requests: expect.any(Number) } }],
    },
  ])
  const reported = async () =>
    (await sandbox.call('GET', '/sandbox/inbox')).body
      .filter(({ url }: { url: string }) => url.endsWith('?of=stalled'))
      .map(({ body }: { body: string }) => JSON.parse(body))
  expect(await reported()).toMatchObject([
    {
      type: 'campaign.stalled',
      data: { cid, findings: [{ code: 'no_request_fits' }] },
    },
  ])
  const mails = async () =>
    (await sandbox.call('GET', '/sandbox/outbox')).body.filter(({ subject }: { subject: string }) =>
      subject.includes('stopped delivering'),
    )
  expect((await mails())[0].text).toContain('no ad request of the last day fits it')
  // An edit counts as fixed until the next check; a problem that continues is not reported again.
  await customer.call('PUT', served.path, { geo: { geos: ['IS', 'GL'] } })
  expect(await issues()).toEqual([])
  await play()
  expect(await issues()).toMatchObject([{ code: 'no_request_fits' }])
  expect([await reported(), await mails()].map(all => all.length)).toEqual([1, 1])
  await customer.call('PUT', served.path, { geo: { geos: ['CA'] }, device: { mobile: true } })
  await play()
  expect(await issues()).toEqual([])
})
