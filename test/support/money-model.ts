// Conditions for simulated weeks, kept independently of the service: every limit with the money billed within it, and
// sales that a ledger without nodes, faults or patience would have made with the same requests. It cannot know the
// future: an ad holds its price until it is paid or lost, and even pacing does not foresee a raise.

export interface Limit {
  limitMicros: number
  /** More than the limit only where that was lowered below what nodes already held. */
  mostMicros: number
  billedMicros: number
  /** Sold by the ledger that is never away. */
  couldMicros: number
  /** Held by that ledger's ads whose end is not known yet. */
  heldMicros: number
}

/** An ad holds its price until the paid part is known, because no ledger can know that before. */
export interface Offer {
  priceMicros: number
  paidMicros: number
  untilMs: number
}

export interface MoneyModel {
  /** Begins a limit, or changes it from now on. `heldMicros`: the money billed and granted so far. */
  setLimit(key: string, cuid: number, limitMicros: number, heldMicros?: number): void
  endLimit(key: string): void
  /** The money of these limits that was not sold until now can no longer be sold. */
  startOver(keys: readonly string[], cuid: number): void
  /**
   * An even campaign may spend more from now on. Until now it sold what its plan allowed, and past time does not come
   * back. `keys`: the limit of its life comes first.
   */
  planAnew(keys: readonly string[], cuid: number): void
  limit(key: string): Limit | undefined
  /** A request for an ad. The ad is promised if all of these limits have room for its price. */
  offer(keys: readonly string[], cuid: number, offer: Offer, nowMs: number): void
  /** Throws if one of these limits does not allow it. */
  bill(keys: readonly string[], cuid: number, micros: number): void
  /** For each customer: the money that was billed, and that could have been billed. */
  sales(): { cuid: number; billedMicros: number; couldMicros: number }[]
}

export const dayLimit = (cid: number, dayKey: number) => `day ${dayKey} of ${cid}`
export const monthLimit = (cid: number, month: number) => `month ${month} of ${cid}`
export const lifeLimit = (cid: number) => `life of ${cid}`
export const flightLimit = (fid: number) => `life of the flight ${fid}`
export const balanceLimit = (cuid: number) => `balance of ${cuid}`

export function createMoneyModel(): MoneyModel {
  const limits = new Map<string, Limit>()
  let ads: (Offer & { limits: Limit[]; cuid: number })[] = []
  const customers = new Map<number, { cuid: number; billedMicros: number; couldMicros: number }>()

  function customer(cuid: number) {
    const known = customers.get(cuid) ?? { cuid, billedMicros: 0, couldMicros: 0 }
    customers.set(cuid, known)
    return known
  }

  function sell({ limits: all, cuid, priceMicros, paidMicros }: (typeof ads)[number]): void {
    // A limit may have been lowered since.
    const micros = Math.max(
      0,
      Math.min(paidMicros, ...all.map(limit => limit.limitMicros - limit.couldMicros)),
    )
    for (const limit of all) {
      limit.heldMicros -= priceMicros
      limit.couldMicros += micros
    }
    customer(cuid).couldMicros += micros
  }

  function forget(isForgotten: (ad: (typeof ads)[number]) => boolean): void {
    for (const ad of ads.filter(isForgotten))
      for (const limit of ad.limits) limit.heldMicros -= ad.priceMicros
    ads = ads.filter(ad => !isForgotten(ad))
  }

  function settle(nowMs: number): void {
    for (const ad of ads) if (ad.untilMs <= nowMs) sell(ad)
    ads = ads.filter(ad => ad.untilMs > nowMs)
  }

  return {
    setLimit(key, cuid, limitMicros, heldMicros = 0) {
      const known = limits.get(key) ?? {
        limitMicros,
        mostMicros: 0,
        billedMicros: 0,
        couldMicros: 0,
        heldMicros: 0,
      }
      known.limitMicros = limitMicros
      known.mostMicros = Math.max(limitMicros, heldMicros, known.billedMicros)
      limits.set(key, known)
      // Sales above a lowered limit were not possible after all.
      const lessMicros = Math.max(0, known.couldMicros - limitMicros)
      known.couldMicros -= lessMicros
      customer(cuid).couldMicros -= lessMicros
    },
    endLimit: key => void limits.delete(key),
    startOver(keys, cuid) {
      for (const key of keys) limits.get(key)!.couldMicros = limits.get(key)!.billedMicros
      customer(cuid).couldMicros = customer(cuid).billedMicros
      forget(ad => ad.cuid === cuid)
    },
    planAnew(keys, cuid) {
      const [life, ...others] = keys.map(key => limits.get(key)!)
      const payer = customer(cuid)
      const aheadOf = (one: Pick<Limit, 'billedMicros' | 'couldMicros'>) => one.couldMicros - one.billedMicros
      const aheadMicros = Math.min(aheadOf(life!), aheadOf(payer))
      forget(ad => ad.limits.includes(life!))
      if (aheadMicros <= 0) return
      for (const limit of [life!, ...others]) limit.couldMicros = limit.billedMicros
      payer.couldMicros -= aheadMicros
      const balance = limits.get(balanceLimit(cuid))
      if (balance) balance.couldMicros -= aheadMicros
    },
    limit: key => limits.get(key),
    offer(keys, cuid, offer, nowMs) {
      settle(nowMs)
      const all = keys.map(key => limits.get(key)!)
      const isFull = (limit: Limit) =>
        limit.couldMicros + limit.heldMicros + offer.priceMicros > limit.limitMicros
      if (all.some(isFull)) return
      for (const limit of all) limit.heldMicros += offer.priceMicros
      ads.push({ ...offer, limits: all, cuid })
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
    sales() {
      settle(Number.POSITIVE_INFINITY)
      return [...customers.values()]
    },
  }
}
