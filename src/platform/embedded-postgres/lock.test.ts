// The lock on a data directory: it has one holder, and none after that holder died.

import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DirectoryLock, lockDirectory } from './lock.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'marquee-lock-'))
})
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

const unreachable = async () => false
const reachable = async () => true

/** Leaves a lock like ours whose holder has other properties. */
async function leaveLock(change: Record<string, unknown>): Promise<void> {
  const lock = await lockDirectory(dir, unreachable)
  const path = join(dir, 'marquee.lock')
  const mine = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  await lock.release()
  await writeFile(path, JSON.stringify({ ...mine, nonce: 'other', ...change }))
}

it('a held lock is refused, a released one can be taken, and nothing else is left in the folder', async () => {
  const lock = await lockDirectory(dir, unreachable)
  await expect(lockDirectory(dir, unreachable)).rejects.toThrow(`(process ${process.pid})`)
  await lock.release()
  await (await lockDirectory(dir, unreachable)).release()
  expect(await readdir(dir)).toEqual([])
})

it('the lock of a dead process can be taken', async () => {
  await leaveLock({ pid: spawnSync('true').pid })
  await (await lockDirectory(dir, unreachable)).release()
})

it('the lock of a process whose pid now belongs to another one can be taken', async () => {
  await leaveLock({ startedAt: '1' })
  await (await lockDirectory(dir, reachable)).release()
})

it('the lock from before a reboot can be taken', async () => {
  await leaveLock({ bootId: 'another' })
  await (await lockDirectory(dir, reachable)).release()
})

it.each(['', '{', '{"pid": 1}', 'null'])('a lock file that names nobody can be taken (%j)', async text => {
  await writeFile(join(dir, 'marquee.lock'), text)
  await (await lockDirectory(dir, reachable)).release()
})

it('a holder in another container is alive exactly if its server can be reached', async () => {
  await leaveLock({ pidNamespace: 'pid:[1]', startedAt: '1' })
  await expect(lockDirectory(dir, reachable)).rejects.toThrow(/in use by another Marquee/)
  await (await lockDirectory(dir, unreachable)).release()
})

it('releasing a lock that was lost does not take it from its new holder', async () => {
  const lock = await lockDirectory(dir, unreachable)
  const path = join(dir, 'marquee.lock')
  const other = JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), nonce: 'other' })
  await writeFile(path, other)
  await lock.release()
  expect(await readFile(path, 'utf8')).toBe(other)
})

it('of many processes that find a stale lock at once, one gets it', async () => {
  await leaveLock({ startedAt: '1' })
  const contenders = Array.from({ length: 20 }, () => lockDirectory(dir, unreachable))
  const results = await Promise.allSettled(contenders)
  const won = results.filter((result): result is PromiseFulfilledResult<DirectoryLock> => {
    return result.status === 'fulfilled'
  })
  expect(won).toHaveLength(1)
  await won[0]?.value.release()
  expect(await readdir(dir)).toEqual([])
})
