// A port that nobody listens on, for a service whose address must be known before it starts. It is below the ports that
// the system gives to outgoing connections, so the system gives it to nobody before the service listens or restarts.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const [LOWEST, BELOW] = [10_000, 32_000]

/** `wanted`: this one, if nobody listens on it. */
export async function freePort(wanted?: number): Promise<number> {
  for (let port = wanted ?? randomInt(LOWEST, BELOW); ; port = randomInt(LOWEST, BELOW)) {
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
      return port
    } catch {
      // The port is in use.
    } finally {
      await new Promise(resolve => server.close(resolve))
    }
  }
}
