// A cap that is switched off and on again on the same day: each impression counts once, whether caps are kept in memory
// or on the server at CAPS_URL.

import { expect, test } from 'vitest'
import { until } from '../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  startListeningService,
} from '../../test/support/delivery.ts'
import { startRedis } from '../../test/support/redis.ts'

const CAP = 4

async function seen(service: ListeningService, user: string): Promise<boolean> {
  const won = await service.bid(bidRequest({ user: { id: user } }))
  if (won.status !== 200) return false
  const notice = new URL(won.json.seatbid[0].bid[0].burl.replace(/\$\{AUCTION_PRICE\}/, '0.5'))
  expect((await service.send('GET', notice.pathname + notice.search)).status).toBe(200)
  return true
}

test.each([
  ['in memory', false],
  ['on the server at CAPS_URL', true],
])(
  '%s: off and on again, impressions from before and from the time in between count once',
  { timeout: 300_000 },
  async (_where, isShared) => {
    const redis = isShared ? await startRedis() : null
    const service = await startListeningService(redis ? { CAPS_URL: redis.url } : {})
    try {
      const { customer, cid } = await newServedCampaign(service, {
        campaign: { frequency: CAP, dailySpend: 50, cpm: 5 },
      })
      const edit = async (frequency: number) => {
        expect((await customer.call('PUT', `/campaign/${cid}`, { frequency })).status).toBe(200)
        await service.delivery.running()!.refresh()
      }
      await service.delivery.running()!.refresh()
      const see = () => until(async () => ((await seen(service, 'someone')) ? true : null))
      await see()
      await edit(0)
      await see()
      // Won while there is no cap, and seen after there is one again.
      const won = await until(async () => {
        const answer = await service.bid(bidRequest({ user: { id: 'someone' } }))
        return answer.status === 200 ? answer : null
      })
      await edit(CAP)
      const notice = new URL(won.json.seatbid[0].bid[0].burl.replace(/\$\{AUCTION_PRICE\}/, '0.5'))
      expect((await service.send('GET', notice.pathname + notice.search)).status).toBe(200)
      // Other users are served, so the counts are ready.
      await until(async () => ((await seen(service, `other-${Math.random()}`)) ? true : null))
      let more = 0
      for (let tries = 0; tries < 12; tries++) if (await seen(service, 'someone')) more++
      expect(more).toBe(CAP - 3)
    } finally {
      await service.close()
      await redis?.stop()
    }
  },
)
