// The connection between a service and its database, which can be frozen: it then refuses nothing and answers nothing.

import { connect, createServer, type Socket } from 'node:net'

export interface DatabaseLine {
  /** The URL that the service uses instead of the database's own. */
  url: string
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

export async function openDatabaseLine(databaseUrl: string): Promise<DatabaseLine> {
  const folder = new URLSearchParams(databaseUrl.split('?')[1]).get('host')
  const [, user, name] = /^postgres(?:ql)?:\/\/([^@/]*)@[^/]*\/([^?]*)/.exec(databaseUrl) ?? []
  if (!folder || !user || !name) throw new Error(`${databaseUrl} has no socket`)
  const sockets = new Set<Socket>()
  let isFrozen = false

  const server = createServer(near => {
    const far = connect(`${folder}/.s.PGSQL.5432`)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      if (isFrozen) socket.pause()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${name}`,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
