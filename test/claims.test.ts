// Numbers in the documents are those of the program: limits, retentions and times. Whether the program keeps to them is
// tested where it does.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as nodeShare from '../src/budget/shares/node-share.ts'
import * as share from '../src/budget/shares/share.ts'
import * as history from '../src/changes/history.ts'
import * as outbox from '../src/changes/outbox.ts'
import * as sandboxServing from '../src/cli/sandbox-serving.ts'
import * as consoleAttempts from '../src/console/attempts.ts'
import * as knownBrowser from '../src/console/known-browser.ts'
import * as conversionsContract from '../src/count/conversions/contract.ts'
import * as conversionsLimits from '../src/count/conversions/limits.ts'
import * as retention from '../src/count/conversions/retention.ts'
import * as fold from '../src/count/fold/fold.ts'
import * as pack from '../src/count/pack/pack.ts'
import * as packing from '../src/count/pack/packing.ts'
import * as visitorLimits from '../src/count/tracking/visitor-limits.ts'
import * as clickRates from '../src/deliver/click-rates/click-rates.ts'
import * as rates from '../src/deliver/click-rates/rates.ts'
import * as body from '../src/deliver/decide/body.ts'
import * as imp from '../src/deliver/openrtb/imp.ts'
import * as parse from '../src/deliver/openrtb/parse.ts'
import * as siteRoute from '../src/deliver/openrtb/site-route.ts'
import * as processJoin from '../src/deliver/process/join.ts'
import * as open from '../src/deliver/process/open.ts'
import * as sample from '../src/deliver/sample/sample.ts'
import * as traffic from '../src/deliver/sample/traffic.ts'
import * as route from '../src/deliver/tags/route.ts'
import * as api from '../src/http/api.ts'
import * as errors from '../src/http/errors.ts'
import * as fairPools from '../src/http/fair-pools.ts'
import * as idempotencyQueries from '../src/http/idempotency-queries.ts'
import * as discard from '../src/http/lane/discard.ts'
import * as httpList from '../src/http/list.ts'
import * as oneAtATime from '../src/http/one-at-a-time.ts'
import * as schema from '../src/http/schema.ts'
import * as server from '../src/http/server.ts'
import * as slowReaders from '../src/http/slow-readers.ts'
import * as validate from '../src/http/validate.ts'
import * as credentials from '../src/identity/credentials.ts'
import * as failures from '../src/identity/failures.ts'
import * as passcodes from '../src/identity/passcodes.ts'
import * as passkeys from '../src/identity/passkeys/passkeys.ts'
import * as sessions from '../src/identity/sessions/sessions.ts'
import * as staffContract from '../src/identity/staff/contract.ts'
import * as staffRoutes from '../src/identity/staff/routes.ts'
import * as superPairs from '../src/identity/super-pairs.ts'
import * as tickets from '../src/identity/tickets.ts'
import * as jsonBounds from '../src/kernel/json-bounds.ts'
import * as money from '../src/kernel/money.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/kernel/time/units.ts'
import * as bannersContract from '../src/manage/banners/contract.ts'
import * as walk from '../src/manage/banners/creative/walk.ts'
import * as bannersLimits from '../src/manage/banners/limits.ts'
import * as source from '../src/manage/banners/source.ts'
import * as uploads from '../src/manage/banners/uploads.ts'
import * as bulkContract from '../src/manage/bulk/contract.ts'
import * as campaignsContract from '../src/manage/campaigns/contract.ts'
import * as flights from '../src/manage/campaigns/flights/flights.ts'
import * as price from '../src/manage/campaigns/price.ts'
import * as membersContract from '../src/manage/customers/members/contract.ts'
import * as members from '../src/manage/customers/members/members.ts'
import * as jobs from '../src/manage/jobs/jobs.ts'
import * as notesContract from '../src/manage/notes/contract.ts'
import * as ordersContract from '../src/manage/orders/contract.ts'
import * as large from '../src/manage/orders/large.ts'
import * as orders from '../src/manage/orders/orders.ts'
import * as ordersQueries from '../src/manage/orders/queries.ts'
import * as personasContract from '../src/manage/personas/contract.ts'
import * as proposals from '../src/manage/proposals/proposals.ts'
import * as sourcesContract from '../src/manage/sources/contract.ts'
import * as siteFiles from '../src/manage/sources/site-files.ts'
import * as sender from '../src/notify/mails/sender.ts'
import * as webhooksContract from '../src/notify/webhooks/contract.ts'
import * as deliveries from '../src/notify/webhooks/deliveries.ts'
import * as webhooksSender from '../src/notify/webhooks/sender.ts'
import * as webhooks from '../src/notify/webhooks/webhooks.ts'
import { SETTINGS } from '../src/platform/config.ts'
import * as database from '../src/platform/database.ts'
import * as child from '../src/platform/images/child.ts'
import * as children from '../src/platform/images/children.ts'
import * as queue from '../src/platform/images/queue.ts'
import * as network from '../src/platform/network.ts'
import * as figuresContract from '../src/report/figures/contract.ts'
import * as live from '../src/report/figures/live.ts'
import * as figuresRoutes from '../src/report/figures/routes.ts'
import * as resellersContract from '../src/report/resellers/contract.ts'
import * as resellersRoutes from '../src/report/resellers/routes.ts'
import * as savedViewsContract from '../src/report/saved-views/contract.ts'
import * as sandboxContract from '../src/sandbox/contract.ts'
import * as sandboxRoutes from '../src/sandbox/routes.ts'
import * as changeTools from '../src/service/agents/change-tools.ts'
import * as plans from '../src/service/agents/plans.ts'
import * as agentTool from '../src/service/agents/tool.ts'
import * as background from '../src/service/background.ts'
import * as databases from '../src/service/databases.ts'
import * as eventWriter from '../src/service/event-writer.ts'
import * as images from '../src/service/images.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const shown = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 6 })
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

/** How often there may be something at once: of a customer, of an app, in all. */
function atOnce({
  perCustomer,
  perApp,
  total,
}: {
  perCustomer: number
  perApp: number
  total: number
}): number[] {
  return [perCustomer, perApp, total]
}

const S = setting

/** Long lists that continue at once: of a customer, of an app, in all. */
const LONG_READS = [
  fairPools.LONG_READS.perCustomer,
  fairPools.LONG_READS.perApp,
  fairPools.LONG_READS.atOnce,
]

/** Of a body of JSON: values and objects, as usual and where there may be many. */
const VALUES = [jsonBounds.USUAL, jsonBounds.MANY].flatMap(({ values, objects }) => [values, objects])

/** A word of the row or paragraph that makes the claim, and the numbers that are in it. */
type Claim = [word: string, ...numbers: number[]]

const LIMITS: Claim[] = [
  ['`RATE_LIMIT`', S('RATE_LIMIT'), S('RATE_BURST')],
  ['`CALLS_AT_ONCE`', S('CALLS_AT_ONCE'), S('CALLS_AT_ONCE') + 1],
  ['plan of an agent', plans.MOST_CHARACTERS, plans.PLAN_LASTS_S / 60, changeTools.MOST_OPERATIONS],
  ['answer of a tool', agentTool.MOST_TOKENS],
  ['`CALL_TIMEOUT`', S('CALL_TIMEOUT')],
  ['`POST /ad`', bannersContract.MAX_UPLOAD_BYTES / 2 ** 20, body.MOST_AD_BYTES],
  ['values and objects', ...VALUES],
  [
    '`POST /bulk`',
    bulkContract.MAX_OPERATIONS,
    ordersContract.MOST_AT_ONCE,
    bulkContract.MOST_ANSWERED / 1_000_000,
  ],
  ['`JOB_OBJECTS`', ordersContract.MOST_AT_ONCE, S('JOB_OBJECTS')],
  ['jobs of one customer', jobs.MOST_OPEN],
  ['jobs are kept', jobs.KEEP_MS / DAY_MS, jobs.KEEP_EACH],
  ['(`limit`)', httpList.WHOLE_ROWS, httpList.WHOLE_CHARACTERS / 1_000_000],
  ['time series', figuresContract.MAX_BUCKETS, figuresContract.MAX_BREAKDOWN],
  ['rows of `GET /report`', resellersContract.MAX_ROWS],
  ['`metadata`', schema.MAX_METADATA],
  ['`geos`', orders.MAX_NAME, personasContract.MAX_GEOS],
  ['`dailySpend`', campaignsContract.MIN_AMOUNT, money.MAX_UNITS, price.MAX_CPM, price.MAX_CPC],
  ['`too_many_notes`', notesContract.MAX_NOTES, notesContract.MAX_TEXT],
  ['`too_many_saved_views`', savedViewsContract.MAX_SAVED_VIEWS, savedViewsContract.MAX_READERS],
  ['flights of a campaign', flights.MAX_FLIGHTS, passkeys.MAX_PASSKEYS],
  ['members of a customer', membersContract.MAX_MEMBERS, staffContract.MAX_STAFF],
  [
    'sources of a deployment',
    webhooksContract.MAX_WEBHOOKS,
    superPairs.MAX_SUPER_PAIRS,
    sourcesContract.MAX_SOURCES,
  ],
  ['emails to one customer', sender.MAILS_PER_DAY],
  [
    '`value_quota`',
    conversionsContract.MAX_VALUE,
    conversionsLimits.MOST_VALUE_MICROS / 1_000_000,
    conversionsLimits.AROUND_MS / DAY_MS,
  ],
  ['`VISITOR_SHARE`', visitorLimits.LEAST_IMPRESSIONS, visitorLimits.LEAST_CLICKS],
  ['time to show an ad', visitorLimits.UNSEEN_MS / MINUTE_MS, route.SERVER_TTL_MS / MINUTE_MS],
  ['`ACTION_NAMES`', S('ACTION_NAMES'), S('ACTION_NEW_NAMES')],
  ['`VISITOR_ACTIONS`', conversionsLimits.NAMES_PER_CLICK, S('VISITOR_ACTIONS'), S('PIXEL_VALUE')],
  ['idempotency key', idempotencyQueries.LIFE_HOURS],
  ['bid request', siteRoute.MOST_PLACES, parse.MOST_IMPS],
  ['streams of live', ...atOnce(live.LIMITS)],
  ['uploads of images', ...atOnce(uploads.UPLOADS_AT_ONCE)],
  ['exports of events', ...atOnce(figuresRoutes.EXPORTS_AT_ONCE)],
  ['`GET /report` at once', resellersRoutes.AT_ONCE.perApp, resellersRoutes.AT_ONCE.total],
  ['complete lists of', ...atOnce(api.LISTS_AT_ONCE)],
  ['only one list of a customer', ...LONG_READS],
  ['places of its personas', large.PLACES_AN_OBJECT, ordersQueries.BYTES_AN_OBJECT],
  ['bytes in', slowReaders.LEAST.bytes, slowReaders.LEAST.withinMs / 1000],
  ['`too_many_at_once`', fairPools.WAITING_EACH, fairPools.WAIT_MS / 1000],
  ['in steps of', httpList.STEP, httpList.HEAVY_STEP],
  ['`CAMPAIGN_QUOTA`', S('CAMPAIGN_QUOTA')],
  ['`PERSONA_QUOTA`', S('PERSONA_QUOTA'), S('PERSONAS_PER_CAMPAIGN')],
  ['`BANNER_QUOTA`', S('BANNER_QUOTA')],
  ['`UPLOAD_FILES`', S('UPLOAD_FILES'), S('UPLOAD_QUOTA')],
  ['`IDEMPOTENCY_ANSWERS`', S('IDEMPOTENCY_ANSWERS'), S('IDEMPOTENCY_MB')],
  ['`AUDIT_RETENTION`', S('AUDIT_RETENTION'), history.MOST_PER_OBJECT],
]

const ABUSE: Claim[] = [
  ['attempts at one passcode', passcodes.MAX_TRIES, passcodes.PASSCODE_MINUTES],
  ['`RATE_LIMIT`', S('RATE_LIMIT'), S('RATE_BURST')],
  ['`FAILURE_LIMIT`', S('FAILURE_LIMIT'), failures.PERIOD_S / 60],
  ['`SIGN_IN_LIMIT`', S('SIGN_IN_LIMIT'), consoleAttempts.TEN_MINUTES_S / 60],
  ['requested by an app', S('PASSCODE_LIMIT')],
  ['for one customer by one address', S('PASSCODE_LIMIT')],
  [
    'the first of each network',
    S('PASSCODE_LIMIT') * passcodes.NETWORKS_FACTOR,
    S('PASSCODE_LIMIT') * passcodes.CONSOLE_FACTOR,
  ],
  ['a browser that has signed in', S('PASSCODE_LIMIT')],
  ['by one address, for anyone', consoleAttempts.PASSCODES_BY_ADDRESS],
  ['challenge of a passkey', passkeys.CHALLENGE_MINUTES],
  ['the /56 around it', ...network.RANGE_ALLOWANCES.slice(1)],
  ['many addresses, so every limit', ...network.RANGE_ALLOWANCES.slice(1)],
  ['behind one address', S('VISITOR_OPEN_ADS'), S('VISITOR_IMPRESSIONS')],
  ['`VISITOR_SHARE`', visitorLimits.LEAST_IMPRESSIONS],
  ['a body that is too large', discard.MOST_BYTES / 2 ** 20],
  ['a request that trickles', server.REQUEST_TIMEOUT_MS / 1000],
  ['decompresses to a large one', body.MOST_AD_BYTES],
  ['images of very many frames', walk.WALK_LIMITS.maxFrames + 1, walk.WALK_LIMITS.maxBlocks + 1],
  [
    'crash the decoder',
    images.AT_ONCE,
    child.IMAGE_LIMITS.mostMemoryBytes / 1_000_000,
    child.IMAGE_LIMITS.mostProcessorMs / 1000,
  ],
  ['very many images', queue.MOST_WAITING_EACH, queue.MOST_WAITING],
  ['`JOB_OBJECTS`', ordersContract.MOST_AT_ONCE, S('JOB_OBJECTS')],
  ['changes without end', history.MOST_PER_OBJECT],
  ['`CALLS_AT_ONCE`', S('CALLS_AT_ONCE'), S('CALLS_AT_ONCE') + 1],
  ['long lists, pages and searches', httpList.STEP, httpList.HEAVY_STEP, ...LONG_READS],
  ['answers that are not read', slowReaders.LEAST.bytes, slowReaders.LEAST.withinMs / 1000],
  ['`mqknown`', knownBrowser.LIFE_DAYS],
  ['nested', jsonBounds.MOST_NESTING],
  ['fields', jsonBounds.MOST_FIELDS, jsonBounds.MOST_FIELDS_IN_ALL, validate.MAX_ERRORS],
  ['very many values', ...VALUES],
  ['many connections', oneAtATime.MOST_NAMES],
  ['large body without', errors.STRANGER_BODY_BYTES],
  ['child', children.LONGEST_MS / 1000, children.IDLE_MS / 1000],
  ['per click', conversionsLimits.NAMES_PER_CLICK],
]

/** 5 s, 30 min, 2 h: the number in the largest of these units. */
function inItsUnit(ms: number): number {
  return ms / (ms < MINUTE_MS ? 1000 : ms < HOUR_MS ? MINUTE_MS : HOUR_MS)
}

const CLAIMS: Record<string, Claim[]> = {
  'docs/limits.md': LIMITS,
  'docs/abuse.md': ABUSE,
  'docs/access.md': [
    ['works once, within', membersContract.INVITATION_DAYS],
    ['sends another invitation', members.INVITATIONS_TO_ONE, members.INVITATIONS_BY_CUSTOMER],
    ['sign in and contains no secret', staffRoutes.INVITATIONS_TO_ONE],
    ['a proposal expires', proposals.EXPIRES_MS / DAY_MS],
    ['undecided proposals', proposals.MOST_PENDING],
    ['a challenge can be used once', passkeys.CHALLENGE_MINUTES],
    ['`customer.budget_raised`', outbox.RAISED_FACTOR],
  ],
  'docs/billing.md': [
    [
      'which ad wins',
      rates.PRIOR_IMPS,
      clickRates.KEPT_MS / DAY_MS,
      rates.LOWEST_RATE,
      rates.HIGHEST_RATE,
      rates.DEFAULT_RATE,
    ],
  ],
  'docs/budgets.md': [
    ['`cut_off`', share.VALID_MS / 1000],
    ['the database is down', share.VALID_MS / 1000],
    ['does not come back', nodeShare.ALONE_IMPRESSIONS],
    ['what is not sold within', nodeShare.IDLE_MS / 1000],
  ],
  'docs/privacy.md': [
    ['a sample of ad requests', sample.MOST_KEPT.real, traffic.KEPT_HOURS / 24],
    ['were emailed to a customer', sender.KEEP_MS / DAY_MS],
    ['user hash', background.KEEP_SHARES_MS / DAY_MS],
    ['webhook', deliveries.KEPT_MS / DAY_MS],
    ['in steps of', retention.STEP, retention.STEP * retention.MOST_STEPS],
    ['`AUDIT_RETENTION`'],
  ],
  'docs/conversions.md': [
    ['`CLICK_WINDOW`', S('CLICK_WINDOW')],
    ['`too_many_names`', conversionsLimits.NAMES_PER_CLICK],
    ['`VISITOR_ACTIONS`', S('VISITOR_ACTIONS')],
    ['`PIXEL_VALUE`', S('PIXEL_VALUE')],
  ],
  'docs/counting.md': [
    ['one part of `fresh`', fold.DUE.atRows],
    ['a backlog', fold.MOST_ROWS],
    ['the database is slow', fold.FOLD_LIMIT_MS / 1000],
    ['one process packs at a time', pack.IDS, packing.WALK_EVERY_MS / HOUR_MS],
  ],
  'docs/creative-guidelines.md': [
    ['frames per second', bannersLimits.MAX_ANIMATION_MS / 1000, bannersLimits.MAX_FRAMES_PER_SECOND],
    ['pixels over all frames', walk.WALK_LIMITS.maxFrames],
  ],
  'docs/deletion.md': [['`RESTORE_WITHIN`', S('RESTORE_WITHIN')]],
  'docs/exchanges.md': [
    ['lifetime of a bid', imp.EXPIRY_S.web, imp.EXPIRY_S.app / 60, imp.EXPIRY_S.interstitial / 60],
    ['of the last day (`hours`', traffic.KEPT_HOURS / 24],
  ],
  'docs/publishers.md': [
    ['`overlap` seconds', sourcesContract.MAX_OVERLAP_S / 86_400],
    ['marquee.txt', siteFiles.MOST_BYTES / 1000, siteFiles.TIMEOUT_MS / 1000],
  ],
  'docs/testing.md': [
    ['`--demo`', sandboxServing.DEMO_DAYS],
    ['`GET /sandbox/traffic`', sandboxRoutes.PATIENCE_MS / 1000],
    ['`POST /sandbox/clock`', Math.floor(sandboxContract.MOST_MOVE_S / (366 * 86_400))],
  ],
  'docs/operating.md': [
    ['traffic is a sample', open.TRAFFIC_MS / 1000],
    ['session ends', sessions.IDLE_MS / HOUR_MS, sessions.LIFE_MS / DAY_MS],
    ['app rotate', credentials.CACHE_MS / 1000],
    ['`CAPS_URL` if set', share.VALID_MS / 1000],
  ],
  'docs/postgresql.md': [
    ['asks for its shares', share.MOST_ASKS],
    [
      'a statement |',
      database.STATEMENT_MS / 1000,
      eventWriter.INGEST_STATEMENT_MS / 1000,
      processJoin.SHARE_STATEMENT_MS / 1000,
      databases.CONTROL_STATEMENT_MS / 1000,
    ],
    [
      'opening a connection',
      database.CONNECT_MS / 1000,
      eventWriter.INGEST_STATEMENT_MS / 1000,
      processJoin.SHARE_STATEMENT_MS / 1000,
    ],
    [
      'an idle transaction',
      (2 * eventWriter.INGEST_STATEMENT_MS) / 1000,
      (2 * processJoin.SHARE_STATEMENT_MS) / 1000,
    ],
    ['no answer after the statement', database.SLACK_MS / 1000],
    ['keepalive starts after', database.KEEP_ALIVE_MS / 1000],
    ['`ROLLUP_RETENTION`', S('ROLLUP_RETENTION')],
    ['`EVENT_RETENTION`', S('EVENT_RETENTION')],
  ],
  'docs/sso.md': [['once', tickets.TICKET_SECONDS]],
  'docs/sync.md': [['characters', source.MAX_NAME_LENGTH]],
  'docs/webhooks.md': [
    ['/delivery`', deliveries.KEPT_MS / DAY_MS],
    ['may have up to', webhooksContract.MAX_WEBHOOKS],
    ['any 2xx response', webhooksSender.TIMEOUT_MS / 1000, ...webhooksSender.RETRY_AFTER_MS.map(inItsUnit)],
    ['deliveries at once', webhooksSender.AT_ONCE_A_WEBHOOK],
    ['/secret`', webhooks.OLD_SECRET_MS / HOUR_MS],
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
