// The basis for tests of banners: a real host that serves real images, and a persona to put banners under.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import type { TestAnswer, TestPair, TestService } from './service.ts'

type Serve = Buffer | ((request: IncomingMessage, response: ServerResponse) => void)

export interface ImageHost {
  /** Without a trailing slash. */
  url: string
  /** Serves a file at this path, or calls a handler; returns the address. */
  serve(path: string, file: Serve): string
  hits(path: string): number
  close(): Promise<void>
}

export async function startImageHost(): Promise<ImageHost> {
  const files = new Map<string, Serve>()
  const hits = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    hits.set(path, (hits.get(path) ?? 0) + 1)
    const file = files.get(path)
    if (typeof file === 'function') file(request, response)
    else response.writeHead(file ? 200 : 404).end(file)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    serve(path, file) {
      files.set(path, file)
      return url + path
    },
    hits: path => hits.get(path) ?? 0,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function picture(width: number, height: number, format: 'png' | 'jpeg' | 'gif' | 'webp' = 'png') {
  return sharp({ create: { width, height, channels: 3, background: '#2266cc' } })
    .toFormat(format)
    .toBuffer()
}

export interface Advertiser extends TestPair {
  cuid: number
  cid: number
  pid: number
  /** Path of the persona's banners, without the query. */
  path: string
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>
  /** Creates a banner; it must succeed. */
  banner(body: object): Promise<{ bid: number }>
  /** The banner once its review is over. */
  reviewed(bid: number): Promise<TestAnswer['body']>
}

/** A customer with a campaign and a persona, calling with its own pair. */
export async function newAdvertiser(service: TestService, fields: object = {}): Promise<Advertiser> {
  const customer = await service.newCustomer({ website: 'https://bikes.example/', ...fields })
  const call: Advertiser['call'] = (method, url, body, headers = {}) =>
    service.call(method, `${url}${url.includes('?') ? '&' : '?'}cuid=${customer.cuid}`, {
      as: customer,
      body,
      headers,
    })
  const now = Math.floor(service.clock.nowMs() / 1000)
  const campaign = await created(
    call('POST', '/campaign', { name: 'Summer', start: now, end: now + 86_400, dailySpend: 10 }),
  )
  const persona = await created(
    call('POST', `/campaign/${campaign.cid}/persona`, {
      name: 'Cyclists',
      geo: { geos: ['CA'] },
      device: { mobile: true },
    }),
  )
  const path = `/campaign/${campaign.cid}/persona/${persona.pid}/banner`
  return {
    key: customer.key,
    token: customer.token,
    cuid: customer.cuid,
    cid: campaign.cid,
    pid: persona.pid,
    path,
    call,
    banner: body => created(call('POST', path, body)),
    reviewed: bid =>
      until(async () => {
        const { body } = await call('GET', `${path}/${bid}`)
        return body.status === 'pending' ? null : body
      }),
  }
}

/** Waits until `look` finds something. It looks rarely, because looking takes processor time from what it waits for. */
export async function until<T>(look: () => Promise<T | null>, timeoutMs = 60_000): Promise<T> {
  const begin = Date.now()
  const end = begin + timeoutMs
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (Date.now() > end) throw new Error(`not there after ${timeoutMs} ms`)
    const waitMs = Math.min(100, Math.max(20, (Date.now() - begin) / 10))
    await new Promise(resolve => setTimeout(resolve, waitMs))
  }
}

async function created(answer: Promise<TestAnswer>): Promise<TestAnswer['body']> {
  const { status, body, text } = await answer
  if (status !== 201) throw new Error(`not created: ${text}`)
  return body
}
