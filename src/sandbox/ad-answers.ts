// Reads the answers of the dialects, as far as a visitor follows them.

import type { DataAnswer } from '../http/lane/data-plane.ts'

export interface AdLinks {
  pixel: string
  /** For a page: the link to call when the ad was on the screen. */
  view: string | null
  click: string
  /** For an exchange: the links to call when the auction was won or lost. */
  bill: string | null
  lose: string | null
}

export type AdAnswer = { ad: AdLinks; reason: null } | { ad: null; reason: string }

interface Bid {
  adm: string
  burl: string
  lurl: string
  price: number
}

export function adOfBid({ status, body }: DataAnswer): AdAnswer {
  if (body === null) return { ad: null, reason: status === 204 ? 'no_bid' : 'failed' }
  const json = JSON.parse(String(body)) as {
    seatbid?: { bid: Bid[] }[]
    ext?: { marquee?: { reason?: string } }
  }
  const bid = json.seatbid?.[0]?.bid[0]
  if (!bid) return { ad: null, reason: json.ext?.marquee?.reason ?? 'failed' }
  const { adm, burl, lurl, price } = bid
  const priced = (link: string) => link.replace(/\$\{AUCTION_PRICE\}|%24%7BAUCTION_PRICE%7D/i, String(price))
  const links = linksIn(adm)
  const linkTo = (part: string) => links.find(link => link.includes(part)) ?? ''
  const ad = { pixel: priced(linkTo('/t/i/')), view: null, click: linkTo('/t/c/') }
  return { ad: { ...ad, bill: priced(burl), lose: lurl }, reason: null }
}

export function adOfTag({ body }: DataAnswer): AdAnswer {
  const json = JSON.parse(String(body)) as {
    ad?: { impression: string; view: string; click: string } | null
    reason?: string
  }
  if (!json.ad) return { ad: null, reason: json.reason ?? 'failed' }
  const { impression, view, click } = json.ad
  return { ad: { pixel: impression, view, click, bill: null, lose: null }, reason: null }
}

function linksIn(markup: string): string[] {
  return [...markup.matchAll(/(?:href|src)=\x27([^\x27]+)\x27/g)].map(match =>
    match[1]!.replaceAll('&amp;', '&'),
  )
}
