// The country that is proposed to somebody who has not chosen one.

import { expect, it } from 'vitest'
import { homeCountry } from './home.ts'

it('is that of the clock, in case of doubt that of the language, and none where the clock says nothing', () => {
  expect(homeCountry('America/Toronto', ['en-US'])).toBe('CA')
  expect(homeCountry('Europe/Berlin', ['de'])).toBe('DE')
  expect(homeCountry('Europe/Vienna', ['de-DE', 'de-AT'])).toBe('AT')
  expect(homeCountry('UTC', ['en-US'])).toBeNull()
})
