// What the console computes about flights itself: where a new one fits, which second a minute means, and a status.

import { describe, expect, it } from 'vitest'
import type { Flight } from '../../src/manage/campaigns/flights/contract.ts'
import { newFlightDraft, periodOf } from './draft.ts'
import { flightStatus } from './flight-status.ts'

const DAY_S = 86_400
/** Not a whole minute: campaigns created by the API rarely begin at one. */
const START = 1_890_000_017
const campaign = { start: START, end: START + 30 * DAY_S }

let fid = 0
const flight = (start: number, end: number, born = false): Flight => ({
  fid: ++fid,
  cid: 1,
  name: `F${fid}`,
  start,
  end,
  totalSpend: null,
  default: born,
  created: 0,
  updated: 0,
})
const born = flight(campaign.start, campaign.end, true)
const minuteOf = (unixS: number) => Math.floor(unixS / 60) * 60

describe('a new flight', () => {
  const draft = (nowS: number, ...own: Flight[]) => newFlightDraft(campaign, [born, ...own], nowS, 'New')

  it('is a week from the start of a campaign that lies ahead', () => {
    expect(draft(START - DAY_S)).toMatchObject({ name: 'New', start: START, end: START + 7 * DAY_S })
  })

  it('begins with the current minute in a running campaign', () => {
    const nowS = START + 3 * DAY_S + 100
    expect(draft(nowS).start).toBe(minuteOf(nowS))
  })

  it('lies in the first gap ahead, in whatever order the others come', () => {
    const first = flight(START, START + 2 * DAY_S)
    const second = flight(START + 2 * DAY_S, START + 5 * DAY_S)
    const third = flight(START + 9 * DAY_S, START + 10 * DAY_S)
    expect(draft(START, third, second, first)).toMatchObject({ start: second.end, end: third.start })
  })

  it('ends with its campaign at the latest', () => {
    const most = flight(START, campaign.end - DAY_S)
    expect(draft(START, most)).toMatchObject({ start: most.end, end: campaign.end })
  })

  it('is the whole campaign if no gap is left', () => {
    expect(draft(START, flight(START, campaign.end))).toMatchObject(campaign)
    expect(draft(campaign.end + 1)).toMatchObject(campaign)
  })
})

describe('what is sent of a flight', () => {
  const neighbour = flight(START + 2 * DAY_S, START + 5 * DAY_S)
  const sent = (start: number | null, end: number | null) =>
    periodOf({ name: 'New', start, end }, campaign, [born, neighbour])

  it('a minute in which the campaign begins or ends means that second', () => {
    expect(sent(minuteOf(campaign.start), minuteOf(campaign.end))).toMatchObject(campaign)
  })

  it('a minute in which a neighbour ends or begins means that second', () => {
    expect(sent(minuteOf(neighbour.end), minuteOf(neighbour.end) + DAY_S).start).toBe(neighbour.end)
    expect(sent(campaign.start, minuteOf(neighbour.start)).end).toBe(neighbour.start)
  })

  it('any other minute, a time with seconds and an empty field are sent as they are', () => {
    const other = minuteOf(START) + 600
    expect(sent(other, other + 60)).toMatchObject({ start: other, end: other + 60 })
    expect(sent(START + 1, START + 2)).toMatchObject({ start: START + 1, end: START + 2 })
    expect(sent(null, null)).toMatchObject({ start: null, end: null })
  })
})

describe('the status of a flight', () => {
  const own = flight(START + 2 * DAY_S, START + 5 * DAY_S)
  const runs = { enabled: true, status: 'running' } as const
  const inside = START + 3 * DAY_S

  it.each([
    ['scheduled', START, runs],
    ['running', own.start, runs],
    ['spent', inside, { enabled: true, status: 'spent' }],
    ['paused', inside, { enabled: false, status: 'paused' }],
    ['ended', own.end, runs],
    ['ended', own.end, { enabled: false, status: 'paused' }],
  ] as const)('is %s at %i', (status, nowS, state) => {
    expect(flightStatus(own, [born, own], state, nowS)).toBe(status)
  })

  it('the one a campaign was born with is used only while there is no other', () => {
    expect(flightStatus(born, [born], runs, inside)).toBe('running')
    expect(flightStatus(born, [born, own], runs, inside)).toBe('unused')
  })
})
