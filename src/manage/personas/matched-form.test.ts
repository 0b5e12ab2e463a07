// What delivery gets from a persona.

import { describe, expect, it } from 'vitest'
import { foldName } from '../reference/geo.ts'
import { toTargeting } from './matched-form.ts'

const device = { mobile: true, tablet: false, desktop: true }
const gender = { male: true, female: false, unknown: false }
const age = { '13to17': false, '18to34': true, '35to49': false, '50+': false }

describe('toTargeting', () => {
  it('splits places and folds their cities', () => {
    const geo = { geos: ['CA', 'US-NY', 'CA-QC-Trois-Rivières'] }
    expect(toTargeting({ geo, cat: ['IAB1'], device, demo: { gender, age }, attributes: {} }, 1)).toEqual({
      geo: {
        places: [
          { country: 'CA' },
          { country: 'US', region: 'NY' },
          { country: 'CA', region: 'QC', city: foldName('TROIS-RIVIERES') },
        ],
      },
      cat: ['IAB1'],
      device,
      gender,
      age,
    })
  })

  it('names the parts of a circle and keeps null as no restriction', () => {
    const geo = { radius: 5000, geocode: [43.6, -79.4] as [number, number] }
    expect(
      toTargeting({ geo, cat: [], device, demo: { gender: null, age: null }, attributes: {} }, 1),
    ).toEqual({
      geo: { radius: { lat: 43.6, lon: -79.4, radiusM: 5000 } },
      cat: [],
      device,
      gender: null,
      age: null,
    })
  })

  it('leaves out a place that the standard no longer contains, instead of failing', () => {
    const geo = { geos: ['XX', 'CA'] }
    const targeting = toTargeting(
      { geo, cat: [], device, demo: { gender: null, age: null }, attributes: {} },
      1,
    )
    expect(targeting.geo).toEqual({ places: [{ country: 'CA' }] })
  })

  it('names attributes by their app, and keeps an absent restriction as null', () => {
    const attributes = { section: { any: ['sport'] }, price: { min: 10 } }
    const { attributes: conditions } = toTargeting(
      { geo: { geos: ['CA'] }, cat: [], device, demo: { gender, age }, attributes },
      7,
    )
    expect(conditions).toEqual([
      { name: '7/section', any: new Set(['sport']), all: null, none: null, min: null, max: null },
      { name: '7/price', any: null, all: null, none: null, min: 10, max: null },
    ])
  })
})
