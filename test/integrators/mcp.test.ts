// Programs of others at /mcp: the client of MCP 2026-07-28 and the one of 2025-11-25 list and call every tool of the
// running service, and the scenarios of the conformance suite that need no tools of its own pass. Each client checks an
// answer against the schema that the tool has listed, and throws if it differs.

import { execFile } from 'node:child_process'
import { createServer, request, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { picture } from '../support/banners.ts'
import { nodeOfVersion } from '../support/node-program.ts'
import { startTestService, type TestPair, type TestService } from '../support/service.ts'

const load = createRequire(import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: the clients are installed apart, so their types may not be there
type Json = any

let service: TestService
let baseUrl: string
let cuid: number
let pair: TestPair
beforeAll(async () => {
  service = await startTestService()
  baseUrl = await service.listen()
  const customer = await service.newCustomer({ website: 'https://bikes.example/' })
  cuid = customer.cuid
  const { body } = await service.call('POST', `/customer/${cuid}/credential`, {
    as: customer,
    body: { name: 'Agent', scope: 'propose', ceilings: { dailySpend: 50 } },
  })
  pair = body
})
afterAll(() => service?.close())

interface Connected {
  listTools(): Promise<Json>
  callTool(call: { name: string; arguments: object }): Promise<Json>
  listPrompts(): Promise<Json>
  getPrompt(prompt: object): Promise<Json>
  listResources(): Promise<Json>
  readResource(resource: object): Promise<Json>
  close(): Promise<void>
}

const authorization = () => ({ Authorization: `Bearer ${pair.key}:${pair.token}` })

/** With what it was told when it connected. */
async function connect(name: 'client' | 'sdk', options: object): Promise<Connected> {
  const client =
    name === 'client'
      ? load('@modelcontextprotocol/client')
      : load('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } =
    name === 'client' ? client : load('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const connected = new client.Client({ name: 'test', version: '1' }, options)
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
    requestInit: { headers: authorization() },
  })
  await connected.connect(transport)
  return connected
}

describe.each([
  ['2026-07-28', 'client', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['2025-11-25', 'sdk', {}],
] as const)('the client of %s', (_revision, name, options) => {
  it('lists every tool and calls each of them, and every answer fits the schema of its tool', async () => {
    const client = await connect(name, options)
    const called = new Set<string>()
    async function call(tool: string, args: object = {}): Promise<Json> {
      called.add(tool)
      const answer = await client.callTool({ name: tool, arguments: args })
      expect([tool, answer.isError ?? false], JSON.stringify(answer.content)).toEqual([tool, false])
      return answer.structuredContent
    }
    try {
      const { tools } = await client.listTools()
      const { grant, now } = await call('get_account')
      expect(grant).toMatchObject({ scope: 'propose', ceilings: { dailySpend: 50 } })
      expect((await call('find_customers')).customers[0].cuid).toBe(cuid)
      expect((await call('find_places', { q: 'Ontario' })).places[0].value).toBe('CA-ON')
      await call('find_categories', { q: 'cycling' })
      await call('list_ad_sizes')
      const personas = [{ name: 'Cyclists', geo: { geos: ['CA-ON'] }, device: { mobile: true } }]
      const campaign = {
        name: 'Spring',
        start: now,
        end: now + 864_000,
        dailySpend: 16,
        monthlySpend: 500,
        personas,
      }
      const { plan } = await call('plan_campaign', { campaign })
      const { cid } = (await call('create_campaign', { plan })).campaign
      const { pid } = (await call('get_campaign', { cid })).personas[0]
      const base64 = (await picture(300, 250)).toString('base64')
      await call('upload_creative', { base64, type: 'image/png', cid, pid })
      expect((await call('find_campaigns')).campaigns.map((one: Json) => one.cid)).toContain(cid)
      const changed = await call('plan_change', {
        operations: [{ op: 'editCampaign', cid, body: { dailySpend: 12 } }],
      })
      expect((await call('apply_change', { plan: changed.plan })).applied).toBe(1)
      const { changes } = await call('get_history', { cid })
      await call('undo', { id: changes.find((one: Json) => one.action === 'edit').id })
      const { proposal } = await call('request_resume', { cid })
      expect((await call('get_proposals', { id: proposal.id })).proposals[0].status).toBe('pending')
      await call('pause', { cid, pid })
      await call('why_not_delivering', { cid })
      await call('get_figures', { id: cid, interval: 'day' })
      expect([...called].toSorted()).toEqual(tools.map((tool: Json) => tool.name).toSorted())
      const failed = await client.callTool({ name: 'get_campaign', arguments: { cid: 1 } })
      expect([failed.isError, JSON.parse(failed.content[0].text).code]).toEqual([true, 'not_found'])
    } finally {
      await client.close()
    }
  })

  it('reads every resource and prompt', async () => {
    const client = await connect(name, options)
    try {
      for (const { uri } of (await client.listResources()).resources)
        expect((await client.readResource({ uri })).contents[0].text.length).toBeGreaterThan(500)
      for (const prompt of (await client.listPrompts()).prompts) {
        const args = Object.fromEntries(prompt.arguments.map((one: Json) => [one.name, '1']))
        expect((await client.getPrompt({ name: prompt.name, arguments: args })).messages).toHaveLength(1)
      }
      await expect(client.readResource({ uri: 'marquee://nothing' })).rejects.toThrow()
    } finally {
      await client.close()
    }
  })
})

it('a client that can show pages shows that of the proposal, and then gets what was decided', async () => {
  const shown: string[] = []
  const client: Json = await connect('client', {
    capabilities: { elicitation: { url: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  })
  client.setRequestHandler('elicitation/create', ({ params }: Json) => {
    shown.push(params.url)
    return { action: 'accept' }
  })
  try {
    const { structuredContent: account } = await client.callTool({ name: 'get_account', arguments: {} })
    const campaign = { name: 'Page', start: account.now, end: account.now + 864_000, dailySpend: 5 }
    const { structuredContent: planned } = await client.callTool({
      name: 'plan_campaign',
      arguments: { campaign },
    })
    const { structuredContent: made } = await client.callTool({
      name: 'create_campaign',
      arguments: { plan: planned.plan },
    })
    const { structuredContent: asked } = await client.callTool({
      name: 'request_resume',
      arguments: { cid: made.campaign.cid },
    })
    expect(shown).toEqual([expect.stringContaining(`/console/proposals?id=${asked.proposal.id}`)])
    expect(asked.inWords).toMatch(/not decided/)
  } finally {
    await client.close()
  }
})

describe('the conformance suite', () => {
  let door: Server
  let url: string
  /** It sends no headers of ours, so this adds them, and passes on all others as they are. */
  beforeAll(async () => {
    const { port } = new URL(baseUrl)
    door = createServer((asked, answer) => {
      const { method, url: path, headers } = asked
      const passed = request({
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...authorization() },
      })
      passed.on('response', got => got.pipe(answer.writeHead(got.statusCode!, got.headers)))
      passed.on('error', () => answer.destroy())
      asked.pipe(passed)
    })
    await new Promise<void>(resolve => door.listen(0, '127.0.0.1', resolve))
    url = `http://localhost:${(door.address() as AddressInfo).port}/mcp`
  })
  afterAll(() => {
    door?.closeAllConnections()
    door?.close()
  })

  it.each([
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ])('is met in the scenario %s', async scenario => {
    const program = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
    const run = promisify(execFile)(nodeOfVersion('24'), [
      program,
      'server',
      '--url',
      url,
      '--scenario',
      scenario,
    ])
    const { stdout } = await run.catch(error => ({ stdout: `${error.stdout}${error.stderr}` }))
    expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/)
  })
})
