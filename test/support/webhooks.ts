// The basis for tests of webhooks: a real receiver on loopback, and a check of signatures that is written from the text
// of the Standard Webhooks scheme, not from our code.

import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './banners.ts'
import type { TestAnswer, TestPair, TestService } from './service.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: TestAnswer['body']
}

export interface Receiver {
  url: string
  received: Received[]
  /** The answer to requests: a status, or a function that answers. */
  answer: number | ((response: ServerResponse, request: Received) => void)
  /** Waits for this many requests of these types, and returns all of them. */
  get(count: number, ...types: string[]): Promise<Received[]>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      const seen = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
      receiver.received.push(seen)
      if (typeof receiver.answer === 'function') receiver.answer(response, seen)
      else response.writeHead(receiver.answer).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: 204,
    get: (count, ...types) =>
      until(async () => {
        const seen = receiver.received.filter(({ body }) => types.length === 0 || types.includes(body.type))
        return seen.length >= count ? seen : null
      }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}

export interface TestWebhook {
  wid: number
  secret: string
  path: string
  log(): Promise<TestAnswer['body'][]>
  /** Waits until the newest entry of the log is as wanted, and returns it. */
  entry(wanted: (entry: TestAnswer['body']) => boolean): Promise<TestAnswer['body']>
}

export async function newWebhook(
  service: TestService,
  fields: object,
  app: TestPair = service.app,
): Promise<TestWebhook> {
  const answer = await service.call('POST', '/webhook', { app, body: fields })
  if (answer.status !== 201) throw new Error(`no webhook: ${answer.text}`)
  const { wid, secret } = answer.body
  const path = `/webhook/${wid}`
  const log = async () => (await service.call('GET', `${path}/delivery`, { app })).body
  return {
    wid,
    secret,
    path,
    log,
    entry: wanted =>
      until(async () => {
        const newest = (await log()).at(-1)
        return newest && wanted(newest) ? newest : null
      }),
  }
}

/** True if one of the signatures was made with this secret. */
export function isSignedWith(secret: string, { headers, text }: Received): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  const expected = createHmac('sha256', key).update(content).digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${expected}`)
}
