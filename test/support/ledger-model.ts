// The ledger against a model that only keeps lists and adds them up each time. The database is a map of rows: each row
// is spent money. Times are multiples of a quarter of a second, so that expiry is exact.

import { expect } from 'vitest'
import { createCaps, type UserHash } from '../../src/budget/caps/caps.ts'
import type { AdFacts, LedgerLog } from '../../src/budget/ledger/ad.ts'
import { createLedger } from '../../src/budget/ledger/ledger.ts'
import type { Ledger } from '../../src/budget/ledger/ledger-interface.ts'
import { budgetRecord, RECORD_BYTES, startReplay, writeRecord } from '../../src/budget/ledger/records.ts'
import type { LiveCampaign } from '../../src/budget/live.ts'
import { createCalendar } from '../../src/kernel/time/day.ts'
import type { Random } from './random.ts'

const MAX_TTL_MS = 60_000
const CIDS = [1, 2, 3]
const NOTHING = Buffer.alloc(0)
const calendar = createCalendar('UTC')
const MIDNIGHT_MS = Date.parse('2026-11-16T00:00:00Z')

interface ModelAd {
  facts: AdFacts
  heldMicros: number
  billed: boolean
  pendingBills: number
  lost: boolean
  foundMicros: number | null
  /** The row existed before the ad entered the books (again): its record was lost in a crash. */
  wasRow: boolean
}
interface PendingBill {
  facts: AdFacts
  chargeMicros: number
  /** Set while the database's answer is lost: whether the row was inserted. */
  inserted: boolean | null
}

// Cheaper than expect(): this runs a million times.
function same(what: string, got: unknown, expected: unknown): void {
  if (got !== expected) throw new Error(`${what}: ${String(got)}, the model says ${String(expected)}`)
}
function atMost(what: string, got: number, limit: number): void {
  if (got > limit) throw new Error(`${what}: ${got} is above ${limit}`)
}

export function createLedgerModel(random: Random) {
  let nowMs = MIDNIGHT_MS - 30_000
  const database = new Map<string, { facts: AdFacts; chargeMicros: number }>()
  const ads = new Map<string, ModelAd>()
  const budgets = new Map<string, number>()
  const campaigns = new Map<number, LiveCampaign>()
  const capReset = new Set<string>()
  /** Rows that the journal had lost, charged again when a repeated notice found them, which is the safe side. */
  const twiceMicros = new Map<string, number>()
  let pendingBills: PendingBill[] = []
  let served: AdFacts[] = []
  let written = NOTHING
  let journal: Buffer[] = []
  let ledger: Ledger

  const today = () => calendar.dayAt(nowMs).key
  const keyOf = (cid: number, dayKey: number) => `${dayKey} ${cid}`
  const rows = (cid: number, dayKey: number) =>
    [...database.values()].filter(row => row.facts.cid === cid && row.facts.dayKey === dayKey)
  const openAds = (cid: number, dayKey: number) =>
    [...ads.values()].filter(ad => !ad.billed && ad.facts.cid === cid && ad.facts.dayKey === dayKey)
  const sum = (list: number[]) => list.reduce((a, b) => a + b, 0)
  const reservedOf = (cid: number, dayKey: number) => sum(openAds(cid, dayKey).map(ad => ad.heldMicros))
  /** The sum of the rows whose commit the ledger knows about. */
  function spentOf(cid: number, dayKey: number): number {
    const uncharged = new Set(openAds(cid, dayKey).flatMap(ad => (ad.wasRow ? [] : [ad.facts.adId])))
    const rowsMicros = sum(
      rows(cid, dayKey).map(row => (uncharged.has(row.facts.adId) ? 0 : row.chargeMicros)),
    )
    return rowsMicros + (twiceMicros.get(keyOf(cid, dayKey)) ?? 0)
  }
  const hasRoom = (cid: number, dayKey: number, micros: number) =>
    reservedOf(cid, dayKey) + spentOf(cid, dayKey) + micros <= (budgets.get(keyOf(cid, dayKey)) ?? 0)
  function seenBy(cid: number, dayKey: number, user: UserHash): number {
    const ids = [...rows(cid, dayKey), ...openAds(cid, dayKey)].filter(one => one.facts.user?.lo === user.lo)
    return new Set(ids.map(one => one.facts.adId)).size
  }

  function log(): LedgerLog {
    const write = (...args: [Parameters<typeof writeRecord>[2], AdFacts, number]) => {
      const bytes = Buffer.alloc(RECORD_BYTES)
      writeRecord(bytes, 0, ...args)
      journal.push(bytes)
    }
    return {
      reserved: (ad, grantedMicros) => write('reserved', ad, grantedMicros),
      ended: (ad, how) => write(how, ad, 0),
      budget: account => write('budget', budgetRecord(account, account.latestUntilMs), account.grantedMicros),
    }
  }
  let caps = createCaps({ maxUsers: 1000 })
  function fresh(): Ledger {
    caps = createCaps({ maxUsers: 1000 })
    const made = createLedger({
      calendar,
      caps,
      log: log(),
      nowMs,
      maxTtlMs: MAX_TTL_MS,
      maxAds: 1000,
    })
    for (const campaign of campaigns.values()) made.setCampaign(campaign, nowMs)
    return made
  }
  function countedOf(cid: number, dayKey: number) {
    return rows(cid, dayKey).flatMap(({ facts }) =>
      facts.user ? [{ cid, dayKey, user: facts.user, impressions: 1 }] : [],
    )
  }

  function settleModel(adId: string): void {
    const ad = ads.get(adId)
    if (!ad || ad.pendingBills > 0) return
    if (!ad.billed && ad.foundMicros !== null) {
      ad.billed = true
      const key = keyOf(ad.facts.cid, ad.facts.dayKey)
      if (ad.wasRow)
        twiceMicros.set(key, (twiceMicros.get(key) ?? 0) + Math.min(ad.foundMicros, ad.heldMicros))
    }
    const isOver = ad.facts.reservedUntilMs <= nowMs
    if (isOver || (ad.lost && !ad.billed)) ads.delete(adId)
  }
  function admitModel(facts: AdFacts, heldMicros: number): ModelAd {
    const ad = {
      facts,
      heldMicros,
      billed: false,
      pendingBills: 0,
      lost: false,
      foundMicros: null,
      wasRow: database.has(facts.adId),
    }
    ads.set(facts.adId, ad)
    return ad
  }
  function expectedCap(cid: number, dayKey: number, user: UserHash | null): 'capped' | 'no_user' | null {
    const freq = campaigns.get(cid)!.freq
    if (freq === 0) return null
    if (!user) return 'no_user'
    return seenBy(cid, dayKey, user) >= freq ? 'capped' : null
  }

  const steps = {
    reserve() {
      const cid = random.pick(CIDS)
      const campaign = campaigns.get(cid)!
      const user = random.int(5) ? { hi: 7, lo: random.int(3) } : null
      const priceMicros = random.pick([campaign.cpmMicros / 1000, 10, 1])
      const adId = Buffer.from(Array.from({ length: 12 }, () => random.int(256))).toString('base64url')
      const ttlMs = random.pick([250, 5000, 20_000, MAX_TTL_MS])
      const dayKey = today()
      budgets.set(keyOf(cid, dayKey), campaign.dailySpendMicros)
      const expected = hasRoom(cid, dayKey, priceMicros) ? expectedCap(cid, dayKey, user) : 'budget_spent'
      const wish = { adId, cid, priceMicros, user, ttlMs, random: random.next() }
      const checked = ledger.check(cid, priceMicros, user, nowMs)
      const got = ledger.reserve(wish, nowMs)
      same('check', checked, typeof got === 'string' ? got : null)
      if (typeof got === 'string') {
        // A cap that was removed and set again may count an impression twice: stricter, never looser.
        if (!(got === 'capped' && capReset.has(keyOf(cid, dayKey)))) same('refusal', got, expected)
        return
      }
      same('reserved', null, expected)
      const facts = { adId, cid, payer: 0, dayKey, priceMicros, reservedUntilMs: nowMs + ttlMs, user }
      expect(got).toMatchObject(facts)
      served.push(facts)
      admitModel(facts, priceMicros)
    },
    begin() {
      if (served.length === 0) return
      const facts = random.pick(served.slice(-20))
      const priceMicros = random.pick([
        facts.priceMicros,
        0,
        Math.floor(facts.priceMicros / 2),
        facts.priceMicros * 3,
      ])
      const known = ads.get(facts.adId)
      let expected: number | 'late' | 'duplicate' = 'late'
      if (known?.billed) expected = 'duplicate'
      else if (facts.reservedUntilMs <= nowMs) expected = 'late'
      else if (known) expected = Math.min(priceMicros, known.heldMicros)
      else {
        const charge = Math.min(priceMicros, facts.priceMicros)
        const cap = facts.user ? expectedCap(facts.cid, facts.dayKey, facts.user) : null
        if (facts.dayKey === today())
          budgets.set(keyOf(facts.cid, facts.dayKey), campaigns.get(facts.cid)!.dailySpendMicros)
        if (budgets.has(keyOf(facts.cid, facts.dayKey)) && hasRoom(facts.cid, facts.dayKey, charge) && !cap)
          expected = charge
      }
      const begun = ledger.begin(facts, priceMicros, nowMs)
      const got = begun.isBillable ? begun.chargeMicros : begun.reason
      // After a crash or a changed cap, the counts of a past day are not loaded again.
      const mayBeStricter =
        facts.user && campaigns.get(facts.cid)!.freq > 0 && capReset.has(keyOf(facts.cid, facts.dayKey))
      if (!(got === 'late' && mayBeStricter && !known)) same('begin', got, expected)
      if (!begun.isBillable) return
      const ad = known ?? admitModel(facts, begun.chargeMicros)
      ad.pendingBills++
      pendingBills.push({ facts, chargeMicros: begun.chargeMicros, inserted: null })
    },
    /** One transaction with some of the pending bills: it is committed or rolled back, and its answer may be lost. */
    transact() {
      const isLost = random.int(4) === 0
      const isCommitted = random.int(4) > 0
      for (const bill of pendingBills.filter(one => one.inserted === null && random.int(2))) {
        const isNew = isCommitted && !database.has(bill.facts.adId)
        if (isNew) database.set(bill.facts.adId, { facts: bill.facts, chargeMicros: bill.chargeMicros })
        if (isLost) bill.inserted = isNew
        else answer(bill, isNew ? 'new' : isCommitted ? 'duplicate' : 'rolled back')
      }
    },
    /** The ledger learns the lost answers, by asking for the row or by sending the batch again. */
    learn() {
      for (const bill of pendingBills.filter(one => one.inserted !== null && random.int(2))) {
        if (bill.inserted) answer(bill, random.int(2) ? 'new' : 'duplicate')
        else answer(bill, database.has(bill.facts.adId) ? 'duplicate' : 'rolled back')
      }
    },
    release() {
      if (served.length === 0) return
      const facts = random.pick(served.slice(-20))
      const ad = ads.get(facts.adId)
      const isFreed = ad !== undefined && !ad.billed && ad.pendingBills === 0
      same('release', ledger.release(facts.adId), isFreed)
      if (ad && !ad.billed) ad.lost = true
      settleModel(facts.adId)
    },
    wait() {
      nowMs += 250 * random.pick([1, 1, 4, 20, 100])
      if (random.int(60) === 0) nowMs += 86_400_000
      ledger.expire(nowMs)
      for (const adId of [...ads.keys()]) settleModel(adId)
      served = served.filter(facts => facts.reservedUntilMs > nowMs - 5000)
    },
    edit() {
      const cid = random.pick(CIDS)
      const before = campaigns.get(cid)!
      const campaign = { ...before, dailySpendMicros: random.pick([0, 500, 2000, 5000]) }
      if (random.int(3) === 0) campaign.freq = random.int(4)
      set(campaign)
      if (campaign.freq > 0 && before.freq === 0)
        for (const dayKey of [today(), calendar.dayAt(nowMs - 86_400_000).key])
          capReset.add(keyOf(cid, dayKey))
    },
    crash() {
      const tail = random.int(3) ? 0 : random.int(Math.min(4, journal.length + 1))
      const torn =
        tail > 0 && random.int(2) ? journal.at(-tail)!.subarray(0, random.int(RECORD_BYTES)) : NOTHING
      written = Buffer.concat([written, ...journal.slice(0, journal.length - tail)])
      journal = []
      const replay = startReplay(nowMs)
      Array.from(replay.segment(Buffer.concat([written, torn])))
      const recovered = replay.result()
      pendingBills = []
      ads.clear()
      budgets.clear()
      twiceMicros.clear()
      for (const row of recovered.budgets) budgets.set(keyOf(row.cid, row.dayKey), row.grantedMicros)
      for (const campaign of campaigns.values())
        budgets.set(keyOf(campaign.cid, today()), campaign.dailySpendMicros)
      for (const facts of recovered.billed) admitModel(facts, 0).billed = true
      for (const facts of recovered.open) {
        const { adId, cid, dayKey, priceMicros, user } = facts
        if (database.has(adId)) admitModel(facts, 0).billed = true
        else if (hasRoom(cid, dayKey, priceMicros) && (!user || !expectedCap(cid, dayKey, user)))
          admitModel(facts, priceMicros)
      }
      for (const row of database.values()) capReset.add(keyOf(row.facts.cid, row.facts.dayKey))
      ledger = fresh()
      const days = [today(), calendar.dayAt(nowMs - 86_400_000).key]
      const pairs = days.flatMap(dayKey => CIDS.map(cid => ({ cid, dayKey })))
      // The spend of each is known. A budget may be unknown: then it is zero, and only a charge of zero has room.
      for (const { cid, dayKey } of pairs)
        if (!budgets.has(keyOf(cid, dayKey))) budgets.set(keyOf(cid, dayKey), 0)
      Array.from(
        ledger.restore(
          {
            ...recovered,
            spent: pairs.map(({ cid, dayKey }) => ({
              cid,
              dayKey,
              spentMicros: sum(rows(cid, dayKey).map(row => row.chargeMicros)),
            })),
            billedInDatabase: new Set(database.keys()),
            counted: pairs
              .filter(pair => campaigns.get(pair.cid)!.freq > 0)
              .flatMap(pair => countedOf(pair.cid, pair.dayKey)),
          },
          nowMs,
        ),
      )
    },
  }

  function set(campaign: LiveCampaign): void {
    campaigns.set(campaign.cid, campaign)
    ledger.setCampaign(campaign, nowMs)
    budgets.set(keyOf(campaign.cid, today()), campaign.dailySpendMicros)
  }

  function answer(bill: PendingBill, how: 'new' | 'duplicate' | 'rolled back'): void {
    const { adId } = bill.facts
    const ad = ads.get(adId)!
    pendingBills = pendingBills.filter(one => one !== bill)
    ad.pendingBills--
    if (how === 'new') {
      same('commit', ledger.commit(adId, bill.chargeMicros), !ad.billed)
      ad.billed = true
    } else if (how === 'duplicate') {
      const chargedMicros = database.get(adId)!.chargeMicros
      if (!ad.billed) ad.foundMicros = chargedMicros
      same('duplicate', ledger.duplicate(adId, chargedMicros), !ad.billed && ad.pendingBills === 0)
    } else ledger.cancel(adId)
    settleModel(adId)
  }

  const used = new Map<string, number>()
  function verify(): void {
    for (const { cid, dayKey } of ledger.countsMissing(nowMs)) {
      capReset.add(keyOf(cid, dayKey))
      // Like deliver/process/cap-counts.ts: only memory knows how open ads end.
      const seen = rows(cid, dayKey).filter(({ facts }) => facts.user && !ledger.isOpen(facts.adId))
      for (const { facts } of seen) {
        const impressions = seen.filter(row => row.facts.user!.lo === facts.user!.lo).length
        caps.setCounted(dayKey, cid, facts.user!, impressions)
      }
      ledger.loadCounted(cid, dayKey)
    }
    for (const cid of CIDS) {
      for (const dayKey of [today(), calendar.dayAt(nowMs - 86_400_000).key]) {
        const account = ledger.account(cid, dayKey)
        if (!account) continue
        const key = keyOf(cid, dayKey)
        const sumMicros = account.spentMicros + account.reservedMicros
        same(`reserved ${key}`, account.reservedMicros, reservedOf(cid, dayKey))
        same(`spent ${key}`, account.spentMicros, spentOf(cid, dayKey))
        const inDatabaseMicros = sum(rows(cid, dayKey).map(row => row.chargeMicros))
        atMost(`database ${key}`, inDatabaseMicros, sumMicros)
        atMost(`books ${key}`, sumMicros, Math.max(account.grantedMicros, used.get(key) ?? 0))
        used.set(key, sumMicros)
        const freq = campaigns.get(cid)!.freq
        if (freq > 0)
          for (const lo of [0, 1, 2]) {
            const seen = seenBy(cid, dayKey, { hi: 7, lo })
            atMost(`cap ${key}`, seen, Math.max(freq, used.get(`${key} ${lo}`) ?? 0))
            used.set(`${key} ${lo}`, seen)
          }
        else for (const lo of [0, 1, 2]) used.set(`${key} ${lo}`, seenBy(cid, dayKey, { hi: 7, lo }))
      }
    }
  }

  ledger = fresh()
  for (const cid of CIDS)
    set({
      cid,
      cuid: 1,
      enabled: true,
      flights: [{ fid: 9, startS: 0, endS: 1e10 }],
      freq: cid === 1 ? 2 : 0,
      dailySpendMicros: 2000,
      cpmMicros: 100_000 * cid,
      category: [],
      hours: null,
      pacing: 'asap',
    })
  return { steps, verify }
}
