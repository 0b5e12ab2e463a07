// Sources as managed by apps with that right: find, add, edit, renew keys, check the domain, revoke; and their history.

import { asRead, etagOf } from '../../http/etag.ts'
import { listAppChanges } from '../../identity/who.ts'
import type { AppCaller } from '../../kernel/caller.ts'
import type { Finding } from '../../kernel/errors/finding.ts'
import { invalidField, notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import { type Database, type Db, lockInTransaction } from '../../platform/database.ts'
import { LOCKS } from '../../platform/locks.ts'
import { MAX_SOURCES, type NewSource, type RenewKey, type SourceChange, type SourceEdit } from './contract.ts'
import { domainOf } from './domain.ts'
import {
  lockSource,
  releaseName,
  type SeenRow,
  type SourceAction,
  type SourceRow,
  selectNamed,
  selectSource,
} from './queries.ts'
import { type SiteFiles, whatIsMissing } from './site-files.ts'
import {
  addSource as add,
  hashBytes,
  listSources,
  type MadeSource,
  newKey,
  newServerKey,
  placesInOrder,
  type Source,
  type SourceChanger,
  toSource,
  writeSource,
} from './sources.ts'
import { storedTerms } from './terms.ts'

export interface FoundSource {
  source: Source
  etag: string
}

/** The source of a path's `:sourceId`; 404 if that is not an id, does not exist, or was revoked. */
export async function findSource(db: Db, sourceIdText: string): Promise<FoundSource> {
  const sourceId = parseId(sourceIdText)
  return found(sourceId === null ? null : await selectSource(db, sourceId))
}

export async function addManaged(
  db: Db,
  body: NewSource,
  clock: Clock,
  by: SourceChanger,
): Promise<MadeSource> {
  const { kind, domain, billsOn, allowsCpc } = body
  const terms = storedTerms(body)
  if (kind === 'site' && domainOf(domain) === null) throw invalidField('/domain', 'not_a_domain')
  refuseOther(kind, { domain, billsOn, allowsCpc })
  await lockInTransaction(db, LOCKS.sources)
  const living = (await listSources(db)).filter(({ revoked }) => revoked === null)
  if (living.length >= MAX_SOURCES) throw refusal('too_many_sources', { max: MAX_SOURCES })
  return add(db, { ...body, terms }, clock, by)
}

export async function editSource(
  db: Db,
  sourceId: number,
  edit: SourceEdit,
  ifMatch: string | null,
  clock: Clock,
  by: SourceChanger,
): Promise<FoundSource> {
  // If two edits take the same name at once, one is refused.
  await lockInTransaction(db, LOCKS.sources)
  const locked = await lock(db, sourceId, ifMatch)
  const row = { ...locked, attributes: placesInOrder(locked.attributes) }
  const shown = toSource(row)
  const { name = row.name, billsOn = shown.billsOn, allowsCpc = shown.allowsCpc } = edit
  const domain = edit.domain === undefined || edit.domain === null ? row.domain : domainOf(edit.domain)
  if (row.kind === 'site' && domain === null) throw invalidField('/domain', 'not_a_domain')
  refuseOther(row.kind, {
    domain: domain === row.domain ? undefined : domain,
    billsOn: billsOn === shown.billsOn ? undefined : billsOn,
    allowsCpc: allowsCpc === shown.allowsCpc ? undefined : allowsCpc,
  })
  if (name !== row.name) {
    await releaseName(db, name)
    if (await selectNamed(db, name)) throw refusal('source_exists', { name })
  }
  const wanted = {
    ...row,
    name,
    domain,
    bills_on: billsOn,
    allows_cpc: row.kind === 'exchange' ? allowsCpc : row.allows_cpc,
    attributes: placesInOrder(edit.attributes === undefined ? row.attributes : (edit.attributes ?? {})),
    ...storedTerms(edit, row),
    // Another domain has not shown the key yet.
    checked_at: domain === row.domain ? row.checked_at : null,
  }
  return found(await writeSource(db, row, wanted, 'edit', clock, by))
}

/** Replaces the present key, which stays valid for `overlap` seconds; an older key ends now. */
export async function renewKey(
  db: Db,
  sourceId: number,
  { which = 'key', overlap }: RenewKey,
  clock: Clock,
  by: SourceChanger,
): Promise<{ source: MadeSource; oldUntil: number | null }> {
  const row = await lock(db, sourceId, null)
  const isServer = which === 'serverKey'
  if (isServer && row.kind === 'exchange') throw invalidField('/which', 'for_sites_only')
  const until = overlap === 0 ? null : new Date(clock.nowMs() + overlap * 1000)
  const serverKey = isServer ? newServerKey() : null
  const wanted: SourceRow =
    serverKey === null
      ? {
          ...row,
          key: newKey(row.kind),
          old_key: until && row.key,
          old_key_until: until,
        }
      : {
          ...row,
          server_key_hash: hashBytes(serverKey),
          old_server_key_hash: until && row.server_key_hash,
          old_server_key_until: until && row.server_key_hash && until,
        }
  const changed = await writeSource(db, row, wanted, 'renew', clock, by)
  return { source: { ...toSource(changed), serverKey }, oldUntil: until && toSeconds(until) }
}

/** Within a second its tags, its servers and its bid URL get no more ads from any process. */
export async function deleteSource(
  db: Db,
  sourceId: number,
  ifMatch: string | null,
  clock: Clock,
  by: SourceChanger,
): Promise<{ sourceId: number; deleted: true }> {
  const row = await lock(db, sourceId, ifMatch)
  await writeSource(db, row, { ...row, revoked_at: new Date(clock.nowMs()) }, 'revoke', clock, by)
  return { sourceId, deleted: true }
}

/** Fetches the file while no transaction is open. A check that fails cancels an earlier successful one. */
export async function checkSite(
  db: Database,
  { sourceId, kind, domain, key, old }: Source,
  files: SiteFiles,
  clock: Clock,
  by: SourceChanger,
): Promise<{ checked: Date | null; finding: Finding | null }> {
  if (kind !== 'site' || domain === null) throw refusal('not_a_site')
  const missing = whatIsMissing(await files(domain), [key, ...old.map(({ opens }) => opens)])
  return db.transaction(async tx => {
    const row = await lock(tx, sourceId, null)
    if (row.domain !== domain) return { checked: row.checked_at, finding: missing }
    const wanted = { ...row, checked_at: missing ? null : new Date(clock.nowMs()) }
    const changed = await writeSource(tx, row, wanted, 'check', clock, by)
    return { checked: changed.checked_at, finding: missing }
  })
}

export async function listSourceChanges(
  db: Db,
  { appId }: AppCaller,
  after: number,
  limit: number,
): Promise<SourceChange[]> {
  const page = { noun: 'source', appId: null, after, limit } as const
  const changes = await listAppChanges<SourceAction, SeenRow>(db, appId, page)
  return changes.map(({ of: sourceId, ...change }) => ({ ...change, sourceId }))
}

/** Refuses settings that only the other kind of source has. */
function refuseOther(kind: Source['kind'], given: Pick<NewSource, 'domain' | 'billsOn' | 'allowsCpc'>): void {
  if (kind === 'exchange') {
    if (given.domain != null) throw invalidField('/domain', 'for_sites_only')
    return
  }
  if (given.billsOn != null && given.billsOn !== 'pixel') throw invalidField('/billsOn', 'for_exchanges_only')
  if (given.allowsCpc === false) throw invalidField('/allowsCpc', 'for_exchanges_only')
}

async function lock(db: Db, sourceId: number, ifMatch: string | null): Promise<SourceRow> {
  return asRead(await lockSource(db, sourceId), 'source', sourceId, ifMatch)
}

function found(row: SourceRow | null): FoundSource {
  if (!row) throw notFound('source')
  return { source: toSource(row), etag: etagOf(row.source_id, row.version) }
}
