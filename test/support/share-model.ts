// The database's side of shares in memory, for simulated days and as the model of the statements: the same operations
// by the same rules. The two conditions are checked after each operation.

import { MINUTE_FADE, yieldOf } from '../../src/budget/pacing/pacing.ts'
import { writeNews } from '../../src/budget/shares/news.ts'
import type { Ask, Grant, Line, NodeRef, ShareStore, Want, Wanted } from '../../src/budget/shares/share.ts'
import { SLACK_MS, VALID_MS } from '../../src/budget/shares/share.ts'

const LACKS_FOR_MS = 40_000

export interface ShareRow {
  nodeId: number
  /** A flight that has a total; 0: the campaign alone pays. */
  payer: number
  granted: number
  billed: number
  reserved: number
  rate: number
  mean: number
  ended: number
}

interface NodeRow {
  epoch: number
  validUntilMs: number
  adsUntilMs: number
  isGone: boolean
}

export interface ShareModel extends ShareStore {
  join(): NodeRef
  resume(nodeId: number): NodeRef | null
  /** A new impression: true if its share covers it. `by`: the node that took the notice. */
  charge(
    by: number,
    ad: { adId: string; nodeId: number; cid: number; payer?: number; dayKey: number },
    micros: number,
  ): boolean
  share(nodeId: number, cid: number, dayKey: number, payer?: number): ShareRow | undefined
  shares(nodeId: number): Iterable<ShareRow & { cid: number; dayKey: number }>
  billed(cid: number, dayKey: number): number
}

export interface ModelOptions {
  nowMs: () => number
  maxTtlMs: number
  dailyOf: (cid: number) => number | undefined
  /** The totals of flights. */
  totalOf?: (payer: number) => number
}

function knownOf(rows: ShareRow[]) {
  const sum = (of: (row: ShareRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    meanMicros: Math.max(...rows.map(row => row.mean)),
    yieldRatio: yieldOf(
      sum(row => row.billed),
      sum(row => row.ended),
    ),
    endedMicros: sum(row => row.ended),
  }
}

export function createShareModel({ nowMs, maxTtlMs, dailyOf, totalOf }: ModelOptions): ShareModel {
  const nodes = new Map<number, NodeRow>()
  const budgets = new Map<string, Map<string, ShareRow>>()
  const lines = new Map<string, Line>()
  const news = new Map<number, { newsId: number; ads: Buffer }[]>()
  const wants = new Map<string, Want & { node: number; atMs: number }>()
  const duties = new Map<string, { nodeId: number; untilMs: number }>()
  let newsNumber = 0

  const keyOf = (cid: number, dayKey: number) => `${dayKey} ${cid}`
  const rowKey = (nodeId: number, payer = 0) => `${nodeId} ${payer}`
  const isMe = ({ nodeId, epoch }: NodeRef) => {
    const row = nodes.get(nodeId)
    return row !== undefined && row.epoch === epoch && !row.isGone
  }
  const isLive = (row: NodeRow) => row.validUntilMs > nowMs() && !row.isGone
  const renewed = (row: NodeRow) => {
    row.validUntilMs = nowMs() + VALID_MS
    row.adsUntilMs = Math.max(row.adsUntilMs, nowMs() + VALID_MS + maxTtlMs + SLACK_MS)
  }
  const grantedOf = (rows: Map<string, ShareRow>) =>
    [...rows.values()].reduce((sum, row) => sum + row.granted, 0)

  /** The rest of a flight's total, over all days. */
  function leftOf(payer: number): number {
    if (payer === 0) return Number.POSITIVE_INFINITY
    let left = totalOf?.(payer) ?? Number.POSITIVE_INFINITY
    for (const rows of budgets.values())
      for (const row of rows.values()) if (row.payer === payer) left -= row.granted
    return left
  }

  /** Granted money only grows within the budget; a lowered budget may be below what is already granted. */
  function mustHold(cid: number, rows: Map<string, ShareRow>, wasGranted: number): void {
    const granted = grantedOf(rows)
    if (granted > Math.max(dailyOf(cid) ?? 0, wasGranted)) throw new Error(`${cid}: ${granted} granted`)
    for (const row of rows.values())
      if (row.billed > row.granted || row.billed < 0)
        throw new Error(`${cid}: ${row.billed} of ${row.granted}`)
  }

  function move(node: NodeRef, ask: Ask): Grant | null {
    const daily = dailyOf(ask.cid)
    if (daily === undefined) return null
    const key = keyOf(ask.cid, ask.dayKey)
    if (!budgets.has(key)) budgets.set(key, new Map())
    const rows = budgets.get(key)!
    const mine = rows.get(rowKey(node.nodeId, ask.payer)) ?? {
      nodeId: node.nodeId,
      payer: ask.payer,
      granted: 0,
      billed: 0,
      reserved: 0,
      rate: 0,
      mean: 0,
      ended: 0,
    }
    rows.set(rowKey(node.nodeId, ask.payer), mine)
    const wasGranted = grantedOf(rows)
    const ofFlight = leftOf(ask.payer)
    const pool = Math.min(daily - wasGranted, ofFlight)
    const live = [...nodes.values()].filter(isLive).length
    const part = live > 1 ? Math.trunc(pool / (2 * live)) : pool
    const most = Math.min(ask.targetMicros - mine.granted, pool, Math.max(part, ask.leastMicros))
    let more = 0
    if (ask.targetMicros <= mine.granted) more = Math.max(ask.targetMicros, mine.billed) - mine.granted
    else if (most >= ask.leastMicros && most > 0) more = most
    // The values before this statement, because a statement does not see its own writes.
    const known = knownOf([...rows.values()])
    const line = lines.get(key) ?? null
    if (ask.line && ask.line.fromMs > (line?.fromMs ?? 0)) lines.set(key, ask.line)
    mine.granted += more
    Object.assign(mine, {
      reserved: ask.reservedMicros,
      rate: Math.round(ask.rateMicros),
      mean: Math.round(ask.meanMicros) || mine.mean,
      ended: mine.ended + ask.endedMicros,
    })
    mustHold(ask.cid, rows, wasGranted)
    if (more > 0 && leftOf(ask.payer) < 0) throw new Error(`flight ${ask.payer} is exceeded`)
    const all = [...rows.values()]
    const nodeOf = (row: ShareRow) => nodes.get(row.nodeId)
    const others = all.filter(row => row !== mine && nodeOf(row)?.isGone === false)
    const fadeOf = (row: ShareRow) =>
      MINUTE_FADE ** Math.max(0, (nowMs() - nodeOf(row)!.validUntilMs) / 60_000)
    const sum = (list: ShareRow[], of: (row: ShareRow) => number) => list.reduce((s, row) => s + of(row), 0)
    return {
      cid: ask.cid,
      payer: ask.payer,
      dayKey: ask.dayKey,
      grantedMicros: mine.granted,
      billedMicros: mine.billed,
      poolMicros: pool - more,
      shortOf: pool === ofFlight ? 'total' : 'day',
      lifeMicros: null,
      monthMicros: null,
      flight: null,
      line,
      allBilledMicros: sum(all, row => row.billed),
      others: {
        reservedMicros: sum(others, row => row.reserved),
        rateMicros: Math.round(sum(others, row => row.rate * fadeOf(row))),
        ...known,
      },
    }
  }

  return {
    join() {
      const row = { epoch: 1, validUntilMs: 0, adsUntilMs: 0, isGone: false }
      renewed(row)
      nodes.set(nodes.size + 1, row)
      return { nodeId: nodes.size, epoch: 1 }
    },
    resume(nodeId) {
      const row = nodes.get(nodeId)
      if (!row || row.isGone) return null
      row.epoch++
      renewed(row)
      return { nodeId, epoch: row.epoch }
    },
    async renew(node) {
      if (!isMe(node)) return null
      renewed(nodes.get(node.nodeId)!)
      return [...nodes.values()].filter(isLive).length
    },
    async move(node, asks) {
      return isMe(node) ? asks.map(ask => move(node, ask)).filter(grant => grant !== null) : []
    },
    async want(node, asked) {
      for (const want of asked) {
        const rows = budgets.get(keyOf(want.cid, want.dayKey))?.values() ?? []
        if ([...rows].some(row => row.nodeId !== node.nodeId && row.granted > row.billed))
          wants.set(`${node.nodeId} ${want.dayKey} ${want.cid}`, {
            ...want,
            node: node.nodeId,
            atMs: nowMs(),
          })
      }
    },
    async wanted(node) {
      const found: Wanted[] = []
      for (const [key, { cid, dayKey, leastMicros, node: nodeId, atMs }] of wants) {
        const rows = budgets.get(keyOf(cid, dayKey)) ?? new Map<string, ShareRow>()
        if (atMs < nowMs() - LACKS_FOR_MS) wants.delete(key)
        else if (nodeId !== node.nodeId) {
          if ([...rows.values()].some(row => row.nodeId === node.nodeId && row.granted > row.billed))
            found.push({ cid, dayKey, isBack: false })
        } else if (leastMicros !== null && (dailyOf(cid) ?? 0) - grantedOf(rows) >= leastMicros) {
          wants.delete(key)
          found.push({ cid, dayKey, isBack: true })
        }
      }
      return found
    },
    async news(node, read) {
      const left = (news.get(node.nodeId) ?? []).filter(one => !read.includes(one.newsId))
      news.set(node.nodeId, left)
      return left.slice(0, 1000)
    },
    async sendNews(nodeIds, ads) {
      nodeIds.forEach((nodeId, i) => {
        if (!news.has(nodeId)) news.set(nodeId, [])
        news.get(nodeId)!.push({ newsId: ++newsNumber, ads: ads[i]! })
      })
    },
    async reclaim() {
      const dead = [...nodes]
        .filter(([, row]) => !row.isGone && row.adsUntilMs < nowMs())
        .map(([nodeId]) => nodeId)
      for (const nodeId of dead) {
        const row = nodes.get(nodeId)!
        row.isGone = true
        row.epoch++
        for (const rows of budgets.values()) {
          for (const share of rows.values())
            if (share.nodeId === nodeId) Object.assign(share, { granted: share.billed, reserved: 0, rate: 0 })
        }
      }
      return { gone: dead, isDone: true }
    },
    async lease(duty, node, adsMs) {
      const lease = duties.get(duty)
      if (!isMe(node) || (lease && lease.nodeId !== node.nodeId && lease.untilMs >= nowMs())) return false
      const untilMs = nowMs() + VALID_MS + adsMs
      duties.set(duty, {
        nodeId: node.nodeId,
        untilMs: lease?.nodeId === node.nodeId ? Math.max(lease.untilMs, untilMs) : untilMs,
      })
      return true
    },
    async end(node, adsMs, dutyMs) {
      for (const lease of duties.values()) if (lease.nodeId === node.nodeId) lease.untilMs = nowMs() + dutyMs
      if (!isMe(node)) return
      const row = nodes.get(node.nodeId)!
      row.validUntilMs = nowMs()
      row.adsUntilMs = nowMs() + adsMs + SLACK_MS
    },
    charge(by, { adId, nodeId, cid, payer, dayKey }, micros) {
      const rows = budgets.get(keyOf(cid, dayKey))
      const share = rows?.get(rowKey(nodeId, payer))
      if (!rows || !share || share.billed + micros > share.granted) return false
      share.billed += micros
      mustHold(cid, rows, grantedOf(rows))
      if (by !== nodeId)
        void this.sendNews([nodeId], [writeNews([{ end: 'billed', adId, chargeMicros: micros }])])
      return true
    },
    share: (nodeId, cid, dayKey, payer) => budgets.get(keyOf(cid, dayKey))?.get(rowKey(nodeId, payer)),
    *shares(nodeId) {
      for (const [key, rows] of budgets) {
        const [dayKey, cid] = key.split(' ').map(Number)
        for (const row of rows.values())
          if (row.nodeId === nodeId) yield { ...row, cid: cid!, dayKey: dayKey! }
      }
    },
    billed: (cid, dayKey) =>
      [...(budgets.get(keyOf(cid, dayKey))?.values() ?? [])].reduce((sum, row) => sum + row.billed, 0),
  }
}
