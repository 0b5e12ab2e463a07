// Connections that ask for more than their share, on the fast lane and off it: they get a bounded amount, and nobody
// else waits for them.

import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import type { DataAnswer, DataRoute } from './lane/data-plane.ts'
import { createServer } from './server.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Opened {
  port: number
  /** The paths of the started requests, in order. */
  begun: string[]
  /** Answers the oldest waiting request. */
  answerOne(): void
}

async function open(options: { requestMs?: number; answersAtOnce?: boolean } = {}): Promise<Opened> {
  const begun: string[] = []
  const waiting: (() => void)[] = []
  let isOver = false
  const answered = (path: string, answer: () => void) => {
    begun.push(path)
    if (options.answersAtOnce || isOver) answer()
    else waiting.push(answer)
  }
  const lane: DataRoute = {
    prefix: '/lane/',
    handle: ({ path }) =>
      new Promise<DataAnswer>(resolve =>
        answered(path, () => resolve({ status: 200, headers: {}, body: `<${path}>` })),
      ),
  }
  const fastify = createServer({
    log: createLog('silent'),
    metrics: createMetrics(),
    trustProxy: 'loopback',
    pairOwner: headers => (headers['x-access-token'] === 'right' ? 'customer 1' : null),
    publicUrl: 'http://localhost',
    methodsOf: () => [],
    keepAliveMs: 90_000,
    dataRoutes: [lane],
    ...(options.requestMs ? { requestMs: options.requestMs } : {}),
  })
  for (const method of ['GET', 'POST'] as const)
    fastify.route({
      method,
      url: '/off/:name',
      handler: ({ url }) => new Promise<string>(resolve => answered(url, () => resolve(`<${url}>`))),
    })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  closers.push(() => {
    isOver = true
    for (const answer of waiting) answer()
    return fastify.close()
  })
  const { port } = fastify.server.address() as AddressInfo
  return { port, begun, answerOne: () => waiting.shift()!() }
}

interface Talk {
  socket: Socket
  said(): string
  closed: Promise<void>
}

function dial(port: number): Talk {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  closers.push(() => socket.destroy())
  let said = ''
  socket.on('data', chunk => {
    said += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  return { socket, said: () => said, closed }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const pipelined = (folder: string, count: number) =>
  Array.from({ length: count }, (_, n) => get(`/${folder}/${n}`)).join('')

describe.each(['lane', 'off'])('%s: pipelined requests', folder => {
  it('are started one after the other, however many arrive at once', async () => {
    const { port, begun, answerOne } = await open()
    const { socket, said } = dial(port)
    socket.write(pipelined(folder, 400))
    for (let n = 1; n <= 5; n++) {
      await expect.poll(() => begun.length).toBe(n)
      // Allows time for more to begin, if anything let them.
      await new Promise(resolve => setTimeout(resolve, 20))
      expect(begun).toHaveLength(n)
      answerOne()
    }
    await expect.poll(() => said().match(/</g)?.length).toBe(5)
  })

  it('leave room for everybody else between any two of them', async () => {
    const { port, begun } = await open({ answersAtOnce: true })
    const [greedy, honest] = [dial(port).socket, dial(port).socket]
    for (const socket of [greedy, honest]) if (socket.connecting) await once(socket, 'connect')
    greedy.write(pipelined(folder, 400))
    honest.write(get('/lane/honest'))
    await expect.poll(() => begun.length).toBe(401)
    expect(begun.indexOf('/lane/honest')).toBeLessThan(400)
  })

  it('are all answered in order, with their bodies', async () => {
    const { port, begun } = await open({ answersAtOnce: true })
    const { socket, said } = dial(port)
    const post = (n: number) =>
      `POST /${folder}/${n} HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`
    const text = Array.from({ length: 60 }, (_, n) => (n % 2 ? post(n) : get(`/${folder}/${n}`))).join('')
    for (let at = 0; at < text.length; at += 1000) socket.write(text.slice(at, at + 1000))
    const wanted = Array.from({ length: 60 }, (_, n) => `/${folder}/${n}`)
    await expect.poll(() => said().match(/<[^>]+>/g)?.length).toBe(60)
    expect(begun).toEqual(wanted)
    expect(said().match(/<[^>]+>/g)).toEqual(wanted.map(path => `<${path}>`))
  })
})

describe.each([
  ['lane', 'lane'],
  ['off', 'off'],
  ['lane', 'off'],
  ['off', 'lane'],
])('a caller that has ended its stream, %s then %s', (first, second) => {
  it('gets the answer of the request before the end of its stream', async () => {
    const { port, begun, answerOne } = await open()
    const { socket, said, closed } = dial(port)
    socket.end(get(`/${second}/1`))
    await expect.poll(() => begun).toEqual([`/${second}/1`])
    // Allows time for the end to be seen.
    await new Promise(resolve => setTimeout(resolve, 50))
    answerOne()
    await closed
    expect(said()).toContain(`</${second}/1>`)
  })

  it('gets both answers, though the second request and the end of the stream came during the first', async () => {
    const { port, begun, answerOne } = await open()
    const { socket, said, closed } = dial(port)
    socket.write(get(`/${first}/1`))
    await expect.poll(() => begun).toEqual([`/${first}/1`])
    socket.end(get(`/${second}/2`))
    await new Promise(resolve => setTimeout(resolve, 50))
    answerOne()
    await expect.poll(() => begun).toEqual([`/${first}/1`, `/${second}/2`])
    await new Promise(resolve => setTimeout(resolve, 50))
    answerOne()
    await closed
    expect(said().match(/<[^>]+>/g)).toEqual([`</${first}/1>`, `</${second}/2>`])
  })
})

it('off the lane, one request starts per turn of the event loop, however many connections send one at once', async () => {
  const { port, begun } = await open({ answersAtOnce: true })
  const talks = Array.from({ length: 30 }, () => dial(port))
  // The server accepts one connection per turn anyway, so all of them must be open first.
  for (const { socket } of talks) socket.write(get('/off/first'))
  for (const { said } of talks) await expect.poll(said).toContain('<')
  const before = [begun.length]
  const count = () => {
    before.push(begun.length)
    if (begun.length < 60) setImmediate(count)
  }
  for (const { socket } of talks) socket.write(get('/off/second'))
  setImmediate(count)
  await expect.poll(() => begun.length).toBe(60)
  const steps = before.slice(1).map((value, at) => value - before[at]!)
  expect(Math.max(...steps)).toBe(1)
})

describe('off the lane, callers take turns', () => {
  /** Where the honest request is started among forty others that arrived before it. */
  async function positionOf(greedy: (n: number) => string, honest: string): Promise<number> {
    const { port, begun } = await open({ answersAtOnce: true })
    const ask = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n`
    const talks = Array.from({ length: 41 }, () => dial(port))
    for (const { socket } of talks) socket.write(get('/off/first'))
    for (const { said } of talks) await expect.poll(said).toContain('<')
    for (const [n, { socket }] of talks.entries())
      socket.write(n < 40 ? ask('/off/greedy', greedy(n)) : ask('/off/honest', honest))
    await expect.poll(() => begun.length).toBe(82)
    return begun.slice(41).indexOf('/off/honest')
  }

  it('one with many connections delays itself', async () => {
    expect(await positionOf(() => 'x-access-key: one', 'x-access-key: two')).toBeLessThan(20)
  })

  it('one that claims another name with each request takes the turns of its address, also behind a proxy', async () => {
    const from = (address: string, n: number) => `x-forwarded-for: ${address}\r\nx-access-key: ${n}`
    expect(await positionOf(n => from('192.0.2.1', n), 'x-forwarded-for: 192.0.2.2')).toBeLessThan(10)
  })

  it('all addresses of one /64 take the turns of one', async () => {
    const greedy = (n: number) => `x-forwarded-for: 2001:db8::${n.toString(16)}`
    expect(await positionOf(greedy, 'x-forwarded-for: 2001:db8:0:1::1')).toBeLessThan(10)
  })

  it('names without end at one address are eight at most', async () => {
    expect(await positionOf(n => `x-access-key: made-up-${n}`, 'accept: */*')).toBeLessThan(20)
  })

  it('a valid pair has turns of its own, whoever else is at its address or claims its name', async () => {
    const honest = 'x-access-key: two\r\nx-access-token: right'
    expect(await positionOf(() => 'x-access-key: two\r\nx-access-token: wrong', honest)).toBeLessThan(10)
  })
})

it.each(['lane', 'off'])('%s: an answer says how long its connection may be idle', async folder => {
  const { port } = await open({ answersAtOnce: true })
  const { socket, said } = dial(port)
  socket.write(get(`/${folder}/1`))
  await expect.poll(said).toMatch(/\r\nkeep-alive: timeout=90\r\n/i)
})

describe.each(['lane', 'off'])('%s: a trickling body', folder => {
  it('has one deadline, however steadily its bytes come; then nothing more is read', async () => {
    const { port, begun } = await open({ requestMs: 300 })
    const { socket, said, closed } = dial(port)
    const head = `POST /${folder}/slow HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\n`
    socket.write(`${head}content-length: 16000\r\n\r\n`)
    const trickle = setInterval(() => socket.write(' '), 10)
    await closed
    clearInterval(trickle)
    expect(said()).toMatch(/^HTTP\/1.1 408 /)
    expect(said()).toContain('"message":"the request came too slowly"')
    expect(begun).toEqual([])
  })

  it('so has a trickling head', async () => {
    const { port, begun } = await open({ requestMs: 300 })
    const { socket, said, closed } = dial(port)
    socket.write(`GET /${folder}/slow HTTP/1.1\r\nHost: a\r\nx-filler: `)
    const trickle = setInterval(() => socket.write('a'), 10)
    await closed
    clearInterval(trickle)
    expect(said()).toMatch(/^HTTP\/1.1 408 /)
    expect(begun).toEqual([])
  })

  it('does not become a request through what follows its 408', async () => {
    const { port, begun } = await open({ requestMs: 300 })
    const { socket, said, closed } = dial(port)
    const head = `POST /${folder}/slow HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\n`
    socket.write(`${head}content-length: 10\r\n\r\n{`)
    await expect.poll(said).toContain('408')
    socket.write('        }')
    const more = setInterval(() => socket.write(get(`/${folder}/next`)), 10)
    await closed
    clearInterval(more)
    expect(begun).toEqual([])
    expect(said().match(/HTTP\/1.1/g)).toHaveLength(1)
  })
})

it('what is not HTTP gets one answer and is closed, even if its sender stays', async () => {
  const { port, begun } = await open({ answersAtOnce: true })
  const { socket, said, closed } = dial(port)
  socket.write('NONSENSE\r\n\r\n')
  const more = setInterval(() => socket.write(get('/lane/1')), 10)
  await closed
  clearInterval(more)
  expect(said().match(/HTTP\/1.1 400 /g)).toHaveLength(1)
  expect(begun).toEqual([])
})

describe.each(['lane', 'off'])('%s: what is not HTTP behind a request', folder => {
  it.each([
    ['bytes that mean nothing', 'NONSENSE\r\n\r\n', 400],
    ['a head that is too large', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'a broken body',
      'POST /off/2 HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
  ])('%s: waits for its answer', async (_name, bytes, status) => {
    const { port, begun, answerOne } = await open()
    const { socket, said, closed } = dial(port)
    socket.on('end', () => socket.end())
    socket.write(get(`/${folder}/1`) + bytes)
    await expect.poll(() => begun).toEqual([`/${folder}/1`])
    // Allows time for a refusal that does not wait.
    await new Promise(resolve => setTimeout(resolve, 50))
    expect(said()).toBe('')
    answerOne()
    await closed
    expect(said().match(/HTTP\/1.1 \d+|<[^>]+>/g)).toEqual([
      'HTTP/1.1 200',
      `</${folder}/1>`,
      `HTTP/1.1 ${status}`,
    ])
    expect(begun).toHaveLength(1)
  })
})

describe.each(['lane', 'off'])('%s: the target of a request', folder => {
  it('two hosts: 400, and the connection is closed', async () => {
    const { port, begun } = await open({ answersAtOnce: true })
    const { socket, said, closed } = dial(port)
    socket.write(`GET /${folder}/1 HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n${get(`/${folder}/2`)}`)
    socket.on('end', () => socket.end())
    await closed
    expect(said()).toMatch(/^HTTP\/1.1 400 /)
    expect(said()).toContain('more than one host')
    expect(begun).toEqual([])
  })

  it('a full URL as the target is the same request', async () => {
    const { port, begun } = await open({ answersAtOnce: true })
    const { socket, said } = dial(port)
    socket.write(get(`http://a/${folder}/1`) + get(`HTTPS://a:8080/${folder}/2`))
    await expect.poll(() => said().match(/<[^>]+>/g)).toEqual([`</${folder}/1>`, `</${folder}/2>`])
    expect(begun).toEqual([`/${folder}/1`, `/${folder}/2`])
  })

  it.each(['ftp://a/x', 'http://user@a/x', 'x', 'http:/a'])('%s is not a valid target: 400', async target => {
    const { port, begun } = await open({ answersAtOnce: true })
    const { socket, said } = dial(port)
    socket.write(get(target))
    await expect.poll(said).toMatch(/^HTTP\/1.1 400 /)
    expect(begun).toEqual([])
  })
})
