// Honest traffic during each attack that once blocked everybody: the p99 of ads, pixels and reads through the API, in
// calm and under attack, and their ratio, which should be at most 3. Calm and attacked phases alternate, so that both
// meet the same machine. Service, visitors and attacker are separate processes. A real attacker has its own machine, so
// here it has the lowest priority: the bench measures the work that it causes, not the cost of sending. Run by root,
// all other processes have the highest priority.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { ATTACKS } from './abuse-attacks.ts'
import { buildWorld, fillHostile, type Target } from './abuse-world.ts'
import { withBenchDatabase } from './database.ts'
import { createVisitors, type Times } from './honest-visitors.ts'
import { benchService } from './marquee.ts'
import { serveIfChild } from './side-by-side.ts'

/** The length of a phase. */
const SECONDS = Number(process.env.ABUSE_SECONDS ?? 3)
const ROUNDS = Number(process.env.ABUSE_ROUNDS ?? 3)
/** Only attacks whose name contains this. */
const ONLY = process.env.ABUSE_ONLY ?? ''
const TARGET = 3
/** Time for an attack to get going, and for its last requests to be answered. */
const SETTLE_MS = 500

/** The service with its usual limits, which are what is measured. */
async function marquee(): Promise<string> {
  const service = await benchService(process.env.BENCH_DATABASE!, process.env.BENCH_DATA!, {
    ROLES: 'api,delivery,worker',
    RATE_LIMIT: '50',
    RATE_BURST: '200',
    // Attacks come from there: as from so many clients, or through a proxy.
    TRUST_PROXY: '127.66.0.0/16',
  })
  const url = await service.listen()
  await service.delivery.started
  return url
}

async function start(env: Record<string, string>): Promise<{ child: ChildProcess; message: unknown }> {
  const child = fork(import.meta.filename, [], { env: { ...process.env, ...env } })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  const [message] = await once(child, 'message')
  return { child, message }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** What the attacker was answered, by status. */
type Answers = Record<string, number>

async function attacked<T>(name: string, target: Target, work: () => Promise<T>): Promise<[T, Answers]> {
  const { child } = await start({ ABUSE_ATTACK: name, ABUSE_TARGET: JSON.stringify(target) })
  try {
    await pause(SETTLE_MS)
    const result = await work()
    child.send('answers')
    const [answers] = (await once(child, 'message')) as [Answers]
    return [result, answers]
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
    await pause(SETTLE_MS)
  }
}

function p99(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
}

const KINDS = ['ads', 'pixels', 'reads'] as const

function add(sums: Times, times: Times): void {
  for (const kind of KINDS) sums[kind].push(...times[kind])
  sums.served += times.served
}

const none = (): Times => ({ ads: [], pixels: [], reads: [], served: 0 })

function addAnswers(sums: Answers, answers: Answers): void {
  for (const [status, count] of Object.entries(answers)) sums[status] = (sums[status] ?? 0) + count
}

/** True if every ratio is within the target. */
function report(name: string, calm: Times, attack: Times, answers: Answers): boolean {
  let isWithin = true
  const cells = KINDS.map(kind => {
    const [calmP99, attackedP99] = [p99(calm[kind]), p99(attack[kind])]
    const ratio = attackedP99 / calmP99
    if (!(ratio <= TARGET)) isWithin = false
    return `${calmP99.toFixed(1).padStart(6)} ${attackedP99.toFixed(1).padStart(6)} ${ratio.toFixed(1).padStart(5)}`
  })
  const served = Math.round((100 * attack.served) / attack.ads.length)
  const statuses = Object.entries(answers).map(([status, count]) => `${status}: ${count}`)
  console.log(`${cells.join(' |')} | ${String(served).padStart(3)} % ${isWithin ? '  ' : '! '} ${name}`)
  console.log(`${' '.repeat(72)}${ATTACKS[name]!.sends}; answered ${statuses.join(', ') || 'nothing'}`)
  return isWithin
}

/** Raises the priority of this process and those that it starts: PostgreSQL and the service. */
function goAhead(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST)
  } catch {
    // Not permitted: then other work on the machine affects the figures.
  }
}

async function main(): Promise<void> {
  goAhead()
  await withBenchDatabase(async (url, dataDir) => {
    const env = { BENCH_DATABASE: url, BENCH_DATA: dataDir, BENCH_CONTESTANT: 'marquee' }
    const { child, message } = await start(env)
    const { url: baseUrl } = message as { url: string }
    const target = await buildWorld(baseUrl, join(dataDir, 'credentials.json'))
    await fillHostile(baseUrl, target.hostile, url)
    const visitors = createVisitors(target)
    await visitors.visit(SECONDS * ROUNDS)
    console.log(
      'p99 in ms: calm, attacked, ratio\n        ads         |       pixels       |       reads        | filled',
    )
    let isWithin = true
    for (const name of Object.keys(ATTACKS).filter(known => known.includes(ONLY))) {
      const [calm, attack, answers] = [none(), none(), {} as Answers]
      // A warm-up: code is compiled while it runs, and connection pools grow with the first requests.
      await attacked(name, target, () => visitors.visit(1))
      for (let round = 0; round < ROUNDS; round++) {
        add(calm, await visitors.visit(SECONDS))
        const [times, got] = await attacked(name, target, () => visitors.visit(SECONDS))
        add(attack, times)
        addAnswers(answers, got)
      }
      isWithin = report(name, calm, attack, answers) && isWithin
    }
    visitors.leave()
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (!isWithin) process.exitCode = 1
  })
}

const attack = process.env.ABUSE_ATTACK
if (attack !== undefined) {
  const { begin } = await import('./abuse-attacker.ts')
  begin(attack, JSON.parse(process.env.ABUSE_TARGET!))
} else if (!(await serveIfChild({ contestants: { marquee, bare: marquee } }))) {
  await main().catch(error => {
    console.error(error)
    process.exitCode = 1
  })
}
