// The pair that calls carry, renewed before it expires if the client knows how.

/**
 * A pair as the service returned it. `expires` (Unix seconds) decides when to renew. With `cuid`, calls need not name
 * the customer.
 */
export interface CustomerCredentials {
  key: string
  token: string
  cuid?: number | undefined
  expires?: number | undefined
}

/** A pair that names its customer. */
export type OwnCredentials = CustomerCredentials & { cuid: number }

export interface AppCredentials {
  superkey: string
  supertoken: string
}

export type Credentials = CustomerCredentials | AppCredentials

export interface Pair {
  /** The pair to use now. */
  current(): Promise<Credentials | undefined>
  /** Called after the service refused this pair; returns whether there is another one now. */
  replace(refused: Credentials): Promise<boolean>
}

const RENEW_BEFORE_S = 300
/** For a pair with a shorter life than most. */
const RENEW_AT_SHARE = 0.1
/** `expires` is a time of the sandbox's clock, which is not ours: the pair is renewed when the sandbox refuses it. */
const OF_A_SANDBOX = 'mqck_sandbox_'

export function createPair(
  given: Credentials | undefined,
  renew: (() => Promise<CustomerCredentials>) | undefined,
): Pair {
  let pair = given
  let sinceS = nowS()
  let renewing: Promise<void> | null = null

  /** Renews once, however many callers ask at the same time. */
  function renewed(): Promise<void> {
    renewing ??= renew!()
      .then(next => {
        pair = next
        sinceS = nowS()
      })
      .finally(() => {
        renewing = null
      })
    return renewing
  }

  function leftS(): number {
    if (!pair || !('expires' in pair) || pair.expires === undefined) return Infinity
    return pair.key.startsWith(OF_A_SANDBOX) ? Infinity : pair.expires - nowS()
  }

  function isDue(): boolean {
    if (!pair) return true
    const left = leftS()
    return left < Infinity && left < Math.min(RENEW_BEFORE_S, RENEW_AT_SHARE * (left + nowS() - sinceS))
  }

  return {
    async current() {
      if (!renew || !isDue()) return pair
      try {
        await renewed()
      } catch (error) {
        // The pair is still valid: the next call tries again.
        if (!pair || leftS() <= 0) throw error
      }
      return pair
    },
    async replace(refused) {
      if (!renew) return false
      if (pair === refused) await renewed()
      return true
    },
  }
}

export function headersOfPair(pair: Credentials): Record<string, string> {
  return 'superkey' in pair
    ? { 'x-access-superkey': pair.superkey, 'x-access-supertoken': pair.supertoken }
    : { 'x-access-key': pair.key, 'x-access-token': pair.token }
}

function nowS(): number {
  return Date.now() / 1000
}
