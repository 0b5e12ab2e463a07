// One request of a connection at a time, and one of all connections per turn of the event loop. Node reads all that has
// arrived and starts all of it at once; here a request waits for the answer before it on its connection, which is not
// read until then; and however many come at once, ads and pixels are answered between any two of them.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Turns {
  isBusy: boolean
  waiting: [IncomingMessage, ServerResponse][]
}

const TURNS = Symbol('turns')
type WithTurns = Socket & { [TURNS]?: Turns }

export function inTurns(listener: RequestListener): RequestListener {
  /** Whose first request is due, in the order of their coming. */
  const due: [Socket, Turns][] = []

  function comeUp(socket: Socket, turns: Turns): void {
    turns.isBusy = true
    if (due.push([socket, turns]) === 1) setImmediate(takeOne)
  }

  function takeOne(): void {
    const [socket, turns] = due.shift()!
    if (due.length > 0) setImmediate(takeOne)
    const [request, response] = turns.waiting.shift()!
    if (socket.destroyed) {
      turns.waiting = []
      return
    }
    // Its body may still be on the way.
    if (turns.waiting.length === 0 && socket.isPaused()) socket.resume()
    response.once('close', () => next(socket, turns))
    listener(request, response)
  }

  function next(socket: Socket, turns: Turns): void {
    turns.isBusy = false
    if (turns.waiting.length > 0) comeUp(socket, turns)
  }

  return (request, response) => {
    const socket = request.socket as WithTurns
    socket[TURNS] ??= { isBusy: false, waiting: [] }
    const turns = socket[TURNS]
    turns.waiting.push([request, response])
    if (turns.isBusy) socket.pause()
    else comeUp(socket, turns)
  }
}
