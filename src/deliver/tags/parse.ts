// Reads a tag's request (the body of POST /ad, the query of GET /ad.html) as an ad request of ours, or reports every
// fault in it. What the tag does not say comes from the visitor's address, agent and first-party cookie.

import { firstKeyOn, type UserCookie } from '../../count/tracking/cookie.ts'
import type { Visitor } from '../../count/tracking/visitor.ts'
import type { FieldError } from '../../kernel/errors/field-error.ts'
import type { AttributeBook } from '../../manage/attributes/book.ts'
import { type GivenAttributes, type OnDrop, readAttributes } from '../audience/attributes.ts'
import { ageBand } from '../audience/demography.ts'
import { type Agent, deviceOf, osOf } from '../audience/device.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { hostOf } from '../audience/page.ts'
import { type UserSecrets, userKey, userKeyOnDates } from '../audience/user.ts'
import type { AdRequest } from '../targeting/request.ts'
import { CONSENT_FIELDS, checkConsent } from './consent.ts'
import {
  addressAt,
  attributesAt,
  categoriesAt,
  type Faults,
  fault,
  numberAt,
  objectAt,
  pageAt,
  sizesAt,
  textAt,
  wordAt,
} from './fields.ts'
import { completePlace, placeAt } from './place.ts'

export interface TagContext {
  /** The request has the server key, so it may speak for a visitor who is elsewhere. */
  isServer: boolean
  /** The id that the request gets. */
  id: string
  ip: string | null
  agent: Agent
  /** The page from the request's headers, used if the tag does not name one. */
  page: string | null
  cookie: UserCookie | null
  /** The current day. */
  dayKey: number
  /** The visitor asked not to be tracked (DNT, Sec-GPC): no user key. */
  doNotTrack: boolean
  secrets: UserSecrets
  lookups: GeoLookups
  /** What apps have declared; missing: nothing. */
  attributes?: { book: AttributeBook; onDrop: OnDrop }
}

/**
 * `isKnownBefore`: the visitor is known by an id or a cookie, not only by address and agent. `visitor`: who will see
 * the ad; if a server asks, what that server said.
 */
export type ParsedTag =
  | { source: string; request: AdRequest; isKnownBefore: boolean; visitor: Visitor }
  | { errors: FieldError[] }

const SLOT_ID = '1'
const FIELDS = [
  'source',
  'size',
  'page',
  'cat',
  'ip',
  'ua',
  'geo',
  'device',
  'user',
  'attributes',
  ...CONSENT_FIELDS,
]
const DEVICES = ['mobile', 'tablet', 'desktop'] as const
const GENDERS = ['male', 'female'] as const

/** Reads only the key of the source: whether that exists is checked before the rest is read. */
export function sourceKeyOf(input: unknown): string | null {
  const given = typeof input === 'object' && input !== null ? (input as { source?: unknown }).source : null
  const source: unknown = Array.isArray(given) ? given[0] : given
  return typeof source === 'string' && source.trim() !== '' && source.length <= 200 ? source.trim() : null
}

export function parseAdBody(body: unknown, context: TagContext): ParsedTag {
  return parseTag(body, context, { errors: [], pointer: path => path })
}

function parseTag(body: unknown, context: TagContext, faults: Faults): ParsedTag {
  const fields = objectAt(faults, '', body, FIELDS)
  if (fields === null) {
    if (faults.errors.length === 0) fault(faults, '', 'missing', { expected: ['object'] })
    return { errors: faults.errors }
  }
  const said = saidIn(fields, context, faults)
  if (faults.errors.length > 0 || said.source === null) return { errors: faults.errors }
  const request = requestOf(said, context)
  const visitor = context.isServer
    ? { address: said.ip, agent: said.ua }
    : { address: context.ip, agent: context.agent.ua ?? '' }
  const isKnownBefore = said.userId !== null || context.cookie !== null
  return { source: said.source, request, isKnownBefore, visitor }
}

/** What the caller says, field by field; each fault is noted. */
function saidIn(fields: Record<string, unknown>, { lookups, isServer }: TagContext, faults: Faults) {
  const source = textAt(faults, '/source', fields.source, 200)
  if (source === null && (fields.source === undefined || fields.source === null)) {
    fault(faults, '/source', 'site_key_missing')
  }
  const asked = {
    source,
    sizes: sizesAt(faults, '/size', fields.size),
    site: pageAt(faults, '/page', fields.page),
    categories: categoriesAt(faults, '/cat', fields.cat, lookups.isCategory),
    ip: addressAt(faults, '/ip', fields.ip),
    ua: textAt(faults, '/ua', fields.ua),
    place: placeAt(faults, fields.geo, lookups),
    device: wordAt(faults, '/device', fields.device, DEVICES),
    attributes: attributesAt(faults, '/attributes', fields.attributes),
  }
  const user = objectAt(faults, '/user', fields.user, ['id', 'gender', 'age'])
  const visitor = {
    userId: textAt(faults, '/user/id', user?.id, 256),
    gender: wordAt(faults, '/user/gender', user?.gender, GENDERS),
    ageYears: numberAt(faults, '/user/age', user?.age, 0, 130),
  }
  if (!isServer) {
    onlyServers(faults, '/ip', fields.ip)
    onlyServers(faults, '/ua', fields.ua)
    onlyServers(faults, '/user/id', user?.id)
  }
  checkConsent(faults, fields)
  return { ...asked, ...visitor }
}

function requestOf(said: ReturnType<typeof saidIn>, context: TagContext): AdRequest {
  const { lookups, cookie, secrets, dayKey, doNotTrack } = context
  const { sizes, site, categories, userId, ua, ageYears } = said
  // A server's own address is the same for all its visitors, and not where they are.
  const ip = context.isServer ? said.ip : context.ip
  const agent: Agent = ua === null ? context.agent : { ua, hintMobile: null, hintPlatform: null }
  const place = completePlace(said.place, ip === null ? null : (lookups.locate?.(ip) ?? null))
  const signs = {
    userId,
    buyerId: null,
    advertisingId: null,
    cookieId: cookie?.id ?? null,
    cookieFirstKey: cookie && firstKeyOn(cookie, dayKey),
    ip,
    ua: agent.ua,
  }
  const request: AdRequest = {
    id: context.id,
    slots: [{ id: SLOT_ID, sizes, floorMicros: 0, secure: false, mimes: null, blockedAttributes: [] }],
    country: place.country,
    region: place.region,
    city: place.city,
    lat: place.lat,
    lon: place.lon,
    categories,
    device: said.device ?? deviceOf(agent),
    gender: said.gender,
    age: ageYears === null ? null : ageBand(ageYears),
    userKey: doNotTrack ? null : userKey(signs, secrets),
    userKeyOn: doNotTrack
      ? undefined
      : userKeyOnDates(signs, secrets, key => cookie && firstKeyOn(cookie, key)),
    blockedCategories: [],
    blockedDomains: [],
    test: false,
    site: site ?? (context.page === null ? null : hostOf(context.page)),
    app: null,
    os: osOf(null, agent),
  }
  if (lookups.isAnyone?.(userId)) request.isAnyone = true
  if (said.attributes !== null) addAttributes(request, said.attributes, context)
  return request
}

function addAttributes(
  request: AdRequest,
  given: GivenAttributes,
  { attributes, isServer }: TagContext,
): void {
  const read = attributes && readAttributes(given, attributes.book, isServer, attributes.onDrop)
  if (read) request.attributes = read
}

/** Everybody can read the public key of a site: a caller with only that key cannot speak for others. */
function onlyServers(faults: Faults, path: string, value: unknown): void {
  if (value === undefined || value === null) return
  fault(faults, path, 'server_key_needed')
}

type Query = Record<string, string | string[] | undefined>

/** Names are flat. An empty value counts as missing; unknown names are ignored (cache busters). */
export function parseAdQuery(query: Query, context: TagContext): ParsedTag {
  const body = {
    source: one(query.source),
    size: many(query.size),
    page: one(query.page),
    cat: many(query.cat),
    geo: {
      country: one(query.country),
      region: one(query.region),
      city: one(query.city),
      lat: decimal(one(query.lat)),
      lon: decimal(one(query.lon)),
    },
    device: one(query.device),
    user: { id: one(query.user), gender: one(query.gender), age: decimal(one(query.age)) },
    attributes: attributesOf(query),
  }
  return parseTag(body, context, { errors: [], pointer: queryName })
}

const ATTRIBUTE = 'attr.'

/** `attr.section=sport,news` says two values of `section`. */
function attributesOf(query: Query): Record<string, string[]> | undefined {
  let given: Record<string, string[]> | undefined
  for (const name in query) {
    if (!name.startsWith(ATTRIBUTE)) continue
    const values = many(query[name])
    if (values === undefined) continue
    given ??= Object.create(null) as Record<string, string[]>
    given[name.slice(ATTRIBUTE.length)] = values
  }
  return given
}

/**
 * `/geo/country` is `/country` in a query, `/user/id` is `/user`, `/attributes/section` is `/attr.section`, and entries
 * of a list have no names.
 */
function queryName(path: string): string {
  if (path === '/user/id') return '/user'
  const parts = path.split('/')
  if (parts[1] === 'attributes' && parts.length > 2) return `/${ATTRIBUTE}${parts[2]}`
  return `/${parts[1] === 'geo' || parts[1] === 'user' ? (parts[2] ?? parts[1]) : (parts[1] ?? '')}`
}

function one(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value
  return text === undefined || text.trim() === '' ? undefined : text
}

function many(value: string | string[] | undefined): string[] | undefined {
  const entries = (Array.isArray(value) ? value : [value ?? ''])
    .flatMap(text => text.split(','))
    .map(text => text.trim())
    .filter(text => text !== '')
  return entries.length === 0 ? undefined : entries
}

/** A number in plain notation; anything else stays text and is refused later. */
function decimal(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined
  return /^-?[0-9]{1,4}(?:\.[0-9]{1,20})?$/.test(text.trim()) ? Number(text) : text
}
