// The session cookie: scripts cannot read it, and other sites cannot send it except by plain links. On https its name
// begins with `__Host-`: browsers then accept it only from this very host over https, so neither a sister domain nor a
// network in between can replace it.

import { pathOf } from '../../kernel/address.ts'
import { SESSION_COOKIE } from './contract.ts'

const TOKEN = /^mqse_[0-9A-Za-z]{43}$/

export interface SessionCookie {
  /** The token in a `cookie` header; null if there is none of the right form. */
  read(header: string | undefined): string | null
  /** The header that sets the cookie. */
  set(token: string, lifeSeconds: number): string
  /** The header that removes the cookie. */
  clear(): string
}

export function sessionCookieFor(publicUrl: string): SessionCookie {
  const secure = publicUrl.startsWith('https:')
  const name = secure ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE
  // The prefix requires the path `/`.
  const path = secure ? '/' : pathOf(publicUrl) || '/'
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  return {
    read(header) {
      for (const part of header?.split(';') ?? []) {
        const [given, value] = part.trim().split('=', 2)
        if (given === name && value !== undefined && TOKEN.test(value)) return value
      }
      return null
    },
    set: (token, lifeSeconds) => `${name}=${token}; Max-Age=${lifeSeconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}
