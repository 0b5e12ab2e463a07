// The verbs of personas: create, list, read, edit, pause, resume, remove. A persona is reached only through its own
// campaign and customer; under any other it does not exist. An edit without a change leaves no trace.

import { recordChange } from '../../changes/changes.ts'
import type { Tx } from '../../changes/tx.ts'
import { deletionOf, type RestoreTimes, restorableSince } from '../../http/deleted.ts'
import { asRead, etagOf } from '../../http/etag.ts'
import type { Caller } from '../../kernel/caller.ts'
import { notFound } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import { type Clock, toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { NewPersona, Persona, PersonaEdit } from './contract.ts'
import {
  insertPersona,
  lockPersona,
  type NoPersona,
  type PersonaFields,
  type PersonaRow,
  selectDeletedPersonas,
  selectPersona,
  selectPersonas,
  setDeleted,
  updatePersona,
} from './queries.ts'
import { audienceOf, changesOf, fieldsOf } from './rules.ts'
import { warningsOf } from './unknown-places.ts'

export interface FoundPersona {
  persona: Persona
  cuid: number
  etag: string
}

/** Who changes a persona, when, and on which condition. */
export interface Change {
  caller: Caller
  ifMatch: string | null
  clock: Clock
}

/** Throws what `createPersona` would throw, but creates nothing. */
export function checkNewPersona(body: NewPersona): void {
  audienceOf(body)
}

export async function createPersona(
  db: Tx,
  cuid: number,
  cid: number,
  body: NewPersona,
  { caller, clock }: Omit<Change, 'ifMatch'>,
): Promise<FoundPersona> {
  const now = new Date(clock.nowMs())
  const row = await insertPersona(db, cuid, cid, fieldsOf(body), now)
  if (!row) throw notFound('campaign')
  const created = found(cuid, row)
  await record(db, 'create', caller, now, created, null, created.persona)
  return created
}

export async function listPersonas(
  db: Db,
  cuid: number,
  cidText: string,
  after: number,
  limit: number,
): Promise<Persona[]> {
  const cid = parseId(cidText)
  const rows = cid === null ? [] : await selectPersonas(db, cuid, cid, after, limit)
  if (rows.length === 0) throw notFound('campaign')
  return rows.filter(row => row.pid !== null).map(row => toPersona(row as PersonaRow))
}

/** The personas that can still be restored. */
export async function listDeletedPersonas(
  db: Db,
  cuid: number,
  cidText: string,
  after: number,
  limit: number,
  times: RestoreTimes,
): Promise<Persona[]> {
  const cid = parseId(cidText)
  const since = restorableSince(times)
  const rows = cid === null ? [] : await selectDeletedPersonas(db, cuid, cid, after, limit, since)
  if (rows.length === 0) throw notFound('campaign')
  return rows
    .filter(row => row.pid !== null)
    .map(row => ({ ...toPersona(row), ...deletionOf(row.deleted_at, times) }))
}

/** The persona of a path's `:cid` and `:pid`, in one statement. Throws 404 for a missing campaign or persona. */
export async function findPersona(
  db: Db,
  cuid: number,
  cidText: string,
  pidText: string,
): Promise<FoundPersona> {
  const cid = parseId(cidText)
  if (cid === null) throw notFound('campaign')
  // No persona has id 0, so even text that is not an id shows which of the two is missing.
  const row = await selectPersona(db, cuid, cid, parseId(pidText) ?? 0)
  if (!row) throw notFound('campaign')
  if (!isThere(row)) throw notFound('persona')
  return found(cuid, row)
}

/** Replaces each supplied field as a whole. */
export async function editPersona(
  db: Tx,
  target: FoundPersona,
  edit: PersonaEdit,
  change: Change,
): Promise<FoundPersona> {
  const edited = await update(db, target, 'edit', changesOf(edit), change)
  const { enabled = null } = edit
  if (enabled === null) return edited
  return (enabled ? resumePersona : pausePersona)(db, edited, { ...change, ifMatch: null })
}

export function pausePersona(db: Tx, target: FoundPersona, change: Change): Promise<FoundPersona> {
  return update(db, target, 'pause', { enabled: false }, change)
}

export function resumePersona(db: Tx, target: FoundPersona, change: Change): Promise<FoundPersona> {
  return update(db, target, 'resume', { enabled: true }, change)
}

export async function deletePersona(db: Tx, target: FoundPersona, change: Change): Promise<void> {
  const row = await lock(db, target, change.ifMatch)
  const now = new Date(change.clock.nowMs())
  await setDeleted(db, row.pid, now)
  await record(db, 'delete', change.caller, now, target, toPersona(row), null)
}

async function update(
  db: Tx,
  target: FoundPersona,
  action: string,
  changes: Partial<PersonaFields>,
  { caller, ifMatch, clock }: Change,
): Promise<FoundPersona> {
  const row = await lock(db, target, ifMatch)
  const before = toPersona(row)
  const wanted = { ...row, ...changes }
  if (sameJson(toPersona(wanted), before)) return found(target.cuid, row)
  const now = new Date(clock.nowMs())
  const changed = found(target.cuid, await updatePersona(db, wanted, now, changes.geo !== undefined))
  await record(db, action, caller, now, changed, before, changed.persona)
  return changed
}

async function lock(db: Db, { persona }: FoundPersona, ifMatch: string | null): Promise<PersonaRow> {
  return asRead(await lockPersona(db, persona.pid), 'persona', persona.pid, ifMatch)
}

function record(
  db: Tx,
  action: string,
  caller: Caller,
  at: Date,
  { persona: { pid, cid }, cuid }: FoundPersona,
  before: Persona | null,
  after: Persona | null,
): Promise<void> {
  const change = { at, noun: 'persona' as const, id: pid, action, cuid, cid, actor: caller.key }
  return recordChange(db, { ...change, before, after })
}

function isThere(row: PersonaRow | NoPersona): row is PersonaRow {
  return row.pid !== null
}

function found(cuid: number, row: PersonaRow): FoundPersona {
  return { persona: toPersona(row), cuid, etag: etagOf(row.pid, row.version) }
}

/**
 * Creates a persona with the fields of another, whose targeting was already checked when it was saved. `keepsId`:
 * copies the `externalId` too, because the campaign is copied as well.
 */
export async function copyPersona(
  db: Tx,
  cuid: number,
  { persona }: FoundPersona,
  into: { cid: number; name: string; keepsId: boolean },
  { caller, clock }: Omit<Change, 'ifMatch'>,
): Promise<FoundPersona> {
  const now = new Date(clock.nowMs())
  const source = await lockPersona(db, persona.pid)
  if (!source) throw notFound('persona')
  const external_id = into.keepsId ? source.external_id : null
  const row = await insertPersona(db, cuid, into.cid, { ...source, name: into.name, external_id }, now)
  if (!row) throw notFound('campaign')
  const copy = found(cuid, row)
  await record(db, 'create', caller, now, copy, null, copy.persona)
  return copy
}

/** Always has its keys in the same order, because jsonb keeps none and `sameJson` relies on it. */
function toPersona(row: PersonaRow): Persona {
  const { geo, device, demo } = row
  return {
    pid: row.pid,
    cid: row.cid,
    name: row.name,
    geo: 'geos' in geo ? { geos: geo.geos } : { radius: geo.radius, geocode: geo.geocode },
    cat: row.cat,
    device: { mobile: device.mobile, tablet: device.tablet, desktop: device.desktop },
    demo: {
      gender: demo.gender && {
        male: demo.gender.male,
        female: demo.gender.female,
        unknown: demo.gender.unknown,
      },
      age: demo.age && {
        '13to17': demo.age['13to17'],
        '18to34': demo.age['18to34'],
        '35to49': demo.age['35to49'],
        '50+': demo.age['50+'],
      },
    },
    enabled: row.enabled,
    start: toSeconds(row.start_at),
    end: toSeconds(row.end_at),
    warnings: warningsOf(geo, row.unknown_places),
    externalId: row.external_id,
    metadata: row.metadata,
    created: toSeconds(row.created_at),
    updated: toSeconds(row.updated_at),
  }
}

function sameJson(a: Persona, b: Persona): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
