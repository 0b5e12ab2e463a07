// `/console`: the built application, served from a table of its files that is made once, so that no path leads anywhere
// else. Files with a hash in their name are cached forever, the page itself never. Every other path is the page, which
// has its own routes.

import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { takes } from '../http/compress.ts'
import { pathOf } from '../kernel/address.ts'
import { notFound } from '../kernel/errors/problem.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'self'; " +
  "form-action 'self'"

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}
const TEXT = /^(text\/|application\/|image\/svg)/
const MIN_ZIPPED_BYTES = 1024

/** Compressed once per file, on the first request, unless the build did it. */
const ENCODINGS = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
}
type Encoding = keyof typeof ENCODINGS

interface File {
  body: Buffer
  type: string
  cache: string
  zipped: Partial<Record<Encoding, Promise<Buffer>>>
}

export interface PageOptions {
  /** Where the build is; it may be missing. */
  webDir: string
  publicUrl: string
}

export function consolePages(fastify: FastifyInstance, { webDir, publicUrl }: PageOptions): void {
  const base = `${pathOf(publicUrl)}/console/`
  const files = readFiles(webDir)
  const built = files.get('index.html')
  const page = file('index.html', built ? withBase(built.body.toString('utf8'), base) : NOT_BUILT)
  files.set('index.html', page)

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] ?? ''
    const found = files.get(path)
    if (found) return send(request, reply, found)
    if (path === 'api' || path.startsWith('api/') || path.startsWith('assets/')) throw notFound('file')
    return send(request, reply, page)
  }
  fastify.get('/console', { exposeHeadRoute: true }, answer)
  fastify.get('/console/*', { exposeHeadRoute: true }, answer)
}

async function send(request: FastifyRequest, reply: FastifyReply, file: File): Promise<FastifyReply> {
  reply.headers({ 'content-type': file.type, 'cache-control': file.cache, 'content-security-policy': POLICY })
  if (!TEXT.test(file.type) || file.body.length < MIN_ZIPPED_BYTES) return reply.send(file.body)
  reply.header('vary', 'accept-encoding')
  const accepted = request.headers['accept-encoding']
  const encoding = (['br', 'gzip'] as const).find(name => takes(String(accepted ?? ''), name))
  if (!encoding) return reply.send(file.body)
  file.zipped[encoding] ??= ENCODINGS[encoding](file.body)
  return reply.header('content-encoding', encoding).send(await file.zipped[encoding])
}

function readFiles(folder: string): Map<string, File> {
  const entries: Dirent[] = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
    : []
  return new Map(
    entries
      .filter(entry => entry.isFile() && extname(entry.name) in TYPES)
      .map(entry => {
        const path = join(entry.parentPath, entry.name)
        const name = relative(folder, path).split(sep).join('/')
        const packed = existsSync(`${path}.br`) ? { br: Promise.resolve(readFileSync(`${path}.br`)) } : {}
        return [name, { ...file(name, readFileSync(path)), zipped: packed }]
      }),
  )
}

function file(name: string, body: Buffer | string): File {
  const hashed = name.startsWith('assets/')
  const cache = hashed
    ? 'public, max-age=31536000, immutable'
    : name.endsWith('.html')
      ? 'no-store'
      : 'public, max-age=3600'
  return { body: Buffer.from(body), type: TYPES[extname(name)]!, cache, zipped: {} }
}

/**
 * The files are named relative to the page; a base makes that work for every path below it, and behind a proxy's path.
 */
function withBase(html: string, base: string): string {
  return html.replace('<head>', `<head>\n<base href="${escapeAttribute(base)}">`)
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Marquee</title></head>
<body>
<h1>The console is not built</h1>
<p>Build it with <code>npm run build</code>, then start the service again. The API works without it.</p>
</body>
</html>
`
