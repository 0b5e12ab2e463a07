// What every write is checked by, in one order, wherever it comes from: a call, an operation of a bulk call, a job. The
// customer is not frozen; then the write itself; then what it has changed is compared with rights, ceilings and quotas,
// and its customer is alerted if it should know.

import type { ActorText } from '../kernel/actor.ts'
import { refuseFrozen } from './frozen.ts'
import { checkQuotas, type Quotas } from './quotas.ts'
import { checkReach, checkRights } from './rights.ts'
import type { Tx } from './tx.ts'

export interface GuardParts {
  /** The deployment's time zone: its days are used to say what a change costs at most. */
  timeZone: string
  /** How much one customer may have. */
  quotas: Quotas
  /** Reports what a transaction did that its customer should know. */
  alert: (tx: Tx, actor: ActorText) => Promise<void>
}

export interface Writer {
  /** The customer whose objects may be changed; null if there is none, or if it was looked at before. */
  cuid: number | null
  /** Null for a caller without credentials. */
  key: ActorText | null
}

/**
 * What becomes of the write: committed; a part of a larger one, which is checked again at its end; only proposed, and
 * then who approves it must keep to ceilings; or undone.
 */
export type Fate = 'final' | 'part' | 'proposed' | 'undone'

/** Does the work of a write and checks it. A final check is binding even with parallel calls; others hold no locks. */
export async function guard<T>(
  tx: Tx,
  { cuid, key }: Writer,
  { timeZone, quotas, alert }: GuardParts,
  work: () => Promise<T>,
  fateOf: (made: T) => Fate | Promise<Fate> = () => 'final',
): Promise<T> {
  if (cuid !== null) await refuseFrozen(tx, cuid)
  const made = await work()
  const fate = await fateOf(made)
  if (fate === 'undone') return made
  const isFinal = fate === 'final'
  if (key !== null) {
    if (fate === 'proposed') await checkReach(tx, key)
    else await checkRights(tx, key, { ownZone: timeZone, isFinal })
  }
  await checkQuotas(tx, quotas, isFinal)
  if (isFinal && key !== null) await alert(tx, key)
  return made
}
