// The last impression that this process wrote. With it, the rewind check notices a database that lost less than the
// time between two marks.

import { systemClock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import { adKeyOf } from '../tracking/ad.ts'
import type { AdEvent } from '../tracking/event.ts'
import { hasImpression } from './queries.ts'

export interface LastWritten {
  /** Called when a batch is on disk. */
  wrote(events: AdEvent[]): void
  /** Also true if nothing was written since the last question: then the mark decides. */
  isThere(): Promise<boolean>
  forget(): void
}

/** Much shorter than any retention of events, so a missing event was not deleted for its age. */
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
