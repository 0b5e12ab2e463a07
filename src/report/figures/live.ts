// Sends today's totals of customers to listeners when they change. One query per second looks for changes of all
// customers with listeners, however many listeners there are. A customer's campaigns are read only if something
// changed.

import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createSlots, type Transfer } from '../../http/slots.ts'
import { refusal } from '../../kernel/errors/problem.ts'
import { type Clock, steadyMsOf } from '../../kernel/time/clock.ts'
import type { Day } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import { every, patiently } from '../../platform/timer.ts'
import type { LiveTotals } from './contract.ts'
import { add, type Counts, figuresOf, NOTHING, withFigures } from './figures.ts'
import { sumCampaigns, sumEach } from './queries.ts'

export interface LiveParts {
  db: Db
  clock: Clock
  /** The current day of a customer. */
  todayOf(customer: { db: Db; cuid: number }): Promise<Day>
  log: Log
  pollMs?: number
}

export interface Live {
  read(db: Db, cuid: number): Promise<LiveTotals>
  open(owner: { appId: number; cuid: number }, transfer?: Transfer): Promise<Readable>
  /** Ends all streams, and opens no more. */
  close(): Promise<void>
  /** For tests: the number of listeners. */
  listeners(): number
}

const POLL_MS = 1000
const HEARTBEAT_MS = 15_000
/** Then the client reconnects, and its credentials are checked again. */
const MAX_AGE_MS = 10 * 60_000
const CLOSE_GRACE_MS = 2000
export const LIMITS = { total: 1000, perApp: 500, perCustomer: 20 }

interface Listener {
  stream: LiveStream
  openedMs: number
  sentMs: number
}

/** Totals of a day, and a mark to check whether they are still current. */
interface Sent {
  day: Day
  mark: string
  text: string
}

interface Channel {
  listeners: Set<Listener>
  /** What was sent last. */
  sent: Promise<Sent>
  /** Sums up the campaigns. If that takes long, it is done less often, so that others are served. */
  look: () => Promise<void>
}

export function createLive({ db, clock, todayOf, log, pollMs = POLL_MS }: LiveParts): Live {
  const channels = new Map<number, Channel>()
  const takeSlot = createSlots('live streams', LIMITS)
  let stopPolling: (() => Promise<void>) | null = null
  let closed = false

  async function tell(cuid: number): Promise<Sent> {
    const day = await todayOf({ db, cuid })
    const { totals, own } = await readToday(db, cuid, day)
    return { day, mark: markOf(own), text: JSON.stringify(totals) }
  }

  async function poll(): Promise<void> {
    const nowMs = clock.nowMs()
    for (const { listeners } of channels.values()) {
      for (const listener of listeners) {
        if (nowMs - listener.openedMs >= MAX_AGE_MS) listener.stream.end()
        else if (nowMs - listener.sentMs >= HEARTBEAT_MS) {
          listener.sentMs = nowMs
          listener.stream.heartbeat()
        }
      }
    }
    // Uses one query for all customers whose days began at the same time.
    const byStart = new Map<number, [number, Channel, Sent][]>()
    for (const [cuid, channel] of channels) {
      const sent = await channel.sent
      if (sent.day.startMs <= nowMs && nowMs < sent.day.endMs)
        byStart.set(sent.day.startMs, [...(byStart.get(sent.day.startMs) ?? []), [cuid, channel, sent]])
      else await channel.look()
    }
    for (const [startMs, some] of byStart) {
      const cuids = some.map(([cuid]) => cuid)
      const sums = await sumEach(db, cuids, new Date(startMs))
      const byId = new Map<number, Counts>(sums.map(row => [row.id, row]))
      for (const [cuid, channel, { mark }] of some)
        if (mark !== markOf(byId.get(cuid) ?? NOTHING)) await channel.look()
    }
  }

  async function tellAll(cuid: number, channel: Channel): Promise<void> {
    const next = await tell(cuid)
    channel.sent = Promise.resolve(next)
    for (const listener of channel.listeners) {
      listener.sentMs = clock.nowMs()
      listener.stream.send(next.text)
    }
  }

  function channelOf(cuid: number): Channel {
    const known = channels.get(cuid)
    if (known) return known
    const look = patiently(() => tellAll(cuid, channel), steadyMsOf(clock))
    const channel: Channel = { listeners: new Set(), sent: tell(cuid), look }
    channels.set(cuid, channel)
    stopPolling ??= every('live totals', pollMs, poll, log, clock)
    return channel
  }

  function leave(cuid: number, channel: Channel): void {
    if (channel.listeners.size > 0 || channels.get(cuid) !== channel) return
    channels.delete(cuid)
    if (channels.size > 0) return
    stopPolling?.().catch(() => {})
    stopPolling = null
  }

  return {
    read: async (reader, cuid) => (await readToday(reader, cuid, await todayOf({ db: reader, cuid }))).totals,
    async open({ appId, cuid }, transfer) {
      if (closed) throw refusal('stopping')
      const free = takeSlot({ appId, cuid }, transfer)
      const channel = channelOf(cuid)
      const listener: Listener = {
        openedMs: clock.nowMs(),
        sentMs: clock.nowMs(),
        stream: createLiveStream(() => {
          free()
          channel.listeners.delete(listener)
          leave(cuid, channel)
        }),
      }
      channel.listeners.add(listener)
      try {
        listener.stream.send((await channel.sent).text)
      } catch (error) {
        listener.stream.readable.destroy()
        throw error
      }
      if (closed) listener.stream.end()
      return listener.stream.readable
    },
    async close() {
      closed = true
      await stopPolling?.()
      const streams = [...channels.values()]
        .flatMap(({ listeners }) => [...listeners])
        .map(item => item.stream)
      for (const stream of streams) stream.end()
      // A stream with a stalled reader would keep the service from stopping.
      const stalled = setTimeout(() => {
        for (const { readable } of streams) readable.destroy()
      }, CLOSE_GRACE_MS)
      await Promise.all(streams.map(({ readable }) => readable.closed || once(readable, 'close')))
      clearTimeout(stalled)
    },
    listeners: () => [...channels.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
  }
}

/** The totals of a customer's day, and their sums including deleted campaigns. */
export async function readToday(db: Db, cuid: number, { key, startMs }: Day) {
  const rows = await sumCampaigns(db, cuid, String(key))
  const own = rows.reduce<Counts>((sum, row) => add(sum, row), NOTHING)
  const campaigns = rows.filter(row => !row.is_deleted)
  const totals: LiveTotals = {
    cuid,
    date: startMs / 1000,
    ...figuresOf(own),
    campaigns: campaigns.map(row => withFigures({ cid: row.id }, row)),
  }
  return { totals, own }
}

function markOf({ imps, views, clicks, actions, spendMicros }: Counts): string {
  return [imps, views, clicks, actions, spendMicros].join()
}

// One stream of server-sent events. A slow reader gets the newest totals when it is ready again, never a queue of old
// ones.

interface LiveStream {
  readable: Readable
  /** Replaces totals that were not read yet. */
  send(totals: string): void
  /** Keeps proxies and sockets from closing a stream without events. */
  heartbeat(): void
  end(): void
}

const RETRY_MS = 2000

function createLiveStream(onClose: () => void): LiveStream {
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
