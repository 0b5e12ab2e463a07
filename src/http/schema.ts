// The building blocks of contracts: JSON Schema by typebox, with a few formats of our own. Browser-safe, because the
// SDK and the console read contracts too.

import { type TSchema, Type } from 'typebox'
import { CLICK_MACROS, MAX_CLICK_PARAMETERS_LENGTH } from '../kernel/click-parameters.ts'
import { MAX_TIME_SECONDS } from '../kernel/time/clock.ts'

interface About {
  description?: string
  examples?: unknown[]
}

interface AboutBody extends About {
  /** Two fields; the first must be smaller. */
  'x-before'?: [string, string]
}

/** Text is trimmed before it is measured (in code points) and stored. */
export function Text(min: number, max: number, about: About & { 'x-alias'?: string } = {}) {
  return Type.String({ minLength: min, maxLength: max, ...about })
}

export function Email(about: About = {}) {
  return Type.String({ format: 'email', maxLength: 254, ...about })
}

export function HttpUrl(about: About = {}) {
  return Type.String({ format: 'http-url', maxLength: 2000, ...about })
}

/** A template of what is added to the address of a click. */
export function ClickParameters(about: About = {}) {
  return Type.String({
    format: 'click-parameters',
    minLength: 1,
    maxLength: MAX_CLICK_PARAMETERS_LENGTH,
    examples: ['utm_source=marquee&utm_campaign={campaign.name}&utm_content={banner.bid}'],
    ...about,
  })
}

const MACROS = CLICK_MACROS.map(macro => `\`{${macro}}\``).join(', ')
/** This field in a body and an answer; `above`: what counts where it is null. */
export function clickParametersOf(above: string) {
  return ClickParameters({
    description: `What is added to the address of each click: \`name=value\` pairs joined by \`&\`. Macros are filled in and encoded: ${MACROS}. A name that the address has already is not added, nor a pair whose macros have no value. Null: ${above}.`,
  })
}

/** An IANA name. */
export function TimeZone(about: About = {}) {
  return Type.String({ format: 'time-zone', maxLength: 64, ...about })
}

/** A day of the customer's calendar: `2026-11-10`. */
export function Day(about: About = {}) {
  return Type.String({ format: 'date', maxLength: 10, ...about })
}

export function UnixTime(about: About = {}) {
  return Type.Integer({ format: 'unix-time', minimum: 0, maximum: MAX_TIME_SECONDS, ...about })
}

/** An amount in the deployment's currency with at most two decimals. */
export function Money(min: number, max: number, about: About = {}) {
  return Type.Number({ format: 'money', minimum: min, maximum: max, ...about })
}

export function Id(description: string) {
  return Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
}

export const Created = UnixTime({ description: 'When it was created.' })
export const Updated = UnixTime({ description: 'When it was last changed.' })
export const Deleted = Type.Literal(true, { description: 'It was deleted.' })

/** The description moves from the value to the whole field. */
export function Nullable<T extends TSchema>(schema: T) {
  const { description } = schema as About
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}

/** An optional field of a create or edit body: null means not given, or cleared. */
export function Maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Nullable(schema))
}

/** An object that takes no other fields. */
export function Body<P extends Record<string, TSchema>>(properties: P, about: AboutBody = {}) {
  return Type.Object(properties, { additionalProperties: false, ...about })
}

/** For the dates of a run, of a campaign or a flight. */
export const START_BEFORE_END = { 'x-before': ['start', 'end'] as ['start', 'end'] }

/** A string from a closed list, as JSON Schema's `enum`. */
export function Choice<const T extends string>(values: readonly T[], about: About = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...about })
}

export const MAX_METADATA = 20

/** What an app stores with our objects: its own id, and texts of its own. */
export const ExternalId = Text(1, 255, {
  description:
    'Its id in your own system. Lists can be filtered by it, and `PUT …/by-external/:externalId` creates or changes by it. A POST does not refuse an id that is in use.',
  examples: ['crm-4711'],
})
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_METADATA,
  propertyNames: { type: 'string', minLength: 1, maxLength: 40 },
  additionalProperties: { type: 'string', maxLength: 500 },
  description: `Your own texts, with at most ${MAX_METADATA} keys. An edit replaces all of them.`,
  examples: [{ salesperson: 'Ann', tier: 'gold' }],
})
/** These fields in a create or edit body. */
export const keptFields = { externalId: Maybe(ExternalId), metadata: Maybe(Metadata) }
/** What all endpoints that create or change by the external id have in common. */
export const byExternalId = {
  method: 'PUT',
  etag: true,
  dryRun: true,
  status: 201,
  otherStatuses: { 200: 'Changed.' },
  problems: ['external_id_ambiguous'],
} as const
export const BY_EXTERNAL_ID =
  'Creates it (201) if none has this id (deleted ones do not count), otherwise changes it (200): a loop of such calls is a repeatable sync. Creating requires the same fields as a POST; changing leaves omitted fields as they are. Concurrent calls for the same id create only one. If several already have the id, 409 `external_id_ambiguous` names them. `if-match` requires an existing one. A `dryRun` answers without the id, whether it would create or change.'
/** These fields in an answer. */
export const keptShown = { externalId: Nullable(ExternalId), metadata: Metadata }

/** Query parameters of lists of named objects. */
export const listFilters = {
  q: {
    schema: Text(1, 255),
    description: 'Only those whose name (or your own id) contains this text, ignoring case and accents.',
  },
  externalId: { schema: ExternalId, description: 'Only those with this `externalId`.' },
}

/** The query parameter of lists whose deleted objects can be restored. */
export const deletedFilter = {
  deleted: {
    schema: Type.Boolean(),
    description:
      '`true`: instead those that were deleted and can still be restored, each with `deletedAt` and `restorableUntil`.',
  },
}
/** Fields that appear only in such a list. */
export const deletedShown = {
  deletedAt: Type.Optional(UnixTime({ description: 'When it was deleted. Only with `deleted=true`.' })),
  restorableUntil: Type.Optional(
    UnixTime({ description: 'Until when `…/restore` brings it back. Only with `deleted=true`.' }),
  ),
}
