// Which connections are used for what: tracking by strangers cannot use up those that customers work with.

import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'

const CONNECTIONS = 3
let service: ListeningService
let served: ServedCampaign

beforeAll(async () => {
  service = await startListeningService({ DATABASE_POOL: String(CONNECTIONS) })
  served = await newServedCampaign(service)
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

const VISIT = { size: '300x250', geo: { country: 'CA' } }
const VISITOR = {
  origin: 'http://localhost',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

/** Clicks, and returns the id of the click. */
async function clickId(): Promise<string> {
  const { json } = await service.ad(VISIT, VISITOR)
  await service.send('GET', new URL(json.ad.impression).pathname, undefined, VISITOR)
  const click = await service.send('GET', new URL(json.ad.click).pathname, undefined, VISITOR)
  return new URL(click.headers.location!).searchParams.get('mqclid')!
}

it('tracking continues while every connection of management is taken', async () => {
  const held = await Promise.all(Array.from({ length: CONNECTIONS }, () => service.db.pool.connect()))
  try {
    const mqclid = await clickId()
    expect((await service.send('GET', `/t/a.gif?click=${mqclid}`)).status).toBe(200)
    expect((await service.send('GET', '/t/a.gif?click=nobody')).status).toBe(200)
  } finally {
    for (const client of held) client.release()
  }
})

it('an action that waits to be written holds no connection of management', async () => {
  const mqclid = await clickId()
  const lock = await service.db.pool.connect()
  await lock.query('begin')
  await lock.query('lock table action in access exclusive mode')
  const order: string[] = []
  const { customer } = served
  const reports = Array.from({ length: CONNECTIONS * 2 }, (_, n) =>
    customer.call('POST', '/action', { click: mqclid, order: `o-${n}` }).then(answer => {
      order.push('action')
      return answer
    }),
  )
  const reads = Array.from({ length: CONNECTIONS * 2 }, () =>
    customer.call('GET', '/campaign').then(answer => {
      order.push('read')
      return answer
    }),
  )
  for (const answer of await Promise.all(reads)) expect(answer.status).toBe(200)
  await lock.query('rollback')
  lock.release()
  for (const answer of await Promise.all(reports)) expect(answer.body.counted).toBe(true)
  expect(order).toEqual([...reads.map(() => 'read'), ...reports.map(() => 'action')])
})

it('an action with an idempotency key gets its first answer again', async () => {
  const mqclid = await clickId()
  const report = () =>
    served.customer.call('POST', '/action', { click: mqclid, name: 'sale' }, { 'idempotency-key': 'once' })
  expect((await report()).body).toEqual({ counted: true })
  const again = await report()
  expect(again.body).toEqual({ counted: true })
  expect(again.headers['idempotency-replayed']).toBe('true')
})
