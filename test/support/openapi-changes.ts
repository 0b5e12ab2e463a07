// Changes between two OpenAPI documents that would break a client of the first. In requests, nothing may be removed or
// newly required; in answers, nothing may disappear or change its type.

// biome-ignore lint/suspicious/noExplicitAny: a document is any JSON.
type Json = any
type Direction = 'sent' | 'answered'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export function breakingChanges(before: Json, after: Json): string[] {
  const broken: string[] = []
  for (const [path, item] of Object.entries<Json>(before.paths)) {
    for (const method of METHODS.filter(name => item[name])) {
      const place = `${method.toUpperCase()} ${path}`
      const now = after.paths[path]?.[method]
      if (!now) broken.push(`${place} is gone`)
      else broken.push(...operation(place, item[method], now, before, after))
    }
  }
  return [...new Set(broken)]
}

function operation(place: string, old: Json, now: Json, before: Json, after: Json): string[] {
  const broken: string[] = []
  const [oldParameters, parameters] = [parametersOf(old, before), parametersOf(now, after)]
  for (const [name, parameter] of oldParameters) {
    const known = parameters.get(name)
    if (!known) broken.push(`${place}: ${name} is gone`)
    else broken.push(...compare(`${place}: ${name}`, parameter.schema, known.schema, 'sent', before, after))
  }
  for (const [name, parameter] of parameters) {
    if (parameter.required && !oldParameters.get(name)?.required) broken.push(`${place}: ${name} is required`)
  }
  for (const [type, media] of contentOf(old.requestBody, before)) {
    const known = contentOf(now.requestBody, after).get(type)
    if (!known) broken.push(`${place}: ${type} is not taken any more`)
    else broken.push(...compare(`${place}: body`, media.schema, known.schema, 'sent', before, after))
  }
  for (const status of Object.keys(old.responses).filter(
    code => code.startsWith('2') || code.startsWith('3'),
  )) {
    const answer = now.responses[status]
    if (!answer) broken.push(`${place}: ${status} is gone`)
    const known = contentOf(answer, after)
    const was = contentOf(old.responses[status], before)
    const isThere = new Set([...known.keys(), ...otherTypes(answer, after)])
    for (const type of [...was.keys(), ...otherTypes(old.responses[status], before)]) {
      const [media, now] = [was.get(type), known.get(type)]
      if (!isThere.has(type)) broken.push(`${place}: ${status} has no ${type} any more`)
      else if (media && now)
        broken.push(...compare(`${place}: ${status}`, media.schema, now.schema, 'answered', before, after))
    }
  }
  return broken
}

function parametersOf(of: Json, document: Json): Map<string, Json> {
  const all: Json[] = (of.parameters ?? []).map((parameter: Json) => resolve(parameter, document))
  return new Map(all.map(parameter => [`${parameter.in} ${parameter.name.toLowerCase()}`, parameter]))
}

/** Types of an answer besides its contents. */
function otherTypes(of: Json, document: Json): string[] {
  return resolve(of, document)?.['x-other-media-types'] ?? []
}

function contentOf(of: Json, document: Json): Map<string, Json> {
  return new Map(Object.entries(resolve(of, document)?.content ?? {}))
}

function resolve(value: Json, document: Json): Json {
  let found = value
  while (found?.$ref) {
    const steps: string[] = found.$ref.slice(2).split('/')
    found = steps.reduce((at: Json, step) => at?.[step], document)
  }
  return found
}

const BOUNDS: [string, (old: number, now: number) => boolean][] = [
  ['maxLength', (old, now) => now < old],
  ['maxItems', (old, now) => now < old],
  ['maximum', (old, now) => now < old],
  ['minLength', (old, now) => now > old],
  ['minItems', (old, now) => now > old],
  ['minimum', (old, now) => now > old],
]

function compare(
  place: string,
  oldSchema: Json,
  nowSchema: Json,
  direction: Direction,
  before: Json,
  after: Json,
): string[] {
  const old = resolve(oldSchema, before)
  const now = resolve(nowSchema, after)
  if (!old || !now) return []
  const [oldTypes, types] = [typesOf(old, before), typesOf(now, after)]
  const missing =
    direction === 'sent'
      ? oldTypes.filter(type => !accepts(types, type))
      : types.filter(type => !accepts(oldTypes, type))
  if (missing.length > 0) {
    return [
      `${place}: ${direction === 'sent' ? `${missing} is not taken any more` : `may be ${missing} now`}`,
    ]
  }
  const inner = (name: string, a: Json, b: Json) =>
    compare(`${place}.${name}`, a, b, direction, before, after)
  const broken = direction === 'sent' ? narrowed(place, old, now) : lost(place, old, now)
  for (const [name, schema] of Object.entries(old.properties ?? {})) {
    const known = now.properties?.[name]
    if (known) broken.push(...inner(name, schema, known))
    else if (direction === 'answered' || now.additionalProperties === false)
      broken.push(`${place}.${name} is gone`)
  }
  if (old.items && now.items) broken.push(...inner('[]', old.items, now.items))
  return broken
}

function typesOf(of: Json, document: Json): string[] {
  const schema = resolve(of, document)
  const choice: Json[] | undefined = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choice) return choice.flatMap(one => typesOf(one, document))
  if (schema.const !== undefined) return [typeof schema.const]
  return schema.type === undefined ? [] : [schema.type].flat()
}

/** No type means any type; an integer is a number. */
function accepts(types: string[], type: string): boolean {
  return types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'))
}

/** Breaking changes of requests: fewer values, tighter bounds, more required fields. */
function narrowed(place: string, old: Json, now: Json): string[] {
  const broken: string[] = []
  const wasRequired: string[] = old.required ?? []
  for (const name of now.required ?? []) {
    if (!wasRequired.includes(name)) broken.push(`${place}.${name} is required`)
  }
  const values: Json[] = now.enum ?? old.enum ?? []
  for (const value of old.enum ?? []) {
    if (!values.includes(value)) broken.push(`${place}: ${JSON.stringify(value)} is not taken any more`)
  }
  if (now.enum && !old.enum) broken.push(`${place}: only some values are taken now`)
  for (const [bound, isTighter] of BOUNDS) {
    if (now[bound] !== undefined && (old[bound] === undefined || isTighter(old[bound], now[bound]))) {
      broken.push(`${place}: ${bound} is ${now[bound]}, was ${old[bound]}`)
    }
  }
  return broken
}

/** Breaking changes of answers: a field that was always present may now be missing. */
function lost(place: string, old: Json, now: Json): string[] {
  const stays: string[] = now.required ?? []
  const wasThere: string[] = old.required ?? []
  return wasThere
    .filter(name => now.properties?.[name] && !stays.includes(name))
    .map(name => `${place}.${name} may be missing now`)
}

const TEXTS = new Set(['description', 'summary', 'examples', 'example', 'tags'])

/** Keeps only the parts that a program depends on. */
export function withoutTexts(document: Json): Json {
  const { openapi, info, paths, components } = document
  return bare({ openapi, info, paths, components }, false)
}

function bare(value: Json, areNames: boolean): Json {
  if (Array.isArray(value)) return value.map(item => bare(item, false))
  if (value === null || typeof value !== 'object') return value
  const kept = Object.entries(value).filter(([key]) => areNames || !TEXTS.has(key))
  return Object.fromEntries(kept.map(([key, item]) => [key, bare(item, key === 'properties')]))
}

/** Whether two documents describe the same interface, apart from their own names. */
export function isSame(before: Json, after: Json): boolean {
  return JSON.stringify({ ...before, info: null }) === JSON.stringify({ ...after, info: null })
}
