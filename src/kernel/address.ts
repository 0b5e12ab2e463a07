// Email addresses and http(s) URLs, checked by splitting them, not by clever patterns (the usual ones take exponential
// time on hostile input).

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\u0080-\u{10ffff}-]{1,64}$/u
const NO_CONTROLS_OR_SPACES = /^[^\s\p{Cc}]+$/u

/** The address with its domain in ASCII: `x@bücher.example` is `x@xn--bcher-kva.example`. Null if it is none. */
export function readEmail(text: string): string | null {
  const email = withAsciiDomain(text.trim())
  return isEmail(email) ? email : null
}

const BEYOND_ASCII = /[^\p{ASCII}]/u
const HOST = /^[\p{L}\p{M}\p{N}.-]+$/u

function withAsciiDomain(text: string): string {
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1)
  const url = `http://${domain}`
  if (!BEYOND_ASCII.test(domain) || domain.length > 253 || !HOST.test(domain) || !URL.canParse(url))
    return text
  return `${text.slice(0, at + 1)}${new URL(url).hostname}`
}

export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > 254 || !NO_CONTROLS_OR_SPACES.test(text)) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  if (!LOCAL_PART.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..'))
    return false
  if (!keepsItsLetters(local)) return false
  const labels = domain.split('.')
  return labels.length > 1 && domain.length <= 253 && labels.every(label => LABEL.test(label))
}

/**
 * Two mailboxes must not become one when they are compared. A Kelvin sign in lower case is the letter k, so whoever has
 * the one mailbox would get the codes of the other.
 */
function keepsItsLetters(local: string): boolean {
  if (local.normalize('NFC') !== local) return false
  return Array.from(local).every(letter => {
    const small = letter.toLowerCase()
    return small === letter || small.toUpperCase() === letter
  })
}

/** Addresses are compared in this form, in lower case. */
export function emailKey(text: string): string {
  return withAsciiDomain(text.trim()).toLowerCase()
}

export function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !NO_CONTROLS_OR_SPACES.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
}

/** Browsers keep passkeys for host names, and only on https or localhost. */
export function takesPasskeys(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  const isNumber = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  return hostname === 'localhost' || (protocol === 'https:' && !isNumber)
}

/** The path of a public URL, without a slash at its end: `/marquee`, or empty. */
export function pathOf(publicUrl: string): string {
  const { pathname } = new URL(publicUrl)
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
}
