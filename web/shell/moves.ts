// Rows that change their place move there visibly, so that the eye can follow them. Nothing moves when other rows were
// asked for, nor for readers who want less motion.

import { type RefObject, useLayoutEffect, useRef } from 'react'

/** The duration of a token in milliseconds; zero with reduced motion. */
function msOf(token: string): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue(token).trim()
  return Number.parseFloat(text) * (text.endsWith('ms') ? 1 : 1000)
}

/** Rows inside `list` have the attribute `data-moves` with their id. `scene`: what was asked for. */
export function useMoves(list: RefObject<HTMLElement | null>, scene: string): void {
  const before = useRef({ scene, tops: new Map<string, number>() })
  useLayoutEffect(() => {
    const root = list.current
    if (!root) return
    const top = root.getBoundingClientRect().top
    const rows = [...root.querySelectorAll<HTMLElement>('[data-moves]')]
    const tops = new Map(rows.map(row => [row.dataset.moves!, row.getBoundingClientRect().top - top]))
    const last = before.current
    before.current = { scene, tops }
    const duration = msOf('--slow')
    if (last.scene !== scene || !(duration > 0)) return
    const easing = getComputedStyle(document.documentElement).getPropertyValue('--ease').trim()
    for (const row of rows) {
      const id = row.dataset.moves!
      const from = last.tops.get(id)
      const by = from === undefined ? 0 : from - tops.get(id)!
      if (by !== 0) row.animate({ translate: [`0 ${by}px`, '0 0'] }, { duration, easing })
    }
  })
}
