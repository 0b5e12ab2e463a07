// A real Redis for one test, which stores nothing on disk.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { until } from './banners.ts'
import { freePort } from './ports.ts'

export interface TestRedis {
  url: string
  /** From now on it accepts connections but answers nothing. */
  freeze(): void
  thaw(): void
  /** The number of scripts it has run. */
  scriptsRun(): Promise<number>
  /** It forgets everything and continues. */
  empty(): Promise<void>
  stop(): Promise<void>
}

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  await until(async () => ((await isUp(port)) ? true : null))
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async scriptsRun() {
      const socket = connect(port, '127.0.0.1')
      socket.end('INFO commandstats\r\n')
      const stats = Buffer.concat(await socket.toArray()).toString()
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
    },
    async empty() {
      const socket = connect(port, '127.0.0.1')
      socket.end('FLUSHALL\r\n')
      await once(socket.resume(), 'close')
    },
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

function isUp(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
