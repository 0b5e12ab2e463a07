// The endpoints of the contracts as plain TypeScript without dependencies: the package has this instead of
// endpoints.ts.

import { triedSchema } from '../../src/http/dry-run.ts'
import type { EndpointSpec } from '../../src/http/endpoint.ts'
import { Finding, Wrong } from '../../src/http/failure.ts'
import { mayBeProposed } from '../../src/http/proposed.ts'
import { SENT_EVENTS } from '../../src/notify/webhooks/contract.ts'
import { contracts, endpoints, type Route } from '../endpoints.ts'

interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema | Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  minItems?: number
  maxItems?: number
  description?: string
}

const TEXTS: Record<string, string> = {
  identifier: 'number | string',
  email: 'string',
  key: 'string',
  externalId: 'string',
  sourceKey: 'string',
  listKey: 'string',
  dimension: 'Dimension',
}
const CLIENT_CODES = ['unknown', 'malformed_answer', 'proposed', 'network_error', 'timeout']

/** The name of each exported object, by its content. */
const named = new Map<string, string>()
/** Objects with generated types of their own. */
const OWN_TYPES = new Map([
  [JSON.stringify(Finding), 'Finding'],
  [JSON.stringify(Wrong), 'FieldError'],
])
for (const [name, value] of contracts.flatMap(contract => Object.entries(contract) as [string, Schema][])) {
  const isObject = /^[A-Z][a-z]/.test(name) && value?.type === 'object'
  if (isObject && !named.has(JSON.stringify(value))) named.set(JSON.stringify(value), name)
}

/** The values of each code, with their kinds. */
export type Places = Record<string, [name: string, kind: string][]>

export interface Tables {
  /** The service's error codes. */
  codes: readonly string[]
  /** The causes of the service's problems. */
  problems: Places
  fieldErrors: Places
  /** The field errors that a review or an issue may have. */
  findings: readonly string[]
  /** The types of values that errors name. */
  valueTypes: readonly string[]
  /** The kinds of files that are not images. */
  fileKinds: readonly string[]
  /** The dimensions of a breakdown. */
  dimensions: readonly string[]
}

/** The type of each kind of value: see src/kernel/errors/sentence.ts. */
const TYPES: Record<string, string> = {
  number: 'number',
  count: 'number',
  bytes: 'number',
  time: 'number',
  text: 'string',
  quoted: 'string',
  json: 'unknown',
  list: 'readonly string[]',
  choice: 'readonly string[]',
  options: 'readonly unknown[]',
  types: 'readonly ValueType[]',
  type: 'ValueType',
  file: 'FileKind',
}

function paramsText(places: Places): string {
  const lines = Object.entries(places).map(([code, values]) => {
    const types = new Map(values.map(([name, kind]) => [name, TYPES[kind]]))
    const fields = [...types].map(([name, type]) => `${name}: ${type}`)
    return `\n${code}: {${fields.join('; ')}}`
  })
  return `{${lines.join('')}\n}`
}

/** The whole module. */
export function moduleText(tables: Tables): string {
  const { codes, problems, fieldErrors, findings, valueTypes, fileKinds, dimensions } = tables
  const specs = [...endpoints.values()] as EndpointSpec[]
  return [
    '// Made from the contracts of the service. Do not edit.',
    ...[...named].map(([text, name]) => `export interface ${name} ${objectText(JSON.parse(text))}`),
    `export type Dimension = ${union(dimensions)}`,
    `export type ErrorCode = ${union([...codes, ...CLIENT_CODES])}`,
    `export type ValueType = ${union(valueTypes)}`,
    `export type FileKind = ${union(fileKinds)}`,
    `export interface ErrorParams ${paramsText(problems)}`,
    `export type ErrorReason = keyof ErrorParams | ${union(CLIENT_CODES)}`,
    `export interface FieldErrorParams ${paramsText(fieldErrors)}`,
    'export type FieldErrorCode = keyof FieldErrorParams',
    `export type FieldError = { [C in FieldErrorCode]: {
  path: string; code: C; params: FieldErrorParams[C]; message: string
} }[FieldErrorCode]`,
    `export type FindingCode = ${union(findings)}`,
    `export type Finding = { [C in FindingCode]: {
  code: C; params: FieldErrorParams[C]; message: string
} }[FindingCode]`,
    `export type WebhookEvent = ${SENT_EVENTS.map(event => typeText(event.body as Schema)).join(' | ')}`,
    'export type RawBody = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | FormData',
    `interface Inputs {${specs.map(spec => `\n${docOf(spec)}${spec.id}: ${inputText(spec)}`).join('')}\n}`,
    `interface Outputs {${specs.map(spec => `\n${spec.id}: ${outputText(spec)}`).join('')}\n}`,
    'export type EndpointId = keyof Inputs',
    `export type ListId = ${union(specs.filter(spec => spec.list).map(spec => spec.id))}`,
    `type WithCuid = ${union(specs.filter(spec => spec.cuid).map(spec => spec.id))}`,
    'export type InputOf<Id extends EndpointId> = Inputs[Id]',
    `export type CustomerInputOf<Id extends EndpointId> = Id extends WithCuid
  ? Omit<Inputs[Id], 'cuid'> & { cuid?: number | undefined } : Inputs[Id]`,
    'export type OutputOf<Id extends EndpointId> = Outputs[Id]',
    `interface Trials {${specs
      .filter(spec => spec.dryRun)
      .map(spec => `\n${spec.id}: ${triedText(spec)}`)
      .join('')}\n}`,
    `export type ProposedId = ${union(specs.filter(mayBeProposed).map(spec => spec.id))}`,
    'export type TriedId = keyof Trials',
    'export type TriedOf<Id extends TriedId> = Trials[Id]',
    'export type ItemOf<Id extends ListId> = Outputs[Id] extends (infer Item)[] ? Item : never',
    `export interface Route {
  id: string; method: string; path: string; access: string; cuid?: boolean; list?: boolean; dryRun?: boolean
  sideEffects?: boolean; status?: number; query?: Record<string, unknown>; body?: unknown; rawBody?: unknown
}`,
    `const routes: Route[] = ${JSON.stringify(routes())}`,
    'export const endpoints: Map<string, Route> = new Map(routes.map(route => [route.id, route]))',
    '',
  ].join('\n')
}

/** What the client needs to know about every endpoint at run time. */
export function routes(): Route[] {
  return ([...endpoints.values()] as EndpointSpec[]).map(routeOf)
}

function routeOf(spec: EndpointSpec): Route {
  const { id, method, path, access, cuid, list, dryRun, sideEffects, status, query, body, rawBody } = spec
  const leads = status === 302 ? status : undefined
  const flags = {
    cuid,
    list,
    dryRun,
    sideEffects,
    status: leads,
    body: body && true,
    rawBody: rawBody && true,
  }
  return {
    ...{ id, method, path, access },
    ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value)),
    ...(query ? { query: Object.fromEntries(Object.keys(query).map(name => [name, 1])) } : {}),
  }
}

function docOf({ summary }: EndpointSpec): string {
  return `/** ${summary.replaceAll('*/', '* /')}. */\n`
}

function inputText(spec: EndpointSpec): string {
  const fields = [...spec.path.matchAll(/:(\w+)/g)].map(([, name]) => `${name}: ${TEXTS[name!] ?? 'number'}`)
  if (spec.cuid) fields.push('cuid: number')
  if (spec.list) fields.push(maybe('limit', 'number'), maybe('after', 'number'))
  if (spec.dryRun) fields.push(maybe('dryRun', 'boolean'))
  if (mayBeProposed(spec)) fields.push(maybe('propose', 'boolean'))
  for (const [name, { schema, required }] of Object.entries(spec.query ?? {})) {
    const text = typeText(schema as Schema)
    fields.push(required ? `${name}: ${text}` : maybe(name, text))
  }
  if (spec.rawBody) fields.push('body: RawBody')
  else if (spec.body) {
    const text = typeText(spec.body as Schema)
    fields.push(spec.bodyOptional ? maybe('body', text) : `body: ${text}`)
  }
  return `{ ${fields.join('; ')} }`
}

function outputText({ answer, mayBeEmpty }: EndpointSpec): string {
  const text = answer ? typeText(answer as Schema) : 'null'
  return mayBeEmpty ? `${text} | null` : text
}

/** A dry run of a call that creates nothing has the whole answer. */
function triedText(spec: EndpointSpec): string {
  const { properties = {} } = triedSchema(spec) as Schema
  if (spec.makes) return typeText(triedSchema(spec) as Schema)
  const { dryRun, costsAtMost } = properties as Record<'dryRun' | 'costsAtMost', Schema>
  const marks = { properties: { dryRun, costsAtMost }, required: ['dryRun', 'costsAtMost'] }
  return `${objectText(marks)} & ${outputText(spec)}`
}

function typeText(schema: Schema): string {
  const name = OWN_TYPES.get(JSON.stringify(schema)) ?? named.get(JSON.stringify(schema))
  if (name) return name
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum)
  if (schema.anyOf) return `(${schema.anyOf.map(typeText).join(' | ')})`
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? 'unknown' : types.map(type => plainText(type, schema)).join(' | ')
}

function plainText(type: string, schema: Schema): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'object':
      return objectText(schema)
    case 'array':
      return arrayText(schema)
    default:
      return type
  }
}

function arrayText({ items, minItems, maxItems }: Schema): string {
  if (Array.isArray(items)) return `[${items.map(typeText).join(', ')}]`
  const item = items ? typeText(items) : 'unknown'
  if (minItems === 2 && maxItems === 2) return `[${item}, ${item}]`
  return `(${item})[]`
}

function objectText({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeText(additionalProperties) : 'unknown'
    return `{ [name: string]: ${value} }`
  }
  const fields = Object.entries(properties).map(([name, schema]) => {
    const doc = schema.description ? `/** ${schema.description.replaceAll('*/', '* /')} */ ` : ''
    const key = /^\w+$/.test(name) && !/^\d/.test(name) ? name : JSON.stringify(name)
    return doc + (required.includes(name) ? `${key}: ${typeText(schema)}` : maybe(key, typeText(schema)))
  })
  return `{ ${fields.join('\n')} }`
}

/** An optional field that may also be undefined, whatever the compiler's settings. */
function maybe(name: string, text: string): string {
  return `${name}?: ${text} | undefined`
}

function union(values: readonly unknown[]): string {
  return values.map(value => JSON.stringify(value)).join(' | ')
}
