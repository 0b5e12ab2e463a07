// One request of a connection at a time. Node reads all that a peer has pipelined and starts all of it at once; here each
// waits for the answer before it, and the peer is not read from meanwhile. So nobody gets more than one turn of everybody's.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Turns {
  isBusy: boolean
  waiting: [IncomingMessage, ServerResponse][]
}

const TURNS = Symbol('turns')
type WithTurns = Socket & { [TURNS]?: Turns }

export function inTurns(listener: RequestListener): RequestListener {
  function start(request: IncomingMessage, response: ServerResponse, turns: Turns): void {
    turns.isBusy = true
    response.once('close', () => next(request.socket, turns))
    listener(request, response)
  }

  function next(socket: Socket, turns: Turns): void {
    turns.isBusy = false
    if (turns.waiting.length > 0) setImmediate(takeNext, socket, turns)
  }

  function takeNext(socket: Socket, turns: Turns): void {
    const [request, response] = turns.waiting.shift()!
    if (socket.destroyed) {
      turns.waiting = []
      return
    }
    // Its body may still be on the way.
    if (turns.waiting.length === 0) socket.resume()
    start(request, response, turns)
  }

  return (request, response) => {
    const socket = request.socket as WithTurns
    socket[TURNS] ??= { isBusy: false, waiting: [] }
    const turns = socket[TURNS]
    if (!turns.isBusy && turns.waiting.length === 0) {
      start(request, response, turns)
      return
    }
    turns.waiting.push([request, response])
    socket.pause()
  }
}
