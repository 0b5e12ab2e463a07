// Processes that count events at the same time, each a node with its own shares and connection: the rate that they
// achieve together.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createIngest } from '../src/count/ingest/ingest.ts'
import { openDatabase } from '../src/platform/database.ts'
import { withPlenty } from '../test/support/shares.ts'
import { batchesOf, places } from './counting-world.ts'

const EVENTS = 30_000
const CAMPAIGNS = 1000

/** Events per second of all writers together, from the start of the first to the end of the last. */
export async function ratesOfWriters(url: string, writers: number): Promise<number> {
  const children = await Promise.all(Array.from({ length: writers }, (_, at) => startWriter(url, at + 1)))
  const startedMs = performance.now()
  await Promise.all(
    children.map(async child => {
      child.send('go')
      await once(child, 'message')
    }),
  )
  const seconds = (performance.now() - startedMs) / 1000
  for (const child of children) child.kill()
  return (writers * EVENTS) / seconds
}

async function startWriter(url: string, nodeId: number): Promise<ChildProcess> {
  const child = fork(import.meta.filename, [], {
    env: { ...process.env, BENCH_WRITES_TO: url, BENCH_NODE: String(nodeId), SEED: String(nodeId) },
  })
  await once(child, 'message')
  return child
}

/** In a child: reports that it is ready, waits for the signal, writes, and reports the result. */
async function write(url: string): Promise<void> {
  const db = openDatabase({ url, maxConnections: 1, onError: () => {} })
  const nodeId = Number(process.env.BENCH_NODE)
  const ownNodeId = () => nodeId
  const ingest = withPlenty(db, createIngest({ db, timeZone: 'UTC', places, ownNodeId }), nodeId)
  const batches = batchesOf(CAMPAIGNS, EVENTS, nodeId)
  for (const events of batchesOf(CAMPAIGNS, 10_000, nodeId))
    await ingest({ events, actions: [], ignored: [] })
  process.send?.('ready')
  await once(process, 'message')
  for (const events of batches) await ingest({ events, actions: [], ignored: [] })
  process.send?.('done')
}

if (process.env.BENCH_WRITES_TO) await write(process.env.BENCH_WRITES_TO)
