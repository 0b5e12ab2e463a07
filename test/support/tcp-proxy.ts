// A proxy in front of the database that can cut connections or silently drop everything, as networks do.

import { connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  /** The database's URL through this proxy. */
  url: string
  /** Ends every connection; new connections are possible. */
  cut(): void
  /** Silently drops everything in both directions from now on; new connections are dead too. */
  swallow(): void
  /** Simulates a lost host: like swallow(), but the database never learns that a connection ended. */
  vanish(): void
  /** New connections pass again; earlier ones stay dead. */
  heal(): void
  close(): Promise<void>
}

/** `answerOf` sees what a client sends. If it returns an answer, the client gets that and the database gets nothing. */
export async function openTcpProxy(
  databaseUrl: string,
  answerOf?: (sent: Buffer) => Buffer | null,
): Promise<TcpProxy> {
  // The URL of a socket has no host.
  const full = databaseUrl.replace('@/', '@localhost/')
  const to = new URL(full)
  const pairs = new Set<[Socket, Socket]>()
  let isSwallowing = false
  let isVanished = false
  const server = createServer(near => {
    const path = to.searchParams.get('host')
    const port = Number(to.searchParams.get('port') ?? (to.port || 5432))
    const far = path?.startsWith('/')
      ? connect(`${path}/.s.PGSQL.${port}`)
      : connect(port, path ?? to.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = () => {
      if (isVanished) return
      near.destroy()
      far.destroy()
      pairs.delete(pair)
    }
    near.on('error', end).on('close', end)
    far.on('error', end).on('close', end)
    if (isSwallowing) silence(pair)
    else {
      if (answerOf) answerOrPass(pair, answerOf)
      else near.pipe(far)
      far.pipe(near)
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = new URL(full)
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  url.hostname = '127.0.0.1'
  url.port = String(address.port)
  function cut(): void {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
  }
  return {
    url: url.href,
    cut,
    swallow() {
      isSwallowing = true
      for (const pair of pairs) silence(pair)
    },
    vanish() {
      isSwallowing = true
      isVanished = true
      for (const pair of pairs) silence(pair)
    },
    heal() {
      isSwallowing = false
      isVanished = false
    },
    async close() {
      isVanished = false
      cut()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function answerOrPass([near, far]: [Socket, Socket], answerOf: (sent: Buffer) => Buffer | null): void {
  near.on('data', sent => {
    const answer = answerOf(sent)
    if (answer) near.end(answer)
    else far.write(sent)
  })
}

function silence([near, far]: [Socket, Socket]): void {
  near.unpipe(far)
  far.unpipe(near)
  near.pause()
  far.pause()
}
