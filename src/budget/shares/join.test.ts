// Processes that start at once in one data directory, on a real PostgreSQL: each is a node of its own, and each folder
// of a dead process is taken over by exactly one.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { childProgram } from '../../../test/support/child-programs.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'

const PROCESSES = 6

interface Place {
  nodeId: number
  dir: string
}

let database: TestDatabase
let dataDir: string
let children: ChildProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'marquee-join-'))
})
afterEach(killAll)
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Once all of them run, they are told to join at the same moment. */
async function startAtOnce(count: number): Promise<Place[]> {
  const started = Array.from({ length: count }, () =>
    fork(childProgram('joining-child'), [database.url, dataDir]),
  )
  children.push(...started)
  await Promise.all(started.map(child => once(child, 'message')))
  const places = Promise.all(started.map(async child => (await once(child, 'message'))[0] as Place))
  for (const child of started) child.send('join')
  return places
}

async function killAll(): Promise<void> {
  const dying = children.filter(child => child.exitCode === null && child.signalCode === null)
  children = []
  const exits = dying.map(child => once(child, 'exit'))
  for (const child of dying) child.kill('SIGKILL')
  await Promise.all(exits)
}

const sorted = (places: Place[]) => places.toSorted((a, b) => a.nodeId - b.nodeId)

it('six processes that start at once are six nodes in six folders, and the same six after each crash', async () => {
  const first = await startAtOnce(PROCESSES)
  expect(new Set(first.map(place => place.dir)).size).toBe(PROCESSES)
  expect(new Set(first.map(place => place.nodeId)).size).toBe(PROCESSES)
  for (let crash = 0; crash < 3; crash++) {
    await killAll()
    expect(sorted(await startAtOnce(PROCESSES))).toEqual(sorted(first))
  }
  expect((await readdir(dataDir)).toSorted()).toEqual(
    first.map(place => place.dir.slice(dataDir.length + 1)).toSorted(),
  )
  // One more process finds all of these folders taken.
  const [seventh] = await startAtOnce(1)
  expect(first.map(place => place.dir)).not.toContain(seventh!.dir)
})

it('the folder of a process that knew no locks is left alone while that process runs', async () => {
  const [{ dir }] = (await startAtOnce(1)) as [Place]
  const killed = children[0]!
  const old = { nodeId: 1, name: 'old', pid: process.pid, started: null }
  await killAll()
  expect(killed.signalCode).toBe('SIGKILL')
  await writeFile(join(dir, 'node.json'), JSON.stringify(old))
  expect((await startAtOnce(1))[0]!.dir).not.toBe(dir)
  await killAll()
  // The id of a process that has ended, which is not reused so soon.
  await writeFile(join(dir, 'node.json'), JSON.stringify({ ...old, pid: killed.pid }))
  expect((await startAtOnce(1))[0]!.dir).toBe(dir)
})
