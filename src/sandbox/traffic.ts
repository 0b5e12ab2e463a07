// Visitors in a sandbox: each of their requests and tracking calls goes through the real handlers, in order and at its
// own time. Calls are started one by one, and their answers are awaited together before any repeated work is run.
// Nothing else happens between two awaits, so the same calls always give the same figures.

import type { DataAnswer } from '../http/lane/data-plane.ts'
import { createRecent } from '../kernel/recent.ts'
import type { Calendar } from '../kernel/time/day.ts'
import { HOUR_MS, SECOND_MS } from '../kernel/time/units.ts'
import type { Afterwards } from './afterwards.ts'
import { type Agenda, createAgenda } from './agenda.ts'
import { allAnswered } from './answered.ts'
import type { Carrying } from './attributes.ts'
import {
  type CallParts,
  createCaller,
  type Purchase,
  purchaseAfter,
  purchasePath,
  type VisitorStep,
} from './calls.ts'
import type { Mix, TrafficResult } from './contract.ts'
import type { Crowd } from './crowd.ts'
import type { Steps } from './mover.ts'
import { createRandom, type Random } from './random.ts'
import type { VirtualClock } from './virtual-clock.ts'
import {
  type Asking,
  bidRequest,
  busyness,
  DEFAULTS,
  tagRequest,
  type Visitor,
  visitorOf,
} from './visitors.ts'

export interface TrafficParts extends CallParts {
  clock: VirtualClock
  /** What visitors do after their traffic is over. */
  afterwards: Afterwards
  /** Delivery's random numbers, which start again with each traffic. */
  deliveryRandom: Random
  /** Makes delivery's decisions independent of when each persona came. */
  arrange(): void
  /** What is due in a crowd, from one traffic to the next. */
  due: Map<string, number>
  publicUrl: string
  currency: string
  /** The deployment's calendar: visitors sleep at its night. */
  calendar: Calendar
}

export interface Sources {
  exchangeKey: string
  serverKey: string
  siteDomain: string
}

export interface Wanted {
  toMs: number
  requests: number
  seed: string
  sites?: string[] | undefined
  mix: Mix
  /** Null: the app has declared no attributes. */
  carrying: Carrying | null
  crowd: Crowd | null
}

/** Everything random is decided before the step, because answers arrive in any order. */
type Step = { kind: 'request' } | VisitorStep

/** The most time between two times at which delivery reads from the database and repeated work is run. */
const SLICE_MS = HOUR_MS
/** The same for a crowd, most of whose money is asked for when it is known. */
const CROWD_SLICE_MS = 3 * HOUR_MS
/** The most calls without an answer: fewer than counting accepts before it writes any. */
const MOST_UNANSWERED = 10_000
/** The number of visitors that are remembered. */
const MOST_VISITORS = 10_000
/** The behaviour of people, as probabilities. */
const ON_EXCHANGE = 0.5
const WON = 0.9
const SEEN = 0.95
const WATCHED = 0.65
/** Steps of this size reach all parts of a range evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

export async function runTraffic(
  parts: TrafficParts,
  sources: Sources,
  wanted: Wanted,
  steps: Steps,
  result: TrafficResult,
): Promise<void> {
  const { clock, calendar } = parts
  const { mix, crowd } = wanted
  const random = createRandom(`${wanted.seed} traffic ${clock.nowMs()}`)
  parts.arrange()
  parts.deliveryRandom.reseed(`${wanted.seed} delivery ${clock.nowMs()}`)
  const agenda = createAgenda<Step>()
  const period = { ...wanted, fromMs: clock.nowMs(), wallMsOf: calendar.wallMs }
  const times = timesOf(period, createRandom(`${wanted.seed} times ${clock.nowMs()}`))
  const { get, post } = createCaller(parts)
  const chances = crowd ? evenChances(parts.due, random) : chancesOf(random)
  const visitors = createRecent<number, Visitor>(MOST_VISITORS)
  let bought: Extract<Step, { kind: 'buy' }>[] = []
  let answers: Promise<unknown>[] = []
  askNext()

  await steps.passWith(wanted.toMs, crowd ? CROWD_SLICE_MS : SLICE_MS, async untilMs => {
    await buyAll()
    await playUntil(untilMs)
  })
  await parts.settled()
  await buyAll()
  while (agenda.nextMs() < Number.POSITIVE_INFINITY) {
    const atMs = agenda.nextMs()
    parts.afterwards.add(atMs, agenda.take() as VisitorStep)
  }

  function askNext(): void {
    const next = times.next()
    if (!next.done) agenda.add(next.value, { kind: 'request' })
  }

  async function playUntil(endMs: number): Promise<void> {
    while (agenda.nextMs() < endMs) {
      clock.setMs(agenda.nextMs())
      await play(agenda.take())
      if (answers.length >= MOST_UNANSWERED) await settle()
      if (steps.isHurried()) {
        await settle()
        await steps.hurry()
      }
    }
    await settle()
    await crowd?.write(steps.hurry)
  }

  function settle(): Promise<void> {
    const all = answers
    answers = []
    return allAnswered(all, parts.settled, steps)
  }

  /** A purchase must follow a click that is on disk, so it waits for the next slice. */
  async function buyAll(): Promise<void> {
    const now = bought
    bought = []
    for (const step of now) answers.push(get(purchasePath(step), step.visitor))
    await settle()
  }

  async function play(step: Step): Promise<void> {
    if (step.kind === 'request') {
      askNext()
      await request()
    } else if (step.kind === 'buy') bought.push(step)
    else if (step.kind === 'call') answers.push(get(step.path, step.visitor))
    else {
      const clickedMs = clock.nowMs()
      answers.push(get(step.path, step.visitor).then(answer => clicked(answer, step, clickedMs)))
    }
  }

  /** Awaits nothing except decisions that are made immediately. */
  async function request(): Promise<void> {
    const visitor = visitorBy(Math.floor(random() ** 2 * (mix.users ?? DEFAULTS.users)))
    const asking: Asking = { visitor, mix, sites: wanted.sites, nowMs: clock.nowMs(), random }
    const isOnExchange = random() < ON_EXCHANGE
    const answer = isOnExchange
      ? await post(
          `/openrtb2/bid/${sources.exchangeKey}`,
          bidRequest(asking, parts.currency, `${result.requests}`),
        )
      : await post('/ad', tagRequest(asking, sources.serverKey, sources.siteDomain))
    result.requests++
    note(isOnExchange ? adOfBid(answer) : adOfTag(answer), visitor)
  }

  /** Most visitors come more than once. */
  function visitorBy(n: number): Visitor {
    const visitor = visitors.get(n) ?? visitorOf(wanted.seed, n, mix, wanted.carrying)
    visitors.set(n, visitor)
    return visitor
  }

  function note({ ad, reason }: AdAnswer, visitor: Visitor): void {
    if (!ad) {
      result.refused[reason] = (result.refused[reason] ?? 0) + 1
      return
    }
    result.served++
    follow(agenda, ad, visitor)
  }

  function follow(next: Agenda<Step>, ad: AdLinks, visitor: Visitor): void {
    const nowMs = clock.nowMs()
    const call = (delayMs: number, link: string) =>
      next.add(nowMs + delayMs, { kind: 'call', path: pathOf(link), visitor })
    if (ad.lose && random() >= WON) {
      call(SECOND_MS, ad.lose)
      return
    }
    if (ad.bill) call(SECOND_MS, ad.bill)
    if (random() >= SEEN) return
    call(2 * SECOND_MS, ad.pixel)
    if (ad.view && random() < WATCHED) call(4 * SECOND_MS, ad.view)
    const ctr = (mix.ctr ?? DEFAULTS.ctr) * (mix.appeal?.[ad.bid] ?? 1) * (crowd?.size ?? 1)
    if (!chances.happens(`click ${ad.bid}`, ctr)) return
    const clickMs = nowMs + (5 + Math.floor(random() * 55)) * SECOND_MS
    next.add(clickMs, { kind: 'click', path: pathOf(ad.click), visitor, purchase: purchaseOrNot(ad) })
  }

  function purchaseOrNot({ cid }: AdLinks): Purchase | null {
    if (!chances.happens(`purchase ${cid}`, mix.cvr ?? DEFAULTS.cvr)) return null
    const delayMs = Math.floor(random() * 3 * HOUR_MS)
    const { from, to } = mix.value ?? DEFAULTS.value
    return { delayMs, value: (from + Math.floor(chances.part(`value ${cid}`) * (to - from))).toFixed(2) }
  }

  function clicked(answer: DataAnswer, step: Extract<Step, { kind: 'click' }>, clickedMs: number): void {
    const buy = purchaseAfter(answer, step)
    if (buy) agenda.add(clickedMs + buy.purchase.delayMs, buy)
  }

  function pathOf(link: string): string {
    return link.startsWith(parts.publicUrl) ? link.slice(parts.publicUrl.length) : link
  }
}

interface AdLinks {
  bid: number
  cid: number
  pixel: string
  /** For a page: the link to call when the ad was on the screen. */
  view: string | null
  click: string
  /** For an exchange: the links to call when the auction was won or lost. */
  bill: string | null
  lose: string | null
}

type AdAnswer = { ad: AdLinks; reason: null } | { ad: null; reason: string }

interface Bid {
  adm: string
  crid: string
  cid: string
  burl: string
  lurl: string
  price: number
}

function adOfBid({ status, body }: DataAnswer): AdAnswer {
  if (body === null) return { ad: null, reason: status === 204 ? 'no_bid' : 'failed' }
  const json = JSON.parse(String(body)) as {
    seatbid?: { bid: Bid[] }[]
    ext?: { marquee?: { reason?: string } }
  }
  const bid = json.seatbid?.[0]?.bid[0]
  if (!bid) return { ad: null, reason: json.ext?.marquee?.reason ?? 'failed' }
  const { adm, crid, cid, burl, lurl, price } = bid
  const priced = (link: string) => link.replace(/\$\{AUCTION_PRICE\}|%24%7BAUCTION_PRICE%7D/i, String(price))
  const links = linksIn(adm)
  const linkTo = (part: string) => links.find(link => link.includes(part)) ?? ''
  const ad = { pixel: priced(linkTo('/t/i/')), view: null, click: linkTo('/t/c/') }
  return { ad: { ...ad, bid: Number(crid), cid: Number(cid), bill: priced(burl), lose: lurl }, reason: null }
}

function adOfTag({ body }: DataAnswer): AdAnswer {
  const json = JSON.parse(String(body)) as {
    ad?: { bid: number; cid: number; impression: string; view: string; click: string } | null
    reason?: string
  }
  if (!json.ad) return { ad: null, reason: json.reason ?? 'failed' }
  const { bid, cid, impression, view, click } = json.ad
  return { ad: { bid, cid, pixel: impression, view, click, bill: null, lose: null }, reason: null }
}

function linksIn(markup: string): string[] {
  return [...markup.matchAll(/(?:href|src)=\x27([^\x27]+)\x27/g)].map(match =>
    match[1]!.replaceAll('&amp;', '&'),
  )
}

interface Period {
  fromMs: number
  toMs: number
  requests: number
  /** The local wall clock, as if it were UTC. */
  wallMsOf(ms: number): number
}

/** The time of each request, in order. The total is exact, however many hours share it. */
export function* timesOf({ fromMs, toMs, requests, wallMsOf }: Period, random: Random): Generator<number> {
  const parts: { startMs: number; endMs: number; weight: number }[] = []
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min(toMs, (Math.floor(startMs / HOUR_MS) + 1) * HOUR_MS)
    parts.push({ startMs, endMs, weight: busyness(wallMsOf(startMs)) * (endMs - startMs) })
    startMs = endMs
  }
  const total = parts.reduce((sum, { weight }) => sum + weight, 0)
  let seen = 0
  let made = 0
  for (const { startMs, endMs, weight } of parts) {
    seen += weight
    const count = Math.round((requests * seen) / total) - made
    made += count
    const times = Array.from({ length: count }, () => startMs + Math.floor(random() * (endMs - startMs)))
    yield* times.toSorted((a, b) => a - b)
  }
}

interface Chances {
  happens(what: string, probability: number): boolean
  /** In [0, 1). */
  part(what: string): number
}

function chancesOf(random: Random): Chances {
  return { happens: (_, probability) => random() < probability, part: random }
}

/** What happens to one in a hundred happens to each hundredth: few visitors of a crowd stand for many people. */
function evenChances(due: Map<string, number>, random: Random): Chances {
  function step(what: string, by: number): number {
    const now = (due.get(what) ?? random()) + by
    due.set(what, now % 1)
    return now
  }
  return {
    happens: (what, probability) => step(what, Math.min(1, probability)) >= 1,
    part: what => step(what, GOLDEN) % 1,
  }
}
