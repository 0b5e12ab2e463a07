// What must hold in simulated weeks, kept independently of the service: every limit with what was billed within it, and
// how much a ledger without nodes, faults or patience would have sold to the same requests.

export interface Limit {
  limitMicros: number
  /** More than the limit only where that was lowered below what nodes held already. */
  mostMicros: number
  billedMicros: number
  /** By the ledger that is never away. */
  couldMicros: number
}

export interface MoneyModel {
  /** A limit begins, or is another one from now on. `heldMicros`: what was billed and granted of it so far. */
  setLimit(key: string, cuid: number, limitMicros: number, heldMicros?: number): void
  endLimit(key: string): void
  /** What was not sold of these until now cannot be sold any more. */
  startOver(keys: readonly string[], cuid: number): void
  limit(key: string): Limit | undefined
  /** A request that would have been sold at this price, if all of these have room. */
  offer(keys: readonly string[], cuid: number, micros: number): void
  /** Throws if one of them does not allow it. */
  bill(keys: readonly string[], cuid: number, micros: number): void
  /** Of each customer: what was billed, and what could have been. */
  sales(): { cuid: number; billedMicros: number; couldMicros: number }[]
}

export const dayLimit = (cid: number, dayKey: number) => `day ${dayKey} of ${cid}`
export const lifeLimit = (cid: number) => `life of ${cid}`
export const flightLimit = (fid: number) => `life of the flight ${fid}`
export const balanceLimit = (cuid: number) => `balance of ${cuid}`

export function createMoneyModel(): MoneyModel {
  const limits = new Map<string, Limit>()
  const customers = new Map<number, { cuid: number; billedMicros: number; couldMicros: number }>()

  function customer(cuid: number) {
    const known = customers.get(cuid) ?? { cuid, billedMicros: 0, couldMicros: 0 }
    customers.set(cuid, known)
    return known
  }

  return {
    setLimit(key, cuid, limitMicros, heldMicros = 0) {
      const known = limits.get(key) ?? { limitMicros, mostMicros: 0, billedMicros: 0, couldMicros: 0 }
      known.limitMicros = limitMicros
      known.mostMicros = Math.max(limitMicros, heldMicros, known.billedMicros)
      limits.set(key, known)
      // What was lowered could not be sold after all.
      const lessMicros = Math.max(0, known.couldMicros - limitMicros)
      known.couldMicros -= lessMicros
      customer(cuid).couldMicros -= lessMicros
    },
    endLimit: key => void limits.delete(key),
    startOver(keys, cuid) {
      for (const key of keys) limits.get(key)!.couldMicros = limits.get(key)!.billedMicros
      customer(cuid).couldMicros = customer(cuid).billedMicros
    },
    limit: key => limits.get(key),
    offer(keys, cuid, micros) {
      const all = keys.map(key => limits.get(key)!)
      if (all.some(limit => limit.couldMicros + micros > limit.limitMicros)) return
      for (const limit of all) limit.couldMicros += micros
      customer(cuid).couldMicros += micros
    },
    bill(keys, cuid, micros) {
      for (const key of keys) {
        const limit = limits.get(key)!
        limit.billedMicros += micros
        if (limit.billedMicros > limit.mostMicros)
          throw new Error(`${key}: ${limit.billedMicros} billed of ${limit.mostMicros}`)
      }
      customer(cuid).billedMicros += micros
    },
    sales: () => [...customers.values()],
  }
}
