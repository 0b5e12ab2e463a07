// What browsers require for calls from other origins: every page may call, and its origin is named in the answer.

import type { DataAnswer, DataRequest } from '../../http/lane/data-plane.ts'

const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, x-marquee-debug',
  'access-control-max-age': '86400',
}

export function preflight(cors: Record<string, string>): DataAnswer {
  return { status: 204, headers: { ...cors, ...PREFLIGHT }, body: null }
}

/** The origin is named because otherwise a browser would not send the cookie. */
export function corsOf({ headers }: DataRequest): Record<string, string> {
  return corsFor(headers.origin)
}

export function corsFor(origin: string | undefined): Record<string, string> {
  if (origin === undefined) return { 'access-control-allow-origin': '*' }
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'origin',
  }
}
