// Sources: where ad requests may come from. Anonymous requests could burn budgets, so each source is registered by the
// operator or by an app with that right. The bid URL of an exchange contains an unguessable key. A site has a domain, a
// public key for its tags, which everybody can read, and a secret key for its servers, which may speak for visitors.

import { hash } from 'node:crypto'
import { recordAppChange } from '../../changes/app-changes.ts'
import { randomText } from '../../identity/pair.ts'
import type { ActorText } from '../../kernel/actor.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { SourceAttributes } from './attribute-paths.ts'
import type { SourceTerms } from './contract.ts'
import { domainOf } from './domain.ts'
import {
  insertSource,
  lockSourceNamed,
  releaseName,
  type SeenRow,
  type SourceAction,
  type SourceRefusals,
  type SourceRow,
  selectKnownSources,
  selectPublicUrl,
  selectSource,
  selectSources,
  updateSource,
  upsertPublicUrl,
} from './queries.ts'
import { NO_TERMS, type SourceFloors, type StoredTerms, shownTerms, storedTerms, termsIn } from './terms.ts'

export interface Source {
  sourceId: number
  kind: 'exchange' | 'site'
  name: string
  key: string
  /** For a site: the domain of its tag; a request from elsewhere is answered but never billed. */
  domain: string | null
  /** For an exchange: which call counts the impression. */
  billsOn: 'notice' | 'pixel'
  created: Date
  revoked: Date | null
  /** For a site: the hash of its server key; null: it has none yet. */
  serverKeyHash: string | null
  /** Keys, or hashes of server keys, that were replaced and stay valid for a while. */
  old: { opens: string; until: Date }[]
  /** For a site: when its domain last showed the site's key; null: not yet. */
  checked: Date | null
  version: number
  /** Whether it is told why there is no bid, if it asks. */
  debug: boolean
  /** Whether campaigns that are paid by click may be shown: on sites always, on exchanges if the operator allows it. */
  allowsCpc: boolean
  /** Where its bid requests have attributes of apps. */
  attributes: SourceAttributes
  /** The least price of a thousand impressions; missing: any. */
  floors?: SourceFloors
  /** What it does not show; missing: nothing. */
  refuses?: SourceRefusals
}

/** A source that was just created: the server key (of a site) is shown only now. */
export interface MadeSource extends Source {
  serverKey: string | null
}

export interface NewSource {
  kind: 'exchange' | 'site'
  name: string
  domain?: string | null
  billsOn?: 'notice' | 'pixel' | null
  allowsCpc?: boolean | null
  attributes?: SourceAttributes | null
  /** As stored. */
  terms?: StoredTerms
}

/** Who changes a source. */
export interface SourceChanger {
  actor: ActorText
  /** Null: the change does not come from an app. */
  appId: number | null
}

export const BY_COMMAND_LINE: SourceChanger = { actor: 'command line', appId: null }
export const BY_SERVICE: SourceChanger = { actor: 'service', appId: null }

const KEY_CHARACTERS = 24
const SERVER_KEY_PREFIX = 'mqv'

export async function addSource(
  db: Db,
  source: NewSource,
  clock: Clock,
  by: SourceChanger = BY_COMMAND_LINE,
): Promise<MadeSource> {
  const isSite = source.kind === 'site'
  const domain = isSite ? domainOf(source.domain) : null
  if (isSite && domain === null) throw refusal('site_without_domain')
  const serverKey = isSite ? newServerKey() : null
  const at = new Date(clock.nowMs())
  await releaseName(db, source.name)
  const row = await insertSource(db, {
    kind: source.kind,
    name: source.name,
    key: newKey(source.kind),
    domain,
    // A page sends no billing notice: a tag's impression is always counted by its pixel.
    bills_on: isSite ? 'pixel' : (source.billsOn ?? 'notice'),
    created_at: at,
    server_key_hash: serverKey === null ? null : hashBytes(serverKey),
    allows_cpc: !isSite && (source.allowsCpc ?? false),
    attributes: placesInOrder(source.attributes ?? {}),
    ...(source.terms ?? NO_TERMS),
  })
  if (!row) throw refusal('source_exists', { name: source.name })
  await recordSource(db, 'add', by, at, null, row)
  return { ...toSource(row), serverKey }
}

/** Gives a site a new server key; the previous one is no longer valid. */
export async function renewServerKey(
  db: Db,
  name: string,
  clock: Clock,
  by: SourceChanger = BY_COMMAND_LINE,
): Promise<MadeSource> {
  const serverKey = newServerKey()
  const wanted = {
    server_key_hash: hashBytes(serverKey),
    old_server_key_hash: null,
    old_server_key_until: null,
  }
  const changed = await changeNamed(db, name, 'site', 'renew', () => wanted, clock, by)
  return { ...changed, serverKey }
}

export function newKey(kind: Source['kind']): string {
  return (kind === 'exchange' ? 'mqx' : 'mqs') + randomText(KEY_CHARACTERS)
}

export function newServerKey(): string {
  return SERVER_KEY_PREFIX + randomText(KEY_CHARACTERS)
}

function hashOf(serverKey: string): string {
  return hash('sha256', serverKey, 'hex')
}

export function hashBytes(serverKey: string): Buffer {
  return Buffer.from(hashOf(serverKey), 'hex')
}

/** Of these ids, those that are of sources, revoked or not. */
export async function knownSources(db: Db, sourceIds: number[]): Promise<Set<number>> {
  return new Set((await selectKnownSources(db, sourceIds)).map(({ source_id }) => source_id))
}

/** Null: there is none, or it is revoked. */
export async function sourceWithId(db: Db, sourceId: number): Promise<Source | null> {
  const row = await selectSource(db, sourceId)
  return row && toSource(row)
}

export async function listSources(db: Db): Promise<Source[]> {
  return (await selectSources(db)).map(toSource)
}

/** Sources by key; sites also by the hash of their server key. */
export type SourceBook = ReadonlyMap<string, Source>

/** Leaves out keys that have expired. */
export function sourceBook(sources: Source[], nowMs: number): SourceBook {
  const book = new Map<string, Source>()
  for (const source of sources) {
    if (source.revoked) continue
    for (const { opens, until } of source.old) if (until.getTime() > nowMs) book.set(opens, source)
    book.set(source.key, source)
    if (source.serverKeyHash !== null) book.set(source.serverKeyHash, source)
  }
  return book
}

/** When the next replaced key expires; Infinity: none does. */
export function nextEndMs(sources: Source[], nowMs: number): number {
  const ends = sources.flatMap(({ old }) => old.map(({ until }) => until.getTime()))
  return Math.min(...ends.filter(endMs => endMs > nowMs))
}

export interface KnownSite {
  site: Source
  /** The key is the server key, so the caller may speak for a visitor. */
  isServer: boolean
}

export function siteByKey(book: SourceBook, key: string): KnownSite | null {
  const isServer = key.startsWith(SERVER_KEY_PREFIX)
  // A hash never begins like a key, so it cannot be used as one.
  if (!isServer && !key.startsWith('mqs')) return null
  const site = book.get(isServer ? hashOf(key) : key)
  if (site?.kind !== 'site') return null
  return { site, isServer }
}

export function revokeSource(
  db: Db,
  name: string,
  clock: Clock,
  by: SourceChanger = BY_COMMAND_LINE,
): Promise<Source> {
  const now = new Date(clock.nowMs())
  const revoked = (row: SourceRow) => ({ revoked_at: row.revoked_at ?? now })
  return changeNamed(db, name, null, 'revoke', revoked, clock, by)
}

/** Sets whether a source that asks (`x-marquee-debug`) is told why there is no bid. */
export function switchDebug(db: Db, name: string, isOn: boolean, clock: Clock): Promise<Source> {
  return changeNamed(db, name, null, 'edit', () => ({ debug: isOn }), clock, BY_COMMAND_LINE)
}

/** Sets whether campaigns that are paid by click may bid on an exchange, where each impression must be paid. */
export function allowCpc(db: Db, name: string, isAllowed: boolean, clock: Clock): Promise<Source> {
  const wanted = () => ({ allows_cpc: isAllowed })
  return changeNamed(db, name, 'exchange', 'edit', wanted, clock, BY_COMMAND_LINE)
}

/** Adds places where its bid requests have attributes; those that are there stay. */
export function addPlaces(
  db: Db,
  name: string,
  places: SourceAttributes,
  clock: Clock,
  by: SourceChanger,
): Promise<Source> {
  const added = ({ attributes }: SourceRow) => {
    const missing = Object.entries(places).filter(
      ([key, at]) => !at.every(one => attributes[key]?.includes(one)),
    )
    const wider = missing.map(([key, at]) => [key, [...new Set([...(attributes[key] ?? []), ...at])]])
    return missing.length === 0 ? {} : { attributes: { ...attributes, ...Object.fromEntries(wider) } }
  }
  return changeNamed(db, name, 'exchange', 'edit', added, clock, by)
}

/** Sets floors and what it refuses; throws a 400 that names what is wrong. */
export function setTerms(db: Db, name: string, given: SourceTerms, clock: Clock): Promise<Source> {
  return changeNamed(db, name, null, 'edit', row => storedTerms(given, row), clock, BY_COMMAND_LINE)
}

async function changeNamed(
  db: Db,
  name: string,
  kind: Source['kind'] | null,
  action: SourceAction,
  change: (row: SourceRow) => Partial<SourceRow>,
  clock: Clock,
  by: SourceChanger,
): Promise<Source> {
  const row = await lockSourceNamed(db, name)
  if (!row || (kind !== null && row.kind !== kind)) throw notFound(`${NOUNS[kind ?? 'any']} named "${name}"`)
  return toSource(await writeSource(db, row, { ...row, ...change(row) }, action, clock, by))
}

const NOUNS = { any: 'a source', site: 'a site', exchange: 'an exchange' }

/** Stores and records a change; does nothing if nothing has changed. */
export async function writeSource(
  db: Db,
  row: SourceRow,
  wanted: SourceRow,
  action: SourceAction,
  clock: Clock,
  by: SourceChanger,
): Promise<SourceRow> {
  if (JSON.stringify(row) === JSON.stringify(wanted)) return row
  const changed = (await updateSource(db, wanted))!
  await recordSource(db, action, by, new Date(clock.nowMs()), row, changed)
  return changed
}

function recordSource(
  db: Db,
  action: SourceAction,
  { actor, appId }: SourceChanger,
  at: Date,
  before: SourceRow | null,
  after: SourceRow,
) {
  return recordAppChange(db, 'source', appId, {
    id: after.source_id,
    at,
    action,
    actor,
    before: before && seenOf(before),
    after: action === 'revoke' ? null : seenOf(after),
  })
}

function seenOf(row: SourceRow): SeenRow {
  const source = toSource(row)
  const { name, domain, billsOn, allowsCpc, attributes, checked } = source
  return { name, domain, billsOn, allowsCpc, attributes, checked: checked !== null, ...shownTerms(source) }
}

/** Stores the public URL of the service, so that commands with other settings print the right addresses. */
export async function rememberPublicUrl(db: Db, url: string, clock: Clock): Promise<void> {
  await upsertPublicUrl(db, url, new Date(clock.nowMs()))
}

/** The public URL of the last service that used this database; null: there was none yet. */
export async function knownPublicUrl(db: Db): Promise<string | null> {
  return (await selectPublicUrl(db))?.value ?? null
}

export function bidUrl(publicUrl: string, source: Source): string {
  return `${publicUrl}/openrtb2/bid/${source.key}`
}

export function toSource(row: SourceRow): Source {
  return {
    sourceId: row.source_id,
    kind: row.kind,
    name: row.name,
    key: row.key,
    domain: row.domain,
    billsOn: row.bills_on,
    created: row.created_at,
    revoked: row.revoked_at,
    serverKeyHash: row.server_key_hash?.toString('hex') ?? null,
    old: oldOf(row),
    checked: row.checked_at,
    version: row.version,
    debug: row.debug,
    allowsCpc: row.kind === 'site' || row.allows_cpc,
    attributes: placesInOrder(row.attributes),
    ...termsIn(row),
  }
}

/** With keys in the same order, because jsonb keeps none. */
export function placesInOrder(attributes: SourceAttributes): SourceAttributes {
  return Object.fromEntries(Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function oldOf(row: SourceRow): Source['old'] {
  const { old_key: key, old_server_key_hash: hash } = row
  return [
    ...(key === null ? [] : [{ opens: key, until: row.old_key_until! }]),
    ...(hash === null ? [] : [{ opens: hash.toString('hex'), until: row.old_server_key_until! }]),
  ]
}
