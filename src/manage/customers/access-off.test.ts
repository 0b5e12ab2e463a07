// A customer whose API access is off: a super pair reads, edits, freezes, deletes and restores the customer itself, and
// every other call for it gets 401. The cases are made from the endpoints, so that no new route can be forgotten.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { buildTenant, type Tenant } from '../../../test/support/tenant.ts'
import { inTx } from '../../changes/tx.ts'
import type { EndpointSpec } from '../../http/endpoint.ts'
import { setApiAccess } from './customers.ts'

let service: TestService
let off: Tenant
beforeAll(async () => {
  service = await startTestService()
  off = await buildTenant(service, service.app)
  await service.call('PUT', `/customer/${off.ids.cuid}`, { body: { apiAccess: false } })
})
afterAll(() => service.close())

const OF_ITSELF = [
  'readCustomer',
  'editCustomer',
  'deleteCustomer',
  'freezeCustomer',
  'unfreezeCustomer',
  'restoreCustomer',
]

/** Those that name the customer, by `cuid` or in their path. */
const ofCustomer = () =>
  service.api.endpoints.filter(
    ({ access, cuid, path }) => access !== 'public' && (cuid || path.includes('/:cuid')),
  )

function urlOf({ path, cuid }: EndpointSpec): string {
  const ids: Record<string, string | number> = off.ids
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(ids[name] ?? '1')))
  return cuid ? `${filled}?cuid=${off.ids.cuid}` : filled
}

it('every call that names it is refused, whatever else is wrong with it', async () => {
  const refused = ofCustomer().filter(({ id }) => !OF_ITSELF.includes(id))
  expect(refused.length).toBeGreaterThan(60)
  const answers: Record<string, unknown> = {}
  for (const endpoint of refused) {
    const { status, body } = await service.call(endpoint.method, urlOf(endpoint), { body: { bogus: 1 } })
    if (status !== 401 || body.code !== 'api_access_off') answers[endpoint.id] = [status, body]
  }
  expect(answers).toEqual({})
})

it('the customer itself can be read, edited, frozen, deleted and restored', async () => {
  const { cuid } = off.ids
  const does = async (method: string, path = '', body?: object) =>
    (await service.call(method, `/customer/${cuid}${path}`, { body })).status
  expect(ofCustomer().filter(({ id }) => OF_ITSELF.includes(id))).toHaveLength(OF_ITSELF.length)
  expect(await does('GET')).toBe(200)
  expect(await does('PUT', '/freeze')).toBe(200)
  expect(await does('PUT', '/unfreeze')).toBe(200)
  expect(await does('DELETE')).toBe(200)
  expect(await does('GET', '/account')).toBe(404)
  expect(await does('POST', '/restore')).toBe(200)
  expect(await does('GET', '/account')).toBe(401)
  expect(await does('PUT', '', { apiAccess: true })).toBe(200)
  expect(await does('GET', '/account')).toBe(200)
})

it('takes effect within a second when another process switches it, for the customer and for its app', async () => {
  const { cuid, ...pair } = await service.newCustomer()
  const path = `/campaign?cuid=${cuid}`
  const codes = async () => {
    const answers = [await service.call('GET', path, { as: pair }), await service.call('GET', path)]
    return answers.map(({ status, body }) => (status === 200 ? 'ok' : body.code))
  }
  const switched = async (on: boolean) => {
    await inTx(service.db, tx => setApiAccess(tx, cuid, on, service.clock))
    service.clock.advance(1_000)
    return codes()
  }
  expect(await codes()).toEqual(['ok', 'ok'])
  expect(await switched(false)).toEqual(['api_access_off', 'api_access_off'])
  expect(await switched(true)).toEqual(['ok', 'ok'])
})
