// How a call becomes a proposal: it is tried in its transaction, which is rolled back, and stored in another one. The
// proposer itself is in src/manage/proposals/, which this folder does not import.

import type { Tx } from '../changes/tx.ts'
import type { Caller } from '../kernel/caller.ts'
import type { EndpointSpec } from './endpoint.ts'
import type { StoredAnswer } from './idempotency.ts'

/** A call that was tried, in its transaction. */
export interface Trial {
  endpoint: EndpointSpec
  caller: Caller
  cuid: number
  params: Record<string, string>
  /** The body as it was sent. */
  body: unknown
  made: StoredAnswer
}

export interface Proposer {
  /** Looks at the tried call; returns the function that stores the proposal in another transaction. */
  draft(tx: Tx, trial: Trial): Promise<(tx: Tx) => Promise<StoredAnswer>>
}

/** Carries a proposal out of the transaction that has tried it. */
export class ToPropose {
  readonly store: (tx: Tx) => Promise<StoredAnswer>
  constructor(store: (tx: Tx) => Promise<StoredAnswer>) {
    this.store = store
  }
}
