// An ad won from the real bidder, and the calls that may follow.

import type { Call } from './calls.ts'
import type { Exchange, Order } from './orders.ts'
import type { Random } from './random.ts'

export interface SoldAd {
  adId: string
  order: Order
  billsOn: Exchange['billsOn']
  /** The run of the service in which it was served. */
  life: number
  /** No later than the end of its reservation. */
  reservedUntilMs: number
  /** A loss notice was sent, so the ad's money may be gone. */
  isLost: boolean
  links: { billing: string; pixel: string; click: string; loss: string }
}

export interface Report extends Call {
  ad: SoldAd
  kind: 'impression' | 'evidence' | 'loss' | 'click' | 'action'
  /** The key in the events once it is counted; null if this call counts nothing. */
  key: string | null
  success: number
}

interface WireBid {
  id: string
  cid: string
  adm: string
  burl: string
  lurl: string
  exp: number
}

/** How long after the bid's own expiry a notice is still billed. */
const NOTICE_MARGIN_S = 60

export function bidRequestFor(order: Order, users: number, random: Random): string {
  const exp = [undefined, 1, 5][random(3)]
  return JSON.stringify({
    id: `auction-${random(1_000_000_000)}`,
    imp: [{ id: '1', banner: { format: [{ w: 300, h: 250 }] }, exp }],
    site: { domain: `news${random(3)}.example` },
    device: { ua: '', devicetype: 2, geo: { country: order.country3 } },
    user: { id: `user-${random(users)}` },
  })
}

export function soldAdOf(
  body: string,
  orders: readonly Order[],
  { billsOn }: Exchange,
  askedMs: number,
  life: number,
): SoldAd {
  const { id, cid, adm, burl, lurl, exp } = JSON.parse(body).seatbid[0].bid[0] as WireBid
  const linkIn = (prefix: string) => new RegExp(`${prefix}[\\w-]+`).exec(adm)![0]
  return {
    adId: id,
    order: orders.find(order => order.cid === Number(cid))!,
    billsOn,
    life,
    // Links carry the time in whole seconds.
    reservedUntilMs: Math.floor(askedMs / 1000) * 1000 + (exp + NOTICE_MARGIN_S) * 1000,
    isLost: false,
    links: {
      billing: pathOf(burl),
      pixel: linkIn('/t/i/'),
      click: linkIn('/t/c/'),
      loss: pathOf(lurl),
    },
  }
}

/** The path, without the query with its macros. */
function pathOf(url: string): string {
  return new URL(url).pathname
}

/** Below the bid, above it (which is refused), or missing. */
function randomPrice({ cpmMicros }: Order, random: Random): string {
  if (random(10) === 0) return ''
  const cents = Math.round(cpmMicros / 10_000)
  return `?p=${(cents - random(Math.ceil(cents / 3)) + random(20)) / 100}`
}

export function impressionOf(ad: SoldAd, random: Random): Report {
  const path = (ad.billsOn === 'notice' ? ad.links.billing : ad.links.pixel) + randomPrice(ad.order, random)
  const method = ad.billsOn === 'notice' && random(2) === 0 ? 'POST' : 'GET'
  return { ad, kind: 'impression', key: `${ad.adId} impression`, method, path, success: 200 }
}

/** The other of the two calls, which counts nothing. */
export function evidenceOf(ad: SoldAd, random: Random): Report {
  const path = (ad.billsOn === 'notice' ? ad.links.pixel : ad.links.billing) + randomPrice(ad.order, random)
  return { ad, kind: 'evidence', key: null, method: 'GET', path, success: 200 }
}

export function lossOf(ad: SoldAd): Report {
  return { ad, kind: 'loss', key: null, method: 'POST', path: ad.links.loss, success: 200 }
}

export function clickOf(ad: SoldAd): Report {
  return { ad, kind: 'click', key: `${ad.adId} click`, method: 'GET', path: ad.links.click, success: 302 }
}

/** The report of the advertiser's page after a click: `location` is the target of the click. */
export function actionOf(ad: SoldAd, location: string): Report {
  const click = new URL(location).searchParams.get('mqclid')
  const path = `/t/a.gif?click=${click}&name=buy`
  return { ad, kind: 'action', key: `${ad.adId} action`, method: 'GET', path, success: 200 }
}
