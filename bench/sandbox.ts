// How fast the clock of a sandbox moves: a month of 20 campaigns of 5 customers with 100,000 ad requests and their
// events, and days without visitors. Prints wall-clock time, and processor time, which other work on the machine does
// not affect. REQUESTS=… and DAYS=… change the month, CPU_PROF=… names a folder for a profile.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { postmasterPid } from '../src/platform/embedded-postgres/cluster.ts'
import { freePort } from '../test/support/ports.ts'
import { postgresSeconds, processSeconds } from './processor.ts'

const REQUESTS = Number(process.env.REQUESTS ?? 100_000)
const DAYS = Number(process.env.DAYS ?? 30)
const EMPTY_DAYS = 10
const ZONES = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Tokyo', null]
const CAMPAIGNS_A_CUSTOMER = 4
const DAY_S = 86_400
const START_S = Date.parse('2026-10-01T00:00:00Z') / 1000
const TARGETS = { month: 60, emptyDay: 0.2 }
const MAIN = join(import.meta.dirname, '../src/main.js')

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire
type Json = any

interface Sandbox {
  url: string
  call(method: string, path: string, body?: unknown): Promise<Json>
  processorSeconds(): { service: number; database: number }
}

/** Starts the sandbox as people do: with its own database, which is removed afterwards. */
async function main(): Promise<void> {
  const tmp = await mkdtemp(join(tmpdir(), 'marquee-bench-'))
  const port = await freePort()
  const env = { PATH: process.env.PATH, TMPDIR: tmp, PORT: String(port), LOG_LEVEL: 'warn' }
  const folder = process.env.CPU_PROF
  const profile = folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
  const child = spawn(process.execPath, [...profile, MAIN, 'sandbox', '--start', '2026-10-01'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  try {
    await measure(await sandboxAt(`http://localhost:${port}`, tmp, child))
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    await rm(tmp, { recursive: true, force: true })
  }
}

async function sandboxAt(url: string, tmp: string, child: ChildProcess): Promise<Sandbox> {
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok)
    await new Promise(resolve => setTimeout(resolve, 100))
  const dataDir = join(tmp, (await readdir(tmp)).find(name => name.startsWith('marquee-sandbox-'))!)
  const serverPid = (await postmasterPid(join(dataDir, 'postgres')))!
  const { superkey, supertoken } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'))
  const headers = { 'x-access-superkey': superkey, 'x-access-supertoken': supertoken }
  return {
    url,
    processorSeconds: () => ({ service: processSeconds(child.pid!), database: postgresSeconds(serverPid) }),
    async call(method, path, body) {
      const answer = await fetch(url + path, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      if (answer.status >= 400) throw new Error(`${method} ${path}: ${await answer.text()}`)
      return answer.json()
    },
  }
}

async function measure(sandbox: Sandbox): Promise<void> {
  await createCampaigns(sandbox)
  const month = await timed(sandbox, async () => {
    const body = { to: START_S + DAYS * DAY_S, requests: REQUESTS, seed: 'bench' }
    let traffic = await sandbox.call('POST', '/sandbox/traffic', body)
    while (!traffic.done) traffic = await afterAMoment(() => sandbox.call('GET', '/sandbox/traffic'))
    console.log(
      `${traffic.requests} requests, ${traffic.served} served: ${JSON.stringify(traffic.counted)} ` +
        `${JSON.stringify(traffic.refused)}`,
    )
  })
  tell(`${DAYS} days, ${REQUESTS} requests`, month, 1, TARGETS.month)
  const empty = await timed(sandbox, async () => {
    let clock = await sandbox.call('POST', '/sandbox/clock', { by: EMPTY_DAYS * DAY_S })
    while (clock.target !== null) clock = await afterAMoment(() => sandbox.call('GET', '/sandbox/clock'))
  })
  tell('a day without visitors', empty, EMPTY_DAYS, TARGETS.emptyDay)
}

/** Each customer has campaigns whose budgets get spent and others whose do not, and one with a cap. */
async function createCampaigns({ url, call }: Sandbox): Promise<void> {
  for (const [number, timezone] of ZONES.entries()) {
    const customer = { company: `Shop ${number}`, email: `c${number}@shop.example` }
    const { cuid } = await call('POST', '/customer', { ...customer, ...(timezone ? { timezone } : {}) })
    for (let at = 0; at < CAMPAIGNS_A_CUSTOMER; at++) {
      const campaign = {
        ...{
          name: `Campaign ${at}`,
          start: START_S,
          end: START_S + 60 * DAY_S,
          cpm: 2 + ((number + at) % 3),
        },
        ...[
          { dailySpend: 0.5 },
          { dailySpend: 2, freq: 3 },
          { dailySpend: 5, pacing: 'asap' },
          { dailySpend: 50 },
        ][at]!,
      }
      const { cid } = await call('POST', `/campaign?cuid=${cuid}`, campaign)
      const geos = [['CA'], ['US'], ['CA', 'US'], ['GB', 'DE', 'FR', 'CA', 'US']][at]
      const { pid } = await call('POST', `/campaign/${cid}/persona?cuid=${cuid}`, {
        ...{ name: 'Visitors', geo: { geos }, device: { mobile: true, tablet: true, desktop: true } },
      })
      for (const size of ['300x250', '728x90', '320x50'])
        await call('POST', `/campaign/${cid}/persona/${pid}/banner?cuid=${cuid}`, {
          creativeURL: `${url}/sandbox/image/approved/${size}.png`,
          clickUrl: 'https://shop.example/',
        })
    }
  }
  await call('POST', '/sandbox/clock', { by: 1 })
}

async function afterAMoment<T>(work: () => Promise<T>): Promise<T> {
  await new Promise(resolve => setTimeout(resolve, 100))
  return work()
}

interface Took {
  seconds: number
  service: number
  database: number
}

async function timed({ processorSeconds }: Sandbox, work: () => Promise<void>): Promise<Took> {
  const startedMs = performance.now()
  const before = processorSeconds()
  await work()
  const after = processorSeconds()
  return {
    seconds: (performance.now() - startedMs) / 1000,
    service: after.service - before.service,
    database: after.database - before.database,
  }
}

function tell(what: string, { seconds, service, database }: Took, parts: number, target: number): void {
  const each = (all: number) => `${(all / parts).toFixed(2)} s`
  const verdict = seconds / parts <= target ? 'ok' : 'ABOVE TARGET'
  console.log(
    `${what.padEnd(34)} ${each(seconds)}   processor time: service ${each(service)}, PostgreSQL ${each(database)}   ` +
      `target ${target.toFixed(2)} s   ${verdict}   load ${loadavg()[0]!.toFixed(1)}`,
  )
  if (seconds / parts > target) process.exitCode = 1
}

main()
