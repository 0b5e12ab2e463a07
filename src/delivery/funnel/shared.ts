// Traffic samples of all nodes: each writes a fair part of its own to the database, and the process that is asked
// combines them, so that each kept request represents as many as any other.

import type { Db } from '../../platform/database.ts'
import type { AdRequest } from '../../targeting/request.ts'
import { selectTraffic, writeTraffic } from './queries.ts'
import type { Traffic, TrafficSample } from './sample.ts'

/** What all nodes have seen, and how many ads of one persona they have served. */
export interface AllTraffic extends Traffic {
  served: number
}

/** Written by each node: enough for a funnel, and small whatever is sent. */
const MOST_SHARED = 512
const MOST_CHARS = 1_000_000

/** Every second one, until they fit. */
function thinned(traffic: Traffic): { stride: number; texts: string[] } {
  let { stride, kept } = traffic
  const halved = <T>(all: T[]): T[] => {
    stride *= 2
    return all.filter((_, n) => n % 2 === 0)
  }
  while (kept.length > MOST_SHARED) kept = halved(kept)
  let texts = kept.map(one => JSON.stringify(one))
  while (texts.length > 1 && texts.join().length > MOST_CHARS) texts = halved(texts)
  return { stride, texts }
}

/** To be repeated. An unchanged sample is not written again. */
export function createTrafficWriter(db: Db, nodeId: number, sample: TrafficSample) {
  let written = -1
  return async (): Promise<void> => {
    const traffic = sample.read()
    if (traffic.requests === written) return
    const { stride, texts } = thinned(traffic)
    const row = {
      since: new Date(traffic.sinceMs),
      requests: traffic.requests,
      stride,
      kept: `[${texts.join()}]`,
    }
    await writeTraffic(db, nodeId, row, JSON.stringify(Object.fromEntries(sample.servedAll())))
    written = traffic.requests
  }
}

export async function readTraffic(db: Db, pid: number, nowMs: number): Promise<AllTraffic> {
  const rows = await selectTraffic(db, pid)
  const parts: AllTraffic[] = rows.map(row => ({
    sinceMs: row.since.getTime(),
    requests: row.requests,
    stride: row.stride,
    kept: JSON.parse(row.kept) as AdRequest[],
    served: row.served,
  }))
  const stride = Math.max(1, ...parts.map(part => part.stride))
  const sum = (of: (part: AllTraffic) => number) => parts.reduce((total, part) => total + of(part), 0)
  return {
    sinceMs: Math.min(nowMs, ...parts.map(part => part.sinceMs)),
    requests: sum(part => part.requests),
    stride,
    kept: parts.flatMap(part => part.kept.filter((_, n) => n % (stride / part.stride) === 0)),
    served: sum(part => part.served),
  }
}
