// Where a person wanted to go before signing in. Only addresses within the console are followed.

import { consoleBase } from '../api/client.ts'

/** `?app=name` in the address: whose sign-in page this is. */
export const appInAddress = new URLSearchParams(window.location.search).get('app') ?? undefined

/** The path and query of a page as `to` of the sign-in, without the base of the console. */
export function deepLinkOf(href: string): string | undefined {
  const url = new URL(href, consoleBase)
  const base = consoleBase.pathname.replace(/\/$/, '')
  const isInside = `${url.pathname}/`.startsWith(`${base}/`)
  const path = isInside ? url.pathname.slice(base.length) || '/' : url.pathname
  const to = path + url.search
  return to === '/' || to === '' ? undefined : to
}

/** The address inside the console that `to` names; the first page for anything else. */
export function insideAt(to: string | undefined): string {
  const base = consoleBase.pathname.replace(/\/$/, '')
  if (to === undefined || !/^\/[^/\\]/.test(to)) return `${base}/`
  const url = new URL(base + to, consoleBase)
  const own = url.origin === consoleBase.origin && url.pathname.startsWith(`${base}/`)
  return own && !url.pathname.startsWith(`${base}/sign-in`) ? url.pathname + url.search : `${base}/`
}
