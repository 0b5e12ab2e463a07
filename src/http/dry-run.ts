// What a dry run answers: the object as it would be, marked `dryRun`, without the ids of what it would create. Such an
// id would look valid but mean nothing. Browser-safe, so that the client can know its type.

import type { TSchema } from 'typebox'
import type { EndpointSpec } from './endpoint.ts'

type Json = Record<string, unknown>

/** The fields in which a created object holds the objects created with it. */
const BENEATH = ['flights', 'personas', 'banners']

/** An answer of this endpoint without the ids of objects that were not created after all. */
export function withoutNewIds(body: unknown, makes: readonly string[]): unknown {
  if (Array.isArray(body)) return body.map(item => withoutNewIds(item, makes))
  if (typeof body !== 'object' || body === null) return body
  const kept = Object.entries(body).filter(([name]) => !makes.includes(name))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (BENEATH.includes(name)) return [name, withoutNewIds(value, makes)]
      return [name, name === WITH_IDS && typeof value === 'string' ? namesFor(value, body, makes) : value]
    }),
  )
}

/** The field whose text may contain ids. */
const WITH_IDS = 'landingUrl'

/** In the place of each id stands its name. */
function namesFor(text: string, body: object, makes: readonly string[]): string {
  const ids = Object.entries(body).filter(([name, id]) => makes.includes(name) && Number.isInteger(id))
  return ids.reduce(
    (done, [name, id]) => done.replaceAll(new RegExp(`(?<!\\d)${id}(?!\\d)`, 'g'), `{${name}}`),
    text,
  )
}

interface Outcome {
  /** In currency units. */
  costsAtMost: number
  wouldPropose: boolean
}

export function triedAnswer(
  body: unknown,
  { makes = [] }: EndpointSpec,
  { costsAtMost, wouldPropose }: Outcome,
): unknown {
  const marks = { dryRun: true, costsAtMost, ...(wouldPropose ? { wouldPropose } : {}) }
  return { ...marks, ...(withoutNewIds(body, makes) as object) }
}

const WOULD_PROPOSE = {
  type: 'boolean',
  const: true,
  description: 'With `dryRun`: it would become a proposal.',
}
const COSTS_AT_MOST = {
  type: 'number',
  minimum: 0,
  description: 'With `dryRun`: the most that the change would let be spent more, until the end.',
}

/** The schema of `triedAnswer`. */
export function triedSchema({ answer, makes = [] }: EndpointSpec): TSchema {
  const { properties, required, ...rest } = withoutNewProperties(answer as unknown as Json, makes) as {
    properties: Json
    required: string[]
  }
  const dryRun = { type: 'boolean', const: true, description: 'Nothing was kept.' }
  return {
    ...rest,
    properties: { dryRun, costsAtMost: COSTS_AT_MOST, wouldPropose: WOULD_PROPOSE, ...properties },
    required: ['dryRun', 'costsAtMost', ...required.filter(name => name !== 'dryRun')],
  } as unknown as TSchema
}

function withoutNewProperties(schema: Json, makes: readonly string[]): Json {
  if (schema.type === 'array') return { ...schema, items: withoutNewProperties(schema.items as Json, makes) }
  const properties = Object.entries(schema.properties as Json)
    .filter(([name]) => !makes.includes(name))
    .map(([name, value]) => [
      name,
      BENEATH.includes(name) ? withoutNewProperties(value as Json, makes) : value,
    ])
  const required = ((schema.required ?? []) as string[]).filter(name => !makes.includes(name))
  return { ...schema, properties: Object.fromEntries(properties), required }
}
