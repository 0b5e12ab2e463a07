// Programs that people let act for them: from how they ask to how their access ends, and what they may do between.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  askedAt,
  asking,
  bearer,
  CALLBACK,
  codeIn,
  connect,
  consent,
  exchange,
  form,
  look,
  type Program,
  renew,
  startProgram,
} from '../../../test/support/agents.ts'
import {
  mailsTo,
  passcodeFor,
  type Visitor,
  visit,
  visitAs,
  visitAsStaff,
} from '../../../test/support/console.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { AGAIN_MS, REFRESH_MS } from '../../identity/agents/agents.ts'
import { UNUSED_MS } from '../../identity/agents/programs.ts'
import { REGISTRATIONS } from '../../identity/agents/routes.ts'
import { sweepAccess } from '../../identity/sweep.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/time/units.ts'

const URL_OF_SERVICE = 'http://localhost:8080'
const APPROVE = '/console/api/agents'
const CHALLENGE = `Bearer resource_metadata="${URL_OF_SERVICE}/.well-known/oauth-protected-resource/mcp", scope="read propose"`

let service: TestService
let program: Program
beforeAll(async () => {
  service = await startTestService()
  program = await startProgram()
})
afterAll(async () => {
  await service.close()
  await program.close()
})
// Limits are per address and person, and all tests share one.
beforeEach(() => service.clock.advance(HOUR_MS))

async function signIn(email: string): Promise<Visitor> {
  const visitor = visit(service)
  const answer = await visitor.signIn({ email, ...(await passcodeFor(service, email)) })
  expect([answer.status, answer.body.person?.email], answer.text).toEqual([200, email])
  return visitor
}

async function member(customer: TestPair & { cuid: number }, role: string, more: object = {}) {
  const email = `${role}-${customer.cuid}@people.example`
  const body = { email, role, ...more }
  const made = await service.call('POST', `/customer/${customer.cuid}/member`, { as: customer, body })
  return { mid: made.body.mid as number, email, visitor: await signIn(email) }
}

const campaign = (more: object = {}) => ({
  name: 'C',
  start: Math.floor(service.clock.nowMs() / 1000) + 60,
  end: Math.floor(service.clock.nowMs() / 1000) + 3 * 86_400,
  dailySpend: 10,
  ...more,
})

/** What an assistant does with its token. */
const mcp = (access: string | null) =>
  service.call('POST', '/mcp', {
    as: null,
    headers: {
      host: 'localhost:8080',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'find_customers',
      ...(access && { authorization: `Bearer ${access}` }),
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'find_customers',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'helper', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  })

const can = async (access: string, cuid: number) =>
  (await service.call('GET', `/campaign?cuid=${cuid}`, bearer(access))).status
const answered = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error]

describe('the whole way', () => {
  it('a program finds out how to ask, gets a code and tokens, acts within its limits, and gives them back', async () => {
    const customer = await service.newCustomer()
    const { cuid, email } = customer
    const asked = await mcp(null)
    expect([asked.status, asked.headers['www-authenticate']]).toEqual([401, CHALLENGE])
    const where = /resource_metadata="([^"]+)"/.exec(CHALLENGE)![1]!
    const resource = await service.call('GET', new URL(where).pathname, { as: null })
    expect(resource.body).toMatchObject({
      resource: `${URL_OF_SERVICE}/mcp`,
      authorization_servers: [URL_OF_SERVICE],
    })
    const server = await service.call('GET', '/.well-known/oauth-authorization-server', { as: null })
    expect(server.body).toMatchObject({
      issuer: URL_OF_SERVICE,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
    expect(server.headers['access-control-allow-origin']).toBe('*')

    const visitor = await signIn(email)
    const wanted = asking(program, { resource: resource.body.resource, scope: 'read propose' })
    const request = await askedAt(service, wanted)
    const shown = (await look(visitor, request)).body
    expect(shown).toMatchObject({
      name: 'Helper',
      host: new URL(program.clientId).host,
      goesTo: 'helper.example',
      isLocal: false,
      asked: 'propose',
      customers: [{ cuid, most: 'spend' }],
    })
    const said = { request, shown: shown.shown, cuid, scope: 'propose', ceilings: { dailySpend: 50 } }
    const yes = await visitor.call('POST', APPROVE, { body: said })
    const back = new URL(yes.body.redirect)
    expect([
      back.origin + back.pathname,
      back.searchParams.get('state'),
      back.searchParams.get('iss'),
    ]).toEqual([CALLBACK, wanted.state, URL_OF_SERVICE])
    const { status, body, headers } = await exchange(service, program, wanted, codeIn(yes))
    expect([status, body.token_type, body.scope, body.expires_in]).toEqual([
      200,
      'Bearer',
      'read propose',
      3600,
    ])
    expect(headers['cache-control']).toBe('no-store')

    const tools = await mcp(body.access_token)
    expect(tools.status, tools.text).toBe(200)
    expect(tools.text).toContain('Blue Bikes')
    const as = bearer(body.access_token)
    const path = `/campaign?cuid=${cuid}`
    const paused = await service.call('POST', path, { ...as, body: campaign({ enabled: false }) })
    expect(paused.status, paused.text).toBe(201)
    const dear = await service.call('POST', path, {
      ...as,
      body: campaign({ enabled: false, dailySpend: 51 }),
    })
    expect([dear.status, dear.body.code]).toEqual([403, 'ceiling_exceeded'])
    const proposed = await service.call('POST', path, { ...as, body: campaign() })
    expect(proposed.status).toBe(202)
    // What a person is asked to decide, the program does not decide.
    const { id } = proposed.body.proposal
    const decided = await service.call('PUT', `/proposal/${id}/approve?cuid=${cuid}`, as)
    expect([decided.status, decided.body.code]).toEqual([403, 'scope_too_low'])
    const history = await service.call('GET', `/campaign/${paused.body.cid}/history?cuid=${cuid}`, {
      as: customer,
    })
    expect(history.body[0].by).toEqual({ kind: 'key', name: 'Helper', email, as: null })

    expect((await form(service, '/oauth/revoke', { token: body.refresh_token, client_id: 'x' })).status).toBe(
      200,
    )
    expect(await can(body.access_token, cuid)).toBe(200)
    const given = { token: body.refresh_token, client_id: program.clientId }
    expect((await form(service, '/oauth/revoke', given)).status).toBe(200)
    const refused = await service.call('GET', path, as)
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      `${CHALLENGE}, error="invalid_token"`,
    ])
    expect(answered(await renew(service, program, body.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  it('no secret is stored or logged, and the owner learns of it by email', async () => {
    const { cuid, email } = await service.newCustomer()
    const { access, refresh } = await connect(service, await signIn(email), program, { cuid })
    expect(await can(access, cuid)).toBe(200)
    const rows = await service.db.rows<{ text: string }>(
      `select a::text as text from agent_code a union all select g::text from agent_grant g
       union all select t::text from agent_token t union all select c::text from credential c`,
    )
    const kept = rows.map(({ text }) => text).join('\n') + service.logLines.join('\n')
    for (const secret of [access, refresh]) expect(kept).not.toContain(secret.slice(30))
    await expect
      .poll(async () => (await mailsTo(service, email)).join('\n'), { timeout: 20_000 })
      .toContain('A key was created')
  })

  it('a program that registers gets an id and no secret; used for nothing, the id is forgotten', async () => {
    const { cuid, email } = await service.newCustomer()
    const register = (body: object) => service.call('POST', '/oauth/register', { as: null, body })
    const redirectUris = ['http://127.0.0.1:3000/callback']
    const made = await register({ client_name: 'Desk\u202etop', redirect_uris: redirectUris, scope: 'x' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ client_name: 'Desktop', token_endpoint_auth_method: 'none' })
    expect(made.body.client_secret).toBeUndefined()
    const visitor = await signIn(email)
    // On the device of the person, any port will do.
    const own = { clientId: made.body.client_id, redirectUri: 'http://127.0.0.1:51234/callback' }
    const wanted = asking(own)
    const shown = (await look(visitor, await askedAt(service, wanted))).body
    expect(shown).toMatchObject({ name: 'Desktop', host: null, goesTo: '127.0.0.1:51234', isLocal: true })
    const yes = await consent(service, visitor, wanted, { cuid })
    expect((await exchange(service, own, wanted, codeIn(yes))).status).toBe(200)
    for (const body of [
      { client_name: 'X', redirect_uris: ['http://helper.example/back'] },
      { client_name: 'X', redirect_uris: ['javascript:alert(1)'] },
      { client_name: 'X', redirect_uris: ['https://helper.example/#x'] },
      { client_name: 'X', redirect_uris: [] },
      { client_name: '\u200b ', redirect_uris: [CALLBACK] },
      { client_name: 'X'.repeat(101), redirect_uris: [CALLBACK] },
      { client_name: 'X', redirect_uris: Array(20).fill(`https://helper.example/${'x'.repeat(400)}`) },
      [],
    ])
      expect((await register(body)).status).toBe(400)
    const unused = (await register({ client_name: 'Unused', redirect_uris: redirectUris })).body.client_id
    service.clock.advance(UNUSED_MS + 1000)
    const later = await signIn(email)
    const asksAs = async (clientId: string) => {
      const { params } = asking({ clientId, redirectUri: redirectUris[0]! })
      return (await look(later, await askedAt(service, { params, state: '', verifier: '' }))).status
    }
    expect([await asksAs(made.body.client_id), await asksAs(unused), await asksAs(`${unused}x`)]).toEqual([
      200, 400, 400,
    ])
    const many = await Promise.all(
      Array.from({ length: REGISTRATIONS + 5 }, () =>
        register({ client_name: 'Many', redirect_uris: redirectUris }),
      ),
    )
    expect(many.filter(({ status }) => status === 429).length).toBeGreaterThan(4)
  })
})

describe('who may say yes', () => {
  it('a person gives no more than they may do, and for no customer but their own', async () => {
    const [ann, other] = [await service.newCustomer(), await service.newCustomer()]
    const reader = await member(ann, 'viewer')
    const codeOf = async (visitor: Visitor, cuid: number, scope: string, ceilings?: object) => {
      const { status, body } = await consent(service, visitor, asking(program), { cuid, scope, ceilings })
      return [status, body.reason ?? body.code]
    }
    expect(await codeOf(reader.visitor, ann.cuid, 'propose')).toEqual([403, 'agent_scope_too_high'])
    expect(await codeOf(reader.visitor, ann.cuid, 'read')).toEqual([200, undefined])
    expect(await codeOf(reader.visitor, other.cuid, 'read')).toEqual([404, 'not_found'])
    const owner = await signIn(ann.email)
    expect(await codeOf(owner, ann.cuid, 'all')).toEqual([400, 'invalid_input'])
    // Money only with a ceiling of money a day.
    expect(await codeOf(owner, ann.cuid, 'spend', { dailySpend: 5 })).toEqual([400, 'invalid_input'])
    expect(await codeOf(owner, ann.cuid, 'spend', { dailySpendAll: 5 })).toEqual([200, undefined])
    const staff = await visitAsStaff(service)
    await staff.call('POST', '/console/api/session/customer', { body: { cuid: ann.cuid } })
    const body = { request: await askedAt(service, asking(program)) }
    const answers = [
      await staff.call('POST', `${APPROVE}/request`, { body }),
      await visit(service).call('POST', `${APPROVE}/request`, { body }),
      await visit(service, { 'x-marquee-csrf': '1', 'sec-fetch-site': 'cross-site' }).call(
        'POST',
        `${APPROVE}/request`,
        { body },
      ),
    ]
    expect(answers.map(answer => [answer.status, answer.body.code])).toEqual([
      [403, 'session_refused'],
      [401, 'session_ended'],
      [403, 'session_refused'],
    ])
    // A link of the app acts for the customer's own email.
    const bySso = await visitAs(service, ann.email)
    const { access } = await connect(service, bySso, program, { cuid: ann.cuid })
    expect(await can(access, ann.cuid)).toBe(200)
    expect((await bySso.call('GET', APPROVE)).body).toHaveLength(1)
    expect((await owner.call('GET', APPROVE)).body).toHaveLength(1)
  })

  it('is bound at once by a lowered role, the ceilings of the person, a removal, freezing and access that is off', async () => {
    const ann = await service.newCustomer()
    const { cuid } = ann
    const bob = await member(ann, 'manager', { ceilings: { dailySpend: 20 } })
    const ceilings = { dailySpend: 40, dailySpendAll: 1000 }
    const { access } = await connect(service, bob.visitor, program, { cuid, scope: 'spend', ceilings })
    const as = bearer(access)
    const make = async (dailySpend: number) => {
      const answer = await service.call('POST', `/campaign?cuid=${cuid}`, {
        ...as,
        body: campaign({ dailySpend }),
      })
      return [answer.status, answer.body.params?.whose]
    }
    expect([await make(15), await make(30), await make(50)]).toEqual([
      [201, undefined],
      [403, 'member'],
      [403, 'pair'],
    ])
    const edit = (body: object) =>
      service.call('PUT', `/customer/${cuid}/member/${bob.mid}`, { as: ann, body })
    await edit({ role: 'editor' })
    expect(await make(15)).toEqual([202, undefined])
    await edit({ role: 'viewer' })
    expect((await make(15))[0]).toBe(403)
    await edit({ role: 'manager' })
    await service.call('PUT', `/customer/${cuid}/freeze`, { as: ann })
    expect([(await make(15))[0], await can(access, cuid)]).toEqual([403, 200])
    await service.call('PUT', `/customer/${cuid}/unfreeze`, { as: ann })
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: false } })
    expect(await can(access, cuid)).toBe(401)
    await service.call('PUT', `/customer/${cuid}`, { body: { apiAccess: true } })
    service.clock.advance(1000)
    expect(await can(access, cuid)).toBe(200)
    await service.call('DELETE', `/customer/${cuid}/member/${bob.mid}`, { as: ann })
    expect(await can(access, cuid)).toBe(401)
  })
})

describe('taking access away', () => {
  it('a person sees and ends what acts for them, an owner what acts for anybody, nobody what acts elsewhere', async () => {
    const [ann, other] = [await service.newCustomer(), await service.newCustomer()]
    const { cuid } = ann
    const bob = await member(ann, 'editor')
    const [one, two] = [
      await connect(service, bob.visitor, program, { cuid }),
      await connect(service, bob.visitor, program, { cuid, ceilings: { dailySpend: 7 } }),
    ]
    const owner = await signIn(ann.email)
    const [listed, ofOwner] = [await bob.visitor.call('GET', APPROVE), await owner.call('GET', APPROVE)]
    expect(ofOwner.body).toEqual([])
    expect(listed.body).toHaveLength(2)
    expect(listed.body[0]).toMatchObject({ name: 'Helper', cuid, scope: 'propose', lastUsed: null })
    const key = listed.body.find((agent: { ceilings: object }) => 'dailySpend' in agent.ceilings).key
    const stranger = await signIn(other.email)
    expect((await stranger.call('DELETE', `${APPROVE}/${key}`)).status).toBe(404)
    expect((await owner.call('DELETE', `${APPROVE}/${key}`)).status).toBe(404)
    expect((await bob.visitor.call('DELETE', `${APPROVE}/${key}`)).body).toEqual({ key, deleted: true })
    expect([await can(one.access, cuid), await can(two.access, cuid)]).toEqual([200, 401])
    const pairs = await service.call('GET', `/customer/${cuid}/credential`, { as: ann })
    const [left] = pairs.body.filter((pair: { agent: object | null }) => pair.agent !== null)
    expect(left.agent).toEqual({ mid: bob.mid, email: bob.email, host: new URL(program.clientId).host })
    await service.call('DELETE', `/customer/${cuid}/credential/${left.key}`, { as: ann })
    expect(await can(one.access, cuid)).toBe(401)
  })

  it('programs of people do not push out pairs of the customer', async () => {
    const ann = await service.newCustomer()
    const visitor = await signIn(ann.email)
    const all: string[] = []
    for (let n = 0; n < 11; n++) {
      all.push((await connect(service, visitor, program, { cuid: ann.cuid })).access)
      service.clock.advance(61_000)
    }
    expect((await service.call('GET', `/campaign?cuid=${ann.cuid}`, { as: ann })).status).toBe(200)
    expect([await can(all[0]!, ann.cuid), await can(all[1]!, ann.cuid)]).toEqual([401, 200])
  })

  it('an erased customer, and time, leave nothing', async () => {
    const { cuid, email } = await service.newCustomer()
    const { access, refresh } = await connect(service, await signIn(email), program, { cuid })
    const count = async () =>
      service.db.row(
        `select (select count(*) from agent_code where cuid = $1)::int as codes,
           (select count(*) from agent_grant g join credential c using (key) where c.cuid = $1)::int as grants,
           (select count(*) from agent_token t join credential c using (key) where c.cuid = $1)::int as tokens`,
        [cuid],
      )
    expect(await count()).toEqual({ codes: 1, grants: 1, tokens: 1 })
    service.clock.advance(HOUR_MS + 61_000)
    expect(await can(access, cuid)).toBe(401)
    await sweepAccess(service.db, service.clock)
    expect(await count()).toEqual({ codes: 0, grants: 1, tokens: 0 })
    expect((await renew(service, program, refresh)).status).toBe(200)
    await connect(service, await signIn(email), program, { cuid })
    await service.call('DELETE', `/customer/${cuid}`)
    await service.call('DELETE', `/customer/${cuid}?erase=true`)
    expect(await count()).toEqual({ codes: 0, grants: 0, tokens: 0 })
  })
})

describe('what a program may not do', () => {
  it('is told what is wrong with its request, at its own address alone', async () => {
    const { email } = await service.newCustomer()
    const visitor = await signIn(email)
    const asks = async (more: object) =>
      (await look(visitor, await askedAt(service, asking(program, more)))).body
    // A proof key that is no secret, none at all, another resource, an unknown scope.
    for (const [more, error] of [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: '' }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
      [{ scope: 'all' }, 'invalid_scope'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
    ] as const) {
      const { refused, back } = await asks(more)
      expect(refused).toEqual(expect.any(String))
      const { origin, searchParams } = new URL(back)
      expect([origin, searchParams.get('error'), searchParams.get('iss')]).toEqual([
        'https://helper.example',
        error,
        URL_OF_SERVICE,
      ])
    }
    // Nothing is sent to an address that the program did not name.
    for (const redirect_uri of [
      'https://evil.example/back',
      `${CALLBACK}/`,
      `${CALLBACK}?x=1`,
      'https://helper.example.evil.example/back',
      'http://127.0.0.1/back',
    ]) {
      const body = await asks({ redirect_uri })
      expect([body.reason, body.back]).toEqual(['agent_request_invalid', undefined])
    }
    for (const client_id of [
      'https://helper.example',
      'ftp://helper.example/x',
      'x',
      `${program.clientId}#x`,
    ])
      expect((await asks({ client_id })).reason).toBe('agent_request_invalid')
    const long = await service.call('GET', `/oauth/authorize?state=${'x'.repeat(7000)}`, { as: null })
    expect(long.status).toBe(400)
    for (const request of ['x', 'q', 'q*', `q${Buffer.from('a=1').toString('base64url')}`])
      expect((await look(visitor, request)).status).toBe(400)
  })

  it('a document that changes between showing and approving is noticed, and looking again shows the new one', async () => {
    const own = await startProgram({ client_name: 'Honest' })
    const { cuid, email } = await service.newCustomer()
    const visitor = await signIn(email)
    const request = await askedAt(service, asking(own))
    const { body } = await look(visitor, request)
    own.says.client_name = 'Another'
    const approve = (shown: string) =>
      visitor.call('POST', APPROVE, { body: { request, shown, cuid, scope: 'read' } })
    const answer = await approve(body.shown)
    expect([answer.status, answer.body.reason]).toEqual([409, 'agent_changed'])
    const again = (await look(visitor, request)).body
    expect(again.name).toBe('Another')
    expect((await approve(again.shown)).status).toBe(200)
    own.says.redirect_uris = ['https://elsewhere.example/back']
    expect((await approve(again.shown)).body.reason).toBe('agent_request_invalid')
    // It is read once for many looks, not once for each.
    const before = own.reads()
    for (let n = 0; n < 5; n++) await look(visitor, request)
    expect(own.reads() - before).toBeLessThan(2)
    await own.close()
  })

  it('a document at a private address is never fetched, nor one that is no document', async () => {
    const strict = await startTestService({ ALLOW_PRIVATE_CREATIVES: 'false' })
    const { email } = await strict.newCustomer()
    const visitor = await visitAs(strict, email)
    const before = program.reads()
    for (const clientId of [
      program.clientId,
      program.clientId.replace('http:', 'https:'),
      'https://localhost/client.json',
      'https://10.0.0.1/client.json',
      'https://[::1]/client.json',
    ]) {
      const wanted = asking({ clientId, redirectUri: CALLBACK })
      expect((await look(visitor, await askedAt(strict, wanted))).body.reason).toBe('agent_request_invalid')
    }
    expect(program.reads()).toBe(before)
    await strict.close()
    const customer = await service.newCustomer()
    const ann = await signIn(customer.email)
    for (const says of [
      { client_id: 'https://other.example/client.json' },
      { redirect_uris: undefined },
      { client_name: 7 },
      { client_secret: 'x' },
      { client_name: 'x'.repeat(20_000) },
    ]) {
      const own = await startProgram(says)
      const { body } = await look(ann, await askedAt(service, asking(own)))
      expect(body.reason).toBe('agent_request_invalid')
      await own.close()
    }
  })

  it('a code is for one program, one proof key and one minute, and works once', async () => {
    const { cuid, email } = await service.newCustomer()
    const visitor = await signIn(email)
    const code = async () => {
      const wanted = asking(program)
      return { wanted, code: codeIn(await consent(service, visitor, wanted, { cuid })) }
    }
    const wrong = async (more: Record<string, string>) => {
      const made = await code()
      return answered(await exchange(service, program, made.wanted, made.code, more))
    }
    for (const [name, value] of [
      ['code_verifier', 'x'.repeat(43)],
      ['client_id', 'https://other.example/client.json'],
      ['redirect_uri', 'https://helper.example/elsewhere'],
    ] as const)
      expect(await wrong({ [name]: value })).toEqual([400, 'invalid_grant'])
    expect(await wrong({ code_verifier: 'short' })).toEqual([400, 'invalid_request'])
    expect(await wrong({ resource: 'https://elsewhere.example' })).toEqual([400, 'invalid_target'])
    expect(await wrong({ grant_type: 'password' })).toEqual([400, 'unsupported_grant_type'])
    expect(answered(await exchange(service, program, asking(program), 'mqac_x'))).toEqual([
      400,
      'invalid_grant',
    ])
    const late = await code()
    service.clock.advance(61_000)
    expect(answered(await exchange(service, program, late.wanted, late.code))).toEqual([400, 'invalid_grant'])
    // Sent twice, it ends what it gave.
    const twice = await code()
    const first = await exchange(service, program, twice.wanted, twice.code)
    expect(await can(first.body.access_token, cuid)).toBe(200)
    expect(answered(await exchange(service, program, twice.wanted, twice.code))).toEqual([
      400,
      'invalid_grant',
    ])
    expect(await can(first.body.access_token, cuid)).toBe(401)
  })

  it('of many exchanges of one code at once exactly one wins', async () => {
    const { cuid, email } = await service.newCustomer()
    const wanted = asking(program)
    const code = codeIn(await consent(service, await signIn(email), wanted, { cuid }))
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => exchange(service, program, wanted, code)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const pairs = await service.db.rows('select 1 from credential where cuid = $1 and mid is not null', [
      cuid,
    ])
    expect(pairs).toHaveLength(1)
  })

  it('a refresh token is replaced each time; a replaced one ends all, but an answer may be asked for again', async () => {
    const { cuid, email } = await service.newCustomer()
    const visitor = await signIn(email)
    const { refresh } = await connect(service, visitor, program, { cuid })
    const both = await Promise.all([renew(service, program, refresh), renew(service, program, refresh)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const [next, same] = both.map(({ body }) => body.refresh_token)
    expect(next).toBe(same)
    expect(next).not.toBe(refresh)
    const other = { ...program, clientId: 'https://other.example/client.json' }
    expect(answered(await renew(service, other, next))).toEqual([400, 'invalid_grant'])
    const third = (await renew(service, program, next)).body
    expect(await can(third.access_token, cuid)).toBe(200)
    service.clock.advance(AGAIN_MS + 1000)
    expect(answered(await renew(service, program, next))).toEqual([400, 'invalid_grant'])
    expect(await can(third.access_token, cuid)).toBe(401)
    expect(answered(await renew(service, program, third.refresh_token))).toEqual([400, 'invalid_grant'])
    for (const token of ['x', `mqrt_${'x'.repeat(22)}_${'x'.repeat(43)}`])
      expect(answered(await renew(service, program, token))).toEqual([400, 'invalid_grant'])
  })

  it('ends when it is not used for 30 days, and at the latest when a pair would', async () => {
    const { cuid, email } = await service.newCustomer()
    const idle = await connect(service, await signIn(email), program, { cuid })
    let { refresh } = await connect(service, await signIn(email), program, { cuid })
    // Used each 25 days it goes on, until the 90 days of a pair are over.
    for (const days of [25, 50, 75]) {
      service.clock.advance(25 * DAY_MS)
      const { status, body } = await renew(service, program, refresh)
      expect(status, `after ${days} days`).toBe(200)
      refresh = body.refresh_token
      if (days * DAY_MS > REFRESH_MS)
        expect(answered(await renew(service, program, idle.refresh))).toEqual([400, 'invalid_grant'])
    }
    service.clock.advance(16 * DAY_MS)
    expect(answered(await renew(service, program, refresh))).toEqual([400, 'invalid_grant'])
  })

  it('a scope of money keeps to its ceilings, and pairs are not made', async () => {
    const ann = await service.newCustomer()
    const { cuid } = ann
    const ceilings = { dailySpendAll: 25 }
    const visitor = await signIn(ann.email)
    const { access } = await connect(service, visitor, program, { cuid, scope: 'spend', ceilings })
    const as = bearer(access)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        service.call('POST', `/campaign?cuid=${cuid}`, { ...as, body: campaign() }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    const made = await service.call('POST', `/customer/${cuid}/credential`, { ...as, body: { name: 'More' } })
    expect([made.status, made.body.code]).toEqual([403, 'scope_too_low'])
    const other = await service.newCustomer()
    expect(await can(access, other.cuid)).toBe(401)
  })
})

it('AGENTS=off: nothing of it is there, and no token works', async () => {
  const off = await startTestService({ AGENTS: 'off' })
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/oauth/authorize', APPROVE])
    expect((await off.call('GET', path, { as: null })).status).toBe(404)
  expect((await form(off, '/oauth/token', {})).status).toBe(404)
  const answer = await off.call('GET', '/campaign?cuid=1', bearer(`mqat_${'x'.repeat(43)}`))
  expect([answer.status, answer.body.code]).toEqual([401, 'credentials_missing'])
  expect(answer.headers['www-authenticate']).toContain('Basic')
  await off.close()
})

it('with a path in PUBLIC_URL, metadata is where RFC 8414 and RFC 9728 look for it', async () => {
  const inPath = await startTestService({ PUBLIC_URL: 'https://ads.example/marquee' })
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/marquee',
  ])
    expect((await inPath.call('GET', path, { as: null })).body.issuer).toBe('https://ads.example/marquee')
  for (const path of [
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource/marquee/mcp',
  ])
    expect((await inPath.call('GET', path, { as: null })).body.resource).toBe(
      'https://ads.example/marquee/mcp',
    )
  await inPath.close()
})
