// The IAB categories: complete, covered by their parents, and suggested for mistyped codes.

import { describe, expect, test } from 'vitest'
import { iabName, iabParent, iabTree, isIabCode, suggestIab } from './iab.ts'

// Sub-categories of IAB1 to IAB26, counted in the IAB's own list.
const CHILDREN = [7, 23, 12, 11, 15, 9, 45, 18, 31, 9, 5, 3, 12, 8, 10, 7, 44, 6, 36, 27, 3, 4, 10, 0, 7, 4]
const codes = iabTree().flatMap(branch => [branch.code, ...branch.children.map(child => child.code)])

describe('the taxonomy', () => {
  test('has 26 categories and 366 below them, each once', () => {
    expect(iabTree()).toHaveLength(26)
    expect(codes).toHaveLength(392)
    expect(new Set(codes).size).toBe(392)
  })

  test('has the number of sub-categories that the IAB lists, numbered without gaps', () => {
    expect(iabTree().map(branch => branch.children.length)).toEqual(CHILDREN)
    iabTree().forEach((branch, at) => {
      expect(branch.code).toBe(`IAB${at + 1}`)
      expect(branch.children.map(child => child.code)).toEqual(
        branch.children.map((_, child) => `IAB${at + 1}-${child + 1}`),
      )
    })
  })

  test('knows every code and gives it a name and its parent', () => {
    for (const code of codes) {
      expect(isIabCode(code)).toBe(true)
      expect(iabName(code)).toMatch(/\S/)
      expect(iabParent(code)).toBe(code.includes('-') ? code.split('-')[0] : null)
    }
    expect(iabName('IAB1')).toBe('Arts & Entertainment')
    expect(iabName('IAB26-4')).toBe('Copyright Infringement')
  })

  test.each([
    '',
    'IAB',
    'IAB0',
    'IAB27',
    'IAB1-8',
    'IAB1-0',
    'IAB24-1',
    'iab1',
    'IAB1 ',
    'IAB01',
    'IAB1-01',
    'IAB1-',
    'IAB1-1-1',
    '__proto__',
    'constructor',
  ])('does not accept %j as a code', text => {
    expect(isIabCode(text)).toBe(false)
    expect(iabName(text)).toBeNull()
    expect(iabParent(text)).toBeNull()
  })
})

describe('suggestIab', () => {
  test.each([
    ['iab1', 'IAB1'],
    ['IAB9_30', 'IAB9-30'],
    ['IAB 9-30', 'IAB9-30'],
    ['9-30', 'IAB9-30'],
    ['IAB01-02', 'IAB1-2'],
    ['IAB1-99', 'IAB1'],
    ['sports', 'IAB17'],
    ['Automotve', 'IAB2'],
    ['automotive', 'IAB2'],
    ['gossip', 'IAB1-2'],
    ['arts and entertainment', undefined],
  ])('for %j suggests %s', (text, code) => {
    expect(suggestIab(text)[0]?.code).toBe(code)
  })

  test('suggests at most three, all existing, and nothing for an empty text', () => {
    for (const text of ['a', 'car', 'IAB', 'health', 'x'.repeat(100_000), '💥', 'IAB999999999', '-', '']) {
      const found = suggestIab(text)
      expect(found.length).toBeLessThanOrEqual(3)
      for (const { code, name } of found) expect(iabName(code)).toBe(name)
    }
    expect(suggestIab('')).toEqual([])
    expect(suggestIab('zzzzzzzz')).toEqual([])
  })
})
