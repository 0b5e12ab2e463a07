// Which node this process is. A node lives in a folder: its journal, and a file that says its number in the database
// and which process it is now. A process takes the first folder whose process is dead, or makes a new one; so a process
// that comes back resumes with its own shares, and several may start in one data directory.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../platform/database.ts'
import { insertNode, resumeNode, reviveNode } from './share-queries.ts'
import { type NodeRef, SLACK_MS, VALID_MS } from './shares.ts'

export interface Joined extends NodeRef {
  /** Where its journal is. */
  dir: string
  /** Lets the folder go: the process ends, or is this node no longer. */
  leave(): void
}

interface Occupant {
  nodeId: number
  name: string
  pid: number
  started: string | null
}

const MOST_FOLDERS = 256
/** Of this process. */
const occupied = new Set<string>()

export async function joinAsNode(db: Database, dataDir: string, maxTtlMs: number): Promise<Joined> {
  const dir = freeFolder(dataDir)
  occupied.add(dir)
  try {
    await mkdir(dir, { recursive: true })
    const former = readOccupant(dir)
    const adsMs = maxTtlMs + SLACK_MS
    const name = former?.name ?? randomUUID()
    const known =
      former &&
      ((await resumeNode(db, former.nodeId, name, VALID_MS, adsMs)) ??
        (await reviveNode(db, former.nodeId, name, VALID_MS, adsMs)))
    const ref = known ?? (await insertNode(db, name, VALID_MS, adsMs))!
    await writeOccupant(dir, { nodeId: ref.node_id, name, pid: process.pid, started: startOf(process.pid) })
    return { nodeId: ref.node_id, epoch: ref.epoch, dir, leave: () => void occupied.delete(dir) }
  } catch (error) {
    occupied.delete(dir)
    throw error
  }
}

function freeFolder(dataDir: string): string {
  for (let n = 1; n <= MOST_FOLDERS; n++) {
    const dir = join(dataDir, n === 1 ? 'ledger' : `ledger-${n}`)
    if (occupied.has(dir)) continue
    const occupant = readOccupant(dir)
    if (!occupant || !isAlive(occupant)) return dir
  }
  throw new Error(`${dataDir} is in use by ${MOST_FOLDERS} processes`)
}

function readOccupant(dir: string): Occupant | null {
  const path = join(dir, 'node.json')
  if (!existsSync(path)) return null
  try {
    const { nodeId, name, pid, started } = JSON.parse(readFileSync(path, 'utf8'))
    if (!Number.isSafeInteger(nodeId) || typeof name !== 'string' || !Number.isSafeInteger(pid)) return null
    return { nodeId, name, pid, started: typeof started === 'string' ? started : null }
  } catch {
    // Torn by a crash: the node is unknown, so it is a new one.
    return null
  }
}

async function writeOccupant(dir: string, occupant: Occupant): Promise<void> {
  const path = join(dir, 'node.json')
  await writeFile(`${path}.${process.pid}`, `${JSON.stringify(occupant)}\n`)
  await rename(`${path}.${process.pid}`, path)
}

/** Another process with this number may have come since: its start tells them apart. */
function isAlive({ pid, started }: Occupant): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EPERM') return false
  }
  const now = startOf(pid)
  return started === null || now === null || now === started
}

/** When a process was started, as the kernel reports it; null if it does not. */
function startOf(pid: number): string | null {
  try {
    // Behind the name, which may hold blanks, the twentieth field.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19] ?? null
  } catch {
    return null
  }
}
