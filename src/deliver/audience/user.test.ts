// The key by which frequency caps recognise a user.

import { describe, expect, test } from 'vitest'
import { idKey, type UserSigns, userKey } from './user.ts'

const SECRETS = { idSecret: 'one', dailySalt: 'monday' }
const NOBODY: UserSigns = {
  userId: null,
  buyerId: null,
  advertisingId: null,
  cookieId: null,
  cookieFirstKey: null,
  ip: null,
  ua: null,
}

describe('user key', () => {
  test('ids are used in order: user, buyer, device, cookie, then address and agent', () => {
    const ids = { userId: 'u', buyerId: 'b', advertisingId: 'a', cookieId: 'c' }
    const all = { ...NOBODY, ...ids, ip: '1.2.3.4', ua: 'x' }
    expect(userKey(all, SECRETS)).toBe(idKey('user', 'u', 'one'))
    expect(userKey({ ...all, userId: null }, SECRETS)).toBe(idKey('buyer', 'b', 'one'))
    expect(userKey({ ...all, userId: null, buyerId: '' }, SECRETS)).toBe(idKey('device', 'a', 'one'))
    const cookie = userKey({ ...all, userId: null, buyerId: null, advertisingId: null }, SECRETS)
    expect(cookie).toBe(idKey('cookie', 'c', 'one'))
    const keys = new Set([idKey('user', 'x', 'one'), idKey('buyer', 'x', 'one'), idKey('cookie', 'x', 'one')])
    expect(keys.size).toBe(3)
  })

  test('the key contains no part of the id and depends on the secret', () => {
    const key = userKey({ ...NOBODY, userId: 'jane@example.com' }, SECRETS) as string
    expect(key).toMatch(/^[0-9a-f]{32}$/)
    expect(key).not.toContain('jane')
    expect(userKey({ ...NOBODY, userId: 'jane@example.com' }, { ...SECRETS, idSecret: 'two' })).not.toBe(key)
  })

  test('address and agent identify a user for one day only', () => {
    const signs = { ...NOBODY, ip: '1.2.3.4', ua: 'x' }
    const monday = userKey(signs, SECRETS)
    expect(monday).not.toBeNull()
    expect(userKey(signs, SECRETS)).toBe(monday)
    expect(userKey(signs, { ...SECRETS, dailySalt: 'tuesday' })).not.toBe(monday)
    expect(userKey({ ...signs, ua: 'y' }, SECRETS)).not.toBe(monday)
  })

  test('without an id, and without both address and agent, there is no user', () => {
    expect(userKey(NOBODY, SECRETS)).toBeNull()
    expect(userKey({ ...NOBODY, ip: '1.2.3.4' }, SECRETS)).toBeNull()
    expect(userKey({ ...NOBODY, ua: 'x' }, SECRETS)).toBeNull()
  })

  test('a disabled advertising id is ignored, and its case does not matter', () => {
    const off = { ...NOBODY, advertisingId: '00000000-0000-0000-0000-000000000000' }
    expect(userKey(off, SECRETS)).toBeNull()
    expect(userKey({ ...NOBODY, advertisingId: 'AB-1' }, SECRETS)).toBe(
      userKey({ ...NOBODY, advertisingId: 'ab-1' }, SECRETS),
    )
  })

  test('an id of unreasonable length is ignored', () => {
    expect(userKey({ ...NOBODY, userId: 'x'.repeat(100_000) }, SECRETS)).toBeNull()
  })
})
