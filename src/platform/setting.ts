// Kinds of settings: how each is read, checked and shown. A check says what is wanted and never repeats what it got;
// only readSetting() does, for settings that cannot contain a secret.

export class BadSetting extends Error {}

export interface Setting<T> {
  /** The default as the documentation shows it; the real default if it is a plain value. */
  shown: string
  about: string
  /** It cannot contain a password or token, so a wrong value is repeated to help find the mistake. */
  isPlain?: true
  /** It is a secret, and may be in a file: see setting-files.ts. */
  isSecret?: true
  read(text: string | undefined, env: Env): T
}

/** Throws a BadSetting without the name of the setting. */
export function readSetting<T>(setting: Setting<T>, value: string | undefined, env: Env): T {
  try {
    return setting.read(value, env)
  } catch (error) {
    if (!(error instanceof BadSetting) || !setting.isPlain) throw error
    throw new BadSetting(`${error.message}, but is "${value ?? ''}"`)
  }
}

export type Env = Record<string, string | undefined>

export function text(
  shown: string,
  about: string,
  check: (value: string) => string = v => v,
): Setting<string> {
  return { shown, about, isPlain: true, read: value => check(value ?? shown) }
}

export function optional<T>(about: string, check: (value: string) => T): Setting<T | null> {
  return { shown: '', about, read: value => (value === undefined || value === '' ? null : check(value)) }
}

/** An optional setting that is, or contains, a password or token. */
export function secret<T>(about: string, check: (value: string) => T): Setting<T | null> {
  return { ...optional(about, check), isSecret: true }
}

export function integer(shown: number, min: number, max: number, about: string): Setting<number> {
  return {
    shown: String(shown),
    about,
    isPlain: true,
    read: value => {
      if (value === undefined || value === '') return shown
      if (!/^-?[0-9]{1,15}$/.test(value) || Number(value) < min || Number(value) > max) {
        throw new BadSetting(`must be an integer from ${min} to ${max}`)
      }
      return Number(value)
    },
  }
}

/** `inSandbox`: the default in a sandbox, if it differs. */
export function flag(shown: boolean, about: string, inSandbox = shown): Setting<boolean> {
  return {
    shown: String(shown),
    about,
    isPlain: true,
    read: (value, env) => {
      if (value === undefined || value === '') return env.SANDBOX === 'true' ? inSandbox : shown
      if (value === 'true' || value === 'false') return value === 'true'
      throw new BadSetting(`must be true or false`)
    },
  }
}

export function oneOf<T extends string>(shown: T, allowed: readonly T[], about: string): Setting<T> {
  return {
    shown,
    about,
    isPlain: true,
    read: value => {
      const found = allowed.find(item => item === (value || shown))
      if (found === undefined) throw new BadSetting(`must be one of ${allowed.join(', ')}`)
      return found
    },
  }
}

export const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Null if the text is no duration. */
export function secondsOf(text: string): number | null {
  const match = /^([1-9][0-9]{0,8})([smhd])$/.exec(text)
  return match && Number(match[1]) * UNIT_SECONDS[match[2] as string]!
}

/** `mostS`: the longest duration, limited by timers and dates, or by the work of a request. */
export function duration(shown: string, about: string, mostS = 100_000 * UNIT_SECONDS.d!): Setting<number> {
  return {
    shown,
    about,
    isPlain: true,
    read: value => {
      const seconds = secondsOf(value || shown)
      if (seconds === null) throw new BadSetting(`must be a duration such as 90d, 12h, 30m or 45s`)
      if (seconds > mostS) throw new BadSetting(`must be at most ${shownDuration(mostS)}`)
      return seconds
    },
  }
}

export function shownDuration(seconds: number): string {
  const days = seconds / UNIT_SECONDS.d!
  return Number.isInteger(days) ? `${days}d` : `${seconds}s`
}

export function url(value: string, schemes: string[]): URL {
  const parsed = URL.canParse(value) ? new URL(value) : null
  if (!parsed || !schemes.includes(parsed.protocol)) {
    throw new BadSetting(`must be a URL that starts with ${schemes.map(s => `${s}//`).join(' or ')}`)
  }
  return parsed
}

/** A URL that may contain a password. */
export function secretUrl(value: string, schemes: string[]): string {
  const starts = schemes.map(scheme => `${scheme}//`)
  if (!starts.some(start => value.startsWith(start)) || /\s/.test(value))
    throw new BadSetting(`must be a URL that starts with ${starts.join(' or ')} and has no spaces`)
  // A Unix socket, postgres://user@/name?host=/folder, has no host.
  if (!URL.canParse(value) && !URL.canParse(value.replace('@/', '@localhost/')))
    throw new BadSetting(
      'must be a URL with a port up to 65535; in its password, / is written as %2F, # as %23, ? as %3F and @ as %40',
    )
  return value
}

/** Whether the URL names several hosts; a comma in a password does not count. */
function hasSeveralHosts(value: string): boolean {
  const [address = '', query = ''] = value.split('?')
  const authority = address.split('/')[2] ?? ''
  const hosts = [
    authority.slice(authority.lastIndexOf('@') + 1),
    new URLSearchParams(query).get('host') ?? '',
  ]
  return hosts.some(host => host.includes(','))
}

export function databaseUrl(value: string): string {
  if (hasSeveralHosts(value))
    throw new BadSetting(
      'must name one host, such as a virtual address or a DNS name that follows the primary (docs/postgresql.md)',
    )
  return secretUrl(value, ['postgres:', 'postgresql:'])
}

export function timeZone(value: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return value
  } catch {
    throw new BadSetting(`must be an IANA time zone such as Europe/Berlin`)
  }
}

const CURRENCIES = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })

export function currency(value: string): string {
  // Also old ones: what is refused is a slip, which would be stored in the database and sent in bids.
  if (!/^[A-Z]{3}$/.test(value) || CURRENCIES.of(value) === undefined)
    throw new BadSetting(`must be an ISO 4217 code such as USD`)
  return value
}

export function matching(pattern: RegExp, wanted: string) {
  return (value: string) => {
    if (!pattern.test(value)) throw new BadSetting(`must be ${wanted}`)
    return value
  }
}
