// Sources: where ad requests may come from. An anonymous request could burn budgets, so the operator registers
// each exchange (its bid URL holds an unguessable key) and each site (a domain and a key in its tag).

import { randomText } from '../access/pair.ts'
import type { Clock } from '../kernel/clock.ts'
import { notFound, Problem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import { insertSource, type SourceRow, selectSources, setSourceRevoked } from './queries.ts'

export interface Source {
  sourceId: number
  kind: 'exchange' | 'site'
  name: string
  key: string
  /** Of a site: where its tag stands; a request from elsewhere is answered but never billed. */
  domain: string | null
  /** Of an exchange: which call counts the impression. */
  billsOn: 'notice' | 'pixel'
  created: Date
  revoked: Date | null
}

export interface NewSource {
  kind: 'exchange' | 'site'
  name: string
  domain?: string | null
  billsOn?: 'notice' | 'pixel'
}

const KEY_CHARACTERS = 24
const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,10}$/

export async function addSource(db: Db, source: NewSource, clock: Clock): Promise<Source> {
  const domain = source.domain?.toLowerCase() ?? null
  if (source.kind === 'site' && (domain === null || !DOMAIN.test(domain))) {
    throw new Problem('invalid_input', 'a site needs its domain, such as news.example')
  }
  const row = await insertSource(db, {
    kind: source.kind,
    name: source.name,
    key: (source.kind === 'exchange' ? 'mqx' : 'mqs') + randomText(KEY_CHARACTERS),
    domain: source.kind === 'site' ? domain : null,
    // A page has no billing notice: a tag's impression is always counted by its pixel.
    bills_on: source.kind === 'site' ? 'pixel' : (source.billsOn ?? 'notice'),
    created_at: new Date(clock.nowMs()),
  })
  if (!row) throw new Problem('conflict', `there is a source named "${source.name}" already`)
  return toSource(row)
}

export async function listSources(db: Db): Promise<Source[]> {
  return (await selectSources(db)).map(toSource)
}

export async function revokeSource(db: Db, name: string, clock: Clock): Promise<Source> {
  const row = await setSourceRevoked(db, name, new Date(clock.nowMs()))
  if (!row) throw notFound(`a source named "${name}"`)
  return toSource(row)
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
  }
}
