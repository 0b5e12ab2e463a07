// Caps that are kept in a shared store, for all nodes. While an ad is being chosen, campaigns with a cap that might win
// are noted; the user's cap counts are taken all at once, before anything is promised, and those that were not used are
// given back. Nothing here waits: the caller asks the store in between (delivery/serve.ts).

import type { Caps, UserHash } from './caps.ts'

export type SharedCapRefusal = 'capped' | 'caps_away' | 'counts_missing' | 'caps_unasked'

/** A wish for a cap count: the ad that would use it, for how long, and how many there are per day. */
export interface CapWish {
  cid: number
  dayKey: number
  user: UserHash
  adId: string
  freq: number
  ttlMs: number
}

/** A user, for one place on a page, with what is known of their caps. */
export interface CappedUser extends UserHash {
  /** The ad that the place would get. */
  adId: string
  ttlMs: number
  /** In [0, 1): pacing's dice. */
  random: () => number
  /** To be asked for; null: it was asked, and there is no further time. */
  asked: Map<number, CapWish> | null
  /** How often it has been asked. */
  rounds: number
  known: Map<number, 'taken' | SharedCapRefusal>
  /** The personas whose campaigns were asked about. */
  noted: number[]
  /** Pacing's dice, thrown once for each campaign and before its count is asked for. */
  passed: Map<number, boolean>
}

/** Cap counts that are kept elsewhere, as a node uses them. */
export interface CapStore {
  /** Takes those that are to be had, in one round trip; an answer for each. Never throws. */
  take(wishes: readonly CapWish[]): Promise<('taken' | SharedCapRefusal)[]>
  /** Not used, or lost. */
  giveBack(unused: CapCount): void
  /** Its ad was seen: it stays taken. */
  count(seen: CapCount): void
  /** Ads that were seen, as the events say; loading one again changes nothing. */
  loadSeen(seen: readonly CapCount[]): Promise<void>
  /** Whether all that was seen and all that is open is known there. */
  isComplete(): Promise<boolean>
  /** A name for the content of a server that is being loaded: gone with the content when it is emptied again. */
  generation(): Promise<string>
  /** All ads of this node that are open. False: it was emptied meanwhile. */
  loadOpen(generation: string, nodeId: number, open: Iterable<OpenCapCount>): Promise<boolean>
  /** Those of these nodes whose open ads are loaded. */
  nodesLoaded(generation: string, nodeIds: readonly number[]): Promise<number[]>
  /** Everything was loaded. False: it was emptied meanwhile. */
  complete(generation: string): Promise<boolean>
  close(): Promise<void>
}

/** The count of an open ad, which has it for so much longer. */
export type OpenCapCount = CapCount & { leftMs: number }

/** One of the impressions that a user may see of a campaign on a day, and the ad that has it. */
export type CapCount = Pick<CapWish, 'cid' | 'dayKey' | 'user' | 'adId'>

/**
 * No more campaigns than this are asked about for one place, time after time, because what was asked about is taken
 * meanwhile. Most users have a count left with the best campaign; only if they have not are the others asked about.
 */
const MOST_ASKED = [1, 2, 8]

/** Instead of caps in memory: impressions are sent to the store, and counts are taken there. */
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

export function cappedUserOf(user: UserHash, adId: string, ttlMs: number, random: () => number): CappedUser {
  const { hi, lo } = user
  const known = new Map()
  return { hi, lo, adId, ttlMs, random, asked: new Map(), rounds: 0, known, noted: [], passed: new Map() }
}

/** What was asked is known now; there may be a next time. */
export function wasAsked(cappedUser: CappedUser): void {
  cappedUser.rounds++
  cappedUser.asked = cappedUser.rounds < MOST_ASKED.length ? new Map() : null
}

/** Nothing more can be asked now: the search need not continue before the answers are there. */
export function isFullyAsked({ asked, rounds }: CappedUser): boolean {
  return asked !== null && asked.size >= MOST_ASKED[rounds]!
}

/** Whether its count may be asked for now. */
export function mayAsk(cappedUser: CappedUser, cid: number): boolean {
  const { asked, known, rounds } = cappedUser
  return asked !== null && asked.size < MOST_ASKED[rounds]! && !asked.has(cid) && !known.has(cid)
}

/** Null: the count is taken. */
export function capRefusalOf(
  cappedUser: CappedUser,
  cid: number,
  dayKey: number,
  freq: number,
): SharedCapRefusal | null {
  const known = cappedUser.known.get(cid)
  if (known !== undefined) return known === 'taken' ? null : known
  const { asked, adId, ttlMs } = cappedUser
  if (mayAsk(cappedUser, cid)) asked!.set(cid, { cid, dayKey, user: cappedUser, adId, freq, ttlMs })
  return 'caps_unasked'
}

export function isCappedUser(user: UserHash): user is CappedUser {
  return 'known' in user
}
