// Numbers in the documents are those of the program: limits, retentions and times. Whether the program keeps to them is
// tested where it does.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/kernel/time/units.ts'
import { SETTINGS } from '../src/platform/config.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const shown = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 6 })
const UNITS = { SECOND_MS: 1000, MINUTE_MS, HOUR_MS, DAY_MS }
/** Small numbers that sentences may say in letters. */
const LETTERS: Record<number, string> = {
  1: 'one',
  2: 'two',
  3: 'three',
  4: 'four',
  5: 'five',
  6: 'six',
  7: 'seven',
  8: 'eight',
  10: 'ten',
  16: 'sixteen',
  20: 'twenty',
  100: 'hundred',
}

/** The default of a setting, without its unit: `400d` is 400. */
function setting(name: keyof typeof SETTINGS): number {
  return Number.parseInt(SETTINGS[name].shown, 10)
}

/** The number that a constant of this file is, or the one of a field of it. */
function constant(file: string, name: string, field?: string): number {
  const value = new RegExp(`const ${name}(?:: \\w+)? = (.*)`).exec(read(file))?.[1]
  const text = field ? new RegExp(`\\b${field}: ([\\d_]+)`).exec(value ?? '')?.[1] : value
  const product = text ? constantOf(text) : Number.NaN
  if (!Number.isFinite(product)) throw new Error(`${file} has no number ${name} ${field ?? ''}`)
  return product
}

/** One factor: `86_400`, `HOUR_MS`, `2 ** 20`. */
function numberOf(factor: string): number {
  const [base, power = '1'] = factor.split('**').map(part => part.trim().replaceAll('_', ''))
  const unit = Object.entries(UNITS).find(([name]) => name.replaceAll('_', '') === base)?.[1]
  return (unit ?? Number(base || Number.NaN)) ** Number(power)
}

/** The numbers of a constant that is a list. */
function numbers(file: string, name: string): number[] {
  const list = new RegExp(`const ${name} = \\[([^\\]]*)\\]`).exec(read(file))?.[1]
  const found = list?.split(',').flatMap(item => (item.trim() ? [constantOf(item)] : [])) ?? []
  if (found.length === 0) throw new Error(`${file} has no list ${name}`)
  return found
}

function constantOf(text: string): number {
  return text.split(/(?<!\*)\*(?!\*)/).reduce((sum, factor) => sum * numberOf(factor), 1)
}

/** How often there may be something at once: of a customer, of an app, in all. */
function atOnce(file: string, name: string): number[] {
  return ['perCustomer', 'perApp', 'total'].map(field => constant(file, name, field))
}

const S = setting
const N = (file: string, name: string, unit = 1) => constant(file, name) / unit

/** Long lists that continue at once: of a customer, of an app, in all. */
const LONG_READS = ['perCustomer', 'perApp', 'atOnce'].map(of =>
  constant('src/http/fair-pools.ts', 'LONG_READS', of),
)

/** Of a body of JSON: values and objects, as usual and where there may be many. */
const VALUES = ['USUAL', 'MANY'].flatMap(bounds =>
  ['values', 'objects'].map(field => constant('src/kernel/json-bounds.ts', bounds, field)),
)

/** A word of the row or paragraph that makes the claim, and the numbers that are in it. */
type Claim = [word: string, ...numbers: number[]]

const LIMITS: Claim[] = [
  ['`RATE_LIMIT`', S('RATE_LIMIT'), S('RATE_BURST')],
  ['`CALLS_AT_ONCE`', S('CALLS_AT_ONCE'), S('CALLS_AT_ONCE') + 1],
  ['`CALL_TIMEOUT`', S('CALL_TIMEOUT')],
  [
    '`POST /ad`',
    N('src/manage/banners/contract.ts', 'MAX_UPLOAD_BYTES', 2 ** 20),
    N('src/deliver/decide/body.ts', 'MOST_AD_BYTES'),
  ],
  ['values and objects', ...VALUES],
  [
    '`POST /bulk`',
    N('src/manage/bulk/contract.ts', 'MAX_OPERATIONS'),
    N('src/manage/orders/contract.ts', 'MOST_AT_ONCE'),
    N('src/manage/bulk/contract.ts', 'MOST_ANSWERED', 1_000_000),
  ],
  ['`JOB_OBJECTS`', N('src/manage/orders/contract.ts', 'MOST_AT_ONCE'), S('JOB_OBJECTS')],
  ['jobs of one customer', N('src/manage/jobs/jobs.ts', 'MOST_OPEN')],
  [
    'jobs are kept',
    N('src/manage/jobs/jobs.ts', 'KEEP_MS', DAY_MS),
    N('src/manage/jobs/jobs.ts', 'KEEP_EACH'),
  ],
  ['(`limit`)', N('src/http/list.ts', 'WHOLE_ROWS'), N('src/http/list.ts', 'WHOLE_CHARACTERS', 1_000_000)],
  [
    'time series',
    N('src/report/figures/contract.ts', 'MAX_BUCKETS'),
    N('src/report/figures/contract.ts', 'MAX_BREAKDOWN'),
  ],
  ['rows of `GET /report`', N('src/report/resellers/contract.ts', 'MAX_ROWS')],
  ['`metadata`', N('src/http/schema.ts', 'MAX_METADATA')],
  ['`geos`', N('src/manage/orders/orders.ts', 'MAX_NAME'), N('src/manage/personas/contract.ts', 'MAX_GEOS')],
  [
    '`dailySpend`',
    N('src/manage/campaigns/contract.ts', 'MIN_AMOUNT'),
    N('src/kernel/money.ts', 'MAX_UNITS'),
    N('src/manage/campaigns/price.ts', 'MAX_CPM'),
    N('src/manage/campaigns/price.ts', 'MAX_CPC'),
  ],
  [
    '`too_many_notes`',
    N('src/manage/notes/contract.ts', 'MAX_NOTES'),
    N('src/manage/notes/contract.ts', 'MAX_TEXT'),
  ],
  [
    '`too_many_saved_views`',
    N('src/report/saved-views/contract.ts', 'MAX_SAVED_VIEWS'),
    N('src/report/saved-views/contract.ts', 'MAX_READERS'),
  ],
  [
    'flights of a campaign',
    N('src/manage/campaigns/flights/flights.ts', 'MAX_FLIGHTS'),
    N('src/identity/passkeys/passkeys.ts', 'MAX_PASSKEYS'),
  ],
  [
    'members of a customer',
    N('src/manage/customers/members/contract.ts', 'MAX_MEMBERS'),
    N('src/identity/staff/contract.ts', 'MAX_STAFF'),
  ],
  [
    'sources of a deployment',
    N('src/notify/webhooks/contract.ts', 'MAX_WEBHOOKS'),
    N('src/identity/super-pairs.ts', 'MAX_SUPER_PAIRS'),
    N('src/manage/sources/contract.ts', 'MAX_SOURCES'),
  ],
  ['emails to one customer', N('src/notify/mails/sender.ts', 'MAILS_PER_DAY')],
  [
    '`value_quota`',
    N('src/count/conversions/contract.ts', 'MAX_VALUE'),
    N('src/count/conversions/limits.ts', 'MOST_VALUE_MICROS', 1_000_000),
    N('src/count/conversions/limits.ts', 'AROUND_MS', DAY_MS),
  ],
  [
    '`VISITOR_SHARE`',
    N('src/count/tracking/visitor-limits.ts', 'LEAST_IMPRESSIONS'),
    N('src/count/tracking/visitor-limits.ts', 'LEAST_CLICKS'),
  ],
  [
    'time to show an ad',
    N('src/count/tracking/visitor-limits.ts', 'UNSEEN_MS', MINUTE_MS),
    N('src/deliver/tags/route.ts', 'SERVER_TTL_MS', MINUTE_MS),
  ],
  ['`ACTION_NAMES`', S('ACTION_NAMES'), S('ACTION_NEW_NAMES')],
  [
    '`VISITOR_ACTIONS`',
    N('src/count/conversions/limits.ts', 'NAMES_PER_CLICK'),
    S('VISITOR_ACTIONS'),
    S('PIXEL_VALUE'),
  ],
  ['idempotency key', N('src/http/idempotency-queries.ts', 'LIFE_HOURS')],
  [
    'bid request',
    N('src/deliver/openrtb/site-route.ts', 'MOST_PLACES'),
    N('src/deliver/openrtb/parse.ts', 'MOST_IMPS'),
  ],
  ['streams of live', ...atOnce('src/report/figures/live.ts', 'LIMITS')],
  ['uploads of images', ...atOnce('src/manage/banners/uploads.ts', 'UPLOADS_AT_ONCE')],
  ['exports of events', ...atOnce('src/report/figures/routes.ts', 'EXPORTS_AT_ONCE')],
  [
    '`GET /report` at once',
    ...['perApp', 'total'].map(of => constant('src/report/resellers/routes.ts', 'AT_ONCE', of)),
  ],
  ['complete lists of', ...atOnce('src/http/api.ts', 'LISTS_AT_ONCE')],
  ['only one list of a customer', ...LONG_READS],
  [
    'places of its personas',
    N('src/manage/orders/large.ts', 'PLACES_AN_OBJECT'),
    N('src/manage/orders/queries.ts', 'BYTES_AN_OBJECT'),
  ],
  [
    'bytes in',
    constant('src/http/slow-readers.ts', 'LEAST', 'bytes'),
    constant('src/http/slow-readers.ts', 'LEAST', 'withinMs') / 1000,
  ],
  [
    '`too_many_at_once`',
    N('src/http/fair-pools.ts', 'WAITING_EACH'),
    N('src/http/fair-pools.ts', 'WAIT_MS', 1000),
  ],
  ['in steps of', N('src/http/list.ts', 'STEP'), N('src/http/list.ts', 'HEAVY_STEP')],
  ['`CAMPAIGN_QUOTA`', S('CAMPAIGN_QUOTA')],
  ['`PERSONA_QUOTA`', S('PERSONA_QUOTA'), S('PERSONAS_PER_CAMPAIGN')],
  ['`BANNER_QUOTA`', S('BANNER_QUOTA')],
  ['`UPLOAD_FILES`', S('UPLOAD_FILES'), S('UPLOAD_QUOTA')],
  ['`IDEMPOTENCY_ANSWERS`', S('IDEMPOTENCY_ANSWERS'), S('IDEMPOTENCY_MB')],
  ['`AUDIT_RETENTION`', S('AUDIT_RETENTION'), N('src/changes/history.ts', 'MOST_PER_OBJECT')],
]

const ABUSE: Claim[] = [
  [
    'attempts at one passcode',
    N('src/identity/passcodes.ts', 'MAX_TRIES'),
    N('src/identity/passcodes.ts', 'PASSCODE_MINUTES'),
  ],
  ['`RATE_LIMIT`', S('RATE_LIMIT'), S('RATE_BURST')],
  ['`FAILURE_LIMIT`', S('FAILURE_LIMIT'), N('src/identity/failures.ts', 'PERIOD_S', 60)],
  ['`SIGN_IN_LIMIT`', S('SIGN_IN_LIMIT'), N('src/console/attempts.ts', 'TEN_MINUTES_S', 60)],
  ['requested by an app', S('PASSCODE_LIMIT')],
  ['for one customer by one address', S('PASSCODE_LIMIT')],
  [
    'the first of each network',
    S('PASSCODE_LIMIT') * N('src/identity/passcodes.ts', 'NETWORKS_FACTOR'),
    S('PASSCODE_LIMIT') * N('src/identity/passcodes.ts', 'CONSOLE_FACTOR'),
  ],
  ['a browser that has signed in', S('PASSCODE_LIMIT')],
  ['by one address, for anyone', N('src/console/attempts.ts', 'PASSCODES_BY_ADDRESS')],
  ['challenge of a passkey', N('src/identity/passkeys/passkeys.ts', 'CHALLENGE_MINUTES')],
  ['the /56 around it', ...numbers('src/platform/network.ts', 'RANGE_ALLOWANCES').slice(1)],
  ['many addresses, so every limit', ...numbers('src/platform/network.ts', 'RANGE_ALLOWANCES').slice(1)],
  ['behind one address', S('VISITOR_OPEN_ADS'), S('VISITOR_IMPRESSIONS')],
  ['`VISITOR_SHARE`', N('src/count/tracking/visitor-limits.ts', 'LEAST_IMPRESSIONS')],
  ['a body that is too large', N('src/http/lane/discard.ts', 'MOST_BYTES', 2 ** 20)],
  ['a request that trickles', N('src/http/server.ts', 'REQUEST_TIMEOUT_MS', 1000)],
  ['decompresses to a large one', N('src/deliver/decide/body.ts', 'MOST_AD_BYTES')],
  [
    'images of very many frames',
    constant('src/manage/banners/creative/walk.ts', 'WALK_LIMITS', 'maxFrames') + 1,
    constant('src/manage/banners/creative/walk.ts', 'WALK_LIMITS', 'maxBlocks') + 1,
  ],
  [
    'crash the decoder',
    N('src/service/images.ts', 'AT_ONCE'),
    N('src/service/image-child.ts', 'MOST_MEMORY_BYTES', 1_000_000),
    N('src/service/image-child.ts', 'MOST_PROCESSOR_MS', 1000),
  ],
  [
    'very many images',
    N('src/platform/images/queue.ts', 'MOST_WAITING_EACH'),
    N('src/platform/images/queue.ts', 'MOST_WAITING'),
  ],
  ['`JOB_OBJECTS`', N('src/manage/orders/contract.ts', 'MOST_AT_ONCE'), S('JOB_OBJECTS')],
  ['changes without end', N('src/changes/history.ts', 'MOST_PER_OBJECT')],
  ['`CALLS_AT_ONCE`', S('CALLS_AT_ONCE'), S('CALLS_AT_ONCE') + 1],
  [
    'long lists, pages and searches',
    N('src/http/list.ts', 'STEP'),
    N('src/http/list.ts', 'HEAVY_STEP'),
    ...LONG_READS,
  ],
  [
    'answers that are not read',
    constant('src/http/slow-readers.ts', 'LEAST', 'bytes'),
    constant('src/http/slow-readers.ts', 'LEAST', 'withinMs') / 1000,
  ],
  ['`mqknown`', N('src/console/known-browser.ts', 'LIFE_DAYS')],
  ['nested', N('src/kernel/json-bounds.ts', 'MOST_NESTING')],
  [
    'fields',
    N('src/kernel/json-bounds.ts', 'MOST_FIELDS'),
    N('src/kernel/json-bounds.ts', 'MOST_FIELDS_IN_ALL'),
    N('src/http/validate.ts', 'MAX_ERRORS'),
  ],
  ['very many values', ...VALUES],
  ['many connections', N('src/http/one-at-a-time.ts', 'MOST_NAMES')],
  ['large body without', N('src/http/errors.ts', 'STRANGER_BODY_BYTES')],
  [
    'child',
    N('src/platform/images/children.ts', 'LONGEST_MS', 1000),
    N('src/platform/images/children.ts', 'IDLE_MS', 1000),
  ],
  ['per click', N('src/count/conversions/limits.ts', 'NAMES_PER_CLICK')],
]

/** 5 s, 30 min, 2 h: the number in the largest of these units. */
function inItsUnit(ms: number): number {
  return ms / (ms < MINUTE_MS ? 1000 : ms < HOUR_MS ? MINUTE_MS : HOUR_MS)
}

const CLAIMS: Record<string, Claim[]> = {
  'docs/limits.md': LIMITS,
  'docs/abuse.md': ABUSE,
  'docs/access.md': [
    ['works once, within', N('src/manage/customers/members/contract.ts', 'INVITATION_DAYS')],
    [
      'sends another invitation',
      N('src/manage/customers/members/members.ts', 'INVITATIONS_TO_ONE'),
      N('src/manage/customers/members/members.ts', 'INVITATIONS_BY_CUSTOMER'),
    ],
    ['sign in and contains no secret', N('src/identity/staff/routes.ts', 'INVITATIONS_TO_ONE')],
    ['a proposal expires', N('src/manage/proposals/proposals.ts', 'EXPIRES_MS', DAY_MS)],
    ['undecided proposals', N('src/manage/proposals/proposals.ts', 'MOST_PENDING')],
    ['a challenge can be used once', N('src/identity/passkeys/passkeys.ts', 'CHALLENGE_MINUTES')],
    ['`customer.budget_raised`', N('src/changes/outbox.ts', 'RAISED_FACTOR')],
  ],
  'docs/billing.md': [
    [
      'which ad wins',
      N('src/deliver/click-rates/rates.ts', 'PRIOR_IMPS'),
      N('src/deliver/click-rates/click-rates.ts', 'KEPT_MS', DAY_MS),
      N('src/deliver/click-rates/rates.ts', 'LOWEST_RATE'),
      N('src/deliver/click-rates/rates.ts', 'HIGHEST_RATE'),
      N('src/deliver/click-rates/rates.ts', 'DEFAULT_RATE'),
    ],
  ],
  'docs/budgets.md': [
    ['`cut_off`', N('src/budget/shares/share.ts', 'VALID_MS', 1000)],
    ['the database is down', N('src/budget/shares/share.ts', 'VALID_MS', 1000)],
    ['does not come back', N('src/budget/shares/node-share.ts', 'ALONE_IMPRESSIONS')],
    ['what is not sold within', N('src/budget/shares/node-share.ts', 'IDLE_MS', 1000)],
  ],
  'docs/privacy.md': [
    [
      'a sample of ad requests',
      constant('src/deliver/sample/sample.ts', 'MOST_KEPT', 'real'),
      N('src/deliver/sample/traffic.ts', 'KEPT_HOURS', 24),
    ],
    ['were emailed to a customer', N('src/notify/mails/sender.ts', 'KEEP_MS', DAY_MS)],
    ['user hash', N('src/service/background.ts', 'KEEP_SHARES_MS', DAY_MS)],
    ['webhook', N('src/notify/webhooks/deliveries.ts', 'KEPT_MS', DAY_MS)],
    [
      'in steps of',
      N('src/count/conversions/retention.ts', 'STEP'),
      N('src/count/conversions/retention.ts', 'STEP') * N('src/count/conversions/retention.ts', 'MOST_STEPS'),
    ],
    ['`AUDIT_RETENTION`'],
  ],
  'docs/conversions.md': [
    ['`CLICK_WINDOW`', S('CLICK_WINDOW')],
    ['`too_many_names`', N('src/count/conversions/limits.ts', 'NAMES_PER_CLICK')],
    ['`VISITOR_ACTIONS`', S('VISITOR_ACTIONS')],
    ['`PIXEL_VALUE`', S('PIXEL_VALUE')],
  ],
  'docs/counting.md': [
    ['one part of `fresh`', constant('src/count/fold/fold.ts', 'DUE', 'atRows')],
    ['a backlog', N('src/count/fold/fold.ts', 'MOST_ROWS')],
    ['the database is slow', N('src/count/fold/fold.ts', 'FOLD_LIMIT_MS', 1000)],
    [
      'one process packs at a time',
      N('src/count/pack/pack.ts', 'IDS'),
      N('src/count/pack/packing.ts', 'WALK_EVERY_MS', HOUR_MS),
    ],
  ],
  'docs/creative-guidelines.md': [
    [
      'frames per second',
      N('src/manage/banners/limits.ts', 'MAX_ANIMATION_MS', 1000),
      N('src/manage/banners/limits.ts', 'MAX_FRAMES_PER_SECOND'),
    ],
    ['pixels over all frames', constant('src/manage/banners/creative/walk.ts', 'WALK_LIMITS', 'maxFrames')],
  ],
  'docs/deletion.md': [['`RESTORE_WITHIN`', S('RESTORE_WITHIN')]],
  'docs/exchanges.md': [
    [
      'lifetime of a bid',
      constant('src/deliver/openrtb/imp.ts', 'EXPIRY_S', 'web'),
      constant('src/deliver/openrtb/imp.ts', 'EXPIRY_S', 'app') / 60,
      constant('src/deliver/openrtb/imp.ts', 'EXPIRY_S', 'interstitial') / 60,
    ],
    ['of the last day (`hours`', N('src/deliver/sample/traffic.ts', 'KEPT_HOURS', 24)],
  ],
  'docs/publishers.md': [
    ['`overlap` seconds', N('src/manage/sources/contract.ts', 'MAX_OVERLAP_S', 86_400)],
    [
      'marquee.txt',
      N('src/manage/sources/site-files.ts', 'MOST_BYTES', 1000),
      N('src/manage/sources/site-files.ts', 'TIMEOUT_MS', 1000),
    ],
  ],
  'docs/testing.md': [
    ['`--demo`', N('src/cli/sandbox-serving.ts', 'DEMO_DAYS')],
    ['`GET /sandbox/traffic`', N('src/sandbox/routes.ts', 'PATIENCE_MS', 1000)],
    ['`POST /sandbox/clock`', Math.floor(N('src/sandbox/contract.ts', 'MOST_MOVE_S') / (366 * 86_400))],
  ],
  'docs/operating.md': [
    ['traffic is a sample', N('src/deliver/process/open.ts', 'TRAFFIC_MS', 1000)],
    [
      'session ends',
      N('src/identity/sessions/sessions.ts', 'IDLE_MS', HOUR_MS),
      N('src/identity/sessions/sessions.ts', 'LIFE_MS', DAY_MS),
    ],
    ['app rotate', N('src/identity/credentials.ts', 'CACHE_MS', 1000)],
    ['`CAPS_URL` if set', N('src/budget/shares/share.ts', 'VALID_MS', 1000)],
  ],
  'docs/postgresql.md': [
    ['asks for its shares', N('src/budget/shares/share.ts', 'MOST_ASKS')],
    [
      'a statement |',
      N('src/platform/database.ts', 'STATEMENT_MS', 1000),
      N('src/service/event-writer.ts', 'INGEST_STATEMENT_MS', 1000),
      N('src/deliver/process/join.ts', 'SHARE_STATEMENT_MS', 1000),
      N('src/service/databases.ts', 'CONTROL_STATEMENT_MS', 1000),
    ],
    [
      'opening a connection',
      N('src/platform/database.ts', 'CONNECT_MS', 1000),
      N('src/service/event-writer.ts', 'INGEST_STATEMENT_MS', 1000),
      N('src/deliver/process/join.ts', 'SHARE_STATEMENT_MS', 1000),
    ],
    [
      'an idle transaction',
      2 * N('src/service/event-writer.ts', 'INGEST_STATEMENT_MS', 1000),
      2 * N('src/deliver/process/join.ts', 'SHARE_STATEMENT_MS', 1000),
    ],
    ['no answer after the statement', N('src/platform/database.ts', 'SLACK_MS', 1000)],
    ['keepalive starts after', N('src/platform/database.ts', 'KEEP_ALIVE_MS', 1000)],
    ['`ROLLUP_RETENTION`', S('ROLLUP_RETENTION')],
    ['`EVENT_RETENTION`', S('EVENT_RETENTION')],
  ],
  'docs/sso.md': [['once', N('src/identity/tickets.ts', 'TICKET_SECONDS')]],
  'docs/sync.md': [['characters', N('src/manage/banners/source.ts', 'MAX_NAME_LENGTH')]],
  'docs/webhooks.md': [
    ['/delivery`', N('src/notify/webhooks/deliveries.ts', 'KEPT_MS', DAY_MS)],
    ['may have up to', N('src/notify/webhooks/contract.ts', 'MAX_WEBHOOKS')],
    [
      'any 2xx response',
      N('src/notify/webhooks/sender.ts', 'TIMEOUT_MS', 1000),
      ...numbers('src/notify/webhooks/sender.ts', 'RETRY_AFTER_MS').map(inItsUnit),
    ],
    ['deliveries at once', N('src/notify/webhooks/sender.ts', 'AT_ONCE_A_WEBHOOK')],
    ['/secret`', N('src/notify/webhooks/webhooks.ts', 'OLD_SECRET_MS', HOUR_MS)],
  ],
}

/** Rows of tables, entries of lists, paragraphs. */
function pieces(text: string): string[] {
  return text.split(/\n\n|\n(?=[|-])/).map(piece => piece.replaceAll(/\s+/g, ' '))
}

/** Not a part of a larger number. */
function names(piece: string, number: number): boolean {
  if (number in LETTERS && new RegExp(`\\b${LETTERS[number]}\\b`, 'i').test(piece)) return true
  return new RegExp(`(?<![\\d,.])${shown(number)}(?![\\d]|,\\d)`).test(piece)
}

it.each(Object.entries(CLAIMS))('%s names the limits that the program has', (document, claims) => {
  const all = pieces(read(document))
  const wrong = claims.filter(([word, ...numbers]) => {
    return !all.some(
      piece => piece.toLowerCase().includes(word.toLowerCase()) && numbers.every(n => names(piece, n)),
    )
  })
  expect(wrong).toEqual([])
})

it('no page has the same heading twice', () => {
  for (const document of Object.keys(CLAIMS)) {
    const headings = read(document).match(/^#+ .*$/gm) ?? []
    expect(headings, document).toEqual([...new Set(headings)])
  }
})

it('what ads per second need of WAL and disk is computed from what an ad writes, and no row is cheaper than measured', () => {
  const rows = [
    ...read('docs/operating.md').matchAll(
      /^\| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) GB \| ([\d.]+) GB \|$/gm,
    ),
  ].map(([, ...cells]) => cells.map(cell => Number(cell!.replaceAll(',', ''))))
  expect(rows.map(([ads]) => ads)).toEqual([10, 100, 300, 1000])
  const bytesOfEvent = Number(
    /## Size.* × `EVENT_RETENTION` × (\d+) bytes/s.exec(read('docs/postgresql.md'))![1],
  )
  for (const [ads, millions, service, database, wal, disk] of rows as number[][]) {
    const events = ads! * 86_400
    expect(millions).toBeCloseTo(events / 1e6, 0)
    expect(disk).toBeCloseTo((events * bytesOfEvent) / 1e9, 0)
    // The least that the bench has measured, at the highest rate.
    expect(wal! * 1e9).toBeGreaterThan(events * 1_100)
    expect((service! + database!) / ads!).toBeGreaterThan(0.000_69)
  }
})
