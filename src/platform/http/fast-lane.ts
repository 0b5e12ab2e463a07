// The fast lane: ad requests and tracking calls of the plainest form, answered straight on the connection. Node's HTTP
// server costs more than choosing an ad does. Anything else (another path, another form, a body that trickles) is
// handed to Node's server with its bytes untouched, and the connection stays there.

import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type DataAnswer, type DataRoute, FAILED, routeFor } from './data-plane.ts'
import { NOT_PLAIN, type PlainRequest, readPlainRequest, type Unfinished } from './plain-request.ts'

export interface FastLane {
  /** Lets go of idle connections; busy ones end with their answer. */
  close(): void
}

interface Connection {
  socket: Socket
  remoteAddress: string
  /** Bytes that are not answered yet. */
  waiting: Buffer | null
  /** How many bytes must be there before looking again makes sense. */
  neededBytes: number
  /** How often a request was looked at that is not whole. */
  looks: number
  /** An answer is being made: the requests behind it wait. */
  busy: boolean
  /** The other side will send nothing more. */
  ended: boolean
  /** The peer has not read its answers yet. */
  choked: boolean
  onData: (chunk: Buffer) => void
  onEnd: () => void
  onTrouble: () => void
}

/** So long a connection may be silent. */
const IDLE_MS = 60_000
const KEEP_ALIVE = `connection: keep-alive\r\nkeep-alive: timeout=${IDLE_MS / 1000}\r\n`
const CLOSE = 'connection: close\r\n'
/** A body in more pieces than this is slow: Node's server has the time limits for it. */
const MOST_LOOKS = 8
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Stands in front of whatever listens to the server's connections now. */
export function openFastLane(
  server: Server,
  routes: readonly DataRoute[],
  onError: (error: unknown) => void,
): FastLane {
  const behind = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const connections = new Set<Connection>()
  const isOurs = (path: string) => routeFor(routes, path) !== undefined
  let isClosing = false

  function enter(socket: Socket): void {
    const connection: Connection = {
      socket,
      remoteAddress: '',
      waiting: null,
      neededBytes: 0,
      looks: 0,
      busy: false,
      ended: false,
      choked: false,
      onData: chunk => take(connection, chunk),
      onEnd: () => {
        connection.ended = true
        if (!connection.busy) socket.end()
      },
      onTrouble: () => socket.destroy(),
    }
    connections.add(connection)
    socket.setTimeout(IDLE_MS)
    socket.on('data', connection.onData)
    socket.on('end', connection.onEnd)
    socket.on('timeout', connection.onTrouble)
    socket.on('error', connection.onTrouble)
    socket.once('close', () => connections.delete(connection))
  }

  function take(connection: Connection, chunk: Buffer): void {
    const { waiting } = connection
    connection.waiting = waiting === null ? chunk : Buffer.concat([waiting, chunk])
    if (!connection.busy && connection.waiting.length >= connection.neededBytes) answerWaiting(connection)
    else if (connection.busy) connection.socket.pause()
  }

  /** Answers what is whole, one after the other, as far as answers come at once. */
  function answerWaiting(connection: Connection): void {
    const { socket, waiting: bytes } = connection
    connection.waiting = null
    connection.neededBytes = 0
    if (bytes === null) return
    let at = 0
    while (at < bytes.length && !socket.destroyed && !socket.writableEnded) {
      const request = readPlainRequest(bytes, at, isOurs)
      if (request === NOT_PLAIN || 'neededBytes' in request) {
        keepForLater(connection, at === 0 ? bytes : bytes.subarray(at), request)
        return
      }
      at = request.end
      connection.looks = 0
      if (!answer(connection, request)) {
        if (at < bytes.length) connection.waiting = bytes.subarray(at)
        return
      }
    }
  }

  function keepForLater(connection: Connection, rest: Buffer, request: Unfinished | typeof NOT_PLAIN): void {
    if (request === NOT_PLAIN || ++connection.looks >= MOST_LOOKS) {
      handOver(connection, rest)
      return
    }
    connection.waiting = rest
    connection.neededBytes = request.neededBytes
  }

  /** False: the answer comes later. */
  function answer(connection: Connection, request: PlainRequest): boolean {
    const { socket } = connection
    if (connection.remoteAddress === '') connection.remoteAddress = socket.remoteAddress ?? ''
    const failed = (error: unknown) => {
      onError(error)
      return FAILED
    }
    const { method, path, query, headers, body } = request
    const { remoteAddress } = connection
    try {
      const made = routeFor(routes, path)!.handle({ method, path, query, headers, body, remoteAddress })
      if (made instanceof Promise) {
        connection.busy = true
        made.catch(failed).then(value => answerLate(connection, value))
        return false
      }
      write(connection, made)
    } catch (error) {
      write(connection, failed(error))
    }
    return true
  }

  function answerLate(connection: Connection, made: DataAnswer): void {
    try {
      write(connection, made)
    } catch (error) {
      onError(error)
      write(connection, FAILED)
    }
    connection.busy = false
    if (connection.socket.destroyed) return
    if (connection.waiting !== null) answerWaiting(connection)
    if (connection.busy) return
    if (connection.ended) connection.socket.end()
    else if (!connection.choked) connection.socket.resume()
  }

  function write(connection: Connection, made: DataAnswer): void {
    const { socket } = connection
    const text = answerText(made, isClosing ? CLOSE : KEEP_ALIVE)
    if (socket.destroyed) return
    if (isClosing) socket.end(text, 'latin1')
    else if (!socket.write(text, 'latin1') && !connection.choked) choke(connection)
  }

  /** A peer that does not read its answers does not get more of them made. */
  function choke(connection: Connection): void {
    const { socket } = connection
    connection.choked = true
    socket.pause()
    socket.once('drain', () => {
      connection.choked = false
      if (!connection.busy) socket.resume()
    })
  }

  function handOver(connection: Connection, bytes: Buffer): void {
    const { socket } = connection
    connections.delete(connection)
    socket.off('data', connection.onData)
    socket.off('end', connection.onEnd)
    socket.off('timeout', connection.onTrouble)
    socket.off('error', connection.onTrouble)
    socket.setTimeout(0)
    socket.pause()
    socket.unshift(bytes)
    for (const listener of behind) listener.call(server, socket)
    socket.resume()
  }

  server.on('connection', enter)
  return {
    close() {
      isClosing = true
      for (const { socket, busy } of connections) if (!busy) socket.destroy()
    },
  }
}

/** The whole answer, a character a byte. */
function answerText({ status, headers, body }: DataAnswer, connection: string): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (const name in headers) {
    const value = headers[name]!
    if (typeof value === 'string') head += headerLine(name, value)
    else for (const item of value) head += headerLine(name, item)
  }
  head += `date: ${dateNow()}\r\n${connection}`
  if (status === 204 || status === 304) return `${head}\r\n`
  const text = body === null ? '' : typeof body === 'string' ? bytesAsText(body) : body.toString('latin1')
  return `${head}content-length: ${text.length}\r\n\r\n${text}`
}

function headerLine(name: string, value: string): string {
  if (!HEADER_VALUE.test(value)) throw new Error(`the header ${name} cannot carry its value`)
  return `${name}: ${value}\r\n`
}

/** Text is UTF-8 outside; where it is all ASCII, it already is its own bytes. */
function bytesAsText(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

let dateText = ''
let dateUntilMs = 0

function dateNow(): string {
  const nowMs = Date.now()
  if (nowMs >= dateUntilMs) {
    dateText = new Date(nowMs).toUTCString()
    dateUntilMs = nowMs - (nowMs % 1000) + 1000
  }
  return dateText
}
