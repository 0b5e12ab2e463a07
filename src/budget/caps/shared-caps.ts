// Caps that are kept in a shared store, for all nodes. While an ad is being chosen, campaigns with a cap that might win
// are noted. Their cap counts are taken all at once before anything is promised, and unused ones are given back. The
// functions here never wait: the caller asks the store in between (deliver/decide/serve.ts).

import { type Caps, type DatedUser, type UserHash, userOn } from './caps.ts'

export type SharedCapRefusal = 'capped' | 'caps_away' | 'counts_missing' | 'caps_unasked'

/** A wish for a cap count: the ad that would use it, for how long, and the cap of the day. */
export interface CapWish {
  cid: number
  dayKey: number
  user: UserHash
  adId: string
  freq: number
  ttlMs: number
}

/** A user, for one place on a page, with what is known about their caps. */
export interface CappedUser extends DatedUser {
  /** The ad that the place would get. */
  adId: string
  ttlMs: number
  /** In [0, 1); pacing decides by it. */
  random: () => number
  /** What to ask for; null: there is no further round. */
  asked: Map<number, CapWish> | null
  /** How often the store was asked. */
  rounds: number
  known: Map<number, 'taken' | SharedCapRefusal>
  /** The personas whose campaigns were asked about. */
  noted: number[]
  /** Whether pacing let a campaign pass, decided once before its count is asked for. */
  passed: Map<number, boolean>
}

/** The shared store of cap counts, as a node uses it. */
export interface CapStore {
  /** Takes the available counts in one round trip; there is an answer for each wish. Never throws. */
  take(wishes: readonly CapWish[]): Promise<('taken' | SharedCapRefusal)[]>
  /** Returns a count that was not used, or whose ad was lost. */
  giveBack(unused: CapCount): void
  /** The ad of a count was seen: the count stays taken. */
  count(seen: CapCount): void
  /** Loads ads that were seen, according to the events; loading an ad again changes nothing. */
  loadSeen(seen: readonly CapCount[]): Promise<void>
  /** Whether the store knows everything that was seen and everything that is open. */
  isComplete(): Promise<boolean>
  /** Names the content of a server that is being loaded; the name is lost with the content if it is emptied again. */
  generation(): Promise<string>
  /** Loads all open ads of this node. False: the server was emptied meanwhile. */
  loadOpen(generation: string, nodeId: number, open: Iterable<OpenCapCount>): Promise<boolean>
  /** Which of these nodes have loaded their open ads. */
  nodesLoaded(generation: string, nodeIds: readonly number[]): Promise<number[]>
  /** Marks the server as completely loaded. False: it was emptied meanwhile. */
  complete(generation: string): Promise<boolean>
  close(): Promise<void>
}

/** The count of an open ad, and how long the ad stays open. */
export type OpenCapCount = CapCount & { leftMs: number }

/** One of the impressions of a campaign that a user may see on a day, and the ad that takes it. */
export type CapCount = Pick<CapWish, 'cid' | 'dayKey' | 'user' | 'adId'>

/**
 * How many campaigns are asked about in each round for one place; few, because their counts are taken meanwhile. Most
 * users have a count left with the best campaign; only if they have none, others are asked about.
 */
const MOST_ASKED = [1, 2, 8]

/** Replaces caps in memory: impressions are sent to the store, and counts are taken there. */
export function capsElsewhere(): Caps {
  return {
    peek: () => null,
    take: () => null,
    open: () => true,
    close: () => undefined,
    count: () => undefined,
    addCounted: () => true,
    setCounted: () => true,
    dropDay: () => undefined,
    days: () => [],
    users: () => 0,
    isFull: () => false,
  }
}

export function cappedUserOf(user: DatedUser, adId: string, ttlMs: number, random: () => number): CappedUser {
  const { hi, lo, on } = user
  const known = new Map()
  return { hi, lo, on, adId, ttlMs, random, asked: new Map(), rounds: 0, known, noted: [], passed: new Map() }
}

/** The store has answered; there may be another round. */
export function wasAsked(cappedUser: CappedUser): void {
  cappedUser.rounds++
  cappedUser.asked = cappedUser.rounds < MOST_ASKED.length ? new Map() : null
}

/** Whether nothing more can be asked in this round: the search need not continue before the answers have arrived. */
export function isFullyAsked({ asked, rounds }: CappedUser): boolean {
  return asked !== null && asked.size >= MOST_ASKED[rounds]!
}

/** Whether its count may be asked for now. */
export function mayAsk(cappedUser: CappedUser, cid: number): boolean {
  const { asked, known, rounds } = cappedUser
  return asked !== null && asked.size < MOST_ASKED[rounds]! && !asked.has(cid) && !known.has(cid)
}

/** Null: the count was taken. */
export function capRefusalOf(
  cappedUser: CappedUser,
  cid: number,
  dayKey: number,
  freq: number,
): SharedCapRefusal | null {
  const known = cappedUser.known.get(cid)
  if (known !== undefined) return known === 'taken' ? null : known
  const { asked, adId, ttlMs } = cappedUser
  const user = userOn(cappedUser, dayKey)
  if (mayAsk(cappedUser, cid)) asked!.set(cid, { cid, dayKey, user, adId, freq, ttlMs })
  return 'caps_unasked'
}

export function isCappedUser(user: DatedUser): user is CappedUser {
  return 'known' in user
}
