// The OpenAPI 3.1 document, made from the same endpoints that the server binds: nothing is said twice.

import type { TSchema } from 'typebox'
import { type ProblemCode, STATUS_OF } from '../kernel/problem.ts'
import type { EndpointSpec } from './endpoint.ts'
import { API_VERSION } from './http/answer.ts'
import { PAGING } from './http/query.ts'

type Json = Record<string, unknown>

const ERROR_SCHEMA = {
  type: 'object',
  required: ['message', 'code', 'requestId'],
  properties: {
    message: { type: 'string', description: 'For a person.' },
    code: { type: 'string', enum: Object.keys(STATUS_OF), description: 'For a program.' },
    errors: {
      type: 'array',
      description: 'With 400: each wrong field.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description: 'JSON pointer into the body, or `?name` for a query parameter.',
          },
          message: { type: 'string' },
        },
      },
    },
    requestId: { type: 'string', description: 'Name it when you report a problem.' },
  },
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
  Campaigns: 'The order: dates, budget, frequency cap.',
  Flights: 'Dated runs of a campaign.',
  Personas: 'Whom to reach: geography, categories, devices, demographics.',
  Banners: 'What to show, and its review.',
  Webhooks: 'Where an app is told what happened, and the log of it.',
  Statistics: 'What was delivered, what came of it, and what was not counted.',
  Delivery: 'Ad requests of exchanges and tags, and what they report.',
  Reference: 'The tables behind the rules.',
  Console: 'How the console signs in; the rest it does by the calls above, with its session cookie.',
  Operation: 'For whoever runs the service.',
}

const SUPER = [{ superkey: [], supertoken: [] }, { basic: [] }]
const CUSTOMER = [{ key: [], token: [] }, ...SUPER]

const DESCRIPTION = `Create customers, campaigns, personas and banners, deliver them, and read what happened.

Every error has one shape (\`Error\`). Ids are positive integers, times Unix seconds, amounts numbers with at most two
decimals in the currency of the deployment. A POST takes an \`idempotency-key\` so that it can be repeated safely.`

/** What is sent to the webhooks of an app. */
export interface SentEvent {
  type: string
  meaning: string
  body: TSchema
}

export function openApiDocument(endpoints: EndpointSpec[], sent: SentEvent[], publicUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
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
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags,
    paths,
    webhooks: Object.fromEntries(sent.map(event => [event.type, { post: notification(event) }])),
    components: { schemas: { Error: ERROR_SCHEMA }, securitySchemes: SECURITY_SCHEMES },
  }
}

/** A call that we make, described for whoever receives it. */
function notification({ type, meaning, body }: SentEvent): Json {
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
      header('webhook-id', 'The same for every attempt: what came twice is known by it.'),
      header('webhook-timestamp', 'When this attempt was made, in Unix seconds.'),
      header('webhook-signature', 'Signatures by the Standard Webhooks scheme, separated by spaces.'),
    ],
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': { description: 'Received.' },
      410: { description: 'Gone: switches the webhook off.' },
      default: { description: 'Anything else is tried again.' },
    },
  }
}

function operation(endpoint: EndpointSpec): Json {
  const security = endpoint.access === 'public' ? [] : endpoint.access === 'app' ? SUPER : CUSTOMER
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    security,
    parameters: parameters(endpoint),
    ...requestBody(endpoint),
    responses: {
      ...success(endpoint),
      ...(endpoint.mayBeEmpty ? { 204: { description: 'Nothing to show.' } } : {}),
      ...failures(endpoint),
    },
  }
}

function parameters(endpoint: EndpointSpec): Json[] {
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(match => ({
    name: match[1]!,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[match[1]!] ?? 'Id.',
    schema: { type: 'string' },
  }))
  const cuid = endpoint.cuid
    ? [
        {
          name: 'cuid',
          in: 'query',
          required: true,
          description: 'The customer.',
          schema: { type: 'integer', minimum: 1 },
        },
      ]
    : []
  const query = Object.entries({ ...(endpoint.list ? PAGING : {}), ...endpoint.query }).map(
    ([name, value]) => ({
      name,
      in: 'query',
      required: 'required' in value ? (value.required ?? false) : false,
      description: value.description,
      schema: value.schema,
    }),
  )
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  })
  const headers = [
    ...(endpoint.method === 'POST' && endpoint.access !== 'public'
      ? [header('idempotency-key', 'The same key and request within 24 h gets the first answer again.')]
      : []),
    ...(endpoint.etag && endpoint.method !== 'GET'
      ? [header('if-match', 'Only if the etag is still this one.')]
      : []),
  ]
  return [...inPath, ...cuid, ...query, ...headers]
}

const PATH_PARAMETERS: Record<string, string> = {
  cuid: 'Customer id.',
  cid: 'Campaign id.',
  fid: 'Flight id.',
  pid: 'Persona id.',
  bid: 'Banner id.',
  wid: 'Webhook id.',
  did: 'Id of an entry of the log.',
  email: 'E-mail of the customer.',
  identifier: 'Customer id or e-mail.',
  id: 'Campaign, flight, persona or banner id.',
  dimension: 'What to break the figures down by.',
  token: 'Signed token of a served ad.',
}

function requestBody(endpoint: EndpointSpec): Json {
  if (endpoint.rawBody) {
    const bytes = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } }
    return {
      requestBody: {
        required: true,
        content: Object.fromEntries(endpoint.rawBody.types.map(type => [type, bytes])),
      },
    }
  }
  if (!endpoint.body) return {}
  const example = endpoint.examples?.body
  const content = { schema: endpoint.body, ...(example === undefined ? {} : { example }) }
  return { requestBody: { required: true, content: { 'application/json': content } } }
}

function success(endpoint: EndpointSpec): Json {
  const status = endpoint.status ?? 200
  if (endpoint.answer === null) {
    const headers = { location: { description: 'Where to go.', schema: { type: 'string' } } }
    return { [status]: { description: 'Redirect.', headers } }
  }
  const example = endpoint.examples?.answer
  const headers = {
    ...(endpoint.etag ? { etag: { description: 'Version of the object.', schema: { type: 'string' } } } : {}),
    ...(endpoint.list
      ? { link: { description: 'The next page, rel="next".', schema: { type: 'string' } } }
      : {}),
  }
  const also = Object.fromEntries((endpoint.also ?? []).map(type => [type, { schema: { type: 'string' } }]))
  return {
    [status]: {
      description: status === 201 ? 'Created.' : 'Done.',
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      content: {
        'application/json': { schema: endpoint.answer, ...(example === undefined ? {} : { example }) },
        ...also,
      },
    },
  }
}

function failures(endpoint: EndpointSpec): Json {
  const codes = new Set<ProblemCode>(endpoint.problems)
  if (endpoint.access !== 'public') {
    for (const code of [
      'credentials_missing',
      'credentials_invalid',
      'too_many_requests',
      'api_access_off',
    ] as const)
      codes.add(code)
  }
  if (endpoint.access === 'app') codes.add('credentials_wrong_level')
  if (endpoint.provision) codes.add('not_provisioned')
  if (endpoint.cuid) codes.add('missing_cuid').add('cuid_not_allowed')
  if (endpoint.path.includes(':')) codes.add('not_found')
  if (endpoint.query || endpoint.list || endpoint.body) codes.add('invalid_input')
  if (endpoint.body || endpoint.rawBody) {
    codes.add('malformed_request').add('body_too_large').add('unsupported_media_type')
  }
  if (endpoint.method === 'POST' && endpoint.access !== 'public') codes.add('idempotency_conflict')
  if (endpoint.etag && endpoint.method !== 'GET') codes.add('precondition_failed')
  codes.add('internal').add('unavailable')
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
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
