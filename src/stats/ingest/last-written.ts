// The last impression that this process wrote: with it the rewind check sees that a database lost less than the time
// between two marks.

import { systemClock } from '../../kernel/clock.ts'
import type { Db } from '../../platform/database.ts'
import { adKeyOf } from '../../tracking/ad.ts'
import type { AdEvent } from '../../tracking/event.ts'
import { hasImpression } from './queries.ts'

export interface LastWritten {
  /** A batch is on disk. */
  wrote(events: AdEvent[]): void
  /** Also if nothing was written since it was asked for the last time: the mark says the rest. */
  isThere(): Promise<boolean>
  forget(): void
}

/** Far less than any event is kept for: one that is missing was not deleted for its age. */
const RECENT_MS = 3_600_000

export function createLastWritten(db: Db, nowMs = systemClock.nowMs): LastWritten {
  let last: AdEvent | null = null
  const isRecent = ({ ad }: AdEvent) => Math.abs(nowMs() - ad.servedS * 1000) < RECENT_MS
  return {
    wrote(events) {
      const impression = events.findLast(event => event.kind === 'impression')
      if (impression) last = impression
    },
    async isThere() {
      const asked = last
      if (asked === null || !isRecent(asked)) return true
      // The clock of a sandbox may have moved on meanwhile, and its old events are gone.
      if (!(await hasImpression(db, adKeyOf(asked.ad))) && isRecent(asked)) return false
      if (last === asked) last = null
      return true
    },
    forget() {
      last = null
    },
  }
}
