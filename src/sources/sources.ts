// Sources: where ad requests may come from. An anonymous request could burn budgets, so the operator registers each
// exchange (its bid URL holds an unguessable key) and each site: a domain, a public key for its tags, which everybody
// can read, and a secret server key for its servers, which may speak for their visitors.

import { hash } from 'node:crypto'
import { randomText } from '../access/pair.ts'
import type { Clock } from '../kernel/clock.ts'
import { notFound, refusal } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import {
  insertSource,
  type SourceRow,
  selectPublicUrl,
  selectSources,
  setAllowsCpc,
  setDebug,
  setServerKey,
  setSourceRevoked,
  upsertPublicUrl,
} from './queries.ts'

export interface Source {
  sourceId: number
  kind: 'exchange' | 'site'
  name: string
  key: string
  /** Of a site: the domain of its tag; a request from elsewhere is answered but never billed. */
  domain: string | null
  /** Of an exchange: which call counts the impression. */
  billsOn: 'notice' | 'pixel'
  created: Date
  revoked: Date | null
  /** Of a site: what its server key hashes to; null: it has none yet. */
  serverKeyHash: string | null
  /** Whether it may ask why there was no bid. */
  debug: boolean
  /** Whether campaigns that are paid by click may be shown: on sites always, on exchanges if the operator allows it. */
  allowsCpc: boolean
}

/** As it is made: the server key (of a site) is shown this once. */
export interface MadeSource extends Source {
  serverKey: string | null
}

export interface NewSource {
  kind: 'exchange' | 'site'
  name: string
  domain?: string | null
  billsOn?: 'notice' | 'pixel'
}

const KEY_CHARACTERS = 24
const SERVER_KEY_PREFIX = 'mqv'
const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,10}$/

export async function addSource(db: Db, source: NewSource, clock: Clock): Promise<MadeSource> {
  const domain = source.domain?.toLowerCase() ?? null
  if (source.kind === 'site' && (domain === null || !DOMAIN.test(domain))) {
    throw refusal('site_without_domain')
  }
  const serverKey = source.kind === 'site' ? newServerKey() : null
  const row = await insertSource(db, {
    kind: source.kind,
    name: source.name,
    key: (source.kind === 'exchange' ? 'mqx' : 'mqs') + randomText(KEY_CHARACTERS),
    domain: source.kind === 'site' ? domain : null,
    // A page has no billing notice: a tag's impression is always counted by its pixel.
    bills_on: source.kind === 'site' ? 'pixel' : (source.billsOn ?? 'notice'),
    created_at: new Date(clock.nowMs()),
    server_key_hash: serverKey === null ? null : Buffer.from(hashOf(serverKey), 'hex'),
  })
  if (!row) throw refusal('source_exists', { name: source.name })
  return { ...toSource(row), serverKey }
}

/** A new server key for a site; the one before it opens nothing any more. */
export async function renewServerKey(db: Db, name: string): Promise<MadeSource> {
  const serverKey = newServerKey()
  const row = await setServerKey(db, name, Buffer.from(hashOf(serverKey), 'hex'))
  if (!row) throw notFound(`a site named "${name}"`)
  return { ...toSource(row), serverKey }
}

function newServerKey(): string {
  return SERVER_KEY_PREFIX + randomText(KEY_CHARACTERS)
}

function hashOf(serverKey: string): string {
  return hash('sha256', serverKey, 'hex')
}

export async function listSources(db: Db): Promise<Source[]> {
  return (await selectSources(db)).map(toSource)
}

/** Sources by what they are asked for: by their key, and sites by the hash of their server key too. */
export type SourceBook = ReadonlyMap<string, Source>

export function sourceBook(sources: Source[]): SourceBook {
  const book = new Map<string, Source>()
  for (const source of sources) {
    if (source.revoked) continue
    book.set(source.key, source)
    if (source.serverKeyHash !== null) book.set(source.serverKeyHash, source)
  }
  return book
}

export interface KnownSite {
  site: Source
  /** By the server key: the caller may speak for a visitor. */
  isServer: boolean
}

export function siteByKey(book: SourceBook, key: string): KnownSite | null {
  const isServer = key.startsWith(SERVER_KEY_PREFIX)
  const site = book.get(isServer ? hashOf(key) : key)
  if (site?.kind !== 'site' || (!isServer && site.key !== key)) return null
  return { site, isServer }
}

export async function revokeSource(db: Db, name: string, clock: Clock): Promise<Source> {
  const row = await setSourceRevoked(db, name, new Date(clock.nowMs()))
  if (!row) throw notFound(`a source named "${name}"`)
  return toSource(row)
}

/** Whether a source that asks (`x-marquee-debug`) is told why there was no bid. */
export async function switchDebug(db: Db, name: string, isOn: boolean): Promise<Source> {
  const row = await setDebug(db, name, isOn)
  if (!row) throw notFound(`a source named "${name}"`)
  return toSource(row)
}

/** Whether campaigns that are paid by click may bid on an exchange, though each impression is paid there. */
export async function allowCpc(db: Db, name: string, isAllowed: boolean): Promise<Source> {
  const row = await setAllowsCpc(db, name, isAllowed)
  if (!row) throw notFound(`an exchange named "${name}"`)
  return toSource(row)
}

/** The service says where it is reached, so that a command with other settings gives out the right addresses. */
export async function rememberPublicUrl(db: Db, url: string, clock: Clock): Promise<void> {
  await upsertPublicUrl(db, url, new Date(clock.nowMs()))
}

/** The URL of the service that used this database last; null: none has yet. */
export async function knownPublicUrl(db: Db): Promise<string | null> {
  return (await selectPublicUrl(db))?.value ?? null
}

export function bidUrl(publicUrl: string, source: Source): string {
  return `${publicUrl}/openrtb2/bid/${source.key}`
}

function toSource(row: SourceRow): Source {
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
    debug: row.debug,
    allowsCpc: row.kind === 'site' || row.allows_cpc,
  }
}
