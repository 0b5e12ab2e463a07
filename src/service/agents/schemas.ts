// The contracts' schemas as tools show them: without what only people read, and without fields that an agent has no use
// for. A field that a contract gains appears in the tools by itself.

import type { TSchema } from 'typebox'
import type { Schema } from '../../http/validate.ts'
import { readTime } from './words.ts'

type Json = Record<string, unknown>

/** Ids and texts of other systems, second names of fields, and times that the history has. */
export const NOT_FOR_AGENTS = [
  'externalId',
  'metadata',
  'freq',
  'creativeUrl',
  'created',
  'updated',
  'deletedAt',
  'restorableUntil',
]

/** The schema without these fields, at any depth. */
export function without<T extends TSchema>(schema: T, names: readonly string[] = NOT_FOR_AGENTS): T {
  return mapped(schema as unknown as Json, one => {
    if (!one.properties) return one
    const kept = Object.entries(one.properties as Json).filter(([name]) => !names.includes(name))
    const required = ((one.required ?? []) as string[]).filter(name => !names.includes(name))
    return { ...one, properties: Object.fromEntries(kept), required }
  }) as unknown as T
}

/** The value without these fields, at any depth. */
export function stripped<T>(value: T, names: readonly string[] = NOT_FOR_AGENTS): T {
  if (Array.isArray(value)) return value.map(item => stripped(item, names)) as T
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, stripped(inner, names)])) as T
}

/**
 * What a model is told of an input: names, types and what they mean. Bounds are left out, since an error names those
 * that matter; so is null, which means the same as leaving a field out. Times may be text, which `readTimes` reads.
 */
export function shownInput(schema: TSchema): Json {
  const shown = mapped(schema as unknown as Json, one => {
    const { description, anyOf, ...rest } = plain(one)
    const value = valueIn(anyOf as Json[] | undefined)
    const about = typeof description === 'string' ? firstSentences(description) : ''
    return {
      ...(value ?? (anyOf ? { ...rest, anyOf } : rest)),
      ...(one.format === 'unix-time' ? { type: ['integer', 'string'] } : {}),
      ...(about === '' || SAID_BY_NAME.test(about) ? {} : { description: about }),
    }
  })
  return { ...shown, additionalProperties: false }
}

/** What a program is told of an answer: its form, without descriptions, and without that of what lies deep inside. */
export function shownOutput(schema: TSchema): Json {
  const shown = mapped(schema as unknown as Json, one => {
    const { description: _, anyOf, ...all } = plain(one)
    const { enum: options, ...others } = all
    const rest = ((options ?? []) as unknown[]).length > MOST_OPTIONS ? others : all
    const value = valueIn(anyOf as Json[] | undefined)
    if (value === null) return anyOf ? { ...rest, anyOf } : rest
    const nullable = value.enum ? { enum: [...(value.enum as unknown[]), null] } : {}
    return { ...value, ...nullable, type: [value.type, 'null'] }
  })
  return shallow(shown, MOST_LEVELS)
}

/** Replaces the texts of times by Unix seconds. What is no time stays as it is, for the check that follows. */
export function readTimes(schema: Schema, value: unknown, zone: string): unknown {
  if (schema.format === 'unix-time' && typeof value === 'string') return readTime(value, zone) ?? value
  const branch = schema.anyOf?.find(({ type }) => type !== 'null')
  if (branch) return readTimes(branch, value, zone)
  if (Array.isArray(value))
    return schema.items ? value.map(item => readTimes(schema.items!, item, zone)) : value
  if (typeof value !== 'object' || value === null || !schema.properties) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const field = schema.properties![name]
    return [name, field ? readTimes(field, inner, zone) : inner]
  })
  return Object.fromEntries(entries)
}

/** Whether any field takes a time. */
export function takesTimes(schema: Schema): boolean {
  return JSON.stringify(schema).includes('"format":"unix-time"')
}

const LONGEST_ABOUT = 160
/** A longer list of options says more than an answer has to. */
const MOST_OPTIONS = 10

/** Whole sentences, as many as fit; the first one always. */
function firstSentences(text: string): string {
  const sentences = text.split(/(?<=[.;]) /)
  let shown = sentences[0]!
  for (const next of sentences.slice(1)) {
    if (shown.length + next.length > LONGEST_ABOUT) break
    shown += ` ${next}`
  }
  return shown.replace(/;$/, '.')
}

/** Descriptions that say no more than the name of their field. */
const SAID_BY_NAME = /^(Whether to reach|Hours of this day|Internal name|Latitude|Longitude)/

/** Bounds, and words of our own, which checkers of others do not know. */
const LEFT_OUT =
  /^(x-.*|examples|format|minimum|maximum|minLength|maxLength|minItems|maxItems|pattern|additionalProperties|default)$/

function plain(schema: Json): Json {
  const isOpen = schema.additionalProperties === true
  const kept = Object.entries(schema).filter(
    ([name, value]) => !LEFT_OUT.test(name) && !(name === 'required' && (value as unknown[]).length === 0),
  )
  return { ...Object.fromEntries(kept), ...(isOpen ? { additionalProperties: true } : {}) }
}

/** The only branch besides null; null if there is none. */
function valueIn(branches: Json[] | undefined): Json | null {
  if (branches?.length !== 2 || !branches.some(({ type }) => type === 'null')) return null
  const value = branches.find(({ type }) => type !== 'null')!
  return typeof value.type === 'string' ? value : null
}

/** The answer, and the objects in it. */
const MOST_LEVELS = 2

function shallow(schema: Json, levels: number): Json {
  const branches = (schema.anyOf ?? []) as Json[]
  if (levels === 0 && branches.some(({ type }) => type === 'object')) return { type: 'object' }
  if (levels === 0 && schema.properties) return { type: schema.type }
  const inner: Json = { ...schema }
  if (schema.items) inner.items = shallow(schema.items as Json, levels)
  if (!schema.properties) return inner
  const fields = Object.entries(schema.properties as Record<string, Json>)
  return {
    ...inner,
    properties: Object.fromEntries(fields.map(([name, one]) => [name, shallow(one, levels - 1)])),
  }
}

/** Applies `change` to every schema inside, innermost first. */
function mapped(schema: Json, change: (schema: Json) => Json): Json {
  const inner: Json = { ...schema }
  if (schema.properties) {
    const fields = Object.entries(schema.properties as Record<string, Json>)
    inner.properties = Object.fromEntries(fields.map(([name, field]) => [name, mapped(field, change)]))
  }
  if (schema.items) inner.items = mapped(schema.items as Json, change)
  for (const word of ['anyOf', 'prefixItems'])
    if (schema[word]) inner[word] = (schema[word] as Json[]).map(each => mapped(each, change))
  return change(inner)
}
