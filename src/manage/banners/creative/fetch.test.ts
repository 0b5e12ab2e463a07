// Fetching a creative: only from public addresses, only plain image bodies, and never more than the limit.

import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { PRIVATE_HOSTS } from '../../../../test/support/private-hosts.ts'
import { finding } from '../../../kernel/errors/finding.ts'
import type { Resolve } from '../../../platform/outbound.ts'
import { isPublicAddress } from '../../../platform/public-address.ts'
import { type FetchOptions, fetchCreative } from './fetch.ts'

const UNREACHABLE = finding('creative_unreachable')

const OPTIONS: FetchOptions = { allowPrivate: false, maxBytes: 100_000, timeoutMs: 5_000 }
const OPEN: FetchOptions = { ...OPTIONS, allowPrivate: true }
const IMAGE = Buffer.from('the bytes of an image')

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

interface Host {
  port: number
  hits: string[]
}

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  closers.push(
    () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  return (server.address() as AddressInfo).port
}

/** A host on loopback that records every request; by default it serves an image. */
async function startHost(
  answer: RequestListener = (_, reply) => reply.end(IMAGE),
  host = '127.0.0.1',
): Promise<Host> {
  const hits: string[] = []
  const server = createServer((asked, reply) => {
    hits.push(asked.url ?? '')
    answer(asked, reply)
  })
  return { port: await listen(server, host), hits }
}

function resolvesTo(...addresses: string[]): Resolve {
  return async () => addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
}

// A name that resolves to a private address looks like one that does not resolve, even in the number of attempts.
describe('a private address is never fetched from', () => {
  test.each(PRIVATE_HOSTS)('%s', async name => {
    const host = await startHost()
    const fetched = await fetchCreative(`http://${name}:${host.port}/banner.png`, OPTIONS)
    // No retry: it was refused before anything was sent.
    expect(fetched).toEqual({ ok: false, finding: UNREACHABLE, retry: false })
    expect(host.hits).toEqual([])
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127.0.0.1..'])(
    'by the name %s',
    async name => {
      const host = await startHost()
      // Whether these names resolve depends on the machine; if they do, they are refused.
      const fetched = await fetchCreative(`http://${name}:${host.port}/banner.png`, OPTIONS)
      expect(fetched).toMatchObject({ ok: false, finding: UNREACHABLE })
      expect(host.hits).toEqual([])
    },
  )

  test.each([
    ['loopback', '127.0.0.1'],
    ['IPv6 loopback', '::1'],
    ['IPv4 mapped to IPv6', '::ffff:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['a link-local address with a zone', 'fe80::1%lo'],
    ['something that is no address', 'not-an-address'],
  ])('by a name that resolves to %s', async (_, address) => {
    const host = await startHost()
    const lookup = resolvesTo(address)
    const fetched = await fetchCreative(`http://cdn.example:${host.port}/`, { ...OPTIONS, lookup })
    expect(fetched).toEqual({ ok: false, finding: UNREACHABLE, retry: true })
    expect(host.hits).toEqual([])
  })

  test.each([
    // Public but unassigned addresses, so that even a broken check would disturb nobody.
    [['2000::1', '127.0.0.1']],
    [['127.0.0.1', '2000::1']],
    [['2000::1', '::1']],
  ])('by a name with public and private addresses: %s', async addresses => {
    const host = await startHost()
    const lookup = resolvesTo(...addresses)
    const fetched = await fetchCreative(`http://cdn.example:${host.port}/`, { ...OPTIONS, lookup })
    expect(fetched).toEqual({ ok: false, finding: UNREACHABLE, retry: true })
    expect(host.hits).toEqual([])
  })

  test('by a redirect: none is followed', async () => {
    const inner = await startHost()
    const outer = await startHost((_, reply) => {
      reply.writeHead(302, { location: `http://127.0.0.1:${inner.port}/secret` }).end()
    })
    const fetched = await fetchCreative(`http://127.0.0.1:${outer.port}/`, OPEN)
    expect(fetched).toMatchObject({
      ok: false,
      retry: false,
      finding: expect.objectContaining({ message: expect.stringContaining('redirects (status 302)') }),
    })
    expect(outer.hits).toEqual(['/'])
    expect(inner.hits).toEqual([])
  })
})

test('the address filter lets ordinary public addresses through', () => {
  for (const address of [
    '8.8.8.8',
    '93.184.215.14',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '2a00:1450:4001::1',
  ]) {
    expect(isPublicAddress(address), address).toBe(true)
  }
})

describe('a URL that we must not fetch is refused for good, and nothing is sent', () => {
  test.each([
    ['file:///etc/passwd', 'http:// or https://'],
    ['ftp://127.0.0.1/banner.png', 'http:// or https://'],
    ['data:image/png;base64,AAAA', 'http:// or https://'],
    ['javascript:alert(1)', 'http:// or https://'],
    ['gopher://127.0.0.1:PORT/', 'http:// or https://'],
    ['http://user:p@127.0.0.1:PORT/', 'user name or password'],
    ['http://user@127.0.0.1:PORT/', 'user name or password'],
    ['http://:p@127.0.0.1:PORT/', 'user name or password'],
    ['/creative/abc.png', 'not a valid address'],
    ['', 'not a valid address'],
    ['http://', 'not a valid address'],
    ['http://[::1', 'not a valid address'],
    ['http://127.0.0.1:99999/', 'not a valid address'],
    ['http://256.256.256.256/', 'not a valid address'],
  ])('%s', async (template, words) => {
    const host = await startHost()
    const fetched = await fetchCreative(template.replace('PORT', String(host.port)), OPEN)
    expect(fetched).toMatchObject({
      ok: false,
      retry: false,
      finding: expect.objectContaining({ message: expect.stringContaining(words) }),
    })
    expect(host.hits).toEqual([])
  })
})

describe('with private addresses allowed', () => {
  test('an image on loopback is fetched, without compression', async () => {
    let encodings: string | undefined
    const host = await startHost((asked, reply) => {
      encodings = String(asked.headers['accept-encoding'])
      reply.end(IMAGE)
    })
    const fetched = await fetchCreative(`http://127.1:${host.port}/a%20b.png?v=2#top`, OPEN)
    expect(fetched).toEqual({ ok: true, bytes: IMAGE })
    expect(host.hits).toEqual(['/a%20b.png?v=2'])
    expect(encodings).toBe('identity')
  })

  test('an image is fetched from the address that its host name resolves to', async () => {
    const host = await startHost()
    const lookup = resolvesTo('127.0.0.1')
    expect(await fetchCreative(`http://cdn.example:${host.port}/`, { ...OPEN, lookup })).toMatchObject({
      ok: true,
    })
    expect(await fetchCreative(`http://localhost:${host.port}/`, OPEN)).toMatchObject({ ok: true })
  })
})

describe('an answer that is not a plain image body', () => {
  test.each([
    [204, false],
    [206, false],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [410, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('status %i is refused, with a retry: %s', async (status, retry) => {
    const host = await startHost((_, reply) => reply.writeHead(status).end())
    const fetched = await fetchCreative(`http://127.0.0.1:${host.port}/`, OPEN)
    expect(fetched).toEqual({
      ok: false,
      retry,
      finding: expect.objectContaining({ message: expect.stringContaining(`status ${status}`) }),
    })
  })

  test.each([300, 301, 303, 304, 307, 308])('status %i is refused for good', async status => {
    const host = await startHost((_, reply) => reply.writeHead(status, { location: '/other.png' }).end())
    expect(await fetchCreative(`http://127.0.0.1:${host.port}/`, OPEN)).toMatchObject({
      ok: false,
      retry: false,
    })
    expect(host.hits).toEqual(['/'])
  })

  test('a compressed body is refused unread, so it cannot expand', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip']) {
      const host = await startHost((_, reply) =>
        reply.writeHead(200, { 'content-encoding': encoding }).end(bomb),
      )
      const fetched = await fetchCreative(`http://127.0.0.1:${host.port}/`, OPEN)
      expect(fetched).toMatchObject({
        ok: false,
        retry: false,
        finding: expect.objectContaining({ message: expect.stringContaining('compressed') }),
      })
    }
  })

  test('exactly the limit is accepted, one byte more is refused, announced or not', async () => {
    for (const announced of [true, false]) {
      for (const extra of [0, 1]) {
        const body = Buffer.alloc(OPEN.maxBytes + extra, 7)
        const host = await startHost((_, reply) => {
          if (announced) reply.setHeader('content-length', body.length)
          reply.write(body.subarray(0, 1000))
          reply.end(body.subarray(1000))
        })
        const fetched = await fetchCreative(`http://127.0.0.1:${host.port}/`, OPEN)
        if (extra === 0) expect(fetched).toEqual({ ok: true, bytes: body })
        else
          expect(fetched).toMatchObject({
            ok: false,
            retry: false,
            finding: expect.objectContaining({ message: expect.stringContaining('100,000 bytes') }),
          })
      }
    }
  })

  test('an endless body is cut off at the limit', async () => {
    const host = await startHost((_, reply) => {
      const timer = setInterval(() => reply.write(Buffer.alloc(50_000)), 1)
      reply.on('close', () => clearInterval(timer))
    })
    expect(await fetchCreative(`http://127.0.0.1:${host.port}/`, OPEN)).toMatchObject({
      ok: false,
      retry: false,
    })
  })
})

describe('a host that is down looks like a private one, one that stalls does not, and both are retried', () => {
  const HURRIED: FetchOptions = { ...OPEN, timeoutMs: 300 }
  const TRY_AGAIN = { ok: false, finding: UNREACHABLE, retry: true }
  const TOO_SLOW = { ok: false, finding: finding('creative_timeout', { seconds: 0.3 }), retry: true }

  async function startRaw(onConnection: (socket: Socket) => void): Promise<number> {
    const sockets = new Set<Socket>()
    const server = createTcpServer(socket => {
      sockets.add(socket)
      socket.on('error', () => {})
      onConnection(socket)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    closers.push(
      () =>
        new Promise(resolve => {
          for (const socket of sockets) socket.destroy()
          server.close(() => resolve())
        }),
    )
    return (server.address() as AddressInfo).port
  }

  test.each([
    ['before the end of its body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart'],
    ['between two chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\n'],
  ])('a host that hangs up %s', async (_, answer) => {
    const port = await startRaw(socket => void socket.end(answer))
    expect(await fetchCreative(`http://127.0.0.1:${port}/`, OPEN)).toEqual(TRY_AGAIN)
  })

  test('a closed port', async () => {
    const host = await startHost()
    await closers.pop()!()
    expect(await fetchCreative(`http://127.0.0.1:${host.port}/`, OPEN)).toEqual(TRY_AGAIN)
  })

  test('a name that does not exist, has no address or is never answered', async () => {
    const lookups: Resolve[] = [
      () => Promise.reject(new Error('ENOTFOUND')),
      async () => [],
      () => new Promise(() => {}),
    ]
    for (const lookup of lookups) {
      expect(await fetchCreative('http://nowhere.example/', { ...HURRIED, lookup })).toEqual(TRY_AGAIN)
    }
  })

  test.each([
    ['accepts and says nothing', () => {}],
    ['sends headers drop by drop', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-filler: ', 'a')],
    [
      'stops inside the body',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nabc'),
    ],
    ['sends a body drop by drop', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'a')],
  ])('a host that %s', async (_, behave) => {
    const port = await startRaw(behave as (socket: Socket) => void)
    expect(await fetchCreative(`http://127.0.0.1:${port}/`, HURRIED)).toEqual(TOO_SLOW)
  })

  test.each([
    [
      'hangs up inside the body',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nabc'),
    ],
    ['hangs up at once', (socket: Socket) => socket.destroy()],
    ['speaks another protocol', (socket: Socket) => socket.end('220 mail ready\r\n')],
    [
      'sends endless headers',
      (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'.repeat(10_000)),
    ],
  ])('a host that %s', async (_, behave) => {
    const port = await startRaw(behave as (socket: Socket) => void)
    expect(await fetchCreative(`http://127.0.0.1:${port}/`, HURRIED)).toEqual(TRY_AGAIN)
  })

  test('a host without TLS, asked over https', async () => {
    const host = await startHost()
    expect(await fetchCreative(`https://127.0.0.1:${host.port}/`, HURRIED)).toEqual(TRY_AGAIN)
    expect(host.hits).toEqual([])
  })
})

function drip(socket: Socket, first: string, drop: string): void {
  socket.write(first)
  const timer = setInterval(() => socket.write(drop), 20)
  socket.on('close', () => clearInterval(timer))
}
