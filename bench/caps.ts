// What CAPS_URL costs: every bid is for a campaign with a cap and a user with a count left, with caps in the bench's
// own Redis against caps in memory. Target: at most 1.25 times as much, which is a ratio of at least 0.8.

import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../src/platform/database.ts'
import { fillWithPersonas, randomBidRequests, seededRandom } from './bid-world.ts'
import { withBenchDatabase } from './database.ts'
import { prepareForBids, startDelivering } from './marquee.ts'
import { contest, serveIfChild } from './side-by-side.ts'

const PERSONAS = Number(process.env.PERSONAS ?? 20_000)
const BODIES = 2_000
const PORT = 26_379
const CAP = 1_000

async function start(database: string, more: Record<string, string>): Promise<string> {
  const dataDir = `${process.env.BENCH_DATA!}/${more.CAPS_URL ? 'b' : 'a'}`
  const { service, url } = await startDelivering(database, dataDir, more)
  // Wait until it has loaded the caps.
  while (!service.delivery.running()!.refill.hasCapsDuty()) await pause(100)
  return url
}

const contestants = {
  bare: () => start(process.env.BENCH_DATABASE!, {}),
  marquee: () => start(process.env.BENCH_TWIN!, { CAPS_URL: `redis://127.0.0.1:${PORT}` }),
}

if (!(await serveIfChild({ contestants }))) {
  const args = ['--port', String(PORT), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const redis = spawn('redis-server', args, { stdio: 'ignore' })
  try {
    await withBenchDatabase(async (url, dataDir) => {
      while (!(await isUp())) await pause(50)
      const random = seededRandom(Number(process.env.SEED ?? 7))
      const path = await prepareForBids(url, dataDir)
      const db = openDatabase({ url, maxConnections: 2, onError: () => undefined })
      await fillWithPersonas(db, PERSONAS, random)
      await db.run('update campaign set freq = $1', [CAP])
      await db.run('delete from duty')
      await db.close()
      // A deployment keeps caps in only one way, so each contestant has its own database with the same content.
      const twin = await twinOf(url)
      const bodies = randomBidRequests(BODIES, random).map((request, n) =>
        JSON.stringify({ ...request, user: { id: `user-${n}` } }),
      )
      const headers = { 'content-type': 'application/json', 'x-openrtb-version': '2.6' }
      await contest({
        name: 'bid with CAPS_URL against caps in memory',
        file: import.meta.filename,
        contestants,
        env: { BENCH_DATABASE: url, BENCH_TWIN: twin, BENCH_DATA: dataDir },
        load: n => ({ method: 'POST', path, headers, body: bodies[n % BODIES]! }),
        expectStatus: status => status === 200 || status === 204,
        target: 0.8,
      })
    })
  } finally {
    redis.kill()
  }
}

async function twinOf(url: string): Promise<string> {
  const named = (name: string) => url.replace(/^([^?]*\/)[^/?]*/, `$1${name}`)
  const [, name] = /\/([^/?]*)(?:\?|$)/.exec(url)!
  const server = openDatabase({ url: named('postgres'), maxConnections: 1, onError: () => undefined })
  await server.run(`create database ${name}_twin template ${name}`)
  await server.close()
  return named(`${name}_twin`)
}

function isUp(): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(PORT, '127.0.0.1')
    socket.on('connect', () => resolve(socket.destroy() !== null))
    socket.on('error', () => resolve(false))
  })
}
