// A name that is public when it is checked and private when it is resolved again. To test this on loopback alone,
// 127.0.0.1 stands for the public internet and 127.0.0.2 for our own network.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { finding } from '../../../kernel/errors/finding.ts'
import type { Resolve } from '../../../platform/outbound.ts'
import type * as Fetching from './fetch.ts'

const RULE = '../../../platform/public-address.ts'
let fetching: typeof Fetching
beforeAll(async () => {
  // Other test files of this process have already loaded it with the real rule.
  vi.resetModules()
  vi.doMock(RULE, () => ({ isPublicAddress: (address: string) => address === '127.0.0.1' }))
  fetching = await import('./fetch.ts')
})
afterAll(() => {
  vi.doUnmock(RULE)
  vi.resetModules()
})

const hits: string[] = []
const servers: Server[] = []
let port = 0

function start(host: string, onPort: number): Promise<Server> {
  const server = createServer((_, reply) => {
    hits.push(host)
    reply.end(host)
  })
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(onPort, host, () => resolve(server))
  })
}

beforeAll(async () => {
  port = ((await start('127.0.0.1', 0)).address() as AddressInfo).port
  await start('127.0.0.2', port)
})
beforeEach(() => {
  hits.length = 0
})
afterAll(() => {
  for (const server of servers) server.close()
})

/** Resolves to these addresses one after the other, and then always to the last. */
function resolvesOneByOne(...addresses: string[]): Resolve {
  return async () => [{ address: addresses.length > 1 ? addresses.shift()! : addresses[0]!, family: 4 }]
}

function fetchBy(lookup: Resolve) {
  const options = { allowPrivate: false, maxBytes: 1_000, timeoutMs: 5_000, lookup }
  return fetching.fetchCreative(`http://rebind.example:${port}/`, options)
}

test('a name that becomes private after the check is fetched from the checked address only', async () => {
  const fetched = await fetchBy(resolvesOneByOne('127.0.0.1', '127.0.0.2'))
  expect(fetched).toEqual({ ok: true, bytes: Buffer.from('127.0.0.1') })
  expect(hits).toEqual(['127.0.0.1'])
})

test('a name that is private when checked is refused, whatever it becomes later', async () => {
  const fetched = await fetchBy(resolvesOneByOne('127.0.0.2', '127.0.0.1'))
  // Looks like a name that does not resolve, so that the number of attempts reveals nothing.
  expect(fetched).toEqual({ ok: false, finding: finding('creative_unreachable'), retry: true })
  expect(hits).toEqual([])
})

test('a name that becomes private between two fetches is refused at the second', async () => {
  const lookup = resolvesOneByOne('127.0.0.1', '127.0.0.2')
  expect(await fetchBy(lookup)).toMatchObject({ ok: true })
  expect(await fetchBy(lookup)).toEqual({ ok: false, finding: finding('creative_unreachable'), retry: true })
  expect(hits).toEqual(['127.0.0.1'])
})
