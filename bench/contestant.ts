// A server in a process of its own, started as in side-by-side.ts, that a bench sends requests to and whose processor
// time it reads.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool } from 'undici'
import type { Load } from './side-by-side.ts'
import type { Answer, Ask } from './whole-world.ts'

export interface Contestant {
  send(load: Load): Promise<Answer>
  /** The processor time of its process so far. */
  seconds(): Promise<number>
  stop(): Promise<void>
}

/** `file` is the bench, which calls `serveIfChild` in the child. */
export async function startContestant(
  file: string,
  name: string,
  env: Record<string, string>,
  connections: number,
): Promise<Contestant> {
  const child = fork(file, [], { env: { ...process.env, ...env, BENCH_CONTESTANT: name } })
  process.once('exit', () => child.kill('SIGKILL'))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const pool = new Pool(url, { connections, pipelining: 1 })
  return {
    async send(load) {
      const { statusCode: status, headers, body } = await pool.request(load)
      return { status, text: await body.text(), cookie: headers['set-cookie']?.toString() ?? null }
    },
    async seconds() {
      child.send('cpu')
      const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }]
      return (cpu.user + cpu.system) / 1e6
    },
    async stop() {
      await pool.destroy()
      child.kill('SIGKILL')
    },
  }
}

export function isAd({ status, text }: Answer): boolean {
  if (status !== 200 && status !== 204) throw new Error(`a request was answered with ${status}: ${text}`)
  return status === 200 && !text.startsWith('{"ad":null')
}

/** Asks `server` for an ad and reports to `other` that it was seen. False: there was no ad. */
export async function serveAd(server: Contestant, ask: Ask, other = server): Promise<boolean> {
  const answer = await server.send(ask.load)
  if (!isAd(answer)) return false
  await report(other, ask.report(answer))
  return true
}

/** The same two requests, whatever the answer is. */
export async function askAndReport(server: Contestant, ask: Ask, load: Load): Promise<void> {
  await server.send(ask.load)
  await report(server, load)
}

async function report(server: Contestant, load: Load): Promise<void> {
  const { status } = await server.send(load)
  if (status !== 200) throw new Error(`a report was answered with ${status}`)
}
