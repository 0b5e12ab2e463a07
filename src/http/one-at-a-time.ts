// One request per connection at a time, and one start per turn of the event loop over all connections. Node would start
// everything that has arrived at once. Here a request waits for the answer to the one before it, and its connection is
// not read meanwhile; ads and pixels are answered between any two starts. Callers take turns, so one with many
// connections delays only itself: customers and apps with a valid pair by who they are, strangers by their address, and
// those of one address by who they claim to be.

import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientAddress } from '../platform/client-address.ts'
import { householdOf } from '../platform/network.ts'

/** The owner of the valid pair in these headers, or null. */
export type PairOwner = (headers: IncomingHttpHeaders) => string | null

interface Line {
  /** A request is due or under way. */
  isBusy: boolean
  /** A request is under way. */
  isAnswering: boolean
  waiting: [IncomingMessage, ServerResponse][]
  /** The last request that has arrived, maybe without the end of its body. */
  last: IncomingMessage
  /** Ends the connection once all that came before is answered. */
  end: (() => void) | null
}

/** Connections whose first request is due, by the name that the caller claims. */
type Names = Map<string, [Socket, Line][]>

/** Claimed names that take turns within one address, beside nobody's: they are not checked, so they cost nothing. */
export const MOST_NAMES = 8

const LINE = Symbol('line')
type WithLine = Socket & { [LINE]?: Line }

export function oneAtATime(
  listener: RequestListener,
  clientAddress: ClientAddress,
  ownerOf: PairOwner,
): RequestListener {
  /** By owner or address. Whoever had its turn goes to the end, and so does its name. */
  const due = new Map<string, Names>()

  function comeUp(socket: Socket, line: Line): void {
    line.isBusy = true
    const { headers } = line.waiting[0]![0]
    const owner = ownerOf(headers)
    const caller = owner ?? householdOf(clientAddress(socket.remoteAddress ?? '', headers))
    if (due.size === 0) setImmediate(takeOne)
    const names = due.get(caller) ?? new Map()
    due.set(caller, names)
    const name = nameAmong(names, owner === null ? claimedName(headers) : '')
    const connections = names.get(name)
    if (connections) connections.push([socket, line])
    else names.set(name, [[socket, line]])
  }

  function takeOne(): void {
    const [caller, names] = takeFirst(due)
    const [name, connections] = takeFirst(names)
    const [socket, line] = connections.shift()!
    if (connections.length > 0) names.set(name, connections)
    if (names.size > 0) due.set(caller, names)
    if (due.size > 0) setImmediate(takeOne)
    const [request, response] = line.waiting.shift()!
    if (socket.destroyed) {
      line.waiting = []
      return
    }
    // The body of this request may still be on its way.
    if (line.waiting.length === 0 && socket.isPaused() && !line.end) socket.resume()
    line.isAnswering = true
    response.once('close', () => next(socket, line))
    listener(request, response)
  }

  function next(socket: Socket, line: Line): void {
    line.isBusy = false
    line.isAnswering = false
    if (line.waiting.length > 0) comeUp(socket, line)
    else line.end?.()
  }

  return (request, response) => {
    const socket = request.socket as WithLine
    socket[LINE] ??= { isBusy: false, isAnswering: false, waiting: [], last: request, end: null }
    const line = socket[LINE]
    line.last = request
    line.waiting.push([request, response])
    if (line.isBusy) socket.pause()
    else comeUp(socket, line)
  }
}

/**
 * Ends a connection on which nothing more can be read, after the answers to what came before. A request whose body is
 * what cannot be read has no answer.
 */
export function endAfterAnswers(socket: Socket, end: () => void): void {
  const line = (socket as WithLine)[LINE]
  const isCut = line?.last.complete === false
  const before = line?.isBusy ? line.waiting.length + (line.isAnswering ? 1 : 0) - (isCut ? 1 : 0) : 0
  if (!line || before === 0) {
    end()
    return
  }
  if (isCut) line.waiting.pop()
  socket.pause()
  line.end = end
}

function takeFirst<T>(map: Map<string, T>): [string, T] {
  const first = map.entries().next().value!
  map.delete(first[0])
  return first
}

/** Who the caller claims to be. */
function claimedName(headers: IncomingHttpHeaders): string {
  const { authorization, cookie } = headers
  return String(headers['x-access-key'] ?? headers['x-access-superkey'] ?? authorization ?? cookie ?? '')
}

/** A name too many waits behind the fewest. */
function nameAmong(names: Names, claimed: string): string {
  if (claimed === '' || names.has(claimed)) return claimed
  const others = [...names].filter(([name]) => name !== '')
  if (others.length < MOST_NAMES) return claimed
  return others.reduce((least, other) => (other[1].length < least[1].length ? other : least))[0]
}
