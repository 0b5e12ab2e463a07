// How many uploads are read at once: each is in memory as a whole, for as long as its sender takes.

import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Advertiser, newAdvertiser, picture, until } from '../../../test/support/banners.ts'
import { startTestService, type TestPair, type TestService } from '../../../test/support/service.ts'
import { createServer } from '../../http/server.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { readImageBodies } from './uploads.ts'

let service: TestService
let url: string
let image: Buffer
beforeAll(async () => {
  service = await startTestService()
  url = await service.listen()
  image = await picture(300, 250)
})
afterAll(() => service?.close())

/** Sends the beginning of an image, and no more. */
function slowUpload({ cuid, key, token }: TestPair & { cuid: number }): ClientRequest {
  const sending = request(`${url}/creative?cuid=${cuid}`, {
    method: 'POST',
    headers: {
      'x-access-key': key,
      'x-access-token': token,
      'content-type': 'image/png',
      'content-length': image.length,
    },
  })
  sending.on('error', () => {})
  sending.write(image.subarray(0, 10))
  return sending
}

it('further ones of a customer are refused before they are sent; others are not kept waiting', async () => {
  const [ann, bob] = [await newAdvertiser(service), await newAdvertiser(service)]
  const upload = (who: Advertiser) => who.call('POST', '/creative', image, { 'content-type': 'image/png' })
  const statuses: number[] = []
  const slow = Array.from({ length: 6 }, () => {
    const sending = slowUpload(ann)
    sending.on('response', answer => void statuses.push(answer.resume().statusCode!))
    return sending
  })
  await until(async () => (statuses.length >= 2 ? true : null))
  const another = await upload(ann)
  expect([another.status, another.body.reason]).toEqual([429, 'too_many_at_once_of_customer'])
  expect((await upload(bob)).status).toBe(201)
  expect(statuses).toEqual([429, 429])
  for (const sending of slow) sending.destroy()
  await until(async () => ((await upload(ann)).status === 201 ? true : null))
  for (let i = 0; i < 15; i++) expect((await upload(ann)).status).toBe(201)
})

it('if those of an app are all taken, the slowest of whoever has most makes room for somebody who has fewer', async () => {
  const newcomer = await newAdvertiser(service)
  const crowd = await Promise.all(Array.from({ length: 6 }, () => service.newCustomer()))
  const upload = (who: TestPair & { cuid: number }) =>
    service.call('POST', `/creative?cuid=${who.cuid}`, {
      as: who,
      body: image,
      headers: { 'content-type': 'image/png' },
    })
  const answers: [who: number, n: number, status: number, reason: string][] = []
  const slow: ClientRequest[] = []
  const occupy = (at: number, n: number) => {
    const sending = slowUpload(crowd[at]!)
    slow.push(sending)
    // The third of each sends nothing more.
    const trickle = setInterval(() => n !== 2 && sending.write(image.subarray(10, 12)), 50)
    sending.on('close', () => clearInterval(trickle))
    sending.on('response', async answer => {
      const { reason } = JSON.parse(Buffer.concat(await answer.toArray()).toString())
      // A look below was there first.
      if (reason === 'too_many_at_once_of_customer') occupy(at, n)
      else answers.push([at, n, answer.statusCode!, reason])
    })
  }
  for (const at of crowd.keys()) for (let n = 0; n < 4; n++) occupy(at, n)
  for (const who of crowd) await until(async () => ((await upload(who)).status === 429 ? true : null))
  await new Promise(resolve => setTimeout(resolve, 500))
  expect((await upload(newcomer)).status).toBe(201)
  await until(async () => (answers.length > 0 ? true : null))
  expect(answers).toEqual([[expect.any(Number), 2, 429, 'made_room']])
  for (const sending of slow) sending.destroy()
  await until(async () => ((await upload(crowd[0]!)).status === 201 ? true : null))
  expect(service.logLines.filter(line => line.includes('"bug"'))).toEqual([])
})

it('one that comes too slowly is cut off and says why; one that is merely slow is not', async () => {
  const fastify = createServer({
    log: createLog('silent'),
    metrics: createMetrics(),
    trustProxy: null,
    publicUrl: 'http://localhost',
    methodsOf: () => [],
    keepAliveMs: 90_000,
    requestMs: 600_000,
  })
  fastify.addHook('onRequest', async request => {
    request.call = { caller: { level: 'app', appId: 1 }, cuid: 1 } as never
  })
  const inspect = async () => ({ type: 'png', width: 300, height: 250, faults: [] }) as never
  readImageBodies(fastify, inspect, { bytes: 1000, withinMs: 500 })
  fastify.post('/', { bodyLimit: 100_000 }, async ({ body }) => ({ bytes: (body as Buffer).length }))
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  const send = async (pieceBytes: number, pieces: number) => {
    const headers = { 'content-type': 'image/png', 'content-length': pieceBytes * pieces }
    const sending = request({ port, host: '127.0.0.1', method: 'POST', headers })
    sending.on('error', () => {})
    let sent = 0
    const timer = setInterval(() => {
      if (sent++ < pieces) sending.write(Buffer.alloc(pieceBytes))
      else clearInterval(timer)
    }, 20)
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    clearInterval(timer)
    return [answer.statusCode, JSON.parse(Buffer.concat(await answer.toArray()).toString())]
  }
  try {
    expect(await send(1, 10_000)).toMatchObject([408, { reason: 'too_slow' }])
    expect(await send(1000, 60)).toEqual([200, { bytes: 60_000 }])
  } finally {
    await fastify.close()
  }
})
