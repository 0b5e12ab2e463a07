// The OpenAPI document is complete and valid, because clients are generated from it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Schema, validate } from '../src/http/validate.ts'
import { startTestService, type TestService } from './support/service.ts'
import { buildTenant } from './support/tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** Pages and files for browsers, and what OAuth describes by itself: not part of the interface. */
const NOT_INTERFACE = /^\/(docs|llms|mcp|console(?!\/api\/)|creative\/|mails\/|oauth\/|\.well-known\/oauth-)/

it('describes every route of the server, and no other', async () => {
  const { body } = await service.call('GET', '/openapi.json')
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const onThinPath = service.api.endpoints
    .filter(endpoint => endpoint.dataPlane)
    .map(endpoint => `${endpoint.method} ${endpoint.path}`)
  const registered = [...service.routes, ...onThinPath].filter(
    route => !route.startsWith('HEAD ') && !NOT_INTERFACE.test(route.split(' ')[1]!),
  )
  expect(described.sort()).toEqual([...new Set(registered)].sort())
})

/** As the interface specification has them. */
const SPECIFIED = `POST /customer
GET /customer
GET /customer/{cuid}
GET /customer/{email}/sso
GET /customer/{email}/passcode
GET /customer/{identifier}/auth
GET /customer/{email}/auth/nopasscode
POST /campaign
GET /campaign
GET /campaign/{cid}
PUT /campaign/{cid}
PUT /campaign/{cid}/pause
PUT /campaign/{cid}/resume
DELETE /campaign/{cid}
POST /campaign/{cid}/persona
GET /campaign/{cid}/persona
GET /campaign/{cid}/persona/{pid}
PUT /campaign/{cid}/persona/{pid}
PUT /campaign/{cid}/persona/{pid}/pause
PUT /campaign/{cid}/persona/{pid}/resume
DELETE /campaign/{cid}/persona/{pid}
POST /campaign/{cid}/persona/{pid}/banner
GET /campaign/{cid}/persona/{pid}/banner
PUT /campaign/{cid}/persona/{pid}/banner
DELETE /campaign/{cid}/persona/{pid}/banner/{bid}
GET /stats/{id}/summary
GET /stats/{id}/timeseries`

it('the interface alone has the 27 operations of its specification, each as in the whole document', async () => {
  const { body: core } = await service.call('GET', '/openapi/core.json')
  const { body: whole } = await service.call('GET', '/openapi.json')
  const calls = Object.entries(core.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, methods]) => Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  expect(calls.toSorted()).toEqual(SPECIFIED.split('\n').toSorted())
  for (const [path, methods] of Object.entries<Record<string, { summary: string }>>(core.paths))
    for (const [method, { summary }] of Object.entries(methods))
      expect(whole.paths[path][method].summary).toBe(summary)
  const refs = [...JSON.stringify(core).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(match => match[1]!)
  expect(refs.filter(name => !(name in core.components.schemas))).toEqual([])
})

it('is built once, however often it is requested', async () => {
  const other = await startTestService()
  let reads = 0
  other.api.endpoints.push({
    ...other.api.endpoints[0]!,
    get summary() {
      reads++
      return 'counted'
    },
  })
  const texts = new Set<string>()
  for (let n = 0; n < 5; n++) texts.add((await other.call('GET', '/openapi.json')).text)
  await other.close()
  expect([reads, texts.size]).toEqual([1, 1])
})

it('every endpoint has an example for its body that its own schema accepts', () => {
  for (const endpoint of service.api.endpoints) {
    if (!endpoint.body) continue
    expect(endpoint.examples?.body, endpoint.id).toBeDefined()
    expect(validate(endpoint.body as Schema, endpoint.examples!.body), endpoint.id).toMatchObject({
      ok: true,
    })
  }
})

it('a body of another type gets 415 on every write, and all of them say so', async () => {
  const tenant = await buildTenant(service, service.app, { webhook: true })
  const ids = tenant.ids as Record<string, unknown>
  const { body } = await service.call('GET', '/openapi.json')
  let refused = 0
  for (const { method, path, cuid, dataPlane, access } of service.api.endpoints) {
    if (method === 'GET' || dataPlane || access === 'public') continue
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => String(ids[name] ?? 1))
    const answer = await service.call(method, cuid ? `${filled}?cuid=${ids.cuid}` : filled, {
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    })
    if (answer.status === 415) refused++
    const operation = body.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    expect(operation.responses, `${method} ${path}`).toHaveProperty(['415'])
  }
  expect(refused).toBeGreaterThan(50)
})

it('null for an optional field of what is created is as if it was not given', () => {
  for (const { id, method, status, body, examples } of service.api.endpoints) {
    if (method !== 'POST' || status !== 201 || !body) continue
    const { properties = {}, required = [] } = body as Schema
    const alias = required.map(name => properties[name]!['x-alias'])
    for (const name of Object.keys(properties)) {
      const given = { ...(examples!.body as object), [name]: null }
      const wanted = !required.includes(name)
      if (alias.includes(name)) expect(validate(body as Schema, { [name]: null }).ok).toBe(false)
      expect(validate(body as Schema, given).ok, `${id}: ${name}`).toBe(wanted)
    }
  }
})

it('every example of an answer fits its schema', () => {
  for (const endpoint of service.api.endpoints) {
    if (endpoint.examples?.answer === undefined) continue
    expect(validate(endpoint.answer as Schema, endpoint.examples.answer), endpoint.id).toMatchObject({
      ok: true,
    })
  }
})

it('a JSON answer is the only content of its status, so that clients that are generated get its type', async () => {
  const { paths } = (await service.call('GET', '/openapi.json')).body
  const operations = Object.values<Record<string, { operationId: string; responses: object }>>(paths).flatMap(
    item => Object.values(item),
  )
  const others: string[] = []
  for (const { operationId, responses } of operations) {
    for (const answer of Object.values<Record<string, object>>(responses as Record<string, never>)) {
      const types = Object.keys(answer.content ?? {})
      expect([operationId, types.length > 1 && types.includes('application/json')]).toEqual([
        operationId,
        false,
      ])
      if (answer['x-other-media-types']) others.push(operationId)
    }
  }
  const besidesJson = service.api.endpoints.filter(
    ({ also, answer }) => also && (answer as { type?: string }).type !== 'string',
  )
  expect(others.sort()).toEqual(besidesJson.map(({ id }) => id).sort())
  expect(others).toContain('readTimeseries')
})

it('every id names one endpoint', () => {
  const ids = service.api.endpoints.map(endpoint => endpoint.id)
  expect(new Set(ids).size).toBe(ids.length)
})

describe('what clients are generated from', () => {
  type Json = Record<string, unknown>
  interface Described {
    description?: string
    $ref?: string
    properties?: Record<string, Described>
  }
  const document = async () => (await service.call('GET', '/openapi.json')).body
  const operations = async () =>
    Object.entries((await document()).paths as Record<string, Record<string, Json>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )

  /** Every schema with a place of its own, and the path to it. */
  function inlineObjects(value: unknown, path: string): string[] {
    if (typeof value !== 'object' || value === null) return []
    const { type, properties } = value as { type?: unknown; properties?: object }
    const found = type === 'object' && properties && Object.keys(properties).length > 0 ? [path] : []
    return [
      ...found,
      ...Object.entries(value).flatMap(([key, inner]) => inlineObjects(inner, `${path}/${key}`)),
    ]
  }

  it('every object has a name', async () => {
    const { paths, webhooks, components } = await document()
    const named = Object.entries(components.schemas).filter(([name]) => !/Error$/.test(name))
    const within = named.flatMap(([name, schema]) =>
      Object.entries(schema as object).flatMap(([key, inner]) => inlineObjects(inner, `${name}/${key}`)),
    )
    expect([...inlineObjects(paths, ''), ...inlineObjects(webhooks, ''), ...within]).toEqual([])
    for (const name of [
      'Campaign',
      'Flight',
      'Persona',
      'Banner',
      'Customer',
      'Webhook',
      'Summary',
      'BulkAnswer',
    ])
      expect(Object.keys(components.schemas)).toContain(name)
  })

  it('every field is described', async () => {
    const { components } = await document()
    const schemas = components.schemas as Record<string, Described>
    const isDescribed = ({ description, $ref }: Described): boolean =>
      description !== undefined || ($ref !== undefined && isDescribed(schemas[$ref.split('/').at(-1)!]!))
    const silent = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, schema]) =>
        isDescribed(schema) ? [] : [`${name}.${field}`],
      ),
    )
    expect(silent).toEqual([])
  })

  it('every parameter is described', async () => {
    const silent = (await operations()).flatMap(({ method, path, operation }) =>
      ((operation.parameters ?? []) as { name: string; description?: string }[])
        .filter(({ description }) => !description)
        .map(({ name }) => `${method} ${path}: ${name}`),
    )
    expect(silent).toEqual([])
  })

  it('what a creation needs is required: a new banner has its image', async () => {
    const { components } = await document()
    expect(components.schemas.NewBanner.required).toEqual(['creativeURL'])
    expect(components.schemas.BannerEdit.required ?? []).toEqual([])
  })

  it('every reference leads somewhere, and every component is used', async () => {
    const { text } = await service.call('GET', '/openapi.json')
    const used = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(match => match[1]!))
    const { components } = JSON.parse(text)
    expect([...used].sort()).toEqual(Object.keys(components.schemas).sort())
  })

  it('ids in paths are integers, and formats are known to validators', async () => {
    for (const { path, operation } of await operations()) {
      for (const parameter of operation.parameters as { name: string; in: string; schema: Json }[]) {
        if (parameter.in !== 'path' || !/^(cu|c|f|p|b|w|d)?id$/.test(parameter.name)) continue
        expect([path, parameter.schema.type]).toEqual([path, 'integer'])
      }
    }
    const { text } = await service.call('GET', '/openapi.json')
    const formats = new Set([...text.matchAll(/"format":"([^"]+)"/g)].map(match => match[1]!))
    expect([...formats].sort()).toEqual(['binary', 'date', 'date-time', 'double', 'email', 'int64', 'uri'])
  })

  it('etags, conditions and limits are documented where they apply', async () => {
    for (const { path, method, operation } of await operations()) {
      const names = (operation.parameters as { name: string }[]).map(({ name }) => name)
      const responses = operation.responses as Record<string, { headers?: object }>
      const headers = Object.keys((responses[200] ?? responses[201])?.headers ?? {})
      if (method === 'delete' || method === 'post')
        expect([path, names.includes('if-none-match')]).toEqual([path, false])
      if (method === 'delete') expect([path, headers.includes('etag')]).toEqual([path, false])
      if (method === 'post') expect([path, names.includes('if-match')]).toEqual([path, false])
      if ((operation.security as object[]).length > 0 && responses[200])
        expect([path, method, headers.includes('ratelimit-remaining')]).toEqual([path, method, true])
    }
  })

  it('a query parameter that it does not name is refused on every route, and those that it names are listed', async () => {
    const { cuid } = await service.newCustomer()
    const onThinPath = new Set(service.api.endpoints.filter(item => item.dataPlane).map(item => item.id))
    let asked = 0
    for (const { path, method, operation } of await operations()) {
      if (onThinPath.has(operation.operationId as string)) continue
      const parameters = operation.parameters as { name: string; in: string }[]
      const names = parameters.filter(item => item.in === 'query').map(({ name }) => name)
      const filled = path.replaceAll(/\{(\w+)\}/g, String(cuid))
      const answer = await service.call(
        method.toUpperCase(),
        `${filled}?surprise=1${names.includes('cuid') ? `&cuid=${cuid}` : ''}`,
      )
      const refusal = answer.body?.errors?.find((error: { path: string }) => error.path === '?surprise')
      const message = `is not a parameter here; allowed: ${names.join(', ') || 'none'}`
      expect([method, path, answer.status, refusal?.message]).toEqual([method, path, 400, message])
      asked++
    }
    expect(asked).toBeGreaterThan(60)
  })

  it('if-match is honoured on every route that names it, and refused on all others', async () => {
    const { ids } = await buildTenant(service, service.app, { webhook: true })
    const [{ sourceId }] = (await service.call('GET', '/source')).body
    await service.call('PUT', '/attribute/section', { body: { kind: 'words' } })
    const known = { ...ids, sourceId } as Record<string, string | number>
    const ownBody = (example: object) => ('bid' in example ? { ...example, bid: ids.bid } : example)
    let honoured = 0
    for (const { path, method, operation } of await operations()) {
      const endpoint = service.api.endpoints.find(item => item.id === operation.operationId)!
      if (method === 'get' || endpoint.dataPlane) continue
      const parameters = operation.parameters as { name: string; in: string }[]
      const has = (place: string, wanted: string) =>
        parameters.some(item => item.in === place && item.name === wanted)
      const filled = path
        .replace('/attribute/{key}', '/attribute/section')
        .replaceAll(/\{(\w+)\}/g, (_, name) => String(known[name] ?? ids.cuid))
      const codeFor = async (etag: string) => {
        const answer = await service.call(
          method.toUpperCase(),
          `${filled}${has('query', 'cuid') ? `?cuid=${ids.cuid}` : ''}`,
          {
            headers: { 'if-match': etag },
            ...(endpoint.body ? { body: ownBody(endpoint.examples!.body as object) } : {}),
          },
        )
        return [answer.status, answer.body.code]
      }
      const isHonoured = has('header', 'if-match')
      if (isHonoured) honoured++
      expect([method, path, await codeFor('"0-0"')]).toEqual([
        method,
        path,
        isHonoured ? [412, 'precondition_failed'] : [400, 'if_match_not_honoured'],
      ])
      if (isHonoured) expect([path, await codeFor('0-0')]).toEqual([path, [400, 'invalid_etag']])
    }
    expect(honoured).toBeGreaterThan(15)
  })

  it('the action pixel is included, and only JSON is called JSON', async () => {
    const { paths } = await document()
    expect(Object.keys(paths['/t/a.gif'].get.responses[200].content)).toEqual(['image/gif'])
    expect(Object.keys(paths['/tag.js'].get.responses[200].content)).toEqual(['text/javascript'])
    expect(Object.keys(paths['/metrics'].get.responses[200].content)).toEqual(['text/plain'])
    expect(paths['/openrtb2/bid/{sourceKey}'].post.responses[400].content).toBeUndefined()
  })
})
