// An agent for tests: it speaks the Model Context Protocol of 2026-07-28 by hand, with a pair as its bearer, and checks
// each answer of a tool against the schema that the tool has listed.

import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { TestPair, TestService } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire is looked into freely by tests
export type Json = any

export interface TestAgent {
  /** The whole answer over HTTP. */
  send(
    method: string,
    params?: object,
    capabilities?: object,
  ): Promise<{ status: number; headers: Json; body: Json }>
  /** Any body. */
  post(payload: string): Promise<{ status: number }>
  /** The result of a request that succeeds. */
  ask(method: string, params?: object, capabilities?: object): Promise<Json>
  /** The result of a tool, checked. */
  call(tool: string, args: object): Promise<Json>
  /** What a tool answers; it must succeed. */
  done(tool: string, args: object): Promise<Json>
  /** The error of a tool; it must fail. */
  failed(tool: string, args: object): Promise<Json>
}

export const REVISION = '2026-07-28'
const META = 'io.modelcontextprotocol'

export function agentOf(
  service: Pick<TestService, 'api'>,
  pair: TestPair | null,
  more: Record<string, string> = {},
): TestAgent {
  const ajv = new Ajv2020({ strict: false })
  const listed = new Map<string, object>()

  async function inject(payload: string, headers: Record<string, string> = {}) {
    const answer = await service.api.fastify.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        ...(pair ? { authorization: `Bearer ${pair.key}:${pair.token}` } : {}),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
        ...more,
      },
      payload,
    })
    const body = answer.body === '' ? null : JSON.parse(answer.body)
    return { status: answer.statusCode, headers: answer.headers as Json, body }
  }

  const send: TestAgent['send'] = (method, params = {}, capabilities = {}) => {
    const { _meta, ...rest } = params as { _meta?: object }
    const meta = {
      ..._meta,
      [`${META}/protocolVersion`]: REVISION,
      [`${META}/clientInfo`]: { name: 'test', version: '1' },
      [`${META}/clientCapabilities`]: capabilities,
    }
    const { name, uri } = params as { name?: string; uri?: string }
    const named = name ?? uri
    return inject(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...rest, _meta: meta } }), {
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(named === undefined ? {} : { 'mcp-name': named }),
    })
  }

  const ask: TestAgent['ask'] = async (method, params, capabilities) => {
    const { status, body } = await send(method, params, capabilities)
    expect([method, status, body.error], JSON.stringify(body)).toEqual([method, 200, undefined])
    return body.result
  }

  async function schemaOf(tool: string): Promise<object> {
    if (listed.size === 0)
      for (const { name, outputSchema } of (await ask('tools/list')).tools) listed.set(name, outputSchema)
    return listed.get(tool)!
  }

  const call: TestAgent['call'] = async (tool, args) => {
    const result = await ask('tools/call', { name: tool, arguments: args })
    if (result.isError) return result
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
    const fits = ajv.compile(await schemaOf(tool))
    fits(result.structuredContent)
    expect([tool, fits.errors]).toEqual([tool, null])
    expect([tool, result.content[0].text.length <= 14_000]).toEqual([tool, true])
    return result
  }

  return {
    send,
    post: payload => inject(payload),
    ask,
    call,
    async done(tool, args) {
      const result = await call(tool, args)
      expect([tool, result.isError ? result.content[0].text : 'done']).toEqual([tool, 'done'])
      return result.structuredContent
    },
    async failed(tool, args) {
      const result = await call(tool, args)
      expect([tool, result.isError]).toEqual([tool, true])
      return JSON.parse(result.content[0].text)
    },
  }
}
