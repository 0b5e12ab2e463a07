// Which values of attributes requests had, so that a persona is told of a value that nobody sends. Kept in memory for
// an hour and written every minute; of a value, the first request of an hour is enough.

import type { Clock } from '../../kernel/time/clock.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import { writeSeen } from '../../manage/attributes/seen.ts'
import type { Db } from '../../platform/database.ts'
import type { RequestAttribute } from '../targeting/request.ts'

export interface AttributesSeen {
  note(attributes: readonly RequestAttribute[]): void
  /** Writes what is new. What could not be written is tried again. */
  write(db: Db): Promise<void>
}

/** Of one attribute in one hour; words may be anything. */
const MOST_VALUES = 5_000
const NUMBER = ['']

export function createAttributesSeen(clock: Pick<Clock, 'nowMs'>): AttributesSeen {
  let hour = 0
  let seen = new Map<string, Set<string>>()
  let fresh: { name: string; value: string }[] = []

  function noteOne({ name, words, number }: RequestAttribute): void {
    let values = seen.get(name)
    if (values === undefined) {
      values = new Set()
      seen.set(name, values)
    }
    for (const value of number === null ? words : NUMBER) {
      if (values.has(value) || values.size >= MOST_VALUES) continue
      values.add(value)
      fresh.push({ name, value })
    }
  }

  return {
    note(attributes) {
      const now = Math.floor(clock.nowMs() / HOUR_MS)
      if (now !== hour) {
        hour = now
        seen = new Map()
      }
      for (const one of attributes) noteOne(one)
    },
    async write(db) {
      if (fresh.length === 0) return
      const written = fresh
      fresh = []
      try {
        await writeSeen(db, written, clock.nowMs())
      } catch (error) {
        fresh = [...written, ...fresh].slice(0, 10 * MOST_VALUES)
        throw error
      }
    },
  }
}
