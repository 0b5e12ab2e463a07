// Unsaved input, and secrets that were not copied yet: the reader is asked before they are lost.

import { createContext, use, useEffect, useState } from 'react'

/** What would be lost, in words; undefined for form input. */
interface Unsaved {
  about?: string
}

const all = new Set<Unsaved>()
const watchers = new Set<() => void>()

function release(own: Unsaved): void {
  if (all.delete(own)) for (const tell of watchers) tell()
}

/** What a dialog would lose, so that closing it can ask. */
export const InDialog = createContext<Set<Unsaved> | null>(null)

/** Counts as unsaved while `dirty`. The returned function releases it, for a page that saves and then leaves. */
export function useUnsaved(dirty: boolean, about?: string): () => void {
  const [own] = useState<Unsaved>(() => ({ about }))
  const dialog = use(InDialog)
  useEffect(() => {
    if (!dirty) return
    all.add(own)
    dialog?.add(own)
    return () => {
      release(own)
      dialog?.delete(own)
    }
  }, [dirty, own, dialog])
  return () => {
    release(own)
    dialog?.delete(own)
  }
}

/** Calls `tell` whenever something was saved or let go. Returns a function that ends this. */
export function watchUnsaved(tell: () => void): () => void {
  watchers.add(tell)
  return () => watchers.delete(tell)
}

export function hasUnsaved(): boolean {
  return all.size > 0
}

/** Why to stay; undefined if only form input is unsaved. */
export function unsavedAbout(): string | undefined {
  return [...all].find(({ about }) => about !== undefined)?.about
}

let ask: (() => Promise<boolean>) | null = null

/** Registers the one guard on the page that asks. */
export function askBy(asks: typeof ask): void {
  ask = asks
}

/** Whether to continue although something would be lost. */
export async function mayLeave(): Promise<boolean> {
  return !hasUnsaved() || !ask || (await ask())
}
