// Domains and categories that a publisher blocks.

import { describe, expect, test } from 'vitest'
import type { AdRequest } from '../targeting/request.ts'
import { blocksOf } from './blocks.ts'

const blocks = (blockedDomains: string[], blockedCategories: string[] = []) =>
  blocksOf({ blockedDomains, blockedCategories } as unknown as AdRequest)
const others = Array.from({ length: 50 }, (_, n) => `other-${n}.example`)

describe.each([
  ['a short list', (domains: string[]) => blocks(domains)],
  ['a long list', (domains: string[]) => blocks([...others, ...domains])],
])('%s of blocked domains', (_, made) => {
  test.each([
    ['shop.example', true],
    ['www.shop.example', true],
    ['a.b.shop.example', true],
    ['myshop.example', false],
    ['example', false],
    ['shop.example.com', false],
    ['shop.exampl', false],
    ['', false],
  ])('shop.example blocks %s: %s', (domain, isBlocked) => {
    expect(made(['shop.example']).domain(domain)).toBe(isBlocked)
  })

  test('a blocked domain ending blocks everything beneath it', () => {
    expect(made(['example']).domain('any.shop.example')).toBe(true)
  })
})

test('a parent category blocks its children, but a child does not block its parent', () => {
  const { category } = blocks([], ['IAB7', 'IAB8-5'])
  expect(category(['IAB1', 'IAB7-39'])).toBe(true)
  expect(category(['IAB8'])).toBe(false)
  expect(category(['IAB8-5'])).toBe(true)
  expect(category([])).toBe(false)
})
