// What docs/privacy.md says of how long things are kept, for what no other test lets grow old: there a moment before its
// time is over, gone a moment after.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { sweepShares } from '../src/budget/shares/shares.ts'
import { sweepAccess } from '../src/identity/sweep.ts'
import { calendarOf } from '../src/kernel/time/day.ts'
import { DAY_MS, HOUR_MS } from '../src/kernel/time/units.ts'
import { sweepMails } from '../src/notify/mails/sender.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let cuid: number
let appId: number
beforeAll(async () => {
  service = await startTestService()
  cuid = (await service.newCustomer()).cuid
  const row = await service.db.row<{ app_id: number }>('select app_id from customer where cuid = $1', [cuid])
  appId = row!.app_id
})
afterAll(() => service.close())

const ago = (ms: number) => new Date(service.clock.nowMs() - ms)
/** What is still there, of rows of two ages. */
async function kept(text: string): Promise<string[]> {
  return (await service.db.rows<{ name: string }>(text)).map(row => row.name)
}

it('hashes of networks that asked for passcodes are kept for an hour', async () => {
  for (const [address, ms] of [
    ['network old', HOUR_MS + 1000],
    ['network new', HOUR_MS - 60_000],
  ] as const)
    await service.db.run('insert into mail_allowance (address, sent) values ($1, array[$2::timestamptz])', [
      address,
      ago(ms),
    ])
  await sweepAccess(service.db, service.clock)
  expect(await kept(`select address as name from mail_allowance where address like 'network %'`)).toEqual([
    'network new',
  ])
})

it('tickets and passcodes are kept until they expire, pairs for 30 days longer', async () => {
  for (const [name, ms] of [
    ['old', 1000],
    ['new', -60_000],
  ] as const) {
    await service.db.run(
      'insert into sso_ticket (ticket_hash, app_id, cuid, expires_at) values ($1, $2, $3, $4)',
      [Buffer.from(name), appId, cuid, ago(ms)],
    )
    const other = (await service.newCustomer()).cuid
    await service.db.run(
      `insert into passcode (cuid, channel, request_hash, code_hash, salt, expires_at) values ($1, 'api', '', $2, '', $3)`,
      [other, Buffer.from(name), ago(ms)],
    )
    await service.db.run(
      `insert into credential (key, token_hash, app_id, cuid, created_at, expires_at) values ($1, '', $2, $3, $4, $4)`,
      [`pair ${name}`, appId, cuid, ago(30 * DAY_MS + ms)],
    )
  }
  await sweepAccess(service.db, service.clock)
  const name = `convert_from(ticket_hash, 'UTF8')`
  expect(await kept(`select ${name} as name from sso_ticket`)).toEqual(['new'])
  expect(await kept(`select convert_from(code_hash, 'UTF8') as name from passcode`)).toEqual(['new'])
  expect(await kept(`select key as name from credential where key like 'pair %'`)).toEqual(['pair new'])
})

it('which mails a customer got is kept for 400 days, and what waits is never dropped', async () => {
  for (const [about, state, ms] of [
    ['old', 'sent', 400 * DAY_MS + 1000],
    ['new', 'sent', 400 * DAY_MS - 60_000],
    ['waiting', 'waiting', 500 * DAY_MS],
  ] as const)
    await service.db.run(
      `insert into mail (cuid, kind, about, facts, state, next_at, created_at)
       values ($1, 'stopped', $2, '{}', $3, 'infinity', $4)`,
      [cuid, about, state, ago(ms)],
    )
  await sweepMails(service.db, service.clock, calendarOf('UTC'))
  expect(await kept('select about as name from mail order by about')).toEqual(['new', 'waiting'])
})

it('who saw a campaign how often on a day goes with the books of that day', async () => {
  for (const day of [20261108, 20261109])
    await service.db.run('insert into cap_day (day, cid, user_hi, user_lo, imps) values ($1, 1, 1, 1, 1)', [
      day,
    ])
  await sweepShares(service.db, 20261109)
  expect(await kept('select day::text as name from cap_day')).toEqual(['20261109'])
})
