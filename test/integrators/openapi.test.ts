// What integrators run on the OpenAPI document: two generators of clients, two linters, and Postman. What they make of it
// compiles and calls the real service.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'

const ROOT = join(import.meta.dirname, '../..')
const TOOLS = join(import.meta.dirname, 'node_modules')
const tool = createRequire(import.meta.url)
const QUIET = { NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

let folder: string
let service: TestService
let baseUrl: string
let text: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-integrators-'))
  service = await startTestService()
  baseUrl = await service.listen()
  text = (await service.call('GET', '/openapi.json')).text
  await writeFile(join(folder, 'openapi.json'), text)
})
afterAll(async () => {
  await service?.close()
  if (folder) await rm(folder, { recursive: true })
})

/** Its output; a failure has it in its message. */
async function run(...[command, ...args]: [string, ...string[]]): Promise<string> {
  const options = { cwd: folder, maxBuffer: 2 ** 24, env: { ...process.env, ...QUIET } }
  const { stdout, stderr } = await promisify(execFile)(command, args, options).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${command} ${args.join(' ')}\n${error.stdout}${error.stderr}`)
    },
  )
  return stdout + stderr
}
const node = (...args: string[]) => run(process.execPath, ...args)

function compile(...files: string[]) {
  const strict = '--strict --noEmit --ignoreConfig --target ES2022 --lib ES2022,DOM,DOM.Iterable'
  const options = `${strict} --module ESNext --moduleResolution bundler --types`.split(' ')
  return node(join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, '', ...files)
}

it('openapi-typescript generates types that compile, and that know ids, fields and codes', async () => {
  const said = await node(join(TOOLS, 'openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'schema.ts')
  expect(said).not.toMatch(/warn|error/i)
  await writeFile(
    join(folder, 'types.ts'),
    `import type { components, operations, paths } from './schema'
    type Campaign = components['schemas']['Campaign']
    export const right: paths['/campaign/{cid}']['get']['parameters']['path'] = { cid: 1 }
    export const order: operations['createCampaign']['requestBody']['content']['application/json'] =
      { name: 'A', start: 1, end: 2, dailySpend: 20.5, frequency: 3 }
    export const shown = ({ cid, freq, frequency, dailySpend }: Campaign): number => cid + freq + frequency + dailySpend
    export const code: components['schemas']['Error']['code'] = 'credentials_revoked'
    type Contents<C> = C[keyof C]
    type AnswerOf<O extends keyof operations> =
      operations[O]['responses'] extends { 200: { content: infer C } } ? Contents<C> : never
    export const imps = (figures: AnswerOf<'readSummary'>, days: AnswerOf<'readTimeseries'>): number =>
      figures.imps + days.timeseries.length
    export const events = (list: AnswerOf<'listEvents'>, today: AnswerOf<'readLive'>) => [list[0]?.cid, today.campaigns]
    export const paid = (report: AnswerOf<'readStatement'>): number => report.entries.length
    // @ts-expect-error an id is a number
    export const wrong: paths['/campaign/{cid}']['get']['parameters']['path'] = { cid: 'a' }
    // @ts-expect-error no such status
    export const status: Campaign['status'] = 'running late'
    // @ts-expect-error no such code
    export const noCode: components['schemas']['Error']['code'] = 'not_there'\n`,
  )
  await compile('types.ts')
})

it('@hey-api/openapi-ts generates a client that compiles, orders a campaign and uploads its image', async () => {
  const cli = join(TOOLS, '@hey-api/openapi-ts/bin/index.cjs')
  const said = await node(cli, '-i', 'openapi.json', '-o', 'made', '-c', '@hey-api/client-fetch')
  expect(said).not.toMatch(/warn|error|missing/i)
  await writeFile(
    join(folder, 'journey.ts'),
    `import { client } from './made/client.gen'
    import { createCampaign, createCustomer, listCampaigns, readSummary, uploadCreative } from './made/sdk.gen'
    export async function journey(baseUrl: string, pair: Record<string, string>, image: Blob) {
      client.setConfig({ baseUrl, auth: ({ name }) => pair[name ?? ''], throwOnError: true })
      const { data: made } = await createCustomer({ body: { company: 'A', email: 'a@made.example' }, throwOnError: true })
      if ('dryRun' in made) throw new Error('this was no trial')
      const query = { cuid: made.cuid }
      const start = Math.floor(Date.now() / 1000)
      const body = { name: 'A', start, end: start + 86400, dailySpend: 20 }
      await createCampaign({ body, query, throwOnError: true })
      const { data: listed } = await listCampaigns({ query, throwOnError: true })
      const { data: upload } = await uploadCreative({ body: { file: image }, query, throwOnError: true })
      const { data: figures } = await readSummary({ query, path: { id: made.cuid }, throwOnError: true })
      const refused = await createCampaign({ body: { ...body, dailySpend: 1.234 }, query, throwOnError: false })
      return [listed.map(({ name }) => name), upload.width, figures.imps, refused.error?.code]
    }
    // @ts-expect-error an id is a number
    export const wrong = () => listCampaigns({ query: { cuid: '1' } })\n`,
  )
  await compile('journey.ts')
  const outfile = join(folder, 'journey.mjs')
  await build({ entryPoints: [join(folder, 'journey.ts')], outfile, bundle: true, format: 'esm' })
  const { journey } = await import(outfile)
  const image = new Blob([await readFile(join(ROOT, 'docs/example-banner.png'))], { type: 'image/png' })
  const pair = { 'x-access-superkey': service.app.key, 'x-access-supertoken': service.app.token }
  expect(await journey(baseUrl, pair, image)).toEqual([['A'], 300, 0, 'invalid_input'])
})

it('Spectral finds nothing to complain about', async () => {
  const { Spectral } = tool('@stoplight/spectral-core')
  const { oas } = tool('@stoplight/spectral-rulesets')
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [oas] })
  const found: { code: string; message: string; path: string[] }[] = await spectral.run(text)
  expect(found.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)).toEqual([])
})

/** What is silenced are questions of style. */
const REDOCLY = {
  extends: ['recommended'],
  rules: {
    'operation-4xx-response': 'off',
    'operation-2xx-response': 'off',
    'no-server-example.com': 'off',
    // `by-external` is no id: ids are integers, and no e-mail is written so.
    'no-ambiguous-paths': 'off',
    'security-defined': 'error',
  },
}

it('neither does Redocly', async () => {
  await writeFile(join(folder, 'redocly.yaml'), JSON.stringify(REDOCLY))
  const said = await node(
    join(TOOLS, '@redocly/cli/bin/cli.js'),
    'lint',
    'openapi.json',
    '--format=codeframe',
  )
  expect(said).not.toMatch(/was generated by/)
  expect(said).toContain('Your API description is valid')
})

interface Item {
  name: string
  item?: Item[]
  request?: { method: string; url: { path: string[] } }
}

/** Each request of a collection as the operation that it calls. */
function callsOf({ item, request }: Pick<Item, 'item' | 'request'>): string[] {
  const within = (item ?? []).flatMap(callsOf)
  if (!request) return within
  return [...within, `${request.method} /${request.url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`]
}

function operationsOf(document: { paths: Record<string, object> }): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
}

it('Postman imports it, with every call', async () => {
  const { convert } = tool('openapi-to-postmanv2')
  const input = { type: 'string', data: text }
  const imported = await promisify(convert)(input, { folderStrategy: 'Tags' })
  expect(imported).toMatchObject({ result: true })
  expect(callsOf(imported.output[0].data).sort()).toEqual(operationsOf(JSON.parse(text)).sort())
})

it('docs/postman.json is made from it (`npx vitest run test/integrators -u` makes it again)', async () => {
  const made = await node(join(ROOT, 'script/postman.mjs'), 'openapi.json')
  await expect(made).toMatchFileSnapshot(join(ROOT, 'docs/postman.json'))
  expect(callsOf(JSON.parse(made)).sort()).toEqual(operationsOf(JSON.parse(text)).sort())
})

it('the requests of docs/postman.json work as they stand, once the variables are filled in', async () => {
  const { Collection } = tool('postman-collection')
  const collection = new Collection(JSON.parse(await readFile(join(ROOT, 'docs/postman.json'), 'utf8')))
  const known: Record<string, string> = {}
  const filled = (text: string) => text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name) => known[name] ?? '')
  known.superkey = service.app.key
  known.supertoken = service.app.token

  /** As Postman sends it. Fields of the answer that are variables are kept, as its user would. */
  async function send(folder: string, name: string): Promise<number> {
    const named = (wanted: string) => (item: Item) => item.name === wanted
    const { request } = collection.items.find(named(folder)).items.find(named(name))
    const { method, body, header = [], auth } = request.toJSON()
    known.$guid = randomUUID()
    const [user, password] = auth.basic.map(({ value }: { value: string }) => filled(value))
    const headers = header.filter(({ disabled }: { disabled?: boolean }) => !disabled)
    const sent = headers.map(({ key, value }: Record<string, string>) => [key, filled(value!)])
    const basic = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    const answer = await fetch(baseUrl + filled(request.url.getPathWithQuery()), {
      method,
      headers: { ...Object.fromEntries(sent), authorization: basic },
      ...(body ? { body: body.raw } : {}),
    })
    const shown = (await answer.json()) as Record<string, unknown>
    for (const { key } of collection.variables.all()) if (shown[key]) known[key] = String(shown[key])
    return answer.status
  }
  expect(await send('Customers', 'Create a customer')).toBe(201)
  expect(await send('Campaigns', 'Create a campaign, alone or with its flights, personas and banners')).toBe(
    201,
  )
  expect(await send('Personas', 'Create a persona, alone or with its banners')).toBe(201)
  expect(await send('Banners', 'List the banners of a persona')).toBe(200)
  expect(await send('Campaigns', 'Edit a campaign')).toBe(200)
  expect(await send('Personas', 'Delete a persona')).toBe(200)
})
