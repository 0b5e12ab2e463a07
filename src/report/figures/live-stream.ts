// One stream of server-sent events. A slow reader gets the newest totals when it is ready again, never a queue of old
// ones.

import { Readable } from 'node:stream'

export interface LiveStream {
  readable: Readable
  /** Replaces totals that were not read yet. */
  send(totals: string): void
  /** Keeps proxies and sockets from closing a stream without events. */
  heartbeat(): void
  end(): void
}

const RETRY_MS = 2000

export function createLiveStream(onClose: () => void): LiveStream {
  let ready = false
  let ended = false
  let opening = `retry: ${RETRY_MS}\n\n`
  let waiting: string | null = null
  const readable = new Readable({
    read() {
      ready = true
      flush()
    },
    destroy(error, done) {
      ended = true
      onClose()
      done(error)
    },
  })
  function flush(): void {
    if (!ready || ended || waiting === null) return
    const text = opening + waiting
    opening = ''
    waiting = null
    ready = readable.push(text)
  }
  return {
    readable,
    send(totals) {
      waiting = `event: totals\ndata: ${totals}\n\n`
      flush()
    },
    heartbeat() {
      waiting ??= ': still here\n\n'
      flush()
    },
    end() {
      if (!ended) readable.push(null)
      ended = true
    },
  }
}
