// Fetches a creative from an address that a customer chose (platform/safe-fetch.ts), and says why if it could not.

import { type Finding, finding } from '../../../kernel/errors/finding.ts'
import { literalAddress } from '../../../platform/outbound.ts'
import { isPublicAddress } from '../../../platform/public-address.ts'
import { type Fetched, type FetchOptions, safeFetch } from '../../../platform/safe-fetch.ts'

export type { FetchOptions } from '../../../platform/safe-fetch.ts'

/** `retry` says whether a later attempt may end differently. */
export type FetchedCreative = { ok: true; bytes: Buffer } | { ok: false; finding: Finding; retry: boolean }

/** The same answer for hosts that are private, unknown, down or do not speak HTTP. */
const UNREACHABLE = finding('creative_unreachable')

const TEMPORARY_STATUS = new Set([408, 425, 429])
const SCHEMES = new Set(['http:', 'https:'])
const ASKING = { accept: 'image/*', agent: 'Marquee creative review' }

export async function fetchCreative(url: string, options: FetchOptions): Promise<FetchedCreative> {
  const target = readTarget(url)
  if (!(target instanceof URL)) return refused(target)
  const fetched = await safeFetch(target, ASKING, options)
  return fetched.ok ? fetched : whatKept(fetched, target, options)
}

function whatKept(
  fetched: Exclude<Fetched, { ok: true }>,
  target: URL,
  options: FetchOptions,
): FetchedCreative {
  if (fetched.why !== 'status') {
    const { maxBytes } = options
    if (fetched.why === 'unreachable') return unreachable(target, options)
    if (fetched.why === 'timeout') {
      const seconds = options.timeoutMs / 1000
      return { ok: false, finding: finding('creative_timeout', { seconds }), retry: true }
    }
    const isTooLarge = fetched.why === 'too_large'
    return refused(isTooLarge ? finding('creative_too_large', { maxBytes }) : finding('creative_compressed'))
  }
  const { status } = fetched
  if (status >= 300 && status < 400) return refused(finding('creative_redirects', { status }))
  const retry = status >= 500 || TEMPORARY_STATUS.has(status)
  return { ok: false, finding: finding('creative_status', { status }), retry }
}

/**
 * A host name is always retried, whether it is unknown, private or down; otherwise the retries would reveal which. An
 * IP address reveals nothing new.
 */
function unreachable(target: URL, { allowPrivate }: FetchOptions): FetchedCreative {
  const literal = literalAddress(target)
  const retry = literal === null || allowPrivate || isPublicAddress(literal.address)
  return { ok: false, finding: UNREACHABLE, retry }
}

function refused(why: Finding): FetchedCreative {
  return { ok: false, finding: why, retry: false }
}

function readTarget(url: string): URL | Finding {
  if (!URL.canParse(url)) return finding('creative_url_invalid')
  const target = new URL(url)
  if (!SCHEMES.has(target.protocol)) return finding('creative_url_scheme')
  if (target.username || target.password) return finding('creative_url_with_password')
  target.hash = ''
  return target
}
