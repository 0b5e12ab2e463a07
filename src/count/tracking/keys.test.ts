// Signing keys are made, replaced and forgotten without breaking a link that still matters.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/support/database.ts'
import { SERVED_AD } from '../../../test/support/served-ad.ts'
import { testClock } from '../../../test/support/service.ts'
import { DAY_MS } from '../../kernel/time/units.ts'
import type { Database } from '../../platform/database.ts'
import { loadSigningKeys, refreshSigningKeys, revokeSigningKey, rotateSigningKey } from './keys.ts'
import { readLink, signLinks } from './links.ts'

const clock = testClock()
const parts = { clock, randomBytes }
let db: Database

beforeAll(async () => {
  db = await openTestDatabase({ maxConnections: 8 })
})
afterAll(() => db.close())

test('processes that start at the same time share one first key, which signs immediately', async () => {
  const rings = await Promise.all(Array.from({ length: 5 }, () => loadSigningKeys(db, parts)))
  expect(new Set(rings.map(ring => ring.signing.digestOf('the same text'))).size).toBe(1)
  expect(rings.every(ring => ring.byId.size === 1)).toBe(true)
})

test('after 30 days a new key is made; it signs once all have had time to load it, and the old one still verifies', async () => {
  const ring = await loadSigningKeys(db, parts)
  clock.advance(30 * DAY_MS)
  await Promise.all([refreshSigningKeys(db, ring, parts), loadSigningKeys(db, parts)])
  expect([...ring.byId.keys()]).toEqual([1, 2])
  expect(ring.signing.keyId).toBe(1)
  clock.advance(5 * 60_000)
  await refreshSigningKeys(db, ring, parts)
  expect(ring.signing.keyId).toBe(2)
  expect([...ring.byId.keys()]).toEqual([1, 2])
})

test('a key is forgotten when none of its links can matter any more', async () => {
  clock.advance(801 * DAY_MS)
  const ring = await loadSigningKeys(db, parts)
  expect([...ring.byId.keys()]).toEqual([3])
})

test('a key made by hand signs after five minutes; links of a revoked one are refused, those of others are not', async () => {
  const ring = await loadSigningKeys(db, parts)
  const old = signLinks(SERVED_AD, ring).click
  const { keyId } = await rotateSigningKey(db, parts)
  await refreshSigningKeys(db, ring, parts)
  expect(ring.signing.keyId).toBe(keyId - 1)
  expect(await revokeSigningKey(db, keyId - 1, clock)).toBeNull()
  clock.advance(5 * 60_000)
  await refreshSigningKeys(db, ring, parts)
  const young = signLinks(SERVED_AD, ring).click
  expect(ring.signing.keyId).toBe(keyId)
  expect(readLink('click', old, ring)).toMatchObject({ adId: SERVED_AD.adId })

  expect(await revokeSigningKey(db, keyId - 1, clock)).toMatchObject({ keyId: keyId - 1 })
  await refreshSigningKeys(db, ring, parts)
  expect(readLink('click', old, ring)).toEqual({ bad: 'forged' })
  expect(readLink('click', young, ring)).toMatchObject({ adId: SERVED_AD.adId })
})
