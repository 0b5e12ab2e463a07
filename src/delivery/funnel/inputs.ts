// What explanations are computed from. A process that delivers alone uses its own memory, which knows the open ads; any
// other uses the database, where all nodes report what they have reserved and seen.

import type { UserHash } from '../../caps/caps.ts'
import type { LiveCampaign } from '../../catalog/live.ts'
import type { Calendar } from '../../kernel/day.ts'
import type { Db } from '../../platform/database.ts'
import type { SecretsAt } from '../user-secrets.ts'
import { type AccountCheck, readAccount } from './account-check.ts'
import type { TrafficSample } from './sample.ts'
import { type AllTraffic, readTraffic } from './shared.ts'

export interface FunnelInputs {
  secretsAt: SecretsAt
  account(db: Db, campaign: LiveCampaign, users: readonly UserHash[], nowMs: number): Promise<AccountCheck>
  /** What all nodes are asked for, and what they have served of a persona. */
  traffic(db: Db, pid: number, nowMs: number): Promise<AllTraffic>
}

/** What a process that delivers knows by itself. */
export interface OwnMemory {
  nodeId: number
  ledger: AccountCheck
  sample: TrafficSample
  secretsAt: SecretsAt
  /** How many deliver. */
  nodes(): number
}

export function funnelInputsFromMemory(own: OwnMemory, calendar: Calendar): FunnelInputs {
  const { ledger, secretsAt } = own
  return {
    secretsAt,
    account: async (db, campaign, users, nowMs) =>
      own.nodes() > 1 ? readAccount(db, campaign, users, calendar, nowMs) : ledger,
    traffic: (db, pid, nowMs) => readTraffic(db, pid, own, nowMs),
  }
}

/** Of a process that does not deliver. */
export function funnelInputsFromDatabase(secretsAt: SecretsAt, calendar: Calendar): FunnelInputs {
  return {
    secretsAt,
    account: (db, campaign, users, nowMs) => readAccount(db, campaign, users, calendar, nowMs),
    traffic: (db, pid, nowMs) => readTraffic(db, pid, null, nowMs),
  }
}
