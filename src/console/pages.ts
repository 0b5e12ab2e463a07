// `/console`: the built application, served from a table of its files that is made once, so that no path leads anywhere
// else. Files with a hash in their name are cached forever, the page itself never. Every other path is the page, which
// has its own routes: without a session the sign-in in the reader's language, else with the names of the files that the
// page in the address needs, to be loaded at once.

import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { takes } from '../http/compress.ts'
import type { SessionCookie } from '../identity/sessions/cookie.ts'
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
/** The first one for everybody else. */
const LANGUAGES = ['en', 'de']

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
  cookie: SessionCookie
}

export function consolePages(fastify: FastifyInstance, { webDir, publicUrl, cookie }: PageOptions): void {
  const files = readFiles(webDir)
  const pageFor = pagesOf(files, `${pathOf(publicUrl)}/console/`, cookie)

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] ?? ''
    const found = files.get(path)
    if (found) return send(request, reply, found)
    if (path === 'api' || path.startsWith('api/') || path.startsWith('assets/')) throw notFound('file')
    return send(request, reply, pageFor(request, path))
  }
  fastify.get('/console', { exposeHeadRoute: true }, answer)
  fastify.get('/console/*', { exposeHeadRoute: true }, answer)
}

/** What is in the address and not in the cookie: a link that signs in needs all of the console, too. */
const SIGNS_IN = /[?&](ticket|invitation)=/

function pagesOf(files: Map<string, File>, base: string, cookie: SessionCookie) {
  const textOf = (name: string) => files.get(name)?.body.toString('utf8')
  const html = textOf('index.html')
  const page = file('index.html', html ? withBase(html, base) : NOT_BUILT)
  const preloads = Object.entries<string[]>(JSON.parse(textOf('preloads.json') ?? '{}'))
  const pages = preloads.map(([path, needs]) => ({
    // As the router has it: `/campaigns/$cid`.
    path: new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`),
    page: file('index.html', withBase(html ?? '', base, needs)),
  }))
  const signIn = LANGUAGES.map((language): [string, File] => {
    const text = textOf(`sign-in.${language}.html`)
    return [language, text === undefined ? page : file('index.html', withBase(text, base))]
  })
  for (const name of [...files.keys()]) if (name.endsWith('.html')) files.delete(name)
  return ({ headers, url }: FastifyRequest, path: string): File => {
    if (cookie.read(headers.cookie) === null && !SIGNS_IN.test(url)) {
      const wanted = headers['accept-language']?.slice(0, 2).toLowerCase()
      return (signIn.find(([language]) => language === wanted) ?? signIn[0]!)[1]
    }
    return pages.find(one => one.path.test(`/${path}`))?.page ?? page
  }
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
function withBase(html: string, base: string, needs: readonly string[] = []): string {
  const preloads = needs.map(name =>
    name.endsWith('.css')
      ? `<link rel="stylesheet" crossorigin href="${name}">\n`
      : `<link rel="modulepreload" crossorigin href="${name}">\n`,
  )
  return html
    .replace('<head>', `<head>\n<base href="${escapeAttribute(base)}">`)
    .replace('</head>', `${preloads.join('')}</head>`)
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
