// Attributes of an app through the API: declaring them, what personas may want of them, and who may do either.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { createApp } from '../../identity/apps.ts'
import { writeSeen } from './seen.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const SECTION = {
  kind: 'choice',
  label: 'Section',
  choices: [{ value: 'Sport' }, { value: 'news', label: 'News of today' }],
}
type Error = { path: string; code: string }
const codesOf = (answer: { body: { errors?: Error[] } }) =>
  answer.body.errors?.map(({ path, code }) => `${path} ${code}`)
const declare = (key: string, body: object, query = '') =>
  service.call('PUT', `/attribute/${key}${query}`, { body })

async function newPersonas() {
  const customer = await service.newCustomer()
  const call = (method: string, path: string, body?: object, as: TestPair | undefined = customer) =>
    service.call(method, `${path}?cuid=${customer.cuid}`, { body, ...(as ? { as } : {}) })
  const campaign = { name: 'Spring', start: 2_000_000_000, end: 2_000_086_400, dailySpend: 10 }
  const { cid } = (await call('POST', '/campaign', campaign)).body
  const path = `/campaign/${cid}/persona`
  const bodyOf = (attributes: unknown) => ({
    ...{ name: 'Readers', geo: { geos: ['CA'] }, device: { mobile: true } },
    attributes,
  })
  const create = (attributes: unknown) => call('POST', path, bodyOf(attributes))
  return { customer, call, cid, path, bodyOf, create }
}

describe('an app', () => {
  it('declares an attribute, changes only what is given, and deletes it', async () => {
    const made = await declare('section', SECTION)
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({
      ...{ key: 'section', label: 'Section', kind: 'choice', appOnly: false, fromPublic: false },
      ...{ uses: 0, usedBy: [] },
      choices: [
        { value: 'sport', label: 'Sport' },
        { value: 'news', label: 'News of today' },
      ],
    })
    const edited = await declare('section', { fromPublic: true })
    expect([edited.status, edited.body.fromPublic, edited.body.label]).toEqual([200, true, 'Section'])
    const sentBack = await declare('section', edited.body)
    expect([sentBack.status, sentBack.headers.etag]).toEqual([200, edited.headers.etag])
    expect((await service.call('GET', '/attribute')).body.map(({ key }: { key: string }) => key)).toEqual([
      'section',
    ])
    const late = { body: { label: 'Late' }, headers: { 'if-match': made.headers.etag! } }
    expect((await service.call('PUT', '/attribute/section', late)).status).toBe(412)
    expect((await service.call('DELETE', '/attribute/section')).body).toEqual({
      key: 'section',
      deleted: true,
    })
    expect((await service.call('GET', '/attribute/section')).status).toBe(404)
    const { body: history } = await service.call('GET', '/attribute/history')
    expect(history.map(({ action }: { action: string }) => action)).toEqual(['add', 'edit', 'remove'])
    expect(history[1].before.fromPublic).toBe(false)
  })

  it('is told what is wrong with a declaration', async () => {
    const wrong = async (key: string, body: object) => codesOf(await declare(key, body))
    expect(await wrong('size', {})).toEqual(['/kind required'])
    expect(await wrong('size', { kind: 'choice' })).toEqual(['/choices required'])
    expect(await wrong('Size', { kind: 'words' })).toEqual([':key wrong_format'])
    expect(await wrong('history', { kind: 'words' })).toEqual([':key attribute_key_reserved'])
    expect(await wrong('size', { kind: 'number', choices: [{ value: 'a' }] })).toEqual([
      '/choices not_used_by_kind',
    ])
    for (const value of ['ann@shop.example', '+49 170 1234567', '030 1234567', '4165551234'])
      expect(await wrong('size', { kind: 'choice', choices: [{ value }] })).toEqual([
        '/choices/0/value looks_personal',
      ])
    await declare('size', { kind: 'words' })
    expect(await wrong('size', { kind: 'number' })).toEqual(['/kind attribute_kind_fixed'])
    await service.call('DELETE', '/attribute/size')
  })

  it('has at most 50 attributes', async () => {
    const choice = { kind: 'choice', choices: [{ value: 'a' }] }
    for (let n = 0; n < 50; n++) {
      const made = await declare(`k${n}`, choice)
      expect(made.status, made.text).toBe(201)
    }
    expect((await declare('k50', choice)).body.reason).toBe('too_many_attributes')
    for (let n = 0; n < 50; n++) await service.call('DELETE', `/attribute/k${n}`)
  })

  it('sees only its own attributes, and two apps may give one key different meanings', async () => {
    await declare('section', SECTION)
    const { pair } = await createApp(service.db, { name: 'other' }, service.clock)
    const as = { app: pair }
    expect((await service.call('GET', '/attribute', as)).body).toEqual([])
    expect((await service.call('GET', '/attribute/section', as)).status).toBe(404)
    const other = await service.call('PUT', '/attribute/section', { ...as, body: { kind: 'words' } })
    expect(other.status).toBe(201)
    expect((await service.call('GET', '/attribute/section')).body.kind).toBe('choice')
  })
})

describe('a persona', () => {
  it('wants values of declared attributes, folded, as they are read again', async () => {
    await declare('section', SECTION)
    await declare('tags', { kind: 'words' })
    await declare('price', { kind: 'number' })
    const { create, call, path } = await newPersonas()
    const made = await create({
      tags: { none: [' Alcohol ', 'alcohol'], all: [] },
      section: { any: ['SPORT', 'news'] },
      price: { min: 10, max: 50 },
    })
    expect(made.status, made.text).toBe(201)
    const wanted = {
      price: { min: 10, max: 50 },
      section: { any: ['sport', 'news'] },
      tags: { none: ['alcohol'] },
    }
    expect(made.body.attributes).toEqual(wanted)
    const one = `${path}/${made.body.pid}`
    const read = await call('GET', one)
    expect(read.body).toEqual(made.body)
    const same = await call('PUT', one, read.body)
    expect([same.status, same.headers.etag]).toEqual([200, read.headers.etag])
    const edited = await call('PUT', one, { attributes: { section: { any: ['news'] } } })
    expect(edited.body.attributes).toEqual({ section: { any: ['news'] } })
    expect((await call('PUT', one, { attributes: null })).body.attributes).toEqual({})
    const { body: history } = await call('GET', `${path.replace('/persona', '')}/history`)
    const attributes = history.map(({ after }: { after: { attributes?: object } }) => after?.attributes)
    expect(attributes.slice(-3)).toEqual([wanted, { section: { any: ['news'] } }, {}])
  })

  it('is copied, created in an order and by an external id with its attributes', async () => {
    await declare('section', SECTION)
    const { create, call, path, cid, bodyOf } = await newPersonas()
    const attributes = { section: { any: ['sport'] } }
    const { pid } = (await create(attributes)).body
    expect((await call('POST', `${path}/${pid}/copy`)).body.attributes).toEqual(attributes)
    const copied = await call('POST', `/campaign/${cid}/copy`)
    expect(copied.body.personas[0].attributes).toEqual(attributes)
    const external = await call('PUT', `${path}/by-external/crm-1`, bodyOf(attributes))
    expect([external.status, external.body.attributes]).toEqual([201, attributes])
    const order = { name: 'Order', start: 2_000_000_000, end: 2_000_086_400, dailySpend: 10 }
    const wrong = await call('POST', '/campaign', {
      ...order,
      personas: [bodyOf(attributes), bodyOf({ section: { any: ['film'] } })],
    })
    expect(codesOf(wrong)).toEqual(['/personas/1/attributes/section/any/0 attribute_value_unknown'])
    const right = await call('POST', '/campaign', { ...order, personas: [bodyOf(attributes)] })
    expect(right.body.personas[0].attributes).toEqual(attributes)
    const bulk = await call('POST', '/bulk', {
      operations: [{ op: 'editPersona', cid, pid, body: { attributes: { section: { none: ['sport'] } } } }],
    })
    expect(bulk.status, bulk.text).toBe(200)
    expect((await call('GET', `${path}/${pid}`)).body.attributes).toEqual({ section: { none: ['sport'] } })
  })

  it('is told what is wrong with its attributes, each by its path', async () => {
    await declare('section', SECTION)
    await declare('tags', { kind: 'words' })
    await declare('price', { kind: 'number' })
    const { create } = await newPersonas()
    const wrong = async (attributes: unknown) => codesOf(await create(attributes))
    expect(await wrong({ colour: { any: ['red'] } })).toEqual(['/attributes/colour attribute_unknown'])
    expect(await wrong({ section: { any: ['film'] } })).toEqual([
      '/attributes/section/any/0 attribute_value_unknown',
    ])
    expect(await wrong({ section: { any: [] } })).toEqual(['/attributes/section restricts_nothing'])
    expect(await wrong({ section: { min: 3, any: ['news'] } })).toEqual([
      '/attributes/section/min not_used_by_kind',
    ])
    expect(await wrong({ price: { min: 3, max: 2 } })).toEqual(['/attributes/price/min min_above_max'])
    expect(await wrong({ tags: { any: ['ann@shop.example'] } })).toEqual([
      '/attributes/tags/any/0 looks_personal',
    ])
    expect(await wrong({ tags: { any: ['x'.repeat(65)] } })).toEqual(['/attributes/tags/any/0 too_long'])
    expect(await wrong({ tags: { some: ['x'] } })).toEqual(['/attributes/tags/some unknown_field'])
    expect(await wrong('tags')).toEqual(['/attributes wrong_type'])
    const words = Array.from({ length: 300 }, (_, n) => `w${n}`)
    expect(await wrong({ tags: { any: words, none: words.map(word => `${word}x`) } })).toEqual([
      '/attributes too_many_values',
    ])
    const many = Object.fromEntries(words.slice(0, 21).map(word => [word, { any: ['a'] }]))
    expect(await wrong(many)).toEqual(['/attributes too_many_keys'])
  })

  it('of a customer may want what is open to customers; what the app set stays when it is sent back', async () => {
    await declare('plan', { kind: 'words', appOnly: true })
    await declare('section', SECTION)
    const { create, call, path, customer } = await newPersonas()
    const { body: offered } = await call('GET', '/reference/attribute')
    const keys = offered.map(({ key }: { key: string }) => key)
    expect(keys).toContain('section')
    expect(keys).not.toContain('plan')
    const plan = { plan: { any: ['gold'] } }
    expect(codesOf(await create(plan))).toEqual(['/attributes/plan attribute_of_app'])
    const { pid } = (await create({})).body
    const one = `${path}/${pid}`
    const byApp = await service.call('PUT', `${one}?cuid=${customer.cuid}`, { body: { attributes: plan } })
    expect(byApp.status, byApp.text).toBe(200)
    const more = { ...plan, section: { any: ['sport'] } }
    expect((await call('PUT', one, { attributes: more })).body.attributes).toEqual(more)
    expect(codesOf(await call('PUT', one, { attributes: { plan: { any: ['free'] } } }))).toEqual([
      '/attributes/plan attribute_of_app',
    ])
  })

  it('keeps a used attribute from being deleted, until force; what was read can still be sent back', async () => {
    await declare('tags', { kind: 'words' })
    await declare('section', SECTION)
    const { create, call, path, cid, customer } = await newPersonas()
    const { pid } = (await create({ tags: { any: ['a'] }, section: { any: ['sport'] } })).body
    const use = { cuid: customer.cuid, cid, pid }
    expect((await service.call('GET', '/attribute/tags')).body.usedBy).toContainEqual(use)
    const refused = await service.call('DELETE', '/attribute/tags')
    expect([refused.status, refused.body.reason]).toEqual([409, 'attribute_in_use'])
    expect(refused.text).toContain(`persona ${pid}`)
    const without = { choices: [{ value: 'news' }] }
    expect((await declare('section', without)).body.reason).toBe('attribute_in_use')
    expect((await declare('section', { choices: [...SECTION.choices, { value: 'food' }] })).status).toBe(200)
    expect((await declare('section', without, '?force=true')).status).toBe(200)
    expect((await service.call('DELETE', '/attribute/tags?force=true')).status).toBe(200)
    const one = `${path}/${pid}`
    const read = await call('GET', one)
    expect(read.body.attributes).toEqual({ section: { any: ['sport'] }, tags: { any: ['a'] } })
    expect((await call('PUT', one, { ...read.body, name: 'Other' })).status).toBe(200)
  })

  it('is warned of values that no request had in 28 days, but not of what it excludes', async () => {
    await declare('tags', { kind: 'words' })
    await declare('price', { kind: 'number' })
    const { create } = await newPersonas()
    const { body } = await create({ tags: { any: ['tent'], none: ['beer'] }, price: { min: 1 } })
    const warned = body.warnings.map(({ path, code }: Error) => `${path} ${code}`)
    expect(warned).toEqual(['/attributes/price attribute_absent', '/attributes/tags attribute_unseen'])
  })

  it('has an issue for what no request has, until requests have it, and for what is no longer declared', async () => {
    await declare('tags', { kind: 'words' })
    await declare('store', { kind: 'words' })
    const { create, call, cid } = await newPersonas()
    const now = Math.floor(service.clock.nowMs() / 1000)
    await call('PUT', `/campaign/${cid}`, { start: now - 60, end: now + 86_400 })
    await create({ tags: { any: ['canoe'] }, store: { none: ['berlin'] } })
    const issues = async () =>
      (await call('GET', `/campaign/${cid}/issues`)).body
        .filter(({ code }: { code: string }) => code === 'attribute_unseen')
        .flatMap(({ findings }: { findings: { code: string; params: { key: string } }[] }) =>
          findings.map(({ code, params }) => `${code} ${params.key}`),
        )
    expect(await issues()).toEqual(['attribute_unseen tags'])
    const [app] = await service.db.rows<{ app_id: number }>("select app_id from app where name = 'default'")
    await writeSeen(service.db, [{ name: `${app!.app_id}/tags`, value: 'canoe' }], service.clock.nowMs())
    expect(await issues()).toEqual([])
    await service.call('DELETE', '/attribute/store?force=true')
    expect(await issues()).toEqual(['attribute_gone store'])
  })
})
