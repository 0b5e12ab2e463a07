// Browsers that have signed in as a customer before. Such a browser may request passcodes whatever strangers have
// requested; otherwise they could use up a customer's limit and lock the owner out. The signed cookie names the
// mailboxes. It grants nothing else: a thief can only request emails to the owner.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { randomText } from '../identity/pair.ts'
import { emailKey, pathOf } from '../kernel/address.ts'
import type { Clock } from '../kernel/time/clock.ts'

export interface KnownBrowsers {
  /** The browser's name, if the cookies of a request prove that it has signed in with this mailbox; otherwise null. */
  nameOf(cookies: string | undefined, appId: number, email: string): Promise<string | null>
  /** The `set-cookie` header that proves it from now on. */
  remember(cookies: string | undefined, appId: number, email: string): Promise<string>
}

export interface KnownBrowserOptions {
  publicUrl: string
  clock: Clock
  secret: () => Promise<Buffer>
}

const COOKIE = 'mqknown'
const DAY_S = 86_400
export const LIFE_DAYS = 180
/** Mailboxes of one browser, newest first. */
const MOST_MAILBOXES = 5
const ENTRY = /^([0-9]{1,6})\.([0-9A-Za-z]{16})\.([\w-]{43})$/
const NAME_CHARACTERS = 16

export function createKnownBrowsers({ publicUrl, clock, secret }: KnownBrowserOptions): KnownBrowsers {
  const secure = publicUrl.startsWith('https:')
  const cookie = secure ? `__Host-${COOKIE}` : COOKIE
  const path = secure ? '/' : pathOf(publicUrl) || '/'
  const attributes = `Max-Age=${LIFE_DAYS * DAY_S}; Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
  const today = () => Math.floor(clock.nowMs() / 1000 / DAY_S)

  function entriesOf(cookies: string | undefined): string[] {
    const given = cookies?.split(';').find(part => part.trim().startsWith(`${cookie}=`))
    const entries =
      given
        ?.trim()
        .slice(cookie.length + 1)
        .split('~') ?? []
    return entries.slice(0, MOST_MAILBOXES)
  }

  function signed(key: Buffer, day: string, name: string, appId: number, email: string): string {
    const text = `${day} ${name} ${appId} ${emailKey(email)}`
    return createHmac('sha256', key).update(text).digest('base64url')
  }

  /** The name in an entry that we signed for this mailbox and that is not too old; otherwise null. */
  function nameIn(entry: string, key: Buffer, appId: number, email: string): string | null {
    const [, day, name, mac] = ENTRY.exec(entry) ?? []
    if (!day || !name || !mac || Number(day) < today() - LIFE_DAYS) return null
    const wanted = signed(key, day, name, appId, email)
    return timingSafeEqual(Buffer.from(mac), Buffer.from(wanted)) ? name : null
  }

  return {
    async nameOf(cookies, appId, email) {
      const entries = entriesOf(cookies)
      if (entries.length === 0) return null
      const key = await secret()
      return entries.map(entry => nameIn(entry, key, appId, email)).find(name => name !== null) ?? null
    },
    async remember(cookies, appId, email) {
      const key = await secret()
      const others = entriesOf(cookies).filter(
        entry => ENTRY.test(entry) && nameIn(entry, key, appId, email) === null,
      )
      const day = String(today())
      const name = randomText(NAME_CHARACTERS)
      const entry = `${day}.${name}.${signed(key, day, name, appId, email)}`
      return `${cookie}=${[entry, ...others].slice(0, MOST_MAILBOXES).join('~')}; ${attributes}`
    },
  }
}
