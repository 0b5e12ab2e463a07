// Embedded PostgreSQL servers for tests, each in its own folder, and a process that owns such a server, to be killed.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeEach } from 'vitest'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded.ts'
import { childProgram } from './child-programs.ts'

export const isRoot = process.getuid?.() === 0
export const NOBODY = 65_534
/** The ways in which this user can run a server. */
export const ways = isRoot ? (['namespace', 'user'] as const) : (['direct'] as const)
const REMOVE = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const

export interface Parent {
  process: ChildProcess
  lines: Interface
}

/** Returns what a test file needs; call it once, at the top. */
export function embeddedServers() {
  const running: EmbeddedPostgres[] = []
  /** A data directory with a database: tests that are not about its creation begin with a copy. */
  let made: string | null = null
  const here = {
    /** The folder of the test, and the data directory in it. */
    base: '',
    dataDir: '',
    logged: [] as string[],
    /** Killed after the test. */
    children: [] as ChildProcess[],
    async start(more: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
      const log = (line: string) => here.logged.push(line)
      const server = await startEmbeddedPostgres({ dataDir: here.dataDir, log, ...more })
      running.push(server)
      return server
    },
    async beginWithMade(): Promise<void> {
      if (made === null) {
        made = await realpath(await mkdtemp(join(tmpdir(), 'marquee-pg-made-')))
        await (await startEmbeddedPostgres({ dataDir: made, log: () => {} })).stop()
      }
      await mkdir(here.dataDir)
      await promisify(execFile)('cp', ['-a', join(made, 'postgres'), join(here.dataDir, 'postgres')])
    },
    spawnParent(options: object, uid?: number): Parent {
      const args = [childProgram('embedded-parent'), JSON.stringify({ dataDir: here.dataDir, ...options })]
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'inherit'],
        ...(uid === undefined ? {} : { uid, gid: uid, env: { PATH: process.env.PATH } }),
      })
      here.children.push(child)
      return { process: child, lines: createInterface({ input: child.stdout! }) }
    },
  }

  beforeEach(async () => {
    here.base = await realpath(await mkdtemp(join(tmpdir(), 'marquee-pg-test-')))
    here.dataDir = join(here.base, 'data')
    here.logged.length = 0
    if (isRoot) await chmod(here.base, 0o755)
  })
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop()
    for (const child of here.children.splice(0)) child.kill('SIGKILL')
    await rm(here.base, REMOVE)
  })
  afterAll(async () => {
    if (made !== null) await rm(made, REMOVE)
  })
  return here
}

export async function query<Row extends pg.QueryResultRow>(
  server: { url: string },
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

export async function firstWords(parent: Parent): Promise<{ pid: number; url: string; error?: string }> {
  const [line] = (await once(parent.lines, 'line')) as [string]
  return JSON.parse(line)
}

export async function killHard(parent: Parent): Promise<void> {
  const gone = once(parent.process, 'exit')
  parent.process.kill('SIGKILL')
  await gone
}

export async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(10)
}

export function socketFolder(url: string): string {
  return new URL(url.replace('@/', '@socket/')).searchParams.get('host') ?? ''
}
