// A tenant with one of everything, for tests that compare tenants.

import { picture, until } from './banners.ts'
import type { TestPair, TestService } from './service.ts'

export interface Tenant {
  pair: TestPair
  /** A text in everything it owns, which others must never see. */
  secretName: string
  ids: {
    cuid: number
    email: string
    identifier: number
    cid: number
    fid: number
    pid: number
    bid: number
    id: number
    mid: number
    nid: number
    vid: number
    /** If a webhook was asked for. */
    listKey?: string
    /** If a webhook was asked for. */
    wid?: number
    did?: number
    sid?: number
  }
}

export interface TenantOptions {
  /** Also creates a webhook of the app (an app may have ten) and a member of the app's staff. */
  webhook?: boolean
  /** The customer's website. If given, the banner leads there and is approved. */
  website?: string
}

let tenants = 0

export async function buildTenant(
  service: TestService,
  app: TestPair,
  { webhook = false, website }: TenantOptions = {},
): Promise<Tenant> {
  const secretName = `secret-of-tenant-${++tenants}`
  const email = `${secretName}@tenant.example`
  const { body: customer } = await service.call('POST', '/customer', {
    app,
    body: { company: secretName, email, ...(website && { website }) },
  })
  const pair = { key: customer.key, token: customer.token }
  const create = async (path: string, body: object): Promise<Record<string, number>> => {
    const answer = await service.call('POST', `${path}?cuid=${customer.cuid}`, { as: pair, body })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  const { body: member } = await service.call('POST', `/customer/${customer.cuid}/member`, {
    as: pair,
    body: { email: `m-${email}`, role: 'viewer' },
  })
  const now = Math.floor(service.clock.nowMs() / 1000)
  const dates = { start: now - 3600, end: now + 86_400 * 30 }
  const { cid } = await create('/campaign', { name: secretName, ...dates, dailySpend: 50 })
  const { fid } = await create(`/campaign/${cid}/flight`, { name: secretName, ...dates })
  const { pid } = await create(`/campaign/${cid}/persona`, {
    name: secretName,
    geo: { geos: ['CA'] },
    device: { desktop: true },
  })
  const { nid } = await create('/note', { day: '2026-11-10', text: secretName, cid })
  const { vid } = await create('/saved-view', { name: secretName, cid, range: '28d' })
  // The test waits for the review of this upload: background work would look like a change by a stranger.
  const upload = await service.call('POST', `/creative?cuid=${customer.cuid}`, {
    as: pair,
    body: await picture(300, 250),
    headers: { 'content-type': 'image/png' },
  })
  const banners = `/campaign/${cid}/persona/${pid}/banner`
  const { bid } = await create(banners, { name: secretName, creativeURL: upload.body.creativeURL })
  await until(async () => {
    const { body } = await service.call('GET', `${banners}/${bid}?cuid=${customer.cuid}`, { as: pair })
    return body.status === 'pending' ? null : body
  })
  const webhookIds = webhook ? await buildWebhook(service, app, secretName) : {}
  return {
    pair,
    secretName,
    ids: {
      cuid: customer.cuid,
      email,
      identifier: customer.cuid,
      cid: cid!,
      fid: fid!,
      pid: pid!,
      bid: bid!,
      id: cid!,
      mid: member.mid,
      nid: nid!,
      vid: vid!,
      ...webhookIds,
    },
  }
}

/** Builds a webhook with an entry in its log, then switches it off, so that it no longer changes. */
async function buildWebhook(service: TestService, app: TestPair, description: string) {
  // Nobody listens there.
  const body = { url: 'http://127.0.0.1:9/', events: ['campaign.ended'], description }
  const { wid } = (await service.call('POST', '/webhook', { app, body })).body
  const path = `/webhook/${wid}`
  const { did } = (await service.call('POST', `${path}/test`, { app })).body
  await until(async () => {
    const entry = await service.call('GET', `${path}/delivery/${did}`, { app })
    return entry.body.attempts.length > 0 ? true : null
  })
  await service.call('PUT', path, { app, body: { enabled: false } })
  const person = { email: `s-${description}@staff.example`, name: description, role: 'support' }
  const { sid } = (await service.call('POST', '/staff', { app, body: person })).body
  const listKey = `sites-${wid}`
  const list = { name: 'Sites', entries: ['news.example'] }
  const listed = await service.call('PUT', `/site-list/${listKey}`, { app, body: list })
  if (listed.status !== 201) throw new Error(listed.text)
  return { listKey, wid: wid as number, did: did as number, sid: sid as number }
}
