// The customers table of the specification (section 4), through the front door.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

describe('POST /customer', () => {
  it('creates a customer and answers with cuid, key and token', async () => {
    const { status, body } = await service.call('POST', '/customer', {
      body: { company: ' Blue Bikes ', email: 'Ann@Bikes.example', website: 'https://bikes.example/' },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      company: 'Blue Bikes',
      email: 'Ann@Bikes.example',
      name: null,
      apiAccess: true,
    })
    const own = await service.call('GET', `/customer/${body.cuid}`, { as: body })
    expect(own.status).toBe(200)
    expect(own.body.company).toBe('Blue Bikes')
  })
})
