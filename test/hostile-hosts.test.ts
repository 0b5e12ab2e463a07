// Hosts that send without end what is no answer, through the front door: a webhook and a creative by URL. Each is given
// up after some kilobytes, and the log and the banner say so.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, until } from './support/banners.ts'
import { startTestService, type TestService } from './support/service.ts'
import { newWebhook } from './support/webhooks.ts'

let service: TestService
let ann: Advertiser

beforeAll(async () => {
  service = await startTestService()
  ann = await newAdvertiser(service)
})
afterAll(() => service.close())

/** What the system buffers on the way counts as sent, too. */
const MOST_SENT_BYTES = 32 * 1024 * 1024

/** Sends `first` and then `block` for as long as somebody listens, up to far more than anybody should. */
async function startFlood(first: string, block: string) {
  const flood = { url: '', sentBytes: 0, close: () => {} }
  const bytes = Buffer.from(block.repeat(Math.ceil(65_536 / block.length)))
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}).resume()
    const more = () => {
      if (socket.destroyed) return
      flood.sentBytes += bytes.length
      if (flood.sentBytes <= 4 * MOST_SENT_BYTES) socket.write(bytes, more)
    }
    socket.write(first, more)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  flood.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  flood.close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return flood
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

describe.each([
  ['provisional answers', '', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n', null],
  ['empty lines', '', '\r\n', null],
  ['a head', 'HTTP/1.1 200 OK\r\n', 'x-filler: abcdefgh\r\n', null],
  ['chunks with long extensions', CHUNKED, `1;${'x'.repeat(16_000)}\r\na\r\n`, 200],
])('a host that sends %s without end', (_, first, block, status) => {
  it('is given up by a webhook, and the log has the attempt', async context => {
    const flood = await startFlood(first, block)
    context.onTestFinished(flood.close)
    const { path, entry } = await newWebhook(service, { url: flood.url })
    await service.call('POST', `${path}/test`)
    const { state, attempts } = await entry(({ attempts: made }) => made.length > 0)
    expect(attempts[0].status).toBe(status)
    expect(state).toBe(status === null ? 'pending' : 'delivered')
    expect(flood.sentBytes).toBeLessThan(MOST_SENT_BYTES)
    await service.call('DELETE', path)
  })

  it('is given up by the review of a banner, which says so', async context => {
    const flood = await startFlood(first, block)
    context.onTestFinished(flood.close)
    const { bid } = await ann.banner({ creativeURL: flood.url })
    const { findings } = await until(async () => {
      const { body } = await ann.call('GET', `${ann.path}/${bid}`)
      return body.findings.length > 0 ? body : null
    })
    expect(findings[0].code).toBe('creative_unreachable')
    expect(flood.sentBytes).toBeLessThan(MOST_SENT_BYTES)
  })
})
