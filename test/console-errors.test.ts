// Every refusal of the API has a sentence in the console, in both languages: each code, and each message at a field that
// a form can bring about.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STATUS_OF } from '../src/kernel/problem.ts'
import { de } from '../web/words/de.ts'
import { en } from '../web/words/en.ts'
import { FIELD_RULES, findRule, PROBLEM_RULES, REVIEW_RULES } from '../web/words/error-rules.ts'
import { startTestService, type TestService } from './support/service.ts'
import { buildTenant, type Tenant } from './support/tenant.ts'

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startTestService()
  tenant = await buildTenant(service, service.app, { webhook: true })
})
afterAll(() => service.close())

describe('the words', () => {
  it('have a sentence for each code of a problem', () => {
    for (const code of Object.keys(STATUS_OF)) {
      expect(en, code).toHaveProperty([`code.${code}`])
      expect(de, code).toHaveProperty([`code.${code}`])
    }
  })

  it('name in each language exactly what the other names', () => {
    const places = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
    for (const word of Object.keys(en) as (keyof typeof en)[]) {
      expect([word, places(de[word])]).toEqual([word, places(en[word])])
    }
  })

  it('are filled by the rules that use them', () => {
    for (const [form, word, names = ''] of [...FIELD_RULES, ...REVIEW_RULES, ...PROBLEM_RULES]) {
      const given = names.split(' ').map(name => name.split(':')[0]!)
      const wanted = (en[word].match(/\{\w+\}/g) ?? []).map(name => name.slice(1, -1))
      expect([String(form), wanted.filter(name => !given.includes(name))]).toEqual([String(form), []])
    }
  })
})

const ODD = [
  null,
  '',
  '\u0000',
  '\ud800',
  'x',
  'x'.repeat(3000),
  true,
  -1,
  0,
  1.2345,
  1e12,
  1e15,
  [],
  ['x'],
  ['CA-XX', 'Berlin', 'ZZ', 'CA-ON-'],
  {},
  { geos: [] },
  { geos: ['Berlin', 'ZZ', 'US-ZZ-X', 'CA-ON-'] },
  { radius: 5 },
  { geocode: [1, 2] },
  { radius: 0, geocode: [95, 5] },
  { radius: 5, geocode: [5, 500] },
  { mobile: false },
  { gender: {}, age: {} },
]

it('each message at a field of a form is known by its form', async () => {
  const { cuid, cid, pid, bid, fid, wid } = tenant.ids
  const forms: [method: string, path: string, fields: string[], body: object][] = [
    [
      'POST',
      `/campaign?cuid=${cuid}`,
      ['name', 'start', 'end', 'dailySpend', 'frequency', 'cpm', 'pacing', 'category'],
      { name: 'a', start: 1, end: 4e9, dailySpend: 1 },
    ],
    [
      'PUT',
      `/campaign/${cid}?cuid=${cuid}`,
      ['name', 'start', 'end', 'dailySpend', 'frequency', 'cpm', 'category'],
      {},
    ],
    [
      'POST',
      `/campaign/${cid}/flight?cuid=${cuid}`,
      ['name', 'start', 'end'],
      { name: 'a', start: 1, end: 2 },
    ],
    ['PUT', `/campaign/${cid}/flight/${fid}?cuid=${cuid}`, ['name', 'start', 'end'], {}],
    [
      'POST',
      `/campaign/${cid}/persona?cuid=${cuid}`,
      ['name', 'geo', 'cat', 'device', 'demo'],
      { name: 'a', geo: { geos: ['CA'] }, device: { mobile: true } },
    ],
    ['PUT', `/campaign/${cid}/persona/${pid}?cuid=${cuid}`, ['name', 'geo', 'cat', 'device', 'demo'], {}],
    [
      'POST',
      `/campaign/${cid}/persona/${pid}/banner?cuid=${cuid}`,
      ['name', 'creativeURL', 'clickUrl', 'width'],
      { creativeURL: 'https://a.example/a.png' },
    ],
    [
      'PUT',
      `/campaign/${cid}/persona/${pid}/banner/${bid}?cuid=${cuid}`,
      ['name', 'creativeURL', 'clickUrl'],
      {},
    ],
    [
      'POST',
      '/customer',
      ['company', 'email', 'name', 'website', 'phone', 'country'],
      { company: 'a', email: 'a@b.example' },
    ],
    ['PUT', `/customer/${cuid}`, ['company', 'email', 'website', 'zip', 'language', 'timezone'], {}],
    ['POST', '/webhook', ['url', 'description', 'events'], { url: 'https://a.example/' }],
    ['PUT', `/webhook/${wid}`, ['url', 'description', 'events'], {}],
  ]
  const unknown = new Set<string>()
  let seen = 0
  for (const [method, path, fields, body] of forms) {
    for (const field of fields) {
      for (const odd of ODD) {
        const answer = await service.call(method, path, { body: { ...body, [field]: odd } })
        for (const { path: at, message } of answer.body.errors ?? []) {
          seen++
          const known = findRule(FIELD_RULES, message) ?? findRule(REVIEW_RULES, message)
          if (!known) unknown.add(`${method} ${path.split('?')[0]} ${at}: ${message}`)
        }
      }
    }
  }
  expect(seen).toBeGreaterThan(500)
  expect([...unknown]).toEqual([])
})
