// The fast lane: ad requests and tracking calls of the plainest form, answered straight on the connection. Node's HTTP
// server costs more than half of choosing an ad. Anything else (another path, another form, a body that trickles) is
// handed to Node's server with its bytes untouched, and the connection stays there.

import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type DataAnswer, type DataRoute, FAILED, routeFor } from './data-plane.ts'
import { NOT_PLAIN, type PlainRequest, readPlainRequest, type Unfinished } from './plain-request.ts'

export interface FastLaneOptions {
  server: Server
  routes: readonly DataRoute[]
  onError: (error: unknown) => void
  /** So long a connection may be silent. */
  idleMs: number
}

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
  /** The one that is being answered: those behind it wait. */
  request: PlainRequest | null
  /** The other side will send nothing more. */
  ended: boolean
  /** The peer has not read its answers yet. */
  choked: boolean
  onData: (chunk: Buffer) => void
  onEnd: () => void
  onTrouble: () => void
}

/** A body in more pieces than this is slow: Node's server has the time limits for it. */
const MOST_LOOKS = 8
const CLOSE = 'connection: close\r\n'
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Stands in front of whatever listens to the server's connections now. */
export function openFastLane({ server, routes, onError, idleMs }: FastLaneOptions): FastLane {
  const behind = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const connections = new Set<Connection>()
  const keepAlive = `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(idleMs / 1000)}\r\n`
  const isOurs = (path: string) => routeFor(routes, path) !== undefined
  let due: Connection[] = []
  let isClosing = false

  function enter(socket: Socket): void {
    if (isClosing) {
      letThrough(socket)
      return
    }
    const connection: Connection = {
      socket,
      remoteAddress: '',
      waiting: null,
      neededBytes: 0,
      looks: 0,
      request: null,
      ended: false,
      choked: false,
      onData: chunk => take(connection, chunk),
      onEnd: () => {
        connection.ended = true
        if (connection.request === null) socket.end()
      },
      onTrouble: () => socket.destroy(),
    }
    connections.add(connection)
    socket.setTimeout(idleMs)
    socket.on('data', connection.onData)
    socket.on('end', connection.onEnd)
    socket.on('timeout', connection.onTrouble)
    socket.on('error', connection.onTrouble)
    socket.once('close', () => connections.delete(connection))
  }

  function take(connection: Connection, chunk: Buffer): void {
    const { waiting } = connection
    connection.waiting = waiting === null ? chunk : Buffer.concat([waiting, chunk])
    if (connection.request !== null) connection.socket.pause()
    else if (connection.waiting.length >= connection.neededBytes) readNext(connection, connection.waiting)
  }

  /** The answer comes when all that has arrived is read: the same code for many is faster than all code for each. */
  function readNext(connection: Connection, bytes: Buffer): void {
    const request = readPlainRequest(bytes, isOurs)
    if (request === NOT_PLAIN || 'neededBytes' in request) {
      waitOrHandOver(connection, bytes, request)
      return
    }
    connection.waiting = request.endBytes < bytes.length ? bytes.subarray(request.endBytes) : null
    connection.neededBytes = 0
    connection.looks = 0
    connection.request = request
    if (due.push(connection) === 1) setImmediate(answerDue)
  }

  function waitOrHandOver(
    connection: Connection,
    bytes: Buffer,
    request: Unfinished | typeof NOT_PLAIN,
  ): void {
    if (request === NOT_PLAIN || ++connection.looks >= MOST_LOOKS) handOver(connection, bytes)
    else connection.neededBytes = request.neededBytes
  }

  function answerDue(): void {
    const now = due
    due = []
    for (const connection of now) answer(connection, connection.request!)
  }

  function answer(connection: Connection, { method, path, query, headers, body }: PlainRequest): void {
    if (connection.remoteAddress === '') connection.remoteAddress = connection.socket.remoteAddress ?? ''
    const { remoteAddress } = connection
    const route = routeFor(routes, path)!
    try {
      const made = route.handle({ method, path, query, headers, body, remoteAddress })
      if (made instanceof Promise) {
        made.then(
          value => finish(connection, value),
          error => fail(connection, route, error),
        )
      } else finish(connection, made)
    } catch (error) {
      fail(connection, route, error)
    }
  }

  /** The visitor never sees our trouble. */
  function fail(connection: Connection, { failed = FAILED }: DataRoute, error: unknown): void {
    onError(error)
    finish(connection, failed)
  }

  function finish(connection: Connection, made: DataAnswer): void {
    const { socket } = connection
    connection.request = null
    if (socket.destroyed) return
    const text = textOf(made, isClosing ? CLOSE : keepAlive)
    if (isClosing) socket.end(text, 'latin1')
    else if (!socket.write(text, 'latin1')) choke(connection)
    if (!socket.writableEnded && !connection.choked) goOn(connection)
  }

  function goOn(connection: Connection): void {
    const { socket, waiting } = connection
    if (waiting !== null && waiting.length >= connection.neededBytes) readNext(connection, waiting)
    if (connection.request !== null) return
    if (connection.ended) socket.end()
    else if (socket.isPaused()) socket.resume()
  }

  function textOf(made: DataAnswer, connection: string): string {
    try {
      return answerText(made, connection)
    } catch (error) {
      onError(error)
      return answerText(FAILED, connection)
    }
  }

  /** A peer that does not read its answers does not get more of them made. */
  function choke(connection: Connection): void {
    connection.choked = true
    connection.socket.pause()
    connection.socket.once('drain', () => {
      connection.choked = false
      goOn(connection)
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
    letThrough(socket)
    socket.resume()
  }

  function letThrough(socket: Socket): void {
    for (const listener of behind) listener.call(server, socket)
  }

  server.on('connection', enter)
  return {
    close() {
      isClosing = true
      for (const { socket, request } of connections) if (request === null) socket.destroy()
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
  if (nowMs >= dateUntilMs || nowMs < dateUntilMs - 1000) {
    dateText = new Date(nowMs).toUTCString()
    dateUntilMs = nowMs - (nowMs % 1000) + 1000
  }
  return dateText
}
