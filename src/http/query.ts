// Query parameters, read strictly: each at most once, converted according to its schema.

import { type FieldError, fieldError } from '../kernel/errors/field-error.ts'
import { invalidInput } from '../kernel/errors/problem.ts'
import type { EndpointSpec } from './endpoint.ts'
import { mayBeProposed, PROPOSE } from './proposed.ts'
import { type Schema, validate } from './validate.ts'

export const PAGING = {
  limit: {
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    description: 'At most this many entries, with a `link` header to the next page.',
  },
  after: {
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    description: 'Only entries with a larger id: the last id of the previous page.',
  },
} as const

export const DRY_RUN = {
  dryRun: {
    schema: { type: 'boolean' },
    description:
      'Check everything and give the answer that would follow (with 200, `dryRun`, `costsAtMost` and without new ids), but keep nothing.',
  },
} as const

/** Parameters that the gate reads, if credentials may be in the query. */
const CREDENTIALS = ['superkey', 'supertoken', 'key', 'token']

export type QueryValues = Record<string, string | number | boolean | undefined>

const MAX_SHOWN_NAME = 100
const MAX_ERRORS = 20

/** `own`: the customer whose own endpoint it is, which a caller may name once more as `cuid`. */
export type ReadQuery = (raw: Record<string, unknown>, own?: string) => QueryValues

/** Reads the parameters that an endpoint knows and refuses all others, so that no typo goes unnoticed. */
export function queryReader(endpoint: EndpointSpec, allowCredentials: boolean): ReadQuery {
  const wanted: [string, { schema: Schema; required?: boolean }][] = Object.entries({
    ...(endpoint.list ? PAGING : {}),
    ...(endpoint.dryRun ? DRY_RUN : {}),
    ...(mayBeProposed(endpoint) ? PROPOSE : {}),
    ...endpoint.query,
  })
  const shown = [...(endpoint.cuid ? ['cuid'] : []), ...wanted.map(([name]) => name)]
  const allowed = new Set([...shown, ...(allowCredentials ? CREDENTIALS : [])])
  return (raw, own) => {
    const values: QueryValues = {}
    const errors: FieldError[] = []
    for (const name of Object.keys(raw)) {
      if (allowed.has(name) || (name === 'cuid' && own !== undefined && raw.cuid === own)) continue
      const path = `?${name.toWellFormed().slice(0, MAX_SHOWN_NAME)}`
      errors.push(fieldError(path, 'unknown_parameter', { allowed: shown }))
      if (errors.length >= MAX_ERRORS) break
    }
    for (const [name, { schema, required }] of wanted) {
      const text = raw[name]
      if (text === undefined) {
        if (required) errors.push(fieldError(`?${name}`, 'required'))
        continue
      }
      const checked = typeof text === 'string' ? validate(schema, fromText(schema, text)) : null
      if (!checked) errors.push(fieldError(`?${name}`, 'repeated'))
      else if (checked.ok) values[name] = checked.value as string | number | boolean
      else errors.push(...checked.errors.map(error => ({ ...error, path: `?${name}` })))
    }
    if (errors.length > 0) throw invalidInput(errors)
    return values
  }
}

function fromText(schema: Schema, text: string): unknown {
  if (schema.type === 'integer') return /^-?[0-9]{1,16}$/.test(text) ? Number(text) : text
  if (schema.type === 'number') return /^-?[0-9]{1,16}(\.[0-9]{1,16})?$/.test(text) ? Number(text) : text
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}
