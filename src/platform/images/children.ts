// Reads images in child processes, so that no image can freeze, fill or crash the service. Memory, processor time and
// wall time are limited; a child that dies or does not answer is replaced, and its memory returns to the system. A call
// always ends: with the answer, with what is wrong with the image, or with 503.

import { type ChildProcess, fork } from 'node:child_process'
import { refusal } from '../../kernel/errors/problem.ts'
import type { Asked, Reply } from './child.ts'

/** `too_heavy`: it needs more memory or time than an image may use; `deadly`: it ends every process that reads it. */
export type Read<T> = { ok: true; answer: T } | { ok: false; why: 'too_heavy' | 'deadly' }

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
  /** How long a child lives without work. */
  idleMs?: number
}

interface Child {
  process: ChildProcess
  images: number
  idle: NodeJS.Timeout | undefined
}

const LONGEST_MS = 30_000
const IDLE_MS = 5_000
const MOST_IMAGES = 50
/** A child that stays larger than this after an image is replaced. */
const LARGE_BYTES = 160_000_000
const MOST_HEAP_MB = 128
/** A child may be killed from outside, for instance when the machine runs out of memory: then the image is innocent. */
const TRIES = 2

export function startImageChildren(options: ImageChildrenOptions): ImageChildren {
  const { file, longestMs = LONGEST_MS, idleMs = IDLE_MS } = options
  const idle: Child[] = []
  const all = new Set<Child>()
  let isStopping = false

  function begin(): Child {
    const process = fork(file, [], {
      // The child gets no settings and no secrets, so there is nothing to steal.
      env: { MALLOC_ARENA_MAX: '2' },
      execArgv: [`--max-old-space-size=${MOST_HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    })
    const child: Child = { process, images: 0, idle: undefined }
    process.unref()
    process.channel?.unref()
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
      if (result.ok || result.why !== 'deadly' || tries === TRIES) return result
    }
  }

  function readOnce<T>(task: string, bytes: Buffer): Promise<Read<T>> {
    if (isStopping) throw refusal('stopping', {}, AGAIN)
    const child = idle.pop() ?? begin()
    clearTimeout(child.idle)
    child.images++
    const { process } = child
    return new Promise((resolve, reject) => {
      const over = (settle: () => void) => {
        clearTimeout(timer)
        process.off('message', replied).off('exit', died).off('error', failed)
        settle()
      }
      const refuse = (why: 'too_heavy' | 'deadly') => over(() => resolve({ ok: false, why }))
      const replied = (message: unknown) => {
        const said = message as Reply
        if ('over' in said) {
          end(child)
          refuse('too_heavy')
        } else if ('failed' in said) {
          end(child)
          refuse('deadly')
        } else {
          rest(child, said.rssBytes)
          over(() => resolve({ ok: true, answer: said.answer as T }))
        }
      }
      const died = () => (isStopping ? over(() => reject(refusal('stopping', {}, AGAIN))) : refuse('deadly'))
      const failed = () => over(() => reject(refusal('images_unavailable', {}, AGAIN)))
      const timer = setTimeout(() => {
        end(child)
        refuse('too_heavy')
      }, longestMs)
      process.on('message', replied).on('exit', died).on('error', failed)
      // A child that is already gone reports that by its exit.
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
