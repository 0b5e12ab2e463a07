// A customer of a test service with the usual objects for tests of campaigns, created through the API.

import type { TestAnswer, TestPair, TestService } from './service.ts'

export interface TestCustomer extends TestPair {
  cuid: number
  /** A call with this customer's pair and cuid. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>
  /** From an hour ago until thirty days from now, unless `fields` say otherwise. */
  newCampaign(fields?: object): Promise<TestAnswer['body']>
  newFlight(cid: number, fields: object): Promise<TestAnswer['body']>
}

export const HOUR_S = 3600
export const DAY_S = 86_400

export async function newTestCustomer(service: TestService, fields: object = {}): Promise<TestCustomer> {
  const { cuid, key, token } = await service.newCustomer(fields)

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const url = `${path}${path.includes('?') ? '&' : '?'}cuid=${cuid}`
    return service.call(method, url, { as: { key, token }, body, headers })
  }

  async function created(path: string, body: object) {
    const answer = await call('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`)
    return answer.body
  }

  return {
    cuid,
    key,
    token,
    call,
    newCampaign(fields = {}) {
      const nowS = Math.floor(service.clock.nowMs() / 1000)
      const dates = { start: nowS - HOUR_S, end: nowS + 30 * DAY_S }
      return created('/campaign', { name: 'Bikes', dailySpend: 100, ...dates, ...fields })
    },
    newFlight: (cid, fields) => created(`/campaign/${cid}/flight`, { name: 'Flight', ...fields }),
  }
}
