// Ends a connection that broke the rules of HTTP, was too slow or has to make room: it gets the reason, in the format
// of every error, and is closed. Anything it still sends is not read.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { refusal, shownProblem } from '../../kernel/errors/problem.ts'

export const REFUSALS = {
  slow: ['408 Request Timeout', 'too_slow'],
  crowded: ['429 Too Many Requests', 'made_room'],
  largeHead: ['431 Request Header Fields Too Large', 'headers_too_large'],
  malformed: ['400 Bad Request', 'not_http'],
} as const

/** How long the peer has to read the reason; closing at once could lose the answer. */
const FAREWELL_MS = 1_000

export function refuseConnection(socket: Socket, why: keyof typeof REFUSALS): void {
  if (!socket.writable) return
  const [line, reason] = REFUSALS[why]
  const body = JSON.stringify({ ...shownProblem(refusal(reason)), requestId: randomUUID() })
  socket.pause()
  socket.end(
    `HTTP/1.1 ${line}\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const farewell = setTimeout(() => socket.destroy(), FAREWELL_MS)
  socket.once('close', () => clearTimeout(farewell))
}
