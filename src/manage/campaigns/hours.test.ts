// The hours of a campaign: which input is accepted, where they are kept, and what the status is on both days on which
// clocks change in Berlin.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { startTestService, type TestService, testClock } from '../../../test/support/service.ts'

const at = (iso: string) => Date.parse(iso) / 1000
const OFFICE = { mon: [9, 10, 11], fri: [14, 15] }

let service: TestService
let ann: TestCustomer
beforeAll(async () => {
  // A few days before clocks go back.
  service = await startTestService(
    { TIMEZONE: 'Europe/Berlin' },
    testClock(Date.parse('2027-10-25T10:00:00Z')),
  )
  ann = await newTestCustomer(service)
})
afterAll(() => service.close())

const read = async (cid: number) => (await ann.call('GET', `/campaign/${cid}`)).body

describe('what may be written', () => {
  it.each([
    [{ noday: [1] }, '/hours/noday', 'unknown_field'],
    [{ mon: [24] }, '/hours/mon/0', 'too_large'],
    [{ mon: [3, -1] }, '/hours/mon/1', 'too_small'],
    [{ mon: [9.5] }, '/hours/mon/0', 'not_an_integer'],
    [{ mon: ['9'] }, '/hours/mon/0', 'wrong_type'],
    [{ mon: 9 }, '/hours/mon', 'wrong_type'],
    [{ mon: null }, '/hours/mon', 'wrong_type'],
    [{ tue: [1, 2, 1] }, '/hours/tue/2', 'duplicate_entry'],
    [{}, '/hours', 'no_hours'],
    [{ mon: [], tue: [] }, '/hours', 'no_hours'],
    [[9], '/hours', 'wrong_type'],
    ['always', '/hours', 'wrong_type'],
  ])('%j is refused at %s', async (hours, path, code) => {
    const { cid } = await ann.newCampaign({ hours: OFFICE })
    const body = { name: 'Bikes', start: at('2027-10-25'), end: at('2028-01-01'), dailySpend: 1, hours }
    for (const answer of [
      await ann.call('POST', '/campaign', body),
      await ann.call('PUT', `/campaign/${cid}`, { hours }),
    ]) {
      expect(answer.status).toBe(400)
      expect(answer.body.errors).toEqual([expect.objectContaining({ path, code })])
    }
    expect((await read(cid)).hours).toEqual(OFFICE)
  })

  it('they come back in order, without days that have none; null is always', async () => {
    const made = await ann.newCampaign({ hours: { fri: [15, 14], mon: [11, 9, 10], sun: [] } })
    expect(made.hours).toEqual(OFFICE)
    expect(Object.keys(made.hours)).toEqual(['mon', 'fri'])
    const { body } = await ann.call('PUT', `/campaign/${made.cid}`, { name: 'Bikes at work' })
    expect(body.hours).toEqual(OFFICE)
    expect((await ann.call('PUT', `/campaign/${made.cid}`, { hours: null })).body).toMatchObject({
      hours: null,
      resumes: null,
    })
    expect((await ann.newCampaign()).hours).toBeNull()
  })

  it('what was read can be sent back, and changes nothing', async () => {
    const { cid } = await ann.newCampaign({ hours: OFFICE })
    const { body, headers } = await ann.call('GET', `/campaign/${cid}`)
    const again = await ann.call('PUT', `/campaign/${cid}`, { ...body, enabled: undefined })
    expect([again.status, again.headers.etag]).toEqual([200, headers.etag])
  })
})

describe('where they are kept', () => {
  it('in a copy, an order, a bulk call, a dry run, a campaign by the app’s own id, and the history', async () => {
    const { cid } = await ann.newCampaign({ hours: OFFICE })
    expect((await ann.call('POST', `/campaign/${cid}/copy`)).body.hours).toEqual(OFFICE)
    const dates = { start: at('2027-10-25'), end: at('2028-01-01') }
    const body = { name: 'Bikes', ...dates, dailySpend: 1, hours: OFFICE }
    const persona = { name: 'All', geo: { geos: ['CA'] }, device: { mobile: true } }
    expect((await ann.call('POST', '/campaign', { ...body, personas: [persona] })).body.hours).toEqual(OFFICE)
    expect((await ann.call('POST', '/campaign?dryRun=true', body)).body.hours).toEqual(OFFICE)
    expect((await ann.call('PUT', '/campaign/by-external/own-1', body)).body.hours).toEqual(OFFICE)
    const operations = [
      { op: 'createCampaign', body },
      { op: 'editCampaign', cid, body: { hours: { sat: [0] } } },
    ]
    const { results } = (await ann.call('POST', '/bulk', { operations })).body
    expect(results.map((result: { answer: { hours: object } }) => result.answer.hours)).toEqual([
      OFFICE,
      { sat: [0] },
    ])
    const history = (await ann.call('GET', `/campaign/${cid}/history`)).body
    expect(history.at(-1)).toMatchObject({ before: { hours: OFFICE }, after: { hours: { sat: [0] } } })
    const listed = (await ann.call('GET', '/campaign?limit=1000')).body
    expect(listed.find((one: { cid: number }) => one.cid === cid).hours).toEqual({ sat: [0] })
  })
})

describe('the status', () => {
  const moveTo = (iso: string) => service.clock.advance(Date.parse(iso) - service.clock.nowMs())
  /** Moves the clock and makes a new customer, because credentials do not last that long. */
  const moveFarTo = async (iso: string) => {
    moveTo(iso)
    ann = await newTestCustomer(service)
  }
  const state = async (cid: number) => {
    const { status, resumes } = await read(cid)
    const listed = (await ann.call('GET', `/campaign?status=${status}&limit=1000`)).body
    expect(listed.map((one: { cid: number }) => one.cid)).toContain(cid)
    return [status, resumes]
  }
  const issue = async (cid: number) => {
    const { body } = await ann.call('GET', `/campaign/${cid}/issues`)
    return body.find(({ code }: { code: string }) => code === 'off_hours')?.findings[0]
  }
  const whole = () => ({ start: Math.floor(service.clock.nowMs() / 1000) - 10, end: at('2029-01-01') })

  it('is off_hours outside of them and says when they begin again; an hour that comes twice is open twice', async () => {
    moveTo('2027-10-30T21:00:00Z')
    const { cid } = await ann.newCampaign({ ...whole(), hours: { sun: [2], wed: [8] } })
    expect(await state(cid)).toEqual(['off_hours', at('2027-10-31T00:00:00Z')])
    expect(await issue(cid)).toMatchObject({
      code: 'off_hours',
      params: { resumes: at('2027-10-31T00:00:00Z') },
    })
    moveTo('2027-10-31T00:00:00Z')
    expect(await state(cid)).toEqual(['incomplete', null])
    expect(await issue(cid)).toBeUndefined()
    moveTo('2027-10-31T01:30:00Z')
    expect(await state(cid)).toEqual(['incomplete', null])
    moveTo('2027-10-31T02:00:00Z')
    expect(await state(cid)).toEqual(['off_hours', at('2027-11-03T07:00:00Z')])
  })

  it('an hour that is skipped does not exist', async () => {
    await moveFarTo('2028-03-26T00:30:00Z')
    const { cid } = await ann.newCampaign({ ...whole(), hours: { sun: [2] } })
    expect(await state(cid)).toEqual(['off_hours', at('2028-04-02T00:00:00Z')])
    moveTo('2028-03-26T01:00:00Z')
    expect(await state(cid)).toEqual(['off_hours', at('2028-04-02T00:00:00Z')])
  })

  it('comes after ended, paused, scheduled and spent, and before what is missing', async () => {
    await moveFarTo('2028-05-01T10:00:00Z')
    const { start } = whole()
    const hours = { tue: [9] }
    const { cid } = await ann.newCampaign({ ...whole(), hours })
    expect((await read(cid)).missing).toEqual(['no_persona'])
    const tuesday = at('2028-05-02T07:00:00Z')
    expect(await state(cid)).toEqual(['off_hours', tuesday])
    await ann.call('PUT', `/campaign/${cid}/pause`)
    expect(await state(cid)).toEqual(['paused', null])
    const later = await ann.newCampaign({ start: start + 3600, end: start + 7200, hours })
    expect(await state(later.cid)).toEqual(['scheduled', null])
    await ann.call('PUT', `/campaign/${later.cid}`, { start: start - 3600, end: start - 60 })
    expect(await state(later.cid)).toEqual(['ended', null])
  })

  it('resumes inside a flight, and never if no hour is left before the end', async () => {
    await moveFarTo('2028-05-03T10:00:00Z')
    const { cid } = await ann.newCampaign({ ...whole(), hours: { thu: [9], sat: [9, 10] } })
    const now = at('2028-05-03T10:00:00Z')
    await ann.newFlight(cid, { start: now - 5, end: now + 3600 })
    await ann.newFlight(cid, { start: at('2028-05-06T08:15:00Z'), end: at('2028-05-07T08:00:00Z') })
    expect(await state(cid)).toEqual(['off_hours', at('2028-05-06T08:15:00Z')])
    const short = await ann.newCampaign({ start: now - 10, end: now + 3600, hours: { thu: [9] } })
    expect(await state(short.cid)).toEqual(['off_hours', null])
    expect(await issue(short.cid)).toMatchObject({ code: 'off_hours_for_good', params: {} })
  })

  it('is told by the clock of the customer', async () => {
    await moveFarTo('2028-06-05T12:00:00Z')
    const as = { key: ann.key, token: ann.token }
    const body = { timezone: 'America/New_York' }
    expect((await service.call('PUT', `/customer/${ann.cuid}`, { as, body })).status).toBe(200)
    // The new zone begins at its midnight after the end of the day.
    moveTo('2028-06-06T12:59:00Z')
    const { cid } = await ann.newCampaign({ ...whole(), hours: { tue: [9] } })
    expect(await state(cid)).toEqual(['off_hours', at('2028-06-06T13:00:00Z')])
    expect(await issue(cid)).toMatchObject({ params: { resumes: at('2028-06-06T13:00:00Z') } })
    moveTo('2028-06-06T13:00:00Z')
    expect(await state(cid)).toEqual(['incomplete', null])
  })
})
