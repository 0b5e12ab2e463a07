// Which problems an endpoint may answer with, from what its contract says.

import type { ProblemCode } from '../kernel/errors/problem.ts'
import type { EndpointSpec } from './endpoint.ts'
import { mayBeProposed } from './proposed.ts'
import { needsOf } from './scope.ts'

export function honoursIfMatch(endpoint: EndpointSpec): boolean {
  return !!endpoint.etag && (endpoint.method === 'PUT' || endpoint.method === 'DELETE')
}

/** A change to a customer that its path or `cuid` names. */
function isRefusedWhenFrozen({ method, access, cuid, path, needs, whenFrozen }: EndpointSpec): boolean {
  if (method === 'GET' || access === 'public' || needs === 'read' || whenFrozen) return false
  return !!cuid || path.startsWith('/customer/:cuid') || path.startsWith('/customer/by-external')
}

export function problemsOf(endpoint: EndpointSpec): Set<ProblemCode> {
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
