// Batches of events: what is acknowledged was written, whatever the database does.

import { describe, expect, test } from 'vitest'
import { testClock } from '../../../test/support/service.ts'
import type { ServedAd } from './ad.ts'
import { type BatcherOptions, createBatcher, type Outcome } from './batcher.ts'
import type { AdEvent, Batch, BatchResult } from './event.ts'

const AD = { cuid: 1, cid: 2, fid: 3, pid: 4, bid: 5 } as ServedAd
const event = (adId: string, kind: AdEvent['kind'] = 'impression'): AdEvent => ({
  kind,
  ad: { ...AD, adId },
  atMs: 0,
  spendMicros: 1,
})
const NEW: BatchResult = { known: [], late: [] }
const WAIT_MS = 10_000

class DatabaseError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

interface Call {
  batch: Batch
  succeed(result?: BatchResult): void
  fail(error: Error): void
}

/** A database whose answers the test gives one by one. */
function trial(options: Partial<BatcherOptions> = {}) {
  const calls: Call[] = []
  const outcomes: string[] = []
  const clock = testClock()
  const batcher = createBatcher({
    clock,
    onTrouble: () => {},
    ignoredFlushMs: 1,
    maxBackoffMs: 20,
    ingest: batch =>
      new Promise((resolve, reject) => {
        // A copy, because a retry may leave something out.
        calls.push({ batch: { ...batch }, succeed: (result = NEW) => resolve(result), fail: reject })
      }),
    ...options,
  })
  const add = (adId: string, waitMs = WAIT_MS) =>
    batcher.addEvent(event(adId), waitMs, (outcome: Outcome) => outcomes.push(`${adId} ${outcome}`))
  const call = async (index: number): Promise<Call> => {
    while (!calls[index]) await new Promise(resolve => setTimeout(resolve, 1))
    return calls[index]!
  }
  const ads = (one: Call) => one.batch.events.map(item => item.ad.adId)
  return { batcher, calls, outcomes, clock, add, call, ads }
}

describe('group commit', () => {
  test('what arrives while a batch is written is in the next one; nothing is answered before its own batch', async () => {
    const { add, call, ads, batcher } = trial()
    const answered: string[] = []
    const note = (adId: string) => add(adId).then(answer => answered.push(`${adId} ${answer}`))
    void note('a')
    const first = await call(0)
    const rest = [note('b'), note('c')]
    expect(ads(first)).toEqual(['a'])
    expect(answered).toEqual([])
    first.succeed()
    const second = await call(1)
    expect(ads(second)).toEqual(['b', 'c'])
    expect(answered).toEqual(['a counted'])
    second.succeed({ known: [0], late: [] })
    await Promise.all(rest)
    expect(answered).toEqual(['a counted', 'b duplicate', 'c counted'])
    expect(batcher.queued()).toBe(0)
  })

  /** The contents of the second batch if each step of gathering brings the next of these events. */
  async function gathered(coming: AdEvent[]): Promise<string[]> {
    const left = [...coming]
    const { batcher, add, call, ads } = trial({
      pause: async () => {
        const next = left.shift()
        if (next) void batcher.addEvent(next, WAIT_MS, () => {})
      },
    })
    void add('a')
    const first = await call(0)
    void add('b')
    first.succeed()
    return ads(await call(1))
  }

  test('a batch waits while more events arrive, up to a limit, but no longer if somebody waits for it', async () => {
    const many = Array.from({ length: 9 }, (_, at) => event(`m${at}`))
    expect(await gathered(many.slice(0, 2))).toEqual(['b', 'm0', 'm1'])
    expect(await gathered(many)).toEqual(['b', 'm0', 'm1', 'm2', 'm3'])
    expect(await gathered([event('m0'), event('c', 'click'), ...many.slice(1)])).toEqual(['b', 'm0', 'c'])
  })

  /** How long each batch waits, when so many events come while the one before is written and each step brings some. */
  async function waits(came: number[], brought: number[]): Promise<number[]> {
    const waited: number[] = []
    let number = 0
    const { add, call } = trial({
      pause: async ms => {
        waited.push(ms)
        for (let n = brought.shift() ?? 0; n > 0; n--) void add(`p${number++}`)
      },
    })
    void add('first')
    for (const [at, count] of came.entries()) {
      const one = await call(at)
      for (let n = 0; n < count; n++) void add(`w${number++}`)
      one.succeed()
    }
    ;(await call(came.length)).succeed()
    return waited
  }

  test('what comes alone is never held back, and 100 ms are the longest that a batch waits', async () => {
    const { add, call } = trial({
      pause: async () => {
        throw new Error('waited')
      },
    })
    for (let n = 0; n < 20; n++) {
      const answer = add(`alone ${n}`)
      ;(await call(n)).succeed()
      expect(await answer).toBe('counted')
    }
    expect(await waits([1], [1, 1, 1, 1, 1, 1])).toEqual([5, 20, 50, 25])
  })

  test('callers who wait for each other are held back for the shortest step only', async () => {
    expect(await waits([2, 2, 2, 2], [])).toEqual([5, 5, 5, 5])
  })

  test('a click ends the wait of the batch that it joins', async () => {
    let isOver = false
    const { batcher, add, call, ads } = trial({
      pause: () => new Promise(resolve => setTimeout(resolve, 60_000).unref()),
    })
    void add('a')
    const first = await call(0)
    void add('b')
    first.succeed()
    await new Promise(resolve => setTimeout(resolve, 5))
    void batcher.addEvent(event('c', 'click'), WAIT_MS, () => {
      isOver = true
    })
    const second = await call(1)
    expect(ads(second)).toEqual(['b', 'c'])
    second.succeed()
    await expect.poll(() => isOver).toBe(true)
  })

  test('a batch has a maximum size', async () => {
    const { add, call, ads } = trial({ maxBatch: 2 })
    const answers = ['a', 'b', 'c'].map(adId => add(adId))
    for (const [index, expected] of [['a', 'b'], ['c']].entries()) {
      const one = await call(index)
      expect(ads(one)).toEqual(expected)
      one.succeed()
    }
    expect(await Promise.all(answers)).toEqual(['counted', 'counted', 'counted'])
  })

  test('an ad that is twice in the queue is sent once; its click and its impression are two events', async () => {
    const { add, batcher, call, outcomes } = trial()
    const answers = [add('a'), add('a'), batcher.addEvent(event('a', 'click'), WAIT_MS, () => {})]
    const one = await call(0)
    answers.push(add('a'))
    expect(one.batch.events).toHaveLength(2)
    one.succeed()
    expect(await Promise.all(answers)).toEqual(['counted', 'duplicate', 'counted', 'duplicate'])
    expect(outcomes).toEqual(['a counted', 'a duplicate', 'a duplicate'])
  })
})

describe('the database in trouble', () => {
  test('a batch is retried until the database answers', async () => {
    const { add, call, ads, outcomes } = trial()
    const answer = add('a')
    for (let i = 0; i < 3; i++) (await call(i)).fail(new DatabaseError('53300'))
    const last = await call(3)
    expect(ads(last)).toEqual(['a'])
    last.succeed()
    expect(await answer).toBe('counted')
    expect(outcomes).toEqual(['a counted'])
  })

  test('after a lost answer, an event found on disk is treated as counted, and reported as found', async () => {
    const { add, call, outcomes } = trial()
    const answers = [add('a'), add('b')]
    ;(await call(0)).fail(new Error('Connection terminated unexpectedly'))
    ;(await call(1)).succeed({ known: [0], late: [] })
    expect(await Promise.all(answers)).toEqual(['counted', 'counted'])
    expect(outcomes).toEqual(['a found', 'b counted'])
  })

  test('after a plain refusal by the server, an event found on disk is a duplicate', async () => {
    const { add, call, outcomes } = trial()
    const answer = add('a')
    ;(await call(0)).fail(new DatabaseError('40P01'))
    ;(await call(1)).succeed({ known: [0], late: [] })
    expect(await answer).toBe('duplicate')
    expect(outcomes).toEqual(['a duplicate'])
  })

  test('a caller that waits too long gets an answer; the event is still written, and settled once', async () => {
    const { add, call, clock, outcomes, batcher } = trial()
    const [answer, follower] = [add('a', 2000), add('a', 2000)]
    const one = await call(0)
    clock.advance(3000)
    expect(await Promise.all([answer, follower])).toEqual(['waiting', 'waiting'])
    expect(outcomes).toEqual([])
    one.succeed()
    ;(await call(1)).succeed()
    await batcher.stop(1000)
    expect(outcomes).toEqual(['a counted', 'a duplicate'])
  })

  test('one bad row is set apart and delays no other', async () => {
    const bad = new Set(['c'])
    const written: string[] = []
    const { add, outcomes } = trial({
      ingest: async batch => {
        if (batch.events.some(item => bad.has(item.ad.adId))) throw new DatabaseError('22003')
        written.push(...batch.events.map(item => item.ad.adId))
        return NEW
      },
    })
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'c'].map(adId => add(adId)))
    expect(answers).toEqual(['counted', 'counted', 'failed', 'counted', 'counted', 'failed'])
    expect(written.sort()).toEqual(['a', 'b', 'd', 'e'])
    expect(outcomes.filter(outcome => outcome === 'c failed')).toHaveLength(2)
  })

  test('a full queue has no room, and has room again when it is written', async () => {
    const { add, call, batcher } = trial({ maxQueued: 2 })
    const answers = [add('a'), add('a')]
    expect(batcher.hasRoom()).toBe(false)
    ;(await call(0)).succeed()
    await Promise.all(answers)
    expect(batcher.hasRoom()).toBe(true)
  })
})

describe('calls that are not counted', () => {
  const sums = (calls: Call[]) =>
    calls.flatMap(one => one.batch.ignored.map(item => `${item.reason} ${item.counter} ${item.calls}`))

  test('they are summed up and written by themselves', async () => {
    const { batcher, call } = trial()
    for (let i = 0; i < 3; i++) batcher.ignore([1, 5], 'imps', 'bot', 0)
    batcher.ignore([1, 5], 'clicks', 'bot', 0)
    const one = await call(0)
    expect(sums([one])).toEqual(['bot imps 3', 'bot clicks 1'])
    one.succeed()
  })

  test('they are kept if the server refused, and dropped if it may have written them', async () => {
    const { batcher, call, calls } = trial()
    batcher.ignore([1, 5], 'imps', 'bot', 0)
    ;(await call(0)).fail(new DatabaseError('53300'))
    ;(await call(1)).fail(new Error('Connection terminated unexpectedly'))
    await new Promise(resolve => setTimeout(resolve, 20))
    batcher.ignore([1, 5], 'clicks', 'bot', 0)
    ;(await call(2)).succeed()
    expect(sums(calls)).toEqual(['bot imps 1', 'bot imps 1', 'bot clicks 1'])
  })

  test('a duplicate found by the database counts as one of them', async () => {
    const { add, call } = trial()
    const answer = add('a')
    ;(await call(0)).succeed({ known: [0], late: [] })
    await answer
    const second = await call(1)
    expect(sums([second])).toEqual(['duplicate imps 1'])
    second.succeed()
  })
})

describe('stopping', () => {
  test('it accepts nothing more, and writes what is queued', async () => {
    const { add, call, batcher } = trial()
    const answer = add('a')
    batcher.ignore([1, 5], 'imps', 'bot', 0)
    const stopped = batcher.stop(5000)
    expect(batcher.hasRoom()).toBe(false)
    ;(await call(0)).succeed()
    const ignored = await call(1)
    expect(ignored.batch.ignored).toHaveLength(1)
    ignored.succeed()
    await stopped
    expect(await answer).toBe('counted')
  })

  test('its patience ends, and waiting callers get an answer', async () => {
    const { add, batcher, outcomes } = trial({
      ingest: async () => {
        throw new DatabaseError('57P03')
      },
    })
    const answer = add('a')
    await batcher.stop(50)
    expect(await answer).toBe('waiting')
    expect(outcomes).toEqual([])
  })
})

test('a batch that exceeds the statement timeout is written in smaller ones', async () => {
  const sizes: number[] = []
  const { add, outcomes } = trial({
    ingest: async ({ events }) => {
      sizes.push(events.length)
      if (events.length > 10) throw new DatabaseError('57014')
      return NEW
    },
  })
  const ids = Array.from({ length: 60 }, (_, n) => `ad${n}`)
  expect(new Set(await Promise.all(ids.map(id => add(id))))).toEqual(new Set(['counted']))
  expect(outcomes).toEqual(ids.map(id => `${id} counted`))
  expect(sizes.filter(size => size <= 10).reduce((sum, size) => sum + size, 0)).toBe(60)
})

test('failing attempts count as stuck, whatever the error; bad rows alone do not', async () => {
  const { add, call, batcher } = trial()
  const answer = add('a')
  for (const [attempt, state] of ['57014', '25006', '53100', '55P03'].entries()) {
    const failing = await call(attempt)
    const before = batcher.stuckMs()
    failing.fail(new DatabaseError(state))
    await call(attempt + 1)
    expect([state, batcher.stuckMs() > before]).toEqual([state, true])
  }
  const last = await call(4)
  last.succeed()
  expect([await answer, batcher.stuckMs()]).toEqual(['counted', 0])
  const bad = add('b')
  const refused = await call(5)
  refused.fail(new DatabaseError('23514'))
  expect([await bad, batcher.stuckMs()]).toEqual(['failed', 0])
})

test('an event that takes too long even alone is retried until it is written', async () => {
  let tries = 0
  const { add } = trial({
    ingest: async () => {
      if (++tries < 4) throw new DatabaseError('57014')
      return NEW
    },
  })
  expect(await add('a')).toBe('counted')
  expect(tries).toBe(4)
})
