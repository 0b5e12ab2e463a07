// Which values requests had, for other rooms: delivery tells what it saw, personas are warned of what nobody sends.

import type { Db } from '../../platform/database.ts'
import { UNSEEN_DAYS } from './contract.ts'
import { deleteUnseen, upsertSeen } from './queries.ts'

const DAY_MS = 86_400_000

/** `name`: as `attributeName` makes it. */
export async function writeSeen(
  db: Db,
  seen: readonly { name: string; value: string }[],
  nowMs: number,
): Promise<void> {
  await upsertSeen(db, seen, new Date(nowMs))
}

/** Kept twice as long as anything asks for. */
export async function sweepSeen(db: Db, nowMs: number): Promise<void> {
  await deleteUnseen(db, new Date(nowMs - 2 * UNSEEN_DAYS * DAY_MS))
}
