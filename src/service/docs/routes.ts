// `/docs`: guides, reference and search as pages of our own, made from the Markdown and the OpenAPI document when they
// are first asked for, and what can be taken along: the client, the Postman collection and texts for language models.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { send } from '../../http/answer.ts'
import { Answer, type Api } from '../../http/api.ts'
import { keepCompressed } from '../../http/compress.ts'
import { pathOf } from '../../kernel/address.ts'
import { notFound } from '../../kernel/errors/problem.ts'
import { GUIDES, markdownOf, renderGuide, textOf } from './guides.ts'
import { type Frame, htmlPage, type PageParts } from './layout.ts'
import { createRenderer, type Links, plain, sectionsOf } from './markdown.ts'
import { introduction, llms, missingPage, overview, welcome } from './pages.ts'
import { callLinks, type Document, type Group, groupsOf, referenceHtml, referenceMenu } from './reference.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const ROOT = new URL('../../../', import.meta.url)
const IS_BUILT = !import.meta.url.endsWith('.ts')
/** What the build puts beside the guides; from the sources, where it came from. */
const STYLE = `${read('tokens.css', 'web/shell').replace(/@font-face {[^{}]*}/, '')}${read('docs.css', 'web/docs')}`
const SCRIPT = read('docs.js', 'web/docs')
const VERSION = createHash('sha1').update(STYLE).update(SCRIPT).digest('base64url').slice(0, 8)
/** Packed by the build. */
const CLIENT = new URL(IS_BUILT ? 'client.tgz' : 'dist/client.tgz', ROOT)

function read(name: string, folder: string): string {
  return readFileSync(new URL(`${IS_BUILT ? 'docs' : folder}/${name}`, ROOT), 'utf8')
}

interface File {
  body: Buffer
  type: string
  cache: string
}

export interface DocsParts {
  publicUrl: string
  /** The OpenAPI document; complete once the service listens. */
  document: () => Document
}

export function docsRoutes({ fastify }: Pick<Api, 'fastify'>, parts: DocsParts): void {
  const frame = { base: pathOf(parts.publicUrl), version: VERSION }
  const makers = filesOf(parts, frame)
  const made = new Map<string, File>()
  const asMarkdown = new Map([
    ['/docs', '/llms.txt'],
    ...GUIDES.map(({ name }): [string, string] => [`/docs/${name}`, `/docs/${name}.md`]),
  ])
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = request.url.split('?', 1)[0]!.replace(/(.)\/$/, '$1')
    const path = wantsMarkdown(request) ? (asMarkdown.get(page) ?? page) : page
    const file = made.get(path) ?? makers.get(path)?.()
    if (file) made.set(path, file)
    else if (!request.headers.accept?.includes('text/html')) throw notFound('file')
    const { body, type, cache } = file ?? {
      body: Buffer.from(missingPage(frame, path)),
      type: HTML,
      cache: 'no-store',
    }
    const headers = {
      'content-type': type,
      'cache-control': cache,
      'content-security-policy': POLICY,
      ...(asMarkdown.has(page) ? { vary: 'accept' } : {}),
    }
    return send(request, reply, {
      status: file ? 200 : 404,
      headers: file ? { ...headers, etag: '"docs"' } : headers,
      body,
    })
  }
  for (const path of ['/docs', '/docs/:file', '/docs/*', '/llms.txt', '/llms-full.txt'])
    fastify.get(path, { exposeHeadRoute: true }, answer)
}

/** A program that reads Markdown, and says so before any HTML: no browser does. */
function wantsMarkdown({ headers: { accept = '' } }: FastifyRequest): boolean {
  const at = accept.indexOf('text/markdown')
  const html = accept.indexOf('text/html')
  return at >= 0 && (html < 0 || at < html)
}

/** `/` for a browser: what this is and where to go. */
export function welcomeAnswer(publicUrl: string): Answer<never> {
  const html = welcome({ base: pathOf(publicUrl), version: VERSION })
  const headers = { 'content-type': HTML, 'content-security-policy': POLICY, vary: 'accept' }
  return new Answer(html as never, headers)
}

/** By path, how each file is made. */
function filesOf({ publicUrl, document }: DocsParts, frame: Frame): Map<string, () => File> {
  const { base } = frame
  let read: { document: Document; groups: Group[]; ofCall: Links['ofCall'] } | null = null
  const api = () => {
    if (read === null) {
      const whole = document()
      read = { document: whole, groups: groupsOf(whole), ofCall: callLinks(whole, base) }
    }
    return read
  }
  const page = (parts: PageParts) => file(htmlPage(frame, parts), HTML)
  const reference = () => {
    const { document, groups, ofCall } = api()
    const { inline } = createRenderer({ to: () => null, ofCall })
    const body = `${introduction(base, publicUrl)}${referenceHtml(document, groups, { inline, base })}`
    return page({ title: 'API reference', path: '/docs/reference', body, menu: referenceMenu(groups) })
  }
  const files = new Map<string, () => File>([
    [
      '/docs',
      () => page({ title: 'Documents', path: '/docs', body: overview(base, publicUrl, api().groups) }),
    ],
    ['/docs/reference', reference],
    ['/docs/search.json', () => file(JSON.stringify(searched(base, api().groups)), JSON_TYPE)],
    ['/docs/docs.css', () => file(STYLE, 'text/css; charset=utf-8', FOREVER)],
    ['/docs/docs.js', () => file(SCRIPT, 'text/javascript; charset=utf-8', FOREVER)],
    ['/docs/postman.json', () => file(postman(publicUrl), JSON_TYPE)],
    ['/llms.txt', () => file(llms(publicUrl), PLAIN)],
    ['/llms-full.txt', () => file(GUIDES.map(guide => markdownOf(guide, publicUrl)).join('\n\n'), PLAIN)],
  ])
  for (const guide of GUIDES) {
    const path = `/docs/${guide.name}`
    files.set(path, () => {
      const { html, sections } = renderGuide(guide, base, api().ofCall)
      const body = guide.name === 'errors' ? withCodeIds(html) : html
      return page({ title: guide.title, path, body, toc: sections })
    })
    files.set(`${path}.md`, () => file(markdownOf(guide, publicUrl), MARKDOWN))
  }
  if (existsSync(CLIENT)) files.set('/docs/client.tgz', () => file(readFileSync(CLIENT), 'application/gzip'))
  return files
}

const FOREVER = 'public, max-age=31536000, immutable'

function file(body: string | Buffer, type: string, cache = 'no-cache'): File {
  return { body: keepCompressed(Buffer.from(body)), type, cache }
}

/** Each section and operation as the search finds it: address, page, heading, text. */
function searched(base: string, groups: Group[]): string[][] {
  const guides = GUIDES.flatMap(guide =>
    sectionsOf(textOf(guide)).map(({ id, title, depth, text }) => [
      `${base}/docs/${guide.name}${depth === 1 ? '' : `#${id}`}`,
      guide.title,
      title,
      text,
    ]),
  )
  const operations = groups.flatMap(({ title, operations }) =>
    operations.map(({ operationId, method, path, summary, description = '', parameters }) => [
      `${base}/docs/reference#${operationId}`,
      `${title}: ${method} ${path}`,
      summary,
      plain(`${operationId} ${description} ${parameters.map(({ name }) => name).join(' ')}`),
    ]),
  )
  return [...operations, ...guides]
}

/** An anchor for each code: it begins a row. */
function withCodeIds(html: string): string {
  const known = new Set<string>()
  return html.replaceAll(/<tr><td><code>(\w+)<\/code>/g, (row, code: string) => {
    if (known.has(code)) return row
    known.add(code)
    return row.replace('<tr>', `<tr id="${code}">`)
  })
}

function postman(publicUrl: string): string {
  const text = readFileSync(new URL('docs/postman.json', ROOT), 'utf8')
  return text.replaceAll('http://localhost:8080', publicUrl)
}
