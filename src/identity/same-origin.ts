// Accepts a call with a cookie only from our own pages. A page of another origin can make a browser send the cookie,
// but not our header (which needs a permission that we never give), nor our `sec-fetch-site` or `origin`.

import type { FastifyRequest } from 'fastify'
import { refusal } from '../kernel/errors/problem.ts'

const HEADER = 'x-marquee-csrf'

/** Throws 403 unless the request comes from one of our pages and has our header. */
export function refuseForeign(request: FastifyRequest, publicUrl: string): void {
  if (request.headers[HEADER] !== '1') {
    throw refusal('csrf_header_missing', { header: HEADER })
  }
  if (!isFromOurPages(request, publicUrl)) {
    throw refusal('session_refused')
  }
}

/** Browsers send `sec-fetch-site` to trustworthy addresses (https, localhost), and `origin` with every write. */
function isFromOurPages(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin, host } = request.headers
  if (origin === undefined || !URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.origin === new URL(publicUrl).origin || (isWeb(url) && url.host === host)
}

function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}
