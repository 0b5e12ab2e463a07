// Reads images in child processes, so that no image can freeze, fill or crash the service. Memory, processor time and
// wall time are limited; a child that dies or does not answer is replaced, and its memory returns to the system. A call
// always ends: with the answer, with what is wrong with the image, or with 503. A child that ends by itself is reported
// and never held against an image.

import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { refusal } from '../../kernel/errors/problem.ts'
import type { Asked, Reply } from './child.ts'
import { type Ending, endingOf, notStarted, unfit } from './ending.ts'

/** `too_heavy`: it needs more memory or time than an image may use; `unreadable`: a child that reads others fails. */
export type Read<T> = { ok: true; answer: T } | { ok: false; why: 'too_heavy' | 'unreadable' }

export type ReadImage<T> = (bytes: Buffer) => Promise<Read<T>>

export interface ImageChildren {
  read<T>(task: string, bytes: Buffer): Promise<Read<T>>
  /** Process ids of the children that are running. */
  pids(): number[]
  stop(): Promise<void>
}

export interface ImageChildrenOptions {
  /** A file that calls `serveImages`. */
  file: URL
  /** How long one image may take. */
  longestMs?: number
  /** How long a child may take until it is ready. */
  startMs?: number
  /** How long a child lives without work. */
  idleMs?: number
  /** A child ended by itself while it was needed. */
  onEnded?: (ending: Ending) => void
}

interface Child {
  process: ChildProcess
  /** It has shown that it can read images. */
  isReady: boolean
  lastWords: string
  images: number
  idle: NodeJS.Timeout | undefined
}

export const LONGEST_MS = 30_000
export const IDLE_MS = 5_000
const MOST_IMAGES = 50
/** A child that stays larger than this after an image is replaced. */
const LARGE_BYTES = 160_000_000
const MOST_HEAP_MB = 128
/** A child may be killed from outside, for instance when the machine runs out of memory. */
const TRIES = 2
const MOST_LAST_WORDS = 4_000

export function startImageChildren(options: ImageChildrenOptions): ImageChildren {
  const { file, longestMs = LONGEST_MS, startMs = LONGEST_MS, idleMs = IDLE_MS, onEnded = () => {} } = options
  const idle: Child[] = []
  const all = new Set<Child>()
  let isStopping = false

  function begin(): Child {
    const process = fork(file, [], {
      // The child gets no settings and no secrets, so there is nothing to steal.
      env: { MALLOC_ARENA_MAX: '2' },
      execArgv: [`--max-old-space-size=${MOST_HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    })
    const child: Child = { process, isReady: false, lastWords: '', images: 0, idle: undefined }
    process.unref()
    process.channel?.unref()
    const errors = process.stderr as Socket
    errors.unref()
    errors.setEncoding('utf8').on('data', (text: string) => {
      child.lastWords = (child.lastWords + text).slice(-MOST_LAST_WORDS)
    })
    process.stdin!.on('error', () => {})
    process.on('error', () => all.delete(child))
    process.once('exit', () => {
      all.delete(child)
      leaveIdle(child)
    })
    all.add(child)
    return child
  }

  function leaveIdle(child: Child): void {
    clearTimeout(child.idle)
    const at = idle.indexOf(child)
    if (at >= 0) idle.splice(at, 1)
  }

  function end(child: Child): void {
    leaveIdle(child)
    child.process.kill('SIGKILL')
  }

  function rest(child: Child, rssBytes: number): void {
    if (isStopping || child.images >= MOST_IMAGES || rssBytes > LARGE_BYTES) {
      end(child)
      return
    }
    child.idle = setTimeout(() => end(child), idleMs).unref()
    idle.push(child)
  }

  async function read<T>(task: string, bytes: Buffer): Promise<Read<T>> {
    for (let tries = 1; ; tries++) {
      const result = await readOnce<T>(task, bytes)
      if (!('how' in result)) return result
      if (isStopping) throw refusal('stopping', {}, AGAIN)
      onEnded(result)
      if (tries === TRIES) throw refusal('images_unavailable', {}, AGAIN)
    }
  }

  function readOnce<T>(task: string, bytes: Buffer): Promise<Read<T> | Ending> {
    if (isStopping) throw refusal('stopping', {}, AGAIN)
    const child = idle.pop() ?? begin()
    clearTimeout(child.idle)
    child.images++
    const { process } = child
    return new Promise(resolve => {
      const settle = (result: Read<T> | Ending) => {
        clearTimeout(timer)
        process.off('message', replied).off('close', died).off('error', failed)
        resolve(result)
      }
      const giveUp = (result: Read<T> | Ending) => {
        end(child)
        settle(result)
      }
      const replied = (message: unknown) => {
        const said = message as Reply
        if ('ready' in said) {
          child.isReady = true
          clearTimeout(timer)
          timer = setTimeout(tooLate, longestMs)
        } else if ('unfit' in said) giveUp(unfit(said.unfit))
        else if ('over' in said) giveUp({ ok: false, why: 'too_heavy' })
        else if ('failed' in said) giveUp({ ok: false, why: 'unreadable' })
        else {
          rest(child, said.rssBytes)
          settle({ ok: true, answer: said.answer as T })
        }
      }
      const died = (code: number | null, signal: NodeJS.Signals | null) =>
        settle(endingOf(code, signal, child.lastWords))
      const failed = (error: Error) => settle(notStarted(error))
      const tooLate = () =>
        giveUp(child.isReady ? { ok: false, why: 'too_heavy' } : unfit('it does not answer'))
      let timer = setTimeout(tooLate, child.isReady ? longestMs : startMs)
      process.on('message', replied).on('close', died).on('error', failed)
      // A child that is already gone reports that by its end.
      process.send({ task, length: bytes.length } satisfies Asked, () => {})
      process.stdin!.write(bytes)
    })
  }

  return {
    read,
    pids: () => [...all].flatMap(({ process }) => process.pid ?? []),
    async stop() {
      isStopping = true
      await Promise.all(
        [...all].map(
          child =>
            new Promise(resolve => {
              // In a command, nothing else keeps the process alive until the child is gone.
              child.process.ref()
              child.process.once('exit', resolve).once('error', resolve)
              end(child)
            }),
        ),
      )
    },
  }
}

const AGAIN = { headers: { 'retry-after': '2' } }
