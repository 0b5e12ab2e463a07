// Connections in turn. Nobody gets a second one before the first is taken, so a process that hangs costs one. If all
// are taking one, the next goes to whoever has done so first.

import type { Socket } from 'node:net'

export interface Taker {
  /** It was handed a connection and has not taken it yet. */
  isTaking: boolean
}

export interface HandOver<Some extends Taker> {
  place(socket: Socket): void
  taken(taker: Some): void
  /** Who takes connections may have changed. */
  goOn(): void
}

export function createHandOver<Some extends Taker>(
  takers: () => Some[],
  hand: (taker: Some, socket: Socket) => void,
): HandOver<Some> {
  const waiting: Socket[] = []
  let handedOut = 0

  function goOn(): void {
    while (waiting.length > 0) {
      const free = takers().filter(({ isTaking }) => !isTaking)
      const taker = free[handedOut++ % free.length]
      if (!taker) return
      taker.isTaking = true
      hand(taker, waiting.shift()!)
    }
  }

  return {
    place(socket) {
      waiting.push(socket)
      goOn()
    },
    taken(taker) {
      taker.isTaking = false
      goOn()
    },
    goOn,
  }
}
