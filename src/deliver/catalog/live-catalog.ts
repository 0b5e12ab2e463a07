// What may be served, in memory: orders (campaigns) and their servable personas. Every change is passed on to the
// targeting index and the ledger. Large changes are made in small chunks, between which requests are answered.

import { setImmediate } from 'node:timers/promises'
import type { LiveCampaign, LiveOrder, ServablePersona } from '../../budget/live.ts'
import type { PersonaRow } from './queries.ts'
import { bannersOf, targetingOf } from './rows.ts'

/** Receivers of changes: the index of personas and the ledger of campaigns. */
export interface CatalogSink {
  putPersona(persona: ServablePersona): void
  removePersona(pid: number): void
  setCampaign(campaign: LiveCampaign): void
  removeCampaign(cid: number): void
}

/** What delivery reads. */
export interface ReadonlyCatalog {
  readonly orders: ReadonlyMap<number, LiveOrder>
  readonly personas: ReadonlyMap<number, ServablePersona>
}

export interface LiveCatalog extends ReadonlyCatalog {
  /** True if its personas must be loaded: it was unknown, or not on, or their banners may lead elsewhere now. */
  setCampaign(campaign: LiveCampaign): Promise<boolean>
  removeCampaign(cid: number): Promise<void>
  /** Ignored while its campaign is off: turning it on loads all its personas. */
  setPersona(row: PersonaRow): void
  removePersona(pid: number): void
}

/** About a millisecond of work on a large index. */
const CHUNK = 32

export function createLiveCatalog(sink: CatalogSink): LiveCatalog {
  const orders = new Map<number, LiveOrder>()
  const personas = new Map<number, ServablePersona>()

  async function eachOf(pids: Iterable<number>, work: (pid: number) => void): Promise<void> {
    let done = 0
    for (const pid of [...pids]) {
      work(pid)
      if (++done % CHUNK === 0) await setImmediate()
    }
  }

  function removePersona(pid: number): void {
    const persona = personas.get(pid)
    if (!persona) return
    personas.delete(pid)
    persona.order.pids.delete(pid)
    sink.removePersona(pid)
  }

  async function setCampaign(campaign: LiveCampaign): Promise<boolean> {
    const known = orders.get(campaign.cid)
    const before = known?.campaign
    if (known) known.campaign = campaign
    else orders.set(campaign.cid, { campaign, pids: new Set() })
    sink.setCampaign(campaign)
    if (!campaign.enabled) {
      if (known) await eachOf(known.pids, removePersona)
      return false
    }
    if (!known || !before?.enabled) return true
    if (before.cpmMicros !== campaign.cpmMicros || before.cpcMicros !== campaign.cpcMicros)
      await eachOf(known.pids, putAgain)
    return before.clickNames !== campaign.clickNames
  }

  function putAgain(pid: number): void {
    const persona = personas.get(pid)
    if (persona) sink.putPersona(persona)
  }

  return {
    orders,
    personas,
    setCampaign,
    async removeCampaign(cid) {
      const order = orders.get(cid)
      if (!order) return
      order.campaign = { ...order.campaign, enabled: false }
      sink.removeCampaign(cid)
      orders.delete(cid)
      await eachOf(order.pids, removePersona)
    },
    setPersona(row) {
      const order = orders.get(row.cid)
      const banners = order?.campaign.enabled ? bannersOf(row) : []
      if (!order || banners.length === 0) {
        removePersona(row.pid)
        return
      }
      const { pid, rotation } = row
      const persona: ServablePersona = {
        pid,
        order,
        targeting: targetingOf(row, order.campaign.appId ?? 0),
        ...(rotation === 'even' ? {} : { rotation }),
        banners,
      }
      personas.set(row.pid, persona)
      order.pids.add(row.pid)
      sink.putPersona(persona)
    },
    removePersona,
  }
}
