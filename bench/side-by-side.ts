// Two servers in separate processes get the same load in turns: requests per CPU second of each, and the ratio. The
// ratio is taken from one run, because machines are noisy.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'

export interface Load {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface Contest {
  name: string
  /** The file that calls contest(); it is forked once per contestant. */
  file: string
  /** Starts a server in the child and returns its URL. */
  contestants: { bare: () => Promise<string>; marquee: () => Promise<string> }
  /** What a child needs to know, passed in environment variables. */
  env: Record<string, string>
  load: (index: number) => Load
  /** Which statuses are right; any other stops the bench. */
  expectStatus: (status: number) => boolean
  rounds?: number
  /** Rounds before those that count, because code is compiled during the first few thousand requests. */
  warmUpRounds?: number
  requestsARound?: number
  connections?: number
  /** The lowest ratio that we promise. */
  target: number
}

/** In the child: starts the contestant that the parent names, and reports its CPU time when asked. */
export async function serveIfChild(contest: {
  contestants: Record<string, () => Promise<string>>
}): Promise<boolean> {
  const name = process.env.BENCH_CONTESTANT
  if (!name) return false
  const url = await contest.contestants[name]!()
  process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
  process.send?.({ url })
  return true
}

export async function contest(options: Contest): Promise<number> {
  const { rounds = 5, warmUpRounds = 1, requestsARound = 4000, connections = 32 } = options
  const children = {
    bare: await startChild(options, 'bare'),
    marquee: await startChild(options, 'marquee'),
  }
  try {
    const rates = { bare: [] as number[], marquee: [] as number[] }
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      for (const name of ['bare', 'marquee'] as const) {
        const rate = await measure(children[name], options, requestsARound, connections)
        if (round >= warmUpRounds) rates[name].push(rate)
      }
    }
    return report(options, median(rates.bare), median(rates.marquee))
  } finally {
    for (const { child } of Object.values(children)) child.kill('SIGKILL')
  }
}

function report({ name, target }: Contest, bare: number, marquee: number): number {
  const ratio = marquee / bare
  const verdict = ratio >= target ? 'ok' : 'BELOW TARGET'
  console.log(
    `${name.padEnd(34)} bare ${bare.toFixed(0).padStart(6)}/cpu-s   marquee ${marquee.toFixed(0).padStart(6)}/cpu-s   ` +
      `ratio ${ratio.toFixed(2)}   target ${target.toFixed(2)}   ${verdict}`,
  )
  return ratio
}

interface Child {
  child: ChildProcess
  url: string
}

async function startChild(options: Contest, name: 'bare' | 'marquee'): Promise<Child> {
  const child = fork(options.file, [], { env: { ...process.env, ...options.env, BENCH_CONTESTANT: name } })
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`the ${name} server of ${options.name} ended`)
    }),
  ])) as [{ url: string }]
  return { child, url: message.url }
}

async function cpuSeconds(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }]
  return (cpu.user + cpu.system) / 1e6
}

async function measure(
  { child, url }: Child,
  options: Contest,
  requests: number,
  connections: number,
): Promise<number> {
  const before = await cpuSeconds(child)
  await drive(url, options, requests, connections)
  return requests / ((await cpuSeconds(child)) - before)
}

/** Sends a fixed number of requests over a fixed number of connections, each as soon as the last one was answered. */
async function drive(url: string, options: Contest, requests: number, connections: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(url)
  let next = 0
  const worker = async () => {
    while (next < requests) {
      const status = await send({ agent, hostname, port, ...options.load(next++) })
      if (!options.expectStatus(status)) throw new Error(`${options.name}: status ${status} from ${url}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  agent.destroy()
}

function send(target: Load & { agent: Agent; hostname: string; port: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(target, answer => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
    })
    outgoing.on('error', reject)
    outgoing.end(target.body)
  })
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
