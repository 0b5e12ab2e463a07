// The verbs of personas: create, list, read, edit, pause, resume, remove. A persona is reached only through its own
// campaign and customer; under any other it does not exist. An edit without a change leaves no trace.

import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../changes/tx.ts'
import { etagOf } from '../../http/etag.ts'
import { notFound } from '../../kernel/errors/problem.ts'
import { toSeconds } from '../../kernel/time/clock.ts'
import type { Db } from '../../platform/database.ts'
import type { SeenValue } from '../attributes/seen-value.ts'
import { declaredFor, unseenFinding, unseenIn, wantedInOrder } from '../attributes/wanted.ts'
import {
  type Acting,
  change,
  deletionIn,
  idIn,
  type Kind,
  type Page,
  type PathIds,
  type Restoring,
  record,
  remove,
} from '../noun.ts'
import type { NewPersona, Persona, PersonaEdit, Warning } from './contract.ts'
import {
  insertPersona,
  lockPersona,
  type NoPersona,
  type PersonaRow,
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

type Target = Pick<FoundPersona, 'persona'>

const personas: Kind<'pid', PersonaRow> = {
  noun: 'persona',
  id: 'pid',
  show: toPersona,
  lock: lockPersona,
  update: updatePersona,
  hide: setDeleted,
}

/** Throws what `createPersona` would throw, but creates nothing. */
export async function checkNewPersona(
  db: Db,
  { caller }: Pick<Acting, 'caller'>,
  body: NewPersona,
): Promise<void> {
  audienceOf(body, await declaredFor(db, caller, body.attributes))
}

export async function createPersona(
  tx: Tx,
  call: Acting,
  { cid }: { cid: number },
  body: NewPersona,
): Promise<FoundPersona> {
  const now = new Date(call.clock.nowMs())
  const fields = fieldsOf(body, await declaredFor(tx, call.caller, body.attributes))
  const unseen_values = await unseenIn(tx, call.caller.appId, fields.attributes, now.getTime())
  return created(tx, call, now, await insertPersona(tx, call.cuid, cid, { ...fields, unseen_values }, now))
}

async function created(tx: Tx, call: Acting, now: Date, row: PersonaRow | null): Promise<FoundPersona> {
  if (!row) throw notFound('campaign')
  await record(tx, call, personas, now, 'create', null, row)
  return found(call.cuid, row)
}

export async function listPersonas(
  db: Db,
  { cuid, ...times }: { cuid: number } & Restoring,
  ids: PathIds,
  page: Page,
): Promise<Persona[]> {
  const cid = idIn(ids, 'cid')
  const rows = cid === null ? [] : await selectPersonas(db, cuid, cid, page)
  if (rows.length === 0) throw notFound('campaign')
  return rows.filter(isThere).map(row => ({ ...toPersona(row), ...deletionIn(row, times) }))
}

/** The persona of a path's `:cid` and `:pid`, in one statement. Throws 404 for a missing campaign or persona. */
export async function findPersona(db: Db, { cuid }: { cuid: number }, ids: PathIds): Promise<FoundPersona> {
  const cid = idIn(ids, 'cid')
  if (cid === null) throw notFound('campaign')
  // No persona has id 0, so even text that is not an id shows which of the two is missing.
  const row = await selectPersona(db, cuid, cid, idIn(ids, 'pid') ?? 0)
  if (!row) throw notFound('campaign')
  if (!isThere(row)) throw notFound('persona')
  return found(cuid, row)
}

/** Replaces each supplied field as a whole. */
export async function editPersona(
  tx: Tx,
  call: Acting,
  target: Target,
  edit: PersonaEdit,
): Promise<FoundPersona> {
  const declared = await declaredFor(tx, call.caller, edit.attributes)
  const row = await change(tx, call, personas, target.persona.pid, 'edit', async before => {
    const changes = changesOf(edit, declared, wantedInOrder(before.attributes))
    const { attributes } = changes
    // What stays the same keeps its warnings.
    if (!attributes || isDeepStrictEqual(wantedInOrder(attributes), wantedInOrder(before.attributes)))
      return { ...changes, ...(attributes && { attributes: before.attributes }) }
    return {
      ...changes,
      unseen_values: await unseenIn(tx, call.caller.appId, attributes, call.clock.nowMs()),
    }
  })
  const { enabled = null } = edit
  const edited = found(call.cuid, row)
  return enabled === null ? edited : setEnabled(tx, { ...call, ifMatch: null }, edited, enabled)
}

export async function setEnabled(
  tx: Tx,
  call: Acting,
  { persona: { pid } }: Target,
  enabled: boolean,
): Promise<FoundPersona> {
  const action = enabled ? 'resume' : 'pause'
  return found(call.cuid, await change(tx, call, personas, pid, action, () => ({ enabled })))
}

export function deletePersona(tx: Tx, call: Acting, { persona: { pid } }: Target) {
  return remove(tx, call, personas, pid)
}

function isThere<Row extends PersonaRow>(row: Row | NoPersona): row is Row {
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
  tx: Tx,
  call: Acting,
  { persona: { pid } }: Target,
  { cid, name, keepsId }: { cid: number; name: string; keepsId: boolean },
): Promise<FoundPersona> {
  const now = new Date(call.clock.nowMs())
  const source = await lockPersona(tx, pid)
  if (!source) throw notFound('persona')
  const external_id = keepsId ? source.external_id : null
  return created(
    tx,
    call,
    now,
    await insertPersona(tx, call.cuid, cid, { ...source, name, external_id }, now),
  )
}

/** Always has its keys in the same order, because jsonb keeps none. */
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
    attributes: wantedInOrder(row.attributes),
    rotation: row.rotation,
    enabled: row.enabled,
    start: toSeconds(row.start_at),
    end: toSeconds(row.end_at),
    warnings: [...warningsOf(geo, row.unknown_places), ...row.unseen_values.map(toWarning)],
    externalId: row.external_id,
    metadata: row.metadata,
    created: toSeconds(row.created_at),
    updated: toSeconds(row.updated_at),
  }
}

function toWarning(unseen: SeenValue): Warning {
  return { path: `/attributes/${unseen.key}`, ...unseenFinding(unseen), suggestion: null }
}
