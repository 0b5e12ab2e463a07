// What visitors still do after their traffic is over, mostly purchases. Whoever moves the clock runs these steps in
// order and at their times. Held in memory, so a process that ends forgets them.

import { createAgenda } from './agenda.ts'
import { allAnswered, type Hurrying } from './answered.ts'
import { type CallParts, createCaller, purchaseAfter, purchasePath, type VisitorStep } from './calls.ts'

export interface Afterwards {
  add(atMs: number, step: VisitorStep): void
  /** The time of the next step; infinite: there is none. */
  nextMs(): number
  /** Runs all steps that are due by then; false if there were none. */
  play(nowMs: number, hurrying: Hurrying): Promise<boolean>
}

export function createAfterwards(parts: CallParts): Afterwards {
  const agenda = createAgenda<VisitorStep>()
  const { get } = createCaller(parts)

  async function playOne(step: VisitorStep, atMs: number): Promise<void> {
    if (step.kind === 'buy') {
      // The click must be on disk first.
      await parts.settled()
      await get(purchasePath(step), step.visitor)
      return
    }
    const answer = await get(step.path, step.visitor)
    const buy = step.kind === 'click' ? purchaseAfter(answer, step) : null
    if (buy) agenda.add(atMs + buy.purchase.delayMs, buy)
  }

  return {
    add: agenda.add,
    nextMs: agenda.nextMs,
    async play(nowMs, hurrying) {
      let isAny = false
      while (agenda.nextMs() <= nowMs) {
        isAny = true
        const atMs = agenda.nextMs()
        await allAnswered([playOne(agenda.take(), atMs)], parts.settled, hurrying)
      }
      if (isAny) await parts.settled()
      return isAny
    },
  }
}
