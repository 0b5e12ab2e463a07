// A timer wheel: items with a due time are handed back when that time has come, in O(1) each, whatever the clock does.
// Items cannot be removed early: the caller recognises and skips those that ended before their time.

export interface Wheel<T> {
  add(item: T): void
  /** Hands over everything that is due. Entries of a later lap stay. */
  advance(nowMs: number): void
  /** Whether advance() would have nothing to do: the cheap test on the hot path. */
  idle(nowMs: number): boolean
}

const SLOT_MS = 250
const SLOTS = 4_096
/** How many slots share a word of the map of occupied slots. */
const WORD = 32

export function createWheel<T>(
  startMs: number,
  dueMsOf: (item: T) => number,
  due: (item: T) => void,
): Wheel<T> {
  const slots: T[][] = Array.from({ length: SLOTS }, () => [])
  /** A bit for each slot that may contain something: after a leap of the clock, empty slots are skipped by the word. */
  const occupied = new Uint32Array(SLOTS / WORD)
  /** Every slot before this tick has been processed. */
  let tick = Math.floor(startMs / SLOT_MS)

  function add(item: T): void {
    // The slot after the due time, so that the item is due when the slot comes; never a slot already processed.
    const at = Math.max(Math.ceil(dueMsOf(item) / SLOT_MS), tick)
    const slot = at % SLOTS
    slots[slot]!.push(item)
    occupied[slot >>> 5]! |= 1 << (slot % WORD)
  }

  return {
    add,
    idle: nowMs => Math.floor(nowMs / SLOT_MS) < tick,
    advance(nowMs) {
      const nowTick = Math.floor(nowMs / SLOT_MS)
      // After a long sleep, one lap covers every slot.
      const from = Math.max(tick, nowTick - SLOTS + 1)
      tick = Math.max(tick, nowTick + 1)
      for (let at = from; at <= nowTick; at++) {
        const slot = at % SLOTS
        if (occupied[slot >>> 5] === 0) {
          at += WORD - 1 - (slot % WORD)
          continue
        }
        const items = slots[slot]!
        if (items.length === 0) continue
        slots[slot] = []
        occupied[slot >>> 5]! &= ~(1 << (slot % WORD))
        for (const item of items) {
          if (dueMsOf(item) <= nowMs) due(item)
          else add(item)
        }
      }
    },
  }
}
