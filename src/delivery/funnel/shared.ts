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
  let { stride } = traffic
  let texts = traffic.kept.filter((_, n) => isKept(n, traffic, MOST_SHARED)).map(one => JSON.stringify(one))
  if (texts.length > 0) stride *= strideFor(traffic.kept.length, MOST_SHARED)
  while (texts.length > 1 && texts.reduce((sum, text) => sum + text.length, 0) > MOST_CHARS) {
    texts = texts.filter((_, n) => n % 2 === 0)
    stride *= 2
  }
  return { stride, texts }
}

function isKept(n: number, { kept }: Traffic, most: number): boolean {
  return n % strideFor(kept.length, most) === 0
}

function strideFor(count: number, most: number): number {
  let stride = 1
  while (count / stride > most) stride *= 2
  return stride
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

/** `own`: where this process delivers, what it has seen up to now. */
export async function readTraffic(
  db: Db,
  pid: number,
  own: { nodeId: number; sample: TrafficSample } | null,
  nowMs: number,
): Promise<AllTraffic> {
  const rows = await selectTraffic(db, pid, own?.nodeId ?? -1)
  const parts: AllTraffic[] = rows.map(row => ({
    sinceMs: row.since.getTime(),
    requests: row.requests,
    stride: row.stride,
    kept: JSON.parse(row.kept) as AdRequest[],
    served: row.served,
  }))
  if (own) parts.push({ ...own.sample.read(), served: own.sample.servedOf(pid) })
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
