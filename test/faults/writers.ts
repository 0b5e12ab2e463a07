// Visitors, exchanges and advertisers that report to a service which is killed again and again, and record what was
// acknowledged. What was not acknowledged is reported again, as browsers and exchanges do, or never. Some hang up in
// the middle of a call and do not learn the outcome.

import { setTimeout as sleep } from 'node:timers/promises'
import { TRIAL_CAMPAIGN } from '../../bench/counting-service.ts'
import { clickIdOf, createAdIds, type ServedAd } from '../../src/count/tracking/ad.ts'
import { type KeyRing, signLinks } from '../../src/count/tracking/links.ts'
import { localityOf } from '../../src/manage/reference/localities.ts'
import { type Call, chooseHangUp, createCaller } from './calls.ts'
import { type Random, takeAny } from './random.ts'

export interface Journal {
  /** `<ad id> <kind>` of everything answered with success. */
  acknowledged: Set<string>
  /** The keys of all reports ever sent. */
  attempted: Set<string>
  refusals: number
  brokenCalls: number
}

export interface WritersOptions {
  keys: KeyRing
  random: Random
  /** The address of the service now; null while it is down. */
  url: () => string | null
  writers: number
}

export interface Writers {
  readonly journal: Journal
  /** Destroys all sockets of the writers. */
  cut(): void
  stop(): Promise<Journal>
}

interface Report extends Call {
  key: string
  success: number
  /** A report that may follow once this one was acknowledged. */
  next?: () => Report
}

/** The client hangs up in one call of this many. */
const HANG_UPS = 30

const DAY = (ms: number) => Number(new Date(ms).toISOString().slice(0, 10).replaceAll('-', ''))

export function startWriters({ keys, random, url, writers }: WritersOptions): Writers {
  const journal: Journal = {
    acknowledged: new Set(),
    attempted: new Set(),
    refusals: 0,
    brokenCalls: 0,
  }
  const caller = createCaller(writers)
  const again: Report[] = []
  const nextAdId = createAdIds(pool => {
    for (let i = 0; i < pool.length; i++) pool[i] = random(256)
  })
  let isStopped = false

  function newReport(): Report {
    const nowMs = Date.now()
    const onNotice = random(2) === 0
    const ad: ServedAd = {
      adId: nextAdId(),
      servedS: Math.floor(nowMs / 1000) - random(60),
      cuid: TRIAL_CAMPAIGN.cuid,
      cid: TRIAL_CAMPAIGN.cid,
      fid: 30,
      flightPays: false,
      pid: 40 + random(3),
      bid: 50 + random(5),
      sourceId: 3,
      priceMicros: 2000,
      ttlS: 3600,
      dayKey: DAY(nowMs),
      nodeId: 0,
      user: null,
      placeHash: null,
      placeName: null,
      networkHash: null,
      agentHash: null,
      country: ['CA', 'DE', null][random(3)]!,
      locality: random(2) * localityOf('CA', 'ON', 'toronto'),
      audience: random(6000),
      device: 'mobile',
      os: null,
      test: false,
      foreignDomain: false,
      billsOn: onNotice ? 'notice' : 'pixel',
      takesPrice: onNotice,
    }
    const tokens = signLinks(ad, keys)
    const click = (next: () => Report): Report => {
      return { key: `${ad.adId} click`, path: `/t/c/${tokens.click}`, method: 'GET', success: 302, next }
    }
    const key = `${ad.adId} impression`
    // A click counts only for an ad that was counted, and an action only for a click.
    const next = () => click(() => actionOf(ad))
    return onNotice
      ? { key, path: `/t/b/${tokens.billing}?p=1.${random(10)}`, method: 'POST', success: 200, next }
      : { key, path: `/t/i/${tokens.impression}`, method: 'GET', success: 200, next }
  }

  function actionOf(ad: ServedAd): Report {
    const path = `/t/a.gif?click=${clickIdOf(ad)}&name=buy&value=2.5`
    return { key: `${ad.adId} action`, path, method: 'GET', success: 200 }
  }

  function choose(): Report {
    return (again.length > 0 && random(3) > 0 && takeAny(again, random)) || newReport()
  }

  async function write(): Promise<void> {
    while (!isStopped) {
      const base = url()
      if (base === null) {
        await sleep(20)
        continue
      }
      const report = choose()
      journal.attempted.add(report.key)
      const status = (await caller.call(base, report, chooseHangUp(random, HANG_UPS)))?.status ?? null
      if (status === report.success) {
        journal.acknowledged.add(report.key)
        if (report.next && random(2) === 0) again.push(report.next())
        // Sometimes it is reported again anyway.
        if (random(5) === 0) again.push({ ...report, next: undefined })
      } else {
        if (status === null) journal.brokenCalls++
        else journal.refusals++
        if (random(4) > 0) again.push(report)
      }
      if (status !== null && ![report.success, 307, 503].includes(status)) {
        throw new Error(`${report.path} was answered with ${status}`)
      }
    }
  }

  const running = Promise.all(Array.from({ length: writers }, write))
  return {
    journal,
    cut: caller.cut,
    async stop() {
      isStopped = true
      await running
      caller.cut()
      return journal
    },
  }
}
