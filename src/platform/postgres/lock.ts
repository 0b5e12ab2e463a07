// One Marquee per data directory. The lock is a file that names its holder so exactly (pid, start time,
// boot, pid namespace) that a lock left by a killed process is recognised and taken over.

import { randomUUID } from 'node:crypto'
import { link, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processInfo } from './process-info.ts'

interface Holder {
  pid: number
  startedAt: string | null
  bootId: string | null
  pidNamespace: string | null
  /** Makes every lock unique, so that a takeover can tell whose file it has in its hands. */
  nonce: string
}

export interface DirectoryLock {
  release(): Promise<void>
}

/** Two that take over the same stale lock at once: the loser's file has certainly landed after this. */
const TAKEOVER_SETTLE_MS = 100
const MAX_ATTEMPTS = 5

/**
 * `isServerReachable` answers for a holder whose pid means nothing here (another container on the same
 * volume): its database server can still be seen by its socket.
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
      if ((await readHolder(path))?.nonce === mine.nonce) return { release: () => release(path, mine) }
      continue
    }
    const text = await readFile(path, 'utf8').catch(() => null)
    if (text === null) continue
    const holder = parseHolder(text)
    if (holder && (await isAlive(holder, mine, isServerReachable))) throw inUse(dir, holder)
    await removeExactly(path, text)
    tookOver = true
  }
  throw new Error(`could not lock DATA_DIR ${dir}: ${path} keeps changing hands`)
}

function inUse(dir: string, holder: Holder): Error {
  return new Error(
    `DATA_DIR ${dir} is in use by another Marquee (process ${holder.pid}). ` +
      'Stop that one first, or give this one a DATA_DIR of its own.',
  )
}

async function describeSelf(): Promise<Holder> {
  return {
    pid: process.pid,
    startedAt: (await processInfo(process.pid))?.startedAt ?? null,
    bootId: await readFile('/proc/sys/kernel/random/boot_id', 'utf8').then(
      text => text.trim(),
      () => null,
    ),
    pidNamespace: await readlink('/proc/self/ns/pid').catch(() => null),
    nonce: randomUUID(),
  }
}

async function isAlive(
  holder: Holder,
  self: Holder,
  isServerReachable: () => Promise<boolean>,
): Promise<boolean> {
  if (holder.bootId !== self.bootId) return false
  if (holder.pidNamespace !== self.pidNamespace) return isServerReachable()
  const info = await processInfo(holder.pid)
  if (!info) return false
  return info.startedAt === null || holder.startedAt === null || info.startedAt === holder.startedAt
}

/** Creates the file with its content in one step, so nobody ever reads a half-written lock. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600, flush: true })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Removes the lock only if it still is the stale one; a fresh one caught by mistake is put back. */
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

async function release(path: string, mine: Holder): Promise<void> {
  if ((await readHolder(path))?.nonce === mine.nonce) await rm(path, { force: true })
}

async function readHolder(path: string): Promise<Holder | null> {
  return parseHolder(await readFile(path, 'utf8').catch(() => ''))
}

/** A lock without a name (an empty file after a power cut) belongs to nobody. */
function parseHolder(text: string): Holder | null {
  try {
    const value = JSON.parse(text) as Partial<Holder>
    return typeof value.pid === 'number' && typeof value.nonce === 'string' ? (value as Holder) : null
  } catch {
    return null
  }
}
