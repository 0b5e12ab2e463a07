// Whether a pair may call an endpoint, by what the contract says it needs. Every call and every operation of a bulk
// call is checked here; the cost of a change is checked where it is stored (changes/rights.ts).

import type { Caller } from '../kernel/caller.ts'
import { type Problem, refusal } from '../kernel/errors/problem.ts'
import { type AppRight, cellOfRight, cellOfScope, type Needs, type Scope } from '../kernel/permissions.ts'
import type { EndpointSpec } from './endpoint.ts'

/** Throws at the start if a contract does not say what it needs: that is a mistake of ours. */
export function needsOf(endpoint: EndpointSpec): Needs {
  const needs = endpoint.needs ?? (endpoint.method === 'GET' && !endpoint.sideEffects ? 'read' : null)
  if (needs === null) throw new Error(`the contract of ${endpoint.id} does not say what it needs`)
  return needs
}

export function scopeAllows(scope: Scope, needs: Needs): boolean {
  return cellOfScope(scope, needs) === 'yes'
}

export function cellOf(endpoint: EndpointSpec, scope: Scope) {
  return cellOfScope(scope, needsOf(endpoint))
}

/** Whether a super pair or a person of the staff may call it. */
export function appCellOf(endpoint: EndpointSpec, right: AppRight): 'yes' | 'no' {
  const cell = cellOfRight(right, needsOf(endpoint))
  return cell === 'yes' || (cell === 'named' && endpoint.staff === right) ? 'yes' : 'no'
}

/** Throws 403 if the scope, campaigns or customers of a pair do not allow the call. */
export function refuseScope(
  endpoint: EndpointSpec,
  caller: Caller | null,
  params: Record<string, string>,
): void {
  if (caller === null) return
  if (caller.right !== undefined && appCellOf(endpoint, caller.right) === 'no')
    throw rightTooLow(caller.right, needsOf(endpoint))
  if (caller.level === 'app') {
    const { access, ofChosenCustomers } = endpoint
    if (caller.cuids !== null && access === 'app' && !ofChosenCustomers) throw refusal('some_customers_only')
    return
  }
  if (isOfItself(endpoint, caller.key, params)) return
  const { scope, cids } = caller
  // What a person is asked to decide, no program decides for them.
  if (caller.isAgent && needsOf(endpoint) === 'approve') throw refusal('agents_decide_nothing')
  if (cellOf(endpoint, scope) === 'no') throw refusal('scope_too_low', { scope, needs: needsOf(endpoint) })
  if (cids !== null && !isWithin(endpoint, cids, params)) throw refusal('campaign_not_allowed')
}

export function rightTooLow(right: AppRight, needs: Needs): Problem {
  return right === 'read'
    ? refusal('scope_too_low', { scope: right, needs })
    : refusal('role_too_low', { role: right, needs })
}

/** A pair may always delete itself. */
function isOfItself({ ofItself }: EndpointSpec, key: string, params: Record<string, string>): boolean {
  return ofItself !== undefined && params[ofItself] === key
}

function isWithin(
  { ofAnyCampaign }: EndpointSpec,
  cids: readonly number[],
  { cid }: Record<string, string>,
): boolean {
  return cid === undefined ? !!ofAnyCampaign : cids.includes(Number(cid))
}
