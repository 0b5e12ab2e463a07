// A bucket for one test: a server on a port of this machine that speaks as much S3 as we use. It honours
// `if-none-match`, gives lists in pages, checks the key's name and the hash of each body, and keeps objects in memory.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestBucket {
  /** The settings that use it. */
  settings: Record<string, string>
  close(): Promise<void>
}

interface Answer {
  status: number
  body?: string | Buffer
}

const ACCESS_KEY = 'TEST-BUCKET'
const PAGE_KEYS = 1000

/** `port` 0: a free port. */
export async function startBucket(name: string, port = 0): Promise<TestBucket & { port: number }> {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const { status, body } = await answerTo(name, objects, request)
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    port: taken,
    settings: {
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${taken}`,
    },
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

async function answerTo(
  name: string,
  objects: Map<string, Buffer>,
  request: IncomingMessage,
): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url!, 'http://bucket')
  const bytes = Buffer.concat(await request.toArray())
  const [, bucket, ...parts] = pathname.split('/').map(decodeURIComponent)
  const { authorization = '', 'x-amz-content-sha256': hash, 'if-none-match': condition } = request.headers
  if (!authorization.includes(`Credential=${ACCESS_KEY}/`)) return refused(403, 'InvalidAccessKeyId')
  if (bucket !== name) return refused(404, 'NoSuchBucket')
  if (hash !== createHash('sha256').update(bytes).digest('hex'))
    return refused(400, 'XAmzContentSHA256Mismatch')
  const key = parts.join('/')
  if (searchParams.has('list-type')) return listed([...objects.keys()], searchParams)
  const object = objects.get(key)
  if (request.method === 'PUT') {
    if (condition === '*' && object) return refused(412, 'PreconditionFailed')
    objects.set(key, bytes)
    return { status: 200 }
  }
  if (request.method === 'DELETE') return { status: objects.delete(key) ? 204 : 404 }
  return object ? { status: 200, body: object } : refused(404, 'NoSuchKey')
}

function listed(keys: string[], asked: URLSearchParams): Answer {
  const [prefix, after] = [asked.get('prefix') ?? '', asked.get('start-after') ?? '']
  const rest = keys.filter(key => key.startsWith(prefix) && key > after).sort()
  const page = rest.slice(0, PAGE_KEYS).map(key => `<Contents><Key>${key}</Key></Contents>`)
  const isPart = `<IsTruncated>${rest.length > PAGE_KEYS}</IsTruncated>`
  return { status: 200, body: `<ListBucketResult>${page.join('')}${isPart}</ListBucketResult>` }
}

function refused(status: number, code: string): Answer {
  return { status, body: `<Error><Code>${code}</Code></Error>` }
}
