// Frequency caps: how often a user saw a campaign on a day, as counted + open (served, not yet known to be seen). It
// guarantees that counted + open never exceeds the cap. Users are 64-bit hashes; two with the same fingerprint share a
// count, which makes the cap stricter, never looser. Bounded: when the table is full, unknown users are refused
// ('caps_full') rather than served uncounted. 12 bytes per slot: 17 to 34 MB per million users.

/** A keyed 64-bit hash of the user, as two unsigned 32-bit halves; the signed links contain the same hash. */
export interface UserHash {
  hi: number
  lo: number
}

/** A user of an ad request. Its hash changes daily, and each customer has days of its own. */
export interface DatedUser extends UserHash {
  /** The hash for ads of this date; missing: the same for all dates. */
  on?: ((dayKey: number) => UserHash) | undefined
}

export function userOn(user: DatedUser, dayKey: number): UserHash {
  return user.on ? user.on(dayKey) : user
}

export type CapRefusal = 'capped' | 'caps_full'

export interface Caps {
  /** What take() would answer, without taking. */
  peek(dayKey: number, cid: number, user: UserHash, freq: number): CapRefusal | null
  /** Opens one impression, or returns why it is refused. */
  take(dayKey: number, cid: number, user: UserHash, freq: number): CapRefusal | null
  /** Opens one regardless of the cap, for ads that are already open. False if the table is full. */
  open(dayKey: number, cid: number, user: UserHash): boolean
  /** An open one ends without having been seen. */
  close(dayKey: number, cid: number, user: UserHash): void
  /** An open one was seen: it stays counted until the day is dropped. */
  count(dayKey: number, cid: number, user: UserHash): void
  /** Adds impressions that were counted earlier, according to the events. False if the table is full. */
  addCounted(dayKey: number, cid: number, user: UserHash, impressions: number): boolean
  /** Replaces what was counted so far; open ones stay. False if the table is full. */
  setCounted(dayKey: number, cid: number, user: UserHash, impressions: number): boolean
  dropDay(dayKey: number): void
  /** The days on which anything was counted. */
  days(): number[]
  /** Users (per campaign and day) with anything counted or open, to which the limit applies. */
  users(): number
  /** Whether unknown users are refused. */
  isFull(): boolean
}

const SHARDS = 256
const FIRST_SLOTS = 16
/** The two halves of a count have 16 bits each; nobody sees a campaign 65,535 times per day. */
export const MAX_FREQ = 65_535

/** One small table: open addressing, linear probing. Growing one of many small tables never delays a bid noticeably. */
interface Shard {
  hi: Uint32Array
  lo: Uint32Array
  /** counted << 16 | open. */
  counts: Uint32Array
  used: number
}

export function createCaps(options: { maxUsers: number }): Caps {
  const days = new Map<number, Shard[]>()
  let users = 0
  // The fingerprint of the last lookup; so two numbers are returned without an object.
  let fpHi = 0
  let fpLo = 0

  function fingerprint(cid: number, user: UserHash): void {
    const cidHi = Math.floor(cid / 0x1_0000_0000)
    fpHi = mix(user.hi ^ Math.imul(cid | 0, 0x9e3779b1) ^ mix(cidHi + 1))
    fpLo = mix(user.lo ^ Math.imul(cid | 0, 0x85ebca77) ^ fpHi)
    if (fpHi === 0 && fpLo === 0) fpLo = 1
  }

  function shardOf(dayKey: number): Shard | undefined {
    return days.get(dayKey)?.[fpHi >>> 24]
  }

  function shardFor(dayKey: number): Shard {
    let shards = days.get(dayKey)
    if (!shards) {
      shards = Array.from({ length: SHARDS }, () => newShard(FIRST_SLOTS))
      days.set(dayKey, shards)
    }
    return shards[fpHi >>> 24]!
  }

  /** The slot of this user, created if need be. */
  function slotFor(shard: Shard): number {
    const slot = find(shard, fpHi, fpLo)
    if (shard.hi[slot] || shard.lo[slot]) return slot
    if ((shard.used + 1) * 10 > shard.counts.length * 7) makeRoom(shard)
    return put(shard, fpHi, fpLo, 0)
  }

  function countsAt(dayKey: number): number {
    const shard = shardOf(dayKey)
    return shard ? shard.counts[find(shard, fpHi, fpLo)]! : 0
  }

  function add(dayKey: number, cid: number, user: UserHash, counted: number, open: number): boolean {
    fingerprint(cid, user)
    const now = countsAt(dayKey)
    if (now === 0) {
      if (counted + open <= 0) return true
      if (users >= options.maxUsers) return false
      users++
    }
    const shard = shardFor(dayKey)
    // The slot comes first, because making room replaces the shard's arrays.
    const slot = slotFor(shard)
    shard.counts[slot] = pack((now >>> 16) + counted, (now & 0xffff) + open)
    return true
  }

  function setCounted(dayKey: number, cid: number, user: UserHash, impressions: number): boolean {
    fingerprint(cid, user)
    return add(dayKey, cid, user, impressions - (countsAt(dayKey) >>> 16), 0)
  }

  /** Ends an open one; if there is none (its day was dropped), nothing happens. */
  function end(dayKey: number, cid: number, user: UserHash, counted: number): void {
    fingerprint(cid, user)
    const shard = shardOf(dayKey)
    if (!shard) return
    const slot = find(shard, fpHi, fpLo)
    const now = shard.counts[slot]!
    if ((now & 0xffff) === 0) return
    const next = pack((now >>> 16) + counted, (now & 0xffff) - 1)
    shard.counts[slot] = next
    if (next === 0) users--
  }

  function peek(dayKey: number, cid: number, user: UserHash, freq: number): CapRefusal | null {
    fingerprint(cid, user)
    const now = countsAt(dayKey)
    if ((now >>> 16) + (now & 0xffff) >= Math.min(freq, MAX_FREQ)) return 'capped'
    return now === 0 && users >= options.maxUsers ? 'caps_full' : null
  }

  return {
    peek,
    take(dayKey, cid, user, freq) {
      const refusal = peek(dayKey, cid, user, freq)
      if (refusal === null) add(dayKey, cid, user, 0, 1)
      return refusal
    },
    open: (dayKey, cid, user) => add(dayKey, cid, user, 0, 1),
    close: (dayKey, cid, user) => end(dayKey, cid, user, 0),
    count: (dayKey, cid, user) => end(dayKey, cid, user, 1),
    addCounted: (dayKey, cid, user, impressions) => add(dayKey, cid, user, impressions, 0),
    setCounted,
    dropDay(dayKey) {
      for (const shard of days.get(dayKey) ?? []) users -= liveIn(shard)
      days.delete(dayKey)
    },
    days: () => [...days.keys()],
    users: () => users,
    isFull: () => users >= options.maxUsers,
  }
}

function newShard(slots: number): Shard {
  return { hi: new Uint32Array(slots), lo: new Uint32Array(slots), counts: new Uint32Array(slots), used: 0 }
}

/** The slot with this fingerprint, or the empty slot where it belongs. */
function find(shard: Shard, hi: number, lo: number): number {
  const mask = shard.counts.length - 1
  let slot = lo & mask
  while (!(shard.hi[slot] === hi && shard.lo[slot] === lo) && (shard.hi[slot] || shard.lo[slot]))
    slot = (slot + 1) & mask
  return slot
}

function put(shard: Shard, hi: number, lo: number, counts: number): number {
  const slot = find(shard, hi, lo)
  shard.hi[slot] = hi
  shard.lo[slot] = lo
  shard.counts[slot] = counts
  shard.used++
  return slot
}

function liveIn(shard: Shard): number {
  let live = 0
  for (const counts of shard.counts) if (counts) live++
  return live
}

/** Forgets users with nothing counted or open, and doubles the shard if that is not enough. */
function makeRoom(shard: Shard): void {
  let slots = shard.counts.length
  if ((liveIn(shard) + 1) * 10 > slots * 6) slots *= 2
  const next = newShard(slots)
  shard.counts.forEach((counts, slot) => {
    if (counts) put(next, shard.hi[slot]!, shard.lo[slot]!, counts)
  })
  Object.assign(shard, next)
}

function pack(counted: number, open: number): number {
  return ((Math.min(counted, MAX_FREQ) << 16) | Math.min(open, MAX_FREQ)) >>> 0
}

/** Finaliser of MurmurHash3 (public domain constants): every input bit affects every output bit. */
function mix(value: number): number {
  let h = value | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
