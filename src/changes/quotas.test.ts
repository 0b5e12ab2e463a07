// How much one customer may have: enforced for every way of creating, even in parallel, without counting the objects.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, picture } from '../../test/support/banners.ts'
import { startTestService, type TestAnswer, type TestService } from '../../test/support/service.ts'
import { knownStatements } from '../platform/database.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const URL = 'https://bikes.example/a.png'
let service: TestService
beforeAll(async () => {
  console.info(`quotas: SEED=${SEED}`)
  service = await startTestService({
    CAMPAIGN_QUOTA: '4',
    PERSONA_QUOTA: '6',
    PERSONAS_PER_CAMPAIGN: '3',
    BANNER_QUOTA: '5',
    UPLOAD_FILES: '2',
    IDEMPOTENCY_ANSWERS: '3',
  })
})
afterAll(() => service.close())

const nowS = () => Math.floor(service.clock.nowMs() / 1000)
const campaign = (more: object = {}) => ({
  name: 'C',
  start: nowS() - 60,
  end: nowS() + 86_400,
  dailySpend: 10,
  ...more,
})
const persona = (banners = 0) => ({
  name: 'P',
  geo: { geos: ['CA'] },
  device: { mobile: true },
  ...(banners > 0 ? { banners: Array.from({ length: banners }, () => ({ creativeURL: URL })) } : {}),
})

const refusal = ({ status, body }: TestAnswer) => [status, body.code, body.message]
const refused = (what: string) => [409, 'quota_exceeded', expect.stringContaining(what)]

/** What the database contains; checks that the counted figures equal it. */
async function usage({ cuid }: Advertiser) {
  const there = await service.db.row(
    `select count(distinct c.cid) as campaigns, count(distinct p.pid) as personas, count(b.bid) as banners
     from campaign c left join persona p on p.cid = c.cid and p.deleted_at is null
       left join banner b on b.pid = p.pid and b.deleted_at is null
     where c.cuid = $1 and c.deleted_at is null`,
    [cuid],
  )
  const counted = await service.db.row(
    `select sum(campaigns) as campaigns, sum(personas) as personas, sum(banners) as banners from (
       select * from customer_usage where cuid = $1
       union all select cuid, campaigns, personas, banners from customer_usage_change where cuid = $1
     ) noted`,
    [cuid],
  )
  expect(counted).toEqual(there)
  return there
}

describe('campaigns', () => {
  it('are created up to the quota by twenty calls at once, and not one more', async () => {
    const ann = await newAdvertiser(service)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ann.call('POST', '/campaign', campaign())),
    )
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(3)
    const words = 'this customer would have 5 campaigns, and the quota is 4 (CAMPAIGN_QUOTA)'
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(refusal(answer)).toEqual(refused(words))
    expect(await usage(ann)).toMatchObject({ campaigns: 4 })
  })

  it('are refused as copies, in bulk and when they are restored; a deletion makes room', async () => {
    const ann = await newAdvertiser(service)
    for (let n = 0; n < 3; n++) await ann.call('POST', '/campaign', campaign())
    expect(refusal(await ann.call('POST', `/campaign/${ann.cid}/copy`))).toEqual(refused('5 campaigns'))
    expect(refusal(await ann.call('POST', '/campaign?dryRun=true', campaign()))).toEqual(
      refused('5 campaigns'),
    )
    expect((await ann.call('DELETE', `/campaign/${ann.cid}`)).status).toBe(200)
    const op = { op: 'createCampaign', body: campaign() }
    const { body } = await ann.call('POST', '/bulk', { operations: [op, op] })
    expect(body).toMatchObject({ applied: true, succeeded: 1, failed: 1 })
    expect(body.results[1]).toMatchObject({ status: 409, error: { code: 'quota_exceeded' } })
    expect(refusal(await ann.call('POST', `/campaign/${ann.cid}/restore`))).toEqual(refused('5 campaigns'))
    expect(await usage(ann)).toMatchObject({ campaigns: 4, personas: 0 })
  })

  it('of parallel bulk calls do not exceed it together', async () => {
    const ann = await newAdvertiser(service)
    const operations = Array.from({ length: 2 }, () => ({ op: 'createCampaign', body: campaign() }))
    await Promise.all(Array.from({ length: 6 }, () => ann.call('POST', '/bulk', { operations })))
    expect((await usage(ann))!).toMatchObject({ campaigns: 4 })
  })
})

describe('personas and banners', () => {
  it('have a quota per campaign and per customer', async () => {
    const ann = await newAdvertiser(service)
    const path = `/campaign/${ann.cid}/persona`
    for (let n = 0; n < 2; n++) expect((await ann.call('POST', path, persona())).status).toBe(201)
    expect(refusal(await ann.call('POST', path, persona()))).toEqual(
      refused(`campaign ${ann.cid} would have 4 personas, and the quota is 3 (PERSONAS_PER_CAMPAIGN)`),
    )
    expect(refusal(await ann.call('POST', `${path}/${ann.pid}/copy`))).toEqual(refused('4 personas'))
    const whole = campaign({ personas: [persona(), persona(), persona()] })
    expect((await ann.call('POST', '/campaign', whole)).status).toBe(201)
    expect(refusal(await ann.call('POST', '/campaign', whole))).toEqual(
      refused('9 personas, and the quota is 6 (PERSONA_QUOTA)'),
    )
    expect(await usage(ann)).toEqual({ campaigns: 2, personas: 6, banners: 0 })
  })

  it('are refused in whole orders and copies, which leave nothing behind', async () => {
    const ann = await newAdvertiser(service)
    const order = await ann.call('POST', '/campaign', campaign({ personas: [persona(3)] }))
    expect(order.status).toBe(201)
    for (const answer of [
      await ann.call('POST', `/campaign/${order.body.cid}/copy`),
      await ann.call('POST', '/campaign', campaign({ personas: [persona(3)] })),
      await ann.call('POST', `/campaign/${ann.cid}/persona`, persona(3)),
    ])
      expect(refusal(answer)).toEqual(refused('6 banners, and the quota is 5 (BANNER_QUOTA)'))
    expect(await usage(ann)).toEqual({ campaigns: 2, personas: 2, banners: 3 })
    for (let n = 0; n < 2; n++) await ann.banner({ creativeURL: URL })
    expect(refusal(await ann.call('POST', ann.path, { creativeURL: URL }))).toEqual(refused('6 banners'))
    await ann.call('DELETE', `/campaign/${order.body.cid}`)
    expect(await usage(ann)).toEqual({ campaigns: 1, personas: 1, banners: 2 })
    for (let n = 0; n < 2; n++) await ann.banner({ creativeURL: URL })
    expect(refusal(await ann.call('POST', `/campaign/${order.body.cid}/restore`))).toEqual(
      refused('7 banners'),
    )
  })

  it('are counted right after any sequence of changes', async () => {
    let state = SEED
    const random = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state % below
    }
    const ann = await newAdvertiser(service)
    const paths: string[] = [`/campaign/${ann.cid}`, `/campaign/${ann.cid}/persona/${ann.pid}`]
    for (let step = 0; step < 60; step++) {
      const at = paths[random(paths.length)]!
      const what = random(5)
      if (what === 0) await ann.call('DELETE', at)
      else if (what === 1) await ann.call('POST', `${at}/restore`)
      else if (what === 2) await ann.call('POST', `${at}/copy`)
      else if (at.includes('/banner/')) continue
      else {
        const isPersona = at.includes('/persona/')
        const made = await ann.call(
          'POST',
          isPersona ? `${at}/banner` : `${at}/persona`,
          isPersona ? { creativeURL: URL } : persona(random(2)),
        )
        if (made.status !== 201) continue
        paths.push(isPersona ? `${at}/banner/${made.body.bid}` : `${at}/persona/${made.body.pid}`)
      }
    }
    await usage(ann)
  })
})

it('a check reads the counts, never the campaigns themselves, however many the customer has', async () => {
  const ann = await newAdvertiser(service)
  await service.db.run(
    `insert into campaign (cuid, name, start_at, end_at, enabled, freq, daily_spend_micros, cpm_micros, category,
       pacing, created_at, updated_at)
     select $1, 'c', now(), now() + interval '1 day', true, 0, 1000000, 2000000, '{}', 'even', now(), now()
     from generate_series(1, 20000)`,
    [ann.cuid],
  )
  expect(refusal(await ann.call('POST', '/campaign', campaign()))).toEqual(
    refused('20,002 campaigns, and the quota is 4'),
  )
  const checks = knownStatements().filter(text => /coalesce\(sum\(campaigns\)/.test(text))
  expect(checks).toHaveLength(2)
  for (const text of checks) {
    const { rows } = await service.db.pool.query(`explain (format json) ${text}`, [ann.cuid])
    const tables = [...JSON.stringify(rows).matchAll(/"Relation Name":"(\w+)"/g)].map(found => found[1])
    expect(new Set(tables)).toEqual(new Set(['customer_usage', 'customer_usage_change']))
  }
})

it('uploads have a quota of files, and an image that is sent again does not count twice', async () => {
  const ann = await newAdvertiser(service)
  const images = await Promise.all([picture(300, 250), picture(728, 90), picture(160, 600)])
  const send = (bytes: Buffer) => ann.call('POST', '/creative', bytes, { 'content-type': 'image/png' })
  for (const image of images.slice(0, 2)) expect((await send(image)).status).toBe(201)
  expect(refusal(await send(images[2]!))).toEqual(
    refused('3 uploaded images, and the quota is 2 (UPLOAD_FILES)'),
  )
  expect((await send(images[0]!)).status).toBe(201)
})

it('answers kept for idempotency keys have a quota; a call beyond it does nothing', async () => {
  const ann = await newAdvertiser(service)
  const send = (key: string) =>
    ann.call('POST', `/campaign/${ann.cid}/flight`, flight(key), { 'idempotency-key': key })
  const flight = (key: string) => ({ name: key, start: nowS() + Number(key), end: nowS() + Number(key) + 10 })
  const keyed = (key: string) =>
    ann.call('PUT', `/campaign/${ann.cid}`, { name: key }, { 'idempotency-key': key })
  const all = await Promise.all(['100', '200', '300', '400', '500'].map(send))
  expect(all.map(answer => answer.status).sort()).toEqual([201, 201, 201, 409, 409])
  expect(refusal(all.find(answer => answer.status === 409)!)).toEqual(
    refused('4 answers kept for idempotency keys, and the quota is 3 (IDEMPOTENCY_ANSWERS)'),
  )
  const flights = (await ann.call('GET', `/campaign/${ann.cid}/flight`)).body
  expect(flights).toHaveLength(4)
  expect((await keyed('no key of a POST')).status).toBe(200)
  expect((await ann.call('POST', `/campaign/${ann.cid}/flight`, flight('900'))).status).toBe(201)
  await service.db.run("update idempotency_usage set hour = hour - interval '25 hours'")
  expect((await send('1000')).status).toBe(201)
})
