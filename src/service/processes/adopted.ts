// Connections that another process accepted, passed to our server as if it had accepted them. A closing server waits
// only for connections it accepted itself, so these are awaited here.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface Adopted {
  adopt(socket: Socket): void
  /** Resolves when the last answer is out; called after the server was closed. */
  gone(): Promise<void>
}

const LOOK_MS = 20

export function adoptFor(server: Server): Adopted {
  const sockets = new Set<Socket>()
  return {
    adopt(socket) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      server.emit('connection', socket)
      socket.resume()
    },
    async gone() {
      while (sockets.size > 0) {
        server.closeIdleConnections()
        await new Promise(resolve => setTimeout(resolve, LOOK_MS))
      }
    },
  }
}
