// Tests the Customers table of the specification (section 4) and the customer object (section 2) through the API.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const ALL_FIELDS = {
  company: 'Blue Bikes Ltd',
  email: 'All.Fields@bikes.example',
  name: 'Ann Rider',
  address: '1 Hill Road',
  country: 'Canada',
  city: 'Toronto',
  zip: 'M4B 1B3',
  state: 'Ontario',
  phone: '+1 416 555 0100',
  website: 'https://bikes.example/',
  language: 'de',
  timezone: 'Europe/Berlin',
}

describe('POST /customer', () => {
  it('creates a customer and answers 201 with cuid, key, token and the whole object', async () => {
    const { status, body } = await service.call('POST', '/customer', { body: ALL_FIELDS })
    expect(status).toBe(201)
    expect(body).toEqual({
      ...ALL_FIELDS,
      cuid: expect.any(Number),
      timezonePending: null,
      apiAccess: true,
      frozen: false,
      ceilings: null,
      review: null,
      sites: null,
      prepaid: false,
      lowBalance: null,
      clickParameters: null,
      externalId: null,
      metadata: {},
      created: expect.any(Number),
      key: expect.stringMatching(/^mqck_/),
      token: expect.stringMatching(/^mqct_/),
      expires: expect.any(Number),
    })
    const own = await service.call('GET', `/customer/${body.cuid}`, { as: body })
    expect(own.status).toBe(200)
  })

  it('needs only company and email; what is not given is null', async () => {
    const { body } = await service.call('POST', '/customer', {
      body: { company: 'A', email: 'min@a.example' },
    })
    expect(body).toMatchObject({
      name: null,
      address: null,
      country: null,
      city: null,
      zip: null,
      state: null,
    })
    expect(body).toMatchObject({ phone: null, website: null, language: null, timezone: null })
  })

  it.each(['Europe/Nowhere', 'GMT+25', '../etc', 'x'.repeat(65)])(
    'refuses the time zone "%.20s"',
    async timezone => {
      const answer = await service.call('POST', '/customer', {
        body: { company: 'A', email: 'zone@a.example', timezone, language: 'fr' },
      })
      expect(answer.status).toBe(400)
      expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([
        '/timezone',
        '/language',
      ])
    },
  )

  it('treats null for an optional field as not given', async () => {
    const { status, body } = await service.call('POST', '/customer', {
      body: { company: 'A', email: 'null@a.example', name: null, prepaid: null },
    })
    expect([status, body.name, body.prepaid]).toEqual([201, null, false])
  })

  it.each([
    [{ email: 'x@a.example' }, '/company', 'is required'],
    [{ company: 'A' }, '/email', 'is required'],
    [{ company: '   ', email: 'x@a.example' }, '/company', 'must not be empty'],
    [{ company: null, email: 'x@a.example' }, '/company', 'must be a string, not null'],
    [{ company: 'A', email: 'not-an-address' }, '/email', 'must be an e-mail address'],
    [
      { company: 'A', email: 'x@a.example', website: 'ftp://a.example' },
      '/website',
      'must be an http or https URL',
    ],
    [
      { company: 'A', email: 'x@a.example', website: 'javascript:alert(1)' },
      '/website',
      'must be an http or https URL',
    ],
    [{ company: 'A', email: 'x@a.example', name: 7 }, '/name', 'must be a string, not a number'],
    [{ company: 'A', email: 'x@a.example', nmae: 'Ann' }, '/nmae', 'is not a field here'],
    [{ company: 'A', email: 'x@a.example', cuid: 7 }, '/cuid', 'is not a field here'],
    [{ company: 'A', email: 'x@a.example', apiAccess: true }, '/apiAccess', 'is not a field here'],
    [{ company: 'é'.repeat(256), email: 'x@a.example' }, '/company', 'at most 255 characters, has 256'],
    [{ company: 'a\u0000b', email: 'x@a.example' }, '/company', 'NUL'],
  ])('refuses %j and names the field', async (body, path, message) => {
    const answer = await service.call('POST', '/customer', { body })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'invalid_input', requestId: expect.any(String) })
    expect(answer.body.errors[0].path).toBe(path)
    expect(answer.body.errors[0].message).toContain(message)
  })

  it('refuses half of a surrogate pair', async () => {
    const answer = await service.call('POST', '/customer', {
      body: '{"company":"\\ud800","email":"x@a.example"}',
    })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].path).toBe('/company')
  })

  it('counts code points after trimming, and stores trimmed', async () => {
    const company = '😀'.repeat(255)
    const { status, body } = await service.call('POST', '/customer', {
      body: { company: `  ${company}  `, email: 'emoji@a.example' },
    })
    expect([status, body.company]).toEqual([201, company])
  })

  it('refuses an e-mail that another customer of the app has, ignoring case', async () => {
    await service.newCustomer({ email: 'Taken@a.example' })
    const answer = await service.call('POST', '/customer', {
      body: { company: 'B', email: 'tAKEN@A.example' },
    })
    expect([answer.status, answer.body.code]).toEqual([409, 'email_taken'])
  })

  it('lets one of 20 parallel creations with the same e-mail win; the others get 409', async () => {
    const body = { company: 'Race', email: 'race@a.example' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', '/customer', { body })),
    )
    const statuses = answers.map(answer => answer.status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
  })
})

describe('GET /customer/', () => {
  it('lists the customers of the app, oldest first, with or without the slash', async () => {
    const a = await service.newCustomer()
    const b = await service.newCustomer()
    const { status, body } = await service.call('GET', '/customer/')
    expect(status).toBe(200)
    const ids = body.map((customer: { cuid: number }) => customer.cuid)
    expect(ids.indexOf(a.cuid)).toBeLessThan(ids.indexOf(b.cuid))
    expect(ids).toEqual([...ids].sort((x, y) => x - y))
    expect((await service.call('GET', '/customer')).body).toEqual(body)
    expect(JSON.stringify(body)).not.toContain('mqc')
  })

  it('pages by limit and after, with a link to the next page', async () => {
    const all = (await service.call('GET', '/customer')).body
    const seen: unknown[] = []
    let url: string | null = '/customer?limit=3'
    while (url) {
      const page = await service.call('GET', url)
      expect(page.body.length).toBeLessThanOrEqual(3)
      seen.push(...page.body)
      const next: string | undefined = /<(.+)>; rel="next"/.exec(page.headers.link ?? '')?.[1]
      url = next ? new URL(next).pathname + new URL(next).search : null
    }
    expect(seen).toEqual(all)
  })

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1e2', 'after=-1', 'limit=1&limit=2', 'limit='])(
    'refuses %s',
    async query => {
      const answer = await service.call('GET', `/customer?${query}`)
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input'])
    },
  )

  it('streams a list of thousands completely', async () => {
    const other = await startTestService()
    await other.db.run(
      `insert into customer (app_id, company, email, email_key, created_at, updated_at)
       select (select min(app_id) from app), 'C' || n, n || '@bulk.example', n || '@bulk.example', now(), now()
       from generate_series(1, 3500) n`,
    )
    const { body } = await other.call('GET', '/customer')
    expect(body).toHaveLength(3500)
    expect(new Set(body.map((customer: { cuid: number }) => customer.cuid)).size).toBe(3500)
    await other.close()
  })
})

describe('GET /customer/:cuid', () => {
  it('answers a customer with its own information, and an app with that of its customer', async () => {
    const customer = await service.newCustomer()
    const asItself = await service.call('GET', `/customer/${customer.cuid}`, { as: customer })
    const asApp = await service.call('GET', `/customer/${customer.cuid}`)
    expect(asItself.status).toBe(200)
    expect(asItself.body).toEqual(asApp.body)
    expect(asItself.headers.etag).toBeTruthy()
  })

  it.each(['0', '01', '0x10', '1e3', '-1', '1.5', 'abc', '%20', '99999999999999999999', '9007199254740993'])(
    'answers 404 for the id %s, which cannot exist',
    async id => {
      expect((await service.call('GET', `/customer/${id}`)).status).toBe(404)
    },
  )
})

describe('PUT /customer/:cuid', () => {
  it('changes only the supplied fields, and null clears an optional one', async () => {
    const customer = await service.newCustomer({ name: 'Ann', city: 'Berlin' })
    const { status, body } = await service.call('PUT', `/customer/${customer.cuid}`, {
      as: customer,
      body: { city: null, phone: '1' },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Ann', city: null, phone: '1', company: 'Blue Bikes' })
  })

  it('refuses null for a required field', async () => {
    const customer = await service.newCustomer()
    const { status, body } = await service.call('PUT', `/customer/${customer.cuid}`, {
      body: { company: null },
    })
    expect([status, body.errors[0].path]).toEqual([400, '/company'])
  })

  it('refuses the e-mail of another customer', async () => {
    const a = await service.newCustomer()
    const b = await service.newCustomer()
    const { status } = await service.call('PUT', `/customer/${b.cuid}`, {
      body: { email: a.email.toUpperCase() },
    })
    expect(status).toBe(409)
    expect((await service.call('PUT', `/customer/${b.cuid}`, { body: { email: b.email } })).status).toBe(200)
  })

  it('lets only an app change the e-mail; a customer may send back its current one', async () => {
    const customer = await service.newCustomer()
    const put = (email: string, as?: typeof customer) =>
      service.call('PUT', `/customer/${customer.cuid}`, {
        ...(as ? { as } : {}),
        body: { email, city: 'Rome' },
      })
    const own = await put('thief@bikes.example', customer)
    expect([own.status, own.body.code]).toEqual([401, 'credentials_wrong_level'])
    expect(own.body.message).toContain('email')
    const read = await service.call('GET', `/customer/${customer.cuid}`)
    expect(read.body).toMatchObject({ email: customer.email, city: null })
    expect((await put(customer.email, customer)).status).toBe(200)
    expect((await put('moved@bikes.example')).body.email).toBe('moved@bikes.example')
  })

  it('lets only an app switch API access, and a customer without it gets 401 everywhere', async () => {
    const customer = await service.newCustomer()
    const own = await service.call('PUT', `/customer/${customer.cuid}`, {
      as: customer,
      body: { apiAccess: false },
    })
    expect([own.status, own.body.code]).toEqual([401, 'credentials_wrong_level'])
    await service.call('PUT', `/customer/${customer.cuid}`, { body: { apiAccess: false } })
    const refused = await service.call('GET', `/customer/${customer.cuid}`, { as: customer })
    expect([refused.status, refused.body.code]).toEqual([401, 'api_access_off'])
    const read = await service.call('GET', `/customer/${customer.cuid}`)
    expect([read.status, read.body.apiAccess]).toEqual([200, false])
    await service.call('PUT', `/customer/${customer.cuid}`, { body: { apiAccess: true } })
    expect((await service.call('GET', `/customer/${customer.cuid}`, { as: customer })).status).toBe(200)
  })

  it('honours if-match: a lost update is refused with 412', async () => {
    const customer = await service.newCustomer()
    const { etag } = (await service.call('GET', `/customer/${customer.cuid}`)).headers
    const edit = (city: string) =>
      service.call('PUT', `/customer/${customer.cuid}`, { body: { city }, headers: { 'if-match': etag! } })
    const first = await edit('Paris')
    expect(first.status).toBe(200)
    const second = await edit('Rome')
    expect([second.status, second.body.code]).toEqual([412, 'precondition_failed'])
    expect(first.headers.etag!.startsWith(second.headers.etag!.slice(0, -1))).toBe(true)
    expect((await service.call('GET', `/customer/${customer.cuid}`)).body.city).toBe('Paris')
  })
})
