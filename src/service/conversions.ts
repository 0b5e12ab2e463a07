// Conversions that advertisers' servers report to a process that does not deliver: it writes them to the statistics
// too.

import type { ConversionParts } from '../count/conversions/conversions.ts'
import { actionLimitsBy } from '../count/conversions/limits.ts'
import { createTally } from '../count/tracking/calls.ts'
import { createPlaces } from '../count/tracking/places.ts'
import { userHashesOf } from '../deliver/decide/user-hash.ts'
import type { SecretsAt } from '../deliver/decide/user-secrets.ts'
import type { Database } from '../platform/database.ts'
import { openEventWriter, type WriterBase } from './event-writer.ts'

/** Actions have no place of their own. */
const PLACES_IN_MEMORY = 1

export function startConversions(options: WriterBase, secretsAt: SecretsAt) {
  const { config, clock, metrics } = options
  const places = createPlaces({ maxPlaces: PLACES_IN_MEMORY })
  const writer = openEventWriter({ ...options, places, ownNodeId: () => 0 })
  const parts: ConversionParts & { db: Database } = {
    db: writer.trackingDb,
    batcher: writer.batcher,
    clock,
    tally: createTally(metrics),
    actionLimits: actionLimitsBy(config),
    clickWindowS: config.CLICK_WINDOW,
    impressionWindowS: config.VIEW_WINDOW,
    // Pixels on visitors' pages call a process that delivers.
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
