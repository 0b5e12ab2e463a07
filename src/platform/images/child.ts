// The child process that reads images, one at a time: requests come as messages, the bytes over standard input; answers
// go out as messages. It watches its own memory and processor time, and ends with the process that started it.

import { writeFile } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** What the parent asks for; `length` bytes follow on standard input. */
export interface Asked {
  task: string
  length: number
}

/**
 * `ready`: the child can read images; `unfit`: it cannot, and why. `over`: the limit that the image has reached; the
 * child cannot be used again.
 */
export type Reply =
  | { ready: true }
  | { unfit: string }
  | { answer: unknown; rssBytes: number }
  | { failed: string }
  | { over: 'memory' | 'processor' }

export interface ChildLimits {
  mostMemoryBytes: number
  mostProcessorMs: number
}

/** What reading an image may cost. */
export const IMAGE_LIMITS: ChildLimits = { mostMemoryBytes: 400_000_000, mostProcessorMs: 15_000 }
const WATCH_MS = 20
/** The highest score for the out-of-memory killer: it should end an image rather than the service. */
const FIRST_TO_GO = '1000'

/** `prove` reads an image that is known to be good. If that fails, no image is to blame. */
export function serveImages(
  tasks: Record<string, (bytes: Buffer) => Promise<unknown>>,
  limits: ChildLimits,
  prove: () => Promise<unknown> = async () => {},
): void {
  let isReady = false
  let asked: Asked | null = null
  let received: Buffer[] = []
  let receivedBytes = 0
  let busySince: NodeJS.CpuUsage | null = null

  letRequestsGoFirst()
  if (process.platform === 'linux') writeFile('/proc/self/oom_score_adj', FIRST_TO_GO, () => {})
  // Ctrl-C reaches children too, but the parent decides when they end.
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
  void prove().then(
    () => {
      isReady = true
      send({ ready: true })
      void runWhenThere()
    },
    error => process.send!({ unfit: wordsOf(error) } satisfies Reply, endNow),
  )

  async function runWhenThere(): Promise<void> {
    if (!isReady || !asked || busySince || receivedBytes < asked.length) return
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
      send({ failed: wordsOf(error) })
    }
    busySince = null
  }

  /** The decoder works in its own threads, so this thread can watch in time. */
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

/** Where that is forbidden, images compete with requests, but are read. */
function letRequestsGoFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch {}
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Does not wait for a decoder that is still working. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL')
}
