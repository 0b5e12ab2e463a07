// Deletes what has expired: tickets, passcodes, old pairs, codes and tokens of agents, email counts and stored answers.

import { forgetOldAnswers } from '../http/idempotency.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Db } from '../platform/database.ts'
import { sweepAgents } from './agents/agents.ts'
import { deleteExpired } from './queries.ts'

export async function sweepAccess(db: Db, clock: Clock): Promise<void> {
  await deleteExpired(db, new Date(clock.nowMs()))
  await sweepAgents(db, clock)
  await forgetOldAnswers(db)
}
