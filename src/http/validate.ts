// Checks a value against a contract's schema and says for each wrong field what is wrong and what is allowed.
// Our own because it also trims text, counts code points, refuses NUL and lone surrogates, checks money by cents
// and gives every error in words. It knows just the part of JSON Schema that our contracts use.

import { isEmail, isHttpUrl } from '../kernel/address.ts'
import { MAX_TIME_SECONDS } from '../kernel/clock.ts'
import { isTimeZone } from '../kernel/day.ts'
import { toMicros, withoutNoise } from '../kernel/money.ts'
import type { FieldError } from '../kernel/problem.ts'

/** The JSON Schema words that our contracts use. */
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
  /** Two number fields, the first of which must be smaller. */
  'x-before'?: [string, string]
  /** Another name of the field: required is one of the two. */
  'x-alias'?: string
}

export type Checked = { ok: true; value: unknown } | { ok: false; errors: FieldError[] }

const MAX_ERRORS = 20

export function validate(schema: Schema, input: unknown): Checked {
  const errors: FieldError[] = []
  const value = check(schema, input, '', errors)
  return errors.length === 0 ? { ok: true, value } : { ok: false, errors: errors.slice(0, MAX_ERRORS) }
}

function check(schema: Schema, value: unknown, path: string, errors: FieldError[]): unknown {
  if (errors.length >= MAX_ERRORS) return value
  const fail = (message: string) => {
    errors.push({ path, message })
    return value
  }
  if (schema.anyOf) return checkUnion(schema.anyOf, value, path, errors)
  if (schema.const !== undefined)
    return value === schema.const ? value : fail(`must be ${show(schema.const)}`)
  if (schema.enum) return schema.enum.includes(value) ? value : fail(`must be ${list(schema.enum.map(show))}`)
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? checkText(schema, value, fail) : fail(wrongType('a string', value))
    case 'integer':
    case 'number':
      return typeof value === 'number'
        ? checkNumber(schema, value, fail)
        : fail(wrongType(numberWord(schema), value))
    case 'boolean':
      return typeof value === 'boolean' ? value : fail(wrongType('true or false', value))
    case 'null':
      return value === null ? value : fail(wrongType('null', value))
    case 'array':
      return Array.isArray(value)
        ? checkArray(schema, value, path, errors)
        : fail(wrongType('an array', value))
    case 'object':
      return isObject(value) ? checkObject(schema, value, path, errors) : fail(wrongType('an object', value))
    default:
      return value
  }
}

/** A null that is allowed passes; otherwise the errors of the branch that best fits the value's kind are reported. */
function checkUnion(branches: Schema[], value: unknown, path: string, errors: FieldError[]): unknown {
  const nullable = branches.some(branch => branch.type === 'null')
  if (value === null && nullable) return null
  const others = branches.filter(branch => branch.type !== 'null')
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
  errors.push({ path, message: `must be ${list(others.map(branch => kindWord(branch)))}` })
  return value
}

function checkText(schema: Schema, raw: string, fail: (message: string) => unknown): unknown {
  if (!raw.isWellFormed()) return fail('must be well-formed Unicode text (it has half of a surrogate pair)')
  if (raw.includes('\u0000')) return fail('must not contain a NUL character')
  const value = raw.trim()
  const length = codePoints(value)
  const min = schema.minLength ?? 0
  if (length < min)
    return fail(min === 1 ? 'must not be empty' : `must have at least ${min} characters, has ${length}`)
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return fail(`must have at most ${schema.maxLength} characters, has ${length}`)
  }
  if (schema.format === 'email' && !isEmail(value))
    return fail('must be an e-mail address such as ann@example.com')
  if (schema.format === 'http-url' && !isHttpUrl(value)) {
    return fail('must be an http or https URL such as https://example.com/')
  }
  if (schema.format === 'time-zone' && !isTimeZone(value)) {
    return fail('must be an IANA time zone such as Europe/Berlin')
  }
  if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value))
    return fail(`must match ${schema.pattern}`)
  return value
}

function checkNumber(schema: Schema, given: number, fail: (message: string) => unknown): unknown {
  const value = schema.format === 'money' ? withoutNoise(given) : given
  if (schema.format === 'unix-time' && value > MAX_TIME_SECONDS) {
    return fail(`must be a Unix time in seconds; ${value} looks like milliseconds`)
  }
  if (schema.type === 'integer' && !Number.isInteger(value)) return fail(`must be ${numberWord(schema)}`)
  const { minimum, maximum } = schema
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum)) {
    return fail(`must be ${numberWord(schema)} ${rangeWords(minimum, maximum)}`)
  }
  if (schema.format === 'money' && toMicros(value) === null) return fail('must have at most 2 decimals')
  return value
}

function checkArray(schema: Schema, value: unknown[], path: string, errors: FieldError[]): unknown {
  const { minItems = 0, maxItems, items } = schema
  if (value.length < minItems || (maxItems !== undefined && value.length > maxItems)) {
    errors.push({ path, message: `must have ${rangeWords(minItems, maxItems)} entries, has ${value.length}` })
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
    errors.push({ path, message: `must have at most ${maxProperties} keys, has ${keys.length}` })
    return result
  }
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key]! : isObject(others) ? others : null
    if (propertyNames) check(propertyNames, key, `${path}/${pointer(key)}`, errors)
    if (property) define(result, key, check(property, value[key], `${path}/${pointer(key)}`, errors))
    else if (others === false) {
      errors.push({
        path: `${path}/${pointer(key)}`,
        message: `is not a field here; allowed: ${Object.keys(properties).join(', ') || 'none'}`,
      })
    } else result[key] = value[key]
    if (errors.length >= MAX_ERRORS) return result
  }
  for (const key of schema.required ?? []) {
    const alias = properties[key]?.['x-alias']
    if (alias !== undefined && Object.hasOwn(value, alias)) continue
    if (!Object.hasOwn(value, key)) errors.push({ path: `${path}/${pointer(key)}`, message: 'is required' })
  }
  const disorder = schema['x-before'] && disordered(schema['x-before'], result, path, errors)
  if (disorder) errors.push(disorder)
  return result
}

/** Beside the errors of other fields; if one of the two is wrong by itself, that is said already. */
function disordered(
  [first, second]: [string, string],
  value: Record<string, unknown>,
  path: string,
  errors: FieldError[],
): FieldError | null {
  const [low, high] = [value[first], value[second]]
  if (typeof low !== 'number' || typeof high !== 'number' || low < high) return null
  const paths = [`${path}/${first}`, `${path}/${second}`]
  if (errors.some(error => paths.includes(error.path))) return null
  return { path: paths[1]!, message: `must be after ${first}, which is ${low}` }
}

/** Also a key like `__proto__` is only a key. */
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
function pointer(key: string): string {
  const text = key.toWellFormed().slice(0, 100)
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}

function wrongType(wanted: string, value: unknown): string {
  return value === undefined ? `is missing; must be ${wanted}` : `must be ${wanted}, not ${kindOf(value)}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value}`
}

function sameKind(schema: Schema, value: unknown): boolean {
  const kind = Array.isArray(value) ? 'array' : typeof value
  return schema.type === kind || (schema.type === 'integer' && kind === 'number')
}

function kindWord(schema: Schema): string {
  if (schema.const !== undefined) return show(schema.const)
  if (schema.enum) return list(schema.enum.map(show))
  const words: Record<string, string> = {
    string: 'a string',
    array: 'an array',
    object: 'an object',
    boolean: 'true or false',
  }
  return words[schema.type ?? ''] ?? numberWord(schema)
}

function numberWord(schema: Schema): string {
  if (schema.format === 'unix-time') return 'a Unix time in seconds (an integer)'
  if (schema.format === 'money') return 'an amount'
  return schema.type === 'integer' ? 'an integer' : 'a number'
}

function rangeWords(min: number | undefined, max: number | undefined): string {
  if (min === max) return String(min)
  if (min !== undefined && max !== undefined && max < Number.MAX_SAFE_INTEGER) return `from ${min} to ${max}`
  return min !== undefined ? `of at least ${min}` : `of at most ${max}`
}

function show(value: unknown): string {
  return JSON.stringify(value)
}

function list(words: string[]): string {
  return words.length < 2 ? (words[0] ?? 'nothing') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
