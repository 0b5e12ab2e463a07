// Discards the rest of a refused body, up to a limit, because many clients read no answer until they have sent
// everything.

import type { IncomingMessage } from 'node:http'

export const MOST_BYTES = 64 * 2 ** 20

export function discardRest(request: IncomingMessage): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MOST_BYTES) request.destroy()
  })
}
