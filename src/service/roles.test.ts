// One deployment as three processes: a service for each role, on one database and one folder.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'
import type { Role } from '../platform/config.ts'
import { createLog } from '../platform/log.ts'
import { createService, type Service } from './app.ts'

interface Bid {
  adm: string
  burl: string
  lurl: string
}

interface BidResponse {
  seatbid: { bid: Bid[] }[]
}

let api: ListeningService
let worker: Service
let delivery: Service
let url: Record<Role, string>
let ours: ServedCampaign

const roleOf = (role: Role) =>
  createService({ config: { ...api.config, ROLES: [role] }, log: createLog('silent'), clock: api.clock })

beforeAll(async () => {
  api = await startListeningService({ ROLES: 'api' })
  worker = await roleOf('worker')
  delivery = await roleOf('delivery')
  url = { api: api.url, worker: await worker.listen(), delivery: await delivery.listen() }
  await delivery.delivery.started
  ours = await newServedCampaign(api)
})
afterAll(async () => {
  await delivery?.stop()
  await worker?.stop()
  await api?.close()
})

async function ask(role: Role, method: string, path: string, body?: unknown, headers = {}) {
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(url[role] + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...payload,
  })
}

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

/** Says that an ad was shown, for 1.5 per thousand. */
async function notify(base: string, { burl }: Bid): Promise<void> {
  const notice = new URL(burl.replace(/\$\{AUCTION_PRICE\}/, '1.5'))
  expect((await fetch(base + notice.pathname + notice.search)).status).toBeLessThan(300)
}

/** Clicks on an ad, and returns the id of the click. */
async function clickAt(base: string, { adm }: Bid): Promise<string> {
  const link = /href='([^']*\/t\/c\/[^']*)'/.exec(adm)![1]!
  const clicked = await fetch(base + new URL(link).pathname, {
    redirect: 'manual',
    headers: BROWSER,
  })
  return new URL(clicked.headers.get('location')!).searchParams.get('mqclid')!
}

describe('a deployment of three processes', () => {
  it('does everything that one process does: the api creates, the worker reviews, delivery serves, and the api reports', async () => {
    const bid = await until(async () => {
      const answer = await ask('delivery', 'POST', api.bidPath, bidRequest())
      return answer.status === 200 ? ((await answer.json()) as BidResponse) : null
    })
    const { adm } = bid.seatbid[0]!.bid[0]!
    const image = new URL(/src='([^']*creative[^']*)'/.exec(adm)![1]!)
    for (const role of ['api', 'delivery'] as const)
      expect((await fetch(url[role] + image.pathname)).headers.get('content-type')).toBe('image/png')
    await notify(url.delivery, bid.seatbid[0]!.bid[0]!)
    const stats = await until(async () => {
      const { body } = await ours.customer.call('GET', `/stats/${ours.cid}/summary`)
      return body.imps > 0 ? body : null
    })
    expect(stats.imps).toBe(1)
  })

  it('a process does not answer calls that belong to another role', async () => {
    expect((await ask('api', 'POST', api.bidPath, bidRequest())).status).toBe(404)
    expect((await ask('worker', 'POST', api.bidPath, bidRequest())).status).toBe(404)
    for (const role of ['delivery', 'worker'] as const) {
      expect((await ask(role, 'GET', '/customer')).status).toBe(404)
      expect((await ask(role, 'GET', '/console')).status).toBe(404)
    }
  })

  it('the api explains what delivery does: its traffic, its money, its caps, and what prevents delivery', async () => {
    const { customer, path, cid } = ours
    const asked = { size: '300x250', geo: { country: 'CA' } }
    const explained = await customer.call('POST', `${path}/explain`, asked)
    expect(explained.status).toBe(200)
    expect(explained.body.served).toBe(true)
    const seen = await until(async () => {
      const { status, body } = await customer.call('GET', `${path}/funnel`)
      expect(status).toBe(200)
      return body.served > 0 && body.requests > 0 ? body : null
    })
    expect(seen.requests).toBeGreaterThanOrEqual(seen.served)
    // The billed and reserved money of all nodes leaves no room.
    const stageOf = async (stage: string) => {
      const { body } = await customer.call('POST', `${path}/explain`, { ...asked, user: { id: 'u1' } })
      return body.stages.find((one: { stage: string }) => one.stage === stage)
    }
    expect(await stageOf('budget')).toMatchObject({ passed: true })
    const before = await api.db.row<{ day: number }>('select day from share where cid = $1 limit 1', [cid])
    await api.db.run(
      `update share set reserved_micros = reserved_micros + (select daily_spend_micros from campaign where cid = $1)
       where cid = $1 and node_id = (select max(node_id) from share where cid = $1)`,
      [cid],
    )
    expect(await stageOf('budget')).toMatchObject({
      passed: false,
      why: expect.stringContaining('reserved for ads that are out'),
    })
    await api.db.run('update share set reserved_micros = 0 where cid = $1 and day = $2', [cid, before!.day])
    expect((await customer.call('GET', '/issues')).status).toBe(200)
  })

  it('an action reported to the api is counted once, and credited to its click', async () => {
    const bid = await until(async () => {
      const answer = await ask('delivery', 'POST', api.bidPath, bidRequest())
      return answer.status === 200 ? ((await answer.json()) as BidResponse) : null
    })
    await notify(url.delivery, bid.seatbid[0]!.bid[0]!)
    const click = await clickAt(url.delivery, bid.seatbid[0]!.bid[0]!)
    const report = () => ours.customer.call('POST', '/action', { click, name: 'sale', order: 'o-1' })
    expect((await report()).body).toEqual({ counted: true })
    expect((await report()).body).toMatchObject({ counted: false, reason: 'duplicate' })
    const stats = await until(async () => {
      const { body } = await ours.customer.call('GET', `/stats/${ours.cid}/summary`)
      return body.actions > 0 ? body : null
    })
    expect(stats.actions).toBe(1)
    expect((await ours.customer.call('POST', '/action', { click: 7 })).status).toBe(400)
  })

  it('each is ready when its own parts are, and the api describes all endpoints', async () => {
    for (const role of ['api', 'worker', 'delivery'] as const)
      expect((await ask(role, 'GET', '/readyz')).status, role).toBe(200)
    const document = (await (await ask('api', 'GET', '/openapi.json')).json()) as { paths: object }
    for (const path of [
      '/customer',
      '/campaign/{cid}/persona/{pid}/funnel',
      '/openrtb2/bid/{sourceKey}',
      '/action',
    ])
      expect(Object.keys(document.paths)).toContain(path)
  })

  it('a second delivery process sells too, and each takes the notices, losses, clicks and actions of the other’s ads', async () => {
    const second = await roleOf('delivery')
    const secondUrl = await second.listen()
    try {
      await second.delivery.started
      expect((await fetch(`${secondUrl}/readyz`)).status).toBe(200)
      const askSecond = async () => {
        const answer = await fetch(secondUrl + api.bidPath, {
          method: 'POST',
          body: JSON.stringify(bidRequest()),
        })
        return answer.status === 200 ? ((await answer.json()) as BidResponse).seatbid[0]!.bid[0]! : null
      }
      const asked = await until(askSecond)
      const open = second.delivery.running()!.ledger.size()
      const { imps } = (await ours.customer.call('GET', `/stats/${ours.cid}/summary`)).body
      await notify(url.delivery, asked)
      await notify(secondUrl, asked)
      const { ledger, refill } = second.delivery.running()!
      const [day] = await api.db.rows<{ day: number }>('select day from share where cid = $1 limit 1', [
        ours.cid,
      ])
      await refill.sync()
      expect(ledger.account(ours.cid, day!.day)!.openAds).toBe(open - 1)
      await until(async () => {
        const { body } = await ours.customer.call('GET', `/stats/${ours.cid}/summary`)
        return body.imps === imps + 1 ? body : null
      })

      // A loss reported to the first process frees the money of the second.
      const openAds = () => ledger.account(ours.cid, day!.day)!.openAds
      const [before, lost] = [openAds(), await until(askSecond)]
      expect(openAds()).toBe(before + 1)
      expect((await fetch(url.delivery + new URL(lost.lurl).pathname, { method: 'POST' })).status).toBe(200)
      await until(async () => {
        await refill.sync()
        return openAds() === before ? true : null
      })

      // An ad of the second process is clicked at the first; its action is reported to both.
      const clicked = await clickAt(url.delivery, asked)
      const { actions } = (await ours.customer.call('GET', `/stats/${ours.cid}/summary`)).body
      for (const at of [secondUrl, url.delivery])
        expect(
          (await fetch(`${at}/t/a.gif?click=${clicked}&name=elsewhere`, { headers: BROWSER })).status,
        ).toBe(200)
      await until(async () => {
        const { body } = await ours.customer.call('GET', `/stats/${ours.cid}/summary`)
        return body.actions === actions + 1 ? body : null
      })
    } finally {
      await second.stop()
    }
  })

  it('a process that ends gives back the money that its ads do not reserve, and returns as the same node', async () => {
    const granted = async () =>
      (await api.db.row<{ micros: number }>(
        'select sum(granted_micros - billed_micros - reserved_micros)::bigint as micros from share where cid = $1',
        [ours.cid],
      ))!.micros
    expect(await granted()).toBeGreaterThan(0)
    const { nodeId } = delivery.delivery.running()!.refill.node
    await delivery.stop()
    expect(await granted()).toBe(0)
    delivery = await roleOf('delivery')
    await delivery.delivery.started
    expect(delivery.delivery.running()!.refill.node.nodeId).toBe(nodeId)
  })
})
