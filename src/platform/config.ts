// Every setting of the service in one table: its name, meaning, default and check. A bad value stops the start and
// names the variable; docs/operating.md has the same table (a test compares them).

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { PROGRAM_SOURCES } from './embedded-postgres/binaries.ts'
import {
  BadSetting,
  currency,
  databaseUrl,
  duration,
  type Env,
  flag,
  integer,
  matching,
  oneOf,
  optional,
  readSetting,
  type Setting,
  secret,
  secretUrl,
  text,
  timeZone,
  UNIT_SECONDS,
  url,
} from './setting.ts'
import {
  clickWindow,
  collectorUrl,
  cpm,
  eventRetention,
  headersOf,
  moment,
  passkeys,
  proxies,
  store,
  weights,
} from './setting-kinds.ts'

export { BadSetting }

export const ROLES = ['api', 'delivery', 'worker'] as const
export type Role = (typeof ROLES)[number]

const roles: Setting<Role[]> = {
  shown: ROLES.join(','),
  about:
    'Which roles this process runs. Running fewer than all three requires a `DATABASE_URL` that the processes share.',
  isPlain: true,
  read: (value, env) => {
    const named = (value || ROLES.join(',')).split(',').map(name => name.trim())
    const wanted = ROLES.filter(role => named.includes(role))
    if (named.some(name => !ROLES.some(role => role === name)))
      throw new BadSetting(`must be some of ${ROLES.join(', ')}, separated by commas`)
    if (wanted.length < ROLES.length && !env.DATABASE_URL)
      throw new BadSetting(
        'must be all of them without DATABASE_URL (the embedded database is for one process)',
      )
    return wanted
  },
}

const sandbox: Setting<boolean> = {
  shown: 'false',
  about:
    'This deployment is a sandbox, whose clock is moved by calls: see [testing.md](testing.md). It needs an empty database of its own, which is a sandbox from then on.',
  isPlain: true,
  read: (value, env) => {
    if (!value || value === 'false') return false
    if (value !== 'true') throw new BadSetting('must be true or false')
    if (env.ROLES || (env.PROCESSES && env.PROCESSES !== '1'))
      throw new BadSetting('needs one process with all roles: leave out ROLES and PROCESSES')
    if (env.CAPS_URL) throw new BadSetting('keeps caps in its own memory: leave out CAPS_URL')
    return true
  },
}

const MOST_PROCESSES = 64

const processes: Setting<number> = {
  shown: '1',
  about:
    'How many processes deliver on one port, including this one; `auto` for one per processor. See [several processes](#several-processes).',
  isPlain: true,
  read: (value, env) => {
    const count = value === 'auto' ? Math.min(MOST_PROCESSES, availableParallelism()) : Number(value || '1')
    if (!Number.isInteger(count) || count < 1 || count > MOST_PROCESSES)
      throw new BadSetting(`must be auto or a number from 1 to ${MOST_PROCESSES}`)
    if (count > 1 && env.ROLES && !env.ROLES.includes('delivery'))
      throw new BadSetting('must be 1 where ROLES does not name delivery (the other processes deliver)')
    return count
  },
}

export const SETTINGS = {
  PORT: integer(8080, 0, 65535, 'Port to listen on; 0 takes a free one.'),
  HOST: text('0.0.0.0', 'Address to listen on; `127.0.0.1` for this machine only.'),
  PUBLIC_URL: {
    shown: 'http://localhost:$PORT',
    about: 'Base of absolute links; may have a path behind a proxy.',
    read: (value, env) => {
      const own = `http://localhost:${env.PORT || 8080}`
      // A wrong port is reported once, as PORT.
      const parsed = url(value || (URL.canParse(own) ? own : 'http://localhost'), ['http:', 'https:'])
      if (parsed.search || parsed.hash) throw new BadSetting('must have no query and no fragment')
      if (parsed.username || parsed.password) throw new BadSetting('must have no user name and no password')
      if (/["'&]/.test(parsed.host)) throw new BadSetting('must have a host without quotes and ampersands')
      // Links are put into HTML and JSON unchanged, so characters that would need escaping there are percent-encoded
      // here.
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
    about: 'Where the embedded database, creatives, outbox and first credentials are stored.',
    read: value => resolve(value || './data'),
  } as Setting<string>,
  EMBEDDED_POSTGRES: oneOf(
    'package',
    PROGRAM_SOURCES,
    "Whose programs the embedded database runs: `package`, those that come with Marquee, or `system`, Debian's under `/usr/lib/postgresql`. See [postgresql.md](postgresql.md#the-embedded-one).",
  ),
  DATABASE_URL: secret('PostgreSQL 15 or newer to use instead of the embedded one.', databaseUrl),
  ROLES: roles,
  PROCESSES: processes,
  DATABASE_POOL: integer(
    12,
    1,
    500,
    'Maximum database connections for writing requests and for everything without its own pool. Every process opens 2 more; one that manages, `READ_POOL` and 2 more; one that delivers or manages, `TRACKING_POOL` and 2 more; one that delivers, 3 more; one with the role `worker`, 9 more: see [postgresql.md](postgresql.md).',
  ),
  READ_POOL: integer(
    6,
    1,
    500,
    'Database connections for reading management requests, in addition to `DATABASE_POOL`.',
  ),
  TRACKING_POOL: integer(
    4,
    1,
    500,
    'Database connections for looking up clicks and actions, in addition to `DATABASE_POOL`.',
  ),
  CAPS_URL: secret(
    'Valkey or Redis 7 that keeps frequency caps for all processes, `redis://` or `rediss://`. Without it, one process serves all campaigns that have a cap.',
    value => secretUrl(value, ['redis:', 'rediss:']),
  ),
  CURRENCY: text(
    'USD',
    'Currency of this deployment, ISO 4217. Stored in the database: all processes must use the same.',
    currency,
  ),
  TIMEZONE: text(
    'UTC',
    'IANA time zone of the days of customers who have no `timezone` of their own, and of figures over many customers. Stored in the database: all processes must use the same.',
    timeZone,
  ),
  DEFAULT_CPM: cpm,
  WEEKLY_REPORT: flag(
    true,
    'Mail the weekly report to the owners of new customers until they choose otherwise.',
  ),
  CREDENTIAL_TTL: duration('90d', 'How long a customer pair is valid.'),
  RESTORE_WITHIN: duration(
    '30d',
    'How long the API can undo a deletion; on the command line, the operator always can.',
  ),
  ALLOW_QUERY_CREDENTIALS: flag(false, 'Accept credentials as query parameters. Avoid: URLs end up in logs.'),
  RATE_LIMIT: integer(
    50,
    1,
    1_000_000,
    'Requests per second for one customer, across all its pairs and sessions, and for one app.',
  ),
  RATE_BURST: integer(200, 1, 1_000_000, 'Requests that one customer or app may send at once.'),
  CALLS_AT_ONCE: integer(
    3,
    1,
    500,
    'Calls of one customer that may use the database at once, separately for reading and writing, in each process; an app gets one more for its super pairs. Up to 100 more wait for at most 10 s, then get 429.',
  ),
  CALL_TIMEOUT: duration(
    '30s',
    'How long a management call may take before it is rolled back and answered with 503. Keep it below the timeouts of the proxies in front.',
    50,
  ),
  FAILURE_LIMIT: integer(
    600,
    1,
    1_000_000,
    'Unknown keys, wrong tokens and unknown sessions that one address may send in ten minutes before it gets 429.',
  ),
  SIGN_IN_LIMIT: integer(
    60,
    1,
    1_000_000,
    'Failed console sign-ins that one address may have in ten minutes before it gets 429.',
  ),
  PASSCODE_LIMIT: integer(
    5,
    1,
    1_000,
    'Passcodes emailed to one address per hour: for an app through the API, and for one visitor at the console.',
  ),
  AGENTS: oneOf(
    'on',
    ['on', 'off'] as const,
    'Whether AI agents may use this deployment, at `/mcp`, by what people and customers grant them: see [agents.md](agents.md).',
  ),
  REQUIRE_PASSKEY: passkeys,
  SMTP_URL: secret(
    'Mail server, `smtp://` or `smtps://`. Without it, emails go to `$DATA_DIR/outbox`.',
    value => secretUrl(value, ['smtp:', 'smtps:']),
  ),
  MAIL_FROM: text(
    'Marquee <marquee@localhost>',
    'Sender of emails.',
    matching(/^[^\r\n]{3,320}$/, 'one line with an address'),
  ),
  METRICS_TOKEN: secret(
    'Bearer token for `/metrics`; without it, only direct requests from this machine are answered.',
    matching(/^\S{8,200}$/, 'at least 8 characters without spaces'),
  ),
  TRUST_PROXY: optional(
    'Proxies whose `x-forwarded-for` is trusted: `loopback`, or addresses and networks, separated by commas.',
    proxies,
  ),
  KEEP_ALIVE: duration(
    '90s',
    'How long a connection may be idle between requests. Set it above the idle timeout of the load balancer in front.',
    UNIT_SECONDS.d,
  ),
  DRAIN: {
    shown: '2s',
    about:
      'How long a stopping process reports not ready on `/readyz` but still answers, so that the load balancer sends new calls elsewhere: `0s` to `60s`. Without `DATABASE_URL`, when no other process could take over, the default is `0s`.',
    isPlain: true,
    read: (value, env) => {
      const seconds = /^([0-9]{1,2})s$/.exec(value || (env.DATABASE_URL ? '2s' : '0s'))?.[1]
      if (seconds === undefined || Number(seconds) > 60)
        throw new BadSetting(`must be seconds from 0s to 60s`)
      return Number(seconds)
    },
  } as Setting<number>,
  ALLOW_PRIVATE_CREATIVES: flag(
    false,
    'Allow creatives on private and local addresses. Only for testing, never on the public internet. In a sandbox, the default is `true`.',
    true,
  ),
  CREATIVE_WEIGHTS: optional(
    'Custom weight limits for some sizes, in kB: `300x250=200,320x50=60`. All other sizes keep the limits of the creative guidelines.',
    weights,
  ),
  CREATIVE_TIMEOUT: duration('15s', 'How long fetching a creative may take.', UNIT_SECONDS.d),
  CREATIVE_RETRY: duration('10m', 'How long to retry a creative whose host is down; five attempts in all.'),
  UPLOAD_QUOTA: integer(1000, 1, 1_000_000, "Total size of one customer's uploaded images, in MB."),
  UPLOAD_FILES: integer(10_000, 1, 1_000_000, 'Uploaded images kept for one customer.'),
  CAMPAIGN_QUOTA: integer(
    50_000,
    1,
    10_000_000,
    'Campaigns that one customer may have, not counting deleted ones.',
  ),
  PERSONA_QUOTA: integer(100_000, 1, 10_000_000, 'Personas that one customer may have, likewise.'),
  PERSONAS_PER_CAMPAIGN: integer(1_000, 1, 100_000, 'Personas that one campaign may have, likewise.'),
  BANNER_QUOTA: integer(200_000, 1, 10_000_000, 'Banners that one customer may have, likewise.'),
  JOB_OBJECTS: integer(
    20_000,
    2_000,
    1_000_000,
    'Objects that one order or copy may create: up to 2,000 in the call itself, more as a job.',
  ),
  IDEMPOTENCY_ANSWERS: integer(
    50_000,
    1,
    10_000_000,
    'Answers kept for the idempotency keys of one customer within 24 hours.',
  ),
  IDEMPOTENCY_MB: integer(100, 1, 1_000_000, 'Their total size, in MB.'),
  AUDIT_RETENTION: duration(
    '400d',
    'How long to keep the history of objects, at least as long as they can be restored. At most the last 1,000 changes and 4 MB per object are kept.',
  ),
  UNUSED_IMAGES: duration('30d', 'How long to keep an image that no banner uses.'),
  CREATIVES_URL: store(
    'Where to store images instead of the database: a folder that all processes share, or `s3://bucket/prefix`.',
  ),
  ALLOW_PRIVATE_WEBHOOKS: flag(
    false,
    'Allow webhooks to http and to private and local addresses. Only for testing, or if all apps are trusted. In a sandbox, the default is `true`.',
    true,
  ),
  SEAT: text(
    'marquee',
    'Our seat id with exchanges.',
    matching(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, dots or dashes'),
  ),
  CLICK_WINDOW: clickWindow,
  VIEW_WINDOW: duration(
    '1d',
    'How long an action without a click is credited to an impression.',
    100 * UNIT_SECONDS.d!,
  ),
  EVENT_RETENTION: eventRetention,
  ROLLUP_RETENTION: duration(
    '14d',
    'How long figures have rows of their own, at least 8 days. Then they are packed by month, without changing.',
  ),
  VISITOR_OPEN_ADS: integer(
    200,
    0,
    1_000_000,
    'Unseen ads of a site that one visitor address may get per minute. 0: no limit.',
  ),
  VISITOR_IMPRESSIONS: integer(
    1000,
    0,
    100_000_000,
    'Impressions of a site billed per visitor address and hour, in each process; further ones are not counted. 0: no limit.',
  ),
  VISITOR_SHARE: integer(
    10,
    0,
    100,
    'Percentage of a campaign’s daily budget that one visitor address may use through ads on pages, in each process; three times as much for its network. 0: no limit.',
  ),
  VISITOR_ACTIONS: integer(
    100,
    0,
    100_000_000,
    'Pixel actions counted per visitor address and hour, in each process. 0: no limit.',
  ),
  ACTION_NAMES: integer(
    200,
    2,
    10_000,
    'Action names that one customer may use; pixels may introduce up to half of them. See [conversions.md](conversions.md).',
  ),
  ACTION_NEW_NAMES: integer(
    20,
    0,
    10_000,
    'New action names that pixels may introduce per customer and day.',
  ),
  PIXEL_VALUE: integer(
    100_000,
    0,
    1_000_000_000,
    'Highest value of an action by pixel, in currency units; one above it is not counted. 0: no limit. See [conversions.md](conversions.md).',
  ),
  EXPORT_URL: store(
    'Where to write closed hours of events as Parquet: a folder, or `s3://bucket/prefix`. See [export.md](export.md).',
  ),
  AWS_ACCESS_KEY_ID: secret(
    'Access key for the buckets in other settings. Without one, the role of the machine or container is used.',
    matching(/^[\x21-\x7e]{1,200}$/, 'one word'),
  ),
  AWS_SECRET_ACCESS_KEY: secret('Its secret.', matching(/^[\x21-\x7e]{1,500}$/, 'one word')),
  AWS_SESSION_TOKEN: secret(
    'Its session token, if it has one.',
    matching(/^[\x21-\x7e]{1,5000}$/, 'one word'),
  ),
  AWS_REGION: text(
    'us-east-1',
    'Region of the buckets.',
    matching(/^[a-z0-9-]{1,40}$/, 'a region such as eu-central-1'),
  ),
  AWS_ENDPOINT_URL_S3: secret(
    'S3-compatible server to use instead of Amazon; `http://` or `https://`.',
    value => new URL(secretUrl(value, ['http:', 'https:'])).href,
  ),
  GEOIP_DB: optional(
    'Path of a city-level .mmdb file; without it, addresses are located by country.',
    value => resolve(value),
  ),
  SANDBOX: sandbox,
  SANDBOX_START: optional(
    'What the clock of a new sandbox says first: `2026-10-01` or `2026-10-01T08:00Z`. Without it, the time of its first start.',
    moment,
  ),
  SANDBOX_SEED: text(
    '1',
    'Chance in a new sandbox: the same seed, start and calls give the same figures.',
    matching(/^[\w.-]{1,64}$/, '1 to 64 letters, digits, dots or dashes'),
  ),
  LOG_LEVEL: oneOf(
    'info',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const,
    'Reads are logged at `debug`, writes and failures at `info` and above.',
  ),
  SLOW_STATEMENT_MS: integer(
    500,
    0,
    600_000,
    'Database statements that take at least this many milliseconds are logged by name. 0: none.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: secret(
    'Collector of [traces](#traces) by OTLP/HTTP, such as `http://collector:4318`; `/v1/traces` is added. Without it, none are made.',
    collectorUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    'Headers for the collector: `name=value`, separated by commas, with values percent-encoded.',
    headersOf,
  ),
  OTEL_SERVICE_NAME: text(
    'marquee',
    'Name of this service in traces.',
    matching(/^\S[\x20-\x7e]{0,199}$/, '1 to 200 printable characters'),
  ),
  TRACE_ADS: integer(
    1000,
    0,
    1_000_000_000,
    'One of how many ad requests and tracking calls is traced, in each process. 0: none.',
  ),
} satisfies Record<string, Setting<unknown>>

export type Config = { [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['read']> }

/** Reads and checks all settings; throws a BadSetting that names every bad variable. */
export function readConfig(given: Env): Config {
  const { env, wrong } = withSecretFiles(given, SETTINGS)
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(SETTINGS)) {
    if (wrong.some(line => line.startsWith(`${name}_FILE `))) continue
    try {
      config[name] = readSetting(setting as Setting<unknown>, env[name], env)
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error
      wrong.push(`${name} ${error.message}`)
    }
  }
  if (wrong.length > 0) throw new BadSetting(wrong.join('\n'))
  return config as Config
}

/** Of a file with a secret, as Docker and Kubernetes mount them; its path is never repeated: it may be the secret. */
const MOST_BYTES = 65_536

/** The environment with the secrets of files in their settings, and what is wrong with the files, by name. */
function withSecretFiles(
  given: Env,
  settings: Record<string, Setting<unknown>>,
): { env: Env; wrong: string[] } {
  const env = { ...given }
  const wrong: string[] = []
  for (const name of Object.keys(settings).filter(each => settings[each]!.isSecret)) {
    const path = given[`${name}_FILE`]
    if (!path) continue
    const { text = '', fault } = given[name] ? { fault: `be left out where ${name} is set` } : contentOf(path)
    if (fault) wrong.push(`${name}_FILE must ${fault}`)
    else env[name] = text
  }
  return { env, wrong }
}

function contentOf(path: string): { text?: string; fault?: string } {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MOST_BYTES) return { fault: `name a file of at most ${MOST_BYTES} bytes` }
    // Editors and `echo` end a file with a line break.
    const text = withoutLastLineBreak(bytes.toString('utf8'))
    return text === '' ? { fault: 'name a file that is not empty' } : { text }
  } catch (error) {
    return { fault: `name a file that this user can read (${(error as NodeJS.ErrnoException).code})` }
  }
}

function withoutLastLineBreak(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : text.endsWith('\n') ? text.slice(0, -1) : text
}
