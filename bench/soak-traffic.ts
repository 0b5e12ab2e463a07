// Everything that honest people do with the service, in turns, with a fixed number of steps per second: visitors
// request, see and click ads, exchanges request bids and report, advertisers read, edit and pause, and operators check
// that it is ready. Failed steps are only counted.

import { createClient } from '../sdk/client.ts'
import type { Target } from './abuse-world.ts'
import { AGENT } from './honest-visitors.ts'

export interface Traffic {
  /** Calls that were answered, and calls that were not (while the database was away). */
  counts(): { done: number; failed: number }
  stop(): Promise<void>
}

const TIMEOUT_MS = 10_000
/** The price macro of exchanges. */
const PRICE = ['$', '{AUCTION_PRICE}'].join('')

export function startTraffic(target: Target, bidUrl: string, perSecond: number): Traffic {
  const baseUrl = `http://127.0.0.1:${target.port}`
  const { cuid } = target.honest
  const client = createClient({ baseUrl, credentials: target.honest })
  let [step, done, failed] = [0, 0, 0]
  const open = new Set<Promise<void>>()

  async function send(url: string, body?: object, visitor = '192.0.2.1'): Promise<string> {
    const answer = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        'user-agent': AGENT,
        'x-forwarded-for': visitor,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    if (answer.status >= 400) throw new Error(`${url} was answered with ${answer.status}`)
    return text
  }
  /** Links contain the public address of the service, which is replaced by the local one. */
  const own = (url: string) => {
    const { pathname, search } = new URL(url)
    return baseUrl + pathname + search
  }

  async function visit(): Promise<void> {
    const asked = {
      source: target.siteKey,
      size: '300x250',
      page: 'http://localhost/',
      geo: { country: 'CA' },
    }
    const visitor = `198.51.${step % 100}.${1 + (step % 250)}`
    const isClicker = step % 10 === 1
    const { ad } = JSON.parse(await send(`${baseUrl}/ad`, asked, visitor))
    if (!ad) return
    await send(own(ad.impression), undefined, visitor)
    if (isClicker) await send(own(ad.click), undefined, visitor)
  }
  async function bid(): Promise<void> {
    const request = {
      id: `soak-${step}`,
      imp: [{ id: '1', banner: { w: 300, h: 250 }, bidfloor: 0.01 }],
      site: { domain: 'news.example' },
      device: { ua: AGENT, ip: '192.0.2.9', geo: { country: 'CAN' } },
      user: { id: `user-${step % 500}` },
    }
    const text = await send(own(bidUrl), request)
    const won = text ? JSON.parse(text).seatbid?.[0]?.bid?.[0] : null
    if (won?.burl) await send(own(won.burl.replace(PRICE, String(won.price))))
  }
  async function manage(): Promise<void> {
    const [campaign] = (await client.listCampaigns({ cuid })) as { cid: number }[]
    const { cid } = campaign!
    const kinds = [
      () => client.editCampaign({ cuid, cid, body: { name: `Everywhere ${step}` } }),
      () => client.readSummary({ cuid, id: cid }),
      () => client.pauseCampaign({ cuid, cid }).then(() => client.resumeCampaign({ cuid, cid })),
      () => send(`${baseUrl}/readyz`),
    ]
    await kinds[Math.floor(step / 20) % kinds.length]!()
  }

  const timer = setInterval(() => {
    step++
    const work = step % 20 === 0 ? manage : step % 4 === 0 ? bid : visit
    const one: Promise<void> = work()
      .then(
        () => void done++,
        () => void failed++,
      )
      .finally(() => open.delete(one))
    open.add(one)
  }, 1000 / perSecond)
  return {
    counts: () => ({ done, failed }),
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}
