// The caller, after the credentials were checked. An app works on behalf of the customers it created; a customer works
// only on itself, as far as the scope of its pair allows.

import type { ActorText } from './actor.ts'

/** What a super pair may do for its app: read, or do everything. */
export const SUPER_SCOPES = ['read', 'all'] as const
export type SuperScope = (typeof SUPER_SCOPES)[number]

/** What a person of an app's staff may do: read, pause and review; or read and credit; or everything. */
export const STAFF_ROLES = ['support', 'finance', 'admin'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

/** What somebody may do for an app: a super pair by its scope, a person by their role. */
export const APP_RIGHTS = ['read', 'support', 'finance', 'all'] as const
export type AppRight = (typeof APP_RIGHTS)[number]

export function rightOf(role: StaffRole): AppRight {
  return role === 'admin' ? 'all' : role
}

export interface AppCaller {
  level: 'app'
  appId: number
  right: AppRight
  /** Only these customers of the app; null: all. */
  cuids: readonly number[] | null
  /** The caller in limits, histories and idempotency: the key half of its pair, which is no secret, or the person. */
  key: ActorText
  mayPasscode: boolean
  mayNoPasscode: boolean
  maySources: boolean
}

/**
 * What a pair may do, each including those before it: read; make changes that cost no more; spend; and grant rights.
 */
export const SCOPES = ['read', 'propose', 'spend', 'all'] as const
export type Scope = (typeof SCOPES)[number]

/** What a person may do for a customer: the same as the scope at the same index. */
export const ROLES = ['viewer', 'editor', 'manager', 'owner'] as const
export type Role = (typeof ROLES)[number]

export function scopeOf(role: Role): Scope {
  return SCOPES[ROLES.indexOf(role)]!
}

export interface CustomerCaller {
  level: 'customer'
  appId: number
  cuid: number
  key: ActorText
  scope: Scope
  /** Only these campaigns; null: all of the customer. */
  cids: readonly number[] | null
  /** For staff who act as the customer: what they may do for their app. */
  right?: AppRight
}

export type Caller = AppCaller | CustomerCaller

/** Whether a customer exists for this caller. */
export function maySee({ cuids }: Pick<AppCaller, 'cuids'>, cuid: number): boolean {
  return cuids === null || cuids.includes(cuid)
}
