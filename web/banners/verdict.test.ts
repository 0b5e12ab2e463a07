// Which of several banners is ahead, and how sure that is.

import { expect, it } from 'vitest'
import { shareBelow, verdictOf } from './verdict.ts'

const shown = (imps: number, clicks: number, name = '') => ({ imps, clicks, name })

it('the share of the normal distribution is that of the tables', () => {
  for (const [z, share] of [
    [0, 0.5],
    [1, 0.841345],
    [1.6449, 0.95],
    [1.959964, 0.975],
    [2.326348, 0.99],
    [-1, 0.158655],
    [8, 1],
  ] as const) {
    expect(shareBelow(z)).toBeCloseTo(share, 5)
  }
})

it('says nothing of one banner, or of none', () => {
  expect(verdictOf([])).toBeNull()
  expect(verdictOf([shown(50_000, 600)])).toBeNull()
})

it('a large lead is settled', () => {
  const [roses, price] = [shown(52_140, 683, 'roses'), shown(49_870, 459, 'price')]
  const verdict = verdictOf([price, roses])
  expect(verdict).toMatchObject({ kind: 'settled', best: roses, second: price })
  expect(verdict).toHaveProperty('sure', expect.closeTo(1, 6))
})

it('a small lead says how sure it is and how many impressions would settle it', () => {
  const verdict = verdictOf([shown(1_200, 15), shown(1_200, 22)])
  if (verdict?.kind !== 'ahead') throw new Error(`not ahead: ${verdict?.kind}`)
  expect(verdict.best.clicks).toBe(22)
  expect(verdict.sure).toBeGreaterThan(0.85)
  expect(verdict.sure).toBeLessThan(0.9)
  // With that many more at the same rates it is.
  const factor = 1 + verdict.more! / 2_400
  const later = (imps: number, clicks: number) => shown(imps * factor, clicks * factor)
  expect(verdictOf([later(1_200, 15), later(1_200, 22)])!.kind).toBe('settled')
})

it('more is rounded up to one digit, and is at least a hundred', () => {
  for (const clicks of [17, 19, 21, 23]) {
    const verdict = verdictOf([shown(1_500, 15), shown(1_500, clicks)])
    if (verdict?.kind !== 'ahead') continue
    expect(String(verdict.more)).toMatch(/^[1-9]0{2,}$/)
  }
})

it('equal and nearly equal ones are level', () => {
  expect(verdictOf([shown(10_000, 120), shown(10_000, 120)])!.kind).toBe('level')
  expect(verdictOf([shown(10_000, 120), shown(10_000, 121)])!.kind).toBe('level')
  // A better rate of a few impressions is no lead.
  expect(verdictOf([shown(100_000, 1_000), shown(100, 1)])!.kind).toBe('level')
})

it('waits for impressions and clicks', () => {
  expect(verdictOf([shown(0, 0), shown(0, 0)])!.kind).toBe('early')
  expect(verdictOf([shown(50_000, 600), shown(99, 50)])!.kind).toBe('early')
  expect(verdictOf([shown(400, 1), shown(400, 2)])!.kind).toBe('early')
})

it('without a click nobody leads, however many impressions there were', () => {
  expect(verdictOf([shown(50_000, 0), shown(40_000, 0)])!.kind).toBe('silent')
})

it('one without any click can be surely behind', () => {
  const verdict = verdictOf([shown(5_000, 0), shown(5_000, 40)])
  expect(verdict).toMatchObject({ kind: 'settled', best: { clicks: 40 }, second: { clicks: 0 } })
})

it('of more than two, the best is compared with the second; those with few impressions are left out', () => {
  const verdict = verdictOf([
    shown(10_000, 50, 'c'),
    shown(10_000, 200, 'a'),
    shown(10_000, 120, 'b'),
    shown(3, 2, 'new'),
  ])
  expect(verdict).toMatchObject({ kind: 'settled', best: { name: 'a' }, second: { name: 'b' } })
})

it('survives more clicks than impressions', () => {
  expect(verdictOf([shown(100, 150), shown(100, 2)])!.kind).toBe('settled')
  expect(verdictOf([shown(100, 150), shown(100, 150)])!.kind).toBe('level')
})

it('a lead that nobody would wait for names no number', () => {
  const verdict = verdictOf([shown(40_000_000, 400_000), shown(40_000_000, 400_300)])
  expect(verdict).toMatchObject({ kind: 'ahead', more: null })
})
