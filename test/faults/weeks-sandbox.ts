// A sandbox in its own process with its own database, behind a proxy: it can be killed and cut off, and its clock
// continues from where it was. Its messages and exports are kept outside of it.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../../src/platform/database.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { freePort } from '../support/ports.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'
import { type Receiver, startReceiver } from '../support/webhooks.ts'
import { startWholeService } from './service.ts'
import type { Life } from './world.ts'

export const START_S = Date.parse('2026-10-23T00:00:00Z') / 1000
export const CLICK_WINDOW_S = 30 * 86_400

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is looked into freely by tests
type Json = any

export interface SandboxProcess {
  url: string
  /** A direct connection, not through the proxy. */
  db: Database
  receiver: Receiver
  call(method: string, path: string, body?: object): Promise<Json>
  /** Moves the clock by this many seconds. */
  pass(seconds: number): Promise<void>
  /** Moves the clock to this time with visitors, whatever happens; `meanwhile` is called once while they come. */
  visitUntil(toS: number, traffic: object, meanwhile?: () => Promise<void>): Promise<void>
  /** Resolves once this many requests were answered, or all. */
  played(requests: number): Promise<void>
  now(): Promise<number>
  kill(): Promise<void>
  cut(): void
  /** The headers of all emails. */
  mails(): Promise<Mail[]>
  /** The manifests of all exported hours. */
  manifests(): Promise<Json[]>
  close(): Promise<void>
}

export interface Mail {
  id: string
  to: string
  subject: string
  text: string
}

/** For one read, while connections are cut. */
const MOST_READS = 20
const MOST_TRIES = 30

export async function startSandboxProcess(seed: string): Promise<SandboxProcess> {
  const database = await createEmptyDatabase()
  const proxy = await openTcpProxy(database.url)
  const receiver = await startReceiver()
  const dir = await mkdtemp(join(tmpdir(), 'marquee-weeks-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const exported = join(dir, 'exported')
  const settings = {
    ...{
      DATABASE_URL: proxy.url,
      DATA_DIR: join(dir, 'data'),
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
    },
    ...{
      SANDBOX: 'true',
      SANDBOX_START: '2026-10-23',
      SANDBOX_SEED: seed,
      EXPORT_URL: exported,
      LOG_LEVEL: 'error',
    },
    ...{
      ALLOW_PRIVATE_CREATIVES: 'true',
      ALLOW_PRIVATE_WEBHOOKS: 'true',
      RATE_LIMIT: '100000',
      RATE_BURST: '100000',
    },
  }
  const deaths: string[] = []
  let life: Life
  let headers: Record<string, string> = {}
  let isAnswered = true

  async function start(): Promise<void> {
    life = startWholeService(settings, words => deaths.push(words))
    await life.started
    while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) await sleep(20)
    const { superkey, supertoken } = JSON.parse(await readFile(join(dir, 'data/credentials.json'), 'utf8'))
    headers = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
  }

  async function call(method: string, path: string, body?: object, tries = 1): Promise<Json> {
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    // The connection was just cut: reads are repeated.
    if (answer.status === 503 && method === 'GET' && tries < MOST_READS) {
      await sleep(100)
      return call(method, path, body, tries + 1)
    }
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }

  const now = async () => (await call('GET', '/sandbox/clock')).now

  /** A long move continues after its call was answered. */
  async function standing(): Promise<void> {
    while ((await call('GET', '/sandbox/clock')).target !== null) await sleep(20)
  }

  async function pass(seconds: number): Promise<void> {
    await call('POST', '/sandbox/clock', { by: seconds })
    await standing()
  }

  async function visitUntil(toS: number, traffic: object, meanwhile = async () => {}): Promise<void> {
    let isStruck = false
    for (let tries = 0; (await now()) < toS; tries++) {
      expectAlive(deaths)
      if (tries === MOST_TRIES) throw new Error(`the clock does not reach ${toS}, but ${await now()}`)
      isAnswered = false
      const sent = call('POST', '/sandbox/traffic', { to: toS, ...traffic })
        .catch(() => null)
        .finally(() => {
          isAnswered = true
        })
      if (!isStruck) await meanwhile()
      isStruck = true
      await sent
      while (!(await call('GET', '/sandbox/traffic')).done) await sleep(20)
      await standing()
    }
  }

  async function played(requests: number): Promise<void> {
    while (!isAnswered) {
      const traffic = await call('GET', '/sandbox/traffic')
      // Everything before them is done.
      if (!traffic.done && traffic.requests >= requests) return
      await sleep(2)
    }
  }

  await start()
  const db = openDatabase({ url: database.url, maxConnections: 2, onError: () => {} })
  return {
    ...{ url, db, receiver, call, pass, visitUntil, played, now },
    async kill() {
      await life.kill()
      await start()
    },
    cut: proxy.cut,
    mails: () => mailsIn(join(dir, 'data/outbox')),
    manifests: () => manifestsIn(exported),
    async close() {
      await life.kill()
      await db.close()
      await proxy.close()
      await receiver.close()
      await database.drop()
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function expectAlive(deaths: string[]): void {
  if (deaths.length > 0) throw new Error(`the sandbox died by itself: ${deaths.join('\n')}`)
}

async function mailsIn(folder: string): Promise<Mail[]> {
  const names = (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.eml')).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(join(folder, name), 'utf8')
      const head = (field: string) => new RegExp(`^${field}: (.*)$`, 'im').exec(text)?.[1]?.trim() ?? ''
      return { id: head('Message-ID'), to: head('To'), subject: head('Subject'), text }
    }),
  )
}

async function manifestsIn(folder: string): Promise<Json[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [] as string[])
  const manifests = names.filter(name => name.endsWith('_manifest.json'))
  return Promise.all(manifests.map(async name => JSON.parse(await readFile(join(folder, name), 'utf8'))))
}
