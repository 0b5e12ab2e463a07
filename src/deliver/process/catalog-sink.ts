// Passes the catalog's changes on to the targeting index and the ledger. Personas that are paid by click are indexed by
// the most that each may be expected to pay.

import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { ServablePersona } from '../../budget/live.ts'
import type { CatalogSink } from '../catalog/live-catalog.ts'
import { type ClickRates, NO_CLICK_RATES } from '../click-rates/rates.ts'
import { mostByClickMicros } from '../decide/by-click.ts'
import type { TargetingIndex } from '../targeting/index-tree.ts'
import type { TargetingEntry } from '../targeting/personas.ts'
import type { Size } from '../targeting/request.ts'

interface Compared {
  /** Those that are paid by click. */
  pids: Set<number>
  /** Those that take the best of their banners. */
  best?: Set<number>
  rates: () => ClickRates
}

export function sinkOf(
  index: Pick<TargetingIndex, 'put' | 'remove'>,
  ledger: Pick<Ledger, 'setCampaign' | 'removeCampaign'>,
  nowMs: () => number,
  byClick: Compared = { pids: new Set(), rates: () => NO_CLICK_RATES },
): CatalogSink {
  return {
    putPersona(persona) {
      const { pid, order } = persona
      if (order.campaign.cpcMicros === undefined) byClick.pids.delete(pid)
      else byClick.pids.add(pid)
      if (persona.rotation === 'best') byClick.best?.add(pid)
      else byClick.best?.delete(pid)
      index.put(entryOf(persona, byClick.rates))
    },
    removePersona(pid) {
      byClick.pids.delete(pid)
      byClick.best?.delete(pid)
      index.remove(pid)
    },
    setCampaign: campaign => ledger.setCampaign(campaign, nowMs()),
    removeCampaign: cid => ledger.removeCampaign(cid),
  }
}

function entryOf(
  { pid, order: { campaign }, targeting, banners }: ServablePersona,
  rates: () => ClickRates,
): TargetingEntry {
  const isByClick = campaign.cpcMicros !== undefined
  const priceMicros = isByClick ? mostByClickMicros(campaign, banners, rates()) : campaign.cpmMicros
  return { pid, priceMicros, isByClick, sizes: sizesOf(banners), targeting }
}

function sizesOf(banners: readonly Size[]): Size[] {
  const sizes: Size[] = []
  for (const { width, height } of banners) {
    if (!sizes.some(size => size.width === width && size.height === height)) sizes.push({ width, height })
  }
  return sizes
}
