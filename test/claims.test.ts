// Numbers in the documents are those of the program: limits, retentions and times. Whether the program keeps to them is
// tested where it does.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SETTINGS } from '../src/platform/config.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const shown = (value: number) => value.toLocaleString('en-US')
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** The default of a setting, without its unit: `400d` is 400. */
function setting(name: keyof typeof SETTINGS): number {
  return Number.parseInt(SETTINGS[name].shown, 10)
}

/** The number that a constant of this file is, or the one of a field of it. */
function constant(file: string, name: string, field?: string): number {
  const value = new RegExp(`const ${name}(?:: \\w+)? = (.*)`).exec(read(file))?.[1]
  const text = field ? new RegExp(`\\b${field}: ([\\d_]+)`).exec(value ?? '')?.[1] : value
  const factors = text?.replace('HOUR_MS', String(HOUR_MS)).replace('DAY_MS', String(DAY_MS)).split('*') ?? []
  const product = factors.reduce((sum, factor) => sum * Number(factor.replaceAll('_', '')), 1)
  if (!text || !Number.isFinite(product)) throw new Error(`${file} has no number ${name} ${field ?? ''}`)
  return product
}

/** How often there may be something at once: of a customer, of an app, in all. */
function atOnce(file: string, name: string): number[] {
  return ['perCustomer', 'perApp', 'total'].map(field => constant(file, name, field))
}

const S = setting
const N = (file: string, name: string, unit = 1) => constant(file, name) / unit

/** A word of the row or paragraph that makes the claim, and the numbers that are in it. */
type Claim = [word: string, ...numbers: number[]]

const LIMITS: Claim[] = [
  ['`RATE_LIMIT`', S('RATE_LIMIT'), S('RATE_BURST')],
  ['`CALLS_AT_ONCE`', S('CALLS_AT_ONCE'), S('CALLS_AT_ONCE') + 1],
  ['`CALL_TIMEOUT`', S('CALL_TIMEOUT')],
  [
    '`POST /ad`',
    N('src/banners/contract.ts', 'MAX_UPLOAD_BYTES', 2 ** 20),
    N('src/delivery/body.ts', 'MOST_AD_BYTES'),
  ],
  [
    '`POST /bulk`',
    N('src/bulk/contract.ts', 'MAX_OPERATIONS'),
    N('src/orders/contract.ts', 'MOST_AT_ONCE'),
    N('src/bulk/contract.ts', 'MOST_ANSWERED', 1_000_000),
  ],
  ['`JOB_OBJECTS`', N('src/orders/contract.ts', 'MOST_AT_ONCE'), S('JOB_OBJECTS')],
  ['jobs of one customer', N('src/jobs/jobs.ts', 'MOST_OPEN')],
  ['jobs are kept', N('src/jobs/jobs.ts', 'KEEP_MS', DAY_MS), N('src/jobs/jobs.ts', 'KEEP_EACH')],
  ['(`limit`)', N('src/http/list.ts', 'WHOLE_ROWS'), N('src/http/list.ts', 'WHOLE_CHARACTERS', 1_000_000)],
  ['time series', N('src/stats/contract.ts', 'MAX_BUCKETS')],
  ['rows of `GET /report`', N('src/reports/contract.ts', 'MAX_ROWS')],
  ['`metadata`', N('src/http/schema.ts', 'MAX_METADATA')],
  ['`geos`', N('src/personas/contract.ts', 'MAX_GEOS')],
  ['`dailySpend`', N('src/kernel/money.ts', 'MAX_UNITS')],
  ['`ACTION_NAMES`', S('ACTION_NAMES'), S('ACTION_NEW_NAMES')],
  ['`VISITOR_ACTIONS`', N('src/conversions/limits.ts', 'NAMES_PER_CLICK'), S('VISITOR_ACTIONS')],
  ['idempotency key', N('src/http/idempotency-queries.ts', 'LIFE_HOURS')],
  [
    'bid request',
    N('src/delivery/openrtb/site-visit.ts', 'MOST_PLACES'),
    N('src/delivery/openrtb/parse.ts', 'MOST_IMPS'),
  ],
  ['streams of live', ...atOnce('src/stats/live.ts', 'LIMITS')],
  ['exports of events', ...atOnce('src/stats/routes.ts', 'EXPORTS_AT_ONCE')],
  ['complete lists of', ...atOnce('src/http/api.ts', 'LISTS_AT_ONCE')],
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
  ['`AUDIT_RETENTION`', S('AUDIT_RETENTION'), N('src/platform/history.ts', 'MOST_PER_OBJECT')],
]

const ABUSE: Claim[] = [
  ['passcode', N('src/access/passcodes.ts', 'MAX_TRIES'), N('src/access/passcodes.ts', 'PASSCODE_MINUTES')],
  ['`mqknown`', N('src/console/known-browser.ts', 'LIFE_DAYS')],
  ['nested', N('src/kernel/json-bounds.ts', 'MOST_NESTING')],
  [
    'fields',
    N('src/kernel/json-bounds.ts', 'MOST_FIELDS'),
    N('src/kernel/json-bounds.ts', 'MOST_FIELDS_IN_ALL'),
    N('src/http/validate.ts', 'MAX_ERRORS'),
  ],
  [
    'child',
    N('src/platform/images/children.ts', 'LONGEST_MS', 1000),
    N('src/platform/images/children.ts', 'IDLE_MS', 1000),
  ],
  ['per click', N('src/conversions/limits.ts', 'NAMES_PER_CLICK')],
]

const CLAIMS: Record<string, Claim[]> = {
  'docs/limits.md': LIMITS,
  'docs/abuse.md': ABUSE,
  'docs/privacy.md': [
    ['user hash', N('src/service/background.ts', 'KEEP_SHARES_MS', DAY_MS)],
    ['webhook', N('src/webhooks/deliveries.ts', 'KEPT_MS', DAY_MS)],
    [
      'in steps of',
      N('src/conversions/retention.ts', 'STEP'),
      N('src/conversions/retention.ts', 'STEP') * N('src/conversions/retention.ts', 'MOST_STEPS'),
    ],
    ['`AUDIT_RETENTION`'],
  ],
  'docs/conversions.md': [
    ['`CLICK_WINDOW`', S('CLICK_WINDOW')],
    ['`too_many_names`', N('src/conversions/limits.ts', 'NAMES_PER_CLICK')],
    ['`VISITOR_ACTIONS`', S('VISITOR_ACTIONS')],
  ],
  'docs/counting.md': [
    ['one part of `fresh`', constant('src/stats/fold/fold.ts', 'DUE', 'atRows')],
    ['a backlog', N('src/stats/fold/fold.ts', 'MOST_ROWS')],
  ],
  'docs/creative-guidelines.md': [
    [
      'frames per second',
      N('src/banners/limits.ts', 'MAX_ANIMATION_MS', 1000),
      N('src/banners/limits.ts', 'MAX_FRAMES_PER_SECOND'),
    ],
    ['pixels over all frames', constant('src/banners/creative/walk.ts', 'WALK_LIMITS', 'maxFrames')],
  ],
  'docs/deletion.md': [['`RESTORE_WITHIN`', S('RESTORE_WITHIN')]],
  'docs/operating.md': [
    [
      'session ends',
      N('src/console/sessions.ts', 'IDLE_MS', HOUR_MS),
      N('src/console/sessions.ts', 'LIFE_MS', DAY_MS),
    ],
    ['app rotate', N('src/access/credentials.ts', 'CACHE_MS', 1000)],
    ['`CAPS_URL` if set', N('src/shares/share.ts', 'VALID_MS', 1000)],
  ],
  'docs/postgresql.md': [
    ['asks for its shares', N('src/shares/share.ts', 'MOST_ASKS')],
    ['`ROLLUP_RETENTION`', S('ROLLUP_RETENTION')],
    ['`EVENT_RETENTION`', S('EVENT_RETENTION')],
  ],
  'docs/sso.md': [['once', N('src/access/tickets.ts', 'TICKET_SECONDS')]],
  'docs/sync.md': [['characters', N('src/banners/source.ts', 'MAX_NAME_LENGTH')]],
  'docs/webhooks.md': [
    ['/delivery`', N('src/webhooks/deliveries.ts', 'KEPT_MS', DAY_MS)],
    ['/secret`', N('src/webhooks/webhooks.ts', 'OLD_SECRET_MS', HOUR_MS)],
  ],
}

/** Rows of tables, entries of lists, paragraphs. */
function pieces(text: string): string[] {
  return text.split(/\n\n|\n(?=[|-])/).map(piece => piece.replaceAll(/\s+/g, ' '))
}

/** Not a part of a larger number. */
function names(piece: string, number: number): boolean {
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
