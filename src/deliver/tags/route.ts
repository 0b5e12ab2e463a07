// The ad tags on the thin path: POST /ad (JSON), GET /ad.html (a page for an iframe) and GET /tag.js. CORS is open,
// because tags are on other people's pages. A page of another domain than the source's is answered, but never billed.

import { randomUUID } from 'node:crypto'
import type { UserCookies } from '../../count/tracking/cookie.ts'
import type { ServedSums } from '../../count/tracking/served.ts'
import { UNSEEN_MS } from '../../count/tracking/visitor-limits.ts'
import { takes } from '../../http/compress.ts'
import { errorBody } from '../../http/errors.ts'
import type { DataAnswer, DataRequest, DataRoute } from '../../http/lane/data-plane.ts'
import { fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, notFound, Problem, refusal } from '../../kernel/errors/problem.ts'
import { boundExceededBy } from '../../kernel/json-bounds.ts'
import { remembered } from '../../kernel/recent.ts'
import type { AttributeBook } from '../../manage/attributes/book.ts'
import { allowedSizesText, isAllowedSize, sizeTexts } from '../../manage/reference/ad-sizes.ts'
import { type KnownSite, type SourceBook, siteByKey } from '../../manage/sources/sources.ts'
import type { ClientAddress } from '../../platform/client-address.ts'
import { type AttributeDrops, type DropReason, type OnDrop, saidOfDrops } from '../audience/attributes.ts'
import { allowsId, type ConsentSignals } from '../audience/consent.ts'
import { agentOfHeaders } from '../audience/device.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import { isPrefetch } from '../audience/prefetch.ts'
import { isIdentity, MOST_AD_BYTES, parseJson } from '../decide/body.ts'
import { corsFor, corsOf, preflight } from '../decide/cors.ts'
import { linksOf } from '../decide/links.ts'
import { after, type ServeParts, serve } from '../decide/serve.ts'
import type { SecretsAt } from '../decide/user-secrets.ts'
import { cookieHeaders, doesNotWantTracking, isForeignTo, maySetCookie, pageOf } from '../decide/visitor.ts'
import type { VisitorAllowanceOf } from '../decide/visitor-allowance.ts'
import type { NoAdReason } from '../reasons.ts'
import type { AdRequest } from '../targeting/request.ts'
import { consentOfBody, consentOfQuery } from './consent.ts'
import { type ParsedTag, parseAdBody, parseAdQuery, sourceKeyOf, type TagContext } from './parse.ts'
import { adAnswer, adPage, noAdAnswer, type TagAd } from './respond.ts'
import { TAG_SCRIPT_BODIES, TAG_SCRIPT_HEADERS } from './script.ts'

export interface TagParts extends ServeParts {
  sources: () => SourceBook
  attributes: () => AttributeBook
  attributeDrops: Pick<AttributeDrops, 'count'>
  secretsAt: SecretsAt
  lookups: GeoLookups
  clientAddress: ClientAddress
  cookies: UserCookies
  servedSums: Pick<ServedSums, 'served'>
  allowanceOf: VisitorAllowanceOf
  /** 22 unguessable characters. */
  newCookieId: () => string
}

/** An ad in a background tab must be shown within this time, or it is not paid for. */
const BROWSER_TTL_MS = UNSEEN_MS
/** A server may put the ad into a page that is shown later. */
export const SERVER_TTL_MS = 600_000

type FitTag = Extract<ParsedTag, { request: unknown }>

interface Shown {
  ad: TagAd | null
  reason: NoAdReason | null
  cookies: string[] | null
  /** What the publisher should know, for the console of a browser. */
  said: string | null
}

export function tagRoutes(parts: TagParts): DataRoute[] {
  const isHttps = parts.links.publicUrl.startsWith('https:')

  function contextOf(
    { headers, remoteAddress }: DataRequest,
    consent: ConsentSignals,
    isServer: boolean,
    onDrop: OnDrop,
  ): TagContext {
    const nowMs = parts.clock.nowMs()
    return {
      id: randomUUID(),
      isServer,
      ip: parts.clientAddress(remoteAddress, headers) || null,
      agent: agentOfHeaders(headers),
      page: pageOf(headers),
      cookie: parts.cookies.read(headers.cookie),
      dayKey: parts.calendar.dayAt(nowMs).key,
      doNotTrack: doesNotWantTracking(headers) || !allowsId(consent, null),
      secrets: parts.secretsAt(nowMs),
      lookups: parts.lookups,
      attributes: { book: parts.attributes(), onDrop },
    }
  }

  const findSite = (key: string) => siteByKey(parts.sources(), key)

  function siteOf(input: unknown): KnownSite {
    const key = sourceKeyOf(input)
    if (key === null) throw sourceMissing()
    return findSite(key) ?? unknownSite()
  }

  function show(
    request: DataRequest,
    { site: source, isServer }: KnownSite,
    consent: ConsentSignals,
    parse: (context: TagContext) => ParsedTag,
  ): Shown | Promise<Shown> {
    if (isServer && request.method === 'GET') throw refusal('server_key_in_page')
    let drops: Map<string, DropReason> | null = null
    const context = contextOf(request, consent, isServer, (name, why) => {
      parts.attributeDrops.count(why)
      drops ??= new Map()
      drops.set(name, why)
    })
    const parsed = parse(context)
    if ('errors' in parsed) throw invalidInput(parsed.errors)
    const cookies = cookiesFor(context, parsed, consent)
    if (isPrefetch(request.headers)) return { ad: null, reason: 'prefetch', cookies: null, said: null }
    const { visitor } = parsed
    const isForeign = isForeignTo(source, request.headers, parsed.request.site, isServer)
    const said =
      request.method === 'GET' ? saidOf(parsed.request, isForeign ? source.domain : null, drops) : null
    const ttlMs = isServer ? SERVER_TTL_MS : BROWSER_TTL_MS
    const allowance =
      visitor.address === null ? null : parts.allowanceOf(source.sourceId, visitor.address, isServer)
    return after(
      serve({ request: parsed.request, isFree: isForeign, ttlMsOf: () => ttlMs, source, allowance }, parts),
      ({ ads: [decided], terms, noAd }): Shown => {
        if (!decided) return { ad: null, reason: noAd, cookies, said }
        if (!isForeign) parts.servedSums.served(decided.campaign.cid, decided.dayKey)
        const links = linksOf(decided, parsed.request, { source, isForeign, visitor }, terms, parts.links)
        const { campaign, banner } = decided
        return { ad: { cid: campaign.cid, banner, links }, reason: null, cookies, said }
      },
    )
  }

  /**
   * A new visitor's first ad is counted by address and agent, because a browser that keeps no cookies must not stay new
   * forever. The cookie contains that key for the rest of the day.
   */
  function cookiesFor(
    { doNotTrack, cookie, dayKey }: TagContext,
    { request: { country, userKey }, isKnownBefore }: FitTag,
    consent: ConsentSignals,
  ): string[] | null {
    if (doNotTrack || cookie !== null || !maySetCookie(country, consent)) return null
    const first = isKnownBefore || userKey === null ? null : { dayKey, userKey }
    return cookieHeaders(parts.cookies.valueOf({ id: parts.newCookieId(), first }), isHttps)
  }

  function ad(request: DataRequest): DataAnswer | Promise<DataAnswer> {
    if (request.method === 'OPTIONS') return preflight(corsOf(request))
    const headers = adHeadersOf(request)
    return withProblems(headers, problemJson, () => {
      if (request.method !== 'POST') throw notAllowed(request.method, ['POST', 'OPTIONS'])
      const named = readAdBody(request, findSite)
      const { json } = named
      const known = sourceKeyOf(json) === named.key ? named.known : siteOf(json)
      const shown = show(request, known, consentOfBody(json), context => parseAdBody(json, context))
      return after(shown, made => ({
        status: 200,
        headers: { ...headers, ...cookiesOf(made) },
        body: made.ad ? adAnswer(made.ad) : noAdAnswer(made.reason ?? 'failed'),
      }))
    })
  }

  function page(request: DataRequest): DataAnswer | Promise<DataAnswer> {
    return withProblems({}, request.headers.accept?.includes('text/html') ? problemPage : problemJson, () => {
      if (request.method !== 'GET') throw notAllowed(request.method, ['GET'])
      const query = queryOf(request.query)
      const consent = consentOfQuery(query)
      const shown = show(request, siteOf(query), consent, context => parseAdQuery(query, context))
      return after(shown, made => {
        const { html, headers } = adPage(made.ad, made.said)
        return { status: 200, headers: { ...headers, ...PAGE_HEADERS, ...cookiesOf(made) }, body: html }
      })
    })
  }

  /**
   * A Problem is reported as everywhere in the API, except in a frame, where nobody should see JSON in place of an ad.
   */
  function withProblems(
    headers: Record<string, string>,
    write: (problem: Problem) => Pick<DataAnswer, 'headers' | 'body'>,
    answer: () => DataAnswer | Promise<DataAnswer>,
  ): DataAnswer | Promise<DataAnswer> {
    try {
      return answer()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const made = write(error)
      return { status: error.status, ...made, headers: { ...made.headers, ...headers, ...error.headers } }
    }
  }

  return [
    { prefix: '/ad', exact: true, handle: ad },
    { prefix: '/ad.html', exact: true, handle: page },
    { prefix: '/tag.js', exact: true, handle: script },
  ]
}

/** `domain`: that of the site, if the page is not on it. */
function saidOf(
  { slots, site }: AdRequest,
  domain: string | null,
  drops: ReadonlyMap<string, DropReason> | null,
): string | null {
  const unknown = slots.flatMap(({ sizes }) => sizes.filter(size => !isAllowedSize(size.width, size.height)))
  const faults = [
    ...(domain === null
      ? []
      : [`${site ?? 'this page'} is not on ${domain}: ads are shown here, but never billed`]),
    ...(unknown.length === 0
      ? []
      : [`no banner has the size ${sizeTexts(unknown).join(' or ')}; sizes are ${allowedSizesText}`]),
    ...(drops === null ? [] : saidOfDrops(drops)),
  ]
  return faults.join('; ') || null
}

function problemJson(problem: Problem): Pick<DataAnswer, 'headers' | 'body'> {
  return { headers: JSON_HEADERS, body: JSON.stringify(errorBody(problem, randomUUID())) }
}

function problemPage(problem: Problem): Pick<DataAnswer, 'headers' | 'body'> {
  const faults = problem.errors?.map(({ path, message }) => `${path.slice(1)} ${message}`)
  const { html, headers } = adPage(null, faults?.join('; ') || problem.message)
  return { headers: { ...headers, ...PAGE_HEADERS }, body: html }
}

/** Nearly all requests come from few sites, so headers are assembled once for each origin. */
const MOST_ORIGINS = 2_000

function adHeadersOf({ headers: { origin } }: DataRequest): Record<string, string> {
  return origin === undefined ? HEADERS_FOR_ANY : headersForOrigin(origin)
}

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const HEADERS_FOR_ANY = { ...JSON_HEADERS, ...corsFor(undefined) }
const headersForOrigin = remembered(origin => ({ ...JSON_HEADERS, ...corsFor(origin) }), MOST_ORIGINS)
// A page that isolates itself shows only frames that do so, too; everything that the frame loads is marked accordingly.
const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'cross-origin',
  'cross-origin-embedder-policy': 'require-corp',
}
/** The same routes until delivery has started, which never return an ad. */
export function tagRoutesWithoutAds(count: (reason: NoAdReason) => void): DataRoute[] {
  function ad(request: DataRequest): DataAnswer {
    if (request.method === 'OPTIONS') return preflight(corsOf(request))
    count('not_ready')
    return { status: 200, headers: adHeadersOf(request), body: noAdAnswer('not_ready') }
  }

  function page(): DataAnswer {
    count('not_ready')
    const { html, headers } = adPage(null)
    return { status: 200, headers: { ...headers, ...PAGE_HEADERS }, body: html }
  }

  return [
    { prefix: '/ad', exact: true, handle: ad },
    { prefix: '/ad.html', exact: true, handle: page },
    { prefix: '/tag.js', exact: true, handle: script },
  ]
}

function script(request: DataRequest): DataAnswer {
  // Caches in front of us may use HEAD, and may weaken etags.
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, headers: { allow: 'GET, HEAD' }, body: null }
  const isKnown = request.headers['if-none-match']?.includes(TAG_SCRIPT_HEADERS.etag!)
  if (isKnown) return { status: 304, headers: TAG_SCRIPT_HEADERS, body: null }
  const accepted = request.headers['accept-encoding']?.toString() ?? ''
  const encoding = (['br', 'gzip'] as const).find(name => takes(accepted, name))
  if (!encoding) return { status: 200, headers: TAG_SCRIPT_HEADERS, body: TAG_SCRIPT_BODIES.identity }
  const headers = { ...TAG_SCRIPT_HEADERS, 'content-encoding': encoding }
  return { status: 200, headers, body: TAG_SCRIPT_BODIES[encoding] }
}

function notAllowed(method: string, allowed: string[]): Problem {
  return refusal('method_not_allowed', { method, allowed }, { headers: { allow: allowed.join(', ') } })
}

function cookiesOf({ cookies }: Shown): Record<string, string[]> {
  return cookies === null ? {} : { 'set-cookie': cookies }
}

function queryOf(text: string): Record<string, string[]> {
  const query: Record<string, string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const values = query[name]
    if (values) values.push(value)
    else query[name] = [value]
  }
  return query
}

// The body of POST /ad, checked before it is parsed: anyone can send one, so it must be small, uncompressed, and name a
// known site. The text is searched for the site's key; keys need no escapes, so a key written with escapes is unknown.

const NAMED_SOURCE = /"source"\s*:\s*"\s*([\w-]{1,200})\s*"/g
const HAS_SOURCE = /"source"\s*:\s*"/
const OPENING = 0x7b
const CLOSING = 0x7d
const SPACE = 0x20

interface NamedSite {
  /** A site that the body names. */
  key: string
  known: KnownSite
  json: unknown
}

/**
 * Throws a Problem for anything that is not a request of a known site; `siteBy` is called before anything is parsed.
 */
function readAdBody({ body, headers }: DataRequest, siteBy: (key: string) => KnownSite | null): NamedSite {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && !isIdentity(encoding)) throw refusal('content_encoding')
  if (body === null || !isBraced(body)) throw notJson()
  if (body.length > MOST_AD_BYTES) throw refusal('body_too_large', { maxBytes: MOST_AD_BYTES })
  const text = body.toString('latin1')
  if (!HAS_SOURCE.test(text)) throw sourceMissing()
  const named = siteNamedIn(text, siteBy) ?? unknownSite()
  const json = parseJson(body)
  if (json !== undefined) return { ...named, json }
  throw boundExceededBy(body) ?? notJson()
}

function siteNamedIn(
  text: string,
  siteBy: (key: string) => KnownSite | null,
): Omit<NamedSite, 'json'> | null {
  NAMED_SOURCE.lastIndex = 0
  for (let match = NAMED_SOURCE.exec(text); match; match = NAMED_SOURCE.exec(text)) {
    const known = siteBy(match[1]!)
    if (known) return { key: match[1]!, known }
  }
  return null
}

/** Whether it looks like an object; if not, it is not worth parsing. */
function isBraced(body: Buffer): boolean {
  let from = 0
  let to = body.length - 1
  while (from < to && body[from]! <= SPACE) from++
  while (to > from && body[to]! <= SPACE) to--
  return to > from && body[from] === OPENING && body[to] === CLOSING
}

function unknownSite(): never {
  throw notFound('a site with this `source` key')
}

function sourceMissing(): Problem {
  return invalidInput([fieldError('/source', 'required')])
}

function notJson(): Problem {
  return refusal('not_a_json_object')
}
