// One request per connection at a time, and one start per turn of the event loop over all connections. Node would start
// everything that has arrived at once. Here a request waits for the answer to the one before it, and its connection is
// not read meanwhile; ads and pixels are answered between any two starts. Callers take turns, so one with many
// connections delays only itself.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Line {
  isBusy: boolean
  waiting: [IncomingMessage, ServerResponse][]
}

const LINE = Symbol('line')
type WithLine = Socket & { [LINE]?: Line }

export function oneAtATime(listener: RequestListener): RequestListener {
  /** Connections whose first request is due, by caller. A caller that had its turn goes to the end. */
  const due = new Map<string, [Socket, Line][]>()

  function comeUp(socket: Socket, line: Line): void {
    line.isBusy = true
    const caller = callerOf(line.waiting[0]![0])
    const others = due.get(caller)
    if (others) {
      others.push([socket, line])
      return
    }
    due.set(caller, [[socket, line]])
    if (due.size === 1) setImmediate(takeOne)
  }

  function takeOne(): void {
    const [caller, connections] = due.entries().next().value!
    const [socket, line] = connections.shift()!
    due.delete(caller)
    if (connections.length > 0) due.set(caller, connections)
    if (due.size > 0) setImmediate(takeOne)
    const [request, response] = line.waiting.shift()!
    if (socket.destroyed) {
      line.waiting = []
      return
    }
    // The body of this request may still be on its way.
    if (line.waiting.length === 0 && socket.isPaused()) socket.resume()
    response.once('close', () => next(socket, line))
    listener(request, response)
  }

  function next(socket: Socket, line: Line): void {
    line.isBusy = false
    if (line.waiting.length > 0) comeUp(socket, line)
  }

  return (request, response) => {
    const socket = request.socket as WithLine
    socket[LINE] ??= { isBusy: false, waiting: [] }
    const line = socket[LINE]
    line.waiting.push([request, response])
    if (line.isBusy) socket.pause()
    else comeUp(socket, line)
  }
}

/** Who the caller claims to be; this is not checked yet. */
function callerOf({ headers, socket }: IncomingMessage): string {
  const said =
    headers['x-access-key'] ?? headers['x-access-superkey'] ?? headers.authorization ?? headers.cookie ?? ''
  return `${socket.remoteAddress} ${said}`
}
