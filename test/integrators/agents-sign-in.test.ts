// Programs of others sign in as they do everywhere: the client of MCP 2026-07-28 by the document that describes it, the
// one of 2025-11-25 by registering. A person allows each in the console; then it lists tools, and renews its token by
// itself when that has expired.

import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { look, startProgram } from '../support/agents.ts'
import { type Visitor, visitAs } from '../support/console.ts'
import { freePort } from '../support/ports.ts'
import { startTestService, type TestService } from '../support/service.ts'

const load = createRequire(import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: the clients are installed apart, so their types may not be there
type Json = any

const BACK = 'http://127.0.0.1:3999/back'

let service: TestService
let url: string
let cuid: number
let visitor: Visitor
beforeAll(async () => {
  const port = await freePort()
  url = `http://localhost:${port}`
  service = await startTestService({ PORT: String(port), PUBLIC_URL: url })
  await service.listen()
  const customer = await service.newCustomer()
  cuid = customer.cuid
  visitor = await visitAs(service, customer.email)
})
afterAll(() => service?.close())

/** What a program keeps between its calls. */
function keeper(kept: Json = {}) {
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value
  }
  return {
    kept,
    redirectUrl: BACK,
    clientMetadata: { client_name: 'Helper', redirect_uris: [BACK] },
    state: () => 'one',
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization: keep('to'),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: keep('found'),
    discoveryState: () => kept.found,
  }
}

/** What the person does in their browser; returns what comes back to the program. */
async function allow({ pathname, search }: URL): Promise<URLSearchParams> {
  const sent = await service.call('GET', pathname + search, { as: null })
  const request = new URL(sent.headers.location!).searchParams.get('request')!
  const { shown } = (await look(visitor, request)).body
  const body = { request, shown, cuid, scope: 'propose', ceilings: { dailySpendAll: 9 } }
  const answer = await visitor.call('POST', '/console/api/agents', { body })
  return new URL(answer.body.redirect).searchParams
}

async function signsIn(
  { Client, StreamableHTTPClientTransport: Transport }: Json,
  by: ReturnType<typeof keeper>,
  finish: (transport: Json, back: URLSearchParams) => Promise<void>,
): Promise<void> {
  const open = () => new Transport(new URL(`${url}/mcp`), { authProvider: by })
  const first = open()
  await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow()
  await finish(first, await allow(by.kept.to))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(open())
  expect((await client.listTools()).tools.length).toBeGreaterThan(10)
  const before = by.kept.tokens
  service.clock.advance(3_700_000)
  const answer = await client.callTool({ name: 'get_account', arguments: {} })
  expect(answer.structuredContent.grant).toMatchObject({ scope: 'propose', ceilings: { dailySpendAll: 9 } })
  expect(by.kept.tokens.access_token).not.toBe(before.access_token)
  expect(by.kept.tokens.refresh_token).not.toBe(before.refresh_token)
  await client.close()
}

it('the client of 2026-07-28 signs in by its document, checks who answers, and renews its token', async () => {
  const program = await startProgram({ redirect_uris: ['http://127.0.0.1/back'] })
  const by = keeper({ client: { client_id: program.clientId, issuer: url } })
  await signsIn(load('@modelcontextprotocol/client'), by, (transport, back) => transport.finishAuth(back))
  await program.close()
})

it('the client of 2025-11-25 registers, signs in and renews its token', async () => {
  const { Client } = load('@modelcontextprotocol/sdk/client/index.js')
  const transports = load('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const by = keeper()
  await signsIn({ Client, ...transports }, by, (transport, back) => transport.finishAuth(back.get('code')))
  expect(by.kept.client.client_id).toMatch(/^mqag_/)
})
