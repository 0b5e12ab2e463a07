// A node for simulated hours: its ledger, and the refill that gets its shares from the model of the database.

import { createCaps } from '../../src/budget/caps/caps.ts'
import { createLedger } from '../../src/budget/ledger/ledger.ts'
import { createRefill } from '../../src/deliver/process/refill.ts'
import { createCalendar } from '../../src/kernel/time/day.ts'
import type { ShareModel } from './share-model.ts'

const SILENT = { info() {}, warn() {}, error() {} }
export const MODEL_CALENDAR = createCalendar('UTC')
export const MODEL_TTL_MS = 300_000

export function joinModelNode(model: ShareModel, nowMs: () => number) {
  const node = model.join()
  const times = { nowMs, steadyMs: nowMs, maxTtlMs: MODEL_TTL_MS }
  const refill = createRefill({ store: model, node, log: SILENT, ...times, onReplaced() {} })
  const ledger = createLedger({
    ...{ calendar: MODEL_CALENDAR, caps: createCaps({ maxUsers: 10 }), nowMs: nowMs() },
    ...{ maxTtlMs: MODEL_TTL_MS, maxAds: 1_000 },
    log: { reserved() {}, ended() {}, budget() {} },
    node: { ...refill, hurry: () => undefined },
  })
  return { node, refill, ledger }
}
