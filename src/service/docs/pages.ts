// The pages of the documents that are no guide and no operation: where to go, and what is there.

import { escapeHtml } from '../../deliver/markup/escape.ts'
import { GUIDES, type Guide } from './guides.ts'
import { type Frame, htmlPage } from './layout.ts'
import type { Group } from './reference.ts'

const SUMMARY =
  'Marquee is a self-hosted advertising campaign service: its API creates customers, runs their campaigns, personas and banners, serves the ads itself, counts every event once and never overspends a budget.'

/** `/`: what this is and where to go. */
export function welcome(frame: Frame): string {
  const { base } = frame
  const body = `<h1>Marquee</h1>
<p class="lead">${SUMMARY}</p>
<div class="cards">
${card(`${base}/console`, 'Console', 'Sign in: campaigns, figures and reports, for customers and for the staff of an app.')}
${card(`${base}/docs`, 'Documents', 'Getting started, guides, the reference of the API and a client.')}
${card(`${base}/healthz`, 'Health', 'The process is alive, and its version; <code>/readyz</code> says whether it can do its work.')}
</div>`
  return htmlPage(frame, { title: 'Welcome', body, path: '/', isBare: true })
}

export function missingPage(frame: Frame, path: string): string {
  const { base } = frame
  const body = `<h1>This page does not exist</h1>
<p>There is nothing at <code>${escapeHtml(path)}</code>. Search above, or go to the <a href="${base}/docs">overview</a> or the <a href="${base}/docs/reference">API reference</a>.</p>`
  return htmlPage(frame, { title: 'Not found', body, path: '' })
}

function card(href: string, title: string, text: string): string {
  return `<a class="card" href="${href}"><b>${title}</b><span>${text}</span></a>`
}

export function overview(base: string, publicUrl: string, groups: Group[]): string {
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

export function introduction(base: string, publicUrl: string): string {
  return `<h1>API reference</h1>
<p class="lead">JSON over HTTP at <code>${escapeHtml(publicUrl)}</code>. Ids are positive integers, times Unix seconds, amounts numbers with at most two decimals in the currency of the deployment.</p>
<ul>
<li>A pair is sent as <code>x-access-key</code> and <code>x-access-token</code>; the super pair of an app as <code>x-access-superkey</code> and <code>x-access-supertoken</code>; or either as user and password (Basic). <a href="${base}/docs/access">Who may do what</a></li>
<li>All errors are one <a href="#object-Error">object</a> with a <code>code</code>. <a href="${base}/docs/errors">Error codes</a></li>
<li>A POST takes an <code>idempotency-key</code>, so that it can be repeated safely. <a href="${base}/docs/limits">Limits</a></li>
<li>Use it with the <a href="${base}/docs/client">client</a>, the <a href="${base}/openapi.json">OpenAPI document</a> or <a href="${base}/docs/postman.json">Postman</a>.</li>
</ul>`
}

/** By the convention of llmstxt.org: a summary, then links with a line each. */
export function llms(publicUrl: string): string {
  const line = (guide: Guide) => `- [${guide.title}](${publicUrl}/docs/${guide.name}.md): ${guide.about}`
  const isFor = (wanted: boolean) => GUIDES.filter(({ group }) => (group === 'Operate') === wanted).map(line)
  return `# Marquee

> ${SUMMARY}

All guides in one file: ${publicUrl}/llms-full.txt

## Interface

- [OpenAPI, the interface alone](${publicUrl}/openapi/core.json): the operations to start with.
- [OpenAPI, everything](${publicUrl}/openapi.json): every operation with its fields, errors and examples.
- [Typed client](${publicUrl}/docs/client.tgz): \`npm install ${publicUrl}/docs/client.tgz\`.

## Agents

- [Model Context Protocol](${publicUrl}/docs/agents.md): tools at \`${publicUrl}/mcp\`, unless the operator has switched them off.
- Each guide is Markdown at its address with \`.md\`, or with \`accept: text/markdown\`.

## Guides

${isFor(false).join('\n')}

## Optional

${isFor(true).join('\n')}
`
}
