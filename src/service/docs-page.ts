// `/docs`: the interactive reference (Swagger UI), served from our own files. It works without internet access, under a
// policy that allows no inline script. Above it are links to the guides, which are served as text.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { pathOf } from '../kernel/address.ts'
import { notFound } from '../kernel/errors/problem.ts'

const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

/** Pages of docs/, by their file names. */
const GUIDES = {
  'getting-started': 'Getting started',
  publishers: 'Publishers',
  exchanges: 'Exchanges',
  conversions: 'Conversions',
  webhooks: 'Webhooks',
  sync: 'Nightly sync',
  sso: 'Sign-in button',
  billing: 'Billing',
  deletion: 'Deleting and erasing',
  testing: 'Testing',
  export: 'Raw events',
  limits: 'Limits',
  access: 'Who may do what',
  errors: 'Error codes',
  versioning: 'Versioning',
  'creative-guidelines': 'Images',
  privacy: 'Privacy',
}
const GUIDE_FOLDER = new URL('../../docs/', import.meta.url)

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

/**
 * Calls go to the origin of the page, whatever the public URL is. Tokens that were typed in vanish with the page, and
 * tokens stored by earlier versions are deleted. The document is JSON and refers only to itself, so it is parsed and
 * resolved here: Swagger UI reads it as YAML and follows references anywhere, which takes ten times as long to open the
 * page and each operation in it.
 */
const START = `function resolved(spec, node, within = []) {
  if (node === null || typeof node !== 'object') return node
  if (Array.isArray(node)) return node.map(one => resolved(spec, one, within))
  const { $ref, ...rest } = node
  if (typeof $ref !== 'string')
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(spec, value, within)]))
  if (within.includes($ref)) return node
  const keys = $ref.slice(2).split('/').map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const target = keys.reduce((at, key) => at[key], spec)
  return { ...resolved(spec, target, [...within, $ref]), ...rest, $$ref: $ref }
}

const quickly = () => ({
  fn: {
    resolveSubtree: async (spec, path) =>
      ({ spec: resolved(spec, path.reduce((at, key) => at?.[key], spec)), errors: [] })
  },
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson: (_, { specActions }) => text => specActions.updateJsonSpec(JSON.parse(text))
      }
    }
  }
})

addEventListener('load', async () => {
  localStorage.removeItem('authorized')
  const root = document.querySelector('#reference')
  const spec = await (await fetch(root.dataset.base + '/openapi.json')).json()
  spec.servers = [{ url: location.origin + root.dataset.base }]
  SwaggerUIBundle({
    spec, domNode: root, deepLinking: true, tryItOutEnabled: true, validatorUrl: null, plugins: [quickly],
    docExpansion: 'list', defaultModelsExpandDepth: -1, persistAuthorization: false
  })
})
`

export function docsPage(fastify: FastifyInstance, publicUrl: string): void {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const files = new Map<string, { body: Buffer | string; type: string }>()
  for (const [name, type] of Object.entries(ASSETS))
    files.set(name, { body: readFileSync(join(folder, name)), type })
  files.set('start.js', { body: START, type: 'text/javascript; charset=utf-8' })
  for (const name of Object.keys(GUIDES))
    files.set(`${name}.md`, {
      body: readFileSync(new URL(`${name}.md`, GUIDE_FOLDER)),
      type: 'text/plain; charset=utf-8',
    })
  const base = pathOf(publicUrl)

  fastify.get('/docs', async (_request, reply) => page(reply, 'text/html; charset=utf-8').send(html(base)))
  fastify.get<{ Params: { file: string } }>('/docs/:file', async (request, reply) => {
    const file = files.get(request.params.file)
    if (!file) throw notFound('file')
    return page(reply, file.type).header('cache-control', 'public, max-age=3600').send(file.body)
  })
}

function page(reply: FastifyReply, type: string): FastifyReply {
  return reply.type(type).header('content-security-policy', POLICY)
}

function html(base: string): string {
  const guides = Object.entries(GUIDES).map(
    ([name, title]) => `<a href="${base}/docs/${name}.md">${title}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Marquee: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/docs/swagger-ui.css">
<script src="${base}/docs/swagger-ui-bundle.js"></script>
<script src="${base}/docs/start.js"></script>
</head>
<body>
<nav aria-label="Guides" style="max-width:1460px;margin:1em auto 0;padding:0 20px;font-family:sans-serif">
Guides: ${guides.join(' · ')}
</nav>
<main id="reference" data-base="${base}"></main></body>
</html>
`
}
