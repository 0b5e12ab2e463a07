// Pages of other origins. A browser asks before it sends a pair (the preflight), and shows an answer to a page only if
// the answer names its origin. Both hold for registered origins and customer pairs alone: super pairs have other
// headers, which no preflight allows, and the session cookie is never asked for.

import type { FastifyInstance } from 'fastify'
import type { EndpointSpec } from './endpoint.ts'
import { createMethodTable, type MethodTable } from './methods.ts'

export interface Origins {
  /** The apps whose customers' pairs may be used by pages of this origin. */
  appsOf(origin: string | undefined): Promise<ReadonlySet<number>>
}

/** `authorization` is not among them, because it could be a super pair. */
const SENT =
  'accept, content-type, idempotency-key, if-match, if-none-match, mcp-method, mcp-name, mcp-protocol-version, ' +
  'traceparent, x-access-key, x-access-token, x-request-id'
const READ =
  'content-disposition, etag, idempotency-replayed, link, location, ratelimit-limit, ratelimit-remaining, ratelimit-reset, ' +
  'retry-after, x-api-version, x-request-id'
const MAX_AGE_S = 600

/** Lets pages of this origin read an answer. It says nothing about caches (`vary`): none may keep such an answer. */
export function readableBy(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': READ }
}

/** Answers preflights of registered origins for what a customer pair may call; `also`: what is no call of the API. */
export function answerPreflights(
  fastify: FastifyInstance,
  endpoints: readonly EndpointSpec[],
  origins: Origins,
  also: readonly EndpointSpec[] = [],
): void {
  let table: MethodTable | null = null
  const methodsOf = (path: string) => {
    table ??= tableOf([...endpoints, ...also])
    return table.methodsOf(path)
  }
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': wanted } = request.headers
    if (request.method !== 'OPTIONS' || origin === undefined || wanted === undefined) return done()
    const methods = methodsOf(request.url.split('?', 1)[0]!)
    if (methods.length === 0) return done()
    origins.appsOf(origin).then(apps => {
      if (apps.size === 0) return done()
      reply.code(204).headers({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': SENT,
        'access-control-max-age': `${MAX_AGE_S}`,
      })
      reply.send()
    }, done)
  })
}

function tableOf(endpoints: readonly EndpointSpec[]): MethodTable {
  const table = createMethodTable()
  for (const { access, method, path } of endpoints) if (access === 'customer') table.add(method, path)
  return table
}
