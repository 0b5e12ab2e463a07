// The networks that a customer's pair is used from (/24 of IPv4, /48 of IPv6), stored as keyed hashes, never as
// addresses. The first network of a pair is taken as known; each new one is reported to the customer once.

import { createHmac } from 'node:crypto'
import type { ActorText } from '../kernel/actor.ts'
import { type Clock, toSeconds } from '../kernel/time/clock.ts'
import type { Database } from '../platform/database.ts'
import { networkOf } from '../platform/network.ts'
import { secretNamed } from '../platform/secrets.ts'
import { countNetworks, insertNetwork, lockPair } from './alert-queries.ts'
import { alertNetwork } from './alerts.ts'

/** A pair used from this many networks is used from anywhere: no more are stored or reported. */
const MOST_NETWORKS = 50
const HASH_BYTES = 16

export interface SeenPair {
  cuid: number | null
  /** Hashes in hex; null: none yet. */
  networks: string[] | null
}

export interface Networks {
  /** Notes a use of a pair. Only a new network costs a statement. */
  note(row: SeenPair, key: string, address: string): Promise<void>
  forget(): void
}

export function createNetworks(db: Database, clock: Clock): Networks {
  let secret: Promise<Buffer> | null = null
  /** The last address of each row, so that most calls need no hash. */
  const last = new WeakMap<SeenPair, string>()

  async function hashOf(address: string): Promise<Buffer> {
    secret ??= secretNamed(db, 'networks of pairs')
    const mac = createHmac('sha256', await secret).update(networkOf(address))
    return mac.digest().subarray(0, HASH_BYTES)
  }

  return {
    async note(row, key, address) {
      if (row.cuid === null || last.get(row) === address) return
      try {
        const network = await hashOf(address)
        const text = network.toString('hex')
        const known = row.networks ?? []
        if (!known.includes(text)) {
          await learn(db, { cuid: row.cuid, key, network }, clock)
          row.networks = [...known, text]
        }
        last.set(row, address)
      } catch {
        // A read-only database must not shut anybody out: the network is recorded later.
        secret = null
      }
    },
    forget() {
      secret = null
    },
  }
}

/** Records a network. If several processes see it at once, only one of them reports it. */
async function learn(
  db: Database,
  { cuid, key, network }: { cuid: number; key: string; network: Buffer },
  clock: Clock,
): Promise<void> {
  await db.transaction(async tx => {
    const pair = await lockPair(tx, cuid, key)
    if (!pair) return
    const others = await countNetworks(tx, key)
    const at = new Date(clock.nowMs())
    if (others >= MOST_NETWORKS || !(await insertNetwork(tx, key, network, at)) || others === 0) return
    const { name, scope, created_at, expires_at } = pair
    const shown = { key, name, scope, created: toSeconds(created_at), expires: toSeconds(expires_at) }
    await alertNetwork(tx, { at, cuid, actor: key as ActorText }, shown, network.toString('hex'))
  })
}
