// `/docs`: guides, reference and search as pages of our own, made from the Markdown and the OpenAPI document when they
// are first asked for, and what can be taken along: the client, the Postman collection and texts for language models.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { escapeHtml } from '../../deliver/markup/escape.ts'
import { send } from '../../http/answer.ts'
import type { Api } from '../../http/api.ts'
import { keepCompressed } from '../../http/compress.ts'
import { pathOf } from '../../kernel/address.ts'
import { notFound } from '../../kernel/errors/problem.ts'
import { GUIDES, type Guide, markdownOf, renderGuide } from './guides.ts'
import { type Frame, htmlPage } from './layout.ts'
import { type Links, plain } from './markdown.ts'
import { callLinks, type Document, type Group, groupsOf, referenceHtml, referenceMenu } from './reference.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
const HTML = 'text/html; charset=utf-8'
export const PAGE_HEADERS = { 'content-type': HTML, 'content-security-policy': POLICY }
const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const SUMMARY =
  'Marquee is a self-hosted advertising campaign service: its API creates customers, runs their campaigns, personas and banners, serves the ads itself, counts every event once and never overspends a budget.'

const DATA = new URL('./data/', import.meta.url)
const ROOT = new URL('../../../', import.meta.url)
/** Packed by the build, which is where it is if this runs from the sources, too. */
const CLIENT = new URL(import.meta.url.endsWith('.ts') ? 'dist/docs/client.tgz' : 'docs/client.tgz', ROOT)

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

/** Beside the documents in the build. The console's font is left out: the text is there at once. */
const TOKENS = new URL(import.meta.url.endsWith('.ts') ? 'web/shell/tokens.css' : 'docs/tokens.css', ROOT)
const STYLE = `${readFileSync(TOKENS, 'utf8').replace(/@font-face {[^}]*}/, '')}${readFileSync(new URL('docs.css', DATA), 'utf8')}`
const SCRIPT = readFileSync(new URL('docs.js', DATA), 'utf8')
const VERSION = createHash('sha1').update(STYLE).update(SCRIPT).digest('base64url').slice(0, 8)

export function docsRoutes({ fastify }: Pick<Api, 'fastify'>, parts: DocsParts): void {
  const frame = { base: pathOf(parts.publicUrl), version: VERSION }
  const makers = filesOf(parts, frame)
  const made = new Map<string, File>()
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0]!.replace(/(.)\/$/, '$1')
    const file = made.get(path) ?? makers.get(path)?.()
    if (file) made.set(path, file)
    else if (!request.headers.accept?.includes('text/html')) throw notFound('file')
    const { body, type, cache } = file ?? missing(frame, path)
    const headers = { 'content-type': type, 'cache-control': cache, 'content-security-policy': POLICY }
    return send(request, reply, {
      status: file ? 200 : 404,
      headers: file ? { ...headers, etag: '"docs"' } : headers,
      body,
    })
  }
  for (const path of ['/docs', '/docs/:file', '/docs/*', '/llms.txt', '/llms-full.txt'])
    fastify.get(path, { exposeHeadRoute: true }, answer)
}

/** `/`: what this is and where to go. */
export function welcomePage(publicUrl: string): string {
  const base = pathOf(publicUrl)
  const body = `<h1>Marquee</h1>
<p class="lead">${SUMMARY}</p>
<div class="cards">
${card(`${base}/console`, 'Console', 'Sign in: campaigns, figures and reports, for customers and for the staff of an app.')}
${card(`${base}/docs`, 'Documents', 'Getting started, guides, the reference of the API and a client.')}
${card(`${base}/healthz`, 'Health', 'The process is alive, and its version; <code>/readyz</code> says whether it can do its work.')}
</div>`
  return htmlPage({ base, version: VERSION }, { title: 'Marquee', body, path: '/', isBare: true })
}

/** By path, how each file is made. */
function filesOf({ publicUrl, document }: DocsParts, frame: Frame): Map<string, () => File> {
  const { base } = frame
  let read: { document: Document; groups: Group[]; links: Links } | null = null
  const api = () => {
    if (read === null) {
      const whole = document()
      const ofCall = callLinks(whole, base)
      const to = (href: string) => (/^\w+$/.test(href) ? `${base}/docs/${href}` : null)
      read = { document: whole, groups: groupsOf(whole), links: { to, ofCall } }
    }
    return read
  }
  const page = (path: string, title: string, parts: { body: string; menu?: string; toc?: [] }) =>
    file(htmlPage(frame, { ...parts, path, title: `${title} · Marquee` }), HTML)
  const files = new Map<string, () => File>([
    ['/docs', () => page('/docs', 'Documents', { body: overview(base, publicUrl, api().groups) })],
    [
      '/docs/reference',
      () => {
        const { document, groups, links } = api()
        const body = `${introduction(base, publicUrl)}${referenceHtml(document, groups, links)}`
        return page('/docs/reference', 'API reference', {
          body,
          menu: referenceMenu(groups),
        })
      },
    ],
    ['/docs/search.json', () => file(JSON.stringify(searched(base, api().groups, api().links)), JSON_TYPE)],
    ['/docs/docs.css', () => file(STYLE, 'text/css; charset=utf-8', FOREVER)],
    ['/docs/docs.js', () => file(SCRIPT, 'text/javascript; charset=utf-8', FOREVER)],
    ['/docs/postman.json', () => file(postman(publicUrl), JSON_TYPE)],
    ['/llms.txt', () => file(llms(publicUrl), PLAIN)],
    ['/llms-full.txt', () => file(GUIDES.map(guide => markdownOf(guide, publicUrl)).join('\n\n'), PLAIN)],
  ])
  for (const guide of GUIDES) {
    const path = `/docs/${guide.name}`
    files.set(path, () => {
      const { html, sections } = renderGuide(guide, base, api().links.ofCall)
      const body = guide.name === 'errors' ? withCodeIds(html) : html
      return file(htmlPage(frame, { title: `${guide.title} · Marquee`, body, path, toc: sections }), HTML)
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

function missing(frame: Frame, path: string): File {
  const { base } = frame
  const body = `<h1>This page does not exist</h1>
<p>There is nothing at <code>${escapeHtml(path)}</code>. Search above, or go to the <a href="${base}/docs">overview</a> or the <a href="${base}/docs/reference">API reference</a>.</p>`
  return {
    body: Buffer.from(htmlPage(frame, { title: 'Not found · Marquee', body, path: '' })),
    type: HTML,
    cache: 'no-store',
  }
}

function card(href: string, title: string, text: string): string {
  return `<a class="card" href="${href}"><b>${title}</b><span>${text}</span></a>`
}

function overview(base: string, publicUrl: string, groups: Group[]): string {
  const core = groups[0]!.operations.map(
    ({ operationId, method, path, summary }) =>
      `<a href="${base}/docs/reference#${operationId}"><span class="m ${method.toLowerCase()}">${method}</span><code>${escapeHtml(path)}</code><span>${escapeHtml(summary)}</span></a>`,
  )
  const guides = GUIDES.map(
    guide => `<li><a href="${base}/docs/${guide.name}">${guide.title}</a> ${escapeHtml(guide.about)}</li>`,
  )
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0)
  return `<h1>Marquee documents</h1>
<p class="lead">${SUMMARY}</p>
<div class="cards">
${card(`${base}/docs/introduction`, 'First session', 'From a customer to an ad that was clicked, in ten commands.')}
${card(`${base}/docs/reference`, 'API reference', `All ${count} operations on one page, with fields, errors and a command for each.`)}
${card(`${base}/docs/client`, 'The client', 'Typed, without dependencies, for Node and browsers.')}
</div>
<h2 id="start-here">Start here</h2>
<p>These ${groups[0]!.operations.length} operations are enough to run campaigns.</p>
<div class="list">${core.join('\n')}</div>
<h2 id="take-it-along">Take it along</h2>
<dl>
<dt>The typed client</dt><dd><pre tabindex="0"><code>npm install ${escapeHtml(publicUrl)}/docs/client.tgz</code></pre></dd>
<dt><a href="${base}/openapi.json">OpenAPI 3.1 document</a></dt><dd>The whole interface; <a href="${base}/openapi/core.json">core.json</a> has only the operations above.</dd>
<dt><a href="${base}/docs/postman.json">Postman collection</a></dt><dd>Import it, and fill in its variables <code>superkey</code> and <code>supertoken</code>.</dd>
<dt><a href="${base}/llms.txt">llms.txt</a></dt><dd>For language models: the guides as Markdown, and all in one file, <a href="${base}/llms-full.txt">llms-full.txt</a>.</dd>
</dl>
<h2 id="guides">Guides</h2>
<ul class="guides">${guides.join('\n')}</ul>`
}

function introduction(base: string, publicUrl: string): string {
  return `<h1>API reference</h1>
<p class="lead">JSON over HTTP at <code>${escapeHtml(publicUrl)}</code>. Ids are positive integers, times Unix seconds, amounts numbers with at most two decimals in the currency of the deployment.</p>
<ul>
<li>A pair is sent as <code>x-access-key</code> and <code>x-access-token</code>; the super pair of an app as <code>x-access-superkey</code> and <code>x-access-supertoken</code>; or either as user and password (Basic). <a href="${base}/docs/access">Who may do what</a></li>
<li>All errors are one <a href="#object-Error">object</a> with a <code>code</code>. <a href="${base}/docs/errors">Error codes</a></li>
<li>A POST takes an <code>idempotency-key</code>, so that it can be repeated safely. <a href="${base}/docs/limits">Limits</a></li>
<li>Use it with the <a href="${base}/docs/client">client</a>, the <a href="${base}/openapi.json">OpenAPI document</a> or <a href="${base}/docs/postman.json">Postman</a>.</li>
</ul>`
}

/** Each section and operation as the search finds it: address, page, heading, text. */
function searched(base: string, groups: Group[], links: Links): string[][] {
  const guides = GUIDES.flatMap(guide =>
    renderGuide(guide, base, links.ofCall).sections.map(({ id, title, depth, text }) => [
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

/** By the convention of llmstxt.org: a summary, then links with a line each. */
function llms(publicUrl: string): string {
  const line = (guide: Guide) => `- [${guide.title}](${publicUrl}/docs/${guide.name}.md): ${guide.about}`
  const isFor = (wanted: boolean) => GUIDES.filter(({ group }) => (group === 'Operate') === wanted).map(line)
  return `# Marquee

> ${SUMMARY}

All guides in one file: ${publicUrl}/llms-full.txt

## Interface

- [OpenAPI, the interface alone](${publicUrl}/openapi/core.json): the operations to start with.
- [OpenAPI, everything](${publicUrl}/openapi.json): every operation with its fields, errors and examples.
- [Typed client](${publicUrl}/docs/client.tgz): \`npm install ${publicUrl}/docs/client.tgz\`.

## Guides

${isFor(false).join('\n')}

## Optional

${isFor(true).join('\n')}
`
}
