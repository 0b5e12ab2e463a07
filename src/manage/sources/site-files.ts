// Checks that a site's domain is its own: the domain must show the site's public key in a file. Everybody can read that
// key, but only the owner of the domain can put it there. The file is never fetched from a private address.

import { type Finding, finding } from '../../kernel/errors/finding.ts'
import { type Fetched, type FetchOptions, safeFetch } from '../../platform/safe-fetch.ts'

export const SITE_FILE = '/.well-known/marquee.txt'
export const MOST_BYTES = 10_000
export const TIMEOUT_MS = 5_000
const ASKING = { accept: 'text/plain', agent: 'Marquee domain check' }

/** Fetches the file of a domain. */
export type SiteFiles = (domain: string) => Promise<Fetched>

/** Fetches by https, or if that is unreachable by http, which some sites still use. */
export function createSiteFiles(options: Pick<FetchOptions, 'allowPrivate' | 'lookup'>): SiteFiles {
  const bounds = { ...options, maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS }
  return async domain => {
    if (!URL.canParse(`https://${domain}`)) return { ok: false, why: 'unreachable' }
    const secure = await safeFetch(new URL(`https://${domain}${SITE_FILE}`), ASKING, bounds)
    if (secure.ok || !isAway(secure)) return secure
    return safeFetch(new URL(`http://${domain}${SITE_FILE}`), ASKING, bounds)
  }
}

/** Null: nothing is missing, because the file has one of the keys on a line of its own. */
export function whatIsMissing(file: Fetched, keys: readonly string[]): Finding | null {
  if (file.ok) {
    const lines = file.bytes.toString('utf8').split(/\r?\n/)
    return lines.some(line => keys.includes(line.trim())) ? null : finding('domain_key_missing')
  }
  if (file.why === 'status') return finding('domain_status', { status: file.status })
  return finding(isAway(file) ? 'domain_unreachable' : 'domain_file_unusable')
}

function isAway(file: Fetched): boolean {
  return !file.ok && (file.why === 'unreachable' || file.why === 'timeout')
}
