// Passes the catalog's changes on to the targeting index and the ledger.

import type { ServablePersona } from '../catalog/live.ts'
import type { CatalogSink } from '../catalog/live-catalog.ts'
import type { Ledger } from '../ledger/ledger-interface.ts'
import type { TargetingIndex } from '../targeting/index-tree.ts'
import type { Size } from '../targeting/request.ts'

export function sinkOf(
  index: Pick<TargetingIndex, 'put' | 'remove'>,
  ledger: Pick<Ledger, 'setCampaign' | 'removeCampaign'>,
  nowMs: () => number,
): CatalogSink {
  return {
    putPersona: persona => index.put(entryOf(persona)),
    removePersona: pid => void index.remove(pid),
    setCampaign: campaign => ledger.setCampaign(campaign, nowMs()),
    removeCampaign: cid => ledger.removeCampaign(cid),
  }
}

function entryOf({ pid, order, targeting, banners }: ServablePersona) {
  return { pid, priceMicros: order.campaign.cpmMicros, sizes: sizesOf(banners), targeting }
}

function sizesOf(banners: readonly Size[]): Size[] {
  const sizes: Size[] = []
  for (const { width, height } of banners) {
    if (!sizes.some(size => size.width === width && size.height === height)) sizes.push({ width, height })
  }
  return sizes
}
