// Parts that the first sight of a page does not need: they are loaded as soon as the page stands, so that they are there
// when the reader wants them, or the connection is gone.

import { type ComponentType, lazy, useEffect, useState } from 'react'

const waiting: (() => Promise<unknown>)[] = []
const PAUSE_MS = 1_500

export function later<Part>(load: () => Promise<Part>): () => Promise<Part> {
  waiting.push(load)
  return load
}

export function lazyLater<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(later(async () => ({ default: await load() })))
}

/** Whether the page stands; loads them then. */
export function useLaterParts(): boolean {
  const [stands, setStands] = useState(false)
  useEffect(() => {
    const timer = setTimeout(async () => {
      setStands(true)
      for (const load of waiting.splice(0)) await load().catch(() => {})
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [])
  return stands
}
