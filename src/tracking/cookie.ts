// The first-party cookie that names a visitor to us: set by the tags, read again by an action's pixel.

export const USER_COOKIE = 'mquid'
const VALUE = /^[\w.-]{1,64}$/

/** The id in a `cookie` header; null when there is none that could be ours. */
export function readUserCookie(header: string | undefined): string | null {
  if (header === undefined) return null
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals < 0 || part.slice(0, equals).trim() !== USER_COOKIE) continue
    const value = part.slice(equals + 1).trim()
    return VALUE.test(value) ? value : null
  }
  return null
}
