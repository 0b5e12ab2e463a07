// How often somebody may try to sign in, and to have passcodes mailed.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { visit } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
// The limits are by address of the caller, which all tests share.
beforeEach(() => service.clock.advance(600_000))

it('attempts to sign in are limited by address, whether or not it exists', async () => {
  const { email } = await service.newCustomer()
  for (const address of [email, 'unknown@bikes.example']) {
    const statuses = new Set<number>()
    for (let i = 0; i < 12; i++) {
      statuses.add((await visit(service).signIn({ email: address, passcode: '000000' })).status)
    }
    expect([...statuses]).toEqual([401, 429])
  }
})

it('attempts to sign in are limited by where they come from', async () => {
  let answer = await visit(service).signIn({ ticket: 'x' })
  for (let i = 0; i < 60; i++) answer = await visit(service).signIn({ ticket: 'x' })
  expect([answer.status, answer.body.code]).toEqual([429, 'too_many_requests'])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})

it('attempts to have passcodes mailed are limited by address', async () => {
  const ask = () =>
    visit(service).call('POST', '/console/api/passcode', { body: { email: 'often@bikes.example' } })
  const statuses = []
  for (let i = 0; i < 6; i++) statuses.push((await ask()).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})
