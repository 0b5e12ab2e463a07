// A fair sample of the real ad requests of the last one to two hours, for the loss funnel. Counting every stage of
// every persona at every request would undo the savings of the index, so requests are kept instead, and a persona is
// matched against them on demand: the persona as it is now, not as it was then.

import type { AdRequest, Slot } from '../../targeting/request.ts'

export interface TrafficSample {
  see(request: AdRequest): void
  /** An ad of this persona was served: counted exactly. */
  served(pid: number): void
  read(): Traffic
  servedAll(): Iterable<[pid: number, ads: number]>
}

export interface Traffic {
  sinceMs: number
  /** All requests since then; each of the kept ones stands for an equal share of them, about `stride`. */
  requests: number
  /** A power of two. */
  stride: number
  kept: AdRequest[]
}

interface Window {
  sinceMs: number
  requests: number
  /** Every so-many-th request is kept. */
  stride: number
  kept: AdRequest[]
}

const WINDOW_MS = 3_600_000
const MOST_KEPT = 2_048
/**
 * A request may be as large as its body, and thousands are kept: of each, this much is remembered. The taxonomy of
 * categories is shorter than its bound; of types only images can be ours.
 */
const MOST = { places: 10, sizes: 20, types: 20, domains: 200, categories: 400 }
const LONGEST_ID = 100

export function createTrafficSample(nowMs: () => number): TrafficSample {
  const startMs = nowMs()
  const servedByPid = new Map<number, number>()
  let window = freshWindow(startMs)
  let before: Window | null = null

  function roll(): void {
    const now = nowMs()
    if (now - window.sinceMs < WINDOW_MS) return
    before = now - window.sinceMs < 2 * WINDOW_MS ? window : null
    window = freshWindow(now)
  }

  return {
    see(request) {
      if (window.requests++ % window.stride !== 0) return
      roll()
      if (window.kept.length >= MOST_KEPT) thinOut(window)
      window.kept.push(copyOf(request))
    },
    served: pid => void servedByPid.set(pid, (servedByPid.get(pid) ?? 0) + 1),
    servedAll: () => servedByPid,
    read() {
      roll()
      if (!before) return { ...window, kept: [...window.kept] }
      // Two windows of unlike strides: the denser one is thinned, so that all that is kept counts alike.
      const stride = Math.max(before.stride, window.stride)
      const kept = [before, window].flatMap(({ kept: all, stride: own }) =>
        all.filter((_, n) => n % (stride / own) === 0),
      )
      return { sinceMs: before.sinceMs, requests: before.requests + window.requests, stride, kept }
    },
  }
}

function freshWindow(sinceMs: number): Window {
  return { sinceMs, requests: 0, stride: 1, kept: [] }
}

function thinOut(window: Window): void {
  window.stride *= 2
  window.kept = window.kept.filter((_, n) => n % 2 === 0)
}

/**
 * A copy, not the request itself: the engine notes which code makes objects that live long, and would from then on
 * put every request's parts among the old ones, where clearing them away costs a tenth of a bid.
 */
function copyOf(request: AdRequest): AdRequest {
  return structuredClone({
    ...request,
    id: request.id.slice(0, LONGEST_ID),
    slots: request.slots.slice(0, MOST.places).map(shortened),
    blockedCategories: request.blockedCategories.slice(0, MOST.categories),
    blockedDomains: request.blockedDomains.slice(0, MOST.domains),
  })
}

function shortened(slot: Slot): Slot {
  const images = slot.mimes?.filter(type => type.startsWith('image/')).slice(0, MOST.types) ?? null
  return { ...slot, id: slot.id.slice(0, LONGEST_ID), sizes: slot.sizes.slice(0, MOST.sizes), mimes: images }
}
