// The caller, after the credentials were checked. An app works on behalf of the customers it created; a customer works
// only on itself, as far as the scope of its pair allows.

import type { ActorText } from './actor.ts'
import type { AppRight, Scope } from './permissions.ts'

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
  /** A program that a person lets act for them: it decides about nothing that others propose. */
  isAgent?: true
}

export type Caller = AppCaller | CustomerCaller

/** Whether a customer exists for this caller. */
export function maySee({ cuids }: Pick<AppCaller, 'cuids'>, cuid: number): boolean {
  return cuids === null || cuids.includes(cuid)
}
