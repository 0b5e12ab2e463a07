// Sending to an address that a stranger chose. On loopback only: what must not be contacted is never a real host.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net'
import { afterEach, describe, expect, it, test } from 'vitest'
import { PRIVATE_HOSTS } from '../../../test/support/private-hosts.ts'
import type { Resolve } from '../../platform/outbound.ts'
import { NO_ANSWER, NO_TLS, type SendOptions, send, UNREACHABLE } from './send.ts'

const STRICT: SendOptions = { allowPrivate: false, timeoutMs: 5_000 }
const OPEN: SendOptions = { ...STRICT, allowPrivate: true }
const NOT_SENT = { status: null, error: UNREACHABLE }

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function portOf(server: Server | TcpServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise(resolve => {
        if ('closeAllConnections' in server) server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  return (server.address() as AddressInfo).port
}

/** Counts connections, and closes each. */
async function startCounter() {
  const counter = { port: 0, connections: 0 }
  counter.port = await portOf(
    createTcpServer(socket => {
      counter.connections++
      socket.on('error', () => {})
      socket.destroy()
    }),
  )
  return counter
}

const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('a private address is never contacted', () => {
  test.each(PRIVATE_HOSTS)('%s', async name => {
    const counter = await startCounter()
    for (const scheme of ['https', 'http']) {
      expect(await send(`${scheme}://${name}:${counter.port}/`, {}, '{}', STRICT)).toEqual(NOT_SENT)
    }
    expect(counter.connections).toBe(0)
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])('by the name %s', async name => {
    const counter = await startCounter()
    expect(await send(`https://${name}:${counter.port}/`, {}, '{}', STRICT)).toEqual(NOT_SENT)
    expect(counter.connections).toBe(0)
  })

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['fe80::1%lo']],
    [['not-an-address']],
    // In the public range, but assigned to nobody.
    [['2000::1', '127.0.0.1']],
    [['127.0.0.1', '2000::1']],
  ])('by a name that resolves to %s', async addresses => {
    const counter = await startCounter()
    const options = { ...STRICT, lookup: resolvesTo(...addresses) }
    expect(await send(`https://hooks.example:${counter.port}/`, {}, '{}', options)).toEqual(NOT_SENT)
    expect(counter.connections).toBe(0)
  })

  test('unless that is allowed', async () => {
    const counter = await startCounter()
    await send(`https://127.0.0.1:${counter.port}/`, {}, '{}', OPEN)
    await send(`http://hooks.example:${counter.port}/`, {}, '{}', {
      ...OPEN,
      lookup: resolvesTo('127.0.0.1'),
    })
    expect(counter.connections).toBe(2)
  })

  test('http is never used unless private addresses are allowed', async () => {
    const counter = await startCounter()
    const options = { ...STRICT, lookup: resolvesTo('2000::1') }
    expect(await send(`http://hooks.example:${counter.port}/`, {}, '{}', options)).toEqual(NOT_SENT)
  })
})

describe('an answer', () => {
  const answering = async (status: number, headers: Record<string, string> = {}) => {
    const server = createServer((_, response) => response.writeHead(status, headers).end())
    return `http://127.0.0.1:${await portOf(server)}/`
  }

  it.each([200, 201, 202, 204, 299])('%i counts as delivered', async status => {
    expect(await send(await answering(status), {}, '{}', OPEN)).toEqual({ status, error: null })
  })

  it.each([304, 400, 401, 404, 410, 429, 500, 503])('%i does not, and the log says so', async status => {
    const outcome = await send(await answering(status), {}, '{}', OPEN)
    expect(outcome).toEqual({ status, error: expect.stringContaining(`status ${status}`) })
  })

  it('that redirects is not followed', async () => {
    const counter = await startCounter()
    const location = `http://127.0.0.1:${counter.port}/`
    for (const status of [301, 302, 303, 307, 308]) {
      const outcome = await send(await answering(status, { location }), {}, '{}', OPEN)
      expect(outcome).toEqual({ status, error: expect.stringContaining('redirects are not followed') })
    }
    expect(counter.connections).toBe(0)
  })

  it('that is endless is read only up to 64 KB, and its status counts', async () => {
    let sentBytes = 0
    const server = createServer((_, response) => {
      const more = () => {
        if (response.destroyed) return
        sentBytes += 16_384
        response.write(Buffer.alloc(16_384), more)
      }
      more()
    })
    const url = `http://127.0.0.1:${await portOf(server)}/`
    expect(await send(url, {}, '{}', OPEN)).toEqual({ status: 200, error: null })
    // Bytes in the system's buffers count as sent too.
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024)
  })

  it('whose body never comes counts by its status', async () => {
    const server = createServer((_, response) => response.writeHead(200).flushHeaders())
    const url = `http://127.0.0.1:${await portOf(server)}/`
    expect(await send(url, {}, '{}', { ...OPEN, timeoutMs: 300 })).toEqual({ status: 200, error: null })
  })
})

describe('a name', () => {
  it('is looked up without blocking a thread that others need, even if its name server is silent', async () => {
    const sending = send('https://hooks.marquee.invalid/', {}, '{}', STRICT)
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap')
    expect(await sending).toMatchObject({ status: null })
  })

  it('with hundreds of addresses: only some of them are tried', async () => {
    const { port } = new URL(await receiverAt('127.0.0.1'))
    const elsewhere = Array.from({ length: 300 }, (_, index) => `127.0.1.${(index % 250) + 1}`)
    const options = { ...OPEN, lookup: resolvesTo(...elsewhere, '127.0.0.1') }
    expect(await send(`http://hooks.example:${port}/`, {}, '{}', options)).toEqual(NOT_SENT)
  })

  it('with several addresses: a slow one is reached, even if the next one refuses', async () => {
    const late = await startLate()
    const options = { ...OPEN, timeoutMs: 15_000, lookup: resolvesTo('127.0.0.1', '127.0.0.2') }
    const sending = send(`http://hooks.example:${late.port}/`, {}, '{}', options)
    await new Promise(resolve => setTimeout(resolve, 500))
    late.wake()
    expect(await sending).toEqual({ status: 204, error: null })
  })

  async function receiverAt(host: string): Promise<string> {
    const server = createServer((_, response) => response.end())
    return `http://${host}:${await portOf(server)}/`
  }

  /** A sleeping server with a full queue: new connections have to be retried until it wakes up. */
  async function startLate() {
    const program = `
      const server = require('node:net').createServer(socket => {
        socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 204 No Content\\r\\n\\r\\n'))
      })
      server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const gone = once(child, 'exit')
    const [line] = await once(child.stdout, 'data')
    const port = Number(line)
    child.kill('SIGSTOP')
    const inQueue = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await once(inQueue[0]!, 'connect')
    closers.push(async () => {
      for (const socket of inQueue) socket.destroy()
      child.kill('SIGKILL')
      await gone
    })
    return { port, wake: () => child.kill('SIGCONT') }
  }
})

describe('no answer', () => {
  it('in time is reported as such', async () => {
    const port = await portOf(createServer(() => {}))
    const options = { ...OPEN, timeoutMs: 300 }
    expect(await send(`http://127.0.0.1:${port}/`, {}, '{}', options)).toEqual({
      status: null,
      error: NO_ANSWER,
    })
  })

  it('is what a change of protocol counts as', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'
    const port = await portOf(
      createTcpServer(socket => {
        socket.on('error', () => {}).resume()
        socket.write(switching)
      }),
    )
    expect(await send(`http://127.0.0.1:${port}/`, {}, '{}', OPEN)).toEqual(NOT_SENT)
  })

  it('over TLS is reported as such', async () => {
    const port = await portOf(createServer())
    const outcome = await send(`https://127.0.0.1:${port}/`, {}, '{}', OPEN)
    expect(outcome).toEqual({ status: null, error: NO_TLS })
  })

  it('from a closed port, an unknown name and a private address look the same', async () => {
    const counter = await startCounter()
    await closers.pop()!()
    expect(await send(`http://127.0.0.1:${counter.port}/`, {}, '{}', OPEN)).toEqual(NOT_SENT)
    const unknown: Resolve = () => Promise.reject(new Error('ENOTFOUND'))
    for (const lookup of [unknown, resolvesTo()]) {
      expect(await send('https://nowhere.example/', {}, '{}', { ...STRICT, lookup })).toEqual(NOT_SENT)
    }
  })
})
