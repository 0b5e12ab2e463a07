// A real PgBouncer in front of a database, on its own port, by default in transaction mode.

import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './banners.ts'
import { freePort } from './ports.ts'
import { openTcpProxy } from './tcp-proxy.ts'

export interface TestBouncer {
  url: string
  close(): Promise<void>
}

/** `more`: further lines of its settings. */
export async function startBouncer(
  databaseUrl: string,
  more = '',
  mode: 'transaction' | 'session' = 'transaction',
): Promise<TestBouncer> {
  // The test database listens on a socket that only its owner may use.
  const proxy = await openTcpProxy(databaseUrl)
  const dir = await mkdtemp(join(tmpdir(), 'marquee-bouncer-'))
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
pool_mode = ${mode}
${more}
`,
  )
  // PgBouncer refuses to run as root.
  const as = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const bouncer = spawn('pgbouncer', ['-q', ...as, join(dir, 'pgbouncer.ini')], {
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
  return {
    url: `postgresql://${to.username}@127.0.0.1:${port}/${name}`,
    async close() {
      bouncer.kill('SIGKILL')
      await proxy.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
