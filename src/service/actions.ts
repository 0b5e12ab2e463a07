// Actions that advertisers' servers report to a process that does not deliver: written to the statistics all the same.

import { idKey } from '../delivery/audience/user.ts'
import { userHashOf } from '../delivery/serve.ts'
import type { SecretsAt } from '../delivery/user-secrets.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Database } from '../platform/database.ts'
import type { ActionCallParts } from '../tracking/action-calls.ts'
import { type ActionLimits, createActionLimits } from '../tracking/action-limits.ts'
import { createTally } from '../tracking/calls.ts'
import { createPlaces } from '../tracking/places.ts'
import { openEventWriter, type WriterBase } from './event-writer.ts'

export interface ActionsOptions extends WriterBase {
  db: Database
}

const DAY_MS = 86_400_000
/** Actions carry no place of their own. */
const PLACES_IN_MEMORY = 1

export function startActions(options: ActionsOptions, secretsAt: SecretsAt) {
  const { config, clock, metrics } = options
  const places = createPlaces({ maxPlaces: PLACES_IN_MEMORY })
  const writer = openEventWriter({ ...options, places, ownNodeId: () => 0 })
  const parts: ActionCallParts & { db: Database } = {
    db: writer.trackingDb,
    batcher: writer.batcher,
    clock,
    tally: createTally(metrics),
    actionLimits: actionLimitsBy(config),
    clickWindowS: config.CLICK_WINDOW,
    viewWindowS: config.VIEW_WINDOW,
    // Pixels in pages of visitors come to a process that delivers.
    readCookie: () => null,
    userHashesOf: (kind, id) => userHashesOf(secretsAt, clock, config.VIEW_WINDOW, kind, id),
  }
  return {
    parts,
    async stop(): Promise<void> {
      await writer.finish()
      await writer.close()
    },
  }
}

export function actionLimitsBy(config: Config): ActionLimits {
  return createActionLimits({
    names: config.ACTION_NAMES,
    newNamesPerDay: config.ACTION_NEW_NAMES,
    perVisitorAndHour: config.VISITOR_ACTIONS,
  })
}

/** The secrets change daily, so a view of yesterday stands under yesterday's hash. */
export function userHashesOf(
  secretsAt: SecretsAt,
  clock: Clock,
  viewWindowS: number,
  kind: 'cookie' | 'user',
  id: string,
) {
  const nowMs = clock.nowMs()
  const days = Math.ceil((viewWindowS * 1000) / DAY_MS)
  const moments = Array.from({ length: days + 1 }, (_, i) => nowMs - i * DAY_MS)
  return moments.map(ms => userHashOf(idKey(kind, id, secretsAt(ms).idSecret)))
}
