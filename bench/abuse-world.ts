// The world of the abuse bench: an advertiser whose banner is shown everywhere, a hostile advertiser, and their keys.

import { readFile } from 'node:fs/promises'
import { createClient } from '../sdk/client.ts'
import { openDatabase } from '../src/platform/database.ts'
import { still } from '../test/support/image-samples.ts'

export interface Pair {
  cuid: number
  key: string
  token: string
}

export interface Target {
  port: number
  siteKey: string
  /** The bid URL of the default exchange. */
  bidUrl: string
  honest: Pair
  hostile: Pair
}

const DAY_S = 86_400
/** What the hostile advertiser has: campaigns to list, and days and names of actions to add up. */
const CAMPAIGNS = 3_000
const DAYS = 100
const NAMES = 2_000
const MOST_OPERATIONS = 1_000
/** Operations per call that even a busy machine finishes in time. */
const A_CALL = 200

/** The operations of one call that creates campaigns. */
export function manyCampaigns(count = MOST_OPERATIONS): { op: 'createCampaign'; body: object }[] {
  const start = Math.floor(Date.now() / 1000) + DAY_S
  const body = { name: 'One of many', start, end: start + 30 * DAY_S, dailySpend: 10 }
  return Array.from({ length: count }, () => ({ op: 'createCampaign', body }))
}

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

/** Gives the hostile advertiser much to read. */
export async function fillHostile(baseUrl: string, hostile: Pair, databaseUrl: string): Promise<void> {
  const { cuid } = hostile
  const client = createClient({ baseUrl, credentials: hostile })
  for (let n = 0; n < CAMPAIGNS; n += A_CALL)
    await client.bulk({ cuid, body: { operations: manyCampaigns(A_CALL) } })
  await countActions(databaseUrl, cuid)
}

/** Writes actions as months of traffic would leave them. */
async function countActions(url: string, cuid: number): Promise<void> {
  const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
  await db.run(
    `with l as (
       insert into leaf (cuid, cid, fid, pid, bid)
       select cuid, min(cid), 0, 0, 0 from campaign where cuid = $1 group by cuid returning leaf
     )
     insert into rollup_dimension (id, dimension, day, name, spend_micros, imps, views, clicks, actions)
     select leaf, 'a', current_date - d, n, 0, 0, 0, 0, 1
     from l, generate_series(0, ${DAYS - 1}) d, generate_series(1, ${NAMES}) n`,
    [cuid],
  )
  await db.close()
}
