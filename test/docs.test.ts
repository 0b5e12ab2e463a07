// What the documents say is true: settings and links exist, and no document names a machine.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { contracts } from '../sdk/endpoints.ts'
import type { EndpointSpec } from '../src/http/endpoint.ts'
import { appCellOf, cellOf } from '../src/http/scope.ts'
import { FIELD_ERRORS } from '../src/kernel/errors/field-error.ts'
import { PROBLEMS } from '../src/kernel/errors/problem.ts'
import { STATUS_OF } from '../src/kernel/errors/problem-code.ts'
import { placesIn } from '../src/kernel/errors/sentence.ts'
import { APP_RIGHTS, SCOPES } from '../src/kernel/permissions.ts'
import { SETTINGS } from '../src/platform/config.ts'
import { COLUMNS } from '../src/report/export/columns.ts'
import { GUIDES } from '../src/service/docs/guides.ts'

const ROOT = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
const documents = tracked.filter(path => path.endsWith('.md') && existsSync(join(ROOT, path)))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

it('docs/operating.md lists every setting as the program knows it', () => {
  const text = read('docs/operating.md')
  for (const [name, setting] of Object.entries(SETTINGS)) {
    expect(text).toContain(
      `| \`${name}\`${setting.isSecret ? ` or \`${name}_FILE\`` : ''} | ${setting.shown ? `\`${setting.shown}\`` : ''} | ${setting.about} |`,
    )
  }
  const listed = [...text.matchAll(/^\| `([A-Z0-9_]+)`(?: or `\1_FILE`)? \|/gm)].map(match => match[1]!)
  expect(listed).toEqual(Object.keys(SETTINGS))
})

it('docs/errors.md explains every code, with its status, a cause and a remedy', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d{3}) \| (\S.*?) \| (\S.*?) \|$/gm)]
  expect(rows.map(([, code, status]) => [code, Number(status)])).toEqual(Object.entries(STATUS_OF))
})

/** Values in braces without what they are, and the values with it. */
function sentenceCells(sentence: string): string {
  const text = sentence
    .replaceAll(/\{(\w+):\w+\}/g, '{$1}')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
  const params = [...new Map(placesIn(sentence))].map(([name, kind]) => `\`${name}\` ${kind}`)
  return `${params.join(', ')} | ${text}`
}

it('docs/errors.md lists every cause and every field code with its params; -u renews the tables', async () => {
  const causes = Object.entries(PROBLEMS).map(
    ([reason, [code, sentence]]) => `| \`${reason}\` | \`${code}\` | ${sentenceCells(sentence)} |`,
  )
  const fields = Object.entries(FIELD_ERRORS).map(
    ([code, sentence]) => `| \`${code}\` | ${sentenceCells(sentence)} |`,
  )
  const text = renewed(renewed(read('docs/errors.md'), 'Causes', causes), 'Field codes', fields)
  await expect(text).toMatchFileSnapshot(join(ROOT, 'docs/errors.md'))
})

it('docs/access.md says of every endpoint which scope and which staff may call it; -u renews the tables', async () => {
  const all = contracts.flatMap(contract => Object.values(contract) as Partial<EndpointSpec>[])
  const guarded = all.filter(({ id, access }) => id && access && access !== 'public') as EndpointSpec[]
  const ofCustomers = guarded.filter(({ access }) => access === 'customer')
  expect(ofCustomers.length).toBeGreaterThan(50)
  const changes = guarded.filter(endpoint => appCellOf(endpoint, 'read') === 'no')
  const row = ({ method, path }: EndpointSpec, cells: string[]) =>
    `| \`${method} ${path}\` | ${cells.join(' | ')} |`
  const scopes = ofCustomers.map(endpoint =>
    row(
      endpoint,
      SCOPES.map(scope => SHOWN_CELL[cellOf(endpoint, scope)]),
    ),
  )
  const staff = changes.map(endpoint =>
    row(
      endpoint,
      APP_RIGHTS.map(right => SHOWN_CELL[appCellOf(endpoint, right)]),
    ),
  )
  const text = renewed(
    renewed(read('docs/access.md'), 'Endpoints and scopes', scopes),
    'Endpoints and staff',
    staff,
  )
  await expect(text).toMatchFileSnapshot(join(ROOT, 'docs/access.md'))
})

/** The text with these rows in the table under a heading. Both tables of a page are renewed in one test. */
function renewed(text: string, heading: string, rows: string[]): string {
  const [before, after] = text.split(`## ${heading}\n`) as [string, string]
  const table = after.replace(/(\|(?:---\|)+\n)(?:\|.*\n)*/, (_, line) => `${line}${rows.join('\n')}\n`)
  return `${before}## ${heading}\n${table}`
}

const SHOWN_CELL = { yes: 'yes', proposed: 'what costs more is proposed', no: '' }

it('docs/exchanges.md explains every reason for no bid', () => {
  const listed = [...read('docs/exchanges.md').matchAll(/`([a-z_]+)`/g)].map(match => match[1]!)
  const source = read('src/deliver/reasons.ts').split('const RANK')[0]!
  const reasons = new Set([...source.matchAll(/'([a-z_]+)'/g)].map(match => match[1]!))
  expect([...reasons].filter(reason => !listed.includes(reason))).toEqual([])
})

it('docs/export.md describes the columns of the files, in their order', () => {
  const table = read('docs/export.md').split('## Columns')[1]!.split('## ')[0]!
  const described = [...table.matchAll(/^\| (`[^|]*`) \| ([^|]*) \|/gm)].flatMap(([, names, type]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [name, / null/.test(type!)]),
  )
  expect(described).toEqual(COLUMNS.map(({ name, nullable }) => [name, nullable]))
})

it.each(documents)('%s links only to what exists', path => {
  const links = [...read(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(match => match[1]!)
  const missing = links.filter(link => !existsSync(join(ROOT, dirname(path), link)))
  expect(missing).toEqual([])
})

it('the changelog names what breaks first, in every release that breaks something', () => {
  const releases = read('CHANGELOG.md').split(/^## /m).slice(1)
  const named = releases.filter(text => text.includes('### Breaking') && !text.startsWith('Unreleased'))
  expect(named.map(text => text.split(/\s/, 1)[0])).toContain('0.2.0')
  for (const text of named) expect(text.split('\n').find(line => /^(-|###) /.test(line))).toBe('### Breaking')
  expect(releases.find(text => text.startsWith('0.2.0'))).toMatch(
    /### Breaking[^#]*`ip`[^#]*400[^#]*### Other/,
  )
  expect(read('docs/versioning.md')).toMatch(/while it is 0\.x[\s\S]*may break something/)
})

it('README and /docs lead to every guide', () => {
  const guides = [
    'getting-started',
    'publishers',
    'exchanges',
    'conversions',
    'webhooks',
    'sync',
    'sso',
    'billing',
    'access',
  ]
  for (const name of [
    ...guides,
    'deletion',
    'testing',
    'limits',
    'errors',
    'versioning',
    'export',
    'privacy',
  ]) {
    expect(read('README.md')).toContain(`(docs/${name}.md)`)
    expect(GUIDES.map(guide => guide.name)).toContain(name)
  }
})

it('README shows the two commands first', () => {
  const text = read('README.md')
  const [server, test] = [text.indexOf('./script/server'), text.indexOf('./script/test')]
  expect(server).toBeGreaterThan(0)
  expect(server).toBeLessThan(test)
  expect(test).toBeLessThan(2000)
})

it('the index of decisions has each of them once, under its own title', () => {
  const folder = 'docs/decisions'
  const listed = [...read(`${folder}/README.md`).matchAll(/^\| (\d+) \| \[([^\]]+)\]\(([^)]+)\) \|/gm)].map(
    ([, number, title, file]) => [file, `# ${title}`, Number(number)],
  )
  const there = documents
    .filter(path => /^docs\/decisions\/\d{4}-/.test(path))
    .map(path => path.slice(folder.length + 1))
    .map(file => [file, read(`${folder}/${file}`).split('\n')[0], Number(file.slice(0, 4))])
  expect(listed.toSorted()).toEqual(there.toSorted())
  expect(there.length).toBeGreaterThan(100)
})

it('ARCHITECTURE.md answers “where is …?” with files and names that exist', () => {
  const section = read('ARCHITECTURE.md').split('## Where is …?')[1]!.split('\n## ')[0]!
  const answers = [...section.matchAll(/`([\w/-]+\.ts)`: (`\w+`(?:, `\w+`)*)/g)].flatMap(([, file, names]) =>
    [...names!.matchAll(/\w+/g)].map(([name]) => [file!, name] as const),
  )
  expect(answers.length).toBeGreaterThan(40)
  const declares = (file: string, name: string) =>
    new RegExp(`\\b(?:function|const|class|interface|type) ${name}\\b`).test(read(`src/${file}`))
  expect(
    answers.filter(([file, name]) => !existsSync(join(ROOT, 'src', file)) || !declares(file, name)),
  ).toEqual([])
  const questions = section.split('\n').filter(line => /^\| .*\? \|/.test(line))
  expect(questions.filter(line => !/`[\w/-]+\.ts`: `\w+`/.test(line))).toEqual([])
})
