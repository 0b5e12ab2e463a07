// The cap store: Valkey or Redis, for all nodes. The counts of a user for a campaign on a day are a sorted set of ads,
// each with the time at which its count expires, which is infinite once the ad was seen. One script takes counts, so
// that parallel requests cannot take the same one; the time is the server's. Reporting an ad twice changes nothing.

import { hash, randomUUID } from 'node:crypto'
import { setImmediate as nextLoop } from 'node:timers/promises'
import { Redis, ReplyError } from 'ioredis'
import type { Log } from '../../platform/log.ts'
import { reasonOf } from '../../platform/trouble.ts'
import { within } from '../../platform/within.ts'
import type { CapCount, CapStore, CapWish, OpenCapCount } from './shared-caps.ts'

export interface CapStoreOptions {
  url: string
  /** Distinguishes deployments that share a server. */
  prefix: string
  log: Pick<Log, 'info' | 'warn'>
  steadyMs?: () => number
}

/** The timeout of a call; an auction may also wait for the call before its own. */
const TAKE_MS = 100
/** After a call without an answer, the server is left alone for this long. */
const REST_MS = 1_000
/** Clocks of nodes differ by less than this, and notices are written in less time. */
const SLACK_MS = 30_000
const KEEP_MS = 3 * 86_400_000
const RETRY_MS = 200
const SEND_MS = 2_000
const CLOSE_MS = 1_000
const MOST_WAITING = 200_000
const AT_ONCE = 1_000
/** The most wishes in a call: the server does nothing else during a call. */
const MOST_IN_A_CALL = 256

const TAKE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = {}
for i = 2, #KEYS do
  local at = (i - 2) * 3
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
  if redis.call('ZCARD', KEYS[i]) < tonumber(ARGV[at + 2]) then
    redis.call('ZADD', KEYS[i], now + tonumber(ARGV[at + 3]), ARGV[at + 1])
    redis.call('PEXPIRE', KEYS[i], ${KEEP_MS})
    taken[i - 1] = 1
  else
    taken[i - 1] = 0
  end
end
return taken`

/** Returns a count, unless its ad was seen. */
const GIVE_BACK = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= 'inf' then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1`

/** Loads the count of an open ad. If the ad was seen, nothing changes. */
const LOAD_OPEN = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[2], 'NX', now + tonumber(ARGV[3]), ARGV[2])
redis.call('PEXPIRE', KEYS[2], ${KEEP_MS})
return 1`

/** Sets a mark if the server still has what was loaded. */
const MARK = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[1])
return 1`

type Answer = Awaited<ReturnType<CapStore['take']>>[number]

/** Wishes that have not been sent yet. */
interface Asking {
  wishes: CapWish[]
  done: Promise<Answer[]>
}

type Command = [name: string, ...args: (string | number)[]]

export function createCapStore(options: CapStoreOptions): CapStore {
  const { prefix, log, steadyMs = () => performance.now() } = options
  const redis = new Redis(options.url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    keepAlive: 5_000,
    retryStrategy: tries => Math.min(1_000, 50 * tries),
    scripts: {
      takeCapCounts: { lua: TAKE },
      giveCountBack: { lua: GIVE_BACK, numberOfKeys: 1 },
      loadOpenCount: { lua: LOAD_OPEN, numberOfKeys: 2 },
      markLoaded: { lua: MARK, numberOfKeys: 2 },
    },
  })
  const calls = redis as unknown as {
    takeCapCounts(keys: number, ...args: (string | number)[]): Promise<number[]>
    markLoaded(generation: string, mark: string, value: string): Promise<number>
  }
  const marker = `${prefix}complete`
  const generationKey = `${prefix}generation`
  /** The key has an older name, because different versions that run side by side share it. */
  const loadedKey = (nodeId: number) => `${prefix}told:${nodeId}`
  const outgoing = createOutgoing(redis)
  let restUntilMs = Number.NEGATIVE_INFINITY
  let isClosed = false
  let isAway = false
  let asking: Asking | null = null
  let lastCall: Promise<unknown> = Promise.resolve()
  /** Why there is no connection: the refusal of a command says only that there is none. */
  let lost: Error | null = null
  redis.on('error', (error: Error) => {
    lost = error
  })
  redis.on('ready', () => {
    lost = null
  })

  /** Null: it responds. The answer of a server may be an error: it is full, a replica, or has other data. */
  function note(trouble: unknown): void {
    const away = trouble !== null
    if (isAway === away || isClosed) return
    isAway = away
    const reason = wordsOf(trouble, lost)
    if (away) log.warn({ reason }, 'the server at CAPS_URL does not respond: campaigns with a cap wait')
    else log.info('the server at CAPS_URL responds again')
  }

  function keyOf({ user, dayKey, cid }: Pick<CapCount, 'user' | 'dayKey' | 'cid'>): string {
    return `${prefix}${dayKey}:${cid}:${user.hi.toString(36)}.${user.lo.toString(36)}`
  }

  /** All wishes that come during a call are sent with the next one: each call costs as much as a few bids. */
  async function take(wishes: readonly CapWish[]): Promise<Answer[]> {
    if (steadyMs() < restUntilMs) return wishes.map(() => 'caps_away')
    if (asking !== null && asking.wishes.length >= MOST_IN_A_CALL) asking = null
    asking ??= startAsking()
    const { done, wishes: all } = asking
    const at = all.length
    for (const wish of wishes) all.push(wish)
    const answers = await done
    return answers.slice(at, at + wishes.length)
  }

  function startAsking(): Asking {
    const wishes: CapWish[] = []
    const done = askAfter(lastCall, wishes)
    lastCall = done
    return { wishes, done }
  }

  async function askAfter(call: Promise<unknown>, wishes: readonly CapWish[]): Promise<Answer[]> {
    await Promise.all([call, nextLoop()])
    if (asking?.wishes === wishes) asking = null
    return steadyMs() < restUntilMs ? wishes.map(() => 'caps_away') : ask(wishes)
  }

  async function ask(wishes: readonly CapWish[]): Promise<Answer[]> {
    const keys = [marker]
    const args: (string | number)[] = []
    for (const wish of wishes) {
      keys.push(keyOf(wish))
      args.push(wish.adId, wish.freq, wish.ttlMs + SLACK_MS)
    }
    try {
      const answers = await within(TAKE_MS, () => calls.takeCapCounts(keys.length, ...keys, ...args))
      note(null)
      if (answers.length === 0) return wishes.map(() => 'counts_missing')
      return answers.map(answer => (answer === 1 ? 'taken' : 'capped'))
    } catch (error) {
      restUntilMs = steadyMs() + REST_MS
      note(error)
      // The counts may have been taken nevertheless.
      for (const wish of wishes) giveBack(wish)
      return wishes.map(() => 'caps_away')
    }
  }

  function giveBack(unused: CapCount): void {
    outgoing.put(['giveCountBack', keyOf(unused), unused.adId])
  }

  function* seenCommands(counts: Iterable<CapCount>): Generator<Command> {
    for (const count of counts) {
      yield ['zadd', keyOf(count), '+inf', count.adId]
      yield ['pexpire', keyOf(count), KEEP_MS]
    }
  }

  function* openCommands(generation: string, open: Iterable<OpenCapCount>): Generator<Command> {
    for (const count of open)
      yield ['loadOpenCount', generationKey, keyOf(count), generation, count.adId, count.leftMs + SLACK_MS]
  }

  /** Returns whether the server still had what was loaded. */
  async function mark(generation: string, key: string): Promise<boolean> {
    return (await within(SEND_MS, () => calls.markLoaded(generationKey, key, generation))) === 1
  }

  return {
    take,
    giveBack,
    count(seen) {
      outgoing.put(['zadd', keyOf(seen), '+inf', seen.adId])
      outgoing.put(['pexpire', keyOf(seen), KEEP_MS])
    },
    async loadSeen(counts) {
      await loadAll(redis, seenCommands(counts))
    },
    isComplete: async () => (await within(SEND_MS, () => redis.exists(marker))) === 1,
    async generation() {
      await within(SEND_MS, () => redis.set(generationKey, randomUUID(), 'NX'))
      return (await within(SEND_MS, () => redis.get(generationKey))) ?? ''
    },
    loadOpen: async (generation, nodeId, open) =>
      (await loadAll(redis, openCommands(generation, open))) && mark(generation, loadedKey(nodeId)),
    async nodesLoaded(generation, nodeIds) {
      if (nodeIds.length === 0) return []
      const marks = await within(SEND_MS, () => redis.mget(nodeIds.map(loadedKey)))
      return nodeIds.filter((_, at) => marks[at] === generation)
    },
    async complete(generation) {
      // Waiting commands (ads seen, counts given back) are sent first.
      await outgoing.empty()
      return mark(generation, marker)
    },
    async close() {
      await within(CLOSE_MS, outgoing.empty).catch(() => undefined)
      outgoing.close()
      isClosed = true
      redis.disconnect()
    },
  }
}

/** Commands that are repeated until they succeed: an impression must not be forgotten. */
function createOutgoing(redis: Redis) {
  let waiting: Command[] = []
  let flushing: Promise<void> | null = null
  let isClosed = false

  function put(command: Command): void {
    if (isClosed || waiting.length >= MOST_WAITING) return
    waiting.push(command)
    flushing ??= flush().finally(() => {
      flushing = null
    })
  }

  async function flush(): Promise<void> {
    // Everything from this turn of the event loop is sent together.
    await nextLoop()
    while (waiting.length > 0) {
      const some = waiting.slice(0, AT_ONCE)
      if (await send(some)) waiting = waiting.slice(some.length)
      else if (isClosed) return
      else await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }

  async function send(commands: Command[]): Promise<boolean> {
    try {
      const results = await within(SEND_MS, () => redis.pipeline(commands).exec())
      return results?.every(([error]) => !error) ?? false
    } catch {
      return false
    }
  }

  return {
    put,
    async empty(): Promise<void> {
      while (flushing) await flushing
    },
    close() {
      isClosed = true
    },
  }
}

/** Sends the commands in batches, one after the other: unlike `waiting`, they may cover a whole day. */
async function loadAll(redis: Redis, commands: Iterable<Command>): Promise<boolean> {
  let some: Command[] = []
  let isTaken = true
  const flushSome = async () => {
    if (some.length === 0) return
    const results = await within(SEND_MS, () => redis.pipeline(some).exec())
    for (const [at, [error, answer]] of (results ?? []).entries()) {
      if (error) throw error
      if (some[at]![0] === 'loadOpenCount' && answer === 0) isTaken = false
    }
    some = []
  }
  for (const command of commands) {
    some.push(command)
    if (some.length >= AT_ONCE) await flushSome()
  }
  await flushSome()
  return isTaken
}

/** The prefix is unique, because several deployments may share a server. */
export function capPrefix(userSecret: string | Buffer): string {
  return `marquee:${hash('sha256', userSecret, 'hex').slice(0, 12)}:`
}

/** The answers of the server are its own words; a connection that is missing is described by its failure. */
function wordsOf(trouble: unknown, lost: Error | null): string {
  if (trouble instanceof ReplyError) return (trouble as Error).message
  return (lost && reasonOf(lost)) || 'it does not answer'
}
