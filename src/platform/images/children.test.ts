// Children that read images: whatever happens to one, the caller gets an answer and the memory comes back.

import { pathToFileURL } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { until } from '../../../test/support/banners.ts'
import { childProgram } from '../../../test/support/child-programs.ts'
import { type ImageChildren, type ImageChildrenOptions, startImageChildren } from './children.ts'

let children: ImageChildren
const start = (options: Partial<ImageChildrenOptions> = {}) => {
  children = startImageChildren({ file: pathToFileURL(childProgram('hostile-child')), ...options })
  return children
}
afterEach(() => children.stop())

const SOME = Buffer.alloc(1000, 7)
const none = async () => (children.pids().length === 0 ? true : null)

it('reads images of every length, one after the other in the same child', async () => {
  const { read, pids } = start()
  for (const length of [0, 1, 65_536, 5 * 1024 * 1024])
    expect(await read('count', Buffer.alloc(length))).toEqual({ ok: true, answer: length })
  expect(pids()).toHaveLength(1)
})

it.each(['burn', 'eat'])('an image that makes its child %s without end is too heavy', async task => {
  const { read } = start()
  expect(await read(task, SOME)).toEqual({ ok: false, why: 'too_heavy' })
  await until(none)
  expect(await read('count', SOME)).toEqual({ ok: true, answer: 1000 })
})

it('a child that does not even look at its limits is ended from outside', async () => {
  const { read } = start({ longestMs: 300 })
  expect(await read('loop', SOME)).toEqual({ ok: false, why: 'too_heavy' })
  await until(none)
})

it.each([
  ['die', 'exited', 'with code 3'],
  ['throw', 'exited', 'with code 1: Error: no more'],
  ['crash', 'crashed', 'SIGSEGV'],
  ['forbidden', 'forbidden_call', 'SystemCallFilter'],
])(
  'an image whose child ends by itself (%s) is not at fault: 503, and the end is named',
  async (task, how, words) => {
    const onEnded = vi.fn()
    const { read } = start({ onEnded })
    await expect(read(task, SOME)).rejects.toMatchObject({ code: 'unavailable' })
    const ending = { how, words: expect.stringContaining(words) }
    expect(onEnded.mock.calls).toEqual([[ending], [ending]])
    expect(await read('count', SOME)).toEqual({ ok: true, answer: 1000 })
  },
)

it('a child that is killed from outside costs no image', async () => {
  const onEnded = vi.fn()
  const { read, pids } = start({ onEnded })
  const reading = read('wait', SOME)
  const [pid] = await until(async () => (pids().length > 0 ? pids() : null))
  process.kill(pid!, 'SIGKILL')
  expect(await reading).toEqual({ ok: true, answer: 'waited' })
  expect(onEnded.mock.calls).toMatchObject([[{ how: 'killed' }]])
})

it('memory goes back: a child ends when it has nothing to do, or has become large', async () => {
  const { read } = start({ idleMs: 50 })
  await read('count', SOME)
  await until(none)
  const patient = start({ idleMs: 3_600_000 })
  await patient.read('keep', SOME)
  await until(none)
  for (let image = 0; image < 50; image++) await patient.read('count', SOME)
  await until(none)
})

it('a stop, or a file that is missing, gives 503 and never hangs', async () => {
  const { read, stop } = start()
  const reading = read('wait', SOME)
  const refused = expect(reading).rejects.toMatchObject({ code: 'unavailable' })
  await stop()
  await refused
  await expect(read('count', SOME)).rejects.toMatchObject({ code: 'unavailable' })
  const onEnded = vi.fn()
  const missing = start({ file: new URL('file:///nowhere/child.mjs'), onEnded })
  await expect(missing.read('count', SOME)).rejects.toMatchObject({ code: 'unavailable' })
  expect(onEnded.mock.lastCall).toMatchObject([{ words: expect.stringContaining('Cannot find module') }])
})

it('a child that fails at an image, but not at a good one, finds fault with the image', async () => {
  const { read } = start()
  expect(await read('fail', SOME)).toEqual({ ok: false, why: 'unreadable' })
})

it('a child that cannot read a good image, or never says that it can, finds fault with none', async () => {
  for (const [name, words, startMs] of [
    ['unfit-child', 'no decoder here', 30_000],
    ['mute-child', 'it does not answer', 100],
  ] as const) {
    const onEnded = vi.fn()
    const { read, stop } = start({ file: pathToFileURL(childProgram(name)), startMs, onEnded })
    await expect(read('count', SOME)).rejects.toMatchObject({ code: 'unavailable' })
    expect(onEnded.mock.lastCall).toMatchObject([{ how: 'unfit', words: expect.stringContaining(words) }])
    await stop()
  }
})

it('a child sees nothing of the settings of the service', async () => {
  process.env.DATABASE_URL = 'postgres://secret'
  try {
    const { read, pids } = start()
    await read('count', SOME)
    const { readFile } = await import('node:fs/promises')
    expect(await readFile(`/proc/${pids()[0]}/environ`, 'utf8')).not.toContain('secret')
  } finally {
    delete process.env.DATABASE_URL
  }
})
