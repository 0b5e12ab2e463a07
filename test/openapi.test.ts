// The OpenAPI document is complete and valid, because clients are made from it.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Schema, validate } from '../src/platform/validate.ts'
import { startTestService, type TestService } from './support/service.ts'

interface LintProblem {
  ruleId: string
  message: string
  location: { pointer: string }[]
}

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** Pages and files for browsers, not part of the interface. */
const NOT_INTERFACE = /^\/(docs|console(?!\/api\/)|creative\/)/

it('describes every route that the server has, and no other', async () => {
  const { body } = await service.call('GET', '/openapi.json')
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const onThinPath = service.api.endpoints
    .filter(endpoint => endpoint.dataPlane)
    .map(endpoint => `${endpoint.method} ${endpoint.path}`)
  const registered = [...service.routes, ...onThinPath].filter(
    route => !route.startsWith('HEAD ') && !NOT_INTERFACE.test(route.split(' ')[1]!),
  )
  expect(described.sort()).toEqual([...new Set(registered)].sort())
})

it('is made once, however often it is asked for', async () => {
  const other = await startTestService()
  let reads = 0
  other.api.endpoints.push({
    ...other.api.endpoints[0]!,
    get summary() {
      reads++
      return 'counted'
    },
  })
  const texts = new Set<string>()
  for (let n = 0; n < 5; n++) texts.add((await other.call('GET', '/openapi.json')).text)
  await other.close()
  expect([reads, texts.size]).toEqual([1, 1])
})

it('passes a linter without errors', async () => {
  const { text } = await service.call('GET', '/openapi.json')
  const folder = await mkdtemp(join(tmpdir(), 'marquee-openapi-'))
  await writeFile(join(folder, 'openapi.json'), text)
  await writeFile(
    join(folder, 'redocly.yaml'),
    'extends: [recommended]\nrules:\n  operation-4xx-response: off\n  operation-2xx-response: off\n  no-server-example.com: off\n  security-defined: error\n',
  )
  const cli = join(import.meta.dirname, '../node_modules/@redocly/cli/bin/cli.js')
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [cli, 'lint', 'openapi.json', '--format=json'],
    {
      cwd: folder,
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        NO_COLOR: '1',
      },
    },
  ).catch(error => error)
  await rm(folder, { recursive: true })
  const report = JSON.parse(stdout || `{"problems":[{"message":${JSON.stringify(stderr)}}]}`)
  expect(
    report.problems.map(
      (problem: LintProblem) => `${problem.ruleId}: ${problem.message} ${problem.location[0]?.pointer}`,
    ),
  ).toEqual([])
}, 120_000)

it('every endpoint has an example for its body that its own schema accepts', () => {
  for (const endpoint of service.api.endpoints) {
    if (!endpoint.body) continue
    expect(endpoint.examples?.body, endpoint.id).toBeDefined()
    expect(validate(endpoint.body as Schema, endpoint.examples!.body), endpoint.id).toMatchObject({
      ok: true,
    })
  }
})

it('every example of an answer fits its schema', () => {
  for (const endpoint of service.api.endpoints) {
    if (endpoint.examples?.answer === undefined) continue
    expect(validate(endpoint.answer as Schema, endpoint.examples.answer), endpoint.id).toMatchObject({
      ok: true,
    })
  }
})

it('every id names one endpoint', () => {
  const ids = service.api.endpoints.map(endpoint => endpoint.id)
  expect(new Set(ids).size).toBe(ids.length)
})
