// The table of frequency caps is exact, bounded, and kept by day.

import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { createCaps, type UserHash } from './caps.ts'

const DAY = 20261115
const user = (n: number): UserHash => ({ hi: n >>> 0, lo: (n * 7) >>> 0 })

describe('frequency caps', () => {
  test('parallel requests of one user open no more than the cap allows', () => {
    const caps = createCaps({ maxUsers: 10 })
    const answers = Array.from({ length: 5 }, () => caps.take(DAY, 1, user(1), 3))
    expect(answers).toEqual([null, null, null, 'capped', 'capped'])
  })

  test('an open ad that ends unseen gives its count back, a seen one does not', () => {
    const caps = createCaps({ maxUsers: 10 })
    caps.take(DAY, 1, user(1), 1)
    caps.close(DAY, 1, user(1))
    expect(caps.take(DAY, 1, user(1), 1)).toBeNull()
    caps.count(DAY, 1, user(1))
    caps.close(DAY, 1, user(1))
    expect(caps.take(DAY, 1, user(1), 1)).toBe('capped')
    expect(caps.take(DAY, 2, user(1), 1)).toBeNull()
    expect(caps.take(DAY + 1, 1, user(1), 1)).toBeNull()
  })

  test('a full table refuses unknown users and keeps the caps of known ones', () => {
    const caps = createCaps({ maxUsers: 2 })
    expect(caps.take(DAY, 1, user(1), 2)).toBeNull()
    expect(caps.take(DAY, 1, user(2), 2)).toBeNull()
    expect(caps.take(DAY, 1, user(3), 2)).toBe('caps_full')
    expect(caps.addCounted(DAY, 1, user(3), 1)).toBe(false)
    expect(caps.take(DAY, 1, user(1), 2)).toBeNull()
    expect(caps.take(DAY, 1, user(1), 2)).toBe('capped')
    caps.close(DAY, 1, user(2))
    expect(caps.take(DAY, 1, user(3), 2)).toBeNull()
  })

  test('dropping a day empties it and frees its room', () => {
    const caps = createCaps({ maxUsers: 1 })
    caps.addCounted(DAY, 1, user(1), 5)
    expect(caps.users()).toBe(1)
    caps.dropDay(DAY)
    caps.close(DAY, 1, user(1))
    expect(caps.users()).toBe(0)
    expect(caps.take(DAY + 1, 1, user(2), 1)).toBeNull()
  })

  test('after random operations the table agrees with a plain map, however it grows', () => {
    const random = seededRandom('caps')
    const caps = createCaps({ maxUsers: 20_000 })
    const model = new Map<string, { counted: number; open: number }>()
    const wrong: string[] = []
    for (let step = 0; step < 300_000; step++) {
      const n = random.int(30_000)
      const cid = 1 + random.int(2) * 2 ** 33
      const key = `${cid} ${n}`
      const known = model.get(key) ?? { counted: 0, open: 0 }
      const who = user(n)
      if (random.int(3) > 0) {
        const isKnown = model.has(key)
        const expected =
          known.counted + known.open >= 2 ? 'capped' : !isKnown && model.size >= 20_000 ? 'caps_full' : null
        const got = caps.take(DAY, cid, who, 2)
        if (got !== expected) wrong.push(`${step} ${key} ${got} ${expected}`)
        if (!got) model.set(key, { ...known, open: known.open + 1 })
      } else if (known.open) {
        const seen = random.int(2)
        if (seen) caps.count(DAY, cid, who)
        else caps.close(DAY, cid, who)
        const next = { counted: known.counted + seen, open: known.open - 1 }
        if (next.counted + next.open) model.set(key, next)
        else model.delete(key)
      }
    }
    expect(wrong.slice(0, 5)).toEqual([])
    expect(caps.users()).toBe(model.size)
    expect(model.size).toBeGreaterThan(15_000)
  })
})
