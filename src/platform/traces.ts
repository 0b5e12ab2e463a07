// Spans for a collector, by OTLP/HTTP as JSON, if the operator names one: calls, jobs, webhooks, and a sample of ads.
// Ended spans wait in a queue of limited length. Whatever the collector does, no work waits for it and nothing fails:
// what does not fit is dropped and counted.

import { randomBytes } from 'node:crypto'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Place } from './trace.ts'
import { createTrouble } from './trouble.ts'
import { VERSION } from './version.ts'

/** As OTLP numbers them. */
const KINDS = { internal: 1, server: 2, client: 3 } as const

export interface Span extends Place {
  /** `failed`: why; without it, the span succeeded. */
  end(facts?: Facts, failed?: string): void
}

type Facts = Record<string, string | number>

export interface Traces {
  isOn: boolean
  /** Null if nothing is traced, or the caller does not keep its trace. Without a caller, a trace begins. */
  begin(name: string, kind: keyof typeof KINDS, caller: Place | null, facts?: Facts): Span | null
  /** Sends what waits, if the collector takes it within a moment. */
  stop(): Promise<void>
}

export const NO_TRACES: Traces = { isOn: false, begin: () => null, stop: async () => {} }

export interface TracesOptions {
  /** Null: no traces. */
  endpoint: string | null
  headers: Record<string, string> | null
  service: string
  roles: readonly string[]
  log: Log
  metrics: Pick<Metrics, 'tally'>
}

export const MOST_WAITING = 4_096
const BATCH = 512
const SEND_MS = 2_000
const TIMEOUT_MS = 10_000
const LAST_MS = 2_000
/** The collector may take them later; anything else that is no success will not change. */
const LATER = [408, 429, 502, 503, 504]

export function createTraces({ endpoint, log, metrics, ...about }: TracesOptions): Traces {
  const counts = { sent: 0, dropped: 0 }
  metrics.tally('marquee_spans_total', 'Spans of traces, by outcome: sent, dropped.', 'outcome', () =>
    Object.entries(counts),
  )
  if (endpoint === null) return NO_TRACES
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const headers = { ...about.headers, 'content-type': 'application/json' }
  const resource = resourceOf(about)
  const waiting: object[] = []
  const trouble = createTrouble(log, {
    text: 'the collector of traces does not take spans; they wait, and then are dropped',
    again: 'the collector of traces takes spans again',
    calmMs: Number.POSITIVE_INFINITY,
  })
  let sending: Promise<void> | null = null

  function send(timeoutMs = TIMEOUT_MS): Promise<void> {
    sending ??= sendBatch(timeoutMs).finally(() => {
      sending = null
    })
    return sending
  }

  async function sendBatch(timeoutMs: number): Promise<void> {
    const batch = waiting.slice(0, BATCH)
    if (batch.length === 0) return
    const body = JSON.stringify({
      resourceSpans: [
        { resource, scopeSpans: [{ scope: { name: 'marquee', version: VERSION }, spans: batch }] },
      ],
    })
    const outcome = await post(url, headers, body, timeoutMs)
    if (outcome === 'taken') trouble.over()
    else trouble.is(outcome.error)
    if (outcome !== 'taken' && outcome.isLater) return
    counts[outcome === 'taken' ? 'sent' : 'dropped'] += batch.length
    waiting.splice(0, batch.length)
  }

  function keep(span: object): void {
    if (waiting.length >= MOST_WAITING) counts.dropped++
    else waiting.push(span)
  }

  const timer = setInterval(() => void send(), SEND_MS)
  timer.unref()
  return {
    isOn: true,
    begin(name, kind, caller, facts = {}) {
      if (caller !== null && !caller.isSampled) return null
      const traceId = caller?.traceId ?? randomBytes(16).toString('hex')
      const spanId = randomBytes(8).toString('hex')
      const startedUs = nowUs()
      return {
        traceId,
        spanId,
        isSampled: true,
        end(more = {}, failed = undefined) {
          keep({
            traceId,
            spanId,
            ...(caller === null ? {} : { parentSpanId: caller.spanId }),
            name,
            kind: KINDS[kind],
            startTimeUnixNano: `${startedUs}000`,
            endTimeUnixNano: `${nowUs()}000`,
            attributes: attributesOf({ ...facts, ...more }),
            status: failed === undefined ? {} : { code: 2, message: failed },
          })
        },
      }
    },
    async stop() {
      clearInterval(timer)
      await sending
      for (let left = MOST_WAITING / BATCH; left > 0 && waiting.length > 0; left--) {
        const before = waiting.length
        await send(LAST_MS)
        if (waiting.length === before) return
      }
    },
  }
}

/** Of the machine: the clock of a sandbox stands still. */
function nowUs(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000)
}

function resourceOf({ service, roles }: Pick<TracesOptions, 'service' | 'roles'>): object {
  return {
    attributes: attributesOf({
      'service.name': service,
      'service.version': VERSION,
      'service.instance.id': randomBytes(8).toString('hex'),
      'marquee.roles': roles.join(','),
    }),
  }
}

/** Whole numbers are text in OTLP's JSON. */
function attributesOf(facts: Facts): object[] {
  return Object.entries(facts).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number,
): Promise<'taken' | { isLater: boolean; error: unknown }> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await answer.body?.cancel()
    if (answer.ok) return 'taken'
    return { isLater: LATER.includes(answer.status), error: new Error(`status ${answer.status}`) }
  } catch (error) {
    // What went wrong is in the cause of a failed fetch.
    return { isLater: true, error: (error as Error).cause ?? error }
  }
}
