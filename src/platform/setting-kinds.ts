// Kinds of settings that check more than their form: prices, weights of images, proxies, passkeys, stores, moments,
// collectors of traces.

import { takesPasskeys } from '../kernel/address.ts'
import { toMicros } from '../kernel/money.ts'
import { clientAddressBy } from './client-address.ts'
import {
  BadSetting,
  duration,
  type Setting,
  secondsOf,
  secretUrl,
  shownDuration,
  UNIT_SECONDS,
} from './setting.ts'
import { normalStoreUrl } from './store/address.ts'

/** Amounts are micros from the start. */
export const cpm: Setting<number> = {
  shown: '2.00',
  about: 'Price of 1,000 impressions for campaigns without a `cpm`.',
  isPlain: true,
  read: value => {
    const micros = toMicros(Number(value || '2.00'))
    if (micros === null || micros < 10_000) {
      throw new BadSetting(`must be an amount from 0.01 with at most 2 decimals`)
    }
    return micros
  },
}

/** `300x250=200,320x50=60` means kB by size; returned as bytes. */
export function weights(value: string): Record<string, number> {
  const entries = value
    .split(',')
    .map(item => /^([1-9][0-9]{1,4}x[1-9][0-9]{1,4})=([1-9][0-9]{0,3})$/.exec(item.trim()))
  if (entries.some(entry => !entry)) {
    throw new BadSetting(`must be sizes with kB from 1 to 9999, such as 300x250=200,320x50=60`)
  }
  return Object.fromEntries(entries.map(entry => [entry![1]!, Number(entry![2]) * 1000]))
}

export function proxies(value: string): string {
  try {
    clientAddressBy(value)
    return value
  } catch {
    throw new BadSetting('must be a list of addresses or networks, separated by commas')
  }
}

export const WHO_NEEDS_PASSKEYS = ['off', 'staff', 'all'] as const
export type WhoNeedsPasskeys = (typeof WHO_NEEDS_PASSKEYS)[number]

/** Where browsers keep no passkeys, nobody could sign in any more. */
export const passkeys: Setting<WhoNeedsPasskeys> = {
  shown: 'off',
  about:
    'Who must have a [passkey](access.md#passkeys) to work in the console after signing in by email: nobody (`off`), the `staff` of apps, or `all`. Needs a `PUBLIC_URL` with https and a host name, or localhost.',
  read: (value, env) => {
    const who = WHO_NEEDS_PASSKEYS.find(item => item === (value || 'off'))
    if (who === undefined) throw new BadSetting(`must be one of ${WHO_NEEDS_PASSKEYS.join(', ')}`)
    // A wrong public URL is reported once, as PUBLIC_URL.
    const address = env.PUBLIC_URL && URL.canParse(env.PUBLIC_URL) ? env.PUBLIC_URL : 'http://localhost'
    if (who !== 'off' && !takesPasskeys(address))
      throw new BadSetting('must be off without a PUBLIC_URL that has https and a host name')
    return who
  },
}

/** A folder, or a bucket: with keys, or with the role of the machine. */
export function store(about: string): Setting<string | null> {
  return {
    shown: '',
    about,
    read: (value, env) => {
      if (value === undefined || value === '') return null
      const address = normalStoreUrl(value)
      if (address === null) throw new BadSetting(`must be a folder or s3://bucket/prefix`)
      if (address.startsWith('s3://') && !env.AWS_ACCESS_KEY_ID !== !env.AWS_SECRET_ACCESS_KEY)
        throw new BadSetting(
          'must come with both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or with neither',
        )
      return address
    },
  }
}

export const clickWindow = duration(
  '30d',
  'How long a click counts after its ad, and how long an action is credited after its click.',
)

const DAY_S = UNIT_SECONDS.d!
const keptEvents = duration(
  '400d',
  'How long to keep single events, at least twice `CLICK_WINDOW` and two days, because they may be credited or reported again until then; figures are kept forever.',
)

/** Events that crediting needs would be kept in spite of a shorter setting, which is a promise to visitors. */
export const eventRetention: Setting<number> = {
  ...keptEvents,
  read: (value, env) => {
    const seconds = keptEvents.read(value, env)
    // A wrong window is reported once, as CLICK_WINDOW.
    const windowS = secondsOf(env.CLICK_WINDOW || clickWindow.shown) ?? 0
    const leastS = leastRetentionS(windowS)
    if (seconds < leastS)
      throw new BadSetting(
        `must be at least ${shownDuration(leastS)}, twice CLICK_WINDOW and two days; shorten that to keep events for less time`,
      )
    return seconds
  },
}

/** An action may be credited to a click, and that click to an ad; a day at each end is kept whole. */
export function leastRetentionS(clickWindowS: number): number {
  return 2 * clickWindowS + 2 * DAY_S
}

/** In milliseconds. The range leaves room for years of history before it, and for moves of ten years after it. */
export function moment(value: string): number {
  const isMoment = /^20\d\d-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(value)
  const ms = isMoment ? Date.parse(value) : Number.NaN
  // Date.parse would read 30 February as 2 March.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== value.slice(0, 10))
    throw new BadSetting(
      'must be a date such as 2026-10-01, or a time such as 2026-10-01T08:00Z, from 2000 to 2099',
    )
  return ms
}

/** `name=value,name=value`, with values percent-encoded. */
export function headersOf(value: string): Record<string, string> {
  const wrong = new BadSetting('must be headers such as authorization=Bearer%20abc, separated by commas')
  const entries = value.split(',').map(item => {
    const [, name, text] = /^\s*([\w!#$%&'*+.^`|~-]+)=([\x21-\x7e]*)\s*$/.exec(item) ?? []
    if (name === undefined || text === undefined) throw wrong
    try {
      const plain = decodeURIComponent(text)
      if (/^[\x20-\x7e]*$/.test(plain)) return [name.toLowerCase(), plain]
    } catch {
      // A percent sign that encodes nothing.
    }
    throw wrong
  })
  return Object.fromEntries(entries)
}

/** A URL with a password would be refused at each send. */
export function collectorUrl(value: string): string {
  const url = new URL(secretUrl(value, ['http:', 'https:']))
  if (url.username || url.password || url.search || url.hash)
    throw new BadSetting('must have no user, password, query or fragment (see OTEL_EXPORTER_OTLP_HEADERS)')
  return url.href
}
