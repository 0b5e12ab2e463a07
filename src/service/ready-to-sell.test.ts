// A delivering process is ready when it can sell what it has: not while the shares of its campaigns are still to come,
// and then at once for all of them. Asked through real sockets.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { picture, until } from '../../test/support/banners.ts'
import { newTestCustomer, type TestCustomer } from '../../test/support/campaigns.ts'
import { type ListeningService, startListeningService } from '../../test/support/delivery.ts'
import { leaveOpen, untilWaitedFor } from '../../test/support/locks.ts'
import { createLog } from '../platform/log.ts'
import { createService, type Service } from './app.ts'

/** Each has a campaign, and no other campaign can take its visitors. */
const STATES =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND'.split(
    ' ',
  )

let managing: ListeningService
let delivering: Service
let url: string

beforeAll(async () => {
  managing = await startListeningService({ ROLES: 'api,worker' })
  const customer = await newTestCustomer(managing)
  const image = await customer.call('POST', '/creative', await picture(300, 250), {
    'content-type': 'image/png',
  })
  const banners = await Promise.all(
    STATES.map(state => newBanner(customer, state, image.body.creativeURL as string)),
  )
  for (const banner of banners)
    await until(async () => ((await customer.call('GET', banner)).body.status === 'approved' ? true : null))
})
afterAll(() => managing?.close())

afterEach(() => delivering?.stop())

async function newBanner(customer: TestCustomer, state: string, creativeURL: string): Promise<string> {
  const { cid } = await customer.newCampaign({ pacing: 'asap' })
  const persona = await customer.call('POST', `/campaign/${cid}/persona`, {
    name: state,
    geo: { geos: [`US-${state}`] },
    device: { mobile: true, tablet: true, desktop: true },
  })
  const path = `/campaign/${cid}/persona/${persona.body.pid}/banner`
  const { body } = await customer.call('POST', path, {
    creativeURL,
    clickUrl: 'https://shop.example.com/bikes',
  })
  return `${path}/${body.bid}`
}

async function start(): Promise<void> {
  const { config, clock } = managing
  delivering = await createService({
    config: { ...config, ROLES: ['delivery'] },
    log: createLog('silent'),
    clock,
  })
  url = await delivering.listen()
}

async function delivery(): Promise<[number, string]> {
  const answer = await fetch(`${url}/readyz`)
  const { parts, errors } = (await answer.json()) as {
    parts?: { delivery: string }
    errors?: { path: string; message: string }[]
  }
  const said = parts?.delivery ?? errors?.find(({ path }) => path === 'delivery')?.message
  return [answer.status, said ?? '']
}

/** The states whose visitors get an ad. */
async function sold(): Promise<string[]> {
  const answers = await Promise.all(
    STATES.map(async (region, n) => {
      const geo = { country: 'US', region }
      const visitor = {
        ip: `99.224.0.${n + 1}`,
        ua: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0',
      }
      const body = JSON.stringify({ source: managing.serverKey, size: '300x250', geo, ...visitor })
      const answer = await fetch(`${url}/ad`, { method: 'POST', body })
      const text = await answer.text()
      return text !== '' && JSON.parse(text).ad ? [region] : []
    }),
  )
  return answers.flat()
}

const ready = () => until(async () => ((await delivery())[0] === 200 ? true : null))

test('a process that was refused its shares says of how many campaigns; once it has them, it is ready and sells everything', async () => {
  await managing.db.run(`create function no_shares() returns trigger language plpgsql as
    $$ begin raise exception 'no shares now'; end $$`)
  await managing.db.run(
    'create trigger no_shares before insert or update on share execute function no_shares()',
  )
  await start()
  await delivering.delivery.started
  const all = STATES.length
  expect(await delivery()).toEqual([503, `waits for its shares of ${all} of ${all} campaigns`])
  expect(await sold()).toEqual([])
  await managing.db.run('drop trigger no_shares on share')
  await ready()
  expect(await sold()).toEqual(STATES)
})

test('while the database keeps the shares back, a starting process is not ready and sells nothing; then it sells everything', async () => {
  const held = await leaveOpen(managing.db, tx => tx.run('lock table share in exclusive mode'))
  try {
    await start()
    await untilWaitedFor(managing.db, held)
    expect(await delivery()).toEqual([503, 'is starting: the catalog and the books are being read'])
    expect(await sold()).toEqual([])
  } finally {
    await held.commit()
  }
  await ready()
  expect(await sold()).toEqual(STATES)
})

test('a process that could not ask for shares when it started is not ready as soon as it may: it asks first', async () => {
  await managing.db.run(`create function no_renewals() returns trigger language plpgsql as
    $$ begin if new.epoch = old.epoch then raise exception 'no renewals now'; end if; return new; end $$`)
  await managing.db.run(
    'create trigger no_renewals before update on node for each row execute function no_renewals()',
  )
  await start()
  await delivering.delivery.started
  expect((await delivery())[0]).toBe(503)
  const held = await leaveOpen(managing.db, tx => tx.run('lock table share in exclusive mode'))
  try {
    await managing.db.run('drop trigger no_renewals on node')
    await untilWaitedFor(managing.db, held)
    expect(await delivery()).toEqual([503, 'asks for its first shares'])
    expect(await sold()).toEqual([])
  } finally {
    await held.commit()
  }
  await ready()
  expect(await sold()).toEqual(STATES)
})
