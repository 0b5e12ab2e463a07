// An operator starts, stops, kills and restarts the service: the first page of the manual, with the built service and
// its embedded database.

import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/banners.ts'
import { freePort } from '../support/ports.ts'
import { runMarquee, spawnMarquee, spawnOnTerminal, startProcess, whenRunning } from '../support/process.ts'

let dataDir: string
let env: Record<string, string>
let url: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'marquee-journey-'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  env = { DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1' }
})
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

async function credentials(): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
}

async function superHeaders(): Promise<Record<string, string>> {
  const { superkey, supertoken } = await credentials()
  return {
    'x-access-superkey': superkey!,
    'x-access-supertoken': supertoken!,
    'content-type': 'application/json',
  }
}

async function createCustomer(email: string): Promise<number> {
  const body = JSON.stringify({ company: 'Blue Bikes', email })
  const answer = await fetch(`${url}/customer`, { method: 'POST', headers: await superHeaders(), body })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { cuid: number }).cuid
}

async function customerCount(): Promise<number> {
  const answer = await fetch(`${url}/customer`, { headers: await superHeaders() })
  return ((await answer.json()) as unknown[]).length
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function postgresPid(): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
}

describe('the life of an installation', () => {
  it('first start: prints the URLs and the location of the super pair, which only its owner can read', async () => {
    const service = await startProcess(env)
    for (const part of [`/docs`, '/console', join(dataDir, 'credentials.json')])
      expect(service.output()).toContain(part)
    const kept = await credentials()
    expect(Object.keys(kept)).toEqual(['superkey', 'supertoken', 'bidUrl', 'siteKey', 'serverKey'])
    expect(service.output()).not.toContain(kept.supertoken!)
    expect((await stat(join(dataDir, 'credentials.json'))).mode & 0o777).toBe(0o600)
    await createCustomer('one@bikes.example')
    service.child.kill('SIGTERM')
    expect(await service.exited).toBe(0)
  })

  it('first start on a terminal: prints the super pair', async () => {
    const own = await mkdtemp(join(tmpdir(), 'marquee-terminal-'))
    const service = await whenRunning(spawnOnTerminal({ ...env, DATA_DIR: own }))
    const { superkey, supertoken } = JSON.parse(await readFile(join(own, 'credentials.json'), 'utf8'))
    for (const part of [superkey, supertoken]) expect(service.output()).toContain(part)
    service.child.stdin!.write('\x03')
    expect(await service.exited).toBe(0)
    await rm(own, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  it('second start: does not mention the pair again, everything is still there, and the log names sources', async () => {
    const service = await startProcess({ ...env, SLOW_STATEMENT_MS: '1' })
    expect(service.output()).not.toContain('First start')
    expect(await customerCount()).toBe(1)
    const database = await postgresPid()
    service.child.kill('SIGINT')
    expect(await service.exited).toBe(0)
    expect(isRunning(database)).toBe(false)
    const slow = [...service.output().matchAll(/"statement":"([^"]*)"/g)].map(([, name]) =>
      name!.split(/,? /),
    )
    expect(slow).not.toEqual([])
    for (const [file, called] of slow)
      expect(await readFile(join(import.meta.dirname, `../../src/${file}.ts`), 'utf8')).toMatch(
        new RegExp(`\\b${called}\\b`),
      )
  })

  it('kill -9: the embedded database ends too, and the next start recovers what was acknowledged', async () => {
    const service = await startProcess(env)
    await createCustomer('two@bikes.example')
    service.child.kill('SIGKILL')
    await service.exited
    const again = await startProcess(env)
    expect(await customerCount()).toBe(2)
    again.child.kill('SIGTERM')
    expect(await again.exited).toBe(0)
  })

  it('a second signal ends it at once, which the log says, and the next start recovers', async () => {
    const service = await startProcess({ ...env, DRAIN: '20s' })
    service.child.kill('SIGTERM')
    await until(async () => (service.output().includes('"stopping"') ? true : null))
    service.child.kill('SIGTERM')
    expect(await service.exited).toBe(1)
    expect(service.output()).toContain('as after a crash, because of a second signal')
    const again = await startProcess(env)
    expect(await customerCount()).toBe(2)
    again.child.kill('SIGTERM')
    expect(await again.exited).toBe(0)
  })

  it('a second service on the same data is refused and does not disturb the first', async () => {
    const first = await startProcess(env)
    const second = await runMarquee(['serve'], { ...env, PORT: '0' })
    expect(second.code).toBe(1)
    expect(second.output).toMatch(/already|in use|another/i)
    expect(await customerCount()).toBe(2)
    first.child.kill('SIGTERM')
    await first.exited
  })

  it('a bad setting stops the start and names the variable', async () => {
    const { code, output } = await runMarquee(['serve'], { ...env, PORT: 'http', TIMEZONE: 'Nowhere' })
    expect(code).toBe(2)
    expect(output).toContain('PORT must be')
    expect(output).toContain('TIMEZONE must be')
  })

  it('a port in use stops the start with a message, and leaves no database running', async () => {
    const first = await startProcess({ ...env })
    const other = await mkdtemp(join(tmpdir(), 'marquee-journey-'))
    const second = await runMarquee(['serve'], { ...env, DATA_DIR: other })
    expect(second.code).not.toBe(0)
    expect(second.output).toContain(`is listening at 127.0.0.1:${env.PORT}. Stop it, or set another PORT.`)
    await expect(stat(join(other, 'postgres/postmaster.pid'))).rejects.toThrow()
    first.child.kill('SIGTERM')
    await first.exited
    await rm(other, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  it('when the embedded database dies, the service says so and ends, so that a supervisor can restart it', async () => {
    const service = await startProcess(env)
    process.kill(await postgresPid(), 'SIGKILL')
    expect(await service.exited).toBe(1)
    expect(service.output()).toContain('embedded database has ended')
    const again = await startProcess(env)
    expect(await customerCount()).toBe(2)
    again.child.kill('SIGTERM')
    await again.exited
  })
})

it('a sandbox has its own clock, and leaves nothing behind', async () => {
  const port = await freePort()
  const sandbox = await whenRunning(
    spawnMarquee(['sandbox', '--start', '2026-10-01'], { PORT: String(port), TMPDIR: tmpdir() }),
  )
  const [, folder] = /Data +(\S+)/.exec(sandbox.output())!
  const { headers } = await fetch(`http://127.0.0.1:${port}/healthz`)
  expect(headers.get('x-marquee-sandbox')).toBe(String(Date.parse('2026-10-01') / 1000))
  sandbox.child.kill('SIGTERM')
  expect(await sandbox.exited).toBe(0)
  await expect(stat(folder!)).rejects.toThrow('ENOENT')
})
