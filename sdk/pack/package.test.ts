// The package as users get it: packed, installed into a fresh project, and used there by node, require, the compiler
// and a bundler, with the real service.

import { execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_VERSION } from '../../src/http/answer.ts'
import type { EndpointSpec } from '../../src/http/endpoint.ts'
import { setOrigins } from '../../src/identity/origins.ts'
import { signatureHeaders } from '../../src/notify/webhooks/sign.ts'
import { sharedChromium } from '../../test/browser/chromium.ts'
import { blocksOf } from '../../test/support/blocks.ts'
import { eventually, mailsTo } from '../../test/support/console.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { endpoints } from '../endpoints.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAX_BUNDLE_BYTES = 15_000

let project: string
let service: TestService
let baseUrl: string
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'marquee-client-'))
  run('npm', ['pack', '--silent', '--pack-destination', project], join(ROOT, 'sdk'))
  const [tarball] = readdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "fresh", "type": "module" }')
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', `./${tarball}`], project)
  service = await startTestService()
  baseUrl = await service.listen()
})
afterAll(async () => {
  await service?.close()
  rmSync(project, { recursive: true, force: true })
})

function run(command: string, args: string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  }
}

const installed = () => join(project, 'node_modules/@marquee/client')

/** Creates a customer and a campaign, gets a refusal, and verifies a webhook. */
const JOURNEY = `
  const [baseUrl, superkey, supertoken, email] = process.argv.slice(2)
  const app = createClient({ baseUrl, credentials: { superkey, supertoken } })
  const { cuid } = await app.createCustomer({ body: { company: 'A', email } })
  const client = app.asCustomer(cuid)
  const start = Math.floor(Date.now() / 1000)
  const { cid } = await client.createCampaign({ body: { name: 'A', start, end: start + 86400, dailySpend: 20 } })
  const names = []
  for await (const campaign of client.each.listCampaigns({ limit: 1 })) names.push(campaign.name)
  const refused = await client.editCampaign({ cid, body: { dailySpend: 1.234 } }).catch(error => error)
  const webhook = await verifyWebhook({}, '', 'whsec_AAAA').catch(error => error)
  console.log(JSON.stringify([names, refused instanceof MarqueeError, refused.code, webhook instanceof WebhookRefused]))
`

async function journey(file: string, text: string): Promise<unknown> {
  writeFileSync(join(project, file), text)
  const args = [file, baseUrl, service.app.key, service.app.token, `${file}@fresh.example`]
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  for await (const chunk of child.stdout) out += chunk
  return JSON.parse(out)
}
function preflight(origin: string) {
  const headers = { origin, 'access-control-request-method': 'GET' }
  return fetch(`${baseUrl}/campaign`, { method: 'OPTIONS', headers })
}

/** The passcode is valid once it is stored, which is after it was emailed. */
async function mailedPasscode(email: string): Promise<string> {
  const mail = await eventually(async () => (await mailsTo(service, email))[0])
  await eventually(() => service.db.row('select 1 from passcode where request_hash is not null'))
  return /Your passcode is: (\d{6})/.exec(mail)![1]!
}

function signedHeaders(secret: string, body: string) {
  const signed = { eventId: 'msg_1', timestampS: Math.floor(Date.now() / 1000), body }
  return signatureHeaders(signed, [Buffer.from(secret.slice('whsec_'.length), 'base64')])
}

const RIGHT = [['A'], true, 'invalid_input', true]
const NAMES = '{ createClient, MarqueeError, verifyWebhook, WebhookRefused }'

it('has the version of the API, no dependencies, and no source files', () => {
  const manifest = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: '@marquee/client', version: API_VERSION })
  expect(manifest.dependencies).toBeUndefined()
  expect(readdirSync(join(project, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
    '@marquee',
  ])
  const made = readdirSync(join(installed(), 'dist'))
  for (const name of made) {
    const text = readFileSync(join(installed(), 'dist', name), 'utf8')
    expect(text, name).not.toMatch(/typebox|\/src\/|\.ts['"]/)
  }
})

it('is had from the running service, too: npm installs the same files from its address', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'marquee-client-url-'))
  writeFileSync(join(fresh, 'package.json'), '{ "name": "fresh", "type": "module" }')
  // Not by `run`: the service answers from this process.
  const args = ['install', '--silent', '--no-audit', '--no-fund', `${baseUrl}/docs/client.tgz`]
  await promisify(execFile)('npm', args, { cwd: fresh })
  const there = join(fresh, 'node_modules/@marquee/client')
  const files = (folder: string) =>
    readdirSync(join(folder, 'dist')).map(name => [name, readFileSync(join(folder, 'dist', name), 'utf8')])
  expect(files(there)).toEqual(files(installed()))
  rmSync(fresh, { recursive: true })
})

it('works with import and with require', async () => {
  expect(await journey('a.mjs', `import ${NAMES} from '@marquee/client'\n${JOURNEY}`)).toEqual(RIGHT)
  const required = `const ${NAMES} = require('@marquee/client')\n;(async () => {${JOURNEY}})()`
  expect(await journey('b.cjs', required)).toEqual(RIGHT)
})

it('has every endpoint, with what the client needs to know about it', async () => {
  const text = `import { createClient } from '@marquee/client'
    console.log(JSON.stringify(Object.keys(createClient({ baseUrl: '' }).raw)))`
  expect(await journey('c.mjs', text)).toEqual([...endpoints.keys()])
})

it('is bundled for a browser by Vite, and stays small', async () => {
  const entry = join(project, 'page.js')
  writeFileSync(entry, `import * as client from '@marquee/client'\nglobalThis.marquee = client\n`)
  const outDir = join(project, 'out')
  await build({
    root: project,
    configFile: false,
    logLevel: 'error',
    build: { outDir, rollupOptions: { input: entry } },
  })
  const assets = join(outDir, 'assets')
  const bytes = readdirSync(assets).map(name => gzipSync(readFileSync(join(assets, name))).length)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BUNDLE_BYTES)
})

it('works on a page of another origin once that is registered, with a customer pair and not with the super pair', async () => {
  const assets = join(project, 'out/assets')
  const site = createServer(({ url }, response) => {
    const isPage = url === '/'
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'text/javascript' })
    const scripts = readdirSync(assets).map(name => `<script type="module" src="/${name}"></script>`)
    response.end(isPage ? scripts.join('') : readFileSync(join(assets, url!.slice(1))))
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${(site.address() as AddressInfo).port}`
  const page = await (await sharedChromium()).newPage()
  try {
    await page.goto(origin)
    const { cuid, key, token } = await service.newCustomer()
    const ofApp = { superkey: service.app.key, supertoken: service.app.token }
    const names = (credentials: object) =>
      page.evaluate(`(async () => {
        const given = { maxRetries: 0, credentials: ${JSON.stringify(credentials)}, baseUrl: '${baseUrl}' }
        const client = marquee.createClient(given)
        const start = Math.floor(Date.now() / 1000)
        const body = { name: 'A', start, end: start + 86400, dailySpend: 20 }
        await client.createCampaign({ cuid: ${cuid}, body })
        const wrong = await client.createCampaign({ cuid: ${cuid}, body: {} }).catch(error => error)
        return [(await client.listCampaigns({ cuid: ${cuid} })).map(({ name }) => name), wrong.code]
      })().catch(error => [error.code, error.message])`)
    const closed = ['network_error', expect.stringContaining('"marquee app origins"')]
    expect(await names({ cuid, key, token })).toEqual(closed)
    await setOrigins(service.db, 'default', [origin])
    await eventually(async () => (await preflight(origin)).status === 204)
    expect(await names({ cuid, key, token })).toEqual([['A'], 'invalid_input'])
    expect(await names(ofApp)).toEqual(closed)
  } finally {
    await page.close()
    site.close()
  }
})

it('does what its README shows: every block runs as it is written', async () => {
  const packed = await import(join(installed(), 'dist/index.js'))
  const { key: superkey, token: supertoken } = service.app
  const app = packed.createClient({ baseUrl, credentials: { superkey, supertoken } })
  const email = 'reader@fresh.example'
  const { cuid } = await app.createCustomer({ body: { company: 'A', email } })
  const client = app.asCustomer(cuid)
  const start = Math.floor(Date.now() / 1000)
  const order = { name: 'A', start, end: start + 86_400, dailySpend: 20 }
  const { cid } = await client.createCampaign({ body: order })
  let passcode = ''
  /** Stands for a browser with the console: it keeps the cookie and knows its own origin, and its user reads emails. */
  function createClient(options: { baseUrl: string }) {
    if (options.baseUrl !== '') return packed.createClient(options)
    let cookie = ''
    const made = packed.createClient({
      ...options,
      fetch: async (path: string, init: RequestInit) => {
        const headers = { ...init.headers, cookie, origin: 'http://localhost:8080' }
        const answer = await fetch(baseUrl + path, { ...init, headers })
        cookie =
          answer.headers
            .getSetCookie()
            .map(line => line.split(';')[0])
            .join('; ') || cookie
        return answer
      },
    })
    const requestPasscode = async (input: object) => {
      const answer = await made.requestPasscode(input)
      passcode = await mailedPasscode(email)
      return answer
    }
    return { ...made, requestPasscode }
  }
  const text = JSON.stringify({ type: 'campaign.budget_spent', timestamp: '', data: { cid, dailySpend: 20 } })
  let secret = ''
  const createWebhook = async (input: object) => {
    const made = await app.createWebhook(input)
    secret = made.secret
    return made
  }
  const logged: unknown[] = []
  const scope = {
    ...packed,
    createClient,
    ...{
      app: { ...app, createWebhook },
      client,
      cuid,
      cid,
      start,
      end: start + 86_400,
      baseUrl,
      email,
      text,
    },
    ...{ superkey, supertoken, order: { id: 1 }, input: { body: { ...order, name: 'B' } } },
    file: new Blob([readFileSync(join(ROOT, 'docs/example-banner.png'))], { type: 'image/png' }),
    // Known only while the block runs.
    passcode: { toJSON: () => passcode },
    request: {
      get headers() {
        return signedHeaders(secret, text)
      },
    },
    console: { log: (...values: unknown[]) => logged.push(...values) },
  }
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<void>
  for (const block of blocksOf('sdk/README.md', 'ts')) {
    const placed = block
      .replaceAll(/^import .*$/gm, '')
      .replaceAll("'http://localhost:8080'", 'baseUrl')
      .replace("superkey: '…', supertoken: '…'", 'superkey, supertoken')
    const { code } = await transform(`async () => {${placed}\n}`, { loader: 'ts', target: 'es2022' })
    await new AsyncFunction(...Object.keys(scope), `await (${code.trim().replace(/;$/, '')})()`)(
      ...Object.values(scope),
    )
  }
  expect(logged).toEqual([
    [
      {
        path: '/dailySpend',
        code: 'too_many_decimals',
        params: { max: 2 },
        message: 'must have at most 2 decimals',
      },
    ],
    expect.any(String),
    expect.any(String),
    expect.any(String),
    cid,
    20,
  ])
})

const isTried = (id: string) => {
  const { dryRun, makes } = endpoints.get(id) as EndpointSpec
  return dryRun && makes
}

describe('the types', () => {
  const USE = `
import { createClient, MarqueeError, type Client, type CustomerClient, type InputOf } from '@marquee/client'
const app: Client = createClient({ baseUrl: '', credentials: { superkey: 'a', supertoken: 'b' } })
const client: CustomerClient = createClient({ baseUrl: '', credentials: { cuid: 1, key: 'a', token: 'b' } })
const asApp: CustomerClient = app.asCustomer(1)
export async function use(input: InputOf<'createPersona'>) {
  const { cid } = await client.createCampaign({ body: { name: 'A', start: 1, end: 2, dailySpend: 20, frequency: 3 } })
  await client.createPersona({ cid, body: { name: 'A', geo: { geocode: [1, 2], radius: 5 }, device: { mobile: true } } })
  await app.createPersona(input)
  const { breakdown } = await client.readBreakdown({ id: cid, dimension: 'country', limit: undefined })
  const spend: number = breakdown[0]!.spend
  const report = await app.readReport({ by: 'customer,month' })
  for await (const campaign of asApp.each.listCampaigns()) campaign.name.length
  try { await client.deleteCampaign({ cid }) }
  catch (error) { if (error instanceof MarqueeError && error.code === 'not_found') return error.errors }
  return [spend, report.rows[0]?.company]
}
export async function tryOut() {
  const tried = await client.createCampaign({ dryRun: true, body: { name: 'A', start: 1, end: 2, dailySpend: 20 } })
  tried.personas?.[0]?.banners?.[0]?.name
  // @ts-expect-error nothing was created, so it has no id
  return [tried.dryRun, tried.cid]
}
// @ts-expect-error a pair that does not say whose it is must name the customer
createClient({ baseUrl: '', credentials: { key: 'a', token: 'b' } }).listCampaigns()
// @ts-expect-error no such dimension
client.readBreakdown({ id: 1, dimension: 'weather' })
// @ts-expect-error an id is a number
client.readCampaign({ cid: '1' })
// @ts-expect-error no such id
client.readCampaign({ pid: 1 })
// @ts-expect-error a super pair must name the customer
app.listCampaigns()
// @ts-expect-error no such grouping
app.readReport({ by: 'weather' })
// @ts-expect-error no such code
export const code = (error: MarqueeError) => error.code === 'not_there'
// @ts-expect-error no such field
client.createCampaign({ body: { name: 'A', start: 1, end: 2, dailySpend: 20, colour: 'red' } })
`
  it.each([
    ['NodeNext', 'use.mts', ['--module', 'NodeNext']],
    ['NodeNext, from CommonJS', 'use.cts', ['--module', 'NodeNext']],
    ['a bundler', 'use.ts', ['--module', 'ESNext', '--moduleResolution', 'bundler']],
  ])('compile with %s and exactOptionalPropertyTypes, and wrong input does not', (_, file, how) => {
    writeFileSync(join(project, file), USE)
    const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noEmit --ignoreConfig'
    const more = '--target ES2022 --lib ES2022,DOM --types'
    const args = [...`${strict} ${more}`.split(' '), '', ...how, file]
    run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...args], project)
  })

  it('accept everything that the README shows', () => {
    const blocks = blocksOf('sdk/README.md', 'ts').map((block, at) => {
      const lines = block.split('\n').filter(line => !line.startsWith('import '))
      return `export async function block${at}() {\n${lines.join('\n')}\n}`
    })
    const names = 'createClient, MarqueeError, verifyWebhook, type Client, type CustomerClient, type InputOf'
    const head = `import { ${names} } from '@marquee/client'
declare const app: Client, client: CustomerClient, input: InputOf<'createCampaign'>
declare const cuid: number, cid: number, start: number, end: number, order: { id: number }
declare const baseUrl: string, text: string, secret: string, email: string, passcode: string
declare const file: Blob, request: Request, superkey: string, supertoken: string
`
    writeFileSync(join(project, 'page.mts'), head + blocks.join('\n'))
    const options =
      '--strict --noEmit --ignoreConfig --target ES2022 --lib ES2022,DOM --module NodeNext --types'
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    run(process.execPath, [tsc, ...options.split(' '), '', 'page.mts'], project)
  })

  it('are those of the contracts, endpoint by endpoint', () => {
    const folder = join(ROOT, 'sdk/dist')
    const check = join(ROOT, 'sdk/dist/same.ts')
    mkdirSync(folder, { recursive: true })
    cpSync(join(installed(), 'dist/endpoints.d.ts'), join(folder, 'packed.d.ts'))
    const lines = [...endpoints.keys()].flatMap(id => [
      `same<ours.InputOf<'${id}'>, packed.InputOf<'${id}'>>()`,
      `same<ours.OutputOf<'${id}'>, packed.OutputOf<'${id}'>>()`,
      ...(isTried(id) ? [`same<ours.TriedOf<'${id}'>, packed.TriedOf<'${id}'>>()`] : []),
    ])
    const head = `import type * as ours from '../endpoints.ts'
import type * as packed from './packed.js'
declare function same<A extends B, B extends C, C = A>(): void
same<ours.ErrorCode, packed.ErrorCode>()
same<ours.ErrorReason, packed.ErrorReason>()
same<ours.ErrorParams, packed.ErrorParams>()
same<ours.FieldErrorParams, packed.FieldErrorParams>()
same<ours.WebhookEvent, packed.WebhookEvent>()
// @ts-expect-error one is wider
same<'a', 'a' | 'b'>()
// @ts-expect-error the other is wider
same<{ a?: 1 | 2 }, { a?: 1 }>()
`
    writeFileSync(check, head + lines.join('\n'))
    const options =
      '--strict --noEmit --ignoreConfig --skipLibCheck --target ES2023 --module NodeNext --allowImportingTsExtensions --types node'
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    run(process.execPath, [tsc, ...options.split(' '), check], ROOT)
  })
})
