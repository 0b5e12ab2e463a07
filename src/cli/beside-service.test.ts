// Commands of the operator beside a running service on the same database, as its callers see them: a rotated super
// pair, with and without an overlap, an erased customer, and ids that several objects share.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { mailsTo } from '../../test/support/console.ts'
import { callMarquee, runMarquee } from '../../test/support/process.ts'
import { startTestService, type TestPair, type TestService } from '../../test/support/service.ts'
import { HOUR_MS } from '../kernel/time/units.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

function envOfService(): Record<string, string> {
  const { DATABASE_URL, DATA_DIR } = service.config
  return { DATABASE_URL: DATABASE_URL!, DATA_DIR }
}

const run = (...args: string[]) => runMarquee(args, envOfService())

async function newApp(name: string): Promise<TestPair> {
  const { superkey, supertoken } = JSON.parse((await run('app', 'create', name, '--json')).output)
  return { key: superkey, token: supertoken }
}

async function rotate(name: string, ...options: string[]): Promise<TestPair & { end: string }> {
  const { output, code } = await run('app', 'rotate', name, ...options, '--json')
  expect(code, output).toBe(0)
  const { superkey, supertoken, earlierPairsEnd } = JSON.parse(output)
  return { key: superkey, token: supertoken, end: earlierPairsEnd }
}

const codeFor = async (app: TestPair) => {
  const { status, body } = await service.call('GET', '/customer', { app })
  return status === 200 ? 'ok' : body.code
}

it('app rotate --overlap: both pairs work until the overlap ends, then only the new one', async () => {
  const old = await newApp('overlapping')
  const made = await rotate('overlapping', '--overlap', '24h')
  expect(Math.abs(Date.parse(made.end) - Date.now() - 24 * HOUR_MS)).toBeLessThan(HOUR_MS)
  expect([await codeFor(old), await codeFor(made)]).toEqual(['ok', 'ok'])
  service.clock.advance(23 * HOUR_MS)
  expect([await codeFor(old), await codeFor(made)]).toEqual(['ok', 'ok'])
  service.clock.advance(2 * HOUR_MS)
  expect([await codeFor(old), await codeFor(made)]).toEqual(['credentials_expired', 'ok'])
})

it('app rotate: without an overlap all earlier pairs end at once, even those in an overlap', async () => {
  const first = await newApp('leaked')
  const second = await rotate('leaked', '--grace', '3600')
  const third = await rotate('leaked')
  expect(third.end).toBe('now')
  service.clock.advance(6_000)
  expect([await codeFor(first), await codeFor(second), await codeFor(third)]).toEqual([
    'credentials_expired',
    'credentials_expired',
    'ok',
  ])
})

it.each(['1', '24', 'soon', '-1h', '366d', '1.5h', ''])(
  'app rotate refuses the overlap %j',
  async overlap => {
    await callMarquee(['app', 'create', 'strict'], envOfService())
    const { code, output } = await callMarquee(
      ['app', 'rotate', 'strict', '--overlap', overlap],
      envOfService(),
    )
    expect([code, output]).toEqual([
      2,
      expect.stringContaining('--overlap must be a duration such as 30m, 24h or 7d'),
    ])
  },
)

it('customer erase: works only for a removed customer, and is permanent', async () => {
  const { cuid, email } = await service.newCustomer({ name: 'Ann Rider' })
  await service.call('GET', `/customer/${email}/passcode`)
  expect(await mailsTo(service, email)).toHaveLength(1)
  const refused = await run('customer', 'erase', String(cuid))
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('is not deleted')])
  await run('customer', 'remove', String(cuid))
  for (let i = 0; i < 2; i++)
    expect(JSON.parse((await run('customer', 'erase', String(cuid), '--json')).output)).toEqual({
      cuid,
      erased: true,
    })
  expect(await mailsTo(service, email)).toEqual([])
  const list = (await run('customer', 'list')).output
  expect(list).not.toContain(email)
  expect((await run('customer', 'restore', String(cuid))).code).toBe(1)
  expect((await run('customer', 'erase', 'x')).output).toContain('"x" is not a customer id')
})

it('doctor: lists the ids of an app that several objects share, and nothing else', async () => {
  const finding = async () => {
    const { findings } = JSON.parse((await run('doctor', '--json')).output)
    return findings.find(({ check }: { check: string }) => check === 'external ids')
  }
  expect(await finding()).toMatchObject({ severity: 'ok' })
  const { cuid } = await service.newCustomer({ externalId: 'once' })
  const nowS = Math.floor(service.clock.nowMs() / 1000)
  const body = { name: 'c', start: nowS, end: nowS + 60, dailySpend: 1, externalId: 'order "7"' }
  const make = async () => (await service.call('POST', `/campaign?cuid=${cuid}`, { body })).body.cid
  const [first, second, third] = [await make(), await make(), await make()]
  await service.call('DELETE', `/campaign/${third}?cuid=${cuid}`)
  // The same id under another customer counts as another id.
  const other = await service.newCustomer({ externalId: 'twice' })
  await service.call('POST', `/campaign?cuid=${other.cuid}`, { body })
  const twin = await service.newCustomer({ externalId: 'twice' })
  const found = await finding()
  expect(found).toMatchObject({ severity: 'warning', advice: expect.stringContaining('by-external') })
  expect(found.says).toBe(
    `customers ${other.cuid}, ${twin.cuid} share "twice"; campaigns ${first}, ${second} share "order \\"7\\"".`,
  )
})
