// The session cookie: out of reach of scripts, not sent along by other sites but for plain links, and over https only
// where the service is reached by https.

import { pathOf } from '../kernel/address.ts'
import { SESSION_COOKIE } from './contract.ts'

const TOKEN = /^mqse_[0-9A-Za-z]{43}$/

/** The token in a `cookie` header; null when there is none that has the form of one. */
export function readSessionCookie(header: string | undefined): string | null {
  for (const part of header?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2)
    if (name === SESSION_COOKIE && value !== undefined && TOKEN.test(value)) return value
  }
  return null
}

export function sessionCookie(token: string, lifeSeconds: number, publicUrl: string): string {
  return attributes(`${SESSION_COOKIE}=${token}; Max-Age=${lifeSeconds}`, publicUrl)
}

export function noSessionCookie(publicUrl: string): string {
  return attributes(`${SESSION_COOKIE}=; Max-Age=0`, publicUrl)
}

function attributes(start: string, publicUrl: string): string {
  const path = pathOf(publicUrl) || '/'
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${start}; Path=${path}; HttpOnly; SameSite=Lax${secure}`
}
