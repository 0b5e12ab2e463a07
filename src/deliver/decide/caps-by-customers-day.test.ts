// Caps are for the day of a customer, which begins and ends at other times than the deployment's.

import { expect, it } from 'vitest'
import { picture } from '../../../test/support/banners.ts'
import { newTestCustomer } from '../../../test/support/campaigns.ts'
import { startTestSandbox } from '../../../test/support/sandbox.ts'

const at = (time: string) => Date.parse(time) / 1000

it('a user sees a campaign once in a day of its customer, also over the midnight of the deployment', async () => {
  const { service, base, move } = await startTestSandbox('2026-10-01')
  try {
    const customer = await newTestCustomer(service, { timezone: 'America/Toronto' })
    const dates = { start: at('2026-10-01T00:00:00Z'), end: at('2026-10-09T00:00:00Z') }
    const { cid } = await customer.newCampaign({ ...dates, pacing: 'asap', freq: 1 })
    const persona = await customer.call('POST', `/campaign/${cid}/persona`, {
      name: 'Everybody in Canada',
      geo: { geos: ['CA'] },
      device: { mobile: true, tablet: true, desktop: true },
    })
    const path = `/campaign/${cid}/persona/${persona.body.pid}`
    const image = await picture(300, 250)
    const { body: upload } = await customer.call('POST', '/creative', image, { 'content-type': 'image/png' })
    const banner = { creativeURL: upload.creativeURL, clickUrl: 'https://shop.example/' }
    await customer.call('POST', `${path}/banner`, banner)

    /** Whether this user gets an ad, which is then shown. */
    async function sees(ids: object): Promise<boolean> {
      const request = {
        id: '1',
        imp: [{ id: '1', banner: { w: 300, h: 250 } }],
        device: { devicetype: 2, geo: { country: 'CAN' } },
        ...ids,
      }
      const body = JSON.stringify(request)
      const answer = await fetch(service.firstCredentials!.bidUrl, { method: 'POST', body })
      if (answer.status === 204) return false
      const response = (await answer.json()) as { seatbid: { bid: { burl: string; price: number }[] }[] }
      const { burl, price } = response.seatbid[0]!.bid[0]!
      await fetch(burl.replace(/\$\{AUCTION_PRICE\}/, String(price)), { method: 'POST' })
      return true
    }
    const ann = { user: { id: 'ann' } }
    const phone = { device: { ifa: 'e3f5', devicetype: 4, geo: { country: 'CAN' } } }
    const explained = async () => {
      const visit = { size: '300x250', geo: { country: 'CA' }, device: 'desktop', user: { id: 'ann' } }
      const { body } = await customer.call('POST', `${path}/explain`, visit)
      return body.stages.find(({ stage }: { stage: string }) => stage === 'cap').passed
    }

    // In Toronto it is a minute before eight in the evening.
    await move({ to: at('2026-10-01T23:59:00Z') })
    expect([await sees(ann), await sees(ann), await sees(phone)]).toEqual([true, false, true])
    await move({ to: at('2026-10-02T00:01:00Z') })
    expect([await sees(ann), await sees(phone), await explained()]).toEqual([false, false, false])
    // The view is found again, too.
    const action = { user: 'ann', name: 'purchase' }
    expect((await customer.call('POST', '/action', action)).body).toMatchObject({ counted: true })

    await move({ to: at('2026-10-02T03:59:00Z') })
    expect([await sees(ann), await sees(phone)]).toEqual([false, false])
    await move({ to: at('2026-10-02T04:00:01Z') })
    expect([await sees(ann), await sees(ann), await sees(phone), await explained()]).toEqual([
      true,
      false,
      true,
      false,
    ])

    // A visitor of a page, known by our cookie since the day before.
    let cookie = ''
    async function visits(): Promise<boolean> {
      const query = `source=${service.firstCredentials!.siteKey}&size=300x250&country=CA&page=http://localhost/`
      const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0', cookie }
      const answer = await fetch(`${base}/ad.html?${query}`, { headers })
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
      return (await answer.text()).includes('/t/c/')
    }
    await move({ to: at('2026-10-02T23:59:30Z') })
    expect(await visits()).toBe(true)
    await move({ to: at('2026-10-03T00:00:10Z') })
    expect(await visits()).toBe(false)
  } finally {
    await service.close()
  }
})
