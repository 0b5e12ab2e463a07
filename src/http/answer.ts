// How an answer is sent: its own headers, the common headers and the body in one write. Streams, pages and errors go
// through Fastify, which adds the same common headers.

import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressed, compressedStream, encodingFor, isWorthIt } from './compress.ts'
import { readableBy } from './cross-origin.ts'
import { isKnown, shownEtag } from './etag.ts'
import type { StoredAnswer } from './idempotency.ts'
import { jsonOf } from './pieces.ts'
import type { Taken } from './rate-limit.ts'

export const API_VERSION = '1.3.0'

declare module 'fastify' {
  interface FastifyReply {
    /** What the rate limiter answered; null before it was asked. */
    taken: Taken | null
    /** The origin whose pages may read the answer, although it is not ours. */
    openTo: string | null
  }
  interface FastifyInstance {
    /** The service is reached over https. */
    isSecure: boolean
  }
}

const EVERYWHERE = {
  'x-api-version': API_VERSION,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}
/** One year. Not for subdomains, which are not ours. */
const EVERYWHERE_ON_HTTPS = { ...EVERYWHERE, 'strict-transport-security': 'max-age=31536000' }
const JSON_TYPE = 'application/json; charset=utf-8'

/** The headers of every answer. An answer's own header of the same name comes later and wins. */
export function commonHeaders(
  { id, server }: FastifyRequest,
  { taken, openTo }: FastifyReply,
): Record<string, string> {
  const everywhere = {
    'x-request-id': id,
    ...(server.isSecure ? EVERYWHERE_ON_HTTPS : EVERYWHERE),
    ...(openTo === null ? null : readableBy(openTo)),
  }
  if (!taken) return everywhere
  return {
    ...everywhere,
    'ratelimit-limit': `${taken.limit}`,
    'ratelimit-remaining': `${taken.remaining}`,
    'ratelimit-reset': `${taken.resetS}`,
  }
}

export async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: StoredAnswer,
): Promise<FastifyReply> {
  const { status, headers, body } = answer
  if (body instanceof Readable) return sendStream(request, reply, answer, body)
  const bytes = bytesOf(body)
  if (bytes instanceof Readable) return sendLong(request, reply, answer, bytes)
  const all = commonHeaders(request, reply)
  if (body !== null) all['content-type'] = JSON_TYPE
  Object.assign(all, headers)
  if (all.etag !== undefined) all.etag = shownEtag(all.etag, bytes)
  if (isAlreadyThere(request, all.etag)) {
    delete all['content-type']
    return write(reply, 304, all, '')
  }
  const sent = isWorthIt(bytes) ? await encoded(request, all, bytes) : bytes
  all['content-length'] = `${Buffer.byteLength(sent)}`
  const lines = answer.cookies?.length ? { ...all, 'set-cookie': answer.cookies } : all
  return write(reply, status, lines, request.method === 'HEAD' ? '' : sent)
}

function write(
  reply: FastifyReply,
  status: number,
  headers: Record<string, string | string[]>,
  body: string | Buffer,
): FastifyReply {
  reply.raw.writeHead(status, headers)
  reply.hijack()
  reply.raw.end(body)
  return reply
}

/** The bytes as they are sent, and the headers that say how. */
async function encoded(request: FastifyRequest, headers: Record<string, string>, bytes: string | Buffer) {
  headers.vary = varying(headers)
  const encoding = encodingFor(
    request.headers['accept-encoding'] as string | undefined,
    headers['content-type'],
  )
  if (!encoding) return bytes
  headers['content-encoding'] = encoding
  return compressed(bytes, encoding)
}

function isAlreadyThere({ method, headers }: FastifyRequest, etag: string | undefined): boolean {
  return method !== 'POST' && method !== 'PUT' && isKnown(headers['if-none-match'], etag)
}

/** An etag describes the whole answer, so the whole answer is made before any of it is sent. */
async function sendLong(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: StoredAnswer,
  json: Readable,
): Promise<FastifyReply> {
  const { headers } = answer
  if (headers.etag === undefined) return sendStream(request, reply, answer, json)
  const pieces: Buffer[] = []
  for await (const piece of json) pieces.push(piece)
  const etag = shownEtag(headers.etag, pieces)
  if (isAlreadyThere(request, etag))
    return write(reply, 304, { ...commonHeaders(request, reply), ...headers, etag }, '')
  const shown = { ...answer, headers: { ...headers, etag } }
  return sendStream(request, reply, shown, Readable.from(pieces, { objectMode: false }))
}

function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers }: StoredAnswer,
  body: Readable,
): FastifyReply {
  const all: Record<string, string> = { 'content-type': JSON_TYPE, ...headers }
  const encoding = encodingFor(request.headers['accept-encoding'] as string | undefined, all['content-type'])
  all.vary = varying(all)
  reply.code(status).headers(encoding ? { ...all, 'content-encoding': encoding } : all)
  return reply.send(encoding ? compressedStream(body, encoding) : body)
}

/** The `vary` header: what the route says the answer depends on, and the encoding. */
function varying({ vary }: Record<string, string>): string {
  return vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`
}

/** A long body becomes a stream. */
function bytesOf(body: unknown): string | Buffer | Readable {
  if (body === null) return ''
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : jsonOf(body)
}
