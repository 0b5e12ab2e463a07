// Tests the banners table of the specification (section 4) and its extensions through the API.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Advertiser,
  type ImageHost,
  newAdvertiser,
  picture,
  startImageHost,
} from '../../../test/support/banners.ts'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
let host: ImageHost
let ann: Advertiser
let image: string

beforeAll(async () => {
  service = await startTestService()
  host = await startImageHost()
  image = host.serve('/summer.png', await picture(300, 250))
})
afterAll(async () => {
  await service?.close()
  await host?.close()
})
beforeAll(async () => {
  ann = await newAdvertiser(service)
})

async function freshPersona(): Promise<Advertiser> {
  return newAdvertiser(service)
}

describe('POST …/banner', () => {
  it('creates a pending banner at once and answers with the whole object', async () => {
    const { status, body, headers } = await ann.call('POST', ann.path, { creativeURL: image })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual([
      'bid',
      'pid',
      'cid',
      'name',
      'creativeURL',
      'clickUrl',
      'clickParameters',
      'weight',
      'landingUrl',
      'width',
      'height',
      'type',
      'bytes',
      'enabled',
      'status',
      'reasons',
      'findings',
      'externalId',
      'metadata',
      'created',
      'updated',
    ])
    expect(body).toMatchObject({
      pid: ann.pid,
      cid: ann.cid,
      name: 'summer.png',
      creativeURL: image,
      clickUrl: null,
      width: null,
      type: null,
      status: 'pending',
      reasons: [],
    })
    expect(headers.etag).toMatch(`"${body.bid}-1.`)
  })

  it('accepts creativeUrl as another name, and refuses two different values', async () => {
    const other = await ann.call('POST', ann.path, { creativeUrl: image })
    expect(other.status).toBe(201)
    expect(other.body.creativeURL).toBe(image)
    const both = await ann.call('POST', ann.path, { creativeURL: image, creativeUrl: image })
    expect(both.status).toBe(201)
    const differing = await ann.call('POST', ann.path, { creativeURL: image, creativeUrl: `${image}?2` })
    expect(differing.status).toBe(400)
    expect(differing.body.errors[0].path).toBe('/creativeUrl')
  })

  it.each([
    [{}, '/creativeURL'],
    [{ creativeURL: null }, '/creativeURL'],
    [{ creativeURL: '' }, '/creativeURL'],
    [{ creativeURL: 'ftp://host.example/a.png' }, '/creativeURL'],
    [{ creativeURL: 'file:///etc/passwd' }, '/creativeURL'],
    [{ creativeURL: '/etc/passwd' }, '/creativeURL'],
    [{ creativeURL: '//host.example/a.png' }, '/creativeURL'],
    [{ creativeURL: 'data:image/png;base64,AAAA' }, '/creativeURL'],
    [{ creativeURL: `https://host.example/${'a'.repeat(2000)}` }, '/creativeURL'],
    [{ creativeURL: 'https://h.example/a.png', clickUrl: 'javascript:alert(1)' }, '/clickUrl'],
    [{ creativeURL: 'https://h.example/a.png', width: 300 }, '/height'],
    [{ creativeURL: 'https://h.example/a.png', height: 250 }, '/width'],
    [{ creativeURL: 'https://h.example/a.png', width: '300', height: 250 }, '/width'],
    [{ creativeURL: 'https://h.example/a.png', name: 'x'.repeat(256) }, '/name'],
    [{ creativeURL: 'https://h.example/a.png', status: 'approved' }, '/status'],
    [{ creativeURL: 'https://h.example/a.png', bid: 7 }, '/bid'],
  ])('refuses %j with 400 and names %s', async (body, path) => {
    const answer = await ann.call('POST', ann.path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path)
  })

  it('refuses a declared size outside the list at once, and lists the allowed ones', async () => {
    const { status, body } = await ann.call('POST', ann.path, { creativeURL: image, width: 301, height: 250 })
    expect(status).toBe(400)
    expect(body.message).toContain('300x250, 336x280, 728x90')
    expect(body.message).toContain('1024x768')
  })

  it('treats null for an optional field as not given', async () => {
    const { status, body } = await ann.call('POST', ann.path, {
      creativeURL: image,
      creativeUrl: null,
      name: null,
      width: null,
      height: null,
      clickUrl: null,
    })
    expect(status).toBe(201)
    expect(body.name).toBe('summer.png')
    const refused = await ann.call('POST', ann.path, { creativeUrl: null })
    expect(refused.body.errors).toMatchObject([{ path: '/creativeURL', code: 'required' }])
  })

  it.each([
    ['https://h.example/a/b%20c.png?v=1#x', 'b c.png'],
    ['https://h.example/', 'h.example'],
    ['https://h.example/%00%01.png', '.png'],
    ['https://h.example/%00', 'h.example'],
    ['https://h.example/%ff.png', '%ff.png'],
    ['https://h.example/folder/', 'folder'],
  ])('names a banner of %s "%s"', async (creativeURL, name) => {
    const { status, body } = await ann.call('POST', ann.path, { creativeURL })
    expect(status).toBe(201)
    expect(body.name).toBe(name)
  })

  it('creates one banner for a request repeated with one idempotency key', async () => {
    const own = await freshPersona()
    const repeat = () =>
      own.call('POST', own.path, { creativeURL: image }, { 'idempotency-key': 'once-1234' })
    const answers = await Promise.all([repeat(), repeat(), repeat()])
    expect(new Set(answers.map(answer => answer.body.bid)).size).toBe(1)
    expect((await own.call('GET', own.path)).body).toHaveLength(1)
  })
})

describe('GET …/banner', () => {
  it('lists oldest first, in pages', async () => {
    const own = await freshPersona()
    const bids: number[] = []
    for (let i = 0; i < 3; i++) bids.push((await own.banner({ creativeURL: image, name: `n${i}` })).bid)
    const all = await own.call('GET', own.path)
    expect(all.body.map((banner: { bid: number }) => banner.bid)).toEqual(bids)
    const page = await own.call('GET', `${own.path}?limit=2`)
    expect(page.body).toHaveLength(2)
    expect(page.headers.link).toContain(`after=${bids[1]}`)
    const rest = await own.call('GET', `${own.path}?limit=2&after=${bids[1]}`)
    expect(rest.body.map((banner: { bid: number }) => banner.bid)).toEqual([bids[2]])
  })
})

describe('PUT …/banner, without the banner in the path', () => {
  it('edits the only banner of the persona without a bid', async () => {
    const own = await freshPersona()
    const { bid } = await own.banner({ creativeURL: image })
    const { status, body } = await own.call('PUT', own.path, { name: 'Blue' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ bid, name: 'Blue', creativeURL: image })
  })

  it('needs a bid if there are several banners, or none', async () => {
    const own = await freshPersona()
    const none = await own.call('PUT', own.path, { name: 'Blue' })
    expect([none.status, none.body.code, none.body.reason]).toEqual([400, 'ambiguous_banner', 'no_banner'])
    expect(none.body.message).toContain('create one with POST')
    const one = await own.banner({ creativeURL: image })
    const two = await own.banner({ creativeURL: image })
    const several = await own.call('PUT', own.path, { name: 'Blue' })
    expect([several.status, several.body.code]).toEqual([400, 'ambiguous_banner'])
    expect((await own.call('PUT', own.path, { bid: two.bid, name: 'Two' })).body.name).toBe('Two')
    expect((await own.call('PUT', `${own.path}?bid=${one.bid}`, { name: 'One' })).body.bid).toBe(one.bid)
    const both = await own.call('PUT', `${own.path}?bid=${one.bid}`, { bid: two.bid, name: 'X' })
    expect(both.status).toBe(400)
    await own.call('DELETE', `${own.path}/${two.bid}`)
    expect((await own.call('PUT', own.path, { name: 'Only' })).body).toMatchObject({
      bid: one.bid,
      name: 'Only',
    })
  })

  it("answers 404 for another persona's and another customer's banner, which stay as they are", async () => {
    const own = await freshPersona()
    const other = await freshPersona()
    await own.banner({ creativeURL: image })
    const { bid } = await other.banner({ creativeURL: image, name: 'Theirs' })
    expect((await own.call('PUT', own.path, { bid, name: 'Mine' })).status).toBe(404)
    expect((await own.call('PUT', `${own.path}?bid=${bid}`, { name: 'Mine' })).status).toBe(404)
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { name: 'Mine' } : undefined
      expect((await own.call(method, `${own.path}/${bid}`, body)).status).toBe(404)
      expect((await own.call(method, `${other.path}/${bid}`, body)).status).toBe(404)
    }
    expect((await other.call('GET', `${other.path}/${bid}`)).body.name).toBe('Theirs')
  })
})

describe('PUT …/banner/:bid', () => {
  it('changes only the supplied fields, and null clears', async () => {
    const own = await freshPersona()
    const { bid } = await own.banner({
      creativeURL: image,
      name: 'A',
      clickUrl: 'https://bikes.example/a',
      width: 300,
      height: 250,
    })
    await own.reviewed(bid)
    const renamed = await own.call('PUT', `${own.path}/${bid}`, { name: ' B ' })
    expect(renamed.body).toMatchObject({
      name: 'B',
      clickUrl: 'https://bikes.example/a',
      status: 'approved',
      width: 300,
    })
    const cleared = await own.call('PUT', `${own.path}/${bid}`, { clickUrl: null, name: null })
    expect(cleared.body).toMatchObject({ name: 'summer.png', clickUrl: null })
  })

  it('sends a new creative, click-through or declared size back to review, but not a new name', async () => {
    const own = await freshPersona()
    const other = host.serve('/wide.png', await picture(728, 90))
    const { bid } = await own.banner({ creativeURL: image })
    const edit = (body: object) => own.call('PUT', `${own.path}/${bid}`, body)
    await own.reviewed(bid)
    expect((await edit({ name: 'New' })).body.status).toBe('approved')
    expect((await edit({ creativeURL: image })).body.status).toBe('approved')
    expect((await edit({ clickUrl: 'https://bikes.example/b' })).body.status).toBe('pending')
    expect(await own.reviewed(bid)).toMatchObject({ status: 'approved', width: 300 })
    expect((await edit({ width: 728, height: 90 })).body.status).toBe('pending')
    expect((await own.reviewed(bid)).status).toBe('rejected')
    expect((await edit({ width: null, height: null })).body.status).toBe('pending')
    expect((await own.reviewed(bid)).status).toBe('approved')
    const swapped = await edit({ creativeURL: other })
    expect(swapped.body).toMatchObject({ status: 'pending', width: null, type: null, bytes: null })
    expect(await own.reviewed(bid)).toMatchObject({ status: 'approved', width: 728, height: 90 })
  })

  it.each([
    [{ creativeURL: null }, '/creativeURL'],
    [{ width: 300 }, '/height'],
    [{ width: 300, height: null }, '/height'],
    [{ width: 999, height: 999 }, '/width'],
    [{ bid: 5 }, '/bid'],
    [{ reasons: ['mine'] }, '/reasons'],
  ])('refuses %j with 400 and names %s', async (body, path) => {
    const own = ann
    const { bid } = await own.banner({ creativeURL: image })
    const answer = await own.call('PUT', `${own.path}/${bid}`, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].path).toBe(path)
  })

  it('leaves no trace of an edit that changes nothing', async () => {
    const { bid } = await ann.banner({ creativeURL: image, name: 'Same' })
    await ann.reviewed(bid)
    const before = await ann.call('GET', `${ann.path}/${bid}`)
    const after = await ann.call('PUT', `${ann.path}/${bid}`, { name: 'Same', creativeURL: image })
    expect(after.headers.etag).toBe(before.headers.etag)
    expect(after.body).toEqual(before.body)
  })

  it('lets exactly one of many edits with the same if-match succeed', async () => {
    const { bid } = await ann.banner({ creativeURL: image })
    await ann.reviewed(bid)
    const { etag } = (await ann.call('GET', `${ann.path}/${bid}`)).headers
    const edits = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        ann.call('PUT', `${ann.path}/${bid}`, { name: `e${i}` }, { 'if-match': etag! }),
      ),
    )
    expect(edits.map(edit => edit.status).sort()).toEqual([200, ...Array(7).fill(412)])
    const winner = edits.find(edit => edit.status === 200)!
    expect((await ann.call('GET', `${ann.path}/${bid}`)).body.name).toBe(winner.body.name)
  })

  it('loses neither of two parallel edits of different fields', async () => {
    const { bid } = await ann.banner({ creativeURL: image })
    await Promise.all([
      ann.call('PUT', `${ann.path}/${bid}`, { name: 'Both' }),
      ann.call('PUT', `${ann.path}/${bid}`, { clickUrl: 'https://bikes.example/both' }),
    ])
    expect(await ann.reviewed(bid)).toMatchObject({ name: 'Both', clickUrl: 'https://bikes.example/both' })
  })
})

describe('DELETE …/banner/:bid', () => {
  it('hides the banner everywhere, once, and honours if-match', async () => {
    const own = await freshPersona()
    const { bid } = await own.banner({ creativeURL: image })
    const stale = await own.call('DELETE', `${own.path}/${bid}`, undefined, { 'if-match': '"1-1"' })
    expect(stale.status).toBe(412)
    const gone = await own.call('DELETE', `${own.path}/${bid}`)
    expect([gone.status, gone.body]).toEqual([200, { bid, deleted: true }])
    expect((await own.call('DELETE', `${own.path}/${bid}`)).status).toBe(404)
    expect((await own.call('GET', `${own.path}/${bid}`)).status).toBe(404)
    expect((await own.call('PUT', own.path, { bid, name: 'x' })).status).toBe(404)
    expect((await own.call('GET', own.path)).body).toEqual([])
  })

  it('is gone with its persona and with its campaign', async () => {
    const own = await freshPersona()
    const { bid } = await own.banner({ creativeURL: image })
    await own.call('DELETE', `/campaign/${own.cid}/persona/${own.pid}`)
    expect((await own.call('GET', `${own.path}/${bid}`)).status).toBe(404)
    expect((await own.call('POST', own.path, { creativeURL: image })).status).toBe(404)
    const other = await freshPersona()
    await other.banner({ creativeURL: image })
    await other.call('DELETE', `/campaign/${other.cid}`)
    expect((await other.call('GET', other.path)).status).toBe(404)
  })
})

describe('paths', () => {
  it.each(['0', '-1', '1e3', '0x10', 'abc', '%20', '99999999999999999999'])(
    'answers 404 for %s as an id',
    async id => {
      expect((await ann.call('GET', `${ann.path}/${id}`)).status).toBe(404)
      expect((await ann.call('GET', `/campaign/${ann.cid}/persona/${id}/banner`)).status).toBe(404)
      expect((await ann.call('DELETE', `${ann.path}/${id}`)).status).toBe(404)
    },
  )

  it('checks credentials, cuid, path and body in this order', async () => {
    const bad = { creativeURL: 5 }
    expect((await service.call('POST', ann.path, { as: null, body: bad })).status).toBe(401)
    expect((await service.call('POST', ann.path, { body: bad })).body.code).toBe('missing_cuid')
    expect((await service.call('POST', `${ann.path}?cuid=1`, { as: ann, body: bad })).status).toBe(401)
    expect((await ann.call('POST', `/campaign/${ann.cid}/persona/1/banner`, bad)).status).toBe(404)
    expect((await ann.call('POST', ann.path, bad)).status).toBe(400)
    const type = { 'content-type': 'image/png' }
    expect((await ann.call('POST', ann.path, 'x', type)).status).toBe(415)
  })
})

describe('the record of changes', () => {
  it('records who did what to a banner, before and after, and tells delivery', async () => {
    const { bid } = await ann.banner({ creativeURL: image, name: 'First' })
    await ann.reviewed(bid)
    await ann.call('PUT', `${ann.path}/${bid}`, { name: 'Second' })
    await ann.call('DELETE', `${ann.path}/${bid}`)
    const audit = await service.db.rows<{ action: string; actor: string; before: unknown; after: unknown }>(
      "select action, actor, before->>'name' as before, after->>'name' as after from audit where noun = 'banner' and id = $1 order by audit_id",
      [bid],
    )
    expect(audit).toEqual([
      { action: 'create', actor: ann.key, before: null, after: 'First' },
      { action: 'approve', actor: 'review', before: 'First', after: 'First' },
      { action: 'edit', actor: ann.key, before: 'First', after: 'Second' },
      { action: 'delete', actor: ann.key, before: 'Second', after: null },
    ])
    const changes = await service.db.rows("select 1 from catalog_change where noun = 'banner' and id = $1", [
      bid,
    ])
    expect(changes).toHaveLength(4)
  })
})
