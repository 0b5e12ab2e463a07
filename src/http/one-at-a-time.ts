// One request of a connection at a time, and one of all connections per turn of the event loop. Node reads all that has
// arrived and starts all of it at once; here a request waits for the answer before it on its connection, which is not
// read until then; and however many come at once, ads and pixels are answered between any two of them.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Line {
  isBusy: boolean
  waiting: [IncomingMessage, ServerResponse][]
}

const LINE = Symbol('line')
type WithLine = Socket & { [LINE]?: Line }

export function oneAtATime(listener: RequestListener): RequestListener {
  /** Whose first request is due, in the order of their coming. */
  const due: [Socket, Line][] = []

  function comeUp(socket: Socket, line: Line): void {
    line.isBusy = true
    if (due.push([socket, line]) === 1) setImmediate(takeOne)
  }

  function takeOne(): void {
    const [socket, line] = due.shift()!
    if (due.length > 0) setImmediate(takeOne)
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
