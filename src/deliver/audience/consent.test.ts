// Consent strings (TCF, GPP, US privacy): when a user may be recognised.

import { GVL, type Purpose, TCModel, TCString, type VendorList } from '@iabtechlabtcf/core'
import { describe, expect, test } from 'vitest'
import { gppOptsOut, gppSections, usPrivacyOptsOut } from './gpp.ts'
import { tcfAllowsId } from './tcf.ts'

/** A consent string made by the IAB's own encoder. */
function tcf(choices: { consents?: number[]; interests?: number[]; vendors?: number[] }): string {
  const model = new TCModel()
  model.gvl = new GVL(vendorListOf(choices.vendors ?? []))
  model.cmpId = 31
  model.cmpVersion = 1
  model.consentScreen = 1
  model.consentLanguage = 'EN'
  model.publisherCountryCode = 'DE'
  model.isServiceSpecific = true
  model.purposeConsents.set(choices.consents ?? [])
  model.purposeLegitimateInterests.set(choices.interests ?? [])
  model.vendorConsents.set(choices.vendors ?? [])
  return TCString.encode(model)
}

function purpose(id: number): Purpose {
  return { id, name: `purpose ${id}`, description: '', illustrations: [] }
}

/** The encoder drops vendors that its list does not know. */
function vendorListOf(ids: number[]): VendorList {
  const vendors = ids.map(id => {
    const nothing = {
      legIntPurposes: [],
      flexiblePurposes: [],
      specialPurposes: [],
      features: [],
      specialFeatures: [],
    }
    return [id, { id, name: `vendor ${id}`, purposes: [1, 2], policyUrl: '', ...nothing }]
  })
  return {
    gvlSpecificationVersion: 3,
    vendorListVersion: 50,
    tcfPolicyVersion: 4,
    lastUpdated: '2026-01-01T00:00:00Z',
    purposes: { 1: purpose(1), 2: purpose(2) },
    specialPurposes: {},
    features: {},
    specialFeatures: {},
    dataCategories: {},
    stacks: {},
    vendors: Object.fromEntries(vendors),
  }
}

describe('TCF', () => {
  test('purposes 1 and 2 allow an id; purpose 2 by legitimate interest too', () => {
    expect(tcfAllowsId(tcf({ consents: [1, 2] }), null)).toBe(true)
    expect(tcfAllowsId(tcf({ consents: [1], interests: [2] }), null)).toBe(true)
    expect(tcfAllowsId(tcf({ consents: [1] }), null)).toBe(false)
    expect(tcfAllowsId(tcf({ consents: [2, 3, 4] }), null)).toBe(false)
    expect(tcfAllowsId(tcf({ interests: [2] }), null)).toBe(false)
    expect(tcfAllowsId(tcf({}), null)).toBe(false)
  })

  test.each([[[7]], [[1, 7, 9]], [[3, 4, 5, 6, 7, 8, 1000]], [Array.from({ length: 600 }, (_, n) => n + 5)]])(
    'a registered vendor needs its own consent (%#)',
    vendors => {
      const consent = tcf({ consents: [1, 2], vendors })
      for (const vendor of [1, 2, 3, 5, 7, 9, 300, 604, 605, 1000, 1001, 60_000]) {
        expect([vendor, tcfAllowsId(consent, vendor)]).toEqual([vendor, vendors.includes(vendor)])
      }
    },
  )

  test.each(['', 'C', 'not a consent string at all, but rather long', '🎪'.repeat(30), 'A'.repeat(60)])(
    'anything that is not a consent string allows nothing: %s',
    text => {
      expect(tcfAllowsId(text, null)).toBe(false)
    },
  )

  test('an endless consent string is not parsed', () => {
    expect(tcfAllowsId(tcf({ consents: [1, 2] }) + 'A'.repeat(1_000_000), 7)).toBe(false)
  })
})

describe('GPP and US privacy', () => {
  // Examples from the IAB's GPP specification: one section, and two.
  const TCF_ONLY = 'DBABMA~CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA'
  const TCF_AND_US = 'DBACNYA~CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA~1YNN'

  test('sections are found by their ids', () => {
    expect([...gppSections(TCF_ONLY).keys()]).toEqual([2])
    expect(gppSections(TCF_AND_US).get(6)).toBe('1YNN')
    expect(gppSections('').size).toBe(0)
    expect(gppSections('~~~~').size).toBe(0)
    expect(gppSections('D'.repeat(10_000)).size).toBeLessThan(65)
  })

  test('an opt-out of sale is read in us_privacy and in its GPP section', () => {
    expect(usPrivacyOptsOut('1YYN')).toBe(true)
    expect(usPrivacyOptsOut('1YNN')).toBe(false)
    expect(usPrivacyOptsOut('1---')).toBe(false)
    for (const unreadable of ['US_PRIVACY', '2YNN', '1Y', '1YXN']) {
      expect([unreadable, usPrivacyOptsOut(unreadable)]).toEqual([unreadable, true])
    }
    expect(gppOptsOut(gppSections(TCF_AND_US), [6])).toBe(false)
    expect(gppOptsOut(new Map([[6, '1YYN']]), [6])).toBe(true)
    expect(gppOptsOut(new Map([[6, '1YYN']]), null)).toBe(true)
  })

  test('the national section opts out by sale, sharing or targeted advertising', () => {
    // Version 1, six notices given (1), then the three opt-outs, packed as six bits per character.
    const national = (sale: number, sharing: number, targeted: number): string =>
      pack([
        [1, 6],
        ...Array.from({ length: 6 }, () => [1, 2]),
        [sale, 2],
        [sharing, 2],
        [targeted, 2],
        [0, 30],
      ])
    expect(gppOptsOut(new Map([[7, national(2, 2, 2)]]), [7])).toBe(false)
    expect(gppOptsOut(new Map([[7, national(1, 2, 2)]]), [7])).toBe(true)
    expect(gppOptsOut(new Map([[7, national(2, 1, 2)]]), [7])).toBe(true)
    expect(gppOptsOut(new Map([[7, national(2, 2, 1)]]), [7])).toBe(true)
  })

  test.each([8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23])(
    'section %i of a state opts out by its own fields, or by Global Privacy Control',
    id => {
      // Utah and Iowa have four notices, the others three.
      const notices = id === 11 || id === 18 ? 4 : 3
      const state = (first: number, second: number): string =>
        pack([[1, 6], ...Array.from({ length: notices }, () => [1, 2]), [first, 2], [second, 2], [2, 32]])
      expect(gppOptsOut(new Map([[id, state(2, 2)]]), [id])).toBe(false)
      expect(gppOptsOut(new Map([[id, state(1, 2)]]), [id])).toBe(true)
      expect(gppOptsOut(new Map([[id, state(2, 1)]]), [id])).toBe(true)
      const gpc = (isSet: number) =>
        pack([
          [1, 2],
          [isSet, 1],
          [0, 3],
        ])
      expect(gppOptsOut(new Map([[id, `${state(2, 2)}.${gpc(0)}`]]), [id])).toBe(false)
      expect(gppOptsOut(new Map([[id, `${state(2, 2)}.${gpc(1)}`]]), [id])).toBe(true)
    },
  )

  test('a section that applies and cannot be read opts out; one that does not apply is ignored', () => {
    expect(gppOptsOut(new Map(), [8])).toBe(true)
    expect(gppOptsOut(new Map([[24, 'BAAAAAAA']]), [24])).toBe(true)
    expect(gppOptsOut(new Map([[7, 'B']]), [7])).toBe(true)
    expect(gppOptsOut(new Map([[7, 'B']]), [])).toBe(false)
  })
})

function pack(fields: number[][]): string {
  const bits = fields
    .map(([value, width]) => (value as number).toString(2).padStart(width as number, '0'))
    .join('')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return (bits.match(/.{6}/g) ?? []).map(six => alphabet[Number.parseInt(six, 2)]).join('')
}
