// Privacy signals of a bid request: what is still read about the user and the place.

import { describe, expect, test } from 'vitest'
import { bidContext } from '../../../test/support/ad-context.ts'
import type { AdRequest } from '../targeting/request.ts'
import { parseBidRequest } from './parse.ts'

type Json = Record<string, unknown>

// Made with the IAB's encoder: purposes 1 and 2 by consent, and no purpose at all.
const CONSENT = 'CQtuZwAQtuZwAAfABBENAyEgAMAAAAAAAAYgAAAAAAAA.IAAA.YAAAAAAAAAAA'
const REFUSAL = 'CQtuZwAQtuZwAAfABBENAyEgAAAAAAAAAAYgAAAAAAAA.IAAA.YAAAAAAAAAAA'

function read(changes: { regs?: Json; user?: Json; device?: Json }): AdRequest {
  const parsed = parseBidRequest(
    {
      id: 'q',
      imp: [{ id: '1', banner: { w: 300, h: 250 } }],
      regs: changes.regs,
      user: { id: 'u', buyeruid: 'b', gender: 'F', yob: 1990, ...changes.user },
      device: {
        ifa: 'i',
        ip: '1.2.3.4',
        ua: 'x',
        geo: { country: 'CAN', lat: 1, lon: 2 },
        ...changes.device,
      },
    },
    bidContext(),
  )
  if (!('request' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.request
}

describe('privacy', () => {
  test('without a signal the user is recognised', () => {
    expect(read({}).userKey).not.toBeNull()
    expect(read({ regs: { coppa: 0, gdpr: 0, us_privacy: '1YNN' } }).userKey).not.toBeNull()
    expect(read({ device: { dnt: 0, lmt: 0 } }).userKey).not.toBeNull()
  })

  test('children: no id, no gender, no age, no position, but the country', () => {
    const request = read({ regs: { coppa: 1 } })
    expect(request).toMatchObject({
      userKey: null,
      gender: null,
      age: null,
      lat: null,
      lon: null,
      country: 'CA',
    })
  })

  test.each([
    [{ device: { dnt: 1 } }],
    [{ device: { lmt: 1 } }],
    [{ regs: { gdpr: 1 } }],
    [{ regs: { ext: { gdpr: 1 } } }],
    [{ regs: { gdpr: 1 }, user: { consent: REFUSAL } }],
    [{ regs: { gdpr: 1 }, user: { consent: 'nonsense' } }],
    [{ user: { consent: REFUSAL } }],
    [{ regs: {}, user: { ext: { consent: REFUSAL } } }],
    [{ regs: { gdpr: 1 }, user: { consent: 7 } }],
    [{ regs: { us_privacy: '1YYN' } }],
    [{ regs: { ext: { us_privacy: '1YYN' } } }],
    [{ regs: { ext: { gpc: '1' } } }],
    [{ regs: { us_privacy: 'nonsense' } }],
    [{ regs: { gpp: 'nonsense' } }],
    [{ regs: { gpp: `DBABMA~${REFUSAL}` } }],
    [{ regs: { gpp_sid: [2] } }],
    [{ regs: { gpp_sid: ['seven'] } }],
    [{ regs: { gpp: 'nonsense', gpp_sid: [7] } }],
    [{ regs: { gpp: `DBABMA~${REFUSAL}`, gpp_sid: [2] } }],
    [{ regs: { ext: { gpp: 'DBACNYA~x~1YYN', gpp_sid: [6] } } }],
    [{ regs: { gpp: 'DBACNYA~x~1YYN', gpp_sid: [...Array<number>(64).fill(1), 6] } }],
  ])('%j: no id, not even from address and agent; the rest stays', changes => {
    expect(read(changes)).toMatchObject({ userKey: null, gender: 'female', lat: 1, lon: 2 })
  })

  test.each([
    [{ regs: { gdpr: 1 }, user: { consent: CONSENT } }],
    [{ regs: { ext: { gdpr: 1 } }, user: { ext: { consent: CONSENT } } }],
    [{ regs: { gdpr: 0 }, user: { consent: REFUSAL } }],
    [{ user: { consent: CONSENT } }],
    [{ regs: {}, user: { consent: CONSENT } }],
    [{ regs: { gpp: `DBABMA~${CONSENT}`, gpp_sid: [2] } }],
    [{ regs: { gpp: 'DBACNYA~x~1YNN', gpp_sid: [6] } }],
    [{ regs: { gpp: 'DBACNYA~x~1YNN', gpp_sid: [-1] } }],
    [{ regs: 'nonsense' as unknown as Json }],
  ])('%j: consent allows the user to be recognised', changes => {
    expect(read(changes).userKey).toBe(read({}).userKey)
  })
})
