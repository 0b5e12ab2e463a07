// Domains in the form in which they are compared with the pages of requests.

const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,10}$/
/** Anything that a URL may have besides a host. */
const NOT_IN_DOMAINS = /[\s/\\:@?#%[\]]/

/** The domain in that form; null: the text is not a domain. */
export function domainOf(text: string | null | undefined): string | null {
  const domain = text?.toLowerCase() ?? ''
  // Some texts of that form are still none, such as `xn--a`.
  return DOMAIN.test(domain) && URL.canParse(`https://${domain}`) ? domain : null
}

/** As pages name it: without `www.` and the dot of the root, in the letters of the DNS. */
export function siteOf(text: string): string | null {
  if (NOT_IN_DOMAINS.test(text)) return null
  const url = URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : null
  const host = url?.hostname.replace(/^www\./, '').replace(/\.$/, '')
  return domainOf(host)
}
