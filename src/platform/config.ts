// Every setting of the service: its name, meaning, default and check, in one table.
// A bad value stops the start with the variable's name; docs/operating.md lists the same table (a test holds them together).

import { resolve } from 'node:path'
import { toMicros } from '../kernel/money.ts'
import { normalStoreUrl } from './store/address.ts'

export class BadSetting extends Error {}

interface Setting<T> {
  /** Shown in the documentation; the real default where it is a plain value. */
  shown: string
  about: string
  read(text: string | undefined, env: Env): T
}

type Env = Record<string, string | undefined>

function text(shown: string, about: string, check: (value: string) => string = v => v): Setting<string> {
  return { shown, about, read: value => check(value ?? shown) }
}

function optional<T>(about: string, check: (value: string) => T): Setting<T | null> {
  return { shown: '', about, read: value => (value === undefined || value === '' ? null : check(value)) }
}

function integer(shown: number, min: number, max: number, about: string): Setting<number> {
  return {
    shown: String(shown),
    about,
    read: value => {
      if (value === undefined || value === '') return shown
      if (!/^-?[0-9]{1,15}$/.test(value) || Number(value) < min || Number(value) > max) {
        throw new BadSetting(`must be an integer from ${min} to ${max}, but is "${value}"`)
      }
      return Number(value)
    },
  }
}

function flag(shown: boolean, about: string): Setting<boolean> {
  return {
    shown: String(shown),
    about,
    read: value => {
      if (value === undefined || value === '') return shown
      if (value === 'true' || value === 'false') return value === 'true'
      throw new BadSetting(`must be true or false, but is "${value}"`)
    },
  }
}

function oneOf<T extends string>(shown: T, allowed: readonly T[], about: string): Setting<T> {
  return {
    shown,
    about,
    read: value => {
      const found = allowed.find(item => item === (value || shown))
      if (found === undefined) throw new BadSetting(`must be one of ${allowed.join(', ')}, but is "${value}"`)
      return found
    },
  }
}

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `mostS`: timers and dates hold no more, or the work of a request grows with it. */
function duration(shown: string, about: string, mostS = 100_000 * UNIT_SECONDS.d!): Setting<number> {
  return {
    shown,
    about,
    read: value => {
      const match = /^([1-9][0-9]{0,8})([smhd])$/.exec(value || shown)
      if (!match) throw new BadSetting(`must be a duration such as 90d, 12h, 30m or 45s, but is "${value}"`)
      const seconds = Number(match[1]) * UNIT_SECONDS[match[2] as string]!
      if (seconds > mostS)
        throw new BadSetting(`must be at most ${mostS / UNIT_SECONDS.d!}d, but is "${value}"`)
      return seconds
    },
  }
}

function url(value: string, schemes: string[]): URL {
  const parsed = URL.canParse(value) ? new URL(value) : null
  if (!parsed || !schemes.includes(parsed.protocol)) {
    throw new BadSetting(
      `must be a URL that starts with ${schemes.map(s => `${s}//`).join(' or ')}, but is "${value}"`,
    )
  }
  return parsed
}

function timeZone(value: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return value
  } catch {
    throw new BadSetting(`must be an IANA time zone such as Europe/Berlin, but is "${value}"`)
  }
}

function currency(value: string): string {
  if (!/^[A-Z]{3}$/.test(value))
    throw new BadSetting(`must be an ISO 4217 code such as USD, but is "${value}"`)
  return value
}

function matching(pattern: RegExp, wanted: string) {
  return (value: string) => {
    if (!pattern.test(value)) throw new BadSetting(`must be ${wanted}, but is "${value}"`)
    return value
  }
}

/** Of a secret, not even a wrong one is repeated. */
function hidden(pattern: RegExp, wanted: string) {
  return (value: string) => {
    if (!pattern.test(value)) throw new BadSetting(`must be ${wanted}`)
    return value
  }
}

/** Amounts are kept as micros from the start. */
const cpm: Setting<number> = {
  shown: '2.00',
  about: 'What 1,000 impressions cost where a campaign names no `cpm`.',
  read: value => {
    const micros = toMicros(Number(value || '2.00'))
    if (micros === null || micros < 10_000) {
      throw new BadSetting(`must be an amount from 0.01 with at most 2 decimals, but is "${value}"`)
    }
    return micros
  },
}

/** `300x250=200,320x50=60`: kB by size, as bytes. */
function weights(value: string): Record<string, number> {
  const entries = value
    .split(',')
    .map(item => /^([1-9][0-9]{1,4}x[1-9][0-9]{1,4})=([1-9][0-9]{0,3})$/.exec(item.trim()))
  if (entries.some(entry => !entry)) {
    throw new BadSetting(
      `must be sizes with kB from 1 to 9999, such as 300x250=200,320x50=60, but is "${value}"`,
    )
  }
  return Object.fromEntries(entries.map(entry => [entry![1]!, Number(entry![2]) * 1000]))
}

/** A folder, or a bucket that we have the keys of. */
function store(about: string): Setting<string | null> {
  return {
    shown: '',
    about,
    read: (value, env) => {
      if (value === undefined || value === '') return null
      const address = normalStoreUrl(value)
      if (address === null) throw new BadSetting(`must be a folder or s3://bucket/prefix, but is "${value}"`)
      if (address.startsWith('s3://') && !(env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY))
        throw new BadSetting('must come with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY when it is a bucket')
      return address
    },
  }
}

export const ROLES = ['api', 'delivery', 'worker'] as const
export type Role = (typeof ROLES)[number]

const roles: Setting<Role[]> = {
  shown: ROLES.join(','),
  about:
    'What this process does, of the three. Fewer than all want a `DATABASE_URL` that the processes share.',
  read: (value, env) => {
    const named = (value || ROLES.join(',')).split(',').map(name => name.trim())
    const wanted = ROLES.filter(role => named.includes(role))
    if (named.some(name => !ROLES.some(role => role === name)))
      throw new BadSetting(`must be some of ${ROLES.join(', ')}, separated by commas, but is "${value}"`)
    if (wanted.length < ROLES.length && !env.DATABASE_URL)
      throw new BadSetting(
        'must be all of them without DATABASE_URL: the embedded database is for one process',
      )
    return wanted
  },
}

export const SETTINGS = {
  PORT: integer(8080, 0, 65535, 'Port to listen on; 0 takes a free one.'),
  HOST: text('0.0.0.0', 'Address to listen on; `127.0.0.1` for this machine only.'),
  PUBLIC_URL: {
    shown: 'http://localhost:$PORT',
    about: 'What absolute links are built on; may carry a path, behind a proxy.',
    read: (value, env) => {
      const parsed = url(value || `http://localhost:${env.PORT || 8080}`, ['http:', 'https:'])
      if (parsed.search || parsed.hash) throw new BadSetting('must have no query and no fragment')
      if (/["'&]/.test(parsed.host)) throw new BadSetting('must have a host without quotes and ampersands')
      // Links stand in HTML and JSON as they are: what the one or the other would escape is escaped here, by the URL's rules.
      const path = parsed.pathname.replaceAll("'", '%27').replaceAll('&', '%26')
      return (
        parsed.origin +
        path
          .split('/')
          .filter(Boolean)
          .map(part => `/${part}`)
          .join('')
      )
    },
  } as Setting<string>,
  DATA_DIR: {
    shown: './data',
    about: 'Where the embedded database, creatives, outbox and first credentials live.',
    read: value => resolve(value || './data'),
  } as Setting<string>,
  // Not by `new URL`: the form for a Unix socket, postgres://user@/name?host=/folder, has no host.
  DATABASE_URL: optional(
    'A PostgreSQL 15 or newer to use instead of the embedded one.',
    matching(/^postgres(ql)?:\/\/\S+$/, 'a URL that starts with postgres://'),
  ),
  ROLES: roles,
  DATABASE_POOL: integer(16, 1, 500, 'Connections to the database, at most.'),
  TRACKING_POOL: integer(
    4,
    1,
    500,
    'Connections to the database for what clicks and actions look up, besides those of `DATABASE_POOL`.',
  ),
  CURRENCY: text('USD', 'The one currency of this deployment, ISO 4217.', currency),
  TIMEZONE: text('UTC', 'IANA time zone whose days budgets, caps and statistics use.', timeZone),
  DEFAULT_CPM: cpm,
  CREDENTIAL_TTL: duration('90d', 'How long a customer pair lives.'),
  RESTORE_WITHIN: duration(
    '30d',
    'How long after a deletion the API can undo it; the operator always can, by the command line.',
  ),
  ALLOW_QUERY_CREDENTIALS: flag(false, 'Accept credentials as query parameters. URLs end up in logs: avoid.'),
  RATE_LIMIT: integer(
    50,
    1,
    1_000_000,
    'Requests per second for one customer, by all its pairs and sessions, and for one app.',
  ),
  RATE_BURST: integer(200, 1, 1_000_000, 'Requests that may come at once for one customer or app.'),
  FAILURE_LIMIT: integer(
    600,
    1,
    1_000_000,
    'Unknown keys, wrong tokens and unknown sessions that one address may send in ten minutes; then 429.',
  ),
  SIGN_IN_LIMIT: integer(
    60,
    1,
    1_000_000,
    'Failed sign-ins to the console that one address may have in ten minutes; then 429.',
  ),
  PASSCODE_LIMIT: integer(
    5,
    1,
    1_000,
    'Passcodes that are mailed to one address within an hour: for an app by the API, and for one visitor by the console.',
  ),
  SMTP_URL: optional(
    'Mail server, `smtp://` or `smtps://`. Without it mails go to `$DATA_DIR/outbox`.',
    value => {
      url(value, ['smtp:', 'smtps:'])
      return value
    },
  ),
  MAIL_FROM: text(
    'Marquee <marquee@localhost>',
    'Sender of mails.',
    matching(/^[^\r\n]{3,320}$/, 'one line with an address'),
  ),
  METRICS_TOKEN: optional(
    'Bearer token that opens `/metrics`; without it only direct requests from this machine are answered.',
    matching(/^\S{8,200}$/, 'at least 8 characters without spaces'),
  ),
  TRUST_PROXY: optional(
    'Proxies whose `x-forwarded-for` is believed: `loopback`, or addresses and networks, separated by commas.',
    matching(/^[0-9A-Za-z.:/, ]{1,1000}$/, 'a list of addresses or networks'),
  ),
  KEEP_ALIVE: duration(
    '90s',
    'How long a connection may be silent between requests. More than the load balancer in front has.',
    UNIT_SECONDS.d,
  ),
  ALLOW_PRIVATE_CREATIVES: flag(
    false,
    'Let creatives be fetched from private and local addresses. For trying out, never in the open.',
  ),
  CREATIVE_WEIGHTS: optional(
    'What images of some sizes may weigh instead, in kB: `300x250=200,320x50=60`. The others keep the weights of the creative guidelines.',
    weights,
  ),
  CREATIVE_TIMEOUT: duration('15s', 'How long fetching a creative may take.', UNIT_SECONDS.d),
  CREATIVE_RETRY: duration(
    '10m',
    'How long a creative is tried again whose host is down; five tries in all.',
  ),
  UPLOAD_QUOTA: integer(
    1000,
    1,
    1_000_000,
    'What the uploaded images of one customer may weigh together, in MB.',
  ),
  UNUSED_IMAGES: duration('30d', 'How long an image is kept that no banner uses.'),
  CREATIVES_URL: store(
    'Where images are kept instead of the database: a folder that all processes share, or `s3://bucket/prefix`.',
  ),
  ALLOW_PRIVATE_WEBHOOKS: flag(
    false,
    'Let webhooks go to http and to private and local addresses. For trying out, or where all apps are trusted.',
  ),
  SEAT: text(
    'marquee',
    'Our seat id with exchanges.',
    matching(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, dots or dashes'),
  ),
  CLICK_WINDOW: duration(
    '30d',
    'How long after its ad a click counts, and how long after its click an action is credited.',
  ),
  VIEW_WINDOW: duration(
    '1d',
    'How long after an impression an action without a click is credited to it.',
    100 * UNIT_SECONDS.d!,
  ),
  EVENT_RETENTION: duration(
    '400d',
    'How long single events are kept, never shorter than they may be asked for; figures are kept for ever.',
  ),
  VISITOR_OPEN_ADS: integer(
    200,
    0,
    1_000_000,
    'Ads of a site that one visitor address may have been given within a minute and not seen; beyond it there is none. 0: no limit.',
  ),
  VISITOR_IMPRESSIONS: integer(
    1000,
    0,
    100_000_000,
    'Impressions of a site that are billed to one visitor address within an hour, in each process; more are not counted. 0: no limit.',
  ),
  EXPORT_URL: store(
    'Where closed hours of events are written as Parquet: a folder, or `s3://bucket/prefix`. See [export.md](export.md).',
  ),
  AWS_ACCESS_KEY_ID: optional(
    'Key of the buckets that other settings name.',
    matching(/^[\x21-\x7e]{1,200}$/, 'one word'),
  ),
  AWS_SECRET_ACCESS_KEY: optional('Its secret.', hidden(/^[\x21-\x7e]{1,500}$/, 'one word')),
  AWS_SESSION_TOKEN: optional('Its session, where it has one.', hidden(/^[\x21-\x7e]{1,5000}$/, 'one word')),
  AWS_REGION: text(
    'us-east-1',
    'Region of the buckets.',
    matching(/^[a-z0-9-]{1,40}$/, 'a region such as eu-central-1'),
  ),
  AWS_ENDPOINT_URL_S3: optional(
    'A server that speaks S3, in place of Amazon; `http://` or `https://`.',
    value => url(value, ['http:', 'https:']).href,
  ),
  GEOIP_DB: optional('Path of a city-level .mmdb file; without it addresses are known by country.', value =>
    resolve(value),
  ),
  LOG_LEVEL: oneOf(
    'info',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const,
    'Reads are logged at `debug`, writes and failures at `info` and above.',
  ),
} satisfies Record<string, Setting<unknown>>

export type Config = { [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['read']> }

/** Reads and checks all settings; throws BadSetting that names every bad variable. */
export function readConfig(env: Env): Config {
  const wrong: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    try {
      config[name] = setting.read(env[name], env)
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error
      wrong.push(`${name} ${error.message}`)
    }
  }
  if (wrong.length > 0) throw new BadSetting(wrong.join('\n'))
  return config as Config
}
