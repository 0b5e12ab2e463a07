// A port that nobody listens on, for a service whose address must be known before it starts. It lies below those that
// the system gives to outgoing connections, so nobody is given it before the service listens, or while that restarts.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const [LOWEST, BELOW] = [10_000, 32_000]

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, BELOW)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
      return port
    } catch {
      // Somebody has it.
    } finally {
      await new Promise(resolve => server.close(resolve))
    }
  }
}
