// SQL of personas. Every read goes through the campaign, so that one statement also checks ownership and deletion and
// returns the inherited dates. No row means no such campaign; a row without `pid` means no such persona.

import type { Rotation } from '../../kernel/rotation.ts'
import type { Db } from '../../platform/database.ts'
import type { WantedAttributes } from '../attributes/contract.ts'
import type { SeenValue } from '../attributes/seen-value.ts'
import type { Page } from '../noun.ts'
import type { Demo, Device, Geo } from './contract.ts'

export interface PersonaFields {
  name: string
  geo: Geo
  cat: string[]
  device: Device
  demo: Demo
  attributes: WantedAttributes
  rotation: Rotation
  enabled: boolean
  external_id: string | null
  metadata: Record<string, string>
  unknown_places: UnknownPlace[]
  /** Of its attributes: what no request had lately when it was saved. */
  unseen_values: SeenValue[]
}

/** A place that our tables did not know when it was saved. */
export interface UnknownPlace {
  place: string
  suggestion: string | null
}

export interface PersonaRow extends PersonaFields {
  pid: number
  cid: number
  version: number
  created_at: Date
  updated_at: Date
  start_at: Date
  end_at: Date
}

/** The row of a campaign that does not have the persona. */
export type NoPersona = { pid: null }

const OWN = `pid, cid, name, geo, cat, device, demo, attributes, rotation, enabled, external_id, metadata, unknown_places,
  unseen_values, version, created_at, updated_at`
const COLUMNS = `${OWN.replaceAll(/(\w+)/g, 'p.$1')}, c.start_at, c.end_at`

function ownValues(fields: Omit<PersonaFields, 'geo' | 'unknown_places'>): unknown[] {
  const { name, cat, device, demo, attributes, enabled, external_id, metadata, unseen_values } = fields
  return [
    ...[name, cat, JSON.stringify(device), JSON.stringify(demo), enabled, external_id],
    ...[JSON.stringify(metadata), JSON.stringify(attributes), JSON.stringify(unseen_values), fields.rotation],
  ]
}

function placeValues({ geo, unknown_places }: PersonaFields): unknown[] {
  return [JSON.stringify(geo), JSON.stringify(unknown_places)]
}

const INSERT = `with c as (
    select cid, start_at, end_at from campaign where cid = $1 and cuid = $2 and deleted_at is null for share
  ), p as (
    insert into persona (cid, created_at, updated_at, name, cat, device, demo, enabled, external_id, metadata,
      attributes, unseen_values, rotation, geo, unknown_places)
    select cid, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15 from c
    returning ${OWN}
  )
  select ${COLUMNS} from p join c using (cid)`

/**
 * Null if the campaign does not exist. The shared lock makes a deletion of the campaign wait, so that no persona is
 * created under a deleted one.
 */
export function insertPersona(db: Db, cuid: number, cid: number, fields: PersonaFields, now: Date) {
  return db.row<PersonaRow>(INSERT, [cid, cuid, now, ...ownValues(fields), ...placeValues(fields)])
}

const SELECT = `select ${COLUMNS} from campaign c
  left join persona p on p.pid = $3 and p.cid = c.cid and p.deleted_at is null
  where c.cid = $1 and c.cuid = $2 and c.deleted_at is null`

export function selectPersona(db: Db, cuid: number, cid: number, pid: number) {
  return db.row<PersonaRow | NoPersona>(SELECT, [cid, cuid, pid])
}

export function lockPersona(db: Db, pid: number) {
  return db.row<PersonaRow>(
    `select ${COLUMNS} from persona p join campaign c using (cid)
     where p.pid = $1 and p.deleted_at is null and c.deleted_at is null for update of p`,
    [pid],
  )
}

/** The personas with this id of the app's system, locked for update. */
export function lockPersonasByExternalId(db: Db, cid: number, externalId: string, limit: number) {
  return db.rows<{ pid: number }>(
    `select pid from persona
     where cid = $1 and external_id = $2 and deleted_at is null order by pid limit $3 for update`,
    [cid, externalId, limit],
  )
}

/** One row at least if there is such a campaign. */
export function selectPersonas(db: Db, cuid: number, cid: number, { after, limit, since }: Page) {
  return db.rows<(PersonaRow & { deleted_at?: Date }) | NoPersona>(
    `select ${COLUMNS}${since ? ', p.deleted_at' : ''} from campaign c
     left join lateral (
       select ${OWN}${since ? ', deleted_at' : ''} from persona
       where persona.cid = c.cid and pid > $3 and ${since ? 'deleted_at is not null and deleted_at > $5' : 'deleted_at is null'}
       order by pid limit $4
     ) p on true
     where c.cid = $1 and c.cuid = $2 and c.deleted_at is null order by p.pid`,
    [cid, cuid, after, limit, ...(since ? [since] : [])],
  )
}

/** The row must be locked. A thousand places are neither sent nor written again if only other fields have changed. */
export async function updatePersona(
  db: Db,
  row: PersonaRow,
  now: Date,
  before: PersonaRow,
): Promise<PersonaRow> {
  const movesPlaces = row.geo !== before.geo
  const changed = await db.row<{ version: number; updated_at: Date }>(
    `update persona set updated_at = $2, version = version + 1, name = $3, cat = $4, device = $5, demo = $6,
       enabled = $7, external_id = $8, metadata = $9, attributes = $10, unseen_values = $11, rotation = $12,
       geo = coalesce($13, geo), unknown_places = coalesce($14, unknown_places)
     where pid = $1 returning version, updated_at`,
    [row.pid, now, ...ownValues(row), ...(movesPlaces ? placeValues(row) : [null, null])],
  )
  return { ...row, ...changed! }
}

export function setDeleted(db: Db, pid: number, deletedAt: Date) {
  return db.run('update persona set deleted_at = $2, version = version + 1 where pid = $1', [pid, deletedAt])
}
