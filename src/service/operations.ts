// Endpoints for the operator of a running service: whether it is alive and ready, its metrics, and the OpenAPI
// document.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Registry } from 'prom-client'
import { Type } from 'typebox'
import { API_VERSION } from '../http/answer.ts'
import { Answer, type Api } from '../http/api.ts'
import { keepCompressed } from '../http/compress.ts'
import { endpoint } from '../http/endpoint.ts'
import { Body } from '../http/schema.ts'
import { READY_PATH } from '../http/server.ts'
import { fieldError } from '../kernel/errors/field-error.ts'
import { notFound, refusal } from '../kernel/errors/problem.ts'
import { clientAddressBy } from '../platform/client-address.ts'
import { VERSION } from '../platform/version.ts'
import { welcomeAnswer } from './docs/routes.ts'
import { coreDocumentOf, documentOf } from './documents.ts'

const health = Body({
  status: Type.String({ description: '`ok`, or what is wrong.' }),
  version: Type.String({ description: 'Version of the program.' }),
})
const readiness = Body({
  status: Type.String({ description: '`ok`, or what is wrong.' }),
  parts: Type.Record(Type.String(), Type.String(), {
    description: 'The state of each part of the process.',
  }),
  notes: Type.Optional(
    Type.Array(Type.String(), { description: 'What an operator should know, although work continues.' }),
  ),
})

export const healthz = endpoint({
  id: 'healthz',
  method: 'GET',
  path: '/healthz',
  tag: 'Operation',
  summary: 'Alive',
  description: 'The process is alive. `/readyz` tells whether it can do its work.',
  access: 'public',
  answer: health,
  examples: { answer: { status: 'ok', version: '0.1.0' } },
})

export const readyz = endpoint({
  id: 'readyz',
  method: 'GET',
  path: READY_PATH,
  tag: 'Operation',
  summary: 'Whether this process should get the traffic of its role',
  description:
    '503 names each part that is not ready. A process that delivers stays ready if the database is down for a moment; a stopping one does not.',
  access: 'public',
  answer: readiness,
  problems: ['unavailable'],
  examples: {
    answer: { status: 'ready', parts: { process: 'runs as api, worker', database: 'answers' } },
  },
})

export const metricsEndpoint = endpoint({
  id: 'metrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Operation',
  summary: 'Metrics in the Prometheus text format',
  description:
    'Opened by the bearer token of `METRICS_TOKEN`; without that setting, by direct requests from the same machine.',
  access: 'public',
  answer: Type.String(),
  also: ['text/plain'],
  problems: ['credentials_invalid', 'not_found'],
})

export const openapi = endpoint({
  id: 'openapi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Operation',
  summary: 'This interface as an OpenAPI 3.1 document',
  description: 'Clients are generated from it, as is `docs/postman.json`.',
  access: 'public',
  answer: Type.Object({}, { additionalProperties: true }),
})

export const openapiCore = endpoint({
  id: 'openapiCore',
  method: 'GET',
  path: '/openapi/core.json',
  tag: 'Operation',
  summary: 'The interface alone as an OpenAPI 3.1 document',
  description: 'The operations to start with, and the objects that they use.',
  access: 'public',
  answer: Type.Object({}, { additionalProperties: true }),
})

export const index = endpoint({
  id: 'index',
  method: 'GET',
  path: '/',
  tag: 'Operation',
  summary: 'Where to go from here',
  description: 'A browser gets a page that says so.',
  access: 'public',
  answer: Body({
    service: Type.String({ description: 'Name of the service.' }),
    version: Type.String({ description: 'Version of the API.' }),
    console: Type.String({ description: 'URL of the console.' }),
    docs: Type.String({ description: 'URL of the reference.' }),
    openapi: Type.String({ description: 'URL of the OpenAPI document.' }),
  }),
  examples: {
    answer: {
      service: 'Marquee',
      version: API_VERSION,
      console: 'http://localhost:8080/console',
      docs: 'http://localhost:8080/docs',
      openapi: 'http://localhost:8080/openapi.json',
    },
  },
})
export interface ReadyPart {
  name: string
  isReady: boolean
  /** For people. */
  says: string
}

export interface OperationParts {
  /** As text. */
  metrics: () => Promise<string>
  metricsToken: string | null
  /** Trusted proxies. */
  trustProxy: string | null
  /** The port that we listen on. */
  port: number
  readiness: () => Promise<ReadyPart[]>
  /** What an operator should know, although work continues. */
  notes: () => string[]
}

export function operationRoutes(api: Api, parts: OperationParts): void {
  const { metrics, metricsToken, notes } = parts
  const hasProxy = mayHaveProxy(api.publicUrl, parts.port, parts.trustProxy)
  api.bind(index, {
    handle: async ({ request }) => {
      const { publicUrl } = api
      const links = {
        service: 'Marquee',
        version: API_VERSION,
        console: `${publicUrl}/console`,
        docs: `${publicUrl}/docs`,
        openapi: `${publicUrl}/openapi.json`,
      }
      if (!request.headers.accept?.includes('text/html')) return new Answer(links, { vary: 'accept' })
      return welcomeAnswer(publicUrl)
    },
  })
  api.bind(healthz, { handle: async () => ({ status: 'ok', version: VERSION }) })
  api.bind(readyz, {
    handle: async () => {
      const all = await parts.readiness()
      const missing = all.filter(part => !part.isReady)
      const known = notes()
      if (missing.length === 0)
        return {
          status: 'ready',
          parts: Object.fromEntries(all.map(({ name, says }) => [name, says])),
          ...(known.length > 0 ? { notes: known } : {}),
        }
      throw refusal(
        'not_ready',
        { parts: missing.map(part => part.name) },
        {
          headers: { 'retry-after': '1' },
          errors: missing.map(({ name, says }) => fieldError(name, 'not_ready', { state: says })),
        },
      )
    },
  })
  api.bind(metricsEndpoint, {
    handle: async call => {
      admitToMetrics(call.request, metricsToken, hasProxy)
      return new Answer(await metrics(), { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE })
    },
  })
  bindDocument(api, openapi, () => documentOf(api))
  bindDocument(api, openapiCore, () => coreDocumentOf(api))
}

/**
 * Made when it is first asked for, because endpoints may be bound until then. Kept compressed, because making it is
 * work.
 */
function bindDocument(api: Api, endpoint: typeof openapi | typeof openapiCore, make: () => object): void {
  let document: Buffer | null = null
  api.bind(endpoint, {
    handle: async () => {
      document ??= keepCompressed(Buffer.from(JSON.stringify(make())))
      return new Answer(document as never, {})
    },
  })
}

/** Headers that proxies add to a request; each proxy has its own habits. */
const PROXY_HEADER =
  /^(via$|forwarded|x-forwarded|x-real-|x-original-|x-client-|x-cluster-client-|x-remote-|x-proxy|x-host$|x-scheme$|x-envoy-|x-amzn-|x-azure-|x-varnish$|x-cache|client-ip$|true-client-ip$|proxy-|cdn-loop$|surrogate-|front-end-|akamai-|fastly-|cf-)/
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/**
 * Whether there may be a proxy on this machine in front of us. A proxy that sends our own host and adds no header looks
 * like a direct request. So we assume one if a proxy is trusted, or if the public address is not where we listen.
 */
function mayHaveProxy(publicUrl: string, port: number, trustProxy: string | null): boolean {
  const trusted = clientAddressBy(trustProxy)
  if (trusted('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }) !== '127.0.0.1') return true
  const { protocol, host, port: publicPort } = new URL(publicUrl)
  if (LOOPBACK_HOST.test(host)) return false
  return protocol === 'https:' || Number(publicPort || 80) !== port
}

/**
 * Whether a request comes from this machine without a proxy in between. Proxies add headers, or pass on the public host
 * name, or use HTTP/1.0. If there may be a proxy, no request counts as direct.
 */
function isDirect({ headers, raw }: FastifyRequest, hasProxy: boolean): boolean {
  return (
    !hasProxy &&
    LOOPBACK.test(raw.socket.remoteAddress ?? '') &&
    raw.httpVersion === '1.1' &&
    LOOPBACK_HOST.test(headers.host ?? '') &&
    !Object.keys(headers).some(name => PROXY_HEADER.test(name))
  )
}

function admitToMetrics(request: FastifyRequest, token: string | null, hasProxy: boolean): void {
  if (token === null) {
    if (!isDirect(request, hasProxy)) throw notFound('path')
    return
  }
  const given = Buffer.from(/^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '')
  const wanted = Buffer.from(token)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw refusal('metrics_token_needed')
  }
}
