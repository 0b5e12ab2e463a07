// Weeks of the whole service in a sandbox: random customers, campaigns, zones, hours, edits and credits, visitors every
// day, and a process that is killed or cut off from its database meanwhile. After every midnight no budget, cap or
// balance is exceeded, all figures agree to the micro, and each webhook and email came once. Without faults, the same
// seed gives the same days. `./script/bench faults` plays new weeks each time; SEED=… replays some.

import { expect, test } from 'vitest'
import { IS_LONG, IS_REPLAY, type Random, randomOf, seededRandom } from '../support/random.ts'
import { everythingMustHold } from './weeks-checks.ts'
import { type Orders, placeOrders } from './weeks-orders.ts'
import { type SandboxProcess, START_S, startSandboxProcess } from './weeks-sandbox.ts'

const DAY_S = 86_400
const PER_HOUR = IS_LONG ? 40 : 12
const TRAFFIC = { perHour: PER_HOUR, mix: { sizes: { '300x250': 1 }, users: 60, ctr: 0.2, cvr: 0.3 } }
const DAYS = Number(process.env.DAYS ?? (IS_LONG ? 21 : 3))
/** A part of the links at the end of emails that depends on a secret. */
const TOKEN = /(?<=\/mails\/[\w.]+\.)[\w-]{43}$/m
const SAME_DAYS = IS_LONG ? 7 : 1
/** The usual run plays the same days each time. */
const USUAL_SEED = 5

const randomHere = (name: string) => (IS_LONG || IS_REPLAY ? seededRandom(name) : randomOf(USUAL_SEED))

const FAULTS = ['kill', 'cut', 'cut often'] as const

/** Strikes while visitors come, at a moment that the seed decides. */
async function strike(
  what: (typeof FAULTS)[number],
  { played, kill, cut }: SandboxProcess,
  random: Random,
): Promise<void> {
  await played(1 + random.int(PER_HOUR * 4))
  if (what === 'kill') await kill()
  else cut()
  for (let more = 0; what === 'cut often' && more < 3; more++) {
    await new Promise(resolve => setTimeout(resolve, 50))
    cut()
  }
}

test('whatever dies, at every midnight all limits are kept and all figures agree', {
  timeout: 600_000 + DAYS * 60_000,
}, async () => {
  const random = randomHere('weeks of a sandbox')
  const sandbox = await startSandboxProcess(`weeks-${random.seed}`)
  try {
    const placed = await placeOrders(sandbox, random, IS_LONG ? 6 : 3)
    for (let day = 1; day <= DAYS; day++) {
      const midnightS = START_S + day * DAY_S
      const changes = [await placed.change(await sandbox.now())]
      await sandbox.visitUntil(midnightS - (4 + random.int(16)) * 3_600, TRAFFIC)
      changes.push(await placed.change(await sandbox.now()))
      // Each fault once before any is repeated.
      const fault = FAULTS[(random.seed + day) % FAULTS.length]!
      await sandbox.visitUntil(midnightS, TRAFFIC, () => strike(fault, sandbox, random))
      if (process.env.REPORT) console.log(`day ${day}: ${changes.join(', ')}, ${fault}`)
      await everythingMustHold(sandbox, placed)
    }
  } finally {
    await sandbox.close()
  }
})

test('the same seed, start and calls give exactly the same days, to the micro and the letter', {
  timeout: 600_000 + SAME_DAYS * 120_000,
}, async () => {
  const random = randomHere('the same days')
  const sandbox = await startSandboxProcess(`same-${random.seed}`)
  try {
    const first = await recordedDays(sandbox, random.seed)
    expect(first.webhooks.length).toBeGreaterThan(5)
    expect(first.mails.length).toBeGreaterThan(0)
    await sandbox.call('POST', '/sandbox/reset')
    expect(await recordedDays(sandbox, random.seed)).toEqual(first)
  } finally {
    await sandbox.close()
  }
})

/** Everything that can be read or was sent, after some days without faults. */
async function recordedDays(sandbox: SandboxProcess, seed: number) {
  const random = randomOf(seed)
  const before = sandbox.receiver.received.length
  const placed = await placeOrders(sandbox, random, 2)
  for (let day = 1; day <= SAME_DAYS; day++) {
    await placed.change(await sandbox.now())
    await sandbox.visitUntil(START_S + day * DAY_S, TRAFFIC)
  }
  return { ...(await readings(sandbox, placed)), ...(await sentBy(sandbox, before)) }
}

async function readings({ call, now }: SandboxProcess, { payers, orders }: Orders) {
  const period = `start=${START_S}&end=${await now()}`
  const report = await call('GET', `/report?by=campaign,day&${period}`)
  const statistics: unknown[] = []
  for (const { cid, payer } of orders) {
    const owner = `?cuid=${payer.cuid}&${period}`
    statistics.push(await call('GET', `/stats/${cid}/timeseries${owner}&interval=hour`))
    for (const dimension of ['domain', 'device', 'country', 'banner', 'action', 'hour'])
      statistics.push(await call('GET', `/stats/${cid}/breakdown/${dimension}${owner}`))
    statistics.push(await call('GET', `/stats/${cid}/filtered${owner}`))
  }
  const statements: unknown[] = []
  for (const { cuid } of payers.filter(({ isPrepaid }) => isPrepaid))
    statements.push(await call('GET', `/customer/${cuid}/statement?from=${START_S}&to=${await now()}`))
  return { report, statistics, statements }
}

/** The webhooks received since then, and all emails. Those of the same moment come in any order. */
async function sentBy({ receiver, call }: SandboxProcess, before: number) {
  const webhooks = receiver.received.slice(before).map(({ text }) => text)
  const mails = (await call('GET', '/sandbox/outbox')).map(
    ({ time, to, subject, text }: Record<string, string>) =>
      `${time} ${to} ${subject} ${text!.replace(TOKEN, '')}`,
  )
  return { webhooks: webhooks.toSorted(), mails: mails.toSorted() as string[] }
}
