// Waits for the answers to visitors' calls. A click may wait for a share of a budget, which is asked for once
// everything else is on disk.

import { setTimeout as pause } from 'node:timers/promises'

export interface Hurrying {
  /** Whether some work cannot wait for its time. */
  isHurried(): boolean
  /** Runs the work that cannot wait. */
  hurry(): Promise<void>
}

/** How often to check whether a click still waits. */
const WAIT_MS = 20

/** `settled` resolves when everything that was reported is on disk. */
export async function allAnswered(
  answers: readonly Promise<unknown>[],
  settled: () => Promise<void>,
  { isHurried, hurry }: Hurrying,
): Promise<void> {
  let isAnswered = answers.length === 0
  const all = Promise.all(answers).then(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    const over = new AbortController()
    await Promise.race([all, pause(WAIT_MS, undefined, over).catch(() => undefined)])
    over.abort()
    if (isAnswered || !isHurried()) continue
    await settled()
    await hurry()
  }
}
