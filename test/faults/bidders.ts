// Exchanges that ask the real bidder for ads and report the outcome: at once, late, twice, to a restarted service, or
// never. They record what the service acknowledged.

import { setTimeout as sleep } from 'node:timers/promises'
import { chooseHangUp, createCaller } from './calls.ts'
import type { Exchange, Order } from './orders.ts'
import { type Random, randomFrom, takeAny } from './random.ts'
import {
  actionOf,
  bidRequestFor,
  clickOf,
  evidenceOf,
  impressionOf,
  lossOf,
  type Report,
  type SoldAd,
  soldAdOf,
} from './sold-ad.ts'

export interface Journal {
  /** Keys of reports answered with success: they must be in the events. */
  acknowledged: Set<string>
  /**
   * Reports answered with success when the ad's money may already have been gone; a `late` report is answered with
   * success too.
   */
  maybeLate: Set<string>
  /** The keys of all reports ever sent. */
  attempted: Set<string>
  ads: number
  noBids: number
  refusals: number
  brokenCalls: number
}

export interface BidderOptions {
  seed: number
  bidders: number
  orders: readonly Order[]
  exchanges: readonly Exchange[]
  users: number
  url: () => string | null
  lives: () => number
  /** Whether the service found this ad's reservation at its last start. */
  wasFound(adId: string): boolean
}

export interface Bidders {
  journal: Journal
  /** Destroys all sockets of the bidders. */
  cut(): void
  /** Buys no more ads, and sends the reports that are still held back. */
  stop(): Promise<void>
}

/** One call in this many is cut off by the client. */
const HANG_UPS = 40
/** The most reports that wait, so that budgets are full of reservations that a killed service must not forget. */
const MOST_HELD = 200
const MOST_PAUSE_MS = 25
/** A limit, so that a fast machine does not spend all budgets before the first fault. */
const ASKED_A_SECOND = 70
/** Longer than the shortest reservation. */
const LATEST_MS = 75_000

export function startBidders(options: BidderOptions): Bidders {
  const { orders, exchanges, users, url, lives } = options
  const journal: Journal = {
    acknowledged: new Set(),
    maybeLate: new Set(),
    attempted: new Set(),
    ads: 0,
    noBids: 0,
    refusals: 0,
    brokenCalls: 0,
  }
  const caller = createCaller(options.bidders)
  /** Any bidder may send these reports, in any order. */
  const held: Report[] = []
  const late: { report: Report; fromMs: number }[] = []
  const startedMs = Date.now()
  let asked = 0
  let isStopping = false

  async function askForAd(base: string, random: Random): Promise<void> {
    asked++
    const exchange = exchanges[random(exchanges.length)]!
    const body = bidRequestFor(orders[random(orders.length)]!, users, random)
    const [askedMs, life] = [Date.now(), lives()]
    const answer = await caller.call(
      base,
      { method: 'POST', path: exchange.bidPath, body },
      chooseHangUp(random, HANG_UPS),
    )
    if (answer === null) journal.brokenCalls++
    else if (answer.status === 204) journal.noBids++
    else if (answer.status !== 200) throw new Error(`a bid request was answered with ${answer.status}`)
    else {
      journal.ads++
      held.push(...planFor(soldAdOf(answer.text, orders, exchange, askedMs, life), random))
    }
  }

  function planFor(ad: SoldAd, random: Random): Report[] {
    const plan = [impressionOf(ad, random)]
    if (random(3) > 0) plan.push(evidenceOf(ad, random))
    const whim = ad.order.isFickle ? random(100) : 100
    if (whim < 1) return []
    if (whim < 8) return [lossOf(ad)]
    if (whim < 23) return [lossOf(ad), ...plan]
    if (whim >= 24) return plan
    late.push(...plan.map(report => ({ report, fromMs: Date.now() + random(LATEST_MS) })))
    return []
  }

  async function tell(base: string, report: Report, random: Random): Promise<void> {
    const life = lives()
    const { ad, key, kind, success } = report
    if (key) journal.attempted.add(key)
    if (kind === 'loss') ad.isLost = true
    const answer = await caller.call(base, report, chooseHangUp(random, HANG_UPS))
    if (answer?.status === success) {
      acknowledge(report, life)
      // A click counts only for an ad that was counted, and an action only for a click.
      const wasCounted = journal.acknowledged.has(`${ad.adId} impression`)
      if (kind === 'impression' && wasCounted && random(6) === 0) held.push(clickOf(ad))
      if (kind === 'click' && random(2) === 0) held.push(actionOf(ad, answer.location!))
      // Sometimes it is reported again anyway.
      if (random(6) === 0) held.push(report)
      return
    }
    if (answer === null) journal.brokenCalls++
    else if ([307, 503].includes(answer.status)) journal.refusals++
    else throw new Error(`${report.path} was answered with ${answer.status}`)
    // An exchange that could not bill may then claim that the ad was not sold.
    if (kind === 'impression' && ad.order.isFickle && random(3) === 0) held.push(lossOf(ad))
    if (random(5) > 0) held.push(report)
  }

  function acknowledge({ kind, key, ad }: Report, life: number): void {
    if (key === null) return
    if (kind !== 'impression' || isMoneySurelyThere(ad, life)) journal.acknowledged.add(key)
    else journal.maybeLate.add(key)
  }

  /**
   * A service that dies may lose its last reservations, which no promise covers; its journal shows whether it did. For
   * ads lost by notice it may also have forgotten the loss, and have no room for all of them.
   */
  function isMoneySurelyThere(ad: SoldAd, life: number): boolean {
    if (ad.isLost || Date.now() >= ad.reservedUntilMs || life !== lives()) return false
    return ad.life === life || (!ad.order.isFickle && options.wasFound(ad.adId))
  }

  function choose(random: Random): Report | null {
    const due = late.findIndex(({ fromMs }) => fromMs <= Date.now())
    if (due >= 0) return late.splice(due, 1)[0]!.report
    if (isStopping || held.length > MOST_HELD || random(2) === 0) return takeAny(held, random) ?? null
    return null
  }

  async function work(random: Random): Promise<void> {
    for (;;) {
      const base = url()
      const report = base && choose(random)
      if (base && report) await tell(base, report, random)
      else if (isStopping) return
      else if (base && asked < ((Date.now() - startedMs) / 1000) * ASKED_A_SECOND)
        await askForAd(base, random)
      await sleep(random(MOST_PAUSE_MS))
    }
  }

  const working = Promise.all(
    Array.from({ length: options.bidders }, (_, n) => work(randomFrom(options.seed + n))),
  )
  return {
    journal,
    cut: caller.cut,
    async stop() {
      isStopping = true
      await working
      caller.cut()
    },
  }
}
