// Readiness: whether this process should get the traffic of its role, part by part and in words. A process that
// delivers lives from its shares while the database is briefly away. One that can no longer promise or count is not
// ready, and neither is one that is about to stop.

import type { RunningNode } from '../deliver/process/running.ts'
import type { Role } from '../platform/config.ts'
import { type Db, isAlive } from '../platform/database.ts'
import type { RewindCheck } from '../platform/rewind-check.ts'
import { within } from '../platform/within.ts'
import type { ReadyPart } from './operations.ts'

export interface ReadyParts {
  roles: readonly Role[]
  /** `2 of 4`, if there are several processes on one port. */
  place: string | null
  /** A connection of its own, so that the load that others put on the database does not make the process unready. */
  db: Db
  delivery: {
    running(): Pick<RunningNode, 'refill'> | null
    /** How long nothing that waits could be written; null if the queue is full. */
    countingMs(): number | null
  }
  rewindCheck: Pick<RewindCheck, 'isTrusted'>
  isStopping: () => boolean
}

/** If nothing could be written for this long, nothing is being counted. Equals the validity of shares. */
const AWAY_MS = 10_000
/** This many campaigns, or this part of all, may lack a share: after an edit, or if others have the budget. */
const FEW = 10
const FEW_PART = 0.01
/** A process that only manages waits for the database, as its callers would; one that delivers can do without it. */
const PATIENCE_MS = { managing: 2_000, delivering: 300 }

export function createReadiness(parts: ReadyParts): () => Promise<ReadyPart[]> {
  const delivers = parts.roles.includes('delivery')

  /** Delivery and counting know themselves how long they can do without the database. */
  async function database(): Promise<ReadyPart> {
    if (!parts.rewindCheck.isTrusted())
      return { name: 'database', isReady: false, says: 'went back in time: this process starts anew' }
    const patienceMs = PATIENCE_MS[delivers ? 'delivering' : 'managing']
    const answers = await within(patienceMs, () => isAlive(parts.db)).catch(() => false)
    return { name: 'database', isReady: answers || delivers, says: answers ? 'answers' : 'does not answer' }
  }

  function selling(): ReadyPart {
    const name = 'delivery'
    const running = parts.delivery.running()
    if (!running)
      return { name, isReady: false, says: 'is starting: the catalog and the books are being read' }
    const { refill } = running
    if (!refill.mayPromise()) {
      // The node itself notices that it is cut off only when its round has ended.
      const says =
        refill.state() === 'replaced'
          ? 'stops: another process is this node now'
          : 'promises no ads: the database has not renewed its shares for 10 s'
      return { name, isReady: false, says }
    }
    const count = refill.waiting()
    if (count === null) return { name, isReady: false, says: 'asks for its first shares' }
    const { campaigns, waiting } = count
    if (waiting > Math.max(FEW, campaigns * FEW_PART))
      return { name, isReady: false, says: `waits for its shares of ${waiting} of ${campaigns} campaigns` }
    return { name, isReady: true, says: `sells from its shares, as node ${refill.node.nodeId}` }
  }

  function counting(): ReadyPart {
    const name = 'counting'
    const takenMs = parts.delivery.countingMs()
    if (takenMs === null)
      return { name, isReady: false, says: 'accepts nothing more: too much is waiting to be written' }
    if (takenMs < AWAY_MS) return { name, isReady: true, says: 'writes what is reported' }
    return { name, isReady: false, says: `has written nothing for ${Math.round(takenMs / 1000)} s` }
  }

  return async () => {
    const stopping = { name: 'process', isReady: false, says: 'is stopping' }
    const place = parts.place === null ? '' : `, ${parts.place}`
    const running = { name: 'process', isReady: true, says: `runs as ${parts.roles.join(', ')}${place}` }
    return [
      parts.isStopping() ? stopping : running,
      await database(),
      ...(delivers ? [selling(), counting()] : []),
    ]
  }
}
