// A service that listens, and a campaign that is really served: created by the API, reviewed, in the catalog.

import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { picture, until } from './banners.ts'
import { newTestCustomer, type TestCustomer } from './campaigns.ts'
import { startTestService, type TestClock, type TestService } from './service.ts'

export interface WireAnswer {
  status: number
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is looked into freely by tests
  json: any
}

export interface ListeningService extends TestService {
  url: string
  bidPath: string
  siteKey: string
  serverKey: string
  /** Sends a request through a real socket. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<WireAnswer>
  /** Sends only the head, without a body; returns everything that comes back until the connection ends. */
  sendHead(method: string, path: string, headers: Record<string, string>): Promise<string>
  bid(request: unknown, headers?: Record<string, string>): Promise<WireAnswer>
  /** Requests an ad with the public key, as a page does. */
  ad(body: object, headers?: Record<string, string>): Promise<WireAnswer>
  /** Requests an ad with the server key, which may speak for a visitor. */
  serverAd(body: object, headers?: Record<string, string>): Promise<WireAnswer>
}

export async function startListeningService(
  settings: Record<string, string> = {},
  clock?: TestClock,
): Promise<ListeningService> {
  const service = await startTestService(settings, clock)
  const url = await service.listen()
  await service.delivery.started
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const send: ListeningService['send'] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const payload =
        body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body)
      const request = httpRequest(
        `${url}${path}`,
        {
          method,
          agent,
          headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        },
        response => {
          const chunks: Buffer[] = []
          response.on('data', chunk => chunks.push(chunk))
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const isJson = String(response.headers['content-type']).startsWith('application/json')
            resolve({
              status: response.statusCode!,
              headers: response.headers as Record<string, string>,
              text,
              json: isJson && text !== '' ? JSON.parse(text) : null,
            })
          })
        },
      )
      request.on('error', reject)
      request.end(payload)
    })
  const sendHead: ListeningService['sendHead'] = (method, path, headers) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      const lines = Object.entries({ host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}`)
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      let text = ''
      socket.on('data', chunk => {
        text += chunk
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
    })
  const { bidUrl, siteKey, serverKey } = service.firstCredentials!
  const bidPath = new URL(bidUrl).pathname
  return {
    ...service,
    url,
    bidPath,
    siteKey,
    serverKey,
    send,
    sendHead,
    bid: (request, headers) => send('POST', bidPath, request, headers),
    ad: (body, headers) => send('POST', '/ad', { source: siteKey, ...body }, headers),
    serverAd: (body, headers) => send('POST', '/ad', { source: serverKey, ...body }, headers),
    async close() {
      agent.destroy()
      await service.close()
    },
  }
}

export interface ServedCampaign {
  customer: TestCustomer
  cid: number
  pid: number
  bid: number
  path: string
}

export interface ServedFields {
  customer?: object
  campaign?: object
  persona?: object
  banner?: object
}

/** Creates a campaign, a persona and an approved banner, known to delivery. */
export async function newServedCampaign(
  service: ListeningService,
  fields: ServedFields = {},
): Promise<ServedCampaign> {
  const customer = await newTestCustomer(service, fields.customer)
  const { cid } = await customer.newCampaign({ pacing: 'asap', ...fields.campaign })
  const persona = await customer.call('POST', `/campaign/${cid}/persona`, {
    name: 'Everybody in Canada',
    geo: { geos: ['CA'] },
    device: { mobile: true, tablet: true, desktop: true },
    ...fields.persona,
  })
  if (persona.status !== 201) throw new Error(persona.text)
  const { pid } = persona.body
  const path = `/campaign/${cid}/persona/${pid}`
  const image = await picture(300, 250)
  const upload = await customer.call('POST', '/creative', image, { 'content-type': 'image/png' })
  if (upload.status !== 201) throw new Error(upload.text)
  const banner = await customer.call('POST', `${path}/banner`, {
    creativeURL: upload.body.creativeURL,
    clickUrl: 'https://shop.example.com/bikes',
    ...fields.banner,
  })
  if (banner.status !== 201) throw new Error(banner.text)
  const { bid } = banner.body
  await until(async () => {
    const { body } = await customer.call('GET', `${path}/banner/${bid}`)
    if (body.status === 'rejected') throw new Error(`rejected: ${body.reasons}`)
    return body.status === 'approved' ? body : null
  })
  return { customer, cid, pid, bid, path }
}

export function bidRequest(changes: object = {}): Record<string, unknown> {
  return {
    id: 'auction-1',
    at: 1,
    cur: ['USD'],
    imp: [{ id: '1', bidfloor: 0.03, banner: { format: [{ w: 300, h: 250 }] } }],
    site: { domain: 'news.example', page: 'https://news.example/cycling', cat: ['IAB17-3'] },
    device: {
      ua: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      geo: { country: 'CAN', region: 'ON', city: 'Toronto' },
    },
    user: { id: 'user-1' },
    ...changes,
  }
}
