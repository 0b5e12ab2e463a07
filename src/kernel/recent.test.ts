// A bounded memory of what was used most recently.

import { expect, test } from 'vitest'
import { createRecent, remembered } from './recent.ts'

test('the latest value that was set is found', () => {
  const recent = createRecent<string, number>(10)
  recent.set('a', 1)
  recent.set('a', 2)
  expect(recent.get('a')).toBe(2)
  expect(recent.get('b')).toBeUndefined()
})

test('what is requested again and again stays, however much else comes', () => {
  const recent = createRecent<number, number>(10)
  recent.set(-1, 7)
  for (let n = 0; n < 1000; n++) {
    recent.set(n, n)
    expect(recent.get(-1)).toBe(7)
  }
})

test('no more is kept than `most`, and the most recent half is always kept', () => {
  const recent = createRecent<number, number>(10)
  for (let n = 0; n < 1000; n++) recent.set(n, n)
  const kept = Array.from({ length: 1000 }, (_, n) => n).filter(n => recent.get(n) !== undefined)
  expect(kept.length).toBeLessThanOrEqual(10)
  for (let n = 995; n < 1000; n++) expect(recent.get(n)).toBe(n)
})

test('an answer is looked up once while it is remembered, and long texts each time', () => {
  const asked: string[] = []
  const look = remembered(text => {
    asked.push(text)
    return text === 'no' ? null : text.length
  }, 4)
  const long = 'x'.repeat(65)
  for (const text of ['no', 'no', 'abc', 'abc', long, long]) look(text)
  expect(asked).toEqual(['no', 'abc', long, long])
  expect([look('no'), look('abc'), look(long)]).toEqual([null, 3, 65])
  for (let n = 0; n < 10; n++) look(`other ${n}`)
  look('abc')
  expect(asked.filter(text => text === 'abc')).toHaveLength(2)
})
