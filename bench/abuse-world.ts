// What the abuse bench attacks: an advertiser whose banner is shown everywhere, a hostile one, and the keys of both.

import { readFile } from 'node:fs/promises'
import { createClient } from '../sdk/client.ts'
import { still } from '../test/support/image-samples.ts'

export interface Pair {
  cuid: number
  key: string
  token: string
}

export interface Target {
  port: number
  siteKey: string
  /** Of the default exchange. */
  bidUrl: string
  honest: Pair
  hostile: Pair
}

const DAY_S = 86_400

export async function buildWorld(baseUrl: string, credentialsFile: string): Promise<Target> {
  const { superkey, supertoken, siteKey, bidUrl } = JSON.parse(await readFile(credentialsFile, 'utf8'))
  const app = createClient({ baseUrl, credentials: { superkey, supertoken } })
  const newCustomer = async (name: string): Promise<Pair> => {
    const { cuid, key, token } = await app.createCustomer({
      body: { company: name, email: `${name}@bench.example`, website: 'https://shop.example/' },
    })
    return { cuid, key: key!, token: token! }
  }
  const [honest, hostile] = [await newCustomer('honest'), await newCustomer('hostile')]
  const client = createClient({ baseUrl, credentials: honest })
  const { cuid } = honest
  const now = Math.floor(Date.now() / 1000)
  const { cid } = await client.createCampaign({
    cuid,
    body: {
      name: 'Everywhere',
      start: now,
      end: now + 30 * DAY_S,
      dailySpend: 1_000_000,
      pacing: 'asap',
    },
  })
  const { pid } = await client.createPersona({
    cuid,
    cid,
    body: { name: 'All', geo: { geos: ['CA'] }, device: { mobile: true, tablet: true, desktop: true } },
  })
  const headers = { 'x-access-key': honest.key, 'x-access-token': honest.token, 'content-type': 'image/jpeg' }
  const body = await still('jpeg', 300, 250)
  const upload = await fetch(`${baseUrl}/creative?cuid=${cuid}`, { method: 'POST', headers, body })
  const { creativeURL } = (await upload.json()) as { creativeURL: string }
  const { bid } = await client.createBanner({ cuid, cid, pid, body: { creativeURL } })
  for (;;) {
    const banner = await client.readBanner({ cuid, cid, pid, bid })
    if (banner.status === 'approved') break
    if (banner.status === 'rejected') throw new Error(`the banner was rejected: ${banner.reasons}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return { port: Number(new URL(baseUrl).port), siteKey, bidUrl, honest, hostile }
}
