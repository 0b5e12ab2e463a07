// The demo's traffic: a bounded number of visits through the real ad and tracking calls, spread over a period. As in
// real life, some ads are lost, unseen, clicked, followed by a purchase, loaded twice or seen by bots.

import {
  BOT_AGENT,
  bidRequest,
  makePublic,
  pick,
  pickPage,
  type Random,
  tagRequest,
  type Visitor,
} from './visitors.ts'

export interface TrafficOptions {
  /** The address of the service from here; links use `publicUrl`. */
  baseUrl: string
  publicUrl: string
  /** The key of our own site: the demo requests ads for its visitors, as a server does. */
  serverKey: string
  exchangeKey: string
  currency: string
  visits: number
  durationMs: number
  random: Random
  signal: AbortSignal
  onVisit: (tally: Tally) => void
}

export interface Tally {
  visits: number
  ads: number
  clicks: number
  actions: number
  /** Calls that failed. */
  failed: number
}

interface ShownAd {
  pixel: string
  /** On a page: called when the ad was on the screen. */
  view: string | null
  click: string
  /** On an exchange: called when the auction was won or lost. */
  bill: string | null
  lose: string | null
  price: number
}

const PEOPLE = 600
const MAX_AT_ONCE = 40
const CALL_TIMEOUT_MS = 10_000
/** How people behave, as probabilities. */
const ON_EXCHANGE = 0.6
const WON = 0.85
const SEEN = 0.95
const WATCHED = 0.66
const BOT = 0.03
const LOADED_TWICE = 0.02
const CLICKED = 0.04
const BOUGHT = 0.25

export async function driveTraffic(options: TrafficOptions): Promise<Tally> {
  const { visits, durationMs, random, signal, onVisit } = options
  const people = makePublic(PEOPLE, random)
  const tally: Tally = { visits: 0, ads: 0, clicks: 0, actions: 0, failed: 0 }
  const running = new Set<Promise<void>>()
  const startMs = performance.now()
  for (let i = 0; i < visits && !signal.aborted; i++) {
    await pause(startMs + (i * durationMs) / visits - performance.now())
    if (running.size >= MAX_AT_ONCE) await Promise.race(running)
    const visit = visitOnce(options, pick(people, random), tally)
      .catch(() => {
        tally.failed++
      })
      .then(() => {
        tally.visits++
        onVisit(tally)
        running.delete(visit)
      })
    running.add(visit)
  }
  await Promise.all(running)
  return tally
}

async function visitOnce(options: TrafficOptions, visitor: Visitor, tally: Tally): Promise<void> {
  const { random } = options
  const ad = random() < ON_EXCHANGE ? await askExchange(options, visitor) : await askSite(options, visitor)
  if (!ad) return
  tally.ads++
  if (ad.lose && random() >= WON) {
    await call(options, ad.lose)
    return
  }
  if (ad.bill) await call(options, priced(ad.bill, ad.price))
  const isBot = random() < BOT
  if (random() >= SEEN) return
  const agent = isBot ? BOT_AGENT : visitor.device.agent
  await call(options, priced(ad.pixel, ad.price), agent)
  if (ad.view && random() < WATCHED) await call(options, ad.view, agent)
  if (random() < LOADED_TWICE) await call(options, priced(ad.pixel, ad.price), agent)
  if (random() >= CLICKED) return
  const clicked = await call(options, ad.click, agent)
  const clickId = clickIdOf(clicked.headers.get('location'))
  if (isBot || clickId === null) return
  tally.clicks++
  if (random() < BOUGHT) await buy(options, clickId, agent, tally)
}

async function askSite(options: TrafficOptions, visitor: Visitor): Promise<ShownAd | null> {
  const { serverKey, publicUrl, random } = options
  const body = tagRequest(serverKey, visitor, pickPage(true, random), random)
  const answer = await post(options, `${publicUrl}/ad`, body)
  const { ad } = (await answer.json()) as { ad: { impression: string; view: string; click: string } | null }
  return ad && { pixel: ad.impression, view: ad.view, click: ad.click, bill: null, lose: null, price: 0 }
}

async function askExchange(options: TrafficOptions, visitor: Visitor): Promise<ShownAd | null> {
  const { publicUrl, exchangeKey, currency, random } = options
  const body = bidRequest(visitor, pickPage(false, random), currency, Date.now(), random)
  const answer = await post(options, `${publicUrl}/openrtb2/bid/${exchangeKey}`, body)
  if (answer.status === 204) return null
  const { seatbid } = (await answer.json()) as {
    seatbid: { bid: { adm: string; burl: string; lurl: string; price: number }[] }[]
  }
  const bid = seatbid[0]!.bid[0]!
  return {
    pixel: linkIn(bid.adm, '/t/i/'),
    view: null,
    click: linkIn(bid.adm, '/t/c/'),
    bill: bid.burl,
    lose: bid.lurl,
    // As if this had been the second highest bid.
    price: Math.round(bid.price * (0.7 + 0.3 * random()) * 100) / 100,
  }
}

async function buy(options: TrafficOptions, clickId: string, agent: string, tally: Tally): Promise<void> {
  const { publicUrl, random } = options
  const value = (20 + Math.floor(random() * 200)).toFixed(2)
  const query = new URLSearchParams({ click: clickId, name: 'purchase', value, order: clickId })
  await call(options, `${publicUrl}/t/a.gif?${query}`, agent)
  tally.actions++
}

function linkIn(markup: string, part: string): string {
  const links = [...markup.matchAll(/(?:href|src)=\x27([^\x27]+)\x27/g)].map(match =>
    match[1]!.replaceAll('&amp;', '&'),
  )
  const link = links.find(item => item.includes(part))
  if (!link) throw new Error(`the markup has no link with ${part}`)
  return link
}

function priced(url: string, price: number): string {
  return url.replace(/\$\{AUCTION_PRICE\}|%24%7BAUCTION_PRICE%7D/i, String(price))
}

function clickIdOf(location: string | null): string | null {
  return location && URL.canParse(location) ? new URL(location).searchParams.get('mqclid') : null
}

async function post(options: TrafficOptions, url: string, body: object): Promise<Response> {
  const answer = await request(options, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer
}

async function call(options: TrafficOptions, url: string, agent = 'exchange'): Promise<Response> {
  const answer = await request(options, url, { headers: { 'user-agent': agent } })
  await answer.arrayBuffer()
  if (answer.status >= 400) throw new Error(`${url} answered ${answer.status}`)
  return answer
}

/** Sent to the local address, because the public URL may take a long way around. */
function request({ baseUrl, publicUrl }: TrafficOptions, url: string, init: RequestInit): Promise<Response> {
  const near = url.startsWith(publicUrl) ? baseUrl + url.slice(publicUrl.length) : url
  return fetch(near, { ...init, redirect: 'manual', signal: AbortSignal.timeout(CALL_TIMEOUT_MS) })
}

function pause(ms: number): Promise<void> {
  return ms > 0 ? new Promise(resolve => setTimeout(resolve, ms)) : Promise.resolve()
}
