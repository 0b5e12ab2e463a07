// Which node this process is. A node has a folder with its journal and a file that names its number in the database and
// its current process. A process takes the first folder whose process is dead, or creates a new one. So a process that
// comes back resumes with its own shares, and several may start in one data directory, even at once.

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../platform/database.ts'
import {
  createWhole,
  describeSelf,
  isLockHolderAlive,
  isProcess,
  parseLockHolder,
} from '../../platform/lock-holder.ts'
import { processInfo } from '../../platform/process-info.ts'
import { insertNode, isNodeValid, resumeNode, reviveNode } from './node-queries.ts'
import { type NodeRef, SLACK_MS, VALID_MS } from './share.ts'

export interface Joined extends NodeRef {
  /** The folder of its journal. */
  dir: string
  /** Releases the folder: the process ends, or is no longer this node. */
  leave(): void
}

interface Occupant {
  nodeId: number
  name: string
  pid: number
  started: string | null
  hasLock: boolean
}

const MOST_FOLDERS = 256
/** The folders of this process. */
const occupied = new Set<string>()

export async function joinAsNode(db: Database, dataDir: string, maxTtlMs: number): Promise<Joined> {
  const dir = await freeFolder(db, dataDir)
  try {
    const former = await readOccupant(dir)
    const adsMs = maxTtlMs + SLACK_MS
    const name = former?.name ?? randomUUID()
    const known =
      former &&
      ((await resumeNode(db, former.nodeId, name, VALID_MS, adsMs)) ??
        (await reviveNode(db, former.nodeId, name, VALID_MS, adsMs)))
    const ref = known ?? (await insertNode(db, name, VALID_MS, adsMs))!
    const started = (await processInfo(process.pid))?.startedAt ?? null
    await writeOccupant(dir, { nodeId: ref.node_id, name, pid: process.pid, started, hasLock: true })
    return { nodeId: ref.node_id, epoch: ref.epoch, dir, leave: () => void occupied.delete(dir) }
  } catch (error) {
    occupied.delete(dir)
    throw error
  }
}

/** Occupies the first free folder. */
async function freeFolder(db: Database, dataDir: string): Promise<string> {
  for (let n = 1; n <= MOST_FOLDERS; n++) {
    const dir = join(dataDir, n === 1 ? 'ledger' : `ledger-${n}`)
    if (occupied.has(dir)) continue
    occupied.add(dir)
    if (await isFree(db, dir)) return dir
    occupied.delete(dir)
  }
  throw new Error(`${dataDir} is in use by ${MOST_FOLDERS} processes`)
}

/** Takes the folder if it is free. */
async function isFree(db: Database, dir: string): Promise<boolean> {
  const occupant = await readOccupant(dir)
  // A process of a version without locks only wrote down its process id.
  if (occupant && !occupant.hasLock && (await isProcess(occupant.pid, occupant.started))) return false
  return takeFolder(
    dir,
    async () => occupant !== null && (await isNodeValid(db, occupant.nodeId, occupant.name)),
  )
}

async function readOccupant(dir: string): Promise<Occupant | null> {
  try {
    const { nodeId, name, pid, started, hasLock } = JSON.parse(await readFile(join(dir, 'node.json'), 'utf8'))
    if (!Number.isSafeInteger(nodeId) || typeof name !== 'string' || !Number.isSafeInteger(pid)) return null
    return {
      nodeId,
      name,
      pid,
      started: typeof started === 'string' ? started : null,
      hasLock: hasLock === true,
    }
  } catch {
    // There is no such file, or a crash tore it: the node is unknown, so it is a new one.
    return null
  }
}

async function writeOccupant(dir: string, occupant: Occupant): Promise<void> {
  const path = join(dir, 'node.json')
  await writeFile(`${path}.${process.pid}`, `${JSON.stringify(occupant)}\n`)
  await rename(`${path}.${process.pid}`, path)
}

// A folder that belongs to one process at a time. Files with rising numbers name its lock holder, and the highest
// number counts. A process takes a folder by creating the next file, which only one process can do, so not even a slow
// or crashing process can leave a folder with two owners. The last file stays, and the process that takes the folder
// next sees that its lock holder is dead.

const LOCK_NAME = /^lock-([0-9]{9})$/

/** Returns true if this process owns the folder, even if it did before. `isSeen` is asked for holders elsewhere. */
async function takeFolder(dir: string, isSeen: () => Promise<boolean>): Promise<boolean> {
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
