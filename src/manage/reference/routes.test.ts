// Tests the reference lists through the API.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../../test/support/service.ts'
import { type Schema, validate } from '../../http/validate.ts'
import { AD_SIZES } from './ad-sizes.ts'
import * as contract from './contract.ts'
import { parsePlace } from './geo.ts'
import { isIabCode } from './iab.ts'
import { MAX_PLACES } from './search.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const get = (url: string) => service.call('GET', url, { app: null })

function mustMatch(schema: object, body: unknown): void {
  expect(validate(schema as Schema, body)).toMatchObject({ ok: true })
}

describe('GET /reference/iab', () => {
  it('answers anybody with every category as a tree', async () => {
    const { status, body } = await get('/reference/iab')
    expect(status).toBe(200)
    mustMatch(contract.IabTree, body)
    const tree: contract.IabTree = body
    const codes = tree.flatMap(({ code, children }) => [code, ...children.map(child => child.code)])
    expect(tree).toHaveLength(26)
    expect(new Set(codes).size).toBe(codes.length)
    expect(codes.every(isIabCode)).toBe(true)
    for (const { code, children } of tree) {
      for (const child of children) expect(child.code.startsWith(`${code}-`)).toBe(true)
    }
  })
})

describe('GET /reference/geo/states', () => {
  it('lists the states of a country, each as a persona takes it', async () => {
    const { status, body } = await get('/reference/geo/states?country=de')
    expect(status).toBe(200)
    mustMatch(contract.FoundPlaces, body)
    expect(body).toHaveLength(16)
    expect(body).toContainEqual({ value: 'DE-BE', label: 'Berlin, Germany', kind: 'state' })
    for (const { value } of body) expect(parsePlace(value)).toMatchObject({ canonical: value })
  })

  it('has an empty list for a country without states, and says what is no country', async () => {
    expect((await get('/reference/geo/states?country=MC')).status).toBe(200)
    expect((await get('/reference/geo/states?country=AQ')).body).toEqual([])
    expect(await get('/reference/geo/states?country=XX')).toMatchObject({
      status: 400,
      body: { errors: [{ path: '?country', code: 'place_country_unknown' }] },
    })
  })
})

describe('GET /reference/geo', () => {
  it('finds places by the beginning of their name, each as a persona takes it', async () => {
    const { status, body } = await get('/reference/geo?q=tor')
    expect(status).toBe(200)
    mustMatch(contract.FoundPlaces, body)
    const values = body.map((place: { value: string }) => place.value)
    expect(values).toContain('CA-ON-Toronto')
    expect(values.length).toBeLessThanOrEqual(contract.DEFAULT_FOUND_PLACES)
    for (const value of values) expect(parsePlace(value)).toMatchObject({ canonical: value })
  })

  it('respects the limit', async () => {
    expect((await get('/reference/geo?q=a&limit=3')).body).toHaveLength(3)
    expect((await get('/reference/geo?q=a&limit=50')).body).toHaveLength(50)
    expect(contract.MAX_FOUND_PLACES).toBe(MAX_PLACES)
  })

  it('answers with an empty list if nothing matches', async () => {
    expect((await get('/reference/geo?q=qqqqqq')).body).toEqual([])
  })

  it.each([
    ['/reference/geo', '?q', 'is required'],
    ['/reference/geo?q=', '?q', 'must not be empty'],
    [`/reference/geo?q=${'a'.repeat(101)}`, '?q', 'must have at most 100 characters, has 101'],
    ['/reference/geo?q=a&q=b', '?q', 'must be given only once'],
    ['/reference/geo?q=a&limit=0', '?limit', 'must be an integer from 1 to 50'],
    ['/reference/geo?q=a&limit=51', '?limit', 'must be an integer from 1 to 50'],
    ['/reference/geo?q=a&limit=ten', '?limit', 'must be an integer, not a string'],
  ])('refuses %s with 400 and names the parameter', async (url, path, message) => {
    const { status, body } = await get(url)
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ path, message }])
  })

  it.each(['%00', '%25_', "'%3B--", '(((((((((', '\\', '%F0%9F%9A%B2', '-', 'CA-ON-', ','])(
    'treats %s like any other text',
    async q => {
      expect((await get(`/reference/geo?q=${q}`)).status).toBeLessThan(500)
    },
  )
})

describe('GET /reference/ad-sizes', () => {
  it('answers with the allowed sizes and their weights', async () => {
    const { status, body } = await get('/reference/ad-sizes')
    expect(status).toBe(200)
    mustMatch(contract.AdSizes, body)
    expect(body).toEqual(AD_SIZES)
    expect(body).toHaveLength(20)
  })
})

describe('the reference', () => {
  it.each(['/reference/iab', '/reference/geo?q=tor', '/reference/ad-sizes'])(
    '%s may be cached by anybody',
    async url => {
      const { headers } = await get(url)
      expect(headers['cache-control']).toBe('public, max-age=86400')
      expect((await service.call('HEAD', url, { app: null })).status).toBe(200)
    },
  )

  it('does not let a refusal be cached', async () => {
    expect((await get('/reference/geo')).headers['cache-control']).toBe('no-store')
  })

  it('is in the OpenAPI document without credentials, with examples that hold', async () => {
    const { body } = await get('/openapi.json')
    for (const path of ['/reference/iab', '/reference/geo', '/reference/ad-sizes']) {
      const operation = body.paths[path].get
      expect(operation.security).toEqual([])
      const { schema, example } = operation.responses[200].content['application/json']
      mustMatch(schema, example)
    }
  })
})
