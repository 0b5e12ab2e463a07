// What a request says by attributes, read by what apps have declared: each case as data.

import { expect, it } from 'vitest'
import type { AttributeBook, BookedAttribute } from '../../manage/attributes/book.ts'
import { type DropReason, readAttributes } from './attributes.ts'

const booked = (appId: number, key: string, more: Partial<BookedAttribute>): BookedAttribute => ({
  ...{ appId, key, name: `${appId}/${key}`, kind: 'words', fromPublic: true, choices: null },
  ...more,
})
const BOOK: AttributeBook = new Map([
  [
    'section',
    [
      booked(1, 'section', { kind: 'choice', choices: new Set(['sport', 'news']) }),
      booked(2, 'section', { fromPublic: false }),
    ],
  ],
  ['price', [booked(1, 'price', { kind: 'number' })]],
  ['tags', [booked(1, 'tags', {})]],
  ['plan', [booked(1, 'plan', { fromPublic: false })]],
])

function read(given: Record<string, unknown>, isTrusted = true) {
  const drops: string[] = []
  const onDrop = (key: string, reason: DropReason) => void drops.push(`${key} ${reason}`)
  const found = readAttributes(given, BOOK, isTrusted, onDrop)
  const said = found?.map(({ name, words, number }) => `${name}=${number ?? words.join('|')}`)
  return { said, drops }
}

it.each([
  ['nothing', {}, undefined, []],
  [
    'one value, for each app by its own declaration',
    { section: 'Sport' },
    ['1/section=sport', '2/section=sport'],
    [],
  ],
  ['what only one of the apps knows', { section: 'film' }, ['2/section=film'], ['section unknown_value']],
  ['several values, each once', { tags: ['A', 'a ', ' b'] }, ['1/tags=a|b'], []],
  ['a number, as one or as text', { price: '19.90' }, ['1/price=19.9'], []],
  ['no number', { price: 'cheap' }, undefined, ['price not_a_number']],
  ['an undeclared key', { colour: 'red', tags: 'a' }, ['1/tags=a'], ['colour undeclared']],
  ['a key like any other', { __proto__: 'x', constructor: 'y' }, undefined, ['constructor undeclared']],
  ['what looks like a person', { tags: ['ann@shop.example', 'a'] }, ['1/tags=a'], ['tags personal']],
  ['a telephone number', { tags: '+1 416 555 0100' }, undefined, ['tags personal']],
  ['a value that is too long', { tags: 'x'.repeat(65) }, undefined, ['tags too_long']],
  ['values of other types', { tags: [null, {}, true] }, undefined, []],
])('reads %s', (_what, given, said, drops) => {
  expect(read(given)).toEqual({ said, drops })
})

it('believes the public key only what an app opened to it', () => {
  expect(read({ section: 'sport', plan: 'gold' }, false)).toEqual({
    said: ['1/section=sport'],
    drops: ['plan not_public'],
  })
})

it('reads no more keys and values than its bounds', () => {
  const many = Array.from({ length: 200 }, (_, n) => `t${n}`)
  const { said, drops } = read({ tags: many })
  expect(said![0]!.split('|')).toHaveLength(50)
  expect(drops).toEqual(['tags too_many'])
  const keys = read(Object.fromEntries(many.map(key => [key, 'a'])))
  expect(keys.drops).toHaveLength(51)
})
