// The programs of the guides, run as written: a nightly sync that can be repeated, invoices from the report, and a
// sign-in button.

import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, MarqueeError } from '../../sdk/index.ts'
import { blocksOf } from '../support/blocks.ts'
import { visit } from '../support/console.ts'
import { runProgram } from '../support/programs.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { recordEvents } from '../support/stats.ts'

let service: TestService
let baseUrl: string
beforeAll(async () => {
  service = await startTestService()
  baseUrl = await service.listen()
})
afterAll(() => service.close())

/** Runs the program of a page with these values instead of the reader's; returns what it printed. */
function run(page: string, scope: Record<string, unknown>): Promise<unknown[]> {
  const { key: superkey, token: supertoken } = service.app
  return runProgram(page, { createClient, MarqueeError, baseUrl, superkey, supertoken, ...scope })
}

describe('a nightly sync', () => {
  const nowS = () => Math.floor(service.clock.nowMs() / 1000)

  function shops() {
    const dates = { start: nowS(), end: nowS() + 30 * 86_400 }
    const audience = { name: 'Ontario', geo: { geos: ['CA-ON'] }, device: { mobile: true } }
    const banner = { creativeURL: 'http://127.0.0.1:9/a.png', clickUrl: 'https://shop.example/' }
    return [1, 2, 3].map(n => ({
      id: `shop/${n}`,
      company: `Shop ${n}`,
      email: `shop${n}@sync.example`,
      orders: [1, 2].map(m => ({
        id: `order ${n}-${m}`,
        name: `Order ${m}`,
        ...dates,
        dailySpend: 10 * m,
        audience,
        banner,
      })),
    }))
  }

  /** Every object, and how often it was changed. */
  async function state(): Promise<string[]> {
    const rows = await service.db.rows<{ row: string }>(
      `select concat_ws(' ', 'customer', cuid, version, external_id, company) as row from customer
       union all select concat_ws(' ', 'campaign', cid, version, external_id, daily_spend_micros) from campaign
       union all select concat_ws(' ', 'persona', pid, version, external_id, geo) from persona
       union all select concat_ws(' ', 'banner', bid, external_id, creative_url) from banner
       union all select concat_ws(' ', 'audit', audit_id, action) from audit where actor like 'mqsk_%' order by 1`,
    )
    return rows.map(({ row }) => row)
  }

  it('is a loop of PUTs: the second run changes nothing, a later one only the differences', async () => {
    const all = shops()
    expect(await run('docs/sync.md', { shops: all })).toEqual([])
    const first = await state()
    const of = (noun: string) => first.filter(row => row.startsWith(`${noun} `)).length
    expect([of('customer'), of('campaign'), of('persona'), of('banner')]).toEqual([3, 6, 6, 6])
    expect(await run('docs/sync.md', { shops: all })).toEqual([])
    expect(await state()).toEqual(first)
    all[1]!.orders[0]!.dailySpend = 77
    expect(await run('docs/sync.md', { shops: all })).toEqual([])
    const changed = (await state()).filter(row => !first.includes(row))
    expect(changed).toEqual([
      expect.stringMatching(/^audit \d+ edit$/),
      expect.stringMatching(/^campaign \d+ 2 order 2-1 77000000$/),
    ])
  })

  it('two at once do the same as one, and one wrong order does not stop the others', async () => {
    const all = shops().map(shop => ({ ...shop, id: `${shop.id}-b`, email: `b.${shop.email}` }))
    all[0]!.orders[0]!.dailySpend = 0
    const told = await Promise.all([run('docs/sync.md', { shops: all }), run('docs/sync.md', { shops: all })])
    for (const lines of told)
      expect(lines).toEqual(['order 1-1', 'invalid_input', expect.stringContaining('/dailySpend')])
    const made = (await state()).filter(row => row.startsWith('customer ') && row.includes('-b '))
    expect(made).toHaveLength(3)
    for (const { id } of all) {
      const [customer] = (await service.call('GET', `/customer?externalId=${encodeURIComponent(id)}`)).body
      const campaigns = (await service.call('GET', `/campaign?cuid=${customer.cuid}`)).body
      expect(campaigns).toHaveLength(id === 'shop/1-b' ? 1 : 2)
    }
  })
})

it('the invoices of a month match the report, by the reader’s ids', async () => {
  const { cuid } = await service.newCustomer({ externalId: 'crm-1' })
  const nowS = Math.floor(service.clock.nowMs() / 1000)
  const body = { name: 'Billed', start: nowS - 60, end: nowS + 60, dailySpend: 5 }
  const { cid } = (await service.call('POST', `/campaign?cuid=${cuid}`, { body })).body
  const [{ fid }] = (await service.call('GET', `/campaign/${cid}/flight?cuid=${cuid}`)).body
  const event = {
    kind: 'impression' as const,
    atMs: nowS * 1000,
    cuid,
    cid,
    fid,
    pid: 1,
    bid: 1,
    spendMicros: 2500,
  }
  await recordEvents(service.db, [
    { ...event, adNumber: 1 },
    { ...event, adNumber: 2 },
  ])
  const month = new Date(nowS * 1000).toISOString().slice(0, 7)
  const [invoices, total] = await run('docs/billing.md', { month })
  expect(invoices).toEqual(new Map([['crm-1', [{ campaign: 'Billed', imps: 2, spend: 0.005 }]]]))
  expect(total).toBe(0.005)
})

it('the button signs its user in to the console, once, and the console cannot be framed', async () => {
  const { email } = await service.newCustomer()
  let server!: http.Server
  const createServer = (handle: http.RequestListener) => {
    server = http.createServer(handle)
    return server
  }
  await run('docs/sso.md', { createServer, port: 0, emailOf: () => email, fetch })
  try {
    const { port } = server.address() as AddressInfo
    const [, path] = /href="([^"]+)" target="_blank"/.exec(blocksOf('docs/sso.md', 'html')[0]!)!
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' })
    expect(answer.status).toBe(302)
    const ticket = new URL(answer.headers.get('location')!).searchParams.get('ticket')
    const visitor = visit(service)
    expect((await visitor.signIn({ ticket })).body).toMatchObject({ customer: { email } })
    expect((await visit(service).signIn({ ticket })).status).toBe(401)
    expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404)
  } finally {
    server.close()
  }
  const page = await fetch(`${baseUrl}/console`)
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})
