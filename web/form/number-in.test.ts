// A number means what the person who typed it meant, or is refused. It never means something else.

import { describe, expect, it } from 'vitest'
import { readNumberIn, type TypedNumber, writeMoneyIn, writeNumberIn as writeNumber } from './number-in.ts'

/** Where amounts are in dollars. */
const readNumber = (typed: string, decimals: number, language: string) =>
  readNumberIn(typed, decimals, language, ['$', 'USD'])

type Case = [typed: string, english: TypedNumber, german: TypedNumber]
const value = (number: number): TypedNumber => ({ value: number })
const none: TypedNumber = { problem: 'no_number' }
const other: TypedNumber = { problem: 'currency' }
const meant = (number: number): TypedNumber => ({ problem: 'decimals', meant: number })

const AMOUNTS: Case[] = [
  ['50', value(50), value(50)],
  ['1,000', value(1000), meant(1000)],
  ['1.000', meant(1000), value(1000)],
  ['1,000.50', value(1000.5), value(1000.5)],
  ['1.000,50', value(1000.5), value(1000.5)],
  ['61,5', value(61.5), value(61.5)],
  ['61.5', value(61.5), value(61.5)],
  ['1,000,000', value(1_000_000), value(1_000_000)],
  ['1.000.000', value(1_000_000), value(1_000_000)],
  ['1.000.000,5', value(1_000_000.5), value(1_000_000.5)],
  ['$1,234.56', value(1234.56), value(1234.56)],
  ['1.234,56 $', value(1234.56), value(1234.56)],
  ['5 €', other, other],
  ['€ 5', other, other],
  ['£1,234.56', other, other],
  ['5 EUR', other, other],
  ['5EUR', other, other],
  ['CA$5.00', other, other],
  ['-$5.00', value(-5), value(-5)],
  ['-€5', other, other],
  ['$-5', value(-5), value(-5)],
  ['--5', none, none],
  ['USD 99.5', value(99.5), value(99.5)],
  ["1'000.5", value(1000.5), value(1000.5)],
  ['1 000,5', value(1000.5), value(1000.5)],
  ['1 000', value(1000), value(1000)],
  ['.5', value(0.5), value(0.5)],
  [',5', value(0.5), value(0.5)],
  ['-5', value(-5), value(-5)],
  ['−5', value(-5), value(-5)],
  ['1.234', meant(1234), value(1234)],
  ['0,500', { problem: 'decimals' }, { problem: 'decimals' }],
  ['1.2345', { problem: 'decimals' }, { problem: 'decimals' }],
  ['1e3', none, none],
  ['1,00,000', none, none],
  ['1.2.3', none, none],
  ['1,000.000.5', none, none],
  ['12abc', none, none],
  ['fifty', none, none],
  ['0x10', none, none],
  ['10%', none, none],
  ['', { problem: 'empty' }, { problem: 'empty' }],
]

describe('an amount', () => {
  it.each(AMOUNTS)('%j', (typed, english, german) => {
    expect(readNumber(typed, 2, 'en-US')).toEqual(english)
    expect(readNumber(typed, 2, 'de-DE')).toEqual(german)
  })
})

it('a coordinate has six decimals, and none of them is read as thousands', () => {
  expect(readNumber('13.405', 6, 'en-US')).toEqual(value(13.405))
  expect(readNumber('13,405', 6, 'de-DE')).toEqual(value(13.405))
})

it('what is written is read back the same, in either language', () => {
  for (const language of ['en-US', 'en-GB', 'de-DE', 'de-AT']) {
    for (const number of [0, 0.01, 0.5, 3, 999.99, 1000, 1234.5, 1_000_000, 12_345_678.9]) {
      expect(readNumber(writeNumber(number, 2, language), 2, language)).toEqual(value(number))
    }
    expect(readNumber(writeNumber(52.520008, 6, language), 6, language)).toEqual(value(52.520008))
  }
})

it('an amount is read back as it is shown, whatever its currency and sign', () => {
  for (const language of ['en-US', 'en-GB', 'en-CA', 'de-DE', 'de-CH'])
    for (const currency of ['EUR', 'USD', 'CAD', 'BRL', 'JPY', 'CHF', 'INR', 'PLN'])
      for (const amount of [5, 1000.5, -1_234_567.89]) {
        const shown = writeMoneyIn(amount, currency, language)
        const format = new Intl.NumberFormat(language, { style: 'currency', currency })
        const sign = format.formatToParts(0).find(({ type }) => type === 'currency')!.value
        expect([shown, readNumberIn(shown, 2, language, [sign, currency])]).toEqual([shown, value(amount)])
      }
})

it.each([
  ['JPY', 12.5, '¥12.50'],
  ['JPY', 1000, '¥1,000'],
  ['USD', 12.5, '$12.50'],
  ['USD', 1000, '$1,000.00'],
])('in %s, %d is shown as it is sent', (currency, amount, shown) => {
  expect(writeMoneyIn(amount, currency, 'en-US')).toBe(shown)
})
