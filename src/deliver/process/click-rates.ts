// What a node knows about click rates, and which of its personas are paid by click. After the rates are read again,
// those are put again, in small steps.

import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../platform/database.ts'
import type { CatalogSink, ReadonlyCatalog } from '../catalog/live-catalog.ts'
import { readClickRates } from '../click-rates/click-rates.ts'
import { type ClickRates, NO_CLICK_RATES } from '../click-rates/rates.ts'

export interface NodeClickRates {
  pids: Set<number>
  /** The personas that take the best of their banners. */
  best: Set<number>
  rates(): ClickRates
  /** Sets the catalog whose personas are put again when the rates have changed. */
  follow(catalog: ReadonlyCatalog, sink: Pick<CatalogSink, 'putPersona'>): void
  /** Reads the rates, if any campaign is paid by click, or any persona takes the best of its banners. */
  refresh(db: Db, nowMs: number): Promise<void>
}

/** About a millisecond of work. */
const CHUNK = 32

export function createNodeClickRates(): NodeClickRates {
  const pids = new Set<number>()
  const best = new Set<number>()
  let rates = NO_CLICK_RATES
  let followed: { catalog: ReadonlyCatalog; sink: Pick<CatalogSink, 'putPersona'> } | null = null

  async function putAgain(): Promise<void> {
    if (!followed) return
    const { catalog, sink } = followed
    for (const [n, pid] of [...pids].entries()) {
      const persona = catalog.personas.get(pid)
      if (persona) sink.putPersona(persona)
      if (n % CHUNK === CHUNK - 1) await setImmediate()
    }
  }

  return {
    pids,
    best,
    rates: () => rates,
    follow(catalog, sink) {
      followed = { catalog, sink }
    },
    async refresh(db, nowMs) {
      if (pids.size + best.size === 0) return
      rates = await readClickRates(db, nowMs)
      await putAgain()
    },
  }
}
