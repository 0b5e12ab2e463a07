// Records what happened while the clock was moved: local midnights, events as webhooks report them, and emails.

import type { Clock } from '../kernel/time/clock.ts'
import { nowSeconds } from '../kernel/time/clock.ts'
import type { Database, Happened } from '../platform/database.ts'
import type { Mail } from '../platform/mail.ts'
import type { Happening } from './contract.ts'

export interface Happenings {
  add(happening: Omit<Happening, 'time'>): void
  mailed(mail: Mail): void
  /** Everything that happened since the last move began. */
  list(): Happening[]
  clear(): void
  stop(): void
}

/** The limit per move; later ones are not listed. */
const MOST_HAPPENINGS = 10_000
const IDS = ['cid', 'fid', 'pid', 'bid'] as const

export function createHappenings(db: Database, clock: Clock): Happenings {
  let list: Happening[] = []
  function add(happening: Omit<Happening, 'time'>): void {
    if (list.length < MOST_HAPPENINGS) list.push({ time: nowSeconds(clock), ...happening })
  }
  const stop = db.onAnnounced('webhooks', all => {
    for (const { type, cuid, data } of all) add({ kind: type, cuid, ...idsOf(data) })
  })
  return {
    add,
    mailed: ({ to, subject }) => add({ kind: 'mail', to, subject }),
    list: () => list,
    clear() {
      list = []
    },
    stop,
  }
}

function idsOf(data: Happened['data']): Partial<Record<(typeof IDS)[number], number>> {
  const values = data as Record<string, unknown>
  return Object.fromEntries(IDS.filter(id => typeof values[id] === 'number').map(id => [id, values[id]]))
}
