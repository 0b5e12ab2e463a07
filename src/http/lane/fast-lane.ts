// The fast lane answers ad requests and tracking calls of the plainest form directly on the connection, because Node's
// HTTP server costs more than half as much as choosing an ad. Anything else (another path, another form) is handed to
// Node's server with its bytes untouched, and the connection stays there. Each connection has one request answered at a
// time.

import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type DataAnswer, type DataRoute, FAILED, type OnDataError, routeFor } from './data-plane.ts'
import { readIntoOneBuffer } from './one-buffer.ts'
import { NOT_PLAIN, type PlainRequest, readPlainRequest } from './plain-request.ts'
import { refuseConnection } from './refuse-connection.ts'

export interface FastLaneOptions {
  server: Server
  routes: readonly DataRoute[]
  onError: OnDataError
  /** How long a connection may be idle; it is closed some seconds later. */
  idleMs: number
  /** How long a request may take to arrive, and its answer to be read. */
  requestMs: number
}

export interface FastLane {
  /** Closes idle connections; busy ones end with their answer. */
  close(): void
}

interface Connection {
  socket: Socket
  remoteAddress: string
  /** The received beginning of a request whose rest has not arrived. */
  pieces: Buffer[]
  heldBytes: number
  /** How many bytes must have arrived before it makes sense to look again. */
  neededBytes: number
  /**
   * Since when we have waited for the rest of a request, or for the peer to read its answers; null if we are not
   * waiting.
   */
  owesSinceMs: number | null
  /** How many checks in a row found that nothing had happened since the one before. */
  idleChecks: number
  /** The request that is being answered; those behind it wait in the socket. */
  request: PlainRequest | null
  /** The other side has ended its stream. */
  ended: boolean
  /** The peer has not yet read its answers. */
  choked: boolean
  onData: (chunk: Buffer) => void
  onEnd: () => void
  onTrouble: () => void
}

/** The longest pause between checks for slow and idle peers: a timer for each connection would cost more. */
const CHECK_MS = 5_000
const CLOSE = 'connection: close\r\n'
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Handles connections before the server's current listeners do. */
export function openFastLane({ server, routes, onError, idleMs, requestMs }: FastLaneOptions): FastLane {
  const plainListeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const connections = new Set<Connection>()
  const isOurs = (path: string) => routeFor(routes, path) !== undefined
  const checkMs = Math.min(CHECK_MS, requestMs, idleMs)
  let isClosing = false
  const { answerSoon } = createAnswering({ routes, onError, idleMs, isClosing: () => isClosing })

  function enter(socket: Socket): void {
    if (isClosing) {
      letThrough(socket)
      return
    }
    const connection: Connection = {
      socket,
      remoteAddress: '',
      pieces: [],
      heldBytes: 0,
      neededBytes: 0,
      owesSinceMs: null,
      idleChecks: 0,
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
    readIntoOneBuffer(socket)
    socket.on('data', connection.onData)
    socket.on('end', connection.onEnd)
    socket.on('error', connection.onTrouble)
    socket.once('close', () => connections.delete(connection))
  }

  function take(connection: Connection, chunk: Buffer): void {
    connection.idleChecks = 0
    if (connection.request !== null || connection.choked) {
      putBack(connection.socket, chunk)
      return
    }
    connection.pieces.push(chunk)
    connection.heldBytes += chunk.length
    if (connection.heldBytes >= connection.neededBytes) readNext(connection)
  }

  function readNext(connection: Connection): void {
    const bytes = joined(connection)
    const request = readPlainRequest(bytes, isOurs)
    if (request === NOT_PLAIN) {
      handOver(connection, bytes)
      return
    }
    if ('neededBytes' in request) {
      connection.neededBytes = request.neededBytes
      connection.owesSinceMs ??= performance.now()
      return
    }
    if (bytes.length > request.endBytes) putBack(connection.socket, bytes.subarray(request.endBytes))
    connection.pieces.length = 0
    connection.heldBytes = 0
    connection.neededBytes = 0
    connection.owesSinceMs = null
    connection.request = request
    answerSoon(connection)
  }

  function check(): void {
    refuseLate()
    closeIdle()
  }

  /** The first check may come right after something has happened. */
  function closeIdle(): void {
    for (const connection of connections) {
      if (connection.request !== null || connection.choked) continue
      if (connection.idleChecks++ * checkMs >= idleMs) connection.socket.destroy()
    }
  }

  /** One deadline for the whole request, however slowly its bytes come. */
  function refuseLate(): void {
    const latestMs = performance.now() - requestMs
    for (const connection of connections) {
      if (connection.owesSinceMs === null || connection.owesSinceMs > latestMs) continue
      connections.delete(connection)
      connection.socket.off('data', connection.onData)
      if (connection.choked) connection.socket.destroy()
      else refuseConnection(connection.socket, 'slow')
    }
  }

  function handOver(connection: Connection, bytes: Buffer): void {
    const { socket } = connection
    connections.delete(connection)
    socket.off('data', connection.onData)
    socket.off('end', connection.onEnd)
    socket.off('error', connection.onTrouble)
    putBack(socket, bytes)
    letThrough(socket)
    socket.resume()
  }

  function letThrough(socket: Socket): void {
    for (const listener of plainListeners) listener.call(server, socket)
  }

  server.on('connection', enter)
  const checking = setInterval(check, checkMs)
  checking.unref()
  return {
    close() {
      isClosing = true
      clearInterval(checking)
      for (const { socket, request } of connections) if (request === null) socket.destroy()
    },
  }
}

interface AnsweringOptions extends Pick<FastLaneOptions, 'routes' | 'onError' | 'idleMs'> {
  isClosing(): boolean
}

/** Answers the requests that were read, each connection's next one only after its answer was taken. */
function createAnswering({ routes, onError, idleMs, isClosing }: AnsweringOptions) {
  const keepAlive = `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(idleMs / 1000)}\r\n`
  let due: Connection[] = []

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

  /** The visitor never sees our errors. */
  function fail(connection: Connection, { failed = FAILED }: DataRoute, error: unknown): void {
    onError(error, connection.request?.headers)
    finish(connection, failed)
  }

  function finish(connection: Connection, made: DataAnswer): void {
    const { socket } = connection
    connection.request = null
    connection.idleChecks = 0
    if (socket.destroyed) return
    const text = textOf(made, isClosing() ? CLOSE : keepAlive)
    if (isClosing()) socket.end(text, 'latin1')
    else if (!socket.write(text, 'latin1')) choke(connection)
    if (!socket.writableEnded && !connection.choked) goOn(connection)
  }

  function goOn({ socket, ended }: Connection): void {
    if (ended) socket.end()
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

  /** No more answers are made for a peer that does not read them. */
  function choke(connection: Connection): void {
    connection.choked = true
    connection.owesSinceMs = performance.now()
    connection.socket.pause()
    connection.socket.once('drain', () => {
      connection.choked = false
      connection.owesSinceMs = null
      goOn(connection)
    })
  }

  return {
    /** After all that has arrived was read: the same code for many requests is faster than all code for each. */
    answerSoon(connection: Connection): void {
      if (due.push(connection) === 1) setImmediate(answerDue)
    },
  }
}

/**
 * Bytes that cannot be read yet go back into the socket. While it holds bytes it does not end; after its end, it could
 * not be handed over with them.
 */
function putBack(socket: Socket, bytes: Buffer): void {
  socket.pause()
  socket.unshift(bytes)
}

/** All received bytes, as one piece. */
function joined(connection: Connection): Buffer {
  if (connection.pieces.length > 1) connection.pieces = [Buffer.concat(connection.pieces)]
  return connection.pieces[0]!
}

/** The whole answer, with one character per byte. */
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

/** Text is sent as UTF-8; pure ASCII needs no encoding. */
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
