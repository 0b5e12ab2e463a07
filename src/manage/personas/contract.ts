// Personas (who to reach): the object and its endpoints, as seen from outside. Endpoints that include banners are in
// src/manage/orders/.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { findingFields } from '../../http/failure.ts'
import {
  Body,
  BY_EXTERNAL_ID,
  byExternalId,
  Choice,
  Created,
  Deleted,
  deletedFilter,
  deletedShown,
  Id,
  keptFields,
  keptShown,
  listFilters,
  Maybe,
  Nullable,
  Text,
  UnixTime,
  Updated,
} from '../../http/schema.ts'
import { ROTATIONS } from '../../kernel/rotation.ts'
import { WantedAttributes } from '../attributes/contract.ts'

export { goalOf, ROTATIONS } from '../../kernel/rotation.ts'

export const MAX_GEOS = 1000
export const MAX_RADIUS_M = 1_000_000
const MAX_CATEGORIES = 1000

const name = Text(1, 255, { description: 'Name of the persona.', examples: ['Cyclists around Toronto'] })

const rotation = Choice(ROTATIONS, {
  description:
    'How its banners take turns: `even` (default), `weighted` (by their `weight`), or `best`: those with better results more often, within one size, by clicks, or by conversions or their value once 20 are reported; each keeps at least a tenth of its even share. Where clicks are paid for, the banner that is clicked most is shown instead.',
})

const geosAbout =
  'Places: `<country>`, `<country>-<state/province>` or `<country>-<state/province>-<city>`, by ISO 3166-1 ' +
  'alpha-2 and ISO 3166-2. `*` is everywhere, visitors of unknown country included. Entries that differ only in case or diacritics count as one. ' +
  'Find them with `GET /reference/geo`.'
const radius = Type.Integer({
  minimum: 1,
  maximum: MAX_RADIUS_M,
  description: 'Metres around `geocode`.',
  examples: [5000],
})
/** rules.ts checks the bounds, so that the error can say which of the two is wrong. */
const geocode = Type.Unsafe<[latitude: number, longitude: number]>({
  type: 'array',
  prefixItems: [
    { type: 'number', minimum: -90, maximum: 90, description: 'Latitude.' },
    { type: 'number', minimum: -180, maximum: 180, description: 'Longitude.' },
  ],
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
  description: 'Latitude and longitude in degrees.',
  examples: [[43.6532, -79.3832]],
})

const geo = Body(
  {
    geos: Maybe(
      Type.Array(Text(1, 200, { examples: ['CA-ON-Toronto'] }), {
        minItems: 1,
        maxItems: MAX_GEOS,
        description: geosAbout,
      }),
    ),
    radius: Maybe(radius),
    geocode: Maybe(geocode),
  },
  { description: 'Exactly one form: either `geos`, or `radius` together with `geocode`.' },
)
export type GeoInput = Static<typeof geo>

const cat = Type.Array(Text(1, 100, { examples: ['IAB17-3'] }), {
  maxItems: MAX_CATEGORIES,
  description:
    'IAB Content Taxonomy 1.0 codes (`GET /reference/iab`) of the content to appear next to; a parent covers ' +
    'its subcategories, empty means all. Greatly narrows the reach.',
})

export const DEVICES = ['mobile', 'tablet', 'desktop'] as const
export const GENDERS = ['male', 'female', 'unknown'] as const
export const AGES = ['13to17', '18to34', '35to49', '50+'] as const

/** Named booleans as sent (a missing one is false, at least one is true) and as read (all present). */
function switches<const K extends string>(keys: readonly K[], about: string) {
  const fields = <T>(field: (key: K) => T) =>
    Object.fromEntries(keys.map(key => [key, field(key)])) as Record<K, T>
  const reached = (key: K) => Type.Boolean({ description: `Whether to reach ${key}.` })
  return {
    sent: Body(
      fields(key => Maybe(reached(key))),
      { description: `${about} A missing key means false; at least one must be true.` },
    ),
    read: Body(fields(reached), { description: about }),
  }
}

const device = switches(DEVICES, 'Devices to reach.')
const gender = switches(GENDERS, 'Genders to reach; null: all.')
const age = switches(AGES, 'Ages to reach; null: all.')

const demo = Body(
  { gender: Maybe(gender.sent), age: Maybe(age.sent) },
  { description: 'Demographics; omitted or null means no restriction.' },
)
export type DemoInput = Static<typeof demo>

/** The audience of a persona, as it is sent. */
export const audienceFields = {
  geo,
  cat: Maybe(cat),
  device: device.sent,
  demo: Maybe(demo),
  attributes: Maybe(WantedAttributes),
}

export const NewPersona = Body({
  name,
  ...audienceFields,
  rotation: Maybe(rotation),
  enabled: Maybe(Type.Boolean({ description: 'Default true.' })),
  ...keptFields,
})
export type NewPersona = Static<typeof NewPersona>

export const PersonaEdit = Body({
  name: Type.Optional(name),
  geo: Type.Optional(geo),
  cat: Maybe(cat),
  device: Type.Optional(device.sent),
  demo: Maybe(demo),
  attributes: Maybe(WantedAttributes),
  rotation: Maybe(rotation),
  enabled: Maybe(Type.Boolean({ description: 'Pauses or resumes it.' })),
  ...keptFields,
})
export type PersonaEdit = Static<typeof PersonaEdit>

const Geo = Type.Union(
  [
    Body({ geos: Type.Array(Type.String(), { description: 'Places, normalised.' }) }),
    Body({ radius, geocode }),
  ],
  { description: 'Where to reach people: places, or a circle.' },
)
export type Geo = Static<typeof Geo>

const Device = device.read
export type Device = Static<typeof Device>

const Demo = Body(
  { gender: Nullable(gender.read), age: Nullable(age.read) },
  { description: 'Demographics; null means no restriction.' },
)
export type Demo = Static<typeof Demo>

export const Warning = Body({
  path: Type.String({ description: 'JSON pointer into the object.' }),
  ...findingFields,
  suggestion: Nullable(Type.String({ description: 'What was probably meant.' })),
})
export type Warning = Static<typeof Warning>

export const Persona = Body({
  pid: Id('Persona id.'),
  cid: Id('Campaign id.'),
  name: Type.String({ description: 'Internal name; visitors never see it.' }),
  geo: Geo,
  cat: Type.Array(Type.String(), { description: 'Empty: all.' }),
  device: Device,
  demo: Demo,
  attributes: WantedAttributes,
  rotation,
  enabled: Type.Boolean({ description: 'False while paused.' }),
  start: UnixTime({ description: "The campaign's." }),
  end: UnixTime({ description: "The campaign's." }),
  warnings: Type.Array(Warning, {
    description:
      'What was kept, but is possibly misspelled: places that our tables did not know when it was saved, and values of attributes that no request of the last 28 days had then.',
  }),
  ...keptShown,
  created: Created,
  updated: Updated,
  ...deletedShown,
})
export type Persona = Static<typeof Persona>

export const DeletedPersona = Body({ pid: Id('Persona id.'), deleted: Deleted })

export const personaExample = {
  name: 'Cyclists around Toronto',
  geo: { geos: ['CA-ON-Toronto', 'CA-QC', 'US'] },
  cat: ['IAB17-3', 'IAB20'],
  device: { mobile: true, tablet: true },
  demo: { gender: null, age: { '18to34': true, '35to49': true } },
}
export const readPersonaExample = {
  pid: 1007,
  cid: 1004,
  name: personaExample.name,
  geo: personaExample.geo,
  cat: personaExample.cat,
  device: { mobile: true, tablet: true, desktop: false },
  demo: { gender: null, age: { '13to17': false, '18to34': true, '35to49': true, '50+': false } },
  attributes: {},
  rotation: 'even',
  enabled: true,
  start: 1_790_000_000,
  end: 1_792_592_000,
  warnings: [],
  externalId: null,
  metadata: {},
  created: 1_789_990_000,
  updated: 1_789_990_000,
}
const around = { radius: 5000, geocode: [43.6532, -79.3832] }

const common = { tag: 'Personas', access: 'customer', cuid: true } as const
const one = '/campaign/:cid/persona/:pid'

export const listPersonas = endpoint({
  ...common,
  id: 'listPersonas',
  method: 'GET',
  path: '/campaign/:cid/persona',
  summary: 'List the personas of a campaign',
  description: 'Oldest first, filtered by state, text or `externalId`.',
  list: true,
  query: {
    enabled: { schema: Type.Boolean(), description: 'Only active ones, or paused ones (`false`).' },
    ...listFilters,
    ...deletedFilter,
  },
  answer: Type.Array(Persona),
  examples: { answer: [readPersonaExample] },
})

export const readPersona = endpoint({
  ...common,
  id: 'readPersona',
  method: 'GET',
  path: one,
  summary: 'Read a persona',
  description: 'Its dates are those of its campaign. The answer can be sent back by PUT.',
  etag: true,
  answer: Persona,
  examples: { answer: readPersonaExample },
})

export const editPersona = endpoint({
  ...common,
  id: 'editPersona',
  needs: 'edit',
  method: 'PUT',
  path: one,
  summary: 'Edit a persona',
  description:
    'Changes only the supplied fields, each as a whole; null clears `cat`, `demo` or `attributes`.',
  etag: true,
  body: PersonaEdit,
  dryRun: true,
  answer: Persona,
  examples: { body: { geo: around }, answer: { ...readPersonaExample, geo: around, updated: 1_789_995_000 } },
})

export const putPersona = endpoint({
  ...common,
  ...byExternalId,
  makes: ['pid'],
  id: 'putPersona',
  needs: 'edit',
  path: '/campaign/:cid/persona/by-external/:externalId',
  summary: 'Create or change a persona by your own id',
  description: `${BY_EXTERNAL_ID} Required to create: \`name\`, \`geo\`, \`device\`.`,
  body: PersonaEdit,
  answer: Persona,
  examples: { body: personaExample, answer: { ...readPersonaExample, externalId: 'crm-4712' } },
})

export const pausePersona = endpoint({
  ...common,
  id: 'pausePersona',
  staff: 'support',
  needs: 'edit',
  method: 'PUT',
  path: `${one}/pause`,
  summary: 'Pause a persona',
  description: 'Its banners are no longer shown. Pausing a paused persona changes nothing.',
  etag: true,
  dryRun: true,
  answer: Persona,
  examples: { answer: { ...readPersonaExample, enabled: false } },
})

export const resumePersona = endpoint({
  ...common,
  id: 'resumePersona',
  needs: 'edit',
  method: 'PUT',
  path: `${one}/resume`,
  summary: 'Resume a persona',
  description: 'Resuming a persona that is not paused changes nothing.',
  etag: true,
  dryRun: true,
  answer: Persona,
  examples: { answer: readPersonaExample },
})

export const restorePersona = endpoint({
  ...common,
  id: 'restorePersona',
  needs: 'edit',
  method: 'POST',
  path: `${one}/restore`,
  summary: 'Restore a deleted persona',
  description:
    'Also restores its banners. Possible within `RESTORE_WITHIN` of the deletion. If it is not deleted, nothing changes.',
  etag: true,
  dryRun: true,
  answer: Persona,
  problems: ['conflict'],
  examples: { answer: readPersonaExample },
})

export const deletePersona = endpoint({
  ...common,
  id: 'deletePersona',
  needs: 'edit',
  method: 'DELETE',
  path: one,
  summary: 'Delete a persona',
  description: 'Removes it and its banners; what they delivered stays in the figures of the campaign.',
  etag: true,
  dryRun: true,
  answer: DeletedPersona,
  examples: { answer: { pid: 1007, deleted: true } },
})
