// Robots and prefetches: which visitors are not people.

import { describe, expect, test } from 'vitest'
import { createBotCheck } from './bots.ts'
import { isPrefetch } from './prefetch.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'

describe('robots and prefetch', () => {
  test('robots are recognised, browsers pass, and a missing agent is not a browser', () => {
    const isBot = createBotCheck()
    expect(isBot('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)')).toBe(true)
    expect(isBot('curl/8.5.0')).toBe(true)
    expect(isBot(BROWSER)).toBe(false)
    expect(isBot(BROWSER)).toBe(false)
    expect(isBot('')).toBe(true)
    expect(isBot(undefined)).toBe(true)
  })

  test('the verdict stays right when there are more agents than are cached', () => {
    const isBot = createBotCheck(3)
    for (let n = 0; n < 50; n++) {
      expect(isBot(`${BROWSER} n/${n % 7}`)).toBe(false)
      expect(isBot(`Googlebot/${n % 5}`)).toBe(true)
    }
    expect(isBot(BROWSER + ' x'.repeat(1_000_000))).toBe(false)
  })

  test.each([
    [{ 'sec-purpose': 'prefetch' }],
    [{ 'sec-purpose': 'prefetch;prerender' }],
    [{ purpose: 'prefetch' }],
    [{ purpose: 'Preview' }],
    [{ 'x-moz': 'prefetch' }],
  ])('%j is a prefetch', headers => {
    expect(isPrefetch(headers)).toBe(true)
  })

  test('an ordinary request is not a prefetch', () => {
    expect(isPrefetch({ 'sec-fetch-dest': 'image', 'user-agent': 'prefetch' })).toBe(false)
  })
})
