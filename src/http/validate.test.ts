// The validator: exact about what is wrong, and safe with hostile input.

import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { fromMicros, toMicros } from '../kernel/money.ts'
import { Body, Choice, HttpUrl, Maybe, Money, Text, UnixTime } from './schema.ts'
import { type Schema, validate } from './validate.ts'

const check = (schema: object, value: unknown) => validate(schema as Schema, value)
const messages = (schema: object, value: unknown) => {
  const checked = check(schema, value)
  return checked.ok ? [] : checked.errors.map(error => `${error.path} ${error.message}`)
}

describe('amounts', () => {
  const schema = Body({ a: Money(0.01, 1_000_000_000) })

  it('every amount in whole cents passes and is exact; a third decimal never does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000_000 }), cents => {
        const amount = cents / 100
        expect(messages(schema, { a: amount })).toEqual([])
        expect(toMicros(amount)).toBe(cents * 10_000)
        expect(fromMicros(cents * 10_000)).toBe(amount)
      }),
    )
    for (const amount of [0.011, 1.005, 12.345, 0.300001, 999_999_999.999]) {
      expect(messages(schema, { a: amount })[0]).toContain('at most 2 decimals')
    }
  })

  it('floating-point noise is read as the amount it means', () => {
    for (const [given, meant] of [
      [0.1 + 0.2, 0.3],
      [2.1399999999999997, 2.14],
      [1.1 * 3, 3.3],
      [0.009999999999999998, 0.01],
      [4.35 * 100, 435],
    ] as const) {
      expect(validate(schema as Schema, { a: given })).toEqual({ ok: true, value: { a: meant } })
    }
  })

  it('the message states the range', () => {
    expect(messages(schema, { a: 0 })).toEqual(['/a must be an amount from 0.01 to 1000000000'])
  })
})

describe('times', () => {
  it('milliseconds are recognised', () => {
    expect(messages(Body({ t: UnixTime() }), { t: 1_790_000_000_000 })[0]).toContain(
      'looks like milliseconds',
    )
  })
})

describe('choices and unions', () => {
  it('the allowed values are listed', () => {
    expect(messages(Body({ p: Choice(['even', 'asap']) }), { p: 'fast' })).toEqual([
      '/p must be "even" or "asap"',
    ])
  })

  it('null passes only if it is allowed', () => {
    const schema = Body({ a: Maybe(Text(1, 5)), b: Type.Optional(Text(1, 5)) })
    expect(messages(schema, { a: null })).toEqual([])
    expect(messages(schema, { b: null })).toEqual(['/b must be a string, not null'])
  })

  it('an empty text is null where null may stand for it, and never for a choice', () => {
    const schema = Body({
      a: Maybe(Text(1, 9)),
      b: Maybe(HttpUrl()),
      c: Maybe(Choice(['x'])),
      d: Type.Optional(Text(1, 9)),
    })
    expect(check(schema, { a: '', b: ' ' })).toEqual({ ok: true, value: { a: null, b: null } })
    expect(messages(schema, { c: '', d: '' })).toEqual(['/c must be "x"', '/d must not be empty'])
  })

  it('of several forms, the error explains the one that fits the value', () => {
    const schema = Body({ size: Type.Union([Text(3, 9), Type.Array(Text(3, 9))]) })
    expect(messages(schema, { size: ['300x250', 7] })).toEqual(['/size/1 must be a string, not a number'])
    expect(messages(schema, { size: 7 })).toEqual(['/size must be a string or an array, not a number'])
  })
})

describe('objects', () => {
  it('all errors are reported at once, up to twenty', () => {
    const schema = Body({ a: Text(1, 2), b: Text(1, 2) })
    expect(messages(schema, { a: '', c: 1 })).toEqual([
      '/a must not be empty',
      '/c is not a field here; allowed: a, b',
      '/b is required',
    ])
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, 1]))
    expect(messages(schema, many)).toHaveLength(20)
  })

  it('inherited names are not fields', () => {
    expect(
      messages(Body({ a: Type.Optional(Text(1, 2)) }), JSON.parse('{"constructor": 1, "toString": 2}')),
    ).toHaveLength(2)
  })

  it('never throws, and what it accepts is stable', () => {
    const schema = Body({
      a: Maybe(Text(0, 50)),
      n: Type.Optional(Type.Integer()),
      l: Type.Optional(Type.Array(Text(0, 9))),
    })
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const checked = check(schema, value)
        if (checked.ok) expect(check(schema, checked.value)).toEqual(checked)
      }),
    )
  })
})
