// Open ads that have had no call since they were reserved, which is most of them, as rows of numbers in pages. As
// objects, a million of them would keep the garbage collector busy. At its first call an ad becomes an object.

import type { AdFacts } from './ad.ts'
import { adIdAt, ID_WORDS, readAdId } from './ad-id.ts'
import { createIdIndex } from './id-index.ts'

/** What an open ad holds: money of its campaign, and perhaps a cap count of its user. */
export interface Reservation extends Omit<AdFacts, 'adId'> {
  inCaps: boolean
}

export interface CompactAd extends Reservation {
  adId: string
}

export interface CompactAds {
  has(adId: string): boolean
  /** Its id must be new. Returns its row, which stays in use until drop(). */
  add(ad: AdFacts, inCaps: boolean): number
  /** Takes the ad out; null if there is none. */
  take(adId: string): CompactAd | null
  /** The end of the reservation that is, or was, in the row. */
  untilMsOf(row: number): number
  /** Frees the row and returns what was in it; null if that was taken before. */
  drop(row: number): Reservation | null
  /** Counts the users of a campaign that are not counted yet; false if `open` refused one. */
  countUsers(cid: number, open: (ad: Reservation) => boolean): boolean
  all(): Iterable<CompactAd>
  size(): number
}

const PAGE_BITS = 12
const PAGE_ROWS = 1 << PAGE_BITS

/** Columns of a page: numbers, and words of 32 bits after those of the id. */
const CID = 0
const PRICE = 1
const UNTIL = 2
const PAYER = 3
const NUMBERS = 4
const DAY = ID_WORDS
const USER_HI = ID_WORDS + 1
const USER_LO = ID_WORDS + 2
const FLAGS = ID_WORDS + 3
const WORDS = ID_WORDS + 4

const LIVE = 1
const HAS_USER = 2
const IN_CAPS = 4

interface Page {
  numbers: Float64Array
  words: Int32Array
}

export function createCompactAds(): CompactAds {
  const pages: Page[] = []
  const free: number[] = []
  const index = createIdIndex(isAt)
  const id = new Int32Array(ID_WORDS)
  let rows = 0
  let live = 0

  const pageOf = (row: number) => pages[row >>> PAGE_BITS]!
  const flagsOf = (row: number) => pageOf(row).words[wordAt(row) + FLAGS]!

  function isAt(row: number, wanted: Int32Array): boolean {
    const { words } = pageOf(row)
    const at = wordAt(row)
    for (let n = 0; n < ID_WORDS; n++) if (words[at + n] !== wanted[n]) return false
    return true
  }

  function newRow(): number {
    const row = free.pop() ?? rows++
    if (row >>> PAGE_BITS === pages.length) pages.push(newPage())
    return row
  }

  function reservationIn(row: number): Reservation {
    const { numbers, words } = pageOf(row)
    const number = numberAt(row)
    const word = wordAt(row)
    const flags = words[word + FLAGS]!
    const user = { hi: words[word + USER_HI]! >>> 0, lo: words[word + USER_LO]! >>> 0 }
    return {
      cid: numbers[number + CID]!,
      payer: numbers[number + PAYER]!,
      dayKey: words[word + DAY]!,
      priceMicros: numbers[number + PRICE]!,
      reservedUntilMs: numbers[number + UNTIL]!,
      user: (flags & HAS_USER) === 0 ? null : user,
      inCaps: (flags & IN_CAPS) !== 0,
    }
  }

  function adIn(row: number): CompactAd {
    return { adId: adIdAt(pageOf(row).words, wordAt(row)), ...reservationIn(row) }
  }

  /** `id` contains the id of the row's ad. */
  function remove(row: number): void {
    index.remove(id)
    pageOf(row).words[wordAt(row) + FLAGS] = 0
    live--
  }

  function* liveRows(): Iterable<number> {
    for (let row = 0; row < rows; row++) if ((flagsOf(row) & LIVE) !== 0) yield row
  }

  return {
    has(adId) {
      readAdId(adId, id)
      return index.find(id) >= 0
    },
    add({ adId, cid, payer, dayKey, priceMicros, reservedUntilMs, user }, inCaps) {
      readAdId(adId, id)
      const row = newRow()
      const { numbers, words } = pageOf(row)
      const number = numberAt(row)
      const word = wordAt(row)
      numbers[number + CID] = cid
      numbers[number + PAYER] = payer
      numbers[number + PRICE] = priceMicros
      numbers[number + UNTIL] = reservedUntilMs
      words.set(id, word)
      words[word + DAY] = dayKey
      words[word + USER_HI] = user === null ? 0 : user.hi
      words[word + USER_LO] = user === null ? 0 : user.lo
      words[word + FLAGS] = LIVE | (user === null ? 0 : HAS_USER) | (inCaps ? IN_CAPS : 0)
      index.add(id, row)
      live++
      return row
    },
    take(adId) {
      readAdId(adId, id)
      const row = index.find(id)
      if (row < 0) return null
      const ad = adIn(row)
      remove(row)
      return ad
    },
    untilMsOf: row => pageOf(row).numbers[numberAt(row) + UNTIL]!,
    drop(row) {
      free.push(row)
      if ((flagsOf(row) & LIVE) === 0) return null
      const reservation = reservationIn(row)
      const { words } = pageOf(row)
      for (let n = 0; n < ID_WORDS; n++) id[n] = words[wordAt(row) + n]!
      remove(row)
      return reservation
    },
    countUsers(cid, open) {
      let isComplete = true
      for (const row of liveRows()) {
        const flags = flagsOf(row)
        if ((flags & HAS_USER) === 0 || (flags & IN_CAPS) !== 0) continue
        if (pageOf(row).numbers[numberAt(row) + CID] !== cid) continue
        if (open(reservationIn(row))) pageOf(row).words[wordAt(row) + FLAGS] = flags | IN_CAPS
        else isComplete = false
      }
      return isComplete
    },
    *all() {
      for (const row of liveRows()) yield adIn(row)
    },
    size: () => live,
  }
}

function newPage(): Page {
  return { numbers: new Float64Array(PAGE_ROWS * NUMBERS), words: new Int32Array(PAGE_ROWS * WORDS) }
}

/** Where a row's numbers and words begin in its page. */
function numberAt(row: number): number {
  return (row & (PAGE_ROWS - 1)) * NUMBERS
}

function wordAt(row: number): number {
  return (row & (PAGE_ROWS - 1)) * WORDS
}
