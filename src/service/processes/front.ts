// The one port of several processes: accepts connections and hands each, unread, to one of them.

import { createServer, type Socket } from 'node:net'

export interface Front {
  listen(): Promise<string>
  close(): void
}

export function createFront(options: { port: number; host: string; place(socket: Socket): void }): Front {
  // Paused, so that the receiving process reads bytes that arrive before the hand-over.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, options.place)
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(options.port, options.host, () => {
          const { port } = server.address() as { port: number }
          resolve(`http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}`)
        })
      }),
    close: () => void server.close(),
  }
}
