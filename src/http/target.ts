// The host and path of a request, as RFC 9112 defines them: there is exactly one host, and an absolute URL as the
// target means the same as its path sent to that host.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { refusal } from '../kernel/errors/problem.ts'
import { errorBody } from './errors.ts'

const WHOLE_URL = /^https?:\/\/([^/?#@]+)(?=[/?]|$)/i

export function withTarget(next: RequestListener): RequestListener {
  return (request, response) => {
    const fault = hosts(request) > 1 ? 'several_hosts' : takeTarget(request)
    if (fault === null) next(request, response)
    else refuse(response, fault)
  }
}

function hosts({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}

/** Splits an absolute URL into host and path; returns what is wrong, or null. */
function takeTarget(request: IncomingMessage): 'malformed_target' | null {
  const url = request.url ?? '/'
  if (url.startsWith('/') || url === '*') return null
  const match = WHOLE_URL.exec(url)
  if (!match) return 'malformed_target'
  const rest = url.slice(match[0].length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  request.headers.host = match[1]!
  return null
}

function refuse(response: ServerResponse, reason: 'several_hosts' | 'malformed_target'): void {
  const problem = refusal(reason)
  response.shouldKeepAlive = false
  response.writeHead(problem.status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(errorBody(problem, randomUUID())))
}
