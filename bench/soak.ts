// The service under mixed honest traffic for an hour (SOAK_SECONDS), with a connection to the database that is cut from
// time to time, or silent for seconds: memory, descriptors, connections and tables are flat after the warm-up. Then the
// idle service must need less than 5 ms of processor time per second.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../test/support/ports.ts'
import { openTcpProxy, type TcpProxy } from '../test/support/tcp-proxy.ts'
import { buildWorld } from './abuse-world.ts'
import { withBenchDatabase } from './database.ts'
import { postgresSeconds, processSeconds } from './processor.ts'
import { grown, readSigns, type Signs } from './soak-signs.ts'
import { startTraffic } from './soak-traffic.ts'

const SECONDS = Number(process.env.SOAK_SECONDS ?? 3600)
const STEPS_PER_SECOND = Number(process.env.SOAK_RATE ?? 40)
const SAMPLES = 30
/**
 * In the three minutes after the last work, V8 compacts the memory of the process two or three times; idle time begins
 * after that. It is measured for long enough to be exact in spite of the kernel's ticks of 10 ms.
 */
const REST_SECONDS = 200
const IDLE_SECONDS = Number(process.env.SOAK_IDLE ?? 50)
const IDLE_MS = 5
const MAIN = join(import.meta.dirname, '../src/main.js')

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/**
 * Every 20 s the connection is silent for 3 s, or is cut, in a cycle of one silence and two cuts. In a short run this
 * begins sooner: clients open connections while they wait and keep them, so the first silence must be in the warm-up.
 */
function disturb(proxy: TcpProxy): NodeJS.Timeout {
  let times = 0
  return setInterval(
    () => {
      if (times++ % 3 > 0) return proxy.cut()
      proxy.swallow()
      setTimeout(() => {
        proxy.heal()
        proxy.cut()
      }, 3000)
    },
    Math.min(20_000, (SECONDS * 1000) / 5),
  )
}

async function startService(databaseUrl: string, dataDir: string, port: number) {
  const env = {
    ...{ PATH: process.env.PATH, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, HOST: '127.0.0.1' },
    ...{ PORT: String(port), TRUST_PROXY: 'loopback', LOG_LEVEL: 'silent' },
  }
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', chunk => (output += chunk))
  while (!output.includes('Marquee is running')) {
    if (child.exitCode !== null) throw new Error(`the service did not start: ${output}`)
    await pause(50)
  }
  return child
}

async function tellIdle(servicePid: number, serverPid: number): Promise<void> {
  await pause(REST_SECONDS * 1000)
  const before = [processSeconds(servicePid), postgresSeconds(serverPid)] as const
  await pause(IDLE_SECONDS * 1000)
  const perSecond = (now: number, then: number) => ((now - then) * 1000) / IDLE_SECONDS
  const service = perSecond(processSeconds(servicePid), before[0])
  const database = perSecond(postgresSeconds(serverPid), before[1])
  console.log(
    `idle: the service takes ${service.toFixed(1)} ms of processor time per second (wanted: under ${IDLE_MS}), ` +
      `PostgreSQL ${database.toFixed(1)}`,
  )
  if (service >= IDLE_MS) process.exitCode = 1
}

async function main(): Promise<void> {
  await withBenchDatabase(async (url, dataDir, serverPid) => {
    const proxy = await openTcpProxy(url)
    const port = await freePort()
    const service = await startService(proxy.url, join(dataDir, 'service'), port)
    const database = new pg.Client({ connectionString: url, application_name: 'soak' })
    await database.connect()
    const credentials = join(dataDir, 'service', 'credentials.json')
    const target = await buildWorld(`http://127.0.0.1:${port}`, credentials)
    const traffic = startTraffic(target, target.bidUrl, STEPS_PER_SECOND)
    const faults = disturb(proxy)
    const samples: Signs[] = []
    console.log(`soak: ${SECONDS} s, ${STEPS_PER_SECOND} steps per second`)
    for (let n = 0; n < SAMPLES; n++) {
      await pause((SECONDS * 1000) / SAMPLES)
      samples.push(await readSigns(service.pid!, database))
    }
    clearInterval(faults)
    await traffic.stop()
    console.table(samples)
    console.log(`steps: ${JSON.stringify(traffic.counts())}`)
    const growing = grown(samples)
    console.log(growing.length === 0 ? 'flat after warm-up' : `NOT flat: ${growing.join(', ')}`)
    if (growing.length > 0) process.exitCode = 1
    if (IDLE_SECONDS > 0) await tellIdle(service.pid!, serverPid)
    service.kill('SIGTERM')
    await once(service, 'exit')
    await database.end()
    await proxy.close()
  })
}

main()
