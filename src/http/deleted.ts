// What can still be restored, for how long, and how a list shows that.

import { type Clock, toSeconds } from '../kernel/time/clock.ts'

export interface RestoreTimes {
  clock: Clock
  /** How long after a deletion it can be undone. */
  restoreWithinS: number
}

/** Anything deleted at or before this moment can no longer be restored. */
export function restorableSince({ clock, restoreWithinS }: RestoreTimes): Date {
  return new Date(clock.nowMs() - restoreWithinS * 1000)
}

export function isRestorable(deletedAt: Date, times: RestoreTimes): boolean {
  return deletedAt > restorableSince(times)
}

/** The fields of `deletedShown` (schema.ts). */
export function deletionOf(deletedAt: Date, { restoreWithinS }: Pick<RestoreTimes, 'restoreWithinS'>) {
  const at = toSeconds(deletedAt)
  return { deletedAt: at, restorableUntil: at + restoreWithinS }
}
