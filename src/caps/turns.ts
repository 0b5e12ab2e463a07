// Turns of users when caps are kept in a shared store, for all nodes. While an ad is being chosen, campaigns with a cap
// that might win are noted; their turns are taken all at once, before anything is promised, and those that were not
// used are given back. Nothing here waits: the caller asks the store in between (delivery/serve.ts).

import type { Caps, UserHash } from './caps.ts'

export type TurnRefusal = 'capped' | 'caps_away' | 'counts_missing' | 'caps_unasked'

/** One wish for a turn: the ad that would use it, for how long, and how many there are per day. */
export interface TurnWish {
  cid: number
  dayKey: number
  user: UserHash
  adId: string
  freq: number
  ttlMs: number
}

/** A user, for one place on a page, with what is known of their turns. */
export interface Viewer extends UserHash {
  /** The ad that the place would get. */
  adId: string
  ttlMs: number
  /** In [0, 1): pacing's dice. */
  random: () => number
  /** To be asked for; null: it was asked, and there is no further time. */
  asked: Map<number, TurnWish> | null
  /** How often it has been asked. */
  rounds: number
  known: Map<number, 'taken' | TurnRefusal>
  /** The personas whose campaigns were asked about. */
  noted: number[]
  /** Pacing's dice, thrown once for each campaign and before its turn is asked for. */
  passed: Map<number, boolean>
}

/** What a node does about turns that are kept elsewhere. */
export interface TurnStore {
  /** Takes those that are to be had, in one round trip; an answer for each. Never throws. */
  take(wishes: readonly TurnWish[]): Promise<('taken' | TurnRefusal)[]>
  /** Not used, or lost. */
  giveBack(turn: Turn): void
  /** Its ad was seen: it stays taken. */
  count(turn: Turn): void
  /** Ads that were seen, as the events say; telling one again changes nothing. */
  tellSeen(turns: readonly Turn[]): Promise<void>
  /** Whether all that was seen and all that is open is known there. */
  isComplete(): Promise<boolean>
  /** A name for the content of a server that is being told: gone with the content when it is emptied again. */
  generation(): Promise<string>
  /** All ads of this node that are open. False: it was emptied meanwhile. */
  tellOpen(generation: string, nodeId: number, open: Iterable<OpenTurn>): Promise<boolean>
  /** Those of these nodes that have told their open ads. */
  nodesTold(generation: string, nodeIds: readonly number[]): Promise<number[]>
  /** Everything was told. False: it was emptied meanwhile. */
  complete(generation: string): Promise<boolean>
  close(): Promise<void>
}

/** An ad that holds a turn for so much longer. */
export type OpenTurn = Turn & { leftMs: number }

export type Turn = Pick<TurnWish, 'cid' | 'dayKey' | 'user' | 'adId'>

/**
 * No more campaigns than this are asked about for one place, time after time, because what was asked about is held
 * meanwhile. Most users have a turn left with the best campaign; only if they have not are the others asked about.
 */
const MOST_ASKED = [1, 2, 8]

/** Instead of caps in memory: impressions are told to the store, and turns are taken there. */
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
    users: () => 0,
    isFull: () => false,
  }
}

export function viewerOf(user: UserHash, adId: string, ttlMs: number, random: () => number): Viewer {
  const { hi, lo } = user
  const known = new Map()
  return { hi, lo, adId, ttlMs, random, asked: new Map(), rounds: 0, known, noted: [], passed: new Map() }
}

/** What was asked is known now; there may be a next time. */
export function wasAsked(viewer: Viewer): void {
  viewer.rounds++
  viewer.asked = viewer.rounds < MOST_ASKED.length ? new Map() : null
}

/** Nothing more can be asked now: the search need not continue before the answers are there. */
export function isFullyAsked({ asked, rounds }: Viewer): boolean {
  return asked !== null && asked.size >= MOST_ASKED[rounds]!
}

/** Whether its turn may be asked for now. */
export function mayAsk(viewer: Viewer, cid: number): boolean {
  const { asked, known, rounds } = viewer
  return asked !== null && asked.size < MOST_ASKED[rounds]! && !asked.has(cid) && !known.has(cid)
}

/** Null: the turn is taken. */
export function turnOf(viewer: Viewer, cid: number, dayKey: number, freq: number): TurnRefusal | null {
  const known = viewer.known.get(cid)
  if (known !== undefined) return known === 'taken' ? null : known
  const { asked, adId, ttlMs } = viewer
  if (mayAsk(viewer, cid)) asked!.set(cid, { cid, dayKey, user: viewer, adId, freq, ttlMs })
  return 'caps_unasked'
}

export function isViewer(user: UserHash): user is Viewer {
  return 'known' in user
}
