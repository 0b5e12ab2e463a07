// Checks a value against a contract's schema and says for each wrong field what is wrong and what is allowed. It is our
// own because it also trims text, counts code points, refuses NUL and lone surrogates, checks money in cents and gives
// every error a code, its values and a sentence. It knows only the part of JSON Schema that our contracts use.

import { isHttpUrl, readEmail } from '../kernel/address.ts'
import { clickParametersFault } from '../kernel/click-parameters.ts'
import {
  type FieldError,
  type FieldErrorCode,
  type FieldErrorParams,
  fieldError,
} from '../kernel/errors/field-error.ts'
import type { Given, ValueType } from '../kernel/errors/sentence.ts'
import { toMicros, withoutNoise } from '../kernel/money.ts'
import { MAX_TIME_SECONDS } from '../kernel/time/clock.ts'
import { isDay, isTimeZone } from '../kernel/time/day.ts'

/** The JSON Schema keywords that our contracts use. */
export interface Schema {
  type?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  maxProperties?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  /** Two times of the object; the first must be earlier. */
  'x-before'?: ['start', 'end']
  /** Another name of the field: one of the two is required. */
  'x-alias'?: string
}

export type Checked = { ok: true; value: unknown } | { ok: false; errors: FieldError[] }

export const MAX_ERRORS = 20

export function validate(schema: Schema, input: unknown): Checked {
  const errors: FieldError[] = []
  const value = check(schema, input, '', errors)
  return errors.length === 0 ? { ok: true, value } : { ok: false, errors: errors.slice(0, MAX_ERRORS) }
}

/** Records an error and returns the value as it was given. */
type Fail = <C extends FieldErrorCode>(code: C, ...given: Given<FieldErrorParams[C]>) => unknown

function check(schema: Schema, value: unknown, path: string, errors: FieldError[]): unknown {
  if (errors.length >= MAX_ERRORS) return value
  const fail: Fail = (code, ...given) => {
    errors.push(fieldError(path, code, ...given))
    return value
  }
  const wrongType = () => {
    errors.push(typeError(path, [typeOf(schema)], value))
    return value
  }
  if (schema.anyOf) return checkUnion(schema.anyOf, value, path, errors)
  const allowed = schema.const === undefined ? schema.enum : [schema.const]
  if (allowed) return allowed.includes(value) ? value : fail('not_an_option', { allowed })
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return wrongType()
      return schema.format === 'click-parameters'
        ? checkClickParameters(schema, value, path, errors)
        : checkText(schema, value, fail)
    case 'integer':
    case 'number':
      return typeof value === 'number' ? checkNumber(schema, value, fail) : wrongType()
    case 'boolean':
      return typeof value === 'boolean' ? value : wrongType()
    case 'null':
      return value === null ? value : wrongType()
    case 'array':
      return Array.isArray(value) ? checkArray(schema, value, path, errors) : wrongType()
    case 'object':
      return isObject(value) ? checkObject(schema, value, path, errors) : wrongType()
    default:
      return value
  }
}

/**
 * An allowed null passes, and so does an empty text in its place. Otherwise the errors of the branch that best fits the
 * kind of value are reported.
 */
function checkUnion(branches: Schema[], value: unknown, path: string, errors: FieldError[]): unknown {
  const nullable = branches.some(branch => branch.type === 'null')
  if (value === null && nullable) return null
  const others = branches.filter(branch => branch.type !== 'null')
  const isText = others.every(
    branch => branch.type === 'string' && !branch.enum && branch.const === undefined,
  )
  if (nullable && isText && typeof value === 'string' && value.trim() === '') return null
  if (others.length === 1) return check(others[0]!, value, path, errors)
  if (others.every(branch => branch.const !== undefined)) {
    return check({ enum: others.map(branch => branch.const) }, value, path, errors)
  }
  for (const branch of others) {
    const attempt: FieldError[] = []
    const result = check(branch, value, path, attempt)
    if (attempt.length === 0) return result
  }
  const fitting = others.find(branch => sameKind(branch, value))
  if (fitting) return check(fitting, value, path, errors)
  const expected = [...new Set(others.map(typeOf))]
  errors.push(typeError(path, expected, value))
  return value
}

function checkText(schema: Schema, raw: string, fail: Fail): unknown {
  if (!raw.isWellFormed()) return fail('broken_unicode')
  if (raw.includes('\u0000')) return fail('nul_character')
  const value = raw.trim()
  const length = codePoints(value)
  const { minLength: min = 0, maxLength: max = Number.POSITIVE_INFINITY, format, pattern } = schema
  if (length < min) return min === 1 ? fail('empty') : fail('too_short', { min, length })
  if (length > max) return fail('too_long', { max, length })
  if (format === 'email') return readEmail(value) ?? fail('not_an_email')
  if (format === 'http-url' && !isHttpUrl(value)) return fail('not_a_url')
  if (format === 'date' && !isDay(value)) return fail('not_a_day')
  if (format === 'time-zone' && !isTimeZone(value)) return fail('not_a_time_zone')
  if (pattern && !new RegExp(pattern, 'u').test(value))
    return format === 'month' ? fail('not_a_month') : fail('wrong_format', { pattern })
  return value
}

function checkClickParameters(schema: Schema, raw: string, path: string, errors: FieldError[]): unknown {
  const before = errors.length
  const checked = check({ ...schema, format: '' }, raw, path, errors)
  const fault = errors.length === before ? clickParametersFault(path, checked as string) : null
  if (fault) errors.push(fault)
  return checked
}

const MONEY_DECIMALS = 2

function checkNumber(schema: Schema, given: number, fail: Fail): unknown {
  const isTime = schema.format === 'unix-time'
  const value = schema.format === 'money' ? withoutNoise(given) : given
  const { minimum: min = Number.MIN_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER } = schema
  if (isTime && value > MAX_TIME_SECONDS) return fail('milliseconds', { value })
  if (isTime && !(Number.isInteger(value) && value >= min && value <= max)) return fail('not_a_time')
  if (schema.type === 'integer' && !Number.isInteger(value)) return fail('not_an_integer')
  if (value < min) return fail('too_small', { expected: typeOf(schema), min, max })
  if (value > max) return fail('too_large', { expected: typeOf(schema), min, max })
  if (schema.format === 'money' && toMicros(value) === null)
    return fail('too_many_decimals', { max: MONEY_DECIMALS })
  return value
}

function checkArray(schema: Schema, value: unknown[], path: string, errors: FieldError[]): unknown {
  const { minItems: min = 0, maxItems: max = Number.MAX_SAFE_INTEGER, items } = schema
  const count = value.length
  if (count < min || count > max) {
    errors.push(
      min === max
        ? fieldError(path, 'wrong_number_of_entries', { expected: min, count })
        : fieldError(path, count < min ? 'too_few_entries' : 'too_many_entries', { min, max, count }),
    )
    return value
  }
  return items ? value.map((item, index) => check(items, item, `${path}/${index}`, errors)) : value
}

function checkObject(
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  errors: FieldError[],
): Record<string, unknown> {
  const properties = schema.properties ?? {}
  const { additionalProperties: others, propertyNames, maxProperties } = schema
  const result: Record<string, unknown> = {}
  const keys = Object.keys(value)
  if (maxProperties !== undefined && keys.length > maxProperties) {
    errors.push(fieldError(path, 'too_many_keys', { max: maxProperties, count: keys.length }))
    return result
  }
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key]! : isObject(others) ? others : null
    if (propertyNames) check(propertyNames, key, `${path}/${pointer(key)}`, errors)
    if (property) define(result, key, check(property, value[key], `${path}/${pointer(key)}`, errors))
    else if (others === false) {
      const allowed = Object.keys(properties)
      errors.push(fieldError(`${path}/${pointer(key)}`, 'unknown_field', { allowed }))
    } else result[key] = value[key]
    if (errors.length >= MAX_ERRORS) return result
  }
  for (const key of schema.required ?? []) {
    const alias = properties[key]?.['x-alias']
    if (alias !== undefined && Object.hasOwn(result, alias) && result[alias] !== null) continue
    if (!Object.hasOwn(value, key)) errors.push(fieldError(`${path}/${pointer(key)}`, 'required'))
  }
  const disorder = schema['x-before'] && disordered(schema['x-before'], result, path, errors)
  if (disorder) errors.push(disorder)
  return result
}

/** Reported beside the errors of other fields, but not if one of the two is wrong by itself. */
function disordered(
  [first, second]: ['start', 'end'],
  value: Record<string, unknown>,
  path: string,
  errors: FieldError[],
): FieldError | null {
  const [low, high] = [value[first], value[second]]
  if (typeof low !== 'number' || typeof high !== 'number' || low < high) return null
  const paths = [`${path}/${first}`, `${path}/${second}`]
  if (errors.some(error => paths.includes(error.path))) return null
  return fieldError(paths[1]!, 'not_after_start', { start: low })
}

/** Even a key such as `__proto__` is only a key. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

function codePoints(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xdc00 || unit > 0xdfff) count++
  }
  return count
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON pointer, with odd keys cut short so that an answer stays readable. */
export function pointer(key: string): string {
  const text = key.toWellFormed().slice(0, 100)
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}

function typeError(path: string, expected: ValueType[], value: unknown): FieldError {
  return value === undefined
    ? fieldError(path, 'missing', { expected })
    : fieldError(path, 'wrong_type', { expected, found: kindOf(value) })
}

function kindOf(value: unknown): ValueType {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as ValueType)
}

function sameKind(schema: Schema, value: unknown): boolean {
  const kind = Array.isArray(value) ? 'array' : typeof value
  return schema.type === kind || (schema.type === 'integer' && kind === 'number')
}

/** The type of value that this schema describes; for a closed list, that of its first entry. */
function typeOf({ type, format, const: only, enum: allowed }: Schema): ValueType {
  if (format === 'unix-time') return 'time'
  if (format === 'money') return 'amount'
  return (type as ValueType | undefined) ?? kindOf(only ?? allowed?.[0])
}
