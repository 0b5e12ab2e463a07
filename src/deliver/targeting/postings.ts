// The memory of postings: 16 bytes each (price as a double, mask, slot) in pages outside the garbage collector's reach,
// allocated as runs of 1, 2, 4 … 64. A run is kept in serving order: by descending price, then by ascending ring key.

/** Runs of class n have room for 2^n postings. */
export const LARGEST_CLASS = 6
export const BLOCK = 1 << LARGEST_CLASS

const PAGE_BITS = 14
const PAGE_POSTINGS = 1 << PAGE_BITS
const IN_PAGE = PAGE_POSTINGS - 1
const BYTES = 16

export interface Postings {
  /** Two views of the same pages: the price of posting k is prices[2k], its mask words[4k+2], its slot words[4k+3]. */
  prices: Float64Array[]
  words: Int32Array[]
  /** Free runs, a list for each class. */
  free: number[][]
  /** The first posting of the last page that was never allocated. */
  next: number
  /** How many postings allocated runs have room for, filled or not. */
  reserved: number
}

export function createPostings(): Postings {
  const free = Array.from({ length: LARGEST_CLASS + 1 }, (): number[] => [])
  return { prices: [], words: [], free, next: 0, reserved: 0 }
}

export function pageOf(address: number): number {
  return address >>> PAGE_BITS
}

export function indexOf(address: number): number {
  return address & IN_PAGE
}

export function allocRun(postings: Postings, runClass: number): number {
  postings.reserved += 1 << runClass
  const reused = postings.free[runClass]!.pop()
  if (reused !== undefined) return reused
  const length = 1 << runClass
  // Runs never cross a page boundary: the rest of the page is given to smaller classes.
  while (postings.next % PAGE_POSTINGS !== 0 && (postings.next & IN_PAGE) + length > PAGE_POSTINGS) {
    const leftClass = Math.min(runClass - 1, ctz(postings.next))
    postings.free[leftClass]!.push(postings.next)
    postings.next += 1 << leftClass
  }
  const address = postings.next
  if (pageOf(address) === postings.prices.length) addPage(postings)
  postings.next += length
  return address
}

/** When the last run is freed, all pages but one are freed, too; until then they are kept for reuse. */
export function freeRun(postings: Postings, address: number, runClass: number): void {
  postings.reserved -= 1 << runClass
  postings.free[runClass]!.push(address)
  if (postings.reserved > 0) return
  const { prices, words } = postings
  Object.assign(postings, { ...createPostings(), prices: prices.slice(0, 1), words: words.slice(0, 1) })
}

function addPage(postings: Postings): void {
  const buffer = new ArrayBuffer(PAGE_POSTINGS * BYTES)
  postings.prices.push(new Float64Array(buffer))
  postings.words.push(new Int32Array(buffer))
}

function ctz(value: number): number {
  return 31 - Math.clz32(value & -value)
}

/**
 * The position of a slot among equal prices: a mix of its bits that never maps two slots to one key (each step is
 * reversible), so that slots of similar age or of one customer are not neighbours on the ring. A signed 32-bit number.
 */
export function ringKey(slot: number): number {
  let key = Math.imul(slot ^ (slot >>> 16), 0x7feb352d)
  key = Math.imul(key ^ (key >>> 15), 0x846ca68b)
  return key ^ (key >>> 16)
}

/** The index in the run of the first posting that is not before (price, key) in serving order. */
export function seekInRun(
  postings: Postings,
  run: number,
  count: number,
  price: number,
  key: number,
): number {
  const prices = postings.prices[pageOf(run)]!
  const words = postings.words[pageOf(run)]!
  const base = indexOf(run)
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = prices[2 * (base + middle)]!
    const before = other > price || (other === price && ringKey(words[4 * (base + middle) + 3]!) < key)
    if (before) low = middle + 1
    else high = middle
  }
  return low
}

export function insertInRun(
  postings: Postings,
  run: number,
  count: number,
  at: number,
  price: number,
  mask: number,
  slot: number,
): void {
  const prices = postings.prices[pageOf(run)]!
  const words = postings.words[pageOf(run)]!
  const index = indexOf(run) + at
  if (at < count) prices.copyWithin(2 * (index + 1), 2 * index, 2 * (index + count - at))
  prices[2 * index] = price
  words[4 * index + 2] = mask
  words[4 * index + 3] = slot
}

export function removeFromRun(postings: Postings, run: number, count: number, at: number): void {
  const prices = postings.prices[pageOf(run)]!
  const index = indexOf(run) + at
  prices.copyWithin(2 * index, 2 * (index + 1), 2 * (index + count - at))
}

/** Copies `count` postings from one run to another (or within a run, towards its start). */
export function copyPostings(postings: Postings, from: number, to: number, count: number): void {
  const source = postings.prices[pageOf(from)]!
  const index = indexOf(from)
  postings.prices[pageOf(to)]!.set(source.subarray(2 * index, 2 * (index + count)), 2 * indexOf(to))
}

export function priceAt(postings: Postings, address: number): number {
  return postings.prices[pageOf(address)]![2 * indexOf(address)]!
}

export function maskAt(postings: Postings, address: number): number {
  return postings.words[pageOf(address)]![4 * indexOf(address) + 2]!
}

export function slotAt(postings: Postings, address: number): number {
  return postings.words[pageOf(address)]![4 * indexOf(address) + 3]!
}
