// Several processes on one port, started by one command, on the embedded database, as an operator runs them.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { freePort } from '../../../test/support/ports.ts'
import { type ServiceProcess, startProcess } from '../../../test/support/process.ts'
import { findBinaries, missingFixes } from '../../platform/embedded-postgres/binaries.ts'

const PROCESSES = 3
let folder: string
let url: string
let service: ServiceProcess
let pair: Record<string, string>

interface Answer {
  status: number
  text: string
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marquee-processes-'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  service = await startProcess({
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: folder,
    PROCESSES: String(PROCESSES),
  })
  const { superkey, supertoken } = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8'))
  pair = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
  await allReady()
})
afterAll(async () => {
  service?.child.kill('SIGTERM')
  await service?.exited
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** Each request uses a connection of its own. */
function ask(method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...pair, ...(body ? { 'content-type': 'application/json' } : {}) }
    const asked = request(`${url}${path}`, { method, headers, agent: false }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

async function partsOfMain(): Promise<Record<string, string> | null> {
  const { status, text } = await ask('GET', '/readyz')
  const { parts } = JSON.parse(text)
  return status === 200 && 'process 2' in parts ? parts : null
}

function allReady(): Promise<Record<string, string>> {
  return until(async () => {
    const parts = await partsOfMain()
    return parts?.['process 2'] === 'is ready' && parts['process 3'] === 'is ready' ? parts : null
  })
}

test('each takes its turn on the one port, and says which one it is', async () => {
  const seen = new Set<string>()
  await until(async () => {
    seen.add(JSON.parse((await ask('GET', '/readyz')).text).parts.process)
    return seen.size === PROCESSES ? true : null
  })
  expect([...seen].toSorted()).toEqual([
    'runs as api, delivery, 2 of 3',
    'runs as api, delivery, 3 of 3',
    'runs as api, delivery, worker, 1 of 3',
  ])
})

test('each line of the log says which of them wrote it', () => {
  const lines = service
    .output()
    .match(/^\{.*\}$/gm)!
    .map(line => JSON.parse(line) as { process?: number; msg: string })
  expect(lines.filter(line => line.process === undefined)).toEqual([])
  const started = lines.filter(line => line.msg === 'delivery has started')
  expect(started.map(line => line.process).toSorted()).toEqual([1, 2, 3])
})

test('an embedded database behind the newest version that is known says so in the log, once', async () => {
  const { root } = await findBinaries()
  const { version } = JSON.parse(await readFile(join(root, '../package.json'), 'utf8'))
  const said = service.output().match(/with its fixes is out/g) ?? []
  expect(said).toHaveLength(missingFixes(version) ? 1 : 0)
})

test('an object that one process created is known to all', async () => {
  for (let n = 0; n < 2 * PROCESSES; n++) {
    const made = await ask('POST', '/customer', { company: 'Blue Bikes', email: `c${n}@bikes.example` })
    expect([made.status, made.text]).toEqual([201, expect.anything()])
  }
  for (let n = 0; n < PROCESSES; n++)
    expect((await ask('GET', '/customer')).text.match(/@bikes\.example/g)).toHaveLength(2 * PROCESSES)
})

test('any process returns the metrics of all, each under its number and one heading', async () => {
  for (let n = 0; n < PROCESSES; n++) {
    const { text } = await ask('GET', '/metrics')
    for (const number of [1, 2, 3])
      expect(text).toMatch(new RegExp(`^process_start_time_seconds\\{process="${number}"\\} `, 'm'))
    expect(text.match(/^# TYPE marquee_ad_places_total counter$/gm)).toHaveLength(1)
  }
})

test('a child that hangs costs one connection, then gets none, and the log says so', async () => {
  const [, number, pid] = /"child":(\d),"pid":(\d+),"msg":"a child was started"/.exec(service.output())!
  const said = (words: string) => new RegExp(`"child":${number},"pid":${pid},"msg":"${words}`)
  process.kill(Number(pid), 'SIGSTOP')
  try {
    let answered = 0
    const asked = Array.from({ length: 30 }, async () => {
      await ask('GET', '/readyz')
      answered++
    })
    await until(async () => answered >= 29 || null)
    void Promise.allSettled(asked)
    await until(
      async () => said('a child does not respond: it gets no connections').test(service.output()) || null,
    )
    for (let n = 0; n < 2 * PROCESSES; n++) expect((await ask('GET', '/readyz')).status).toBe(200)
  } finally {
    process.kill(Number(pid), 'SIGCONT')
  }
  await until(async () => said('a child responds again').test(service.output()) || null)
})

test('a child that dies is restarted, and nobody is refused meanwhile', async () => {
  const pids = [...service.output().matchAll(/"child":(\d),"pid":(\d+),"msg":"a child was started"/g)]
  process.kill(Number(pids[0]![2]), 'SIGKILL')
  await until(async () =>
    service.output().includes('a child process died and will be restarted') ? true : null,
  )
  for (let n = 0; n < 2 * PROCESSES; n++) expect((await ask('GET', '/customer')).status).toBe(200)
  await allReady()
})

test('one signal ends all of them, cleanly', async () => {
  const pids = [...service.output().matchAll(/"pid":(\d+),"msg":"a child was started"/g)].map(([, pid]) =>
    Number(pid),
  )
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(service.output()).not.toContain('left behind')
})
