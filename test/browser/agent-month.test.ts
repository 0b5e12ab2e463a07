// A month of an agent in a sandbox, as docs/agents.md tells it: from a wish to a plan, an approval by a person in the
// console, thirty days of visitors, a weekly review, a change, and the change taken back.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentOf } from '../support/agent.ts'
import { until } from '../support/banners.ts'
import { type Console, image, signedIn, startConsole } from './console-page.ts'

const DAY_S = 86_400

let app: Console
beforeAll(async () => {
  app = await startConsole({ SANDBOX: 'true', SANDBOX_START: '2026-10-01T12:00Z' })
})
afterAll(() => app?.close())

it('“advertise my bike shop in Ontario for 500 a month” becomes a campaign that a person approves, and keeps to 500', async () => {
  const { service } = app
  const fields = { website: 'https://bikes.example/', timezone: 'America/Toronto' }
  const customer = await service.newCustomer(fields)
  const { body: pair } = await service.call('POST', `/customer/${customer.cuid}/credential`, {
    as: customer,
    body: { name: 'Assistant', scope: 'propose', ceilings: { dailySpend: 30 } },
  })
  const agent = agentOf(service, pair)

  // The wish becomes a plan, and the plan a paused campaign.
  const { now, grant, currency } = await agent.done('get_account', {})
  expect([grant.scope, currency]).toEqual(['propose', 'USD'])
  const { places } = await agent.done('find_places', { q: 'Ontario' })
  expect(places[0]).toMatchObject({ value: 'CA-ON', kind: 'state' })
  const persona = {
    name: 'Ontario',
    geo: { geos: [places[0].value] },
    device: { mobile: true, tablet: true, desktop: true },
  }
  const planned = await agent.done('plan_campaign', {
    campaign: {
      name: 'Bike shop',
      start: now,
      end: '2026-12-31',
      dailySpend: 25,
      monthlySpend: 500,
      cpm: 3,
      personas: [persona],
    },
  })
  expect([planned.becomes, planned.costsAtMost]).toEqual(['created_paused', 1500])
  const { campaign } = await agent.done('create_campaign', { plan: planned.plan })
  const { cid } = campaign
  const { pid } = (await agent.done('get_campaign', { cid })).personas[0]
  const base64 = (await image(300, 250)).toString('base64')
  await agent.done('upload_creative', { base64, cid, pid })
  await until(async () => {
    const { banners } = await agent.done('get_campaign', { cid })
    if (banners[0].status === 'approved') return banners[0]
    await service.call('POST', '/sandbox/clock', { body: { by: 10 } })
    return null
  })

  // A person reads what it costs, and decides.
  const { proposal } = await agent.done('request_resume', { cid })
  expect((await agent.done('get_campaign', { cid })).campaign.status).toBe('paused')
  const { page, context, faults } = await signedIn(app, customer.email)
  await page.goto(proposal.url)
  await page.getByText(/Can cost up to \$1,500\.00 more\./).waitFor()
  await page.getByText('Assistant').first().waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await until(async () => {
    const { proposals } = await agent.done('get_proposals', { id: proposal.id })
    return proposals[0].status === 'approved' ? true : null
  })
  expect((await agent.done('get_campaign', { cid })).campaign.status).toBe('running')
  expect(faults).toEqual([])
  await context.close()

  // Thirty days of visitors.
  await service.call('POST', '/sandbox/traffic', {
    body: {
      to: now + 30 * DAY_S,
      perHour: 2,
      crowd: 100,
      mix: { places: { 'CA-ON': 3, 'CA-QC': 1 }, sizes: { '300x250': 1 }, ctr: 0.02 },
    },
  })
  await until(async () => ((await service.call('GET', '/sandbox/traffic')).body.done ? true : null), 300_000)
  const months = await agent.done('get_figures', { id: cid, interval: 'month' })
  expect(months.summary.imps).toBeGreaterThan(1_000)
  for (const { spend } of months.timeseries) expect(spend).toBeLessThanOrEqual(500)

  // The review of the week, with the week before.
  const { messages } = await agent.ask('prompts/get', { name: 'weekly_review', arguments: { cid: `${cid}` } })
  expect(messages[0].content.text).toContain(`campaign ${cid}`)
  const week = { id: cid, from: '2026-10-18', to: '2026-10-25', compare: true }
  const review = await agent.done('get_figures', { ...week, dimension: 'region' })
  expect(review.summary.imps).toBeGreaterThan(0)
  expect(review.previous.summary.imps).toBeGreaterThan(0)
  expect(review.breakdown.map(({ name }: { name: string }) => name)).toEqual(['CA-ON'])
  expect(review.inWords).toMatch(/impressions.*The period before/)
  const why = await agent.done('why_not_delivering', { cid })
  expect(why.personas[0].sampled).toBeGreaterThan(0)

  // A change that costs nothing more needs nobody; undo takes it back. To spend more, a person is asked.
  const less = await agent.done('plan_change', {
    operations: [{ op: 'editCampaign', cid, body: { dailySpend: 15 } }],
  })
  expect([less.becomes, less.differences[0].changes.dailySpend]).toEqual([
    'applied',
    { before: 25, after: 15 },
  ])
  await agent.done('apply_change', { plan: less.plan })
  expect((await agent.done('get_campaign', { cid })).campaign.dailySpend).toBe(15)
  const { changes } = await agent.done('get_history', { cid })
  const edit = changes.find(({ action }: { action: string }) => action === 'edit')
  expect(edit.by).toBe('Assistant')
  const back = await agent.done('undo', { id: edit.id })
  expect(back.inWords).toContain(back.proposal.url)
  await service.call('PUT', `/proposal/${back.proposal.id}/approve?cuid=${customer.cuid}`, { as: customer })
  expect((await agent.done('get_campaign', { cid })).campaign.dailySpend).toBe(25)
})
