// Schemas as lists of fields. What only one place uses is shown there, field by field; an object of several places has
// a section of its own, which the others link to.

import { escapeHtml } from '../../deliver/markup/escape.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export interface Schemas {
  /** The type in a few words, with links to objects. */
  type(schema: Schema): string
  row(name: string, type: string, isRequired: boolean, description: string): string
  /** All fields, or a link to the object. Of a body it says what is required, of an answer what may be missing. */
  fields(schema: Schema, isBody?: boolean): string
  /** The objects that links lead to, by name. */
  objects(): [name: string, html: string][]
}

const PREFIX = '#/components/schemas/'
const MOST_DEPTH = 4
const FORMATS: Record<string, string> = { int64: ', Unix seconds', double: '' }

export function createSchemas(
  document: { components: { schemas: Record<string, Schema> } },
  inline: (text: string) => string,
): Schemas {
  const components = document.components.schemas
  const places = new Map<string, number>()
  JSON.stringify(document, (key, value) => {
    if (key === '$ref') places.set(value, (places.get(value) ?? 0) + 1)
    return value
  })
  /** By name, whether a body has it. */
  const linked = new Map([['Error', false]])
  let isOfBody = false
  const nameOf = ($ref: string) => $ref.slice(PREFIX.length)
  const isShared = ($ref: string) => places.get($ref)! > 1

  function linkTo($ref: string): string {
    linked.set(nameOf($ref), isOfBody || (linked.get(nameOf($ref)) ?? false))
    return `<a href="#object-${nameOf($ref)}">${nameOf($ref)}</a>`
  }

  /** The schema that a reference of one place leads to. */
  function opened(schema: Schema): Schema {
    return schema.$ref && !isShared(schema.$ref) ? components[nameOf(schema.$ref)]! : schema
  }

  function type(schema: Schema): string {
    const one = opened(schema)
    if (one.$ref) return linkTo(one.$ref)
    if ('const' in one) return `<code>${escapeHtml(JSON.stringify(one.const))}</code>`
    if (one.enum) return one.enum.map(value => `<code>${escapeHtml(String(value))}</code>`).join(' ')
    if (one.anyOf) return [...new Set(one.anyOf.map(type))].join(' or ')
    if (one.type === 'array') return `${one.items ? `array of ${type(one.items)}` : 'array'}${bounds(one)}`
    return `${[one.type ?? 'any'].flat().join(' or ')}${bounds(one)}`
  }

  function row(name: string, type: string, isRequired: boolean, description: string): string {
    return `<dt><code>${escapeHtml(name)}</code> <span>${type}</span>${isRequired ? ' <em>required</em>' : ''}</dt><dd>${inline(description)}</dd>`
  }

  /** The objects inside a schema, with what leads to them. */
  function* within(schema: Schema, prefix: string): Generator<[Schema, string]> {
    const one = opened(schema)
    if (one.properties) yield [one, prefix]
    if (one.items) yield* within(one.items, `${prefix}[]`)
    for (const branch of one.anyOf ?? []) yield* within(branch, prefix)
  }

  function rows(object: Schema, prefix: string, depth: number): string {
    return Object.entries(object.properties ?? {})
      .map(([key, schema]) => {
        const name = prefix ? `${prefix}.${key}` : key
        const isRequired = object.required?.includes(key) ?? false
        const description = schema.description ?? opened(schema).description ?? ''
        const kind = `${type(schema)}${isRequired || isOfBody ? '' : ', not always there'}`
        const own = row(name, kind, isRequired && isOfBody, description)
        if (depth >= MOST_DEPTH) return own
        return own + [...within(schema, name)].map(([one, at]) => rows(one, at, depth + 1)).join('')
      })
      .join('')
  }

  function fields(schema: Schema, isBody = false): string {
    isOfBody = isBody
    const objects = [...within(schema, '')]
    if (objects.length === 0) return `<p>${type(schema)}</p>`
    return objects.map(([one, prefix]) => `<dl>${rows(one, prefix, 0)}</dl>`).join('<p>or</p>')
  }

  function objects(): [string, string][] {
    const shown: [string, string][] = []
    // Describing an object may link to further ones, which follow.
    for (const [name, isBody] of linked) shown.push([name, fields(components[name]!, isBody)])
    return shown.toSorted(([a], [b]) => a.localeCompare(b))
  }

  return { type, row, fields, objects }
}

/** What a client must know besides the type; that ids are positive goes without saying. */
function bounds({ format = '', minimum, maximum, minLength, maxLength, maxItems }: Schema): string {
  const range = (low: number | undefined, high: number | undefined, unit: string) => {
    if (high !== undefined && high < 1e9)
      return `, ${low === undefined ? 'at most' : `${low} to`} ${high.toLocaleString('en')}${unit}`
    return low !== undefined && low > 1 ? `, at least ${low}${unit}` : ''
  }
  const named = FORMATS[format] ?? (format ? `, ${format}` : '')
  const many = maxItems === undefined ? '' : `, at most ${maxItems.toLocaleString('en')}`
  return named + range(minimum, maximum, '') + range(minLength, maxLength, ' characters') + many
}
