// Ads as rows of numbers in pages: open ones that have had no call since they were reserved, which is most of them, and
// billed ones. As objects, a million of them would keep the garbage collector busy. An open ad becomes an object at its
// first call, until it is billed or freed.

import type { AdFacts } from './ad.ts'
import { adIdAt, ID_WORDS, readAdId } from './ad-id.ts'
import { createIdIndex } from './id-index.ts'

/** What an open ad holds: money of its campaign, and perhaps a cap count of its user. */
export interface Reservation extends Omit<AdFacts, 'adId'> {
  inCaps: boolean
}

export interface CompactAd extends Reservation {
  adId: string
  row: number
}

export interface CompactAds {
  has(adId: string): boolean
  wasBilled(adId: string): boolean
  /** Its id must be new. Returns its row, which stays in use until drop(). */
  add(ad: AdFacts, state: 'open' | 'billed', inCaps: boolean): number
  /** Takes an open ad out: an object stands for it. Null if there is none. */
  take(adId: string): CompactAd | null
  /** The ad that was taken out of this row was billed: the row stands for it again. */
  bill(row: number): void
  /** The ad that was taken out of this row was freed: nothing stands for it. */
  free(row: number): void
  /** The end of the reservation that is, or was, in the row. */
  untilMsOf(row: number): number
  /** The id of the ad for which an object stands; null if the row has none. */
  takenFrom(row: number): string | null
  /** Gives the row up and returns its open ad; null if it has none. */
  drop(row: number): Reservation | null
  /** Counts the users of a campaign that are not counted yet; false if `open` refused one. */
  countUsers(cid: number, open: (ad: Reservation) => boolean): boolean
  all(): Iterable<CompactAd & { state: 'open' | 'billed' }>
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

const OPEN = 1
const HAS_USER = 2
const IN_CAPS = 4
const TAKEN = 8
const BILLED = 16

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
  let size = 0

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

  const idIn = (row: number) => adIdAt(pageOf(row).words, wordAt(row))

  function setFlags(row: number, flags: number): void {
    pageOf(row).words[wordAt(row) + FLAGS] = flags
  }

  /** Reads the id of the row's ad into `id`. */
  function readIdOf(row: number): void {
    const { words } = pageOf(row)
    const at = wordAt(row)
    for (let n = 0; n < ID_WORDS; n++) id[n] = words[at + n]!
  }

  /** The row with this id; negative if there is none. */
  function find(adId: string): number {
    readAdId(adId, id)
    return index.find(id)
  }

  function* rowsWith(wanted: number): Iterable<number> {
    for (let row = 0; row < rows; row++) if ((flagsOf(row) & wanted) !== 0) yield row
  }

  return {
    has: adId => find(adId) >= 0,
    wasBilled(adId) {
      const row = find(adId)
      return row >= 0 && (flagsOf(row) & BILLED) !== 0
    },
    add({ adId, cid, payer, dayKey, priceMicros, reservedUntilMs, user }, state, inCaps) {
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
      words[word + FLAGS] =
        (state === 'open' ? OPEN : BILLED) | (user === null ? 0 : HAS_USER) | (inCaps ? IN_CAPS : 0)
      index.add(id, row)
      size++
      return row
    },
    take(adId) {
      const row = find(adId)
      if (row < 0 || (flagsOf(row) & OPEN) === 0) return null
      index.remove(id)
      size--
      setFlags(row, (flagsOf(row) & ~OPEN) | TAKEN)
      return { adId, row, ...reservationIn(row) }
    },
    bill(row) {
      readIdOf(row)
      index.add(id, row)
      size++
      setFlags(row, (flagsOf(row) & ~TAKEN) | BILLED)
    },
    free: row => setFlags(row, 0),
    untilMsOf: row => pageOf(row).numbers[numberAt(row) + UNTIL]!,
    takenFrom: row => ((flagsOf(row) & TAKEN) === 0 ? null : idIn(row)),
    drop(row) {
      const flags = flagsOf(row)
      const reservation = (flags & OPEN) === 0 ? null : reservationIn(row)
      if ((flags & (OPEN | BILLED)) !== 0) {
        readIdOf(row)
        index.remove(id)
        size--
      }
      setFlags(row, 0)
      free.push(row)
      return reservation
    },
    countUsers(cid, open) {
      let isComplete = true
      for (const row of rowsWith(OPEN)) {
        const flags = flagsOf(row)
        if ((flags & HAS_USER) === 0 || (flags & IN_CAPS) !== 0) continue
        if (pageOf(row).numbers[numberAt(row) + CID] !== cid) continue
        if (open(reservationIn(row))) pageOf(row).words[wordAt(row) + FLAGS] = flags | IN_CAPS
        else isComplete = false
      }
      return isComplete
    },
    *all() {
      for (const row of rowsWith(OPEN | BILLED)) {
        const state = (flagsOf(row) & OPEN) !== 0 ? 'open' : 'billed'
        yield { adId: idIn(row), row, ...reservationIn(row), state }
      }
    },
    size: () => size,
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
