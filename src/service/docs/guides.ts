// The guides: Markdown files of the repository as pages below `/docs`, each with its text at `.md`.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { createRenderer, type Links, type Rendered } from './markdown.ts'

export interface Guide {
  name: string
  title: string
  about: string
  /** Its place in the repository, and in the build. */
  file: string
  group: string
}

/** By group. The name of a page is that of its file in `docs/`. */
const GROUPS: Record<string, [name: string, title: string, about: string][]> = {
  'First steps': [
    [
      'introduction',
      'First session',
      'Start the service, run a campaign and see an ad counted, in ten commands.',
    ],
    [
      'getting-started',
      'Getting started',
      'A campaign in one call, keys, and what to do before it goes live.',
    ],
    [
      'client',
      'The client',
      'The typed client for Node and browsers: install it, page, retry, upload, check webhooks.',
    ],
  ],
  Integrate: [
    ['targeting', 'Targeting', 'What your app knows: declare it, say it in requests, target it.'],
    ['publishers', 'Publishers', 'Ads on your pages: the snippet, consent, sizes, Prebid.js.'],
    ['exchanges', 'Exchanges', 'OpenRTB 2.5 and 2.6: what is read, what is answered, why there is no bid.'],
    ['conversions', 'Conversions', 'Count purchases and registrations by pixel or by server.'],
    ['webhooks', 'Webhooks', 'Be called when something happens: events, signatures, retries.'],
    ['sync', 'Nightly sync', 'Keep two systems alike by the ids of your own.'],
    ['sso', 'Sign-in button', 'Lead your users into the console without another password.'],
    ['agents', 'AI agents', 'Tools for assistants by MCP: connect one, what it can do, and what it cannot.'],
    ['export', 'Raw events', 'Every counted event as Parquet, hour by hour.'],
    ['testing', 'Testing', 'Dry runs, and a sandbox whose clock you move.'],
  ],
  Rules: [
    ['access', 'Who may do what', 'Pairs, scopes, members, staff, ceilings, proposals and undo.'],
    ['billing', 'Billing', 'Invoices from the report, and balances that are paid in advance.'],
    ['budgets', 'Budgets', 'How budgets are never overspent, by one process or many.'],
    ['limits', 'Limits', 'Calls per second, quotas, sizes and what happens beyond them.'],
    ['errors', 'Error codes', 'Every code with its cause, its values and a remedy.'],
    ['versioning', 'Versioning', 'What will not change, and how a change is announced.'],
    [
      'banners',
      'Banners and landing pages',
      'Which banner is shown, what is added to clicks, and the check of landing pages.',
    ],
    ['creative-guidelines', 'Images', 'What an image must be to run as a banner, and how it is reviewed.'],
    ['deletion', 'Deleting and erasing', 'What can be restored, and what is gone for good.'],
    ['privacy', 'Privacy', 'What is known about people, and for how long.'],
    ['words', 'Words', 'One word for one thing: the vocabulary.'],
  ],
  Operate: [
    ['operating', 'Operating', 'Settings, several processes, backup, upgrades and commands.'],
    ['postgresql', 'PostgreSQL', 'A database of your own: settings, size, statistics.'],
    ['metrics', 'Metrics', 'What each process measures, for Prometheus.'],
    ['runbook', 'Runbook', 'What you see, what stays safe and what to do, for each alert.'],
    ['abuse', 'Abuse', 'What is protected against whom, by which limits.'],
    ['counting', 'Counting', 'The journey of one event through the database.'],
    ['benchmarks', 'Benchmarks', 'What an ad costs, how it is measured, and what others publish.'],
  ],
}
const ELSEWHERE: Record<string, string> = { introduction: 'README.md', client: 'sdk/README.md' }

export const GUIDES: Guide[] = Object.entries(GROUPS).flatMap(([group, guides]) =>
  guides.map(([name, title, about]) => {
    const file = ELSEWHERE[name] ?? `docs/${name}.md`
    return { name, title, about, group, file }
  }),
)
/** Files of the repository that are served as they are. */
const SERVED: Record<string, string> = { 'docs/postman.json': '/docs/postman.json' }
const ROOT = new URL('../../../', import.meta.url)

export function textOf({ file }: Guide): string {
  return readFileSync(new URL(file, ROOT), 'utf8')
}

export function renderGuide(guide: Guide, base: string, ofCall: Links['ofCall']): Rendered {
  return createRenderer({ to: href => servedAt(href, guide, base, ''), ofCall }).page(textOf(guide))
}

/** The Markdown with links that lead to what is served; other links are their text. */
export function markdownOf(guide: Guide, publicUrl: string): string {
  return textOf(guide).replaceAll(
    /(!?)\[([^[\]]*)\]\(([^()\s]+)\)/g,
    (_, image: string, text: string, href: string) => {
      const to = image ? null : servedAt(href, guide, publicUrl, '.md')
      return to === null ? text : `[${text}](${to})`
    },
  )
}

/** Where the target of a link in a guide is served; null if it is not. */
function servedAt(href: string, from: Guide, base: string, extension: string): string | null {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const file = join(dirname(from.file), path)
  const guide = GUIDES.find(one => one.file === file)
  const to = guide ? `/docs/${guide.name}${extension}` : SERVED[file]
  return to === undefined ? null : `${base}${to}${anchor === undefined ? '' : `#${anchor}`}`
}
