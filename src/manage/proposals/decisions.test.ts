// What a person learns about their proposal: who decided it, how, and why, in the answer, in the webhook and by email.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { mailsTo, visitAsMember } from '../../../test/support/console.ts'
import { readMail } from '../../../test/support/inbox.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const DAY_S = 86_400

/** A customer, its campaign, and the people who work for it. */
async function newTeam(fields: object = {}) {
  const ann = await service.newCustomer({ timezone: 'Etc/UTC', ...fields })
  const start = (Math.floor(service.clock.nowMs() / 1000 / DAY_S) + 10) * DAY_S
  const body = { name: 'Summer sale', start, end: start + 10 * DAY_S, dailySpend: 10 }
  const { cid } = (await service.call('POST', `/campaign?cuid=${ann.cuid}`, { as: ann, body })).body
  const person = async (role: string, more: object = {}) => {
    const { email, call } = await visitAsMember(service, ann, role, more)
    const mails = async () =>
      (await mailsTo(service, email))
        .map(mail => readMail(mail))
        .filter(({ headers }) => headers['list-unsubscribe'])
    return { email, call, mails }
  }
  const [editor, manager] = [await person('editor'), await person('manager', { name: 'Bo' })]
  const propose = async (dailySpend: number): Promise<number> =>
    (await editor.call('PUT', `/campaign/${cid}`, { dailySpend })).body.proposal.id
  const states = () =>
    service.db.rows<{ state: string }>(
      "select state from mail where cuid = $1 and kind = 'decisions' order by mail_id",
      [ann.cuid],
    )
  /** Waits until no email about decisions is waiting. */
  const settled = (count: number) =>
    until(async () => {
      const all = (await states()).map(({ state }) => state)
      return all.length === count && !all.includes('waiting') ? all : null
    })
  return { ann, cid, editor, manager, propose, settled }
}

it('is emailed with the reason, except to a person who decided it themselves', async () => {
  const { ann, editor, manager, propose, settled } = await newTeam()
  const { wid } = (await service.call('POST', '/webhook', { body: { url: 'https://app.example/hook' } })).body
  const id = await propose(20)
  const reason = 'Too expensive this month: at most 12.50 a day.\nAsk again in May.'
  const declined = await manager.call('PUT', `/proposal/${id}/decline`, { reason })
  expect([declined.status, declined.body]).toMatchObject([
    200,
    { status: 'declined', decidedBy: manager.email, reason },
  ])
  expect((await editor.call('GET', `/proposal/${id}`)).body.reason).toBe(reason)
  await settled(1)
  const [mail] = await editor.mails()
  expect(mail!.headers.subject).toBe('Your proposal was declined')
  expect(mail!.text).toContain(
    `Your proposal ${id} for campaign “Summer sale” was declined. Nothing was changed.`,
  )
  expect(mail!.text).toContain(`By Bo (${manager.email}).`)
  expect(mail!.text).toContain('Reason: “Too expensive this month: at most 12.50 a day. Ask again in May.”')
  expect(mail!.text).toContain(`/console/proposals?id=${id}`)
  // The stored email does not repeat the text that was written.
  const kept = await service.db.rows<{ facts: object }>(
    "select facts from mail where cuid = $1 and kind = 'decisions'",
    [ann.cuid],
  )
  expect(JSON.stringify(kept)).not.toContain('dear')
  const hooks = await service.db.rows<{ reason: string }>(
    `select body::jsonb #>> '{data,reason}' as reason from webhook_delivery
     where wid = $1 and type = 'proposal.declined' and (body::jsonb #>> '{data,cuid}')::bigint = $2`,
    [wid, ann.cuid],
  )
  expect(hooks).toEqual([{ reason }])

  const approved = await propose(15)
  expect((await manager.call('PUT', `/proposal/${approved}/approve`)).body.reason).toBe(null)
  await settled(2)
  const second = (await editor.mails())[1]!
  expect(second.headers.subject).toBe('Your proposal was approved')
  expect(second.text).toContain('was approved and is in effect.')
  expect(second.text).not.toContain('Reason')

  const own = await propose(30)
  const back = await editor.call('PUT', `/proposal/${own}/decline`)
  expect(back.body).toMatchObject({ status: 'declined', decidedBy: editor.email, reason: null })
  await propose(31).then(next => manager.call('PUT', `/proposal/${next}/decline`, {}))
  expect(await settled(3)).toEqual(['sent', 'sent', 'sent'])
})

it('a reason that could be a link stays in the console; in German', async () => {
  const { editor, manager, propose, settled } = await newTeam({ language: 'de' })
  const links = ['siehe evil.example', 'https://x', 'mail an a@b', 'www', '\\\\share', 'http:10.1.2.3 bitte']
  for (const [at, reason] of links.entries()) {
    const id = await propose(20 + at)
    expect((await manager.call('PUT', `/proposal/${id}/decline`, { reason })).status).toBe(200)
  }
  await settled(links.length)
  const texts = (await editor.mails()).map(({ text }) => text).join('\n')
  expect(texts.match(/Den Grund finden Sie in der Konsole\./g)).toHaveLength(links.length)
  expect(texts).not.toMatch(/evil|https:\/\/x|a@b|share|10\.1/)
  const id = await propose(50)
  await manager.call('PUT', `/proposal/${id}/decline`, { reason: 'Zu teuer, z.B. am 24.12.2026.' })
  await settled(links.length + 1)
  expect((await editor.mails()).at(-1)!.text).toContain('Grund: „Zu teuer, z.B. am 24.12.2026.“')
})

it('a reason is limited and optional', async () => {
  const { manager, propose } = await newTeam()
  const id = await propose(20)
  for (const reason of ['x'.repeat(501), 7, { why: 'x' }]) {
    const refused = await manager.call('PUT', `/proposal/${id}/decline`, { reason })
    expect([refused.status, refused.body.errors?.[0].path]).toEqual([400, '/reason'])
  }
  expect((await manager.call('PUT', `/proposal/${id}/decline`, { reason: ' ' })).body.reason).toBe(null)
})

it('people who unsubscribed or were removed, or whose customer switched it off, get none', async () => {
  const { ann, editor, manager, propose, settled } = await newTeam()
  await manager.call('PUT', `/proposal/${await propose(20)}/decline`)
  await settled(1)
  const link = new URL(/<(.*)>/.exec((await editor.mails())[0]!.headers['list-unsubscribe']!)![1]!)
  expect((await service.call('POST', link.pathname, {})).status).toBe(200)
  await manager.call('PUT', `/proposal/${await propose(21)}/decline`)
  expect(await settled(2)).toEqual(['sent', 'dropped'])
  const choose = (body: object) => service.call('PUT', `/customer/${ann.cuid}/mails`, { as: ann, body })
  expect((await choose({ decisions: false })).body.decisions).toBe(false)
  await manager.call('PUT', `/proposal/${await propose(22)}/decline`)
  expect(await settled(3)).toEqual(['sent', 'dropped', 'dropped'])
  // Switched on again, for everybody.
  await choose({ decisions: true })
  await manager.call('PUT', `/proposal/${await propose(23)}/decline`)
  expect(await settled(4)).toEqual(['sent', 'dropped', 'dropped', 'sent'])
  const last = await propose(24)
  const members = (await service.call('GET', `/customer/${ann.cuid}/member`, { as: ann })).body
  const { mid } = members.find(({ email }: { email: string }) => email === editor.email)
  await service.call('DELETE', `/customer/${ann.cuid}/member/${mid}`, { as: ann })
  expect((await manager.call('PUT', `/proposal/${last}/decline`)).status).toBe(200)
  expect(await settled(4)).toHaveLength(4)
})
