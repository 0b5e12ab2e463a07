// The first step of a node: it joins the deployment. The database says which node it is, its folder says what it had
// promised, and from then on rounds with the database renew it (refill.ts).

import type { CapStore, OpenCapCount } from '../../budget/caps/shared-caps.ts'
import { type Joined, joinAsNode } from '../../budget/shares/join.ts'
import type { ShareStore } from '../../budget/shares/share.ts'
import { BY_KEYS, createShareStore } from '../../budget/shares/shares.ts'
import { isSandbox, steadyMsOf } from '../../kernel/time/clock.ts'
import { openDatabase } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import { PLANNED_ONCE } from '../../platform/session.ts'
import { brokenConnection } from '../../platform/trouble.ts'
import { createRefill, type Refill } from './refill.ts'
import type { NodeOptions } from './running.ts'

export interface Membership {
  node: Joined
  store: ShareStore
  /** The shared store of caps for all nodes, if there is one. */
  capStore: CapStore | null
  /** What an emptied cap store is loaded from; to be set once there is a ledger. */
  rebuildFrom: { load(): Promise<void>; open(): OpenCapCount[] }
  refill: Refill
}

/** The longest reservation: exchanges may ask for an hour, and notices may come a minute later. */
export const MAX_TTL_MS = 3_660_000
const SHARE_CONNECTIONS = 2
/** A part of a round is done or given up well before the node is no longer valid. */
export const SHARE_STATEMENT_MS = 3_000
/** The clock of a sandbox stands still meanwhile, so that results do not depend on the speed of the machine. */
const SANDBOX_STATEMENT_MS = 60_000

export async function joinDeployment(
  { config, databaseUrl, slow, clock, log, metrics, onReplaced }: NodeOptions,
  userSecret: Buffer,
  closers: (() => unknown)[],
): Promise<Membership> {
  const sharesDb = openDatabase({
    url: databaseUrl,
    slow,
    maxConnections: SHARE_CONNECTIONS,
    name: 'marquee shares',
    statementMs: isSandbox(clock) ? SANDBOX_STATEMENT_MS : SHARE_STATEMENT_MS,
    settings: isSandbox(clock) ? { ...BY_KEYS, ...PLANNED_ONCE } : BY_KEYS,
    onError: brokenConnection(log, { part: 'shares' }),
  })
  metrics.pool('shares', sharesDb.pool)
  closers.push(() => sharesDb.close())
  const node = await joinAsNode(sharesDb, config.DATA_DIR, MAX_TTL_MS)
  closers.push(() => node.leave())
  const store = createShareStore(sharesDb, MAX_TTL_MS)
  const capStore = config.CAPS_URL ? await openCapStore(config.CAPS_URL, userSecret, log) : null
  closers.push(() => capStore?.close())
  const rebuildFrom: Membership['rebuildFrom'] = { load: () => Promise.resolve(), open: () => [] }
  const refill = createRefill({
    store,
    sharedCaps: capStore && {
      duties: store,
      store: capStore,
      load: () => rebuildFrom.load(),
      open: () => rebuildFrom.open(),
    },
    node,
    log,
    nowMs: clock.nowMs,
    steadyMs: steadyMsOf(clock),
    rounds: clock.rounds,
    maxTtlMs: MAX_TTL_MS,
    onReplaced,
  })
  return { node, store, capStore, rebuildFrom, refill }
}

/** The client is loaded only if there is such a server. */
async function openCapStore(url: string, userSecret: Buffer, log: Log): Promise<CapStore> {
  const { capPrefix, createCapStore } = await import('../../budget/caps/cap-store.ts')
  return createCapStore({ url, prefix: capPrefix(userSecret), log })
}
