// Discards the rest of a refused body, because many clients read no answer before they have sent everything; but only
// up to a limit.

import type { IncomingMessage } from 'node:http'

const MOST_BYTES = 64 * 2 ** 20

export function discardRest(request: IncomingMessage): void {
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MOST_BYTES) request.destroy()
  })
}
