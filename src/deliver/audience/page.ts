// Where the ad is shown, as reports name it: domains in one spelling, and only text that a database accepts.

const LONGEST_URL = 4096
const LONGEST_DOMAIN = 253
const HOST = /^https?:\/\/([^/?#:@\\[\]]{1,253}|\[[0-9a-f:.]{2,45}\])(?=[/?#:]|$)/i
/** Control characters and halves of surrogate pairs. */
const UNFIT = /[\p{Cc}\p{Cs}]/u
/** The form that nearly all domains have. */
const TIDY_DOMAIN = /^[a-z0-9.-]+$/
/** Prebid.js includes a port that is not the usual one. */
const WITH_PORT = /^[^:]+:[0-9]{1,5}$/
const NOT_IN_DOMAINS = /[\s/\\<>"']/

/** The host of a page's URL; null if it is not an http(s) URL. */
export function hostOf(url: string): string | null {
  if (url.length > LONGEST_URL) return null
  const match = HOST.exec(url.trimStart())
  return match ? domainOf(match[1] as string) : null
}

/** Lower case, without `www.`, a port, blanks and the root's dot. */
export function domainOf(text: string): string | null {
  if (text.length > LONGEST_DOMAIN) return null
  if (TIDY_DOMAIN.test(text) && !text.startsWith('www.') && !text.endsWith('.')) return text
  let domain = text.trim().toLowerCase()
  if (WITH_PORT.test(domain)) domain = domain.slice(0, domain.indexOf(':'))
  if (domain.startsWith('www.')) domain = domain.slice(4)
  if (domain.endsWith('.')) domain = domain.slice(0, -1)
  return domain === '' || NOT_IN_DOMAINS.test(domain) || !isFit(domain) ? null : domain
}

export function isFit(text: string): boolean {
  return !UNFIT.test(text)
}
