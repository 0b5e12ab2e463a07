// The rules of a persona by themselves, also for random personas: valid ones are accepted and normalised, and one that
// is broken in one place is refused with the path of that place. A failure prints its seed; SEED=<n> replays it.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Schema, validate } from '../../http/validate.ts'
import type { FieldError } from '../../kernel/errors/field-error.ts'
import { Problem } from '../../kernel/errors/problem.ts'
import { foldName } from '../reference/geo.ts'
import { iabTree } from '../reference/iab.ts'
import { AGES, DEVICES, GENDERS, NewPersona, Persona, PersonaEdit } from './contract.ts'
import { changesOf, fieldsOf } from './rules.ts'

const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const RUNS = { seed: SEED, numRuns: 300 }

const VALID = { name: 'Cyclists', geo: { geos: ['CA'] }, device: { mobile: true } }

/** Checks the body as an endpoint does: first by its schema, then by the rules. */
function create(body: object) {
  return outcome(NewPersona as Schema, body, value => fieldsOf(value as NewPersona))
}

function edit(body: object) {
  return outcome(PersonaEdit as Schema, body, value => changesOf(value as PersonaEdit))
}

function outcome<T>(schema: Schema, body: object, read: (value: unknown) => T) {
  const checked = validate(schema, JSON.parse(JSON.stringify(body)))
  if (!checked.ok) return { errors: checked.errors }
  try {
    return { fields: read(checked.value) }
  } catch (error) {
    if (error instanceof Problem && error.errors) return { errors: error.errors }
    throw error
  }
}

const errorsOf = (body: object): FieldError[] => create({ ...VALID, ...body }).errors ?? []
const fieldsIn = (body: object) => create({ ...VALID, ...body }).fields

describe('geo', () => {
  it('accepts a country, a state and a city, with codes in upper case and the city as written', () => {
    const geos = ['ca', ' us-ny ', 'ca-qc-Trois-Rivières']
    expect(fieldsIn({ geo: { geos } })?.geo).toEqual({ geos: ['CA', 'US-NY', 'CA-QC-Trois-Rivières'] })
  })

  it('keeps entries that are the same after normalising once, as first written', () => {
    const geos = ['CA', 'ca', 'CA-QC-Montréal', 'ca-qc-MONTREAL', 'CA-QC', 'CA-ON-Toronto', 'CA-ON-toronto']
    expect(fieldsIn({ geo: { geos } })?.geo).toEqual({
      geos: ['CA', 'CA-QC-Montréal', 'CA-QC', 'CA-ON-Toronto'],
    })
  })

  it('accepts a circle', () => {
    const geo = { radius: 5000, geocode: [43.6532, -79.3832] }
    expect(fieldsIn({ geo })?.geo).toEqual(geo)
  })

  it('accepts null for the form that is not used', () => {
    expect(fieldsIn({ geo: { geos: ['CA'], radius: null, geocode: null } })?.geo).toEqual({ geos: ['CA'] })
    expect(fieldsIn({ geo: { geos: null, radius: 1, geocode: [0, 0] } })?.geo).toEqual({
      radius: 1,
      geocode: [0, 0],
    })
  })

  it.each<[string, object, string, RegExp]>([
    ['neither form', {}, '/geo', /either geos .*, or radius .* with geocode/],
    ['both forms', { geos: ['CA'], radius: 5, geocode: [1, 2] }, '/geo', /one form only/],
    ['geos and half of the pair', { geos: ['CA'], radius: 5 }, '/geo', /one form only/],
    ['a radius alone', { radius: 5 }, '/geo/geocode', /required with radius/],
    ['a geocode alone', { geocode: [1, 2] }, '/geo/radius', /required with geocode/],
    ['no places', { geos: [] }, '/geo/geos', /from 1 to 1000 entries, has 0/],
    ['1001 places', { geos: Array(1001).fill('CA') }, '/geo/geos', /from 1 to 1000 entries, has 1001/],
    ['a place that is no string', { geos: ['CA', 7] }, '/geo/geos/1', /must be a string/],
    ['an empty place', { geos: ['CA', ' '] }, '/geo/geos/1', /empty/],
    [
      'an unknown country',
      { geos: ['CA', 'US', 'XX'] },
      '/geo/geos/2',
      /"XX" is not an ISO 3166-1 country code/,
    ],
    ['a country by its name', { geos: ['Canada'] }, '/geo/geos/0', /CA/],
    ['an unknown state', { geos: ['CA-ZZ'] }, '/geo/geos/0', /CA \(Canada\) has no state\/province ZZ/],
    ['a state by its name', { geos: ['CA-Ontario'] }, '/geo/geos/0', /did you mean CA-ON/],
    ['an empty city', { geos: ['CA-ON-'] }, '/geo/geos/0', /city .* is empty/],
    ['a city of 101 characters', { geos: [`CA-ON-${'x'.repeat(101)}`] }, '/geo/geos/0', /at most 100/],
    ['radius 0', { radius: 0, geocode: [0, 0] }, '/geo/radius', /integer from 1 to 1000000/],
    ['radius 1000001', { radius: 1_000_001, geocode: [0, 0] }, '/geo/radius', /integer from 1 to 1000000/],
    ['half a metre', { radius: 1.5, geocode: [0, 0] }, '/geo/radius', /an integer/],
    ['a radius as text', { radius: '5', geocode: [0, 0] }, '/geo/radius', /an integer, not a string/],
    ['one coordinate', { radius: 5, geocode: [0] }, '/geo/geocode', /must have 2 entries/],
    ['three coordinates', { radius: 5, geocode: [0, 0, 0] }, '/geo/geocode', /must have 2 entries/],
    ['latitude 90.1', { radius: 5, geocode: [90.1, 170] }, '/geo/geocode/0', /latitude from -90 to 90/],
    ['swapped coordinates', { radius: 5, geocode: [-120, 49] }, '/geo/geocode/0', /order is \[latitude/],
    ['longitude -180.1', { radius: 5, geocode: [0, -180.1] }, '/geo/geocode/1', /longitude from -180/],
    ['a coordinate as text', { radius: 5, geocode: [0, '1'] }, '/geo/geocode/1', /must be a number/],
    ['an unknown field', { geos: ['CA'], city: 'x' }, '/geo/city', /not a field here; allowed: geos, radius/],
  ])('refuses %s and says what would be right', (_, geo, path, message) => {
    expect(errorsOf({ geo })).toMatchObject([{ path, message: expect.stringMatching(message) }])
  })

  it('accepts the extreme values', () => {
    for (const geocode of [
      [90, 180],
      [-90, -180],
    ]) {
      for (const radius of [1, 1_000_000]) expect(errorsOf({ geo: { radius, geocode } })).toEqual([])
    }
    const geos = Array.from({ length: 1000 }, (_, i) => `CA-ON-Place ${i}`)
    expect(fieldsIn({ geo: { geos } })?.geo).toEqual({ geos })
    expect(errorsOf({ geo: { geos: [`CA-ON-${'ü'.repeat(100)}`] } })).toEqual([])
  })

  it('names every wrong entry, up to twenty', () => {
    expect(errorsOf({ geo: { geos: ['XX', 'CA', 'CA-ZZ'] } }).map(error => error.path)).toEqual([
      '/geo/geos/0',
      '/geo/geos/2',
    ])
    expect(errorsOf({ geo: { geos: Array(1000).fill('XX') } })).toHaveLength(20)
  })
})

describe('cat', () => {
  it('keeps a code once, and a parent beside its child', () => {
    expect(fieldsIn({ cat: ['IAB17', 'IAB17-3', 'IAB17'] })?.cat).toEqual(['IAB17', 'IAB17-3'])
  })

  it('means all when it is empty, null or missing', () => {
    for (const body of [{}, { cat: null }, { cat: [] }]) expect(fieldsIn(body)?.cat).toEqual([])
  })

  it.each<[string, unknown, string, RegExp]>([
    ['a code in lower case', ['IAB1', 'iab17-3'], '/cat/1', /did you mean IAB17-3 \(/],
    ['a name', ['Sports'], '/cat/0', /did you mean IAB17 \(Sports\)/],
    ['a sub-category that is not there', ['IAB1-99'], '/cat/0', /did you mean IAB1 \(/],
    ['a category that is not there', ['IAB27'], '/cat/0', /IAB# or IAB#-#/],
    ['an odd key', ['__proto__'], '/cat/0', /is not a code/],
    ['an empty code', [''], '/cat/0', /must not be empty/],
    ['a number', [17], '/cat/0', /must be a string/],
    ['text', 'IAB1', '/cat', /must be an array/],
  ])('refuses %s and says what would be right', (_, cat, path, message) => {
    expect(errorsOf({ cat })).toMatchObject([{ path, message: expect.stringMatching(message) }])
  })
})

describe('device and demo', () => {
  it('read a missing key as false', () => {
    const body = { device: { tablet: true }, demo: { gender: { unknown: true }, age: { '50+': true } } }
    expect(fieldsIn(body)).toMatchObject({
      device: { mobile: false, tablet: true, desktop: false },
      demo: {
        gender: { male: false, female: false, unknown: true },
        age: { '13to17': false, '18to34': false, '35to49': false, '50+': true },
      },
    })
  })

  it('demo left out, null, empty or with nulls is no restriction', () => {
    for (const body of [{}, { demo: null }, { demo: {} }, { demo: { gender: null, age: null } }]) {
      expect(fieldsIn(body)?.demo).toEqual({ gender: null, age: null })
    }
  })

  it.each<[string, object, string, RegExp]>([
    ['no device', { device: {} }, '/device', /at least one of mobile, tablet, desktop as true$/],
    ['only false devices', { device: { mobile: false } }, '/device', /at least one/],
    ['a device as 1', { device: { mobile: 1 } }, '/device/mobile', /true or false, not a number/],
    ['a device as text', { device: { mobile: 'true' } }, '/device/mobile', /true or false/],
    ['an unknown device', { device: { mobile: true, tv: true } }, '/device/tv', /allowed: mobile, tablet/],
    ['null for device', { device: null }, '/device', /must be an object, not null/],
    ['a list of devices', { device: ['mobile'] }, '/device', /must be an object, not an array/],
    ['no gender', { demo: { gender: {} } }, '/demo/gender', /male, female, unknown as true; null means all/],
    ['only false genders', { demo: { gender: { male: false } } }, '/demo/gender', /at least one/],
    ['an unknown gender', { demo: { gender: { other: true } } }, '/demo/gender/other', /allowed: male/],
    ['no age', { demo: { age: {} } }, '/demo/age', /13to17, 18to34, 35to49, 50\+ as true/],
    ['an unknown age', { demo: { age: { '65+': true } } }, '/demo/age/65+', /allowed: 13to17/],
    ['an age as 0', { demo: { age: { '50+': 0 } } }, '/demo/age/50+', /true or false/],
    ['an unknown demographic', { demo: { income: {} } }, '/demo/income', /allowed: gender, age/],
    ['demo as text', { demo: 'all' }, '/demo', /must be an object/],
  ])('refuse %s', (_, body, path, message) => {
    expect(errorsOf(body)).toMatchObject([{ path, message: expect.stringMatching(message) }])
  })
})

describe('an edit', () => {
  it('reads only what is supplied', () => {
    expect(edit({}).fields).toEqual({})
    expect(edit({ name: ' New ' }).fields).toEqual({ name: 'New' })
  })

  it('clears the categories and the demographics with null, and nothing else', () => {
    expect(edit({ cat: null, demo: null }).fields).toEqual({ cat: [], demo: { gender: null, age: null } })
    for (const field of ['name', 'geo', 'device']) {
      expect(edit({ [field]: null }).errors).toMatchObject([{ path: `/${field}` }])
    }
  })

  it('has the same rules as a create', () => {
    const wrong = { geo: {}, cat: ['x'], device: {}, demo: { age: {} } }
    expect(edit(wrong).errors).toEqual(create({ name: 'n', ...wrong }).errors)
    expect(edit(wrong).errors).toHaveLength(4)
  })
})

// --- random personas ---

const CODES = iabTree().flatMap(({ code, children }) => [code, ...children.map(child => child.code)])
const STATES = ['CA-ON', 'CA-QC', 'US-NY', 'US-CA', 'DE-BE', 'FR-IDF', 'JP-13', 'BR-SP', 'AU-NSW', 'GB-ENG']

const anyCase = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.boolean()).map(([value, lower]) => (lower ? value.toLowerCase() : value))
const city = fc
  .array(fc.constantFrom(..."abc déÖßñ-\u0301É東京'.9🚲"), { minLength: 1, maxLength: 100 })
  .map(chars => chars.join('').trim())
  .filter(text => foldName(text) !== '')
const place = fc.oneof(
  anyCase(fc.constantFrom('CA', 'US', 'DE', 'FR', 'JP', 'BR', 'MC', 'ZA')),
  anyCase(fc.constantFrom(...STATES)),
  fc.tuple(anyCase(fc.constantFrom(...STATES)), city).map(([state, name]) => `${state}-${name}`),
)
const geos = fc.array(place, { minLength: 1, maxLength: 30 }).map(list => ({ geos: list }))
const circle = fc.record({
  radius: fc.integer({ min: 1, max: 1_000_000 }),
  geocode: fc.tuple(
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ min: -180, max: 180, noNaN: true }),
  ),
})
const switches = (keys: readonly string[]) =>
  fc
    .dictionary(fc.constantFrom(...keys), fc.option(fc.boolean(), { freq: 6 }))
    .filter(given => Object.values(given).includes(true))
const persona = fc.record(
  {
    name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(text => text.trim() !== ''),
    geo: fc.oneof(geos, circle),
    device: switches(DEVICES),
    cat: fc.option(fc.array(fc.constantFrom(...CODES), { maxLength: 20 })),
    demo: fc.option(
      fc.record(
        { gender: fc.option(switches(GENDERS)), age: fc.option(switches(AGES)) },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: ['name', 'geo', 'device'] },
)

/** Changes that make any valid persona wrong in just one place, with the path that the error must name. */
const breaks: [path: string, change: (body: Record<string, unknown>) => object][] = [
  ['/name', body => ({ ...body, name: ' ' })],
  ['/name', body => ({ ...body, name: 'x'.repeat(256) })],
  ['/geo', body => ({ ...body, geo: {} })],
  ['/geo', body => ({ ...body, geo: { geos: ['CA'], radius: 1, geocode: [0, 0] } })],
  ['/geo/geos/0', body => ({ ...body, geo: { geos: ['UK'] } })],
  ['/geo/geos/1', body => ({ ...body, geo: { geos: ['GB', 'GB-XYZ-London'] } })],
  ['/geo/geocode/0', body => ({ ...body, geo: { radius: 1, geocode: [-91, 0] } })],
  ['/geo/geocode/1', body => ({ ...body, geo: { radius: 1, geocode: [0, 181] } })],
  ['/cat/0', body => ({ ...body, cat: ['IAB0'] })],
  ['/cat/1', body => ({ ...body, cat: ['IAB1', 'IAB1-0'] })],
  ['/device', body => ({ ...body, device: { mobile: false, tablet: null } })],
  ['/device/mobile', body => ({ ...body, device: { mobile: 'yes' } })],
  ['/demo/gender', body => ({ ...body, demo: { gender: { male: false } } })],
  ['/demo/age', body => ({ ...body, demo: { age: {} } })],
  ['/pid', body => ({ ...body, pid: 1 })],
  ['/updated', body => ({ ...body, updated: 1 })],
]

describe(`random personas (SEED=${SEED})`, () => {
  it('a valid persona is accepted and normalised, and its normalised form is accepted unchanged', () => {
    fc.assert(
      fc.property(persona, body => {
        const first = create(body)
        expect(first.errors).toBeUndefined()
        const { unknown_places, unseen_values, external_id, metadata, enabled, ...fields } = first.fields!
        expect([external_id, metadata, enabled]).toEqual([null, {}, true])
        const properties = (Persona as Schema).properties!
        for (const [name, value] of Object.entries(fields)) {
          expect(validate(properties[name]!, JSON.parse(JSON.stringify(value)))).toMatchObject({ ok: true })
        }
        expect(new Set(fields.cat).size).toBe(fields.cat.length)
        expect(create(fields).fields).toMatchObject(JSON.parse(JSON.stringify(fields)))
        expect(edit(body).fields).toMatchObject({ geo: fields.geo, device: fields.device })
      }),
      RUNS,
    )
  })

  it('a persona that is wrong in one place is refused with the path of that place', () => {
    fc.assert(
      fc.property(persona, fc.constantFrom(...breaks), (body, [path, change]) => {
        expect(create(change(body)).errors?.map(error => error.path)).toEqual([path])
        expect(edit(change(body)).errors?.map(error => error.path)).toEqual([path])
      }),
      RUNS,
    )
  })

  it('any input is either accepted or refused with a path and a message', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            name: fc.anything(),
            geo: junk('geos', 'radius', 'geocode'),
            cat: fc.anything(),
            device: junk(...DEVICES),
            demo: junk('gender', 'age'),
          },
          { requiredKeys: [] },
        ),
        body => {
          const { errors, fields } = create(body)
          if (fields) return
          expect(errors!.length).toBeGreaterThan(0)
          for (const error of errors!) {
            expect(error.path).toMatch(/^\//)
            expect(error.message).not.toBe('')
          }
        },
      ),
      RUNS,
    )
  })
})

function junk(...keys: string[]) {
  const value = fc.oneof(
    fc.anything(),
    fc.boolean(),
    fc.array(fc.string()),
    fc.tuple(fc.integer(), fc.integer()),
  )
  return fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...keys), value))
}
