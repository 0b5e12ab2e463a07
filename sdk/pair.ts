// The pair that calls carry, renewed before it expires if the client knows how.

/**
 * As the service gave them. `expires` (Unix seconds) decides when to renew; with `cuid`, calls need not name the
 * customer: the client does.
 */
export interface CustomerCredentials {
  key: string
  token: string
  cuid?: number | undefined
  expires?: number | undefined
}

/** A pair that says whose it is. */
export type OwnCredentials = CustomerCredentials & { cuid: number }

export interface AppCredentials {
  superkey: string
  supertoken: string
}

export type Credentials = CustomerCredentials | AppCredentials

export interface Pair {
  /** The pair to use now. */
  current(): Promise<Credentials | undefined>
  /** After the service has refused this pair: whether there is another one now. */
  replace(refused: Credentials): Promise<boolean>
}

const RENEW_BEFORE_S = 300
/** For a pair that lives shorter than most. */
const RENEW_AT_SHARE = 0.1
/** Its `expires` is of the sandbox's clock, which is not ours: it is renewed when the sandbox refuses it. */
const OF_A_SANDBOX = 'mqck_sandbox_'

export function createPair(
  given: Credentials | undefined,
  renew: (() => Promise<CustomerCredentials>) | undefined,
): Pair {
  let pair = given
  let sinceS = nowS()
  let renewing: Promise<void> | null = null

  /** However many callers ask at once, it is renewed once. */
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
        // There is still time: the next call tries again.
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
