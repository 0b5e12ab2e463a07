// A folder that belongs to one process at a time. Files with rising numbers name its lock holder, and the highest
// number counts. A process takes a folder by creating the next file, which only one process can do, so not even a slow
// or crashing process can leave a folder with two owners. The last file stays, and the process that takes the folder
// next sees that its lock holder is dead.

import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createWhole, describeSelf, isLockHolderAlive, parseLockHolder } from '../../platform/lock-holder.ts'

const LOCK_NAME = /^lock-([0-9]{9})$/

/** Returns true if this process owns the folder, even if it did before. `isSeen` is asked for holders elsewhere. */
export async function takeFolder(dir: string, isSeen: () => Promise<boolean>): Promise<boolean> {
  await mkdir(dir, { recursive: true })
  const self = await describeSelf()
  const last = (await locksIn(dir)).at(-1) ?? 0
  const holder = last > 0 ? parseLockHolder(await readFile(pathOf(dir, last), 'utf8').catch(() => '')) : null
  if (holder) {
    if (holder.pid === self.pid && (await isLockHolderAlive(holder, self, async () => false))) return true
    if (await isLockHolderAlive(holder, self, isSeen)) return false
  }
  const mine = last + 1
  if (!(await createWhole(pathOf(dir, mine), JSON.stringify(self)))) return false
  const locks = await locksIn(dir)
  if (locks.at(-1) !== mine) {
    await rm(pathOf(dir, mine), { force: true })
    return false
  }
  // The one before stays: a process that lists the folder right now sees it or ours.
  for (const lock of locks) if (lock < mine - 1) await rm(pathOf(dir, lock), { force: true })
  return true
}

async function locksIn(dir: string): Promise<number[]> {
  const numbers = (await readdir(dir)).map(name => Number(LOCK_NAME.exec(name)?.[1] ?? 0))
  return numbers.filter(number => number > 0).sort((a, b) => a - b)
}

function pathOf(dir: string, number: number): string {
  return join(dir, `lock-${String(number).padStart(9, '0')}`)
}
