// The embedded PostgreSQL and its parent when either dies, or when two processes want the same data: no acknowledged
// row is lost, and no server is left behind.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  embeddedServers,
  firstWords,
  killHard,
  query,
  socketFolder,
  until,
  ways,
} from '../../../test/support/embedded.ts'
import { processInfo } from '../process-info.ts'

const here = embeddedServers()

const guardians = ['kernel', 'watcher'] as const
const deaths = ways.flatMap(runAs => guardians.map(guardian => ({ runAs, guardian })))

it.each(deaths)(
  'SIGKILL of the parent ends the server and loses no acknowledged row ($runAs, $guardian)',
  async only => {
    await here.beginWithMade()
    const parent = here.spawnParent({ insert: true, only })
    const { pid } = await firstWords(parent)
    let acknowledged = 0
    parent.lines.on('line', line => {
      acknowledged = Number(line)
    })
    await until(async () => acknowledged >= 100)
    await killHard(parent)
    await until(async () => (await processInfo(pid)) === null)
    await until(async () => parent.process.stdout!.readableEnded)
    const [row] = await query<{ count: number }>(
      await here.start({ only }),
      'SELECT count(*)::int AS count FROM kept',
    )
    // One more row may have been committed without its acknowledgement being heard.
    expect([acknowledged, acknowledged + 1]).toContain(row?.count)
  },
)

it('a server killed together with its parent recovers with every acknowledged row', async () => {
  await here.beginWithMade()
  const parent = here.spawnParent({ insert: true })
  const { pid } = await firstWords(parent)
  let acknowledged = 0
  parent.lines.on('line', line => {
    // The parent may also report that the server ended before it ends itself.
    if (/^\d+$/.test(line)) acknowledged = Number(line)
  })
  await until(async () => acknowledged >= 100)
  process.kill(pid, 'SIGKILL')
  await killHard(parent)
  await until(async () => parent.process.stdout!.readableEnded)
  const [row] = await query<{ count: number }>(await here.start(), 'SELECT count(*)::int AS count FROM kept')
  expect([acknowledged, acknowledged + 1]).toContain(row?.count)
})

it.each(ways)('a server that outlived its parent is stopped before the next one starts (%s)', async runAs => {
  await here.beginWithMade()
  const parent = here.spawnParent({ only: { runAs, guardian: 'none' } })
  const { pid, url } = await firstWords(parent)
  await query({ url }, 'CREATE TABLE t AS SELECT 1 AS a')
  await killHard(parent)
  expect(await processInfo(pid)).not.toBeNull()
  const next = await here.start()
  expect(await processInfo(pid)).toBeNull()
  expect(next.pid).not.toBe(pid)
  expect(await query(next, 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

it('a second Marquee on the same data directory is refused and does not disturb the first', async () => {
  await here.beginWithMade()
  const first = await here.start()
  await query(first, 'CREATE TABLE t AS SELECT 1 AS a')
  const { error } = await firstWords(here.spawnParent({}))
  expect(error).toContain(`is in use by another Marquee (process ${process.pid})`)
  await expect(here.start()).rejects.toThrow(/in use by another Marquee/)
  expect(await query(first, 'SELECT a FROM t')).toEqual([{ a: 1 }])
})

it('a second Marquee is refused while the first is still creating its database', async () => {
  const parent = here.spawnParent({})
  await until(async () =>
    (await readdir(here.dataDir).catch(() => [])).some(name => name.includes('unfinished')),
  )
  await expect(here.start()).rejects.toThrow(/in use by another Marquee/)
  expect((await firstWords(parent)).error).toBeUndefined()
})

it.each(['dead', 'foreign', 'zombie', 'empty'])(
  'a stale postmaster.pid does not prevent a start (%s pid)',
  async kind => {
    await here.beginWithMade()
    const first = await here.start()
    const path = join(here.dataDir, 'postgres', 'postmaster.pid')
    const [, ...rest] = (await readFile(path, 'utf8')).split('\n')
    await query(first, 'CREATE TABLE t AS SELECT 1 AS a')
    await first.stop()
    const pid = await pidOfKind(kind)
    await writeFile(path, pid === null ? '' : [pid, ...rest].join('\n'), { mode: 0o600 })
    expect(await query(await here.start(), 'SELECT a FROM t')).toEqual([{ a: 1 }])
    if (kind === 'foreign') expect(await processInfo(pid!)).not.toBeNull()
  },
)

async function pidOfKind(kind: string): Promise<number | null> {
  if (kind === 'empty') return null
  if (kind === 'dead') return spawnSync('true').pid
  // The shell starts a child, then becomes a program that never reaps it.
  const script = 'sleep 0 & echo $!; exec sleep 600'
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  here.children.push(child)
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  if (kind === 'foreign') return child.pid ?? null
  const pid = Number(output.toString())
  await until(async () => (await processInfo(pid)) === null)
  return pid
}

it('a database whose creation was interrupted is created again', async () => {
  const parent = here.spawnParent({})
  await until(async () =>
    (await readdir(here.dataDir).catch(() => [])).some(name => name.includes('unfinished')),
  )
  await killHard(parent)
  expect(await readdir(here.dataDir)).not.toContain('postgres')
  expect(await query(await here.start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
  expect((await readdir(here.dataDir)).filter(name => name.includes('unfinished'))).toEqual([])
})

it('a socket folder in the temp folder is removed by the next start after a kill', async () => {
  here.dataDir = join(here.base, 'x'.repeat(100))
  await here.beginWithMade()
  const parent = here.spawnParent({})
  const { url } = await firstWords(parent)
  await killHard(parent)
  const next = await here.start()
  await expect(stat(socketFolder(url))).rejects.toThrow(/ENOENT/)
  expect(await query(next, 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})

it('a server that dies while running is noticed', async () => {
  await here.beginWithMade()
  const server = await here.start()
  process.kill(server.pid, 'SIGKILL')
  await server.exited
  await server.stop()
  expect(await query(await here.start(), 'SELECT 1 AS a')).toEqual([{ a: 1 }])
})
