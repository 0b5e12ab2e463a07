// What a node knows about click rates, and the index of the campaigns that are paid by click. After the rates are read
// again, the index is reordered in small steps.

import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../platform/database.ts'
import type { CatalogSink, ReadonlyCatalog } from '../catalog/live-catalog.ts'
import { readClickRates } from '../click-rates/click-rates.ts'
import { type ClickRates, NO_CLICK_RATES } from '../click-rates/rates.ts'
import type { TargetingIndex } from '../targeting/index-tree.ts'

export interface NodeClickRates {
  index: TargetingIndex
  rates(): ClickRates
  /** Sets the catalog whose personas are put again when the rates have changed. */
  follow(catalog: ReadonlyCatalog, sink: Pick<CatalogSink, 'putPersona'>): void
  /** Reads the rates, if any campaign is paid by click. */
  refresh(db: Db, nowMs: number): Promise<void>
}

/** About a millisecond of work. */
const CHUNK = 32

export function createNodeClickRates(index: TargetingIndex): NodeClickRates {
  let rates = NO_CLICK_RATES
  let followed: { catalog: ReadonlyCatalog; sink: Pick<CatalogSink, 'putPersona'> } | null = null

  async function putAgain(): Promise<void> {
    if (!followed) return
    const { catalog, sink } = followed
    const pids = [...catalog.orders.values()]
      .filter(order => order.campaign.cpcMicros !== undefined)
      .flatMap(order => [...order.pids])
    for (const [n, pid] of pids.entries()) {
      const persona = catalog.personas.get(pid)
      if (persona) sink.putPersona(persona)
      if (n % CHUNK === CHUNK - 1) await setImmediate()
    }
  }

  return {
    index,
    rates: () => rates,
    follow(catalog, sink) {
      followed = { catalog, sink }
    },
    async refresh(db, nowMs) {
      if (index.size === 0) return
      rates = await readClickRates(db, nowMs)
      await putAgain()
    },
  }
}
