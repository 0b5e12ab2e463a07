// Passes the catalog's changes on to the targeting indexes and the ledger. Campaigns that are paid by click have an
// index of their own, ordered by the most that each persona may be expected to pay.

import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import type { ServablePersona } from '../../budget/live.ts'
import type { CatalogSink } from '../catalog/live-catalog.ts'
import type { ClickRates } from '../click-rates/rates.ts'
import { mostByClickMicros } from '../decide/by-click.ts'
import type { TargetingIndex } from '../targeting/index-tree.ts'
import type { Size } from '../targeting/request.ts'

type Index = Pick<TargetingIndex, 'put' | 'remove'>

export function sinkOf(
  index: Index,
  ledger: Pick<Ledger, 'setCampaign' | 'removeCampaign'>,
  nowMs: () => number,
  byClick?: { index: Index; rates: () => ClickRates },
): CatalogSink {
  return {
    putPersona(persona) {
      const isByClick = persona.order.campaign.cpcMicros !== undefined
      const [its, other] = isByClick ? [byClick?.index, index] : [index, byClick?.index]
      other?.remove(persona.pid)
      its?.put(isByClick ? entryOf(persona, mostMicrosOf(persona, byClick!.rates())) : entryOf(persona))
    },
    removePersona(pid) {
      index.remove(pid)
      byClick?.index.remove(pid)
    },
    setCampaign: campaign => ledger.setCampaign(campaign, nowMs()),
    removeCampaign: cid => ledger.removeCampaign(cid),
  }
}

function mostMicrosOf({ order, banners }: ServablePersona, rates: ClickRates): number {
  return mostByClickMicros(order.campaign, banners, rates)
}

function entryOf(
  { pid, order, targeting, banners }: ServablePersona,
  priceMicros = order.campaign.cpmMicros,
) {
  return { pid, priceMicros, sizes: sizesOf(banners), targeting }
}

function sizesOf(banners: readonly Size[]): Size[] {
  const sizes: Size[] = []
  for (const { width, height } of banners) {
    if (!sizes.some(size => size.width === width && size.height === height)) sizes.push({ width, height })
  }
  return sizes
}
