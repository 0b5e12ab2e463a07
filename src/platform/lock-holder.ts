// Who holds a lock on disk. A process identifies itself by pid, start time, boot and pid namespace, so that the lock of
// a killed process is recognised.

import { randomUUID } from 'node:crypto'
import { link, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { processInfo } from './process-info.ts'

export interface LockHolder {
  pid: number
  startedAt: string | null
  bootId: string | null
  pidNamespace: string | null
  /** Makes every lock unique, so that a takeover can tell whose file it is looking at. */
  nonce: string
}

export async function describeSelf(): Promise<LockHolder> {
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

/** `isSeen` is asked about a holder whose pid means nothing here: it is in another container on the same volume. */
export async function isLockHolderAlive(
  holder: LockHolder,
  self: LockHolder,
  isSeen: () => Promise<boolean>,
): Promise<boolean> {
  if (holder.bootId !== self.bootId) return false
  if (holder.pidNamespace !== self.pidNamespace) return isSeen()
  return isProcess(holder.pid, holder.startedAt)
}

/** Whether this very process is running, not a later one with the same pid. */
export async function isProcess(pid: number, startedAt: string | null): Promise<boolean> {
  const info = await processInfo(pid)
  if (!info) return false
  return info.startedAt === null || startedAt === null || info.startedAt === startedAt
}

/** Null for a file that names no holder, such as one left empty by a power cut. */
export function parseLockHolder(text: string): LockHolder | null {
  try {
    const value = JSON.parse(text) as Partial<LockHolder>
    return typeof value.pid === 'number' && typeof value.nonce === 'string' ? (value as LockHolder) : null
  } catch {
    return null
  }
}

/** Creates a file with its content in one step, so nobody ever reads half of it. Returns false if it already exists. */
export async function createWhole(path: string, text: string): Promise<boolean> {
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
