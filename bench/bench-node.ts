// A delivering process, for benches with several of them: it can be started, asked for its state, and told that a new
// day begins.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { DAY_MS } from '../src/kernel/time/units.ts'
import { startDelivering } from './marquee.ts'

export interface BenchNode {
  process: ChildProcess
  url: string
  cpuS(): Promise<number>
  /** How many campaigns have their share of today. */
  sellable(): Promise<number>
  /** Moves the clock of this process to the next midnight. */
  startDay(): Promise<void>
  stop(): Promise<void>
}

/** Runs in the child. */
export async function serveAsNode(): Promise<void> {
  let shiftMs = 0
  const nowMs = () => Date.now() + shiftMs
  const clock = { nowMs, monotonicMs: () => performance.now(), databaseMs: nowMs }
  const { service, url } = await startDelivering(
    process.env.BENCH_DATABASE!,
    process.env.BENCH_NODE!,
    {},
    clock,
  )
  const { ledger } = service.delivery.running()!
  const sellable = () => {
    const { campaigns, waiting } = ledger.asking.waiting(nowMs())
    return campaigns - waiting
  }
  process.on('message', message => {
    if (message === 'cpu') process.send!(process.cpuUsage())
    else if (message === 'sellable') process.send!(sellable())
    else if (message === 'midnight') {
      shiftMs += DAY_MS - (nowMs() % DAY_MS)
      process.send!('done')
    } else void service.stop().then(() => process.exit())
  })
  process.send!(url)
}

/** `file` is the bench, which must call `serveAsNode` in the child. */
export async function startNode(file: string, databaseUrl: string, dataDir: string): Promise<BenchNode> {
  const child = fork(file, {
    env: { ...process.env, BENCH_DATABASE: databaseUrl, BENCH_NODE: dataDir, TIMEZONE: 'UTC' },
  })
  const [url] = await once(child, 'message')
  async function ask(message: string) {
    child.send(message)
    return (await once(child, 'message'))[0]
  }
  return {
    process: child,
    url,
    async cpuS() {
      const usage = await ask('cpu')
      return (usage.user + usage.system) / 1e6
    },
    sellable: () => ask('sellable'),
    startDay: () => ask('midnight'),
    async stop() {
      child.send('stop')
      await once(child, 'exit')
    },
  }
}
