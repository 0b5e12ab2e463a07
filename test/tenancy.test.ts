// Nothing of another tenant is ever visible or changeable. The cases are made from the endpoints themselves, so that no
// new route can be forgotten: every route × every kind of foreign credential and id.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EndpointSpec } from '../src/http/endpoint.ts'
import { appCellOf, cellOf } from '../src/http/scope.ts'
import { createApp, livingAppId } from '../src/identity/apps.ts'
import { addStaff, changeStaff, removeStaff } from '../src/identity/staff/staff.ts'
import { addSuperPair, type NewSuperPair } from '../src/identity/super-pairs.ts'
import {
  APP_RIGHTS,
  ROLES,
  rightOf,
  SCOPES,
  STAFF_ROLES,
  type StaffRole,
  scopeOf,
} from '../src/kernel/permissions.ts'
import { picture } from './support/banners.ts'
import { invitationIn, mailsTo, passcodeFor, type Visitor, visit } from './support/console.ts'
import { startTestService, type TestPair, type TestService } from './support/service.ts'
import { buildTenant, type Tenant } from './support/tenant.ts'

let service: TestService
let otherApp: TestPair
let own: Tenant
let sibling: Tenant
let foreign: Tenant

beforeAll(async () => {
  service = await startTestService()
  otherApp = (await createApp(service.db, { name: 'other', passcode: true, nopasscode: true }, service.clock))
    .pair
  own = await buildTenant(service, service.app, { webhook: true })
  sibling = await buildTenant(service, service.app, { webhook: true })
  foreign = await buildTenant(service, otherApp, { webhook: true })
})
afterAll(() => service.close())

/** Fills a path's variables from one tenant, or from several: `{ cid: own, pid: foreign }`. */
function urlOf(
  endpoint: EndpointSpec,
  tenant: Tenant,
  cuid: number,
  mixed: Partial<Tenant['ids']> & { key?: string } = {},
): string {
  const ids: Record<string, string | number> = { ...tenant.ids, ...mixed }
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(ids[name] ?? '1')),
  )
  const query = new URLSearchParams()
  if (endpoint.cuid) query.set('cuid', String(cuid))
  for (const [name, value] of Object.entries(endpoint.query ?? {})) {
    if (value.required) query.set(name, 'a')
    // A list of what a campaign has names the campaign.
    if (name === 'cid') query.set(name, String(ids.cid))
  }
  return `${path}?${query}`
}

/** A valid body, so that only tenancy can refuse it. */
function bodyOf(endpoint: EndpointSpec): unknown {
  if (endpoint.rawBody) return Buffer.from('x')
  return endpoint.body ? (endpoint.examples?.body ?? {}) : undefined
}

/** The same, with an image where one is wanted. */
async function sent(endpoint: EndpointSpec) {
  if (!endpoint.rawBody) return { body: bodyOf(endpoint) }
  return { body: await picture(300, 250), headers: { 'content-type': 'image/png' } }
}

/** Everything that the tenant owns, as text; of banners, without what a repeated review notes meanwhile. */
async function stateOf(tenant: Tenant): Promise<string> {
  const { cuid, wid, sid } = tenant.ids
  const rows = await service.db.rows<{ row: string }>(
    `select 'u' || c::text as row from customer c where cuid = $1
     union all select 'k' || k::text from credential k where cuid = $1
     union all select 'm' || m::text from member m where cuid = $1
     union all select 't' || t::text from sso_ticket t where cuid = $1
     union all select 'p' || p::text from passcode p where cuid = $1
     union all select 'c' || c::text from campaign c where cuid = $1
     union all select 'f' || f::text from flight f join campaign c using (cid) where cuid = $1
     union all select 'r' || p::text from persona p join campaign c using (cid) where cuid = $1
     union all select 'b' || (to_jsonb(b) - '{reasons,findings,version,updated_at}'::text[])::text from banner b join persona p using (pid) join campaign c on c.cid = p.cid where cuid = $1
     union all select 'n' || n::text from note n where cuid = $1
     union all select 'v' || v::text from saved_view v where cuid = $1
     union all select 'e' || e::text from account_entry e where cuid = $1
     union all select 'a' || a::text from account a where cuid = $1
     union all select 'w' || w::text from webhook w where wid = $2
     union all select 'd' || d::text from webhook_delivery d where wid = $2
     union all select 's' || s::text from staff s where sid = $3
     order by 1`,
    [cuid, wid, sid],
  )
  return rows.map(row => row.row).join('\n')
}

/** Images, secrets, decisions, what is done in several transactions, and what tells others. */
const NOT_TRIED = [
  'deleteCustomer',
  'addMember',
  'inviteMember',
  'resetPasskeys',
  'redeemSso',
  'addStaff',
  'resetStaffPasskeys',
  'approveBanner',
  'rejectBanner',
  'checkLandingPage',
  'approveProposal',
  'declineProposal',
  'uploadCreative',
  'renewSourceKey',
  'checkSource',
  'rotateWebhookSecret',
  'testWebhook',
  'retryWebhookDelivery',
  'reportAction',
]

const ALL_OWNERS = () => [own, sibling, foreign]

async function expectRefused(
  endpoint: EndpointSpec,
  url: string,
  as: object,
  statuses: number[],
  victims: Tenant[],
) {
  const before = await Promise.all(victims.map(stateOf))
  const answer = await service.call(endpoint.method, url, { ...as, body: bodyOf(endpoint) })
  expect(statuses, `${endpoint.method} ${url} → ${answer.status} ${answer.text.slice(0, 200)}`).toContain(
    answer.status,
  )
  expect(await Promise.all(victims.map(stateOf))).toEqual(before)
  for (const victim of victims) {
    expect(answer.text).not.toContain(victim.secretName)
    expect(JSON.stringify(answer.headers)).not.toContain(victim.secretName)
  }
}

describe('every route with cuid in the query', () => {
  it('own pair, foreign cuid: 401, whether it exists or not', async () => {
    for (const endpoint of withCuid()) {
      for (const victim of [sibling, foreign]) {
        await expectRefused(
          endpoint,
          urlOf(endpoint, victim, victim.ids.cuid),
          { as: own.pair },
          [401],
          [victim],
        )
      }
      await expectRefused(endpoint, urlOf(endpoint, own, 999_999_999), { as: own.pair }, [401], ALL_OWNERS())
    }
  })

  it('super pair of another app: 401 by cuid in the query', async () => {
    for (const endpoint of withCuid()) {
      await expectRefused(
        endpoint,
        urlOf(endpoint, own, own.ids.cuid),
        { app: otherApp },
        [401],
        ALL_OWNERS(),
      )
    }
  })

  it('own pair and cuid, foreign ids in the path: 404', async () => {
    for (const endpoint of withCuid().filter(hasIds)) {
      for (const victim of [sibling, foreign]) {
        await expectRefused(
          endpoint,
          urlOf(endpoint, victim, own.ids.cuid),
          { as: own.pair },
          [404],
          ALL_OWNERS(),
        )
      }
    }
  })

  it('own campaign with a foreign object beneath it: 404', async () => {
    for (const endpoint of withCuid()) {
      for (const name of ['fid', 'pid', 'bid'] as const) {
        if (!endpoint.path.includes(`:${name}`)) continue
        const url = urlOf(endpoint, own, own.ids.cuid, { [name]: sibling.ids[name] })
        await expectRefused(endpoint, url, { as: own.pair }, [404], ALL_OWNERS())
      }
    }
  })

  it('a customer pair names the cuid in every call: without it, or with a text, 400', async () => {
    for (const endpoint of withCuid()) {
      for (const query of [
        '',
        'cuid=',
        'cuid=mine',
        'cuid=1.5',
        `cuid=${own.ids.cuid}&cuid=${own.ids.cuid}`,
      ]) {
        const url = urlOf(endpoint, own, 0).replace('cuid=0', query)
        await expectRefused(endpoint, url, { as: own.pair }, [400], ALL_OWNERS())
      }
    }
    const { body } = await service.call('GET', '/campaign', { as: own.pair })
    expect(body).toMatchObject({ code: 'missing_cuid', errors: [{ path: '?cuid', message: 'is required' }] })
  })

  it('no credentials, or a missing cuid: 401, then 400', async () => {
    for (const endpoint of withCuid()) {
      const url = urlOf(endpoint, own, own.ids.cuid)
      await expectRefused(endpoint, url, { as: null }, [401], ALL_OWNERS())
      await expectRefused(endpoint, url.replace(/cuid=\d+/, ''), {}, [400], ALL_OWNERS())
      await expectRefused(
        endpoint,
        url.replace(/cuid=\d+/, 'cuid=1e3'),
        { as: own.pair },
        [400],
        ALL_OWNERS(),
      )
    }
  })
})

describe('every route with the customer in the path', () => {
  it('customer pair, other customer: 401', async () => {
    for (const endpoint of inPath()) {
      for (const victim of [sibling, foreign]) {
        await expectRefused(endpoint, urlOf(endpoint, victim, 0), { as: own.pair }, [401], ALL_OWNERS())
      }
    }
  })

  it('super pair of another app: 404, as if it did not exist', async () => {
    for (const endpoint of inPath()) {
      const url = urlOf(endpoint, own, 0, { email: own.ids.email, identifier: own.ids.cuid })
      await expectRefused(endpoint, url, { app: otherApp }, [404], ALL_OWNERS())
    }
  })
})

describe('every route of what belongs to an app', () => {
  const ofApp = () => service.api.endpoints.filter(endpoint => /:[ws]id/.test(endpoint.path))

  it('super pair of another app: 404, as if it did not exist', async () => {
    expect(ofApp().length).toBeGreaterThan(5)
    for (const endpoint of ofApp()) {
      await expectRefused(endpoint, urlOf(endpoint, own, 0), { app: otherApp }, [404], ALL_OWNERS())
      const mixed = { wid: foreign.ids.wid, did: own.ids.did }
      if (endpoint.path.includes(':did')) {
        await expectRefused(endpoint, urlOf(endpoint, own, 0, mixed), { app: otherApp }, [404], ALL_OWNERS())
      }
    }
  })

  it('customer pair, its own app: 401', async () => {
    for (const endpoint of ofApp()) {
      await expectRefused(endpoint, urlOf(endpoint, own, 0), { as: own.pair }, [401], ALL_OWNERS())
    }
  })

  it('a list shows nothing of another app', async () => {
    for (const path of ['/webhook', '/staff', '/staff/history']) {
      const { text } = await service.call('GET', path, { app: otherApp })
      expect(text).toContain(foreign.secretName)
      expect(text).not.toContain(own.secretName)
    }
  })
})

it('every route that is not public refuses a caller without credentials', async () => {
  for (const endpoint of service.api.endpoints.filter(item => item.access !== 'public')) {
    await expectRefused(endpoint, urlOf(endpoint, own, own.ids.cuid), { as: null }, [401], ALL_OWNERS())
  }
})

describe('the keys of a site', () => {
  const keysOf = () => {
    const { bidUrl, siteKey, serverKey } = service.firstCredentials!
    return { siteKey, serverKey, bidKey: bidUrl.split('/').at(-1)! }
  }

  it('open nothing that needs credentials, in whatever form they are sent', async () => {
    const { siteKey, serverKey, bidKey } = keysOf()
    for (const endpoint of service.api.endpoints.filter(item => item.access !== 'public')) {
      const url = urlOf(endpoint, own, own.ids.cuid)
      for (const [key, token] of [
        [siteKey, serverKey],
        [bidKey, serverKey],
        [own.pair.key, serverKey],
      ] as const)
        await expectRefused(endpoint, url, { as: { key, token } }, [401], ALL_OWNERS())
    }
  })

  it('are shown by no route, to no customer and no app; the public one only to staff, who pass it on', async () => {
    const { siteKey, ...secret } = keysOf()
    for (const endpoint of service.api.endpoints.filter(
      item => item.method === 'GET' && !item.dataPlane && !item.path.includes(':email'),
    )) {
      for (const as of [{ as: own.pair }, {}, { app: otherApp }]) {
        const { text } = await service.call('GET', urlOf(endpoint, own, own.ids.cuid), as)
        const isHelp = endpoint.path === '/source' && !('as' in as)
        for (const key of [...Object.values(secret), ...(isHelp ? [] : [siteKey])])
          expect(text, endpoint.path).not.toContain(key)
      }
    }
  })
})

describe('every route × every scope of a pair', () => {
  const ofCustomers = () => service.api.endpoints.filter(({ access }) => access === 'customer')
  const pairOf = async (tenant: Tenant, body: object): Promise<TestPair> =>
    (await service.call('POST', `/customer/${tenant.ids.cuid}/credential`, { as: tenant.pair, body })).body

  /** A person with this role, signed in by the link in the invitation. */
  async function memberOf({ ids: { cuid }, pair }: Tenant, role: string): Promise<Visitor> {
    const body = { email: `${role}-${cuid}@tenant.example`, role }
    await service.call('POST', `/customer/${cuid}/member`, { as: pair, body })
    const [mail] = await mailsTo(service, body.email)
    const visitor = visit(service)
    await visitor.signIn({ invitation: invitationIn(mail!) })
    return visitor
  }

  it.each(SCOPES)('%s: what its cell refuses changes nothing, and nothing else is refused', async scope => {
    const spare = await buildTenant(service, service.app)
    const pair = await pairOf(spare, { scope })
    const keep = await pairOf(spare, {})
    const person = await memberOf(spare, ROLES.find(role => scopeOf(role) === scope)!)
    // The last ones end what the others need.
    const last = ['revokeCredential', 'freezeCustomer', 'unfreezeCustomer']
    const ordered = [...ofCustomers()].sort((a, b) => last.indexOf(a.id) - last.indexOf(b.id))
    for (const endpoint of ordered) {
      const url = urlOf(endpoint, spare, spare.ids.cuid, { key: keep.key })
      const before = await stateOf(spare)
      const answer = await service.call(endpoint.method, url, { as: pair, ...(await sent(endpoint)) })
      const cell = cellOf(endpoint, scope)
      const said = [endpoint.id, answer.body?.code === 'scope_too_low', answer.body?.reason]
      if (cell === 'no') {
        expect(said).toEqual([endpoint.id, true, undefined])
        const byPerson = await person.call(endpoint.method, url, await sent(endpoint))
        expect([endpoint.id, byPerson.body?.code]).toEqual([endpoint.id, 'scope_too_low'])
        expect(await stateOf(spare)).toBe(before)
      } else if (cell === 'yes') expect(said.slice(0, 2)).toEqual([endpoint.id, false])
      else {
        expect(said.slice(0, 2)).toEqual([endpoint.id, false])
        if (answer.status === 202) {
          expect(answer.body.proposal).toMatchObject({ operation: endpoint.id, status: 'pending' })
          const byPerson = await person.call(endpoint.method, url, await sent(endpoint))
          expect([endpoint.id, byPerson.status]).toEqual([endpoint.id, 202])
          expect(await stateOf(spare)).toBe(before)
        }
      }
    }
  })

  it('a pair of some campaigns reads and changes those alone, and may end itself', async () => {
    const spare = await buildTenant(service, service.app)
    const { cuid, cid, pid } = spare.ids
    const body = { name: 'other', start: 1_900_000_000, end: 1_900_086_400, dailySpend: 1 }
    const other = (await service.call('POST', `/campaign?cuid=${cuid}`, { as: spare.pair, body })).body
    const pair = await pairOf(spare, { scope: 'spend', cids: [other.cid] })
    for (const endpoint of ofCustomers().filter(({ ofAnyCampaign }) => !ofAnyCampaign)) {
      const before = await stateOf(spare)
      const url = urlOf(endpoint, spare, cuid, { key: spare.pair.key })
      const { body } = await service.call(endpoint.method, url, { as: pair, ...(await sent(endpoint)) })
      const codes = ['campaign_not_allowed', 'scope_too_low']
      expect(codes, `${endpoint.id} ${JSON.stringify(body).slice(0, 200)}`).toContain(body.code)
      expect(await stateOf(spare)).toBe(before)
    }
    const call = (method: string, path: string, body?: object) =>
      service.call(method, `${path}?cuid=${cuid}`, { as: pair, body })
    expect((await call('GET', '/campaign')).body.map((item: { cid: number }) => item.cid)).toEqual([
      other.cid,
    ])
    expect((await call('POST', '/campaign', body)).body.code).toBe('campaign_not_allowed')
    expect((await call('POST', `/campaign/${other.cid}/copy`, {})).body.code).toBe('campaign_not_allowed')
    expect((await call('PUT', `/campaign/${other.cid}`, { dailySpend: 2 })).status).toBe(200)
    const operations = [
      { op: 'pauseCampaign', cid },
      { op: 'pauseCampaign', cid: other.cid },
      { op: 'createCampaign', body },
      { op: 'pausePersona', cid, pid },
    ]
    const { results } = (await call('POST', '/bulk', { operations })).body
    expect(results.map(({ status }: { status: number }) => status)).toEqual([403, 200, 403, 403])
    const ended = await service.call('DELETE', `/customer/${cuid}/credential/${pair.key}`, { as: pair })
    expect(ended.status).toBe(200)
  })

  it('a pair of some campaigns reads the figures of all that is in them, and no others', async () => {
    const spare = await buildTenant(service, service.app)
    const { cuid, cid, fid, pid, bid } = spare.ids
    const body = { name: 'other', start: 1_900_000_000, end: 1_900_086_400, dailySpend: 1 }
    const other = (await service.call('POST', `/campaign?cuid=${cuid}`, { as: spare.pair, body })).body
    const [own, foreign] = await Promise.all(
      [cid, other.cid].map(only => pairOf(spare, { scope: 'read', cids: [only] })),
    )
    const figures = ofCustomers().filter(({ path }) => path.startsWith('/stats/:id/'))
    expect(figures.length).toBeGreaterThan(5)
    for (const { path } of figures) {
      for (const id of [cid, fid, pid, bid, cuid]) {
        const url = `${path.replace(':id', `${id}`).replace(':dimension', 'domain')}?cuid=${cuid}`
        const read = async (as: TestPair) => (await service.call('GET', url, { as })).status
        const isWhole = id === cuid && path.endsWith('/events') ? 404 : id === cuid ? 403 : 200
        expect([url, await read(own!), await read(foreign!)]).toEqual([
          url,
          isWhole,
          isWhole === 200 ? 403 : isWhole,
        ])
      }
      const unknown = `${path.replace(':id', '999999999').replace(':dimension', 'domain')}?cuid=${cuid}`
      expect((await service.call('GET', unknown, { as: own })).status).toBe(404)
    }
  })
})

describe('every route × a super pair that may do less', () => {
  let pairs = 0
  const superPair = async (limits: Partial<NewSuperPair>): Promise<TestPair> => {
    const wanted = { name: `pair ${++pairs}`, scope: 'all', cuids: null, expiresAt: null, ...limits } as const
    return addSuperPair(service.db, await livingAppId(service.db, 'default'), wanted, service.clock)
  }
  const guarded = () => service.api.endpoints.filter(({ access }) => access !== 'public')

  it('of some customers: to it, others of the app are as those of another app', async () => {
    const app = await superPair({ cuids: [own.ids.cuid] })
    for (const endpoint of guarded()) {
      const url = urlOf(endpoint, sibling, sibling.ids.cuid)
      if (endpoint.cuid) await expectRefused(endpoint, url, { app }, [401], ALL_OWNERS())
      else if (inPath().includes(endpoint) || endpoint.path.includes(':wid'))
        await expectRefused(endpoint, url, { app }, [404], ALL_OWNERS())
      else if (!endpoint.ofChosenCustomers) await expectRefused(endpoint, url, { app }, [403], ALL_OWNERS())
    }
  })

  it('of some customers: no list, search or report shows another; its own ones it has as before', async () => {
    const app = await superPair({ cuids: [own.ids.cuid] })
    const { cuid, email } = own.ids
    const lists = guarded().filter(
      ({ method, path, needs }) => method === 'GET' && !path.includes(':') && needs !== 'rights',
    )
    expect(lists.length).toBeGreaterThan(5)
    for (const endpoint of lists) {
      const { status, text } = await service.call('GET', urlOf(endpoint, own, cuid), { app })
      expect([endpoint.id, status < 400]).toEqual([endpoint.id, true])
      for (const other of [sibling, foreign]) expect(text).not.toContain(other.secretName)
    }
    const cuids = async (query: string) =>
      (await service.call('GET', `/customer${query}`, { app })).body.map(
        (item: { cuid: number }) => item.cuid,
      )
    expect(await cuids('')).toEqual([cuid])
    expect(await cuids(`?email=${email}`)).toEqual([cuid])
    expect(await cuids(`?email=${sibling.ids.email}`)).toEqual([])
    expect(await cuids('?q=secret-of-tenant')).toEqual([cuid])
    expect((await service.call('GET', `/campaign/${own.ids.cid}?cuid=${cuid}`, { app })).status).toBe(200)
    const { cid } = own.ids
    for (const verb of ['pause', 'resume'])
      expect((await service.call('PUT', `/campaign/${cid}/${verb}?cuid=${cuid}`, { app })).status).toBe(200)
  })

  it('of some customers: by the id of the app it changes its own, creates none, and learns of no other', async () => {
    const put = (app: TestPair | undefined, externalId: string, body: object) =>
      service.call('PUT', `/customer/by-external/${externalId}`, { ...(app ? { app } : {}), body })
    const body = (name: string) => ({ company: name, email: `${name}@limited.example` })
    const mine = (await put(undefined, 'limited-1', body('mine'))).body
    await put(undefined, 'limited-2', body('theirs'))
    const app = await superPair({ cuids: [mine.cuid] })
    expect((await put(app, 'limited-1', { company: 'Mine' })).body.company).toBe('Mine')
    for (const id of ['limited-2', 'limited-3']) {
      const answer = await put(app, id, body('new'))
      expect([answer.status, answer.body.reason]).toEqual([403, 'some_customers_only'])
    }
    expect((await service.call('GET', '/customer?externalId=limited-2', { app })).body).toEqual([])
  })

  it('of some customers: its webhooks tell of these alone, and it has none but those', async () => {
    const app = await superPair({ cuids: [own.ids.cuid] })
    const body = { url: 'http://127.0.0.1:9/', events: ['campaign.paused'] }
    const made = await service.call('POST', '/webhook', { app, body })
    expect(made.status, made.text).toBe(201)
    const { wid, cuids } = made.body
    expect(cuids).toEqual([own.ids.cuid])
    const listed = (await service.call('GET', '/webhook', { app })).body
    expect(listed.map((item: { wid: number }) => item.wid)).toEqual([wid])
    for (const { ids } of [own, sibling])
      for (const verb of ['pause', 'resume'])
        await service.call('PUT', `/campaign/${ids.cid}/${verb}?cuid=${ids.cuid}`)
    const rows = await service.db.rows<{ body: string }>(
      'select body::text as body from webhook_delivery where wid = $1',
      [wid],
    )
    expect(rows.map(row => JSON.parse(row.body).data.cuid)).toEqual([own.ids.cuid])
    expect((await service.call('DELETE', `/webhook/${wid}`)).status).toBe(200)
  })

  /** A person of the staff, signed in by passcode. */
  async function staffWith(role: StaffRole): Promise<Visitor> {
    const email = `${role}@staff.example`
    const appId = await livingAppId(service.db, 'default')
    await addStaff(service.db, appId, { email, name: null, role }, service.clock)
    const visitor = visit(service)
    await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
    return visitor
  }

  it.each(APP_RIGHTS)(
    '%s: what its cell refuses changes nothing, and nothing else is refused',
    async right => {
      const spare = await buildTenant(service, service.app, { webhook: true })
      const role = STAFF_ROLES.find(item => rightOf(item) === right)
      const app = right === 'read' ? await superPair({ scope: right }) : undefined
      const person = role && (await staffWith(role))
      const key = (await service.call('GET', `/customer/${spare.ids.cuid}/auth`)).body.key
      // The last ones end what the others need.
      const last = [
        'freezeCustomer',
        'unfreezeCustomer',
        'deleteWebhook',
        'deleteCustomer',
        'restoreCustomer',
      ]
      const ordered = [...guarded()].sort((a, b) => last.indexOf(a.id) - last.indexOf(b.id))
      for (const endpoint of ordered) {
        const url = urlOf(endpoint, spare, spare.ids.cuid, { key })
        const before = await stateOf(spare)
        const what = await sent(endpoint)
        const answer = person
          ? await person.call(endpoint.method, url, what)
          : await service.call(endpoint.method, url, { app, ...what })
        const isRefused = appCellOf(endpoint, right) === 'no'
        // A session calls nothing that signs others in.
        const code = person && endpoint.sideEffects ? 'session_refused' : 'scope_too_low'
        expect([endpoint.id, answer.body?.code === code]).toEqual([
          endpoint.id,
          isRefused || code === 'session_refused',
        ])
        if (isRefused) expect(await stateOf(spare)).toBe(before)
      }
      if (spare.ids.wid) await service.call('DELETE', `/webhook/${spare.ids.wid}`)
    },
  )

  it('staff act as a customer as far as their role goes, and the history tells who they are', async () => {
    const { cuid, cid } = own.ids
    const [support, finance] = [visit(service), visit(service)]
    for (const [visitor, role] of [[support, 'support'] as const, [finance, 'finance'] as const]) {
      const email = `${role}@staff.example`
      const session = await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
      expect(session.body).toMatchObject({ level: 'app', staff: true, person: { email, staffRole: role } })
      const opened = await visitor.call('POST', '/console/api/session/customer', { body: { cuid } })
      expect(opened.body).toMatchObject({ level: 'customer', staff: true, customer: { cuid } })
      expect((await visitor.call('GET', `/campaign/${cid}?cuid=${cuid}`)).status).toBe(200)
      const raise = await visitor.call('PUT', `/campaign/${cid}?cuid=${cuid}`, { body: { dailySpend: 60 } })
      expect([raise.status, raise.body.reason]).toEqual([403, 'role_too_low'])
      const foreignOne = { body: { cuid: foreign.ids.cuid } }
      expect((await visitor.call('POST', '/console/api/session/customer', foreignOne)).status).toBe(404)
    }
    const pause = (visitor: Visitor) => visitor.call('PUT', `/campaign/${cid}/pause?cuid=${cuid}`)
    expect((await pause(finance)).status).toBe(403)
    expect((await pause(support)).status).toBe(200)
    expect((await support.call('PUT', `/campaign/${cid}/resume?cuid=${cuid}`)).status).toBe(403)
    const operations = ['pauseCampaign', 'resumeCampaign'].map(op => ({ op, cid }))
    const many = await support.call('POST', `/bulk?cuid=${cuid}`, { body: { operations } })
    expect(many.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 403])
    const whole = { body: { operations: [{ op: 'deleteCampaign', cid }], atomic: true } }
    expect((await support.call('POST', `/bulk?cuid=${cuid}`, whole)).body.succeeded ?? 0).toBe(0)
    await service.call('PUT', `/campaign/${cid}/resume?cuid=${cuid}`)
    const { body } = await service.call('GET', `/campaign/${cid}/history?cuid=${cuid}`, { as: own.pair })
    const bys = (body as { by: object }[]).map(({ by }) => by)
    const by = { kind: 'person', name: null, email: 'support@staff.example', as: 'customer' }
    expect(bys).toContainEqual(by)
  })

  it('another role of staff counts at once; who was removed is out at once', async () => {
    const appId = await livingAppId(service.db, 'default')
    const email = 'gone@staff.example'
    await addStaff(service.db, appId, { email, name: 'Gil', role: 'admin' }, service.clock)
    const visitor = visit(service)
    await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
    const brand = () => visitor.call('PUT', '/console/api/brand', { body: { title: 'Shop' } })
    expect((await brand()).status).toBe(200)
    await service.call('GET', '/customer')
    await changeStaff(service.db, appId, email, { role: 'finance' }, service.clock)
    expect((await brand()).body.reason).toBe('role_too_low')
    await removeStaff(service.db, appId, email, service.clock)
    expect((await visitor.call('GET', '/customer')).body.code).toBe('session_ended')
    expect((await visitor.call('GET', '/console/api/session')).body.level).toBe('none')
  })
})

it('a dry run of any route that changes something changes nothing, says so, and tells what it would cost', async () => {
  const writes = service.api.endpoints.filter(({ method, access }) => method !== 'GET' && access !== 'public')
  const tried = writes.filter(({ dryRun }) => dryRun)
  expect(writes.filter(({ dryRun, needs }) => !dryRun && needs !== 'read').map(({ id }) => id)).toEqual(
    NOT_TRIED,
  )
  const spare = await buildTenant(service, service.app, { webhook: true })
  const pair = { key: spare.pair.key }
  let answered = 0
  for (const endpoint of tried) {
    const before = await stateOf(spare)
    const url = `${urlOf(endpoint, spare, spare.ids.cuid, pair)}&dryRun=true`
    const answer = await service.call(endpoint.method, url, await sent(endpoint))
    expect(await stateOf(spare)).toBe(before)
    if (answer.status >= 400) continue
    answered++
    const { dryRun, costsAtMost } = answer.body
    expect([endpoint.id, answer.status, dryRun, typeof costsAtMost]).toEqual([
      endpoint.id,
      200,
      true,
      'number',
    ])
    expect(answer.headers.etag).toBeUndefined()
    expect(Object.keys(answer.body)).not.toEqual(expect.arrayContaining([...(endpoint.makes ?? ['none'])]))
  }
  expect(answered).toBeGreaterThan(30)
})

describe('a frozen customer', () => {
  const changes = () =>
    service.api.endpoints.filter(
      ({ method, access, needs, whenFrozen, cuid, path }) =>
        method !== 'GET' &&
        access !== 'public' &&
        needs !== 'read' &&
        !whenFrozen &&
        (cuid || path.includes(':cuid')),
    )
  const freeze = (verb: 'freeze' | 'unfreeze', as: object) =>
    service.call('PUT', `/customer/${own.ids.cuid}/${verb}`, as)

  it('refuses every route that changes something, with its own pair and with the super pair, and is read as before', async () => {
    expect((await freeze('freeze', { as: own.pair })).body.frozen).toBe(true)
    expect(changes().length).toBeGreaterThan(30)
    for (const endpoint of changes()) {
      const url = urlOf(endpoint, own, own.ids.cuid, { key: own.pair.key })
      for (const as of endpoint.access === 'app' ? [{}] : [{}, { as: own.pair }])
        await expectFrozen(endpoint, url, as, await sent(endpoint))
    }
    const { status, body } = await service.call('PUT', '/customer/by-external/frozen-1', {
      body: { company: 'Frozen soon', email: 'frozen-1@tenant.example' },
    })
    expect([status, body.frozen]).toEqual([201, false])
    await service.call('PUT', `/customer/${body.cuid}/freeze`)
    const put = await service.call('PUT', '/customer/by-external/frozen-1', { body: { company: 'Now' } })
    expect([put.status, put.body.code]).toEqual([403, 'frozen'])
    for (const path of ['/campaign', `/campaign/${own.ids.cid}`, '/issues', `/customer/${own.ids.cuid}`]) {
      const read = await service.call(
        'GET',
        `${path}?cuid=${own.ids.cuid}`.replace(/(\/customer.*)\?.*/, '$1'),
        {
          as: own.pair,
        },
      )
      expect([path, read.status]).toEqual([path, 200])
    }
  })

  it('is unfrozen by its own pair or by its app; doing so again changes nothing', async () => {
    const unfrozen = await freeze('unfreeze', {})
    expect([unfrozen.status, unfrozen.body.frozen]).toEqual([200, false])
    const again = await freeze('unfreeze', { as: own.pair })
    expect(again.headers.etag).toBe(unfrozen.headers.etag)
    const stale = await freeze('freeze', { as: own.pair, headers: { 'if-match': '"1-1"' } })
    expect(stale.status).toBe(412)
    const { cid, cuid } = own.ids
    const pause = () => service.call('PUT', `/campaign/${cid}/pause?cuid=${cuid}`, { as: own.pair })
    expect((await pause()).status).toBe(200)
    await service.call('PUT', `/campaign/${cid}/resume?cuid=${cuid}`, { as: own.pair })
  })

  async function expectFrozen(endpoint: EndpointSpec, url: string, as: object, what: object) {
    const before = await stateOf(own)
    const answer = await service.call(endpoint.method, url, { ...as, ...what })
    expect([endpoint.id, answer.status, answer.body.code]).toEqual([endpoint.id, 403, 'frozen'])
    expect(await stateOf(own)).toBe(before)
  }
})

it('only the app changes the e-mail of a customer, and only of its own customers', async () => {
  const { cuid } = own.ids
  const body = { email: 'moved@elsewhere.example' }
  const before = await stateOf(own)
  expect((await service.call('PUT', `/customer/${cuid}`, { as: own.pair, body })).status).toBe(401)
  expect((await service.call('PUT', `/customer/${cuid}`, { as: sibling.pair, body })).status).toBe(401)
  expect((await service.call('PUT', `/customer/${cuid}`, { app: otherApp, body })).status).toBe(404)
  expect(await stateOf(own)).toBe(before)
})

it('the list of public routes is exactly this one', () => {
  const open = service.api.endpoints.filter(endpoint => endpoint.access === 'public')
  expect(open.map(endpoint => `${endpoint.method} ${endpoint.path}`).sort()).toMatchSnapshot()
})

function withCuid(): EndpointSpec[] {
  return service.api.endpoints.filter(endpoint => endpoint.cuid)
}

function hasIds(endpoint: EndpointSpec): boolean {
  return /:(cid|fid|pid|bid|id)\b/.test(endpoint.path)
}

function inPath(): EndpointSpec[] {
  return service.api.endpoints.filter(
    endpoint => /:(cuid|email|identifier)\b/.test(endpoint.path) && !endpoint.cuid,
  )
}
