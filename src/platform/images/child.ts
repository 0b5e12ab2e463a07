// The child process that reads images, one at a time: what is asked comes as a message, the bytes by standard input,
// the answer as a message. It watches its own memory and processor time, and ends with the process that started it.

import { writeFile } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** What the parent asks for; `length` bytes follow on standard input. */
export interface Asked {
  task: string
  length: number
}

/** `over`: which limit the image has reached; then the child is of no more use. */
export type Reply =
  | { answer: unknown; rssBytes: number }
  | { failed: string }
  | { over: 'memory' | 'processor' }

export interface ChildLimits {
  mostMemoryBytes: number
  mostProcessorMs: number
}

const WATCH_MS = 20
/** The first to go where memory runs out: better an image than the service. */
const FIRST_TO_GO = '1000'

export function serveImages(
  tasks: Record<string, (bytes: Buffer) => Promise<unknown>>,
  limits: ChildLimits,
): void {
  let asked: Asked | null = null
  let received: Buffer[] = []
  let receivedBytes = 0
  let busySince: NodeJS.CpuUsage | null = null

  // Requests have priority over images.
  setPriority(constants.priority.PRIORITY_LOW)
  if (process.platform === 'linux') writeFile('/proc/self/oom_score_adj', FIRST_TO_GO, () => {})
  // Ctrl-C reaches children too, but it is the parent who decides.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', endNow)
  process.on('message', message => {
    asked = message as Asked
    void runWhenThere()
  })
  process.stdin.on('data', (chunk: Buffer) => {
    received.push(chunk)
    receivedBytes += chunk.length
    void runWhenThere()
  })
  setInterval(watch, WATCH_MS)

  async function runWhenThere(): Promise<void> {
    if (!asked || busySince || receivedBytes < asked.length) return
    const { task } = asked
    const bytes = Buffer.concat(received)
    asked = null
    received = []
    receivedBytes = 0
    busySince = process.cpuUsage()
    try {
      const answer = await tasks[task]!(bytes)
      send({ answer, rssBytes: process.memoryUsage.rss() })
    } catch (error) {
      send({ failed: error instanceof Error ? error.message : String(error) })
    }
    busySince = null
  }

  /** The decoder works in threads of its own, so this one looks on time. */
  function watch(): void {
    if (!busySince) return
    const { user, system } = process.cpuUsage(busySince)
    if (process.memoryUsage.rss() > limits.mostMemoryBytes) giveUp('memory')
    else if ((user + system) / 1000 > limits.mostProcessorMs) giveUp('processor')
  }

  function giveUp(over: 'memory' | 'processor'): void {
    process.send!({ over } satisfies Reply, endNow)
  }

  function send(reply: Reply): void {
    process.send!(reply)
  }
}

/** Without waiting for a decoder that is at work. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}
