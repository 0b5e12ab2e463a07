// A real PgBouncer in transaction mode between us and the database: the start is refused and the message says what to
// do.

import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { until } from '../../test/support/banners.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { freePort } from '../../test/support/ports.ts'
import { openTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts'
import { mustKeepSessions, openDatabase } from './database.ts'

let database: TestDatabase
let proxy: TcpProxy
let bouncer: ChildProcess | null = null
let dir = ''

afterEach(async () => {
  bouncer?.kill('SIGKILL')
  await proxy.close()
  await database.drop()
  await rm(dir, { recursive: true, force: true })
})

async function startBouncer(more: string): Promise<string> {
  database = await createTestDatabase()
  proxy = await openTcpProxy(database.url)
  dir = await mkdtemp(join(tmpdir(), 'marquee-bouncer-'))
  await chmod(dir, 0o755)
  const port = await freePort()
  const to = new URL(proxy.url)
  const name = to.pathname.slice(1)
  await writeFile(
    join(dir, 'pgbouncer.ini'),
    `[databases]
${name} = host=127.0.0.1 port=${to.port} user=${to.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
${more}
`,
  )
  // It does not run as root.
  const as = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  bouncer = spawn('pgbouncer', ['-q', ...as, join(dir, 'pgbouncer.ini')], {
    stdio: 'ignore',
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
  })
  await until(
    () =>
      new Promise<true | null>(resolve => {
        const socket = connect(port, '127.0.0.1')
        socket.on('connect', () => resolve(true)).on('error', () => resolve(null))
        socket.on('connect', () => socket.destroy())
      }),
  )
  return `postgresql://${to.username}@127.0.0.1:${port}/${name}`
}

it.each([
  ['that refuses our settings', ''],
  ['that drops our settings', 'ignore_startup_parameters = options'],
])('a pooler in transaction mode %s is named at the start, with what to do', async (_name, more) => {
  const db = openDatabase({ url: await startBouncer(more), maxConnections: 1, onError: () => {} })
  try {
    await expect(mustKeepSessions(db)).rejects.toThrow(/session mode/)
  } finally {
    await db.close()
  }
})
