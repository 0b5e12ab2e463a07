// The OpenAPI 3.1 document, made from the same endpoints that the server binds, so nothing is described twice.

import type { TSchema } from 'typebox'
import { FIELD_ERRORS } from '../kernel/errors/field-error.ts'
import type { ProblemCode } from '../kernel/errors/problem.ts'
import { STATUS_OF } from '../kernel/errors/problem-code.ts'
import { API_VERSION } from './answer.ts'
import { type Components, createComponents, pascal } from './components.ts'
import type { EndpointSpec } from './endpoint.ts'
import { HEADERS, header, RATE_LIMITS, success } from './openapi-answers.ts'
import { mayBeProposed, PROPOSE } from './proposed.ts'
import { DRY_RUN, PAGING } from './query.ts'
import { needsOf } from './scope.ts'

type Json = Record<string, unknown>

const PARAMS = {
  type: 'object',
  additionalProperties: true,
  description:
    'The values in `message`, by name, for words of your own: docs/errors.md lists those of each code.',
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['message', 'code', 'requestId'],
  properties: {
    message: { type: 'string', description: 'For a person, in English.' },
    code: { type: 'string', enum: Object.keys(STATUS_OF), description: 'For a program.' },
    reason: {
      type: 'string',
      description: 'Which of the causes of this code, if it has several; not given for the usual one.',
    },
    params: PARAMS,
    errors: {
      type: 'array',
      description: 'With 400: each invalid field.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description: 'JSON pointer into the body, or `?name` for a query parameter.',
          },
          code: { type: 'string', enum: Object.keys(FIELD_ERRORS), description: 'For a program.' },
          params: PARAMS,
          message: { type: 'string', description: 'For a person, in English.' },
        },
      },
    },
    requestId: { type: 'string', description: 'Quote it when you report a problem.' },
  },
}

/** Errors of the thin path of ads and tracking: the same, without the request id. */
const PLAIN_ERROR_SCHEMA = {
  type: 'object',
  required: ['message', 'code'],
  properties: {
    message: { type: 'string', description: 'For a person, in English.' },
    code: { type: 'string', description: 'For a program.' },
    reason: ERROR_SCHEMA.properties.reason,
    params: PARAMS,
    errors: ERROR_SCHEMA.properties.errors,
  },
}

const FILE_FORM_SCHEMA = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', format: 'binary', description: 'The image.' } },
}

const SECURITY_SCHEMES = {
  superkey: { type: 'apiKey', in: 'header', name: 'x-access-superkey', description: 'App-level super key.' },
  supertoken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-access-supertoken',
    description: 'App-level super token.',
  },
  key: { type: 'apiKey', in: 'header', name: 'x-access-key', description: 'Customer-level key.' },
  token: { type: 'apiKey', in: 'header', name: 'x-access-token', description: 'Customer-level token.' },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Key as user and token as password, of either level.',
  },
}

const TAGS: Record<string, string> = {
  Customers: 'Advertisers, their credentials and how they sign in.',
  Staff: 'The people who work for an app.',
  Accounts: 'What a customer has paid and spent.',
  Campaigns: 'The order: dates, budget, frequency cap.',
  Flights: 'Dated runs of a campaign.',
  Notes: 'What happened on a day, beside its figures.',
  Personas: 'Who to reach: geography, categories, devices, demographics.',
  Banners: 'What to show, and its review.',
  Review: 'Banners that wait for a person of the staff.',
  Sources: 'Sites and exchanges that ask for ads.',
  Cockpit: 'All customers of an app at a glance.',
  Webhooks: 'Event notifications for an app, and the delivery log.',
  Statistics: 'What was delivered, the results, and what was not counted.',
  Reports: 'Figures of all customers.',
  Delivery: 'Ad requests from exchanges and tags, and tracking.',
  Proposals: 'Changes that wait for somebody who may decide them.',
  Reference: 'The tables behind the rules.',
  Console: 'Console sign-in; for everything else the console uses the calls above, with its session cookie.',
  Sandbox: 'Only in a sandbox: its clock, and what it has sent.',
  Operation: 'For operators of the service.',
}

const SUPER = [{ superkey: [], supertoken: [] }, { basic: [] }]
const CUSTOMER = [{ key: [], token: [] }, ...SUPER]

const DESCRIPTION = `Create customers, campaigns, personas and banners, deliver ads, and read the results.

All errors have the same shape (\`Error\`). Ids are positive integers, times Unix seconds, amounts numbers with at most two
decimals in the currency of the deployment. In a body, an empty text for an optional field is null. A POST takes an
\`idempotency-key\` so that it can be repeated safely.`

/** An event that is sent to the webhooks of an app. */
export interface SentEvent {
  type: string
  meaning: string
  body: TSchema
}

export interface Described {
  endpoints: EndpointSpec[]
  sent: SentEvent[]
  /** Objects that have a name of their own. */
  objects: Record<string, TSchema>
  publicUrl: string
}

export function openApiDocument({ endpoints, sent, objects, publicUrl }: Described): Json {
  const components = createComponents(objects)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, components) }
  }
  const tags = [...new Set(endpoints.map(endpoint => endpoint.tag))].map(name => ({
    name,
    description: TAGS[name] ?? name,
  }))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Marquee',
      version: API_VERSION,
      description: DESCRIPTION,
      contact: { name: 'The operator of this service', url: `${publicUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags,
    paths,
    webhooks: Object.fromEntries(sent.map(event => [event.type, { post: notification(event, components) }])),
    components: {
      schemas: {
        Error: ERROR_SCHEMA,
        PlainError: PLAIN_ERROR_SCHEMA,
        FileForm: FILE_FORM_SCHEMA,
        ...components.schemas,
      },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** A call that we make, as described to its receiver. */
function notification({ type, meaning, body }: SentEvent, components: Components): Json {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })
  return {
    operationId: `on ${type}`.replaceAll(/\W(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary: meaning,
    security: [],
    parameters: [
      header('webhook-id', 'The same for every attempt, so that duplicates can be recognised.'),
      header('webhook-timestamp', 'When this attempt was made, in Unix seconds.'),
      header('webhook-signature', 'Signatures by the Standard Webhooks scheme, separated by spaces.'),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: components.refer(body, `${pascal(type)}Event`) } },
    },
    responses: {
      '2XX': { description: 'Received.' },
      410: { description: 'Gone: switches the webhook off.' },
      default: { description: 'Anything else is retried.' },
    },
  }
}

function operation(endpoint: EndpointSpec, components: Components): Json {
  const security = endpoint.access === 'public' ? [] : endpoint.access === 'app' ? SUPER : CUSTOMER
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    security,
    parameters: parameters(endpoint, components),
    ...requestBody(endpoint, components),
    responses: {
      ...success(endpoint, components),
      ...(endpoint.mayBeEmpty ? { 204: { description: 'Nothing to show.' } } : {}),
      ...failures(endpoint),
    },
  }
}

function parameters(endpoint: EndpointSpec, components: Components): Json[] {
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(match => ({
    name: match[1]!,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[match[1]!] ?? 'Id.',
    schema: INTEGER_IDS.has(match[1]!) ? { type: 'integer', minimum: 1 } : { type: 'string' },
  }))
  const cuid = endpoint.cuid
    ? [
        {
          name: 'cuid',
          in: 'query',
          required: true,
          description: 'The customer. A customer pair may name only its own.',
          schema: { type: 'integer', minimum: 1 },
        },
      ]
    : []
  const query = Object.entries({
    ...(endpoint.list ? PAGING : {}),
    ...(endpoint.dryRun ? DRY_RUN : {}),
    ...(mayBeProposed(endpoint) ? PROPOSE : {}),
    ...endpoint.query,
  }).map(([name, value]) => ({
    name,
    in: 'query',
    required: 'required' in value ? (value.required ?? false) : false,
    description: value.description,
    schema: components.refer(value.schema as TSchema, pascal(name)),
  }))
  const inHeader = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  })
  const headers = [
    ...(endpoint.method === 'POST' && endpoint.access !== 'public'
      ? [inHeader('idempotency-key', 'Repeating the key and request within 24 h returns the first answer.')]
      : []),
    ...(honoursIfMatch(endpoint) ? [inHeader('if-match', 'Only if this is still the etag.')] : []),
    ...(endpoint.etag && endpoint.method === 'GET'
      ? [inHeader('if-none-match', 'A known etag: 304 if it is unchanged.')]
      : []),
  ]
  return [...inPath, ...cuid, ...query, ...headers]
}

const INTEGER_IDS = new Set(['cuid', 'cid', 'fid', 'pid', 'bid', 'wid', 'did', 'id'])

const PATH_PARAMETERS: Record<string, string> = {
  cuid: 'Customer id.',
  cid: 'Campaign id.',
  fid: 'Flight id.',
  pid: 'Persona id.',
  bid: 'Banner id.',
  wid: 'Webhook id.',
  did: 'Id of a log entry.',
  email: 'Email of the customer.',
  identifier: 'Customer id or email.',
  id: 'Campaign, flight, persona or banner id.',
  dimension: 'What to break the figures down by.',
  token: 'Signed token of a served ad.',
  key: 'The key half of a pair.',
  sourceKey: 'Key of the source.',
  externalId: 'The id that your own system uses, 1 to 255 characters.',
}

function requestBody(endpoint: EndpointSpec, components: Components): Json {
  if (endpoint.rawBody) {
    // Bytes have no schema; a missing schema is how OpenAPI 3.1 says so.
    const form = { schema: { $ref: '#/components/schemas/FileForm' } }
    const content = endpoint.rawBody.types.map(type => [type, type === 'multipart/form-data' ? form : {}])
    return { requestBody: { required: true, content: Object.fromEntries(content) } }
  }
  if (!endpoint.body) return {}
  const example = endpoint.examples?.body
  const schema = components.refer(endpoint.body, `${pascal(endpoint.id)}Request`)
  const content = { schema, ...(example === undefined ? {} : { example }) }
  return { requestBody: { required: !endpoint.bodyOptional, content: { 'application/json': content } } }
}

function failures(endpoint: EndpointSpec): Json {
  const codes = problemsOf(endpoint)
  const byStatus: Record<number, string[]> = {}
  for (const code of codes) {
    const status = STATUS_OF[code]
    byStatus[status] = [...(byStatus[status] ?? []), code]
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, names]) => [
      status,
      {
        description: names.map(name => `\`${name}\``).join(', '),
        ...(Number(status) === 429
          ? { headers: { 'retry-after': header('RetryAfter'), ...RATE_LIMITS } }
          : {}),
        ...errorContent(endpoint),
      },
    ]),
  )
}

/** Errors of an ad request or tracking call have no request id, or no body at all. */
function errorContent(endpoint: EndpointSpec): Json {
  if (endpoint.bareErrors) return {}
  const name = endpoint.dataPlane ? 'PlainError' : 'Error'
  return { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } }
}

function honoursIfMatch(endpoint: EndpointSpec): boolean {
  return !!endpoint.etag && (endpoint.method === 'PUT' || endpoint.method === 'DELETE')
}

/** A change to a customer that its path or `cuid` names. */
function isRefusedWhenFrozen({ method, access, cuid, path, needs, whenFrozen }: EndpointSpec): boolean {
  if (method === 'GET' || access === 'public' || needs === 'read' || whenFrozen) return false
  return !!cuid || path.startsWith('/customer/:cuid') || path.startsWith('/customer/by-external')
}

function problemsOf(endpoint: EndpointSpec): Set<ProblemCode> {
  const codes = new Set<ProblemCode>(endpoint.problems)
  if (endpoint.access !== 'public') {
    for (const code of [
      'credentials_missing',
      'credentials_invalid',
      'credentials_expired',
      'credentials_revoked',
      'too_many_requests',
      'too_many_at_once',
      'api_access_off',
    ] as const)
      codes.add(code)
  }
  if (isRefusedWhenFrozen(endpoint)) codes.add('frozen')
  if (endpoint.access === 'customer') codes.add('campaign_not_allowed')
  if (endpoint.access === 'customer' && needsOf(endpoint) !== 'read') codes.add('scope_too_low')
  if (endpoint.access === 'customer' && needsOf(endpoint) !== 'read') codes.add('ceiling_exceeded')
  if (endpoint.access === 'app') codes.add('credentials_wrong_level')
  if (endpoint.access === 'app' && (needsOf(endpoint) !== 'read' || !endpoint.ofChosenCustomers))
    codes.add('scope_too_low')
  if (mayBeProposed(endpoint)) codes.add('too_many_objects')
  if (endpoint.provision) codes.add('not_provisioned')
  if (endpoint.cuid) codes.add('missing_cuid').add('cuid_not_allowed')
  if (endpoint.path.includes(':')) codes.add('not_found')
  if (!endpoint.dataPlane || endpoint.query || endpoint.body) codes.add('invalid_input')
  // Where no body is expected, one that is no JSON is refused too.
  if (endpoint.body || endpoint.rawBody || (endpoint.method !== 'GET' && !endpoint.dataPlane)) {
    codes.add('malformed_request').add('body_too_large').add('unsupported_media_type')
  }
  if (endpoint.method === 'POST' && endpoint.access !== 'public') {
    codes.add('idempotency_conflict').add('idempotent_object_gone').add('quota_exceeded')
  }
  if (honoursIfMatch(endpoint)) codes.add('precondition_failed').add('invalid_etag')
  else if (endpoint.method !== 'GET' && !endpoint.dataPlane) codes.add('if_match_not_honoured')
  if (!endpoint.dataPlane) codes.add('internal').add('unavailable').add('deadline_exceeded')
  return codes
}
