// A long answer is made one piece per turn of the event loop, and equals one made at once.

import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { shownEtag } from './etag.ts'
import { jsonOf } from './pieces.ts'

const PERSONAS = 300
const PLACES = 500
const MOST_AT_A_TIME = 1_000_000

let service: TestService
let ann: TestCustomer
let cid: number
beforeAll(async () => {
  service = await startTestService()
  ann = await newTestCustomer(service)
  cid = (await ann.newCampaign()).cid
  await service.db.run(
    `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
     select $1, 'Fänger ' || n, jsonb_build_object('geos', (
         select jsonb_agg('CA-ON-' || rpad(n || 'ville' || g, 60, 'x')) from generate_series(1, ${PLACES}) g
       )), '{}', '{"mobile": true, "tablet": true, "desktop": true}', '{"gender": null, "age": null}', now(), now()
     from generate_series(1, ${PERSONAS}) n`,
    [cid],
  )
})
afterAll(() => service.close())

/** Also returns the most characters of JSON that were made in one turn of the event loop during the work. */
async function mostInATurn<T>(work: () => Promise<T>): Promise<[T, number]> {
  const { stringify } = JSON
  let [sinceLast, most, isOver] = [0, 0, false]
  const next = () => {
    sinceLast = 0
    if (!isOver) setImmediate(next)
  }
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args)
    sinceLast += text?.length ?? 0
    most = Math.max(most, sinceLast)
    return text
  }) as typeof stringify
  try {
    setImmediate(next)
    return [await work(), most]
  } finally {
    isOver = true
    JSON.stringify = stringify
  }
}

it('a page of megabytes is made in pieces', async () => {
  const [answer, most] = await mostInATurn(() => ann.call('GET', `/campaign/${cid}/persona?limit=1000`))
  expect(answer.status).toBe(200)
  expect(answer.body).toHaveLength(PERSONAS)
  expect(answer.body[299]).toMatchObject({ cid, name: 'Fänger 300' })
  expect(answer.text.length).toBeGreaterThan(5 * MOST_AT_A_TIME)
  expect(most).toBeLessThan(MOST_AT_A_TIME)
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })
  expect(answer.headers['x-request-id']).toBeDefined()
})

it('so is a complete list of megabytes', async () => {
  const more = `insert into persona (cid, name, geo, cat, device, demo, created_at, updated_at)
    select cid, 'Another', geo, cat, device, demo, created_at, updated_at from persona, generate_series(1, 3) where cid = $1`
  const { cid: long } = await ann.newCampaign()
  await service.db.run('update persona set cid = $2 where cid = $1 and name like $3', [
    cid,
    long,
    'Fänger 1%',
  ])
  await service.db.run(more, [long])
  await service.db.run(more, [long])
  const [answer, most] = await mostInATurn(() => ann.call('GET', `/campaign/${long}/persona`))
  expect(answer.status).toBe(200)
  expect(answer.body.length).toBeGreaterThan(1000)
  expect(answer.text).toBe(JSON.stringify(answer.body))
  expect(most).toBeLessThan(MOST_AT_A_TIME)
  await service.db.run('delete from persona where cid = $1 and name = $2', [long, 'Another'])
  await service.db.run('update persona set cid = $2 where cid = $1', [long, cid])
})

/** How many characters of personas the largest answer of the database has during `work`. */
async function mostReadAtOnce(work: () => Promise<unknown>): Promise<number> {
  const { query } = pg.Client.prototype
  let most = 0
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const statement = args[0] as { text: string; rows: object[]; callback: (error: unknown) => void }
    const { callback } = statement
    if (/from persona|join persona/.test(statement.text)) {
      statement.callback = error => {
        most = Math.max(most, JSON.stringify(statement.rows).length)
        callback(error)
      }
    }
    return (query as (...args: unknown[]) => unknown).apply(this, args)
  } as typeof query
  try {
    await work()
    return most
  } finally {
    pg.Client.prototype.query = query
  }
}

it.each(['', '?limit=250', '?q=f%C3%A4nger'])(
  'heavy rows are read a few at a time, however many are asked for: %s',
  async query => {
    let read = 0
    const most = await mostReadAtOnce(async () => {
      const { body } = await ann.call('GET', `/campaign/${cid}/persona${query}`)
      read = body.length
    })
    expect(read).toBe(query.includes('limit') ? 250 : PERSONAS)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(MOST_AT_A_TIME)
  },
)

it('it is the same when compressed, and HEAD gets no body', async () => {
  const url = `/campaign/${cid}/persona?limit=1000&cuid=${ann.cuid}`
  const headers = { 'x-access-key': ann.key, 'x-access-token': ann.token }
  const whole = await service.api.fastify.inject({ url, headers })
  const packed = await service.api.fastify.inject({ url, headers: { ...headers, 'accept-encoding': 'gzip' } })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.rawPayload).equals(whole.rawPayload)).toBe(true)
  const head = await service.call('HEAD', url)
  expect([head.status, head.text]).toEqual([200, ''])
})

it('the answer to a long copy has its etag', async () => {
  const copy = await ann.call('POST', `/campaign/${cid}/copy`, { name: 'Again' })
  expect(copy.status).toBe(201)
  expect(copy.body.personas).toHaveLength(PERSONAS)
  expect(copy.headers['content-length']).toBeUndefined()
  expect(copy.headers.etag).toBe(shownEtag(copy.headers.etag!.replace(/\.[^"]*/, ''), copy.text))
})

const long = (item: unknown, count = 5000) => Array.from({ length: count }, () => item)

it.each([
  ['a list', long({ name: 'ä "b"\n', none: undefined, date: new Date(0), list: [undefined, null] })],
  ['a list in an object', { id: 1, none: undefined, 'a "b"': long({ n: 1.5 }), last: null }],
  [
    'a list in an answer in a list',
    { results: long({ op: 'x', answer: { personas: long({ n: 1 }, 30) } }, 500) },
  ],
  ['a list of lists', long([1, [2], { three: 3 }])],
  ['a short list', [{ n: 1 }]],
  ['a list that begins with nothing', [null, ...long({ n: 1 })]],
  ['an empty list', []],
  ['a text', 'ä'],
])('%s is what JSON.stringify makes of it', async (_, value) => {
  const json = jsonOf(value)
  let text = ''
  if (typeof json === 'string') text = json
  else for await (const piece of json) text += piece.toString()
  expect(text === JSON.stringify(value)).toBe(true)
})
