// The console's files: what is served, how long it may be cached, and that no path leads out of the build.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../http/server.ts'
import { sessionCookieFor } from '../identity/sessions/cookie.ts'
import { createLog } from '../platform/log.ts'
import { createMetrics } from '../platform/metrics.ts'
import { consolePages } from './pages.ts'

const INDEX =
  '<!doctype html><html><head><title>x</title></head><body><script src="./assets/a.js"></script></body>'
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))})`

let folder: string
let port: number
const servers: FastifyInstance[] = []

function serve(webDir: string, publicUrl = 'http://localhost:8080'): FastifyInstance {
  const log = createLog('silent')
  const fastify = createServer({
    log,
    metrics: createMetrics(),
    trustProxy: null,
    publicUrl,
    methodsOf: () => [],
    keepAliveMs: 90_000,
  })
  consolePages(fastify, { webDir, publicUrl, cookie: sessionCookieFor(publicUrl) })
  servers.push(fastify)
  return fastify
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-web-'))
  await mkdir(join(folder, 'web/assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await writeFile(join(folder, 'web/index.html'), INDEX)
  await writeFile(join(folder, 'web/favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(folder, 'web/.env'), 'secret')
  await writeFile(join(folder, 'web/assets/a.js'), SCRIPT)
  const fastify = serve(join(folder, 'web'))
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  port = (fastify.server.address() as { port: number }).port
})
afterAll(async () => {
  for (const fastify of servers) await fastify.close()
  await rm(folder, { recursive: true, force: true })
})

/** Sends the path as it is; a URL library would normalize it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, method }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          body: Buffer.concat(chunks),
        }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('/console', () => {
  it.each(['/console', '/console/', '/console?ticket=x', '/console/campaign/5', '/console/a/b/c.d'])(
    '%s is the page, never cached, with a base for its files',
    async path => {
      const { status, headers, body } = await get(path)
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['cache-control']).toBe('no-store')
      expect(body.toString()).toContain('<head>\n<base href="/console/">')
    },
  )

  it('its policy allows no script except our files, and no frame around it', async () => {
    const policy = (await get('/console')).headers['content-security-policy']!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe-eval')
  })

  it('behind a path, its base is below that path', async () => {
    const fastify = serve(join(folder, 'web'), 'https://ads.example/mq/')
    const { body } = await fastify.inject('/console/login')
    expect(body).toContain('<base href="/mq/console/">')
  })

  it('a file with a hash in its name is cached forever, and is sent compressed to clients that accept it', async () => {
    const plain = await get('/console/assets/a.js')
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    expect(plain.body.toString()).toBe(SCRIPT)
    const unzip = { gzip: gunzipSync, br: brotliDecompressSync }
    for (const [accepted, encoding] of [
      ['gzip, deflate', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip', 'gzip'],
    ] as const) {
      const zipped = await get('/console/assets/a.js', { 'accept-encoding': accepted })
      expect(zipped.headers['content-encoding']).toBe(encoding)
      expect(zipped.body.length).toBeLessThan(1000)
      expect(unzip[encoding](zipped.body).toString()).toBe(SCRIPT)
    }
    expect((await get('/console/favicon.svg')).headers['cache-control']).toBe('public, max-age=3600')
  })

  it('HEAD has the headers without the body', async () => {
    const { status, headers, body } = await get('/console/assets/a.js', {}, 'HEAD')
    expect([status, body.length]).toEqual([200, 0])
    expect(headers['content-length']).toBe(String(SCRIPT.length))
  })

  it('a missing asset or call is 404, not the page', async () => {
    for (const path of ['/console/assets/b.js', '/console/api/nothing', '/console/api']) {
      const { status, headers } = await get(path)
      expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
    }
  })

  it.each([
    '/console/../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/%2e%2e%2fsecret.txt',
    '/console/..%5csecret.txt',
    '/console/assets/../../secret.txt',
    '/console/assets/..%2f..%2fsecret.txt',
    '/console//etc/passwd',
    '/console/%00',
    '/console/.env',
    '/console/__proto__',
    '/console/constructor',
    '/console/%252e%252e%252fsecret.txt',
  ])('%s does not lead outside', async path => {
    const { status, body } = await get(path)
    expect([200, 400, 404]).toContain(status)
    expect(body.toString()).not.toMatch(/secret|root:/)
  })

  it('without a build, the page says how to make one', async () => {
    const { statusCode, body, headers } = await serve(join(folder, 'nowhere')).inject('/console')
    expect(statusCode).toBe(200)
    expect(body).toContain('The console is not built')
    expect(headers['cache-control']).toBe('no-store')
  })
})
