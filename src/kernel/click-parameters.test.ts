// What is added to the address of a click: the nearest template, encoded, without what the address has.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CLICK_MACROS, clickParametersFault, finishedUrl, withClickId } from './click-parameters.ts'

const VALUES = {
  'campaign.name': 'Bikes & more, 50% off #1',
  'banner.bid': 1009,
  'banner.externalId': null,
  'persona.name': 'ä',
} as const

it.each([
  ['https://a.example/', 'utm_source=marquee', 'https://a.example/?utm_source=marquee'],
  ['https://a.example/?x=1', 'b={banner.bid}', 'https://a.example/?x=1&b=1009'],
  ['https://a.example/?x=1#top', 'b={banner.bid}', 'https://a.example/?x=1&b=1009#top'],
  [
    'https://a.example/',
    'c={campaign.name}',
    'https://a.example/?c=Bikes%20%26%20more%2C%2050%25%20off%20%231',
  ],
  ['https://a.example/?utm_source=own', 'utm_source=marquee&y=2', 'https://a.example/?utm_source=own&y=2'],
  ['https://a.example/', 'e={banner.externalId}&f=1', 'https://a.example/?f=1'],
  ['https://a.example/', 'e=x{banner.externalId}', 'https://a.example/'],
  ['https://a.example/', 'e={banner.externalId}-{banner.bid}', 'https://a.example/?e=-1009'],
  ['https://a.example/', 'p={persona.name}ü%20"', 'https://a.example/?p=%C3%A4%C3%BC%20%22'],
  ['https://a.example/', 'empty=', 'https://a.example/?empty='],
  ['https://a.example/?', 'a=1', 'https://a.example/?a=1'],
])('%s with %s leads to %s', (url, template, finished) => {
  expect(clickParametersFault('', template)).toBeNull()
  expect(finishedUrl(url, template, VALUES)).toBe(finished)
})

it.each([
  ['utm_source', 'not_a_click_parameter'],
  ['=x', 'not_a_click_parameter'],
  ['a=1&&b=2', 'not_a_click_parameter'],
  ['a=b c', 'not_a_click_parameter'],
  ['a=1#x', 'not_a_click_parameter'],
  ['a={banner.bid', 'not_a_click_parameter'],
  ['a=}', 'not_a_click_parameter'],
  ['ä=1', 'not_a_click_parameter'],
  ['a={banner.cid}', 'unknown_macro'],
  ['a={}', 'unknown_macro'],
  ['mqclid=1', 'click_id_is_added'],
  ['MQCLID=1', 'click_id_is_added'],
  ['a=1&a=2', 'repeated_click_parameter'],
  [Array.from({ length: 21 }, (_, n) => `a${n}=1`).join('&'), 'too_many_entries'],
])('%s is refused with %s', (template, code) => {
  expect(clickParametersFault('/clickParameters', template)).toMatchObject({ path: '/clickParameters', code })
})

it('an accepted template gives an address that parses, on the same page, with every value as it was', () => {
  const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 })
  const url = 'https://a.example/p?z=9#end'
  fc.assert(
    fc.property(names, value, fc.constantFrom(...CLICK_MACROS), (all, text, macro) => {
      const template = all.map(name => `${name}={${macro}}`).join('&')
      const finished = new URL(finishedUrl(url, template, { [macro]: text }))
      expect([finished.origin, finished.pathname, finished.hash]).toEqual(['https://a.example', '/p', '#end'])
      for (const name of all) expect(finished.searchParams.get(name)).toBe(name === 'z' ? '9' : text)
      expect(new URL(withClickId(finished.href, 'ID')).searchParams.get('mqclid')).toBe('ID')
    }),
  )
})

it('an address never grows beyond what servers take', () => {
  const template = Array.from({ length: 20 }, (_, n) => `a${n}={campaign.name}`).join('&')
  const finished = finishedUrl('https://a.example/', template, { 'campaign.name': '€'.repeat(255) })
  expect(finished.length).toBeLessThanOrEqual(8_000)
  expect(new URL(finished).searchParams.size).toBe(3)
})
