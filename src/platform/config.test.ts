// Settings are checked at the start, and each bad one is named.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { CONNECTION_TIMEOUT_MS } from '../http/server.ts'
import { BadSetting, readConfig, SETTINGS } from './config.ts'

it('an empty environment gives the documented defaults', () => {
  expect(readConfig({})).toMatchObject({
    PORT: 8080,
    PUBLIC_URL: 'http://localhost:8080',
    DATABASE_URL: null,
    CURRENCY: 'USD',
    TIMEZONE: 'UTC',
    CREDENTIAL_TTL: 90 * 86_400,
    RATE_LIMIT: 50,
    RATE_BURST: 200,
    DEFAULT_CPM: 2_000_000,
    PROCESSES: 1,
  })
})

it('a connection may be idle for longer than common load balancers, including our own file, keep theirs', () => {
  const balancer = readFileSync(new URL('../../docs/deploy/haproxy.cfg', import.meta.url), 'utf8')
  const idle = [...balancer.matchAll(/timeout (?:server|http-keep-alive) (\d+)s/g)].map(match =>
    Number(match[1]),
  )
  // 60 s is the idle timeout of nginx and of the load balancers of Amazon and Azure.
  expect(readConfig({}).KEEP_ALIVE).toBeGreaterThan(Math.max(60, idle[0]!, idle[1]!))
})

it('a call ends before its connection does, however CALL_TIMEOUT is set', () => {
  expect(readConfig({ CALL_TIMEOUT: '50s' }).CALL_TIMEOUT * 1000).toBeLessThan(CONNECTION_TIMEOUT_MS)
  expect(() => readConfig({ CALL_TIMEOUT: '51s' })).toThrow('CALL_TIMEOUT')
})

it('PROCESSES=auto is one process per processor of this machine', () => {
  expect(readConfig({ PROCESSES: 'auto' }).PROCESSES).toBe(Math.min(64, availableParallelism()))
  expect(readConfig({ PROCESSES: '4' }).PROCESSES).toBe(4)
})

it('the public URL follows the port, and may have a path', () => {
  expect(readConfig({ PORT: '9000' }).PUBLIC_URL).toBe('http://localhost:9000')
  expect(readConfig({ PUBLIC_URL: 'https://ads.example/marquee/' }).PUBLIC_URL).toBe(
    'https://ads.example/marquee',
  )
})

it('passkeys can be required only where browsers keep them', () => {
  const read = (PUBLIC_URL: string) => readConfig({ REQUIRE_PASSKEY: 'all', PUBLIC_URL }).REQUIRE_PASSKEY
  for (const fit of ['https://ads.example', 'http://localhost:8080']) expect(read(fit)).toBe('all')
  for (const unfit of ['http://ads.example', 'https://192.0.2.7', 'https://[2001:db8::1]'])
    expect(() => read(unfit)).toThrow('REQUIRE_PASSKEY must be off without a PUBLIC_URL')
})

it('the public URL contains nothing that HTML or JSON would escape', () => {
  expect(readConfig({ PUBLIC_URL: `https://ads.example/o'k&"<b>` }).PUBLIC_URL).toBe(
    'https://ads.example/o%27k%26%22%3Cb%3E',
  )
})

it.each([
  ['PORT', '80a'],
  ['PORT', '70000'],
  ['PUBLIC_URL', 'localhost:8080'],
  ['PUBLIC_URL', 'https://a.example/?x=1'],
  ['PUBLIC_URL', 'https://ann:secret@a.example/'],
  ['PUBLIC_URL', `https://a'b.example/`],
  ['DATABASE_URL', 'mysql://a/b'],
  ['CURRENCY', 'usd'],
  ['CURRENCY', 'EUE'],
  ['TIMEZONE', 'Mars/Olympus'],
  ['REQUIRE_PASSKEY', 'some'],
  ['CREDENTIAL_TTL', '90'],
  ['EVENT_RETENTION', '999999999d'],
  ['CREATIVE_TIMEOUT', '30d'],
  ['VIEW_WINDOW', '9999d'],
  ['DEFAULT_CPM', '1.234'],
  ['ALLOW_QUERY_CREDENTIALS', 'yes'],
  ['SMTP_URL', 'http://mail'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://ann:secret@collector'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%0d%0ab'],
  ['TRACE_ADS', '-1'],
  ['METRICS_TOKEN', 'short'],
  ['LOG_LEVEL', 'loud'],
  ['SEAT', 'a b'],
  ['EXPORT_URL', 'ftp://host/folder'],
  ['EXPORT_URL', 's3://Bucket'],
  ['AWS_ENDPOINT_URL_S3', 'localhost:9000'],
  ['AWS_SECRET_ACCESS_KEY', 'two words'],
  ['ROLES', 'api,boss'],
  ['PROCESSES', '0'],
  ['PROCESSES', 'many'],
  ['ROLES', 'api'],
])('%s=%s is refused by name', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(BadSetting)
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must`))
})

it('events are kept as long as EVENT_RETENTION says, or the setting is refused', () => {
  const kept = (settings: Record<string, string>) => readConfig(settings).EVENT_RETENTION / 86_400
  expect(() => kept({ EVENT_RETENTION: '31d' })).toThrow(
    /^EVENT_RETENTION must be at least 62d, .*but is "31d"$/,
  )
  expect(kept({ EVENT_RETENTION: '62d' })).toBe(62)
  expect(kept({ EVENT_RETENTION: '31d', CLICK_WINDOW: '14d' })).toBe(31)
  expect(() => kept({ CLICK_WINDOW: '300d' })).toThrow('EVENT_RETENTION must be at least 602d')
})

it.each(['USD', 'JPY', 'VED', 'CLF', 'XCG'])('CURRENCY=%s is one', code => {
  expect(readConfig({ CURRENCY: code }).CURRENCY).toBe(code)
})

it('a sandbox begins on a day that exists, in this century', () => {
  const start = (value: string) => readConfig({ SANDBOX: 'true', SANDBOX_START: value }).SANDBOX_START
  expect(start('2028-02-29')).toBe(Date.UTC(2028, 1, 29))
  expect(start('2026-10-01T08:00Z')).toBe(Date.UTC(2026, 9, 1, 8))
  for (const value of ['2026-02-30', '9999-12-31', '1970-01-01', '2026-10-01T24:00Z', '1e3'])
    expect(() => start(value), value).toThrow('SANDBOX_START must be a date')
})

it('all bad settings are named at once', () => {
  expect(() => readConfig({ RATE_LIMIT: 'x', CURRENCY: 'x' })).toThrow(/CURRENCY must[^\n]*\nRATE_LIMIT must/)
})

it.each([
  ['DATABASE_URL', ' postgres://ann:hushhush@db/marquee'],
  ['DATABASE_URL', 'mysql://ann:hushhush@db/marquee'],
  ['DATABASE_URL', 'postgres://ann:hush#hushhush@db/marquee'],
  ['DATABASE_URL', 'postgres://ann:hush/hushhush@db/marquee'],
  ['DATABASE_URL', 'postgres://ann:hushhush@db:99999/marquee'],
  ['CAPS_URL', 'http://:hushhush@caps'],
  ['SMTP_URL', 'ann:hushhush@mail.example'],
  ['SMTP_URL', 'smtp://ann:hush#hushhush@mail.example'],
  ['AWS_ENDPOINT_URL_S3', 'ftp://ann:hushhush@store'],
  ['EXPORT_URL', 's3://key:hushhush@Bucket/prefix'],
  ['CREATIVES_URL', 'https://key:hushhush@bucket.example'],
  ['METRICS_TOKEN', 'hushhush hushhush'],
  ['PUBLIC_URL', 'https://ann:hushhush@ads.example'],
])('a %s that cannot be read is refused without repeating its secret', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must`))
  expect(() => readConfig({ [name]: value })).not.toThrow(/hushhush/)
})

/** Values that are wrong for every setting with a check, in ways that people get them wrong. */
const WITH_SECRET = [
  'hushhush',
  'two hushhush',
  'ftp://key:hushhush@host/path',
  's3://key:hushhush@Bucket/prefix',
  's3:/key:hushhush@bucket/prefix',
  'https://key:hushhush@bucket.example/?x=1',
  'postgres://ann:hushhush@db:99999/marquee',
  `${'hushhush'.repeat(700)} x`,
]

it.each(Object.keys(SETTINGS).filter(name => !SETTINGS[name as keyof typeof SETTINGS].isPlain))(
  '%s may hold a secret, so a wrong value is never repeated',
  name => {
    for (const value of WITH_SECRET) {
      let said = ''
      try {
        readConfig({ [name]: value })
      } catch (error) {
        said = (error as Error).message
      }
      expect(said).not.toMatch(/hush/)
    }
  },
)

it('the settings whose wrong values are repeated are numbers, names and times, never URLs with a password, or tokens', () => {
  const plain = Object.entries(SETTINGS).filter(([, setting]) => 'isPlain' in setting)
  const names = plain.map(([name]) => name)
  expect(names.filter(name => /URL|TOKEN|KEY|SECRET|PASSWORD|ENDPOINT/.test(name))).toEqual([])
  expect(() => readConfig({ PORT: '80a' })).toThrow('PORT must be an integer from 0 to 65535, but is "80a"')
})

it.each(['300.1.1.1', '10.0.0.0/99', 'our-proxy', 'loopback, x'])('TRUST_PROXY=%s is refused', value => {
  expect(() => readConfig({ TRUST_PROXY: value })).toThrow(/^TRUST_PROXY must be a list of addresses/)
})

it('the refusal of a password with special characters says how to write it', () => {
  expect(() => readConfig({ DATABASE_URL: 'postgres://ann:a/b@db/marquee' })).toThrow('/ is written as %2F')
  for (const url of ['postgres://ann:a%2Fb@db/marquee', 'postgresql://ann@/marquee?host=/run/postgresql'])
    expect(readConfig({ DATABASE_URL: url }).DATABASE_URL).toBe(url)
})

it('a database with several hosts is refused, and a comma in a password is no second host', () => {
  for (const url of [
    'postgres://ann:hushhush@db1,db2/marquee',
    'postgres://ann@db1:5432,db2:5432/marquee?target_session_attrs=read-write',
    'postgres://db1,db2/marquee',
    'postgres:///marquee?user=ann&host=db1,db2',
  ])
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(
      /^DATABASE_URL must name one host, such as [^:]*$/,
    )
  const one = 'postgres://ann:a,b@db/marquee?application_name=a,b'
  expect(readConfig({ DATABASE_URL: one }).DATABASE_URL).toBe(one)
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  const secrets = Object.entries(SETTINGS).flatMap(([name, setting]) => (setting.isSecret ? [name] : []))

  it('is every setting that holds a password, a token or a key', () => {
    const named = Object.keys(SETTINGS).filter(name =>
      /^(AWS_(?!REGION)|OTEL_EXPORTER|DATABASE_URL|.*TOKEN)/.test(name),
    )
    expect(secrets.toSorted()).toEqual(['CAPS_URL', 'SMTP_URL', ...named].toSorted())
  })

  it.each(secrets)('%s_FILE is read as the setting itself would be, without its last line break', name => {
    const values: Record<string, string> = {
      DATABASE_URL: 'postgres://ann:secret@db/marquee',
      CAPS_URL: 'redis://:secret@caps',
      SMTP_URL: 'smtp://ann:secret@mail.example',
      AWS_ENDPOINT_URL_S3: 'https://store.example/',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a-long-secret',
    }
    const value = values[name] ?? 'a-long-secret'
    const path = file(name, `${value}\n`)
    const read = (env: Record<string, string>) => readConfig(env)[name as keyof typeof SETTINGS]
    expect(read({ [`${name}_FILE`]: path, [name]: '' })).toEqual(read({ [name]: value }))
    expect(read({ [name]: value })).not.toBeNull()
  })

  it('counts for settings that depend on it', () => {
    const DATABASE_URL_FILE = file('database', 'postgres://ann@db/marquee')
    expect(readConfig({ DATABASE_URL_FILE, ROLES: 'api' })).toMatchObject({ ROLES: ['api'], DRAIN: 2 })
  })

  it.each([
    ['that does not exist', { DATABASE_URL_FILE: join(folder, 'hushhush') }, 'ENOENT'],
    ['that is a folder', { DATABASE_URL_FILE: folder }, 'EISDIR'],
    ['that is the secret itself', { METRICS_TOKEN_FILE: 'hushhush' }, 'ENOENT'],
    ['that is empty', { METRICS_TOKEN_FILE: file('empty', '\n') }, 'not empty'],
    ['that is too large', { METRICS_TOKEN_FILE: file('large', 'x'.repeat(65_537)) }, 'at most'],
    ['beside its setting', { METRICS_TOKEN: 'hushhush', METRICS_TOKEN_FILE: 'x' }, 'where METRICS_TOKEN is'],
  ])('%s is refused once, by name and without repeating anything', (_which, env, why) => {
    const name = Object.keys(env).at(-1)!
    expect(() => readConfig(env)).toThrow(new RegExp(`^${name} must [^\n]*${why}[^\n]*$`))
    expect(() => readConfig(env)).not.toThrow(/hush/)
  })

  it('with a wrong value is refused by the name of the setting', () => {
    const DATABASE_URL_FILE = file('wrong', 'mysql://ann:hushhush@db/marquee')
    expect(() => readConfig({ DATABASE_URL_FILE })).toThrow(/^DATABASE_URL must be a URL/)
    expect(() => readConfig({ DATABASE_URL_FILE })).not.toThrow(/hush/)
  })
})

it('a bad port is named once, as PORT', () => {
  expect(() => readConfig({ PORT: '1,000' })).toThrow(/^PORT must[^\n]*$/)
})
