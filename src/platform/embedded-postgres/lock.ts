// Allows one Marquee per data directory. The lock is a file that identifies its holder, so that a lock left by a killed
// process is recognised and taken over.

import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createWhole,
  describeSelf,
  isLockHolderAlive,
  type LockHolder,
  parseLockHolder,
} from '../lock-holder.ts'

export interface DirectoryLock {
  release(): Promise<void>
}

/** When two processes take over the same stale lock at once, the loser's file has certainly arrived after this time. */
const TAKEOVER_SETTLE_MS = 100
const MAX_ATTEMPTS = 5

/**
 * `isServerReachable` is asked about a holder whose pid means nothing here (another container on the same volume): its
 * database server can still be seen by its socket.
 */
export async function lockDirectory(
  dir: string,
  isServerReachable: () => Promise<boolean>,
): Promise<DirectoryLock> {
  const path = join(dir, 'marquee.lock')
  const mine = await describeSelf()
  let tookOver = false
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (await createWhole(path, JSON.stringify(mine))) {
      if (tookOver) await sleep(TAKEOVER_SETTLE_MS)
      if ((await readLockHolder(path))?.nonce === mine.nonce) return { release: () => release(path, mine) }
      continue
    }
    const text = await readFile(path, 'utf8').catch(() => null)
    if (text === null) continue
    const holder = parseLockHolder(text)
    if (holder && (await isLockHolderAlive(holder, mine, isServerReachable))) throw inUse(dir, holder)
    await removeExactly(path, text)
    tookOver = true
  }
  throw new Error(`could not lock DATA_DIR ${dir}: ${path} keeps changing hands`)
}

function inUse(dir: string, holder: LockHolder): Error {
  return new Error(
    `DATA_DIR ${dir} is in use by another Marquee (process ${holder.pid}). ` +
      'Stop that one first, or give this one a DATA_DIR of its own.',
  )
}

/** Removes the lock only if it is still the stale one; a fresh one that was moved by mistake is put back. */
async function removeExactly(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}

async function release(path: string, mine: LockHolder): Promise<void> {
  if ((await readLockHolder(path))?.nonce === mine.nonce) await rm(path, { force: true })
}

async function readLockHolder(path: string): Promise<LockHolder | null> {
  return parseLockHolder(await readFile(path, 'utf8').catch(() => ''))
}
