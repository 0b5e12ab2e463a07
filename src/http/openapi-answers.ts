// What a call may answer in the OpenAPI document: the answer itself, that of a dry run, a job or a proposal.

import { type Components, pascal } from './components.ts'
import { triedSchema } from './dry-run.ts'
import type { EndpointSpec } from './endpoint.ts'
import { mayBeProposed, Proposed } from './proposed.ts'

type Json = Record<string, unknown>

const whole = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } })
export const HEADERS = {
  RateLimitLimit: whole('Requests that may come at once.'),
  RateLimitRemaining: whole('How many of them are left.'),
  RateLimitReset: whole('Seconds until all of them are available again.'),
  RetryAfter: whole('Seconds to wait.'),
}
export const header = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` })
export const RATE_LIMITS = {
  'ratelimit-limit': header('RateLimitLimit'),
  'ratelimit-remaining': header('RateLimitRemaining'),
  'ratelimit-reset': header('RateLimitReset'),
}

/**
 * Media types that an answer has besides JSON. Among its contents, they would make clients that are generated give the
 * answer of every call as `T | string`.
 */
export const OTHER_MEDIA = 'x-other-media-types'

export function success(endpoint: EndpointSpec, components: Components): Json {
  const status = endpoint.status ?? 200
  if (endpoint.answer === null) {
    const headers = { location: { description: 'Where to go.', schema: { type: 'string' } }, ...RATE_LIMITS }
    return { [status]: { description: 'Redirect.', headers } }
  }
  const example = endpoint.examples?.answer
  const headers = {
    ...(endpoint.access === 'public' ? {} : RATE_LIMITS),
    ...(endpoint.etag && endpoint.method !== 'DELETE'
      ? { etag: { description: 'Version of the object.', schema: { type: 'string' } } }
      : {}),
    ...(endpoint.list
      ? { link: { description: 'The next page, rel="next".', schema: { type: 'string' } } }
      : {}),
  }
  const { also = [] } = endpoint
  // Text is returned as text, never as JSON.
  const isText = (endpoint.answer as { type?: string }).type === 'string'
  const schema = components.refer(endpoint.answer, `${pascal(endpoint.id)}Answer`)
  const json = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
  const texts = Object.fromEntries(also.map(type => [type, { schema: { type: 'string' } }]))
  const content = isText ? texts : json
  const done = status === 201 ? 'Created.' : 'Done.'
  const answer = {
    ...(isText || also.length === 0
      ? { description: done }
      : { description: `${done} As text with \`accept: ${also.join('` or `')}\`.`, [OTHER_MEDIA]: also }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    content,
  }
  const others = Object.entries(endpoint.otherStatuses ?? {}).map(([other, description]) => [
    other,
    { ...answer, description },
  ])
  return {
    [status]: answer,
    ...Object.fromEntries(others),
    ...(endpoint.dryRun && !saysSoItself(endpoint)
      ? { 200: triedResponse(endpoint, schema, { headers, content }, components) }
      : {}),
    ...laterResponse(endpoint, components),
    ...(endpoint.etag && endpoint.method === 'GET' ? { 304: { description: 'Not modified.' } } : {}),
  }
}

/** The response with 202: a job or a proposal. */
function laterResponse(endpoint: EndpointSpec, components: Components): Json {
  const { later } = endpoint
  const schemas = [
    ...(later ? [components.refer(later, 'Job')] : []),
    ...(mayBeProposed(endpoint) ? [components.refer(Proposed, 'Proposed')] : []),
  ]
  if (schemas.length === 0) return {}
  const why = [
    ...(later ? ['Too large for one call; done as a job.'] : []),
    ...(mayBeProposed(endpoint) ? ['It has become a proposal, and nothing was changed.'] : []),
  ]
  const response = {
    description: why.join(' '),
    headers: {
      location: { description: 'Where to read the job or the proposal.', schema: { type: 'string' } },
      ...RATE_LIMITS,
    },
    content: { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } } },
  }
  return { 202: response }
}

/** Its own answer already has the fields of a dry run, as that of a bulk call does. */
function saysSoItself({ answer }: EndpointSpec): boolean {
  return 'dryRun' in ((answer as { properties?: object } | null)?.properties ?? {})
}

/** The answer of a dry run, beside `done`, which the endpoint may answer with 200 without `dryRun`. */
function triedResponse(
  endpoint: EndpointSpec,
  done: Json,
  { headers, content }: { headers: Json; content: Json },
  components: Components,
): Json {
  // A change always answers the whole object, so the schema needs no alternative.
  if ((endpoint.status ?? 200) === 200 && !endpoint.makes) {
    const trial = 'With `dryRun` nothing was stored, and `dryRun` and `costsAtMost` are there, too.'
    return { description: `Done. ${trial}`, headers, content }
  }
  const tried = components.refer(triedSchema(endpoint), `${pascal(endpoint.id)}Tried`)
  const trial = 'With `dryRun`: the would-be result, without new ids; nothing was stored.'
  const other = (endpoint.status ?? 200) === 200 ? 'Done.' : endpoint.otherStatuses?.[200]
  const schema = other ? { anyOf: [done, tried] } : tried
  const { example } = (content['application/json'] ?? {}) as { example?: unknown }
  const shown = other && example !== undefined ? { example } : {}
  return {
    description: other ? `${other} ${trial}` : trial,
    headers,
    content: { 'application/json': { schema, ...shown } },
  }
}
