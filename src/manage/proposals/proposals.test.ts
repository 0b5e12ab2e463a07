// A change that a caller may not decide alone waits as a proposal: it changes nothing, shows what it would change and
// cost, and is applied once, completely or not at all, by somebody who may.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../sdk/client.ts'
import { until } from '../../../test/support/banners.ts'
import { visitAsMember } from '../../../test/support/console.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { sweepProposals } from './proposals.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const DAY_S = 86_400

async function newWorld() {
  const ann = await service.newCustomer({ timezone: 'Etc/UTC' })
  const start = (Math.floor(service.clock.nowMs() / 1000 / DAY_S) + 10) * DAY_S
  const order = (more: object = {}) => ({
    name: 'c',
    start,
    end: start + 10 * DAY_S,
    dailySpend: 10,
    ...more,
  })
  const call = (method: string, path: string, body?: object, as: TestPair | null = ann, headers = {}) => {
    const url = `${path}${path.includes('?') ? '&' : '?'}cuid=${ann.cuid}`
    return service.call(method, url, { ...(as ? { as } : {}), body, headers })
  }
  const pair = async (body: object): Promise<TestPair> =>
    (await service.call('POST', `/customer/${ann.cuid}/credential`, { as: ann, body })).body
  const agent = await pair({ name: 'Agent', scope: 'propose' })
  const create = async (more: object = {}) => (await call('POST', '/campaign', order(more))).body
  const read = async (cid: number) => (await call('GET', `/campaign/${cid}`)).body
  const propose = async (method: string, path: string, body?: object, as: TestPair = agent) => {
    const answer = await call(method, path, body, as)
    expect([answer.status, answer.body.proposal?.status], answer.text).toEqual([202, 'pending'])
    return answer.body.proposal
  }
  const decide = (id: number, how: 'approve' | 'decline', as: TestPair | null = ann) =>
    call('PUT', `/proposal/${id}/${how}`, undefined, as)
  return { ann, agent, call, pair, order, create, read, propose, decide }
}

it('can cost more than anybody will ever spend', async () => {
  const { order, propose, decide } = await newWorld()
  for (const [more, most] of [
    [{ dailySpend: 1e9 }, 1e10],
    [{ dailySpend: 1e9, end: 1e11 }, 9e12],
  ] as const) {
    const { id, costsAtMost } = await propose('POST', '/campaign', order(more))
    expect(costsAtMost).toBe(most)
    expect((await decide(id, 'approve')).body.status).toBe('approved')
  }
})

it('costs no more than its months, as far as the days allow it', async () => {
  const { order, create, propose } = await newWorld()
  const start = Date.UTC(2031, 0, 1) / 1000
  const plan = { start, end: start + 59 * DAY_S, monthlySpend: 100 }
  const most = async (...call: Parameters<typeof propose>) => (await propose(...call)).costsAtMost
  expect(await most('POST', '/campaign', order(plan))).toBe(200)
  expect(await most('POST', '/campaign', order({ ...plan, monthlySpend: 1000 }))).toBe(590)
  const { cid } = await create(plan)
  expect(await most('PUT', `/campaign/${cid}`, { monthlySpend: 150 })).toBe(100)
  expect(await most('PUT', `/campaign/${cid}`, { monthlySpend: null })).toBe(590)
  expect(await most('PUT', `/campaign/${cid}`, { dailySpend: 100 })).toBe(200)
})

it('shows what it would change and cost at most, changes nothing, and is applied by somebody who may decide', async () => {
  const { ann, agent, call, create, read, propose, decide } = await newWorld()
  const { cid } = await create()
  const before = await read(cid)
  const proposal = await propose('PUT', `/campaign/${cid}`, { dailySpend: 12.5, name: 'dearer' })
  expect(proposal).toMatchObject({
    cuid: ann.cuid,
    url: `http://localhost:8080/console/proposals?id=${proposal.id}`,
    operation: 'editCampaign',
    cids: [cid],
    before: { cid, name: 'c', dailySpend: 10 },
    after: { cid, name: 'dearer', dailySpend: 12.5 },
    costsAtMost: 25,
    createdBy: 'Agent',
    decided: null,
  })
  expect(proposal.expires - proposal.created).toBe(7 * DAY_S)
  expect(await read(cid)).toEqual(before)
  expect((await call('GET', '/proposal?status=pending', undefined, agent)).body).toEqual([proposal])
  const refused = await decide(proposal.id, 'approve', agent)
  expect([refused.status, refused.body.code]).toEqual([403, 'scope_too_low'])
  const approved = await decide(proposal.id, 'approve')
  expect(approved.body).toMatchObject({ status: 'approved', decidedBy: ann.key, result: null })
  expect(await read(cid)).toMatchObject({ name: 'dearer', dailySpend: 12.5 })
  expect((await call('GET', `/proposal/${proposal.id}`, undefined, agent)).body).toEqual(approved.body)
  const again = await decide(proposal.id, 'decline')
  expect([again.status, again.body.code, again.body.params]).toEqual([
    409,
    'proposal_settled',
    { status: 'approved' },
  ])
})

it('every kind of change can wait: orders, copies, restoring, flights, bulk calls; ids exist once it is approved', async () => {
  const { call, create, order, propose, decide, read } = await newWorld()
  const { cid } = await create()
  const paused = await create({ enabled: false })
  const gone = await create()
  await call('DELETE', `/campaign/${gone.cid}`)
  const persona = { name: 'p', geo: { geos: ['CA'] }, device: { mobile: true } }
  const whole = await propose('POST', '/campaign', order({ name: 'whole', personas: [persona] }))
  expect(whole).toMatchObject({ before: null, cids: [], costsAtMost: 100 })
  expect(whole.after).toMatchObject({ name: 'whole', personas: [{ name: 'p' }] })
  expect(JSON.stringify(whole.after)).not.toMatch(/"(cid|pid)"/)
  const copy = await propose('POST', `/campaign/${cid}/copy`, { enabled: true })
  const flight = { name: 'f', start: order().start, end: order().start + DAY_S }
  const others = [
    copy,
    await propose('POST', `/campaign/${gone.cid}/restore`),
    await propose('POST', `/campaign/${cid}/flight`, flight),
    await propose('PUT', '/campaign/by-external/new-1', order()),
    await propose('POST', '/bulk', {
      operations: [
        { op: 'resumeCampaign', cid: paused.cid },
        { op: 'createCampaign', body: order({ name: 'by bulk' }) },
      ],
    }),
  ]
  expect(others.at(-1)).toMatchObject({
    before: [{ enabled: false }, null],
    after: [{ enabled: true }, { name: 'by bulk' }],
    costsAtMost: 200,
  })
  expect(JSON.stringify(others.at(-1).after[1])).not.toMatch(/"cid"/)
  expect((await call('GET', '/campaign')).body).toHaveLength(2)
  const made = await decide(whole.id, 'approve')
  expect(await read(made.body.result.cid)).toMatchObject({ name: 'whole' })
  for (const { id } of others) {
    const answer = await decide(id, 'approve')
    expect([answer.status, answer.body.status], answer.text).toEqual([200, 'approved'])
  }
  const names = (await call('GET', '/campaign')).body.map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(['by bulk', 'c', 'c', 'c', 'c', 'c (copy)', 'whole'])
  expect((await read(paused.cid)).enabled).toBe(true)
})

it('any pair can propose on request; a dry run says that it would; nothing to change is nothing to propose', async () => {
  const { ann, agent, call, create, propose, decide, read } = await newWorld()
  const { cid } = await create()
  const own = await propose('PUT', `/campaign/${cid}?propose=true`, { name: 'later' }, ann)
  expect([own.costsAtMost, (await read(cid)).name]).toEqual([0, 'c'])
  const tried = await call('PUT', `/campaign/${cid}?dryRun=true`, { dailySpend: 20 }, agent)
  expect(tried.body).toMatchObject({ dryRun: true, wouldPropose: true, costsAtMost: 100 })
  expect((await call('PUT', `/campaign/${cid}?dryRun=true`, { name: 'x' }, agent)).body.wouldPropose).toBe(
    undefined,
  )
  expect((await call('PUT', `/campaign/${cid}/resume?propose=true`)).status).toBe(200)
  expect((await call('GET', '/proposal')).body).toHaveLength(1)
  const byApp = await call('PUT', `/proposal/${own.id}/approve`, undefined, null)
  expect([byApp.status, byApp.body.decidedBy, (await read(cid)).name]).toEqual([200, 'app', 'later'])
  const other = await propose('PUT', `/campaign/${cid}`, { dailySpend: 11 })
  expect((await decide(other.id, 'decline')).body.status).toBe('declined')
  expect((await read(cid)).dailySpend).toBe(10)
})

it('only one of several parallel decisions counts, and it is applied once', async () => {
  const { call, order, propose, decide } = await newWorld()
  const { id } = await propose('POST', '/campaign', order())
  const answers = await Promise.all(
    (['approve', 'decline', 'approve', 'approve', 'decline', 'approve'] as const).map(how => decide(id, how)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  expect(answers.filter(({ body }) => body.code === 'proposal_settled')).toHaveLength(5)
  const isApproved = answers.find(({ status }) => status === 200)!.body.status === 'approved'
  expect((await call('GET', '/campaign')).body).toHaveLength(isApproved ? 1 : 0)
})

it('later changes are not overwritten: 409 shows the state then and now', async () => {
  const { call, create, propose, decide, read } = await newWorld()
  const { cid } = await create()
  const first = await propose('PUT', `/campaign/${cid}`, { dailySpend: 20 })
  const second = await propose('PUT', `/campaign/${cid}`, { dailySpend: 30 })
  expect((await decide(first.id, 'approve')).status).toBe(200)
  const late = await decide(second.id, 'approve')
  expect([late.status, late.body.code]).toEqual([409, 'proposal_outdated'])
  expect(late.body.params).toMatchObject({
    what: [`campaign ${cid}`],
    changed: [{ noun: 'campaign', id: cid, before: { dailySpend: 10 }, now: { dailySpend: 20 } }],
  })
  const copy = await propose('POST', `/campaign/${cid}/copy`, { enabled: true })
  await call('PUT', `/campaign/${cid}`, { dailySpend: 500 })
  expect((await decide(copy.id, 'approve')).body.code).toBe('proposal_outdated')
  // An edit and a decision at the same moment: one comes first, and the other takes it into account.
  const third = await propose('PUT', `/campaign/${cid}`, { dailySpend: 600 })
  const [edited, decided] = await Promise.all([
    call('PUT', `/campaign/${cid}`, { name: 'edited' }),
    decide(third.id, 'approve'),
  ])
  expect([edited.status, [200, 409].includes(decided.status)]).toEqual([200, true])
  expect((await read(cid)).dailySpend).toBe(decided.status === 200 ? 600 : 500)
})

it('a bulk call above a ceiling can be proposed like a single call, and its approver keeps to their own', async () => {
  const { call, create, read, pair, decide } = await newWorld()
  const { cid } = await create({ dailySpend: 10 })
  const limited = await pair({ scope: 'spend', ceilings: { dailySpend: 20 } })
  const body = { atomic: true, operations: [{ op: 'editCampaign', cid, body: { dailySpend: 50 } }] }
  const refused = await call('POST', '/bulk', body, limited)
  expect(refused.body.results[0].error.code).toBe('ceiling_exceeded')
  const { status, body: made } = await call('POST', '/bulk?propose=true', body, limited)
  expect([status, made.proposal.after[0].dailySpend]).toEqual([202, 50])
  const own = await decide(made.proposal.id, 'approve', limited)
  expect([own.status, own.body.reason]).toEqual([409, 'proposal_fails'])
  expect((await read(cid)).dailySpend).toBe(10)
  expect((await decide(made.proposal.id, 'approve')).body.status).toBe('approved')
  expect((await read(cid)).dailySpend).toBe(50)
})

describe('what a person approves is what happens', () => {
  const persona = (clickUrl: string) => ({
    name: 'p',
    geo: { geos: ['CA'] },
    device: { mobile: true },
    banners: [{ name: 'b', creativeURL: 'https://img.example/b.png', width: 300, height: 250, clickUrl }],
  })
  async function newSource() {
    const world = await newWorld()
    const { cid } = await world.create({
      enabled: false,
      cpm: 1,
      personas: [persona('https://good.example/')],
    })
    const [{ pid }] = (await world.call('GET', `/campaign/${cid}/persona`)).body
    const [{ bid }] = (await world.call('GET', `/campaign/${cid}/persona/${pid}/banner`)).body
    const banner = `/campaign/${cid}/persona/${pid}/banner/${bid}`
    const swap = () => world.call('PUT', banner, { clickUrl: 'https://phish.example/' }, world.agent)
    const campaigns = async () => (await world.call('GET', '/campaign')).body.length
    /** It is refused, with what was shown and what it would do now, and leaves nothing. */
    const isOutdated = async (id: number, shown: object, now: object) => {
      const before = await campaigns()
      const refused = await world.decide(id, 'approve')
      expect([refused.status, refused.body.code], refused.text).toEqual([409, 'proposal_outdated'])
      expect(refused.body.params).toMatchObject({ shown, now })
      expect([await campaigns(), (await world.call('GET', `/proposal/${id}`)).body.status]).toEqual([
        before,
        'pending',
      ])
    }
    return { ...world, cid, pid, swap, isOutdated }
  }
  const all = (op: object) => ({ operations: [op] })

  it('a copy within a bulk call shows its contents, and its source cannot be changed under it', async () => {
    const { agent, call, cid, pid, propose, decide, isOutdated } = await newSource()
    const dear = await propose('POST', '/bulk', all({ op: 'copyCampaign', cid, body: { enabled: true } }))
    expect(dear.after).toMatchObject([{ cpm: 1 }, { name: 'p' }, { clickUrl: 'https://good.example/' }])
    expect((await call('PUT', `/campaign/${cid}`, { cpm: 1_000 }, agent)).status).toBe(200)
    await isOutdated(dear.id, { after: [{ cpm: 1 }, {}, {}] }, { after: [{ cpm: 1_000 }, {}, {}] })
    const target = await decide(
      (await propose('POST', '/bulk?propose=true', all({ op: 'copyPersona', cid, pid, body: { cid } }))).id,
      'approve',
    )
    expect([target.status, target.body.status]).toEqual([200, 'approved'])
    const again = await propose(
      'POST',
      '/bulk?propose=true',
      all({ op: 'copyPersona', cid, pid, body: { cid } }),
    )
    await call('PUT', `/campaign/${cid}/persona/${pid}`, { geo: { geos: ['US'] } }, agent)
    await isOutdated(
      again.id,
      { after: [{ geo: { geos: ['CA'] } }, {}] },
      { after: [{ geo: { geos: ['US'] } }, {}] },
    )
  })

  it('the banners of a copy cannot be swapped', async () => {
    const { cid, propose, swap, isOutdated } = await newSource()
    const { id, after } = await propose('POST', `/campaign/${cid}/copy`, { enabled: true })
    const good = { personas: [{ banners: [{ clickUrl: 'https://good.example/' }] }] }
    expect(after).toMatchObject(good)
    expect((await swap()).status).toBe(200)
    const phish = { personas: [{ banners: [{ clickUrl: 'https://phish.example/' }] }] }
    await isOutdated(id, { after: good }, { after: phish })
  })

  it('a creation by external id does not edit what stands there by then', async () => {
    const { agent, call, order, propose, isOutdated } = await newSource()
    const path = '/campaign/by-external/ext-1'
    const { id } = await propose('PUT', path, order({ name: 'Shown', dailySpend: 20 }))
    expect(
      (await call('POST', '/campaign', order({ externalId: 'ext-1', enabled: false }), agent)).status,
    ).toBe(201)
    await isOutdated(
      id,
      { before: null, after: { name: 'Shown' } },
      { before: { name: 'c' }, after: { name: 'Shown' } },
    )
  })

  it('flights of a copy are shown; what the service finds out by itself does not count', async () => {
    const { call, cid, pid, order, propose, decide, isOutdated } = await newSource()
    const flight = { name: 'f', start: order().start, end: order().start + DAY_S, totalSpend: 5 }
    const { fid } = (await call('POST', `/campaign/${cid}/flight`, flight)).body
    const first = await propose('POST', `/campaign/${cid}/copy`, { enabled: true })
    expect(first.after).toMatchObject({ flights: [{ name: 'f', totalSpend: 5 }] })
    await call('PUT', `/campaign/${cid}/flight/${fid}`, { totalSpend: 9 })
    await isOutdated(
      first.id,
      { after: { flights: [{ totalSpend: 5 }] } },
      { after: { flights: [{ totalSpend: 9 }] } },
    )
    const second = await propose('POST', `/campaign/${cid}/copy`, { enabled: true })
    await service.db.run("update banner set status = 'rejected' where pid = $1", [pid])
    service.clock.advance(3_600_000)
    expect((await decide(second.id, 'approve')).body.status).toBe('approved')
  })
})

it('is approved within the ceilings of whoever approves it, and by a pair of its campaigns', async () => {
  const { ann, call, pair, create, propose, decide, read } = await newWorld()
  const [one, two] = [await create(), await create()]
  const spender = await pair({ scope: 'spend', ceilings: { dailySpend: 50 } })
  const limited = await pair({ scope: 'spend', cids: [one.cid] })
  const high = await propose('PUT', `/campaign/${one.cid}`, { dailySpend: 60 })
  const other = await propose('PUT', `/campaign/${two.cid}`, { dailySpend: 20 })
  const refused = await decide(high.id, 'approve', spender)
  expect([refused.status, refused.body.params]).toEqual([
    403,
    { ceiling: 'dailySpend', whose: 'pair', max: 50, asked: 60 },
  ])
  expect((await read(one.cid)).dailySpend).toBe(10)
  expect(
    (await call('GET', '/proposal', undefined, limited)).body.map(({ id }: { id: number }) => id),
  ).toEqual([high.id])
  expect((await decide(other.id, 'approve', limited)).status).toBe(404)
  expect((await decide(other.id, 'approve', spender)).status).toBe(200)
  await service.call('PUT', `/customer/${ann.cuid}/freeze`)
  expect((await decide(high.id, 'approve', limited)).body.code).toBe('frozen')
  await service.call('PUT', `/customer/${ann.cuid}/unfreeze`)
  expect((await decide(high.id, 'approve', limited)).status).toBe(200)
})

it('an editor proposes, a manager approves within their ceilings, a viewer only reads; each is named by email', async () => {
  const { ann, order, create, read } = await newWorld()
  const { cid } = await create()
  const person = (role: string, more?: object) => visitAsMember(service, ann, role, more)
  const editor = await person('editor')
  const manager = await person('manager', { ceilings: { dailySpend: 20 } })
  const reader = await person('viewer')
  const asked = await editor.call('PUT', `/campaign/${cid}`, { dailySpend: 15 })
  expect([asked.status, asked.body.proposal.createdBy]).toEqual([202, editor.email])
  const high = (await editor.call('POST', '/campaign', order({ dailySpend: 30 }))).body.proposal
  const approve = `/proposal/${asked.body.proposal.id}/approve`
  for (const { call } of [editor, reader])
    expect((await call('PUT', approve)).body.code).toBe('scope_too_low')
  expect((await reader.call('PUT', `/campaign/${cid}`, { dailySpend: 15 })).body.code).toBe('scope_too_low')
  expect((await reader.call('GET', '/proposal')).body).toHaveLength(2)
  const refused = await manager.call('PUT', `/proposal/${high.id}/approve`)
  expect([refused.status, refused.body.params]).toMatchObject([403, { whose: 'member', max: 20, asked: 30 }])
  const approved = await manager.call('PUT', approve)
  expect([approved.status, approved.body.decidedBy]).toEqual([200, manager.email])
  expect((await read(cid)).dailySpend).toBe(15)
})

it('callers who may not decide can take back their own proposals, and no others', async () => {
  const { create, pair, propose, decide } = await newWorld()
  const { cid } = await create()
  const [one, other] = [await pair({ name: 'One', scope: 'propose' }), await pair({ scope: 'propose' })]
  const { id } = await propose('PUT', `/campaign/${cid}`, { dailySpend: 15 }, one)
  const reader = await pair({ scope: 'read' })
  for (const as of [other, reader]) {
    const refused = await decide(id, 'decline', as)
    expect([refused.status, refused.body.code]).toEqual([403, 'scope_too_low'])
  }
  const taken = await decide(id, 'decline', one)
  expect(taken.body).toMatchObject({ status: 'declined', createdBy: 'One', decidedBy: 'One' })
  expect((await decide(id, 'approve')).body.code).toBe('proposal_settled')
})

it('two that fit into a ceiling alone but not together are not both applied', async () => {
  const { ann, order, propose, decide, call } = await newWorld()
  await service.call('PUT', `/customer/${ann.cuid}`, { body: { ceilings: { dailySpendAll: 100 } } })
  const made = [60, 60, 60].map(dailySpend => propose('POST', '/campaign', order({ dailySpend })))
  const ids = (await Promise.all(made)).map(({ id }) => id)
  const answers = await Promise.all(ids.map(id => decide(id, 'approve')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
  expect((await call('GET', '/campaign')).body).toHaveLength(1)
})

it('a bulk call is proposed and applied as a whole', async () => {
  const { call, create, propose, decide, read, agent } = await newWorld()
  const [one, two] = [await create(), await create()]
  const edit = (cid: number, body: object) => ({ op: 'editCampaign', cid, body })
  const failing = [edit(one.cid, { dailySpend: 20 }), edit(two.cid, { dailySpend: -1 })]
  const refused = await call('POST', '/bulk', { operations: failing }, agent)
  expect([refused.status, refused.body.reason]).toEqual([409, 'proposal_fails'])
  const operations = [edit(one.cid, { dailySpend: 20 }), edit(two.cid, { dailySpend: 20 })]
  const { id } = await propose('POST', '/bulk', { operations })
  await call('DELETE', `/campaign/${two.cid}`)
  expect((await decide(id, 'approve')).body.code).toBe('proposal_outdated')
  expect((await read(one.cid)).dailySpend).toBe(10)
})

it('one idempotency key makes one; a customer has at most a hundred undecided proposals', async () => {
  const { agent, call, create, pair } = await newWorld()
  const { cid } = await create()
  const send = (as: TestPair, key: string) =>
    call('POST', `/campaign/${cid}/copy`, { enabled: true }, as, { 'idempotency-key': key })
  const answers = await Promise.all([1, 2, 3].map(() => send(agent, 'same')))
  expect(new Set(answers.map(({ body }) => body.proposal.id)).size).toBe(1)
  const slow = await pair({ scope: 'propose', ceilings: { writesPerHour: 2 } })
  const some = [await send(slow, 'a'), await send(slow, 'b'), await send(slow, 'c')]
  expect(some.map(({ status, body }) => [status, body.params?.ceiling])).toEqual([
    [202, undefined],
    [202, undefined],
    [403, 'writesPerHour'],
  ])
  await service.db.run(
    `insert into proposal (cuid, operation, params, cids, bound, costs_micros, actor, created_at, expires_at)
     select cuid, operation, params, cids, bound, 0, actor, created_at, expires_at
     from proposal p cross join generate_series(1, 94) where proposal_id = $1`,
    [answers[0]!.body.proposal.id],
  )
  const last = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(at => send(agent, `last-${at}`)))
  expect(last.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429, 429, 429, 429])
  const full = await send(agent, 'full')
  expect([full.status, full.body.reason]).toEqual([429, 'too_many_proposals'])
})

describe('time, news and others', () => {
  it('expires after 7 days and is kept for a while; webhooks and an email report it', async () => {
    const { ann, create, propose, decide, call } = await newWorld()
    const { wid } = (await service.call('POST', '/webhook', { body: { url: 'https://app.example/hook' } }))
      .body
    const { cid } = await create({ enabled: false })
    const [kept, declined] = [
      await propose('PUT', `/campaign/${cid}/resume`),
      await propose('PUT', `/campaign/${cid}/resume`),
    ]
    await decide(declined.id, 'decline')
    service.clock.advance(7 * DAY_S * 1000)
    expect((await call('GET', `/proposal/${kept.id}`)).body.status).toBe('expired')
    expect((await decide(kept.id, 'approve')).body.params).toEqual({ status: 'expired' })
    const sent = await until(async () => {
      const rows = await service.db.rows<{ type: string; id: number }>(
        `select type, (body::jsonb #>> '{data,id}')::integer as id from webhook_delivery
         where wid = $1 and type like 'proposal.%' and (body::jsonb #>> '{data,cuid}')::bigint = $2 order by did`,
        [wid, ann.cuid],
      )
      return rows.length === 4 ? rows : null
    })
    expect(sent).toEqual([
      { type: 'proposal.created', id: kept.id },
      { type: 'proposal.created', id: declined.id },
      { type: 'proposal.declined', id: declined.id },
      { type: 'proposal.expired', id: kept.id },
    ])
    const mails = await service.db.rows(
      "select facts from mail where cuid = $1 and kind = 'proposals' order by mail_id",
      [ann.cuid],
    )
    expect(mails).toMatchObject([
      { facts: { id: kept.id, cid, costsAtMost: 100 } },
      { facts: { id: declined.id } },
    ])
    service.clock.advance(91 * DAY_S * 1000)
    await sweepProposals(service.db, service.clock)
    expect((await service.call('GET', `/proposal?cuid=${ann.cuid}`)).body).toEqual([])
  })

  it('cannot be seen or decided by another customer', async () => {
    const { create, propose, decide } = await newWorld()
    const bob = await service.newCustomer()
    const { cid } = await create()
    const { id } = await propose('PUT', `/campaign/${cid}`, { dailySpend: 20 })
    const foreign = (method: string, path: string) =>
      service.call(method, `${path}?cuid=${bob.cuid}`, { as: bob })
    expect((await foreign('GET', '/proposal')).body).toEqual([])
    for (const [method, path] of [
      ['GET', `/proposal/${id}`],
      ['PUT', `/proposal/${id}/approve`],
      ['PUT', `/proposal/${id}/decline`],
    ] as const)
      expect((await foreign(method, path)).status).toBe(404)
    expect((await decide(id, 'approve')).status).toBe(200)
  })

  it('the client throws if a change waits, or answers with the proposal if asked for it', async () => {
    const { ann, agent, create } = await newWorld()
    const { cid } = await create()
    const credentials = { ...agent, cuid: ann.cuid }
    const client = createClient({ baseUrl: await service.listen(), credentials })
    const body = { dailySpend: 20 }
    await expect(client.editCampaign({ cid, body })).rejects.toMatchObject({
      status: 202,
      code: 'proposed',
      proposal: { status: 'pending', costsAtMost: 100 },
    })
    const { proposal } = await client.editCampaign({ cid, body, propose: true })
    expect(proposal.after).toMatchObject({ dailySpend: 20 })
    expect(await client.readProposal({ id: proposal.id })).toEqual(proposal)
  })
})
