// Every refusal of the API has a sentence in the console, in both languages, made from its code and its values: each
// code of a problem, of a field and of a finding.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACTION_REASONS } from '../../src/count/conversions/contract.ts'
import { IGNORE_REASONS } from '../../src/count/tracking/verdict.ts'
import { STAGES } from '../../src/diagnose/funnel/contract.ts'
import { ISSUE_CODES } from '../../src/diagnose/issues/contract.ts'
import { FIELD_ERRORS, type FieldErrorCode } from '../../src/kernel/errors/field-error.ts'
import { FINDINGS, type FindingCode } from '../../src/kernel/errors/finding.ts'
import { PROBLEMS, type ProblemReason } from '../../src/kernel/errors/problem.ts'
import { STATUS_OF } from '../../src/kernel/errors/problem-code.ts'
import { FILE_KINDS, fill, placesIn } from '../../src/kernel/errors/sentence.ts'
import { EVENT_TYPES } from '../../src/kernel/event-type.ts'
import { STATUSES } from '../../src/manage/banners/contract.ts'
import { CAMPAIGN_STATUSES, MISSING } from '../../src/manage/campaigns/contract.ts'
import { AGES, DEVICES, GENDERS } from '../../src/manage/personas/contract.ts'
import { iabTree } from '../../src/manage/reference/iab.ts'
import { REPORT_CHOICES } from '../../src/notify/mails/contract.ts'
import { STATES } from '../../src/notify/webhooks/contract.ts'
import { INTERVALS } from '../../src/report/figures/buckets.ts'
import { DIMENSIONS } from '../../src/report/figures/contract.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { buildTenant, type Tenant } from '../../test/support/tenant.ts'
import { de } from './de.ts'
import { deCategories } from './de-categories.ts'
import { en } from './en.ts'
import { FIELD_WORDS, REASON_WORDS } from './error-codes.ts'

type Word = keyof typeof en

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startTestService()
  tenant = await buildTenant(service, service.app, { webhook: true })
})
afterAll(() => service.close())

/** Every name that the API gives to something, by the prefix of its word in the console. */
const NAMED: Record<string, readonly string[]> = {
  issue: ISSUE_CODES,
  reason: [...IGNORE_REASONS, ...ACTION_REASONS, 'too_many_unseen'],
  stage: STAGES,
  dimension: DIMENSIONS,
  interval: INTERVALS,
  device: DEVICES,
  gender: GENDERS,
  age: AGES,
  status: [...CAMPAIGN_STATUSES, ...STATUSES, ...STATES],
  missing: MISSING,
  event: [...EVENT_TYPES, 'webhook.test'],
  theNoun: ['campaign', 'flight', 'persona', 'banner'],
  history: [
    ...['create', 'copy', 'edit', 'pause', 'resume', 'delete', 'restore'],
    ...['review', 'approve', 'reject', 'postpone'],
  ],
  place: ['country', 'state', 'city'],
  'mails.report': REPORT_CHOICES,
  kind: FILE_KINDS,
}

describe('the words', () => {
  it('have a name in both languages for each name that the API uses', () => {
    const wanted = Object.entries(NAMED).flatMap(([kind, names]) => names.map(name => `${kind}.${name}`))
    expect(wanted.filter(word => !(word in en) || !(word in de))).toEqual([])
    const codes = iabTree().flatMap(({ code, children }) => [code, ...children.map(child => child.code)])
    expect(codes.filter(code => !deCategories[code])).toEqual([])
  })

  it('have a sentence for each code of a field or a finding, and only for those', () => {
    expect(Object.keys(FIELD_WORDS).sort()).toEqual(Object.keys(FIELD_ERRORS).sort())
    const words = [...Object.values(FIELD_WORDS), ...Object.values(REASON_WORDS)]
    expect(words.filter(word => !(word in en) || !(word in de))).toEqual([])
  })

  it('say what is counted in the singular and in the plural', () => {
    const counted = (Object.keys(FINDINGS) as FindingCode[])
      .filter(code => /^\{(ads|imps):count\}/.test(FINDINGS[code]))
      .map(code => FIELD_WORDS[code] as Word)
    expect(counted.length).toBeGreaterThan(0)
    for (const word of counted)
      for (const { [word]: text } of [en, de]) {
        const [one = '', many = ''] = text.split('|')
        expect(one.slice(0, many.indexOf(' ')), word).toBe(many.slice(0, many.indexOf(' ')))
        expect(one, word).not.toBe(many)
      }
  })

  it('have a sentence for each code of a problem', () => {
    for (const code of Object.keys(STATUS_OF)) {
      expect(en, code).toHaveProperty([`code.${code}`])
      expect(de, code).toHaveProperty([`code.${code}`])
    }
  })

  it('have one name for a persona, that of the API', () => {
    const others = /audience|Zielgruppe/i
    expect([...Object.values(en), ...Object.values(de)].filter(word => others.test(word))).toEqual([])
  })

  it('use the same placeholders in both languages', () => {
    const places = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
    for (const word of Object.keys(en) as (keyof typeof en)[]) {
      expect([word, places(de[word])]).toEqual([word, places(en[word])])
    }
  })

  it('use only values that the codes have', () => {
    const sentences: [string, string, Word][] = [
      ...Object.entries(FIELD_WORDS).map(([code, word]): [string, string, Word] => [
        code,
        FIELD_ERRORS[code as FieldErrorCode],
        word,
      ]),
      ...Object.entries(REASON_WORDS).map(([reason, word]): [string, string, Word] => [
        reason,
        PROBLEMS[reason as ProblemReason][1],
        word,
      ]),
    ]
    for (const [code, sentence, word] of sentences) {
      const names = placesIn(sentence).map(([name]) => name)
      const given = names.includes('start') && names.includes('end') ? [...names, 'period'] : names
      const wanted = (en[word].match(/\{\w+\}/g) ?? []).map(name => name.slice(1, -1))
      expect([code, wanted.filter(name => !given.includes(name))]).toEqual([code, []])
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

it('each error at a field of a form is told by its code and all of its values', async () => {
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
  const seen = new Map<string, number>()
  for (const [method, path, fields, body] of forms) {
    for (const field of fields) {
      for (const odd of ODD) {
        const answer = await service.call(method, path, { body: { ...body, [field]: odd } })
        for (const { code, params, message } of answer.body.errors ?? []) {
          seen.set(code, (seen.get(code) ?? 0) + 1)
          const sentence: string = FIELD_ERRORS[code as FieldErrorCode]
          const places = new Set(placesIn(sentence).map(([name]) => name))
          expect([code, new Set(Object.keys(params))]).toEqual([code, places])
          expect(message).toBe(fill(sentence, params))
        }
      }
    }
  }
  const all = [...seen.values()].reduce((sum, count) => sum + count, 0)
  expect([all > 500, seen.size > 20]).toEqual([true, true])
})
