// The books at a start, from what deliver/process/restore.ts has read. An ad that neither the journal nor the database
// knows is not in the books; its notice is billed if the money is still there, otherwise it is late.

import type { Caps } from '../caps/caps.ts'
import type { AdFacts, BudgetRow, Restored } from './ad.ts'
import { type Account, type Books, hasRoom, mustBeMicros } from './books.ts'
import type { Campaign } from './campaign.ts'
import type { OpenAds } from './open-ads.ts'

export interface StartParts {
  books: Books
  caps: Caps
  openAds: OpenAds
  campaigns: ReadonlyMap<number, Campaign>
  /** Other nodes have shares of the same budgets. */
  isShared: boolean
}

/** Items per turn: a few milliseconds. */
const CHUNK = 4_096

/** Works in chunks: there may be millions of ads and users, and requests are answered in between. */
export function* restoreBooks(parts: StartParts, restored: Restored, nowMs: number): Generator<void> {
  const { books, caps, openAds, campaigns } = parts
  const isToday = (dayKey: number, cid: number) => campaigns.get(cid)?.calendar.dayAt(nowMs).key === dayKey

  // Opens an account. Nothing is granted until the node has asked; without other nodes, today has its whole budget.
  function accountOf({ dayKey, cid, payer }: Pick<BudgetRow, 'dayKey' | 'cid' | 'payer'>): Account | null {
    const known = books.find(dayKey, cid, payer)
    if (known) return known
    const campaign = campaigns.get(cid)
    const account = books.open(
      dayKey,
      cid,
      parts.isShared || !isToday(dayKey, cid) ? 0 : (campaign?.dailySpendMicros ?? 0),
      campaign?.calendar ?? null,
      payer,
    )
    if (account) account.countsMissing ||= !(campaign && campaign.freq > 0)
    return account
  }

  yield* inChunks(restored.budgets, row => {
    const account = accountOf(row)
    if (!account) return
    if (parts.isShared) account.share.isNew = false
    if (parts.isShared || !isToday(row.dayKey, row.cid)) account.grantedMicros = row.grantedMicros
  })
  yield* inChunks(restored.spent, row => {
    mustBeMicros(row.spentMicros)
    const account = accountOf(row)
    if (account) account.spentMicros += row.spentMicros
  })
  yield* inChunks(restored.billed, ad => {
    const account = ad.reservedUntilMs > nowMs && accountOf(ad)
    if (account && !openAds.has(ad.adId)) openAds.rememberBilled(ad, account)
  })
  yield* inChunks(restored.counted, row => {
    if (caps.addCounted(row.dayKey, row.cid, row.user, row.impressions)) return
    accountOf({ ...row, payer: 0 })
    for (const account of books.ofCampaign(row.dayKey, row.cid)) account.countsMissing = true
  })
  yield* inChunks(restored.open, ad => {
    const account = ad.reservedUntilMs > nowMs && accountOf(ad)
    if (!account || openAds.has(ad.adId)) return
    if (restored.billedInDatabase.has(ad.adId)) openAds.rememberBilled(ad, account)
    else if (fits(ad, account)) openAds.admit(ad, account)
  })

  /**
   * The journal may have lost the record that this ad was freed, and another ad used its money. Then there is no room
   * for it, and it is treated as if its reservation had been lost. (The same is true if the budget or cap was lowered.)
   */
  function fits(ad: AdFacts, account: Account): boolean {
    if (!hasRoom(account, ad.priceMicros)) return false
    const freq = campaigns.get(ad.cid)?.freq ?? 0
    return freq === 0 || !ad.user || caps.peek(ad.dayKey, ad.cid, ad.user, freq) === null
  }
}

function* inChunks<T>(items: Iterable<T>, work: (item: T) => void): Generator<void> {
  let done = 0
  for (const item of items) {
    work(item)
    if (++done % CHUNK === 0) yield
  }
}

/** The books as restoreBooks() takes them. An ad with a pending bill is open: its end is not known. */
export function snapshotBooks(parts: StartParts): Omit<Restored, 'counted' | 'billedInDatabase'> {
  const accounts = [...parts.books.all()]
  const ads = [...parts.openAds.all()].map(
    ({ adId, cid, payer, dayKey, priceMicros, reservedUntilMs, user, state }) => ({
      facts: { adId, cid, payer, dayKey, priceMicros, reservedUntilMs, user },
      state,
    }),
  )
  return {
    spent: accounts.map(({ cid, payer, dayKey, spentMicros }) => ({ cid, payer, dayKey, spentMicros })),
    budgets: accounts.map(({ cid, payer, dayKey, grantedMicros }) => ({ cid, payer, dayKey, grantedMicros })),
    open: ads.filter(ad => ad.state === 'open').map(ad => ad.facts),
    billed: ads.filter(ad => ad.state === 'billed').map(ad => ad.facts),
  }
}
