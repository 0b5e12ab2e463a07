// The networks that a pair of a customer is used from (/24 of IPv4, /48 of IPv6), each kept as a keyed hash, never as
// an address. The first use of a pair says where it belongs; a use from elsewhere is told to the customer, once.

import { createHmac } from 'node:crypto'
import { type Clock, toSeconds } from '../kernel/clock.ts'
import type { Database } from '../platform/database.ts'
import { networkOf } from '../platform/network.ts'
import { secretNamed } from '../platform/secrets.ts'
import { countNetworks, insertNetwork, lockPair } from './alert-queries.ts'
import { alertNetwork } from './alerts.ts'

/** A pair that was used from so many is at home everywhere: no more are kept, and none is told. */
const MOST_NETWORKS = 50
const HASH_BYTES = 16

export interface SeenPair {
  cuid: number | null
  /** In hex; null: none yet. */
  networks: string[] | null
}

export interface Networks {
  /** A use of a pair. Only what is new costs a statement. */
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
        // A database that accepts no changes does not shut anybody out: it is learned later.
        secret = null
      }
    },
    forget() {
      secret = null
    },
  }
}

/** However many processes see it at once, one of them tells. */
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
    await alertNetwork(tx, { at, cuid, actor: key }, shown, network.toString('hex'))
  })
}
