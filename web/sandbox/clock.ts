// The console's time: the reader's, or in a sandbox that of its clock, which every answer carries.

import { useSyncExternalStore } from 'react'

const HEADER = 'x-marquee-sandbox'

let sandboxS: number | null = null
const listeners = new Set<() => void>()

/** To be called with every answer. */
export function noteTime({ headers }: Response): void {
  const text = headers.get(HEADER)
  if (text === null || Number(text) === sandboxS) return
  sandboxS = Number(text)
  for (const changed of listeners) changed()
}

export function nowMs(): number {
  return sandboxS === null ? Date.now() : sandboxS * 1000
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => void listeners.delete(changed)
}

/** In Unix seconds; null outside a sandbox. */
export function useSandboxTime(): number | null {
  return useSyncExternalStore(subscribe, () => sandboxS)
}
