// Named components of the OpenAPI document: every object of the API has a name and is defined once. An object that a
// contract exports has the name of the export; a nested one is named after its place.

import type { TSchema } from 'typebox'

type Json = Record<string, unknown>

/** The standard names of our own formats; null if a format has none. */
const FORMATS: Record<string, string | null> = {
  'unix-time': 'int64',
  money: 'double',
  'http-url': 'uri',
  'time-zone': null,
  'click-parameters': null,
  month: null,
}

export interface Components {
  schemas: Record<string, Json>
  /** Returns the schema with each object in it replaced by a reference; `hint` names an object that has no name yet. */
  refer(schema: TSchema, hint: string): Json
}

export function createComponents(named: Record<string, TSchema>): Components {
  const schemas: Record<string, Json> = {}
  /** Names by content: a copy that was made optional is the same object. */
  const names = new Map<string, string>()
  for (const [name, schema] of Object.entries(named)) {
    const text = JSON.stringify(schema)
    if (!names.has(text)) names.set(text, name)
  }

  function refer(schema: TSchema, hint: string): Json {
    const json = schema as unknown as Json
    return isObject(json) ? { $ref: `#/components/schemas/${nameOf(json, hint)}` } : within(json, hint)
  }

  function nameOf(json: Json, hint: string): string {
    const text = JSON.stringify(json)
    const name = names.get(text) ?? unused(hint)
    names.set(text, name)
    // The name is registered before the schema is filled in, so that nothing else takes it.
    if (!schemas[name]) {
      schemas[name] = {}
      Object.assign(schemas[name], within(json, name))
    }
    return name
  }

  function unused(hint: string): string {
    const taken = new Set(names.values())
    let name = hint
    for (let n = 2; taken.has(name); n++) name = `${hint}${n}`
    return name
  }

  /** Refers every part that may contain an object. */
  function within(json: Json, hint: string): Json {
    const { properties, items, anyOf, format, additionalProperties: others, ...rest } = json
    const result: Json = { ...rest }
    const known = typeof format === 'string' && format in FORMATS ? FORMATS[format] : format
    if (typeof known === 'string') result.format = known
    if (properties) {
      result.properties = Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [
          name,
          refer(value as TSchema, hint + pascal(name)),
        ]),
      )
    }
    if (items) result.items = refer(items as TSchema, `${hint}Item`)
    if (others !== undefined) {
      const isSchema = typeof others === 'object'
      result.additionalProperties = isSchema ? refer(others as TSchema, `${hint}Value`) : others
    }
    if (anyOf) result.anyOf = (anyOf as TSchema[]).map(branch => refer(branch, hint))
    return result
  }

  return { schemas, refer }
}

function isObject(json: Json): boolean {
  return json.type === 'object' && Object.keys((json.properties as object | undefined) ?? {}).length > 0
}

export function pascal(name: string): string {
  const letters = name.replaceAll(/\W+(\w)?/g, (_, letter?: string) => letter?.toUpperCase() ?? '')
  return letters.charAt(0).toUpperCase() + letters.slice(1)
}
