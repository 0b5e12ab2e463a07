// A child of the main process: it delivers and manages on connections that it is handed, reports its state, and ends
// with the main process, however that ends.

import type { Socket } from 'node:net'
import type { Registry } from 'prom-client'
import type { ReadyPart } from '../operations.ts'
import { createAsking } from './asking.ts'
import type { MetricsOfOne, ToChild, ToMain } from './messages.ts'

export interface ChildParts {
  adopt(socket: Socket): void
  readiness(): Promise<ReadyPart[]>
  startDraining(): void
  stop(): void
  registry: Registry
}

export interface Child {
  start(parts: ChildParts): void
  /** Asks for no more connections. */
  sayLeaving(): void
  /** The metrics of all processes. */
  gather(own: Registry): Promise<string>
}

const TELL_MS = 500

export function createChild(): Child {
  const gathering = createAsking<string>()
  const say = (message: ToMain) => void process.send?.(message, () => undefined)

  function start(parts: ChildParts): void {
    process.on('message', (message: ToChild, socket?: Socket) => hear(parts, message, socket))
    process.on('disconnect', () => parts.stop())
    const telling = setInterval(async () => {
      const all = await parts.readiness()
      if (process.connected) say({ say: 'readiness', isReady: all.every(part => part.isReady) })
    }, TELL_MS)
    telling.unref()
  }

  function hear(parts: ChildParts, message: ToChild, socket: Socket | undefined): void {
    if (message.say === 'connection') {
      say({ say: 'taken' })
      // The connection may have been closed on the way.
      if (socket) parts.adopt(socket)
    } else if (message.say === 'drain') parts.startDraining()
    else if (message.say === 'stop') parts.stop()
    else if (message.say === 'all metrics') gathering.answered(message.id, message.text)
    else tell(parts.registry, message.id)
  }

  async function tell(registry: Registry, id: number): Promise<void> {
    say({ say: 'metrics', id, metrics: (await registry.getMetricsAsJSON()) as MetricsOfOne })
  }

  return {
    start,
    sayLeaving: () => say({ say: 'readiness', isReady: false }),
    gather: async own =>
      (await gathering.ask(id => say({ say: 'gather metrics', id }))) ?? (await own.metrics()),
  }
}
