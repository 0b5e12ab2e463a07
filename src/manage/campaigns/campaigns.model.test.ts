// Makes random calls to the real service and to a model of a few maps; both must always agree. A failure names its
// seed; `SEED=<n> npx vitest run src/manage/campaigns/campaigns.model.test.ts` replays it.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_S, HOUR_S, newTestCustomer, type TestCustomer } from '../../../test/support/campaigns.ts'
import { IS_LONG } from '../../../test/support/random.ts'
import { startTestService, type TestAnswer, type TestService } from '../../../test/support/service.ts'

const STEPS = IS_LONG ? 20_000 : 600
/** Every kind of answer must occur, otherwise the test proves little. */
const KINDS = [200, 201, 400, 404, 409, 412]
const MIN_EACH = 10
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

interface ModelFlight {
  fid: number
  name: string
  start: number
  end: number
  version: number
}

interface ModelCampaign {
  cid: number
  owner: TestCustomer
  fields: { name: string; start: number; end: number; enabled: boolean; freq: number; dailySpend: number }
  version: number
  changes: number
  bornFid: number
  flights: Map<number, ModelFlight>
}

let service: TestService
let customers: TestCustomer[]
beforeAll(async () => {
  service = await startTestService()
  customers = [await newTestCustomer(service), await newTestCustomer(service)]
})
afterAll(() => service.close())

/** mulberry32: small, and good enough for a random walk. */
function prng(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = prng(seed)
const int = (below: number) => Math.floor(random() * below)
const chance = (share: number) => random() < share
const pick = <T>(items: T[]): T => items[int(items.length)]!

const campaigns = new Map<number, ModelCampaign>()
const gone: { path: string; owner: TestCustomer }[] = []
const nowS = () => Math.floor(service.clock.nowMs() / 1000)
/** A coarse grid, so that dates collide and touch often. */
const anyTimeS = () => gridS(nowS()) + (int(14) - 4) * 6 * HOUR_S
const gridS = (timeS: number) => timeS - (timeS % (6 * HOUR_S))
const anyFields = () => ({
  name: `n${int(1000)}`,
  start: anyTimeS(),
  end: anyTimeS() + DAY_S,
  frequency: int(5),
  dailySpend: (1 + int(100_000)) / 100,
})

function someOf<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(() => chance(0.3))) as Partial<T>
}

/** An etag that is right, wrong or not there, and whether it lets the write pass. */
function anyIfMatch(id: number, version: number): { headers: Record<string, string>; passes: boolean } {
  if (chance(0.7)) return { headers: {}, passes: true }
  const passes = chance(0.5)
  return { headers: { 'if-match': `"${id}-${passes ? version : version + 7}"` }, passes }
}

const seen = new Map<number, number>()

function expectStatus(answer: TestAnswer, wanted: number): boolean {
  seen.set(wanted, (seen.get(wanted) ?? 0) + 1)
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([wanted, expect.any(String)])
  return wanted < 300
}

function statusAt(campaign: ModelCampaign, atS: number): string {
  const { fields, flights } = campaign
  const runs = flights.size > 0 ? [...flights.values()] : [fields]
  if (runs.every(run => run.end <= atS)) return 'ended'
  if (!fields.enabled) return 'paused'
  return runs.some(run => run.start <= atS && atS < run.end) ? 'incomplete' : 'scheduled'
}

function expectCampaign(body: TestAnswer['body'], campaign: ModelCampaign, earliestS: number): void {
  const { cid, owner, fields } = campaign
  expect(body).toMatchObject({ cid, cuid: owner.cuid, ...fields })
  // A second may pass between asking and answering.
  expect([statusAt(campaign, earliestS), statusAt(campaign, nowS())]).toContain(body.status)
}

async function create(): Promise<void> {
  const owner = pick(customers)
  const { frequency, ...fields } = anyFields()
  const enabled = chance(0.8)
  const answer = await owner.call('POST', '/campaign', { ...fields, frequency, enabled })
  const valid = fields.start < fields.end && fields.end > nowS()
  if (!expectStatus(answer, valid ? 201 : 400)) return
  const { cid } = answer.body
  const flights = await owner.call('GET', `/campaign/${cid}/flight`)
  campaigns.set(cid, {
    cid,
    owner,
    fields: { ...fields, freq: frequency, enabled },
    version: 1,
    changes: 1,
    bornFid: flights.body[0].fid,
    flights: new Map(),
  })
}

function apply(campaign: ModelCampaign, fields: Partial<ModelCampaign['fields']>): void {
  const next = { ...campaign.fields, ...fields }
  if (JSON.stringify(next) === JSON.stringify(campaign.fields)) return
  campaign.fields = next
  campaign.version++
  campaign.changes++
}

/** Dates that contradict each other are wrong by themselves, whatever the edit applies to. */
function isBackward({ start, end }: { start?: number; end?: number }): boolean {
  return start !== undefined && end !== undefined && start >= end
}

async function edit(campaign: ModelCampaign): Promise<void> {
  const { cid, owner, version } = campaign
  const { frequency, ...others } = someOf(anyFields())
  const wanted = { ...campaign.fields, ...others, freq: frequency ?? campaign.fields.freq }
  const { headers, passes } = anyIfMatch(cid, version)
  const body = { ...others, ...(frequency === undefined ? {} : { [pick(['freq', 'frequency'])]: frequency }) }
  const earliestS = nowS()
  const answer = await owner.call('PUT', `/campaign/${cid}`, body, headers)
  const outside = [...campaign.flights.values()].some(f => f.start < wanted.start || f.end > wanted.end)
  const status = isBackward(others)
    ? 400
    : !passes
      ? 412
      : wanted.start >= wanted.end
        ? 400
        : outside
          ? 409
          : 200
  if (!expectStatus(answer, status)) return
  apply(campaign, wanted)
  expectCampaign(answer.body, campaign, earliestS)
  expect(answer.headers.etag).toMatch(`"${cid}-${campaign.version}.`)
}

async function setEnabled(campaign: ModelCampaign): Promise<void> {
  const enabled = chance(0.5)
  const earliestS = nowS()
  const path = `/campaign/${campaign.cid}/${enabled ? 'resume' : 'pause'}`
  const answer = await campaign.owner.call('PUT', path)
  expectStatus(answer, 200)
  apply(campaign, { enabled })
  expectCampaign(answer.body, campaign, earliestS)
}

async function remove(campaign: ModelCampaign): Promise<void> {
  const path = `/campaign/${campaign.cid}`
  const { headers, passes } = anyIfMatch(campaign.cid, campaign.version)
  const answer = await campaign.owner.call('DELETE', path, undefined, headers)
  if (!expectStatus(answer, passes ? 200 : 412)) return
  expect(answer.body).toEqual({ cid: campaign.cid, deleted: true })
  campaigns.delete(campaign.cid)
  gone.push(
    { path, owner: campaign.owner },
    { path: `${path}/flight/${campaign.bornFid}`, owner: campaign.owner },
  )
}

/** The status that putting a flight there must get. */
function placing(campaign: ModelCampaign, span: { start: number; end: number }, fid = 0): number {
  const { start, end } = campaign.fields
  if (span.start >= span.end || span.start < start || span.end > end) return 400
  const others = [...campaign.flights.values()].filter(other => other.fid !== fid)
  return others.some(other => other.start < span.end && span.start < other.end) ? 409 : 200
}

async function createFlight(campaign: ModelCampaign): Promise<void> {
  const start = anyTimeS()
  const body = { name: `f${int(100)}`, start, end: start + int(5) * 6 * HOUR_S }
  const answer = await campaign.owner.call('POST', `/campaign/${campaign.cid}/flight`, body)
  const placed = placing(campaign, body)
  if (!expectStatus(answer, placed === 200 ? 201 : placed)) return
  campaign.flights.set(answer.body.fid, { fid: answer.body.fid, ...body, version: 1 })
  campaign.changes++
}

async function editFlight(campaign: ModelCampaign): Promise<void> {
  const flight = pick([...campaign.flights.values()])
  const path = `/campaign/${campaign.cid}/flight`
  const born = await campaign.owner.call('PUT', `${path}/${campaign.bornFid}`, { name: 'x' })
  expectStatus(born, 409)
  if (!flight) return
  const body = someOf({ name: `f${int(100)}`, start: anyTimeS(), end: anyTimeS() })
  const wanted = { ...flight, ...body }
  const { headers, passes } = anyIfMatch(flight.fid, flight.version)
  const answer = await campaign.owner.call('PUT', `${path}/${flight.fid}`, body, headers)
  const placed = passes ? placing(campaign, wanted, flight.fid) : 412
  if (!expectStatus(answer, isBackward(body) ? 400 : placed)) return
  if (JSON.stringify(wanted) !== JSON.stringify(flight)) {
    campaign.flights.set(flight.fid, { ...wanted, version: flight.version + 1 })
    campaign.changes++
  }
  expect(answer.headers.etag).toMatch(`"${flight.fid}-${campaign.flights.get(flight.fid)!.version}.`)
}

async function removeFlight(campaign: ModelCampaign): Promise<void> {
  const flight = pick([...campaign.flights.values()])
  if (!flight) return
  const path = `/campaign/${campaign.cid}/flight/${flight.fid}`
  expectStatus(await campaign.owner.call('DELETE', path), 200)
  campaign.flights.delete(flight.fid)
  campaign.changes++
  gone.push({ path, owner: campaign.owner })
}

async function readAll(): Promise<void> {
  for (const owner of customers) {
    const mine = [...campaigns.values()].filter(campaign => campaign.owner === owner)
    const earliestS = nowS()
    const { body } = await owner.call('GET', '/campaign')
    expect(body.map((campaign: { cid: number }) => campaign.cid)).toEqual(mine.map(campaign => campaign.cid))
    for (const [index, campaign] of mine.entries()) expectCampaign(body[index], campaign, earliestS)
  }
}

async function readFlights(campaign: ModelCampaign): Promise<void> {
  const { cid, owner, bornFid, fields, flights } = campaign
  const { body } = await owner.call('GET', `/campaign/${cid}/flight`)
  const own = [...flights.values()].sort((a, b) => a.fid - b.fid)
  expect(body).toHaveLength(own.length + 1)
  expect(body[0]).toMatchObject({ fid: bornFid, default: true, start: fields.start, end: fields.end })
  for (const [index, { version: _, ...flight }] of own.entries()) {
    expect(body[index + 1]).toMatchObject({ ...flight, cid, default: false })
  }
}

async function readHistory(campaign: ModelCampaign): Promise<void> {
  const { body } = await campaign.owner.call('GET', `/campaign/${campaign.cid}/history`)
  expect(body).toHaveLength(campaign.changes)
}

/** A campaign of another customer, or one that was deleted, must look as if it did not exist. */
async function knockInVain(campaign: ModelCampaign): Promise<void> {
  const stranger = customers.find(customer => customer !== campaign.owner)!
  const path = `/campaign/${campaign.cid}`
  const closed = gone.length > 0 && chance(0.5) ? pick(gone) : { path, owner: stranger }
  const method = pick(['GET', 'PUT', 'DELETE'])
  const answer = await closed.owner.call(method, closed.path, method === 'PUT' ? { name: 'x' } : undefined)
  expectStatus(answer, 404)
}

const MOVES: [number, (campaign: ModelCampaign) => Promise<void>][] = [
  [20, edit],
  [10, setEnabled],
  [4, remove],
  [16, createFlight],
  [12, editFlight],
  [6, removeFlight],
  [8, readFlights],
  [4, readHistory],
  [8, knockInVain],
]

async function step(): Promise<void> {
  if (chance(0.02)) service.clock.advance(int(8) * HOUR_S * 1000)
  if (campaigns.size === 0 || (campaigns.size < 8 && chance(0.1))) return create()
  if (chance(0.05)) return readAll()
  let weight = int(MOVES.reduce((sum, [share]) => sum + share, 0))
  for (const [share, move] of MOVES) {
    weight -= share
    if (weight < 0) return move(pick([...campaigns.values()]))
  }
}

it(`after each of ${STEPS} random calls the service and the model agree (SEED=${seed})`, async () => {
  for (let i = 0; i < STEPS; i++) await step()
  for (const campaign of campaigns.values()) {
    await readFlights(campaign)
    await readHistory(campaign)
  }
  await readAll()
  for (const kind of KINDS) expect(seen.get(kind) ?? 0, `answers ${kind}`).toBeGreaterThan(MIN_EACH)
})
