// The reference: one page with every operation, made from the OpenAPI document, so that a browser finds any of them.
// The interface's own operations stand first; the console's calls are left out.

import { escapeHtml } from '../../deliver/markup/escape.ts'
import { CORE } from './core.ts'
import { anchorTo, codeBlock, type Links, type Renderer } from './markdown.ts'
import { createSchemas, type Schema, type Schemas } from './schemas.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description: string
  schema: Schema
}
type Content = Record<string, { schema?: Schema; example?: unknown }>
export interface Operation {
  method: string
  path: string
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
export interface Document {
  tags: { name: string; description: string }[]
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

export interface Group {
  id: string
  title: string
  about: string
  operations: Operation[]
}

const OF_CONSOLE = 'Console'

/** The operations as they are shown: those of the interface first. */
export function groupsOf({ paths, tags }: Document): Group[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
  const core = CORE.map(id => all.find(({ operationId }) => operationId === id)!)
  const first = {
    id: 'start-here',
    title: 'Start here',
    about: `The interface: these ${CORE.length} operations are enough to run campaigns. All others add to them.`,
    operations: core,
  }
  const others = tags
    .filter(({ name }) => name !== OF_CONSOLE)
    .map(({ name, description }) => ({
      id: name.toLowerCase(),
      title: name,
      about: description,
      operations: all.filter(one => one.tags[0] === name && !core.includes(one)),
    }))
  return [first, ...others.filter(({ operations }) => operations.length > 0)]
}

/** Finds the description of a call by its method and path, with or without a query. */
export function callLinks({ paths }: Document, base: string): Links['ofCall'] {
  const ids = new Map<string, string>()
  const known = (method: string, path: string) => `${method} ${path.replaceAll(/:\w+|\{\w+\}/g, ':')}`
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, tags }] of Object.entries(methods))
      if (tags[0] !== OF_CONSOLE) ids.set(known(method.toUpperCase(), path), operationId)
  return call => {
    const [, method, path] = /^(GET|POST|PUT|DELETE) (\/[^\s?]*)/.exec(call) ?? []
    const id = path === undefined ? undefined : ids.get(known(method!, path))
    return id === undefined ? null : `${base}/docs/reference#${id}`
  }
}

/** What an operation is described with. */
interface Means {
  schemas: Schemas
  inline: Renderer['inline']
  /** The path of the public URL. */
  base: string
  url: string
}

export function referenceHtml(
  document: Document,
  groups: Group[],
  { inline, base }: Pick<Means, 'inline' | 'base'>,
): string {
  const schemas = createSchemas(document, inline)
  const means = { schemas, inline, base, url: document.servers[0]!.url }
  const shown = groups.map(
    ({ id, title, about, operations }) =>
      `<h2 id="${id}">${title}${anchorTo(id)}</h2>
<p>${inline(about)}</p>
${operations.map(operation => operationHtml(operation, means)).join('\n')}`,
  )
  const events = Object.entries(document.webhooks).map(([type, { post }]) => {
    const schema = post.requestBody!.content['application/json']!.schema!
    return `<section class="op" id="event-${type}"><div><h3><a href="#event-${type}">${escapeHtml(post.summary)}</a></h3>
<p class="call"><span class="m">EVENT</span> <code>${type}</code></p>${schemas.fields(schema)}</div></section>`
  })
  const objects = schemas
    .objects()
    .map(
      ([name, html]) =>
        `<section class="op" id="object-${name}"><div><h3><a href="#object-${name}">${name}</a></h3>${html}</div></section>`,
    )
  return `${shown.join('\n')}
<h2 id="events">Events</h2>
<p>What <a href="#createWebhook">webhooks</a> receive.</p>
${events.join('\n')}
<h2 id="objects">Objects</h2>
<p>What several operations take or answer.</p>
${objects.join('\n')}`
}

/** The menu of the reference: each operation below its group. */
export function referenceMenu(groups: Group[]): string {
  const link = ({ operationId, method, summary }: Operation) =>
    `<a href="#${operationId}"><span class="m ${method.toLowerCase()}">${method}</span>${escapeHtml(summary)}</a>`
  return groups
    .map(
      ({ id, title, operations }, at) =>
        `<details${at === 0 ? ' open' : ''}><summary>${title}</summary><a href="#${id}">All of it</a>${operations.map(link).join('')}</details>`,
    )
    .join('\n')
}

function operationHtml(operation: Operation, means: Means): string {
  const { operationId: id, method, path, summary, description, parameters } = operation
  const { schemas, inline, url } = means
  const { 201: created, ...responses } = operation.responses
  const [status, answer] = created
    ? [201, created]
    : Object.entries(responses).find(([code]) => /^[23]/.test(code) && code !== '202')!
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  const content = Object.values(answer.content ?? {})[0]
  const fields = parameters.map(({ name, in: where, required = false, description, schema }) =>
    schemas.row(name, `${schemas.type(schema)} · ${where}`, required, description),
  )
  const example =
    content?.example === undefined ? '' : codeBlock(JSON.stringify(content.example, null, 2), 'json')
  return `<section class="op" id="${id}"><div>
<h3><a href="#${id}">${escapeHtml(summary)}</a></h3>
<p class="call"><span class="m ${method.toLowerCase()}">${method}</span> <code>${pathHtml(path)}</code></p>
<p class="by">${callers(operation)} · <code>${id}</code></p>
${description ? `<p>${inline(description)}</p>` : ''}
${fields.length > 0 ? `<h4>Parameters</h4><dl>${fields.join('')}</dl>` : ''}
${body ? `<h4>Body</h4>${schemas.fields(body, true)}` : ''}
${content?.schema ? `<h4>Answer</h4>${schemas.fields(content.schema)}` : ''}
${answersHtml(operation, means)}
</div><div class="show">
${codeBlock(curlOf(operation, url), 'curl')}${example === '' ? '' : `<p class="status">${status}</p>${example}`}
</div></section>`
}

function pathHtml(path: string): string {
  return escapeHtml(path).replaceAll(/\{\w+\}/g, '<var>$&</var>')
}

function callers({ security }: Operation): string {
  if (security.length === 0) return 'Open to everybody'
  return security.some(one => 'key' in one) ? 'Customer pair or super pair' : 'Super pair'
}

/** Every status that the call may answer, with the codes of errors. */
function answersHtml({ responses }: Operation, { inline, base }: Means): string {
  const linked = (code: string, name: string) => `<a href="${base}/docs/errors#${name}">${code}</a>`
  const rows = Object.entries(responses).map(([status, { description }]) => {
    const html = inline(description)
    const isError = status >= '400'
    return `<dt>${status}</dt><dd>${isError ? html.replaceAll(/<code>(\w+)<\/code>/g, linked) : html}</dd>`
  })
  return `<details class="answers"><summary>Statuses and error codes</summary><dl class="codes">${rows.join('')}</dl></details>`
}

const EXAMPLES: Record<string, string> = {
  cuid: '1001',
  cid: '1002',
  fid: '1003',
  pid: '1004',
  bid: '1005',
  id: '1002',
  email: 'ann@bluebikes.example',
  identifier: '1001',
  dimension: 'domain',
  externalId: 'crm-4711',
}

/** The call as a command that runs once the variables of the pair are set. */
function curlOf({ method, path, parameters, security, requestBody }: Operation, url: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => EXAMPLES[name] ?? '1')
  const query = parameters
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name, schema }) => `${name}=${EXAMPLES[name] ?? schema.examples?.[0] ?? schema.enum?.[0] ?? '1'}`)
  const address = `${url}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const level = security.length === 0 ? null : security.some(one => 'key' in one) ? '' : 'super'
  const pair =
    level === null
      ? []
      : ['key', 'token'].map(half => `-H "x-access-${level}${half}: $${(level + half).toUpperCase()}"`)
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const isFile = type !== undefined && type !== 'application/json'
  const example = content?.example === undefined ? '{}' : JSON.stringify(content.example, null, 2)
  const body = isFile
    ? ['-F file=@banner.png']
    : type === undefined
      ? []
      : [`--json '${example.replaceAll("'", "'\\''")}'`]
  const isPlain = method === 'GET' || (method === 'POST' && body.length > 0)
  return [`curl${isPlain ? '' : ` -X ${method}`} '${address}'`, ...pair, ...body].join(' \\\n  ')
}
