// What visitors still do when their traffic is over, above all purchases: whoever moves the clock lets them do it, in
// order and at its time. In memory: a process that ends forgets it.

import { createAgenda } from './agenda.ts'
import { type CallParts, createCaller, purchaseAfter, purchasePath, type VisitorStep } from './calls.ts'

export interface Afterwards {
  add(atMs: number, step: VisitorStep): void
  /** The time of the next; infinite: there is none. */
  nextMs(): number
  /** All that is due by then; false: nothing was. */
  play(nowMs: number): Promise<boolean>
}

export function createAfterwards(parts: CallParts): Afterwards {
  const agenda = createAgenda<VisitorStep>()
  const { get } = createCaller(parts)

  async function playOne(step: VisitorStep, atMs: number): Promise<void> {
    if (step.kind === 'buy') {
      // Its click must be on disk.
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
    async play(nowMs) {
      let isAny = false
      while (agenda.nextMs() <= nowMs) {
        isAny = true
        const atMs = agenda.nextMs()
        await playOne(agenda.take(), atMs)
      }
      if (isAny) await parts.settled()
      return isAny
    },
  }
}
