// The body of a write: checked against its contract, after read-only fields that were sent back are removed.

import { isDeepStrictEqual } from 'node:util'
import { type FieldError, fieldError } from '../kernel/errors/field-error.ts'
import { invalidInput } from '../kernel/errors/problem.ts'
import type { EndpointSpec } from './endpoint.ts'
import { type Schema, validate } from './validate.ts'

/** The object as it is shown now, only for an edit; null if there is none yet. */
export type Present = () => Promise<object | null>

export async function readBody(endpoint: EndpointSpec, body: unknown, present?: Present): Promise<unknown> {
  if (!endpoint.body) {
    checkNothing(body)
    return undefined
  }
  const given = body === undefined && endpoint.bodyOptional ? {} : body
  const rest = present && isRecord(given) ? await withoutReadOnly(endpoint, given, present) : given
  const checked = validate(endpoint.body as Schema, rest)
  if (!checked.ok) throw invalidInput(checked.errors)
  return checked.value
}

const NOTHING: Schema = { type: 'object', additionalProperties: false }

/** Where no body is taken, nothing that is sent in one is lost in silence. */
function checkNothing(body: unknown): void {
  const checked = validate(NOTHING, body ?? {})
  if (!checked.ok) throw invalidInput(checked.errors)
}

/** The answer of a GET can be sent back: a read-only field is ignored if it still has its current value. */
async function withoutReadOnly(
  endpoint: EndpointSpec,
  body: Record<string, unknown>,
  present: Present,
): Promise<Record<string, unknown>> {
  const names = readOnlyFields(endpoint).filter(name => Object.hasOwn(body, name))
  if (names.length === 0) return body
  const now = (await present()) as Record<string, unknown> | null
  if (now === null) return body
  const rest = { ...body }
  const errors: FieldError[] = []
  for (const name of names) {
    delete rest[name]
    if (isDeepStrictEqual(body[name], now[name])) continue
    errors.push(fieldError(`/${name}`, 'read_only', { current: now[name] }))
  }
  if (errors.length > 0) throw invalidInput(errors)
  return rest
}

/** Fields that the answer shows and the body does not accept. */
export function readOnlyFields(endpoint: EndpointSpec): string[] {
  const taken = (endpoint.body as Schema | undefined)?.properties ?? {}
  const shown = (endpoint.answer as Schema | null)?.properties ?? {}
  return Object.keys(shown).filter(name => !Object.hasOwn(taken, name))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
