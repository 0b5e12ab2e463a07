// Bids through a real socket: what is managed through the API is really served, and promises to exchanges are kept.

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import {
  bidRequest,
  type ListeningService,
  newServedCampaign,
  type ServedCampaign,
  startListeningService,
} from '../../../test/support/delivery.ts'
import { bidResponseFaults } from '../../../test/support/openrtb-rules.ts'
import { readLink } from '../../count/tracking/links.ts'

let service: ListeningService
let served: ServedCampaign

beforeAll(async () => {
  service = await startListeningService()
  served = await newServedCampaign(service, { campaign: { cpm: 2.5, category: ['IAB17'] } })
  await service.delivery.running()!.refresh()
})
afterAll(() => service.close())

const RULES = { currency: 'USD', seat: 'marquee' }

describe('a campaign created through the API', () => {
  it('gets bids that conform to OpenRTB', async () => {
    const request = bidRequest()
    const answer = await service.bid(request, { 'x-openrtb-version': '2.5' })
    expect(answer.status).toBe(200)
    expect(answer.headers['x-openrtb-version']).toBe('2.5')
    expect(bidResponseFaults(request, answer.json, RULES)).toEqual([])
    expect(answer.json.seatbid[0].bid[0]).toMatchObject({
      price: 2.5,
      cid: String(served.cid),
      crid: String(served.bid),
      adomain: ['shop.example.com'],
      cat: ['IAB17'],
      w: 300,
      h: 250,
      exp: 60,
    })
  })

  it('is blocked by its category in a newer taxonomy, too, and by no other', async () => {
    const status = async (bcat: string[], cattax: number) =>
      (await service.bid(bidRequest({ bcat, cattax, test: 1 }))).status
    expect(await status(['483'], 6)).toBe(204)
    expect(await status(['483'], 7)).toBe(204)
    expect(await status(['1', '492', '181'], 7)).toBe(200)
  })

  describe('where the request demands transparency (DSA)', () => {
    const inNorway = { geo: { country: 'NOR', lat: 59.9, lon: 10.7 } }
    const dsaIn = async (regs: object) => {
      const answer = await service.bid(bidRequest({ device: inNorway, regs, test: 1 }))
      const bid = answer.json?.seatbid[0].bid[0]
      return bid && { cid: bid.cid, dsa: bid.ext?.dsa, adm: bid.adm }
    }

    it('says who advertises, who pays, and by which data of the visitor the ad is chosen', async () => {
      const company = `Fjell & "Fjord" <AS> ${'ø'.repeat(100)}`
      const name = [...company].slice(0, 100).join('')
      const geo = { geocode: [59.9, 10.7], radius: 5000 }
      const demo = { gender: { male: true, female: true, unknown: true } }
      const { cid, customer, path } = await newServedCampaign(service, {
        customer: { company },
        persona: { geo, demo },
      })
      await service.delivery.running()!.refresh()
      expect((await dsaIn({}))!.dsa).toBeUndefined()
      expect((await dsaIn({ ext: { dsa: { dsarequired: 1 } } }))!.dsa).toBeUndefined()
      for (const regs of [
        { ext: { dsa: { dsarequired: 2, pubrender: 1 } } },
        { dsa: { dsarequired: 3, pubrender: 2 } },
      ]) {
        const { dsa, adm } = (await dsaIn(regs))!
        const transparency = [{ domain: 'localhost', dsaparams: [1, 2, 3] }]
        expect(dsa).toEqual({ behalf: name, paid: name, adrender: 0, transparency })
        expect(adm).not.toContain('Fjell')
      }
      // A page that does not show it leaves it to the ad, and one that wants no data gets none.
      const { dsa, adm } = (await dsaIn({ ext: { dsa: { dsarequired: 3, pubrender: 0, datatopub: 0 } } }))!
      expect(dsa).toEqual({ behalf: name, paid: name, adrender: 1 })
      expect(adm).toContain('Ad: Fjell &amp; &quot;Fjord&quot; &lt;AS&gt;')
      await customer.call('PUT', path, { geo: { geos: ['NO'] }, demo: { gender: null, age: null } })
      const paramsOf = async () =>
        (await dsaIn({ dsa: { dsarequired: 2 } }))?.dsa.transparency[0].dsaparams.join() ?? null
      await until(async () => ((await paramsOf()) === '2' ? true : null))
      await service.call('PUT', `/customer/${customer.cuid}`, { body: { company: 'Vidda' } })
      await until(async () =>
        (await dsaIn({ dsa: { dsarequired: 2 } }))?.dsa.paid === 'Vidda' ? true : null,
      )
      expect((await dsaIn({}))!.cid).toBe(String(cid))
    })

    it('an advertiser without a name gets no bid, and the reason says so', async () => {
      const { cid, customer, path } = await newServedCampaign(service, { persona: { geo: { geos: ['SE'] } } })
      await service.db.run(`update customer set company = ' ' where cuid = $1`, [customer.cuid])
      // Any change makes delivery read it again.
      await customer.call('PUT', `/campaign/${cid}`, { cpm: 3 })
      const { refusals } = { refusals: () => service.send('GET', '/metrics') }
      const inSweden = (regs: object) =>
        service.bid(bidRequest({ device: { geo: { country: 'SWE' } }, regs, test: 1 }))
      await until(async () => ((await inSweden({})).json?.seatbid[0].bid[0].price === 3 ? true : null))
      const counted = async () =>
        Number(
          /marquee_ad_places_total\{[^}]*dsa_not_possible[^}]*\} (\d+)/.exec((await refusals()).text)?.[1] ??
            0,
        )
      const before = await counted()
      expect((await inSweden({ dsa: { dsarequired: 2 } })).status).toBe(204)
      expect((await counted()) - before).toBe(1)
      await customer.call('PUT', `${path}/pause`)
    })
  })

  it('the links in a bid are signed, each for its own call', async () => {
    const { json } = await service.bid(bidRequest({ test: 1 }))
    const { burl, lurl, adm } = json.seatbid[0].bid[0]
    const { keys } = service.delivery.running()!
    const token = (url: string, kind: string) => new RegExp(`/t/${kind}/([\\w-]+)`).exec(url)![1]!
    const ad = readLink('billing', token(burl, 'b'), keys)
    expect(ad).toMatchObject({
      cid: served.cid,
      pid: served.pid,
      bid: served.bid,
      priceMicros: 2500,
      test: true,
    })
    expect(ad).toMatchObject({ billsOn: 'notice', takesPrice: true, foreignDomain: false, country: 'CA' })
    expect(readLink('loss', token(lurl, 'l'), keys)).toEqual(ad)
    expect(readLink('impression', token(adm, 'i'), keys)).toEqual(ad)
    expect(readLink('click', token(adm, 'c'), keys)).toEqual(ad)
    expect(readLink('click', token(burl, 'b'), keys)).toEqual({ bad: 'forged' })
  })

  it('an edit, a pause, a resume and a deletion take effect automatically, within about a second', async () => {
    const own = await newServedCampaign(service, { campaign: { cpm: 9 }, persona: { geo: { geos: ['FR'] } } })
    const inFrance = bidRequest({ device: { geo: { country: 'FRA' } } })
    const priceOrNone = async () => (await service.bid(inFrance)).json?.seatbid[0].bid[0].price ?? null
    const becomes = (price: number | null) =>
      until(async () => ((await priceOrNone()) === price ? true : null))
    await becomes(9)
    await own.customer.call('PUT', `/campaign/${own.cid}`, { cpm: 8.5 })
    await becomes(8.5)
    await own.customer.call('PUT', `/campaign/${own.cid}/pause`)
    await becomes(null)
    await own.customer.call('PUT', `/campaign/${own.cid}/resume`)
    await becomes(8.5)
    await own.customer.call('PUT', `${own.path}/pause`)
    await becomes(null)
    await own.customer.call('PUT', `${own.path}/resume`)
    await becomes(8.5)
    await own.customer.call('PUT', own.path, { geo: { geos: ['DE'] } })
    await becomes(null)
    await own.customer.call('PUT', own.path, { geo: { geos: ['FR'] } })
    await becomes(8.5)
    await service.call('PUT', `/customer/${own.customer.cuid}`, { body: { apiAccess: false } })
    await becomes(null)
    await service.call('PUT', `/customer/${own.customer.cuid}`, { body: { apiAccess: true } })
    await becomes(8.5)
    await service.call('PUT', `/customer/${own.customer.cuid}/freeze`)
    await becomes(null)
    await service.call('PUT', `/customer/${own.customer.cuid}/unfreeze`)
    await becomes(8.5)
    await own.customer.call('DELETE', `${own.path}/banner/${own.bid}`)
    await becomes(null)
  })

  it('a campaign outside its flights gets no bids, without any edit', async () => {
    const own = await newServedCampaign(service, { persona: { geo: { geos: ['IT'] } } })
    const inItaly = bidRequest({ device: { geo: { country: 'ITA' } } })
    await service.delivery.running()!.refresh()
    expect((await service.bid(inItaly)).status).toBe(200)
    const nowS = Math.floor(Date.now() / 1000)
    await own.customer.newFlight(own.cid, { start: nowS + 86_400, end: nowS + 2 * 86_400 })
    await service.delivery.running()!.refresh()
    expect((await service.bid(inItaly)).status).toBe(204)
  })
})

describe('parallel requests', () => {
  it('never exceed the budget', async () => {
    await newServedCampaign(service, {
      campaign: { dailySpend: 0.01, cpm: 1 },
      persona: { geo: { geos: ['ES'] } },
    })
    await service.delivery.running()!.refresh()
    const inSpain = (n: number) => bidRequest({ id: `s${n}`, device: { geo: { country: 'ESP' } } })
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => service.bid(inSpain(n))))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(10)
  })

  it('never exceed the frequency cap of a user', async () => {
    await newServedCampaign(service, { campaign: { frequency: 3 }, persona: { geo: { geos: ['PT'] } } })
    await service.delivery.running()!.refresh()
    const inPortugal = (id: string) => bidRequest({ user: { id }, device: { geo: { country: 'PRT' } } })
    const ask = (id: string) => Promise.all(Array.from({ length: 30 }, () => service.bid(inPortugal(id))))
    const [one, other] = await Promise.all([ask('a'), ask('b')])
    expect(one.filter(answer => answer.status === 200)).toHaveLength(3)
    expect(other.filter(answer => answer.status === 200)).toHaveLength(3)
    expect((await service.bid(bidRequest({ user: {}, device: { geo: { country: 'PRT' } } }))).status).toBe(
      204,
    )
  })

  it('test bids reserve nothing', async () => {
    await newServedCampaign(service, {
      campaign: { dailySpend: 0.01, cpm: 10 },
      persona: { geo: { geos: ['GR'] } },
    })
    await service.delivery.running()!.refresh()
    const inGreece = (test: number) => bidRequest({ test, device: { geo: { country: 'GRC' } } })
    for (let n = 0; n < 5; n++) expect((await service.bid(inGreece(1))).status).toBe(200)
    expect((await service.bid(inGreece(0))).status).toBe(200)
    expect((await service.bid(inGreece(0))).status).toBe(204)
  })
})

describe('the bid endpoint', () => {
  it('decompresses gzip, but nothing that decompresses to more than the limit', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
    // Compressing it kept this process busy, and a busy process does not bid.
    await until(async () => ((await service.bid(bidRequest())).status === 200 ? true : null))
    expect((await service.bid(gzipSync(JSON.stringify(bidRequest())), gzip)).status).toBe(200)
    expect((await service.bid(bomb, gzip)).status).toBe(400)
    expect((await service.bid(Buffer.from('no gzip'), gzip)).status).toBe(400)
    const plain = JSON.stringify(bidRequest())
    expect((await service.bid(plain, { 'content-encoding': 'Identity' })).status).toBe(200)
    expect((await service.bid(plain, { 'content-encoding': 'br' })).status).toBe(400)
  })

  it('400 for anything that is not a bid request, 404 for an unknown key, 405 for another method', async () => {
    for (const body of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '{"id":"1"}',
      '{"id":"1","imp":[]}',
      '{"imp":[{"id":"1"}]}',
    ]) {
      const answer = await service.bid(body)
      expect([answer.status, answer.text], body).toEqual([400, ''])
    }
    expect((await service.send('POST', '/openrtb2/bid/nobody', bidRequest())).status).toBe(404)
    expect((await service.send('POST', `/openrtb2/bid/${service.siteKey}`, bidRequest())).status).toBe(404)
    expect((await service.send('GET', service.bidPath)).status).toBe(405)
    expect((await service.send('POST', `${service.bidPath}/`, bidRequest())).status).toBe(200)
  })

  it('204 for no bid', async () => {
    const nowhere = await service.bid(bidRequest({ device: { geo: { country: 'JPN' } } }))
    expect([nowhere.status, nowhere.text]).toEqual([204, ''])
    for (const changes of [
      { tmax: 1 },
      { wseat: ['other'] },
      { bcat: ['IAB17'] },
      { badv: ['example.com'] },
      { cur: ['EUR'] },
    ]) {
      expect((await service.bid(bidRequest(changes))).status, JSON.stringify(changes)).toBe(204)
    }
    const secure = { imp: [{ id: '1', secure: 1, banner: { w: 300, h: 250 } }] }
    expect((await service.bid(bidRequest(secure))).status).toBe(204)
  })

  it('a body over the limit gets 413, and the connection stays open', async () => {
    expect((await service.bid('x'.repeat(1024 * 1024 + 1))).status).toBe(413)
    expect((await service.bid(bidRequest())).status).toBe(200)
  })

  it('outcomes are counted by their names', async () => {
    const { text } = await service.send('GET', '/metrics')
    expect(text).toMatch(/marquee_ad_places_total\{outcome="served"\} \d/)
    expect(text).toMatch(/marquee_ad_places_total\{outcome="budget_spent"\} 51/)
    expect(text).toMatch(/marquee_ad_places_total\{outcome="capped"\} 54/)
  })

  it('a revoked source is unknown', async () => {
    await service.db.run(`update source set revoked_at = now() where name = 'default-exchange'`)
    await service.delivery.running()!.refresh()
    expect((await service.bid(bidRequest())).status).toBe(404)
    await service.db.run(`update source set revoked_at = null where name = 'default-exchange'`)
    await service.delivery.running()!.refresh()
    expect((await service.bid(bidRequest())).status).toBe(200)
  })
})
