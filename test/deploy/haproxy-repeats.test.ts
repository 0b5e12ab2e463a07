// What a real HAProxy with our file repeats and passes on, and when it takes a process for dead: servers that cut calls off and
// answer checks late stand in for busy processes.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clientAddressBy } from '../../src/platform/client-address.ts'
import { until } from '../support/banners.ts'
import { haproxyConfig } from '../support/haproxy.ts'
import { freePort } from '../support/ports.ts'

/** Calls that arrived anywhere, as `POST /campaign`. */
const arrived: string[] = []
/** The chain of addresses with which the last call arrived. */
let forwarded: string | undefined
/** How long a check waits for its answer. */
let checkMs = 0
const closers: (() => unknown)[] = []
let base: string

/** Answers checks and whatever is not below `cut`, which it reads and cuts off. */
async function startServer(): Promise<number> {
  const server: Server = createServer(async (request, response) => {
    if (request.url === '/readyz') {
      await sleep(checkMs)
      response.end()
      return
    }
    arrived.push(`${request.method} ${request.url}`)
    forwarded = request.headers['x-forwarded-for'] as string | undefined
    request.resume()
    await once(request, 'end')
    if (request.url!.includes('cut')) request.socket.destroy()
    else response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** `inFront`: the networks of a CDN in front of it; by default none. Returns its address when it works. */
async function startHaproxy(inFront?: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'marquee-repeats-'))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  const front = await freePort()
  const [one, two, manage] = [await startServer(), await startServer(), await startServer()]
  const file = await haproxyConfig(dir, front, one, two, manage)
  if (inFront !== undefined) {
    const text = await readFile(file, 'utf8')
    const changed = text.replace(/acl in_front src .*/, `acl in_front src ${inFront}`)
    expect(changed).not.toBe(text)
    await writeFile(file, changed)
  }
  const haproxy = spawn('/usr/sbin/haproxy', ['-f', file], { stdio: 'ignore' })
  const gone = once(haproxy, 'exit')
  closers.unshift(() => {
    haproxy.kill('SIGKILL')
    return gone
  })
  const url = `http://127.0.0.1:${front}`
  const isUp = async (path: string) => (await fetch(url + path).catch(() => null))?.ok
  await until(async () => ((await isUp('/campaign')) && (await isUp('/tag.js')) ? true : null))
  return url
}

beforeAll(async () => {
  base = await startHaproxy()
})
afterAll(async () => {
  for (const close of closers) await close()
})

async function arrivals(method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  arrived.length = 0
  await fetch(base + path, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) }).catch(() => {})
  return arrived.filter(call => call === `${method} ${path}`).length
}

it.each([
  ['POST', '/campaign/7/copy?cut', {}],
  ['PUT', '/campaign/7?cut', {}],
  ['DELETE', '/campaign/7?cut', {}],
  ['GET', '/customer/a@b.example/passcode?cut', {}],
  ['GET', '/customer/a@b.example/auth/nopasscode?cut', {}],
])('%s %s that was cut off is not sent again', async (method, path, headers) => {
  expect(await arrivals(method, path, headers)).toBe(1)
})

it.each([
  ['GET', '/campaign/7?cut', {}],
  ['POST', '/campaign/7/copy?cut', { 'idempotency-key': 'once' }],
  ['POST', '/openrtb2/key?cut', {}],
  ['GET', '/t/i?cut', {}],
])('%s %s with %j may be sent again, and is', async (method, path, headers) => {
  expect(await arrivals(method, path, headers)).toBeGreaterThan(1)
})

it('a busy moment, in which checks are answered late, empties no backend', async () => {
  checkMs = 1200
  try {
    for (let calls = 0; calls < 20; calls++) {
      for (const path of ['/campaign', '/tag.js']) expect((await fetch(base + path)).status).toBe(200)
      await sleep(250)
    }
  } finally {
    checkMs = 0
  }
})

it('what a caller says about its address is dropped, unless it is the CDN in front', async () => {
  const claim = { headers: { 'x-forwarded-for': '203.0.113.5' } }
  await fetch(`${base}/t/i`, claim)
  expect(forwarded).toBe('127.0.0.1')
  await fetch(`${await startHaproxy('127.0.0.0/8')}/t/i`, claim)
  const chain = forwarded!
  expect(chain).toBe('203.0.113.5, 127.0.0.1')
  // With both hops in TRUST_PROXY, the visitor is found behind them.
  expect(clientAddressBy('127.0.0.0/8')('127.0.0.1', { 'x-forwarded-for': chain })).toBe('203.0.113.5')
})
