// Reference lists from which an application offers choices: categories, places, banner sizes. They are public and
// cacheable, because they are the same for everybody.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Choice, Text } from '../../http/schema.ts'

/** The most places in one answer of the typeahead, and the default. */
export const MAX_FOUND_PLACES = 50
export const DEFAULT_FOUND_PLACES = 10
export const MAX_QUERY_CHARS = 100

const code = Type.String({ description: 'As in the `cat` of a persona.' })
const name = Type.String({ description: 'In English.' })

export const IabTree = Type.Array(
  Body({ code, name, children: Type.Array(Body({ code, name }), { description: 'Its subcategories.' }) }),
)
export type IabTree = Static<typeof IabTree>

export const FoundPlaces = Type.Array(
  Body({
    value: Type.String({ description: 'As in the `geos` of a persona.' }),
    label: Type.String({ description: 'For a person.' }),
    kind: Choice(['everywhere', 'country', 'state', 'city'], { description: 'What it is.' }),
    lat: Type.Optional(Type.Number({ description: 'For a city; as in `geocode`.' })),
    lon: Type.Optional(Type.Number({ description: 'For a city; as in `geocode`.' })),
  }),
)

export const AdSizes = Type.Array(
  Body({
    width: Type.Integer({ description: 'Pixels.' }),
    height: Type.Integer({ description: 'Pixels.' }),
    name: Type.String({ description: "The IAB's name of the size." }),
    maxBytes: Type.Integer({ description: 'The largest image file allowed for this size.' }),
  }),
)

const common = { method: 'GET', tag: 'Reference', access: 'public' } as const

export const listIabCategories = endpoint({
  ...common,
  id: 'listIabCategories',
  path: '/reference/iab',
  summary: 'The categories of IAB Content Taxonomy 1.0',
  description: 'As a tree: a category covers its `children`.',
  answer: IabTree,
  examples: {
    answer: [
      {
        code: 'IAB1',
        name: 'Arts & Entertainment',
        children: [{ code: 'IAB1-1', name: 'Books & Literature' }],
      },
    ],
  },
})

export const findPlaces = endpoint({
  ...common,
  id: 'findPlaces',
  path: '/reference/geo',
  summary: 'Find countries, states and cities by the beginning of their name or code',
  description:
    'Best match first, ignoring case and diacritics. `Toronto, Ontario` and `CA-ON-Tor` narrow the search. ' +
    'A city that is not found here can still be targeted.',
  query: {
    q: {
      schema: Text(1, MAX_QUERY_CHARS),
      required: true,
      description: 'The text typed so far.',
    },
    limit: {
      schema: Type.Integer({ minimum: 1, maximum: MAX_FOUND_PLACES, default: DEFAULT_FOUND_PLACES }),
      description: 'At most this many places.',
    },
  },
  answer: FoundPlaces,
  examples: {
    answer: [
      {
        value: 'CA-ON-Toronto',
        label: 'Toronto, Ontario, Canada',
        kind: 'city',
        lat: 43.70643,
        lon: -79.39864,
      },
    ],
  },
})

const degrees = (most: number, description: string) => ({
  schema: Type.Number({ minimum: -most, maximum: most }),
  required: true as const,
  description,
})

export const findTowns = endpoint({
  ...common,
  id: 'findTowns',
  path: '/reference/geo/box',
  summary: 'The largest cities and towns within an area of the map',
  description: 'Most populous first. A box whose `west` lies east of its `east` crosses the date line.',
  query: {
    west: degrees(180, 'Longitude of its western edge.'),
    south: degrees(90, 'Latitude of its southern edge.'),
    east: degrees(180, 'Longitude of its eastern edge.'),
    north: degrees(90, 'Latitude of its northern edge.'),
    limit: {
      schema: Type.Integer({ minimum: 1, maximum: MAX_FOUND_PLACES, default: DEFAULT_FOUND_PLACES }),
      description: 'At most this many places.',
    },
  },
  answer: FoundPlaces,
  examples: {
    answer: [
      {
        value: 'CA-ON-Toronto',
        label: 'Toronto, Ontario, Canada',
        kind: 'city',
        lat: 43.70643,
        lon: -79.39864,
      },
    ],
  },
})

export const listStates = endpoint({
  ...common,
  id: 'listStates',
  path: '/reference/geo/states',
  summary: 'The states and provinces of a country',
  description: 'By ISO 3166-2, in the order of their codes. A country without any has an empty list.',
  query: {
    country: {
      schema: Text(2, 2),
      required: true,
      description: 'Two letters, as in `geos`.',
    },
  },
  answer: FoundPlaces,
  examples: { answer: [{ value: 'CA-ON', label: 'Ontario, Canada', kind: 'state' }] },
})

export const listAdSizes = endpoint({
  ...common,
  id: 'listAdSizes',
  path: '/reference/ad-sizes',
  summary: 'The allowed banner sizes',
  description: 'Each with its name and the largest allowed file, in bytes.',
  answer: AdSizes,
  examples: { answer: [{ width: 300, height: 250, name: 'Medium Rectangle', maxBytes: 150_000 }] },
})
