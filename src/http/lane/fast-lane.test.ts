// The fast lane answers as node:http does, in order, even to peers that misbehave.

import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type DataAnswer, type DataRequest, type DataRoute, dataPlane } from './data-plane.ts'
import { type FastLane, openFastLane } from './fast-lane.ts'
import { readIntoOneBuffer } from './one-buffer.ts'
import { readPlainRequest } from './plain-request.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = Number(process.env.RUNS ?? 1000)

interface Opened {
  port: number
  lane: FastLane | null
  server: Server
  errors: unknown[]
}

const opened: Opened[] = []

afterEach(async () => {
  for (const { server, lane } of opened.splice(0)) {
    lane?.close()
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
})

/** Echoes the request, so that two servers can be compared. */
function echo({ method, path, query, headers, body }: DataRequest): DataAnswer {
  const said = { method, path, query, headers, body: body?.toString('base64') ?? null }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(said) }
}

async function open(
  handle: DataRoute['handle'] = echo,
  options: { lane?: boolean; idleMs?: number; requestMs?: number; failed?: DataRoute['failed'] } = {},
): Promise<Opened> {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const { failed } = options
  const routes: DataRoute[] = [{ prefix: '/lane/', handle, ...(failed ? { failed } : {}) }]
  const server = createServer(
    { connectionsCheckingInterval: 50 },
    dataPlane(
      routes,
      (request, response) => {
        request.resume()
        request.on('end', () => response.end(`behind ${request.method} ${request.url}`))
      },
      onError,
    ),
  )
  const { idleMs = 60_000, requestMs = 30_000 } = options
  const lane = options.lane === false ? null : openFastLane({ server, routes, onError, idleMs, requestMs })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const made = { port: (server.address() as AddressInfo).port, lane, server, errors }
  opened.push(made)
  return made
}

/** Sends the pieces one after the other, ends the stream, and returns everything it receives. */
function talk(port: number, pieces: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    let said = ''
    socket.on('data', chunk => {
      said += chunk.toString('latin1')
    })
    socket.on('end', () => {
      socket.end()
      resolve(said)
    })
    socket.on('error', error => (said === '' && !isReset(error) ? reject(error) : resolve(said)))
    sendPieces(socket, pieces)
  })
}

function isReset(error: Error): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
}

async function sendPieces(socket: Socket, pieces: (string | Buffer)[]): Promise<void> {
  for (const [n, piece] of pieces.entries()) {
    if (n > 0) await new Promise(resolve => setTimeout(resolve, 3))
    if (socket.destroyed) return
    socket.write(piece, 'latin1')
  }
  socket.end()
}

const post = (body: string, more = '') =>
  `POST /lane/bid?x=1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${more}content-length: ${body.length}\r\n\r\n${body}`
const GET =
  'GET /lane/pixel HTTP/1.1\r\nHost: a\r\nUser-Agent: Some Agent/1.0 (x; y)\r\nCookie: a=b; c=d\r\n\r\n'

/** The answers without the headers in which the two ways may differ. */
function essence(said: string): string[] {
  return said
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .map(answer => answer.replace(/\r\n(?:date|connection|keep-alive|transfer-encoding):[^\r]*/gi, ''))
}

async function expectSame(pieces: (string | Buffer)[]): Promise<void> {
  const [plain, fast] = [await open(echo, { lane: false }), await open()]
  const expected = await talk(plain.port, pieces)
  expect(essence(await talk(fast.port, pieces))).toEqual(essence(expected))
}

describe('the fast lane answers as the HTTP server does', () => {
  const cases: [string, string[]][] = [
    ['a GET', [GET]],
    ['a POST', [post('{"id":"1"}')]],
    ['an empty POST', [post('')]],
    ['two requests in one piece', [GET + post('{"id":"2"}')]],
    ['requests in pieces', [GET.slice(0, 30), GET.slice(30) + GET.slice(0, 5), GET.slice(5)]],
    ['a body in pieces', [post('x'.repeat(50)).slice(0, -40), 'x'.repeat(20), 'x'.repeat(20)]],
    ['a body larger than any read', [post('z'.repeat(200_000)), GET]],
    ['a body byte by byte', [post('y'.repeat(30)).slice(0, -30), ...'y'.repeat(30)]],
    ['another path after one of ours', [GET, 'GET /other HTTP/1.1\r\nHost: a\r\n\r\n', GET]],
    ['another path first', ['GET /other HTTP/1.1\r\nHost: a\r\n\r\n', GET]],
    [
      'a chunked body',
      [`${post('').replace('content-length: 0', 'transfer-encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`],
    ],
    [
      'both a length and chunks',
      [post('abc', 'transfer-encoding: chunked\r\n'), '3\r\nabc\r\n0\r\n\r\n', GET],
    ],
    ['two lengths', [post('abc', 'content-length: 4\r\n'), GET]],
    ['the same length twice', [post('abc', 'content-length: 3\r\n'), GET]],
    ['a length with a sign', [post('abc').replace('length: 3', 'length: +3')]],
    ['a length in hexadecimal', [post('abc').replace('length: 3', 'length: 0x3')]],
    ['a length with zeros in front', [post('abc').replace('length: 3', 'length: 003'), GET]],
    ['a length of nothing', [post('abc').replace('length: 3', 'length: ')]],
    ['a GET with a body', [GET.replace('\r\n\r\n', '\r\ncontent-length: 3\r\n\r\nabc'), GET]],
    ['no host', [GET.replace('Host: a\r\n', '')]],
    ['two hosts', [GET.replace('Host: a\r\n', 'Host: a\r\nHost: b\r\n')]],
    ['cookies twice', [GET.replace('\r\n\r\n', '\r\ncookie: e=f\r\n\r\n')]],
    ['HTTP/1.0', [GET.replace('HTTP/1.1', 'HTTP/1.0')]],
    ['a connection that is to close', [GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')]],
    ['a connection that is to stay', [GET.replace('\r\n\r\n', '\r\nConnection: Keep-Alive\r\n\r\n'), GET]],
    ['an expectation', [post('abc', 'Expect: 100-continue\r\n')]],
    ['an upgrade', [GET.replace('\r\n\r\n', '\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n')]],
    ['HEAD', [GET.replace('GET', 'HEAD')]],
    ['OPTIONS', [GET.replace('GET', 'OPTIONS')]],
    ['a method in lower case', [GET.replace('GET', 'get')]],
    ['a whole URL as the target', [GET.replace('/lane', 'http://a/lane')]],
    ['a folded header', [GET.replace('\r\n\r\n', '\r\nx-a: 1\r\n 2\r\n\r\n')]],
    ['a space before the colon', [GET.replace('Host:', 'Host :')]],
    ['a header without a colon', [GET.replace('\r\n\r\n', '\r\nnothing\r\n\r\n')]],
    ['line feeds alone', [GET.replaceAll('\r\n', '\n')]],
    ['a line feed inside a value', [GET.replace('Some', 'So\nme')]],
    ['a carriage return inside a value', [GET.replace('Some', 'So\rme')]],
    ['blanks around a value', [GET.replace('Host: a', 'Host: \t a \t ')]],
    ['letters beyond ASCII in a header', [GET.replace('Some', 'S\xf6me')]],
    ['letters beyond ASCII in the path', [GET.replace('pixel', 'p\xefxel')]],
    ['a blank in the path', [GET.replace('pixel', 'pi xel')]],
    [
      'names of an object’s own parts',
      [GET.replace('\r\n\r\n', '\r\nconstructor: x\r\n__proto__: y\r\n\r\n')],
    ],
    ['empty lines first', [`\r\n\r\n${GET}`]],
    ['something else', ['\x16\x03\x01 hello\r\n\r\n']],
  ]
  test.each(cases)('to %s', async (_, pieces) => {
    await expectSame(pieces)
  })

  test('to randomly changed heads: whatever the lane accepts, the server reads the same way', async () => {
    console.log(`fast lane: SEED=${SEED}`)
    const { port } = await open(echo, { lane: false })
    const random = randomFrom(SEED)
    let taken = 0
    for (let run = 0; run < RUNS; run++) {
      const bytes = Buffer.from(changed(run % 2 === 0 ? GET : post('{"id":"1"}') + GET, random), 'latin1')
      const request = readPlainRequest(bytes, path => path.startsWith('/lane/'))
      if (request === null || 'neededBytes' in request) continue
      taken++
      const said = await talk(port, [bytes.subarray(0, request.endBytes)])
      const { method, path, query, headers, body } = request
      const expected = echo({ method, path, query, headers, body, remoteAddress: '' }).body as string
      expect(said, `SEED=${SEED} run ${run}: ${JSON.stringify(bytes.toString('latin1'))}`).toContain(expected)
    }
    expect(taken).toBeGreaterThan(RUNS / 20)
  })
})

const CHARACTERS = [
  '\r',
  '\n',
  '\r\n',
  ' ',
  '\t',
  ':',
  ',',
  '\0',
  '0',
  '9',
  'a',
  '-',
  '?',
  '%',
  '\x7f',
  '\xff',
  ';',
]

function changed(text: string, random: () => number): string {
  let made = text
  const changes = 1 + Math.floor(random() * 3)
  for (let n = 0; n < changes; n++) {
    const at = Math.floor(random() * made.length)
    const kind = random()
    const character = CHARACTERS[Math.floor(random() * CHARACTERS.length)]!
    const cut = kind < 0.3 ? 0 : kind < 0.6 ? 1 : Math.floor(random() * 8)
    made = made.slice(0, at) + (kind < 0.8 ? character : '') + made.slice(at + cut)
  }
  return made
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('the fast lane', () => {
  test('answers in the order of the requests, whichever is ready first', async () => {
    const slowFirst: DataRoute['handle'] = async ({ path }) => {
      if (path === '/lane/slow') await new Promise(resolve => setTimeout(resolve, 30))
      return { status: 200, headers: {}, body: `<${path}>` }
    }
    const { port } = await open(slowFirst)
    const said = await talk(
      port,
      ['slow', 'fast', 'slow', 'fast'].map(name => GET.replace('pixel', name)),
    )
    expect(said.match(/<.+?>/g)).toEqual(['</lane/slow>', '</lane/fast>', '</lane/slow>', '</lane/fast>'])
  })

  test('sends text as UTF-8 and bytes as they are, with their length', async () => {
    const bytes = Buffer.from([0, 10, 200, 255])
    const { port } = await open(({ path }) => ({
      status: 200,
      headers: {},
      body: path === '/lane/text' ? 'größer ✓' : bytes,
    }))
    const text = await fetch(`http://127.0.0.1:${port}/lane/text`)
    expect([text.headers.get('content-length'), await text.text()]).toEqual(['12', 'größer ✓'])
    const raw = await fetch(`http://127.0.0.1:${port}/lane/bytes`)
    expect(Buffer.from(await raw.arrayBuffer())).toEqual(bytes)
  })

  test('sends each of several values of a header', async () => {
    const { port } = await open(() => ({
      status: 204,
      headers: { 'set-cookie': ['a=1', 'b=2'] },
      body: null,
    }))
    const answer = await fetch(`http://127.0.0.1:${port}/lane/x`)
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  test.each([true, false])(
    'a route may define the answer for a handler that throws (lane %s)',
    async lane => {
      const broken = () => Promise.reject(new Error('broken'))
      const { port, errors } = await open(broken, { lane, failed: { status: 503, headers: {}, body: null } })
      expect((await fetch(`http://127.0.0.1:${port}/lane/x`)).status).toBe(503)
      expect(errors).toHaveLength(1)
    },
  )

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'names a header with a line break',
      () => ({ status: 302, headers: { location: '/a\r\nx: y' }, body: null }),
    ],
  ] as [string, DataRoute['handle']][])(
    'a handler that %s is logged, and the visitor gets nothing',
    async (_, handle) => {
      const { port, errors } = await open(handle)
      const said = await talk(port, [GET + GET])
      expect(said.match(/HTTP\/1\.1 204 No Content/g)).toHaveLength(2)
      expect(said).not.toContain('x: y')
      expect(errors).toHaveLength(2)
    },
  )

  test('a peer that does not read its answers stops being served until it reads', async () => {
    let asked = 0
    const body = 'x'.repeat(100_000)
    const { port } = await open(() => {
      asked++
      return { status: 200, headers: {}, body }
    })
    const requests = 2_000
    const socket = connect({ port, host: '127.0.0.1' })
    socket.pause()
    socket.write(GET.repeat(requests))
    await expect.poll(() => asked).toBeGreaterThan(0)
    let before = -1
    while (before !== asked) {
      before = asked
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    expect(asked).toBeLessThan(requests)
    let bytes = 0
    socket.on('data', chunk => {
      bytes += chunk.length
    })
    socket.resume()
    await expect.poll(() => bytes).toBeGreaterThan(requests * body.length)
    expect(asked).toBe(requests)
    socket.destroy()
  })

  test('a connection that waits for its answer is not idle', async () => {
    const late: DataRoute['handle'] = async () => {
      await new Promise(resolve => setTimeout(resolve, 200))
      return { status: 200, headers: {}, body: 'late' }
    }
    const { port } = await open(late, { idleMs: 20 })
    expect(await talk(port, [GET])).toMatch(/late$/)
  })

  test('a silent connection is closed', async () => {
    const { port } = await open(echo, { idleMs: 30 })
    const socket = connect({ port, host: '127.0.0.1' })
    await new Promise(resolve => socket.once('close', resolve))
  })

  test('when the service stops, idle connections are closed and a busy one gets its answer first', async () => {
    let answer = (_: DataAnswer) => {}
    const made = await open(() => new Promise(resolve => (answer = resolve)))
    const idle = connect({ port: made.port, host: '127.0.0.1' })
    await new Promise(resolve => idle.once('connect', resolve))
    const idleClosed = new Promise(resolve => idle.once('close', resolve))
    const busy = talk(made.port, [GET])
    const before = answer
    await expect.poll(() => answer !== before).toBe(true)
    made.lane!.close()
    const closed = new Promise(resolve => made.server.close(resolve))
    await idleClosed
    answer({ status: 200, headers: {}, body: 'the answer' })
    expect(await busy).toMatch(/connection: close\r\n[\s\S]*the answer$/)
    await closed
  })
})

describe('connections that share a buffer', () => {
  test('do so with this version of Node', async () => {
    const { port, server } = await open()
    const does = new Promise<boolean>(resolve =>
      server.prependOnceListener('connection', socket => resolve(readIntoOneBuffer(socket))),
    )
    await talk(port, [GET])
    expect(await does).toBe(true)
  })

  test('get their own bytes, however the pieces of their requests alternate', async () => {
    const { port } = await open()
    const bodies = Array.from({ length: 20 }, (_, n) => String.fromCharCode(97 + n).repeat(20_000 + n))
    const pieces = (text: string) => [text.slice(0, 70), text.slice(70, 9_000), text.slice(9_000)]
    const said = await Promise.all(bodies.map(body => talk(port, pieces(post(body)))))
    for (const [n, text] of said.entries()) expect(text).toContain(Buffer.from(bodies[n]!).toString('base64'))
  })

  test('without what they need of Node, are read as any other', async () => {
    const { port, server } = await open()
    server.prependListener('connection', socket => {
      Object.assign((socket as unknown as { _handle: object })._handle, { useUserBuffer: undefined })
    })
    const pieces = [post('{"id":"1"}').slice(0, -3), '1"}', GET, 'GET /other HTTP/1.1\r\nHost: a\r\n\r\n']
    const plain = await open(echo, { lane: false })
    expect(essence(await talk(port, pieces))).toEqual(essence(await talk(plain.port, pieces)))
  })
})
