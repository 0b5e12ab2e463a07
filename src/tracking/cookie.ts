// The first-party cookie that names a visitor to us: set by the tags, read again by an action's pixel. A visitor's first ad
// is counted by address and agent, before there is a cookie; for the rest of that day the cookie says under which key,
// so that the day's ads are one visitor's and not two.

export const USER_COOKIE = 'mquid'

export interface UserCookie {
  id: string
  first: FirstKey | null
}

/** The key of the visitor's first ad, and the day that it counts for. */
export interface FirstKey {
  dayKey: number
  userKey: string
}

const VALUE = /^([\w-]{1,40})(?:\.(\d{8})\.([0-9a-f]{32}))?$/

export function cookieValue({ id, first }: UserCookie): string {
  return first === null ? id : `${id}.${first.dayKey}.${first.userKey}`
}

/** Of a `cookie` header; null when there is none that could be ours. */
export function readUserCookie(header: string | undefined): UserCookie | null {
  if (header === undefined) return null
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals < 0 || part.slice(0, equals).trim() !== USER_COOKIE) continue
    const match = VALUE.exec(part.slice(equals + 1).trim())
    if (!match) return null
    const [, id, dayKey, userKey] = match
    return { id: id!, first: userKey === undefined ? null : { dayKey: Number(dayKey), userKey } }
  }
  return null
}
