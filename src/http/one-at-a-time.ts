// One request of a connection at a time, and one of all connections per turn of the event loop. Node reads all that has
// arrived and starts all of it at once; here a request waits for the answer before it on its connection, which is not
// read until then; and however many come at once, ads and pixels are answered between any two of them. Whoever sends
// on many connections delays itself: callers take turns.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Line {
  isBusy: boolean
  waiting: [IncomingMessage, ServerResponse][]
}

const LINE = Symbol('line')
type WithLine = Socket & { [LINE]?: Line }

export function oneAtATime(listener: RequestListener): RequestListener {
  /** Connections whose first request is due, by caller. A caller whose turn it was goes to the end. */
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
    // Its body may still be on the way.
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

/** Who says to be calling; that is not checked yet. */
function callerOf({ headers, socket }: IncomingMessage): string {
  const said =
    headers['x-access-key'] ?? headers['x-access-superkey'] ?? headers.authorization ?? headers.cookie ?? ''
  return `${socket.remoteAddress} ${said}`
}
