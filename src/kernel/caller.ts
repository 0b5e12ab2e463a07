// The caller, once the credentials were checked. An app works on behalf of the customers it created; a customer works
// on itself only.

export interface AppCaller {
  level: 'app'
  appId: number
  /** The key half of the pair: identifies the credential in limits, audit and idempotency, and is not a secret. */
  key: string
  mayPasscode: boolean
  mayNoPasscode: boolean
}

export interface CustomerCaller {
  level: 'customer'
  appId: number
  cuid: number
  key: string
}

export type Caller = AppCaller | CustomerCaller
