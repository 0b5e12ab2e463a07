// Traces for a collector: a real one on loopback, whose requests are read as OTLP describes them.

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { newWebhook, type Receiver, startReceiver } from '../../test/support/webhooks.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createTraces, MOST_WAITING } from './traces.ts'
import { VERSION } from './version.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  status: { code?: number; message?: string }
}

const spans: OtlpSpan[] = []
const heads: { url: string; authorization: string; type: string }[] = []
let respond: (response: ServerResponse) => void
let resource: { attributes: object[] }
let collector: Server
let url: string
let receiver: Receiver
let service: TestService

beforeAll(async () => {
  collector = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      const { headers } = request
      heads.push({ url: request.url!, authorization: headers.authorization!, type: headers['content-type']! })
      const [{ resource: from, scopeSpans }] = JSON.parse(text).resourceSpans
      resource = from
      spans.push(...scopeSpans[0].spans)
      respond(response)
    })
  })
  await new Promise<void>(resolve => collector.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  receiver = await startReceiver()
  respond = ok
  service = await startTestService({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
    OTEL_SERVICE_NAME: 'ads',
    TRACE_ADS: '2',
  })
  await service.delivery.started
})
afterAll(async () => {
  await service?.close()
  await receiver?.close()
  collector.closeAllConnections()
  await new Promise(resolve => collector.close(resolve))
})
afterEach(() => {
  respond = ok
})

const ok = (response: ServerResponse) => void response.writeHead(200).end('{}')
const spanOf = (wanted: (span: OtlpSpan) => boolean) => until(async () => spans.find(wanted) ?? null)
const fact = ({ attributes }: OtlpSpan, key: string) => attributes.find(one => one.key === key)?.value
const traceparent = (flags: string) => ({ traceparent: `00-${TRACE_ID}-${CALLER}-${flags}` })

it('a call is a span of its caller’s trace, and the webhook that it causes another one, which the receiver can continue', async () => {
  await newWebhook(service, { url: receiver.url, events: ['customer.created'] })
  const body = { company: 'Bikes', email: 'traced@bikes.example' }
  await service.call('POST', '/customer', { body, headers: traceparent('01') })
  const call = await spanOf(span => span.name === 'POST /customer' && span.traceId === TRACE_ID)
  expect(call).toMatchObject({ parentSpanId: CALLER, kind: 2, status: {} })
  expect(fact(call, 'http.route')).toEqual({ stringValue: '/customer' })
  expect(fact(call, 'http.response.status_code')).toEqual({ intValue: '201' })
  expect(BigInt(call.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(call.startTimeUnixNano))
  expect(Math.abs(Number(BigInt(call.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(3_600_000)
  const sent = await spanOf(span => span.name === 'webhook')
  expect(sent).toMatchObject({ traceId: TRACE_ID, parentSpanId: call.spanId, kind: 3 })
  const [received] = await receiver.get(1)
  expect(received!.headers.traceparent).toBe(`00-${TRACE_ID}-${sent.spanId}-01`)
  expect(JSON.stringify(spans)).not.toContain('bikes.example')
})

it('a call without a trace begins one, whose id is in the log; one whose caller keeps none sends none', async () => {
  await service.call('GET', '/webhook', { headers: traceparent('00') })
  await service.call('GET', '/customer', { headers: { 'x-request-id': 'begins-a-trace' } })
  const call = await spanOf(span => span.name === 'GET /customer')
  expect(call).not.toHaveProperty('parentSpanId')
  const line = service.logLines.map(text => JSON.parse(text)).find(one => one.requestId === 'begins-a-trace')
  expect(line.traceId).toBe(call.traceId)
  expect(spans.filter(({ name }) => name === 'GET /webhook')).toEqual([])
})

it('one of TRACE_ADS ad requests and tracking calls is traced; health checks are not', async () => {
  const base = await service.listen()
  await service.call('GET', '/healthz', { as: null })
  for (let n = 0; n < 6; n++) await fetch(`${base}/tag.js`)
  await fetch(`${base}/t/c/nonsense`)
  await fetch(`${base}/t/c/nonsense`)
  const click = await spanOf(({ name }) => name.startsWith('GET /t/'))
  expect(fact(click, 'http.route')!.stringValue).toMatch(/^\/t\/\w*\/?$/)
  expect(spans.filter(({ name }) => name === 'GET /tag.js')).toHaveLength(3)
  expect(spans.filter(({ name }) => name === 'GET /healthz')).toEqual([])
})

it('a job is a span', async () => {
  await service.db.run(
    "select graphile_worker.add_job('review-banner', payload => '{\"bid\": 999999}'::json)",
  )
  const job = await spanOf(({ name }) => name === 'job review-banner')
  expect(job).toMatchObject({ kind: 1 })
})

it('says what it is, where OTLP wants it, with the headers of the operator', async () => {
  expect(heads[0]).toEqual({ url: '/v1/traces', authorization: 'Bearer abc', type: 'application/json' })
  const facts = Object.fromEntries(
    (resource.attributes as OtlpSpan['attributes']).map(({ key, value }) => [key, value.stringValue]),
  )
  expect(facts).toMatchObject({ 'service.name': 'ads', 'service.version': VERSION })
})

it('a collector that is down or busy costs no call: spans wait, go out later, and then are dropped and counted', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  const metrics = createMetrics()
  const traces = createTraces({
    endpoint: `${url}/`,
    headers: null,
    service: 'full',
    roles: ['api'],
    log,
    metrics,
  })
  respond = response => void response.writeHead(503).end()
  for (let n = 0; n < MOST_WAITING + 10; n++) traces.begin(`waits ${n}`, 'internal', null)!.end()
  const counted = async () =>
    (await metrics.registry.getSingleMetricAsString('marquee_spans_total')).split('\n')
  expect(await counted()).toContain('marquee_spans_total{outcome="dropped"} 10')
  await until(async () => lines.some(line => line.includes('does not take spans')) || null)
  expect(await counted()).toContain('marquee_spans_total{outcome="sent"} 0')
  respond = ok
  spans.length = 0
  await traces.stop()
  expect(spans.filter(({ name }) => name.startsWith('waits'))).toHaveLength(MOST_WAITING)
  expect(await counted()).toContain(`marquee_spans_total{outcome="sent"} ${MOST_WAITING}`)
})

it('what a collector refuses for good is dropped, and one that never answers does not hold up the stop', async () => {
  const metrics = createMetrics()
  const make = (endpoint: string) =>
    createTraces({
      endpoint,
      headers: null,
      service: 'x',
      roles: [],
      log: createLog('silent'),
      metrics: createMetrics(),
    })
  const refused = createTraces({
    endpoint: url,
    headers: null,
    service: 'x',
    roles: [],
    log: createLog('silent'),
    metrics,
  })
  respond = response => void response.writeHead(400).end('no')
  refused.begin('refused', 'internal', null)!.end()
  await refused.stop()
  const text = await metrics.registry.getSingleMetricAsString('marquee_spans_total')
  expect(text).toContain('marquee_spans_total{outcome="dropped"} 1')
  respond = () => {}
  const silent = make(url)
  silent.begin('never', 'internal', null)!.end()
  await silent.stop()
  const nobody = make('http://127.0.0.1:1')
  nobody.begin('nobody', 'internal', null)!.end()
  await nobody.stop()
})

it('without a collector nothing is traced, and the caller’s trace still goes out with a webhook', async () => {
  const plain = await startTestService()
  try {
    const hook = await newWebhook(plain, { url: receiver.url, events: ['customer.created'] })
    const headers = traceparent('01')
    await plain.call('POST', '/customer', { body: { company: 'B', email: 'p@bikes.example' }, headers })
    await hook.entry(entry => entry.state === 'delivered')
    expect(receiver.received.at(-1)!.headers.traceparent).toBe(headers.traceparent)
    await plain.call('POST', '/customer', { body: { company: 'B', email: 'q@bikes.example' } })
    await until(async () => receiver.received.at(-1)!.text.includes('q@bikes.example') || null)
    expect(receiver.received.at(-1)!.headers).not.toHaveProperty('traceparent')
  } finally {
    await plain.close()
  }
})
