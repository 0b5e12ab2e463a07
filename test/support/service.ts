// The real service with its own database, used through its API.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MachineClock } from '../../src/kernel/time/clock.ts'
import { type Config, readConfig } from '../../src/platform/config.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Service, ServiceOptions } from '../../src/service/app.ts'
import { createService } from '../../src/service/app.ts'
import { createEmptyDatabase, createTestDatabase } from './database.ts'

export interface TestPair {
  key: string
  token: string
}

export interface CallOptions {
  /** A customer pair. */
  as?: TestPair | null
  /** The super pair; the default app's unless `as` or `null` is given. */
  app?: TestPair | null
  body?: unknown
  headers?: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is looked into freely by tests
type Json = any

export interface TestAnswer {
  status: number
  /** Tests inspect it freely. */
  body: Json
  headers: Record<string, string>
  text: string
}

export interface TestService extends Service {
  config: Config
  clock: TestClock
  app: TestPair
  logLines: string[]
  call(method: string, url: string, options?: CallOptions): Promise<TestAnswer>
  newCustomer(fields?: object): Promise<TestPair & { cuid: number; email: string }>
  close(): Promise<void>
}

/** Real time plus what a test adds. */
export interface TestClock extends MachineClock {
  /** Lets time pass on every clock. */
  advance(ms: number): void
  /** Changes only this machine's clock. */
  set(aheadMs: number): void
  /** Changes the database's clock. */
  setDatabase(aheadMs: number): void
}

/** `startMs`: the time at the start; the real time if not given. */
export function testClock(startMs = Date.now()): TestClock {
  let offsetMs = startMs - Date.now()
  let machineMs = 0
  let databaseMs = 0
  return {
    nowMs: () => Date.now() + offsetMs + machineMs,
    monotonicMs: () => Date.now() + offsetMs,
    databaseMs: () => Date.now() + offsetMs + databaseMs,
    advance: ms => {
      offsetMs += ms
    },
    set: aheadMs => {
      machineMs = aheadMs
    },
    setDatabase: aheadMs => {
      databaseMs = aheadMs
    },
  }
}

export async function startTestService(
  settings: Record<string, string> = {},
  clock = testClock(),
  more: Pick<ServiceOptions, 'siteFiles'> = {},
): Promise<TestService> {
  const database = await (settings.SANDBOX ? createEmptyDatabase() : createTestDatabase())
  const dataDir = await mkdtemp(join(tmpdir(), 'marquee-data-'))
  const config = readConfig({
    DATABASE_URL: database.url,
    DATABASE_POOL: '8',
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:8080',
    RATE_LIMIT: '100000',
    RATE_BURST: '100000',
    FAILURE_LIMIT: '100000',
    ALLOW_PRIVATE_CREATIVES: 'true',
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    ...settings,
  })
  const logLines: string[] = []
  const log = createLog('debug', { write: line => void logLines.push(line) })
  const service = await createService({ ...more, config, log, clock, checkAnswers: true })
  const { advance } = clock
  clock.advance = ms => {
    advance(ms)
    // Work that is now due must not wait for the next regular check.
    service.db.announce('webhooks')
    service.db.announce('mails')
  }
  const first = service.firstCredentials!
  const app = { key: first.superkey, token: first.supertoken }
  let customers = 0

  const call = callOf(service, app)

  return {
    ...service,
    config,
    clock,
    app,
    logLines,
    call,
    async newCustomer(fields = {}) {
      const body = { company: 'Blue Bikes', email: `c${++customers}@bikes.example`, ...fields }
      const answer = await call('POST', '/customer', { body })
      if (answer.status !== 201) throw new Error(`no customer: ${answer.text}`)
      return answer.body
    },
    async close() {
      await service.stop()
      await database.drop()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Calls a service, with this super pair if none is given. */
export function callOf(service: Pick<Service, 'api'>, app: TestPair | null = null): TestService['call'] {
  return async (method, url, options = {}) => {
    const answer = await service.api.fastify.inject({
      method: method as 'GET',
      url,
      headers: { ...credentialHeaders(options, app), ...jsonHeader(options), ...options.headers },
      ...(options.body === undefined ? {} : { payload: payloadOf(options.body) }),
    })
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return {
      status: answer.statusCode,
      body: isJson && answer.body !== '' ? answer.json() : answer.body,
      headers: answer.headers as Record<string, string>,
      text: answer.body,
    }
  }
}

function credentialHeaders(options: CallOptions, app: TestPair | null): Record<string, string> {
  if (options.as) return { 'x-access-key': options.as.key, 'x-access-token': options.as.token }
  if (options.as === null || options.app === null) return {}
  const pair = options.app ?? app
  if (!pair) return {}
  return { 'x-access-superkey': pair.key, 'x-access-supertoken': pair.token }
}

function jsonHeader(options: CallOptions): Record<string, string> {
  return options.body === undefined || Buffer.isBuffer(options.body)
    ? {}
    : { 'content-type': 'application/json' }
}

function payloadOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}
