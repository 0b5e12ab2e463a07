// Undoes one change by making the call that a person would make, so all rules, rights and ceilings apply, and the
// history shows it as an ordinary change.

import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../../kernel/caller.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import type { Db } from '../../platform/database.ts'
import type { UndoneChange } from './contract.ts'
import { type ChangeRow, isLastChange, lockAnyCampaign, selectChange } from './queries.ts'

export interface UndoParts {
  /** The fields that an edit of this noun accepts. */
  fieldsOf(operation: string): readonly string[]
  /** Makes a call by its operation id, as the same caller and in the same transaction. */
  perform(operation: string, params: Record<string, string>, body: unknown): Promise<unknown>
}

type Way = { by: Exclude<UndoneChange['by'], 'edit'> } | { by: 'edit'; body: Record<string, unknown> }

export async function undoChange(
  tx: Db,
  caller: Caller,
  cuid: number,
  idText: string,
  { fieldsOf, perform }: UndoParts,
): Promise<UndoneChange> {
  const auditId = parseId(idText)
  const change = auditId === null ? null : await selectChange(tx, cuid, auditId)
  // A pair of some campaigns does not learn what has become of others.
  if (change && caller.level === 'customer' && caller.cids?.includes(change.cid) === false)
    throw refusal('campaign_not_allowed')
  if (!change || !(await lockAnyCampaign(tx, cuid, change.cid))) throw notFound('entry of the history')
  const { noun, id } = change
  if (!(await isLastChange(tx, change))) throw refusal('undo_outdated', { noun, id })
  const operationOf = (verb: string) => `${verb}${noun[0]!.toUpperCase()}${noun.slice(1)}`
  const way = wayBack(change, fieldsOf(operationOf('edit')))
  if (!way) throw refusal('undo_impossible', { noun, id })
  await perform(operationOf(way.by), pathOf(change), way.by === 'edit' ? way.body : undefined)
  return { id: change.audit_id, noun, nounId: id, by: way.by }
}

/** Null if it changed nothing that a caller could change. */
function wayBack({ noun, before, after }: ChangeRow, fields: readonly string[]): Way | null {
  if (before === null) return after && { by: 'delete' }
  if (after === null) return { by: 'restore' }
  const changed = fields.filter(name => !isDeepStrictEqual(before[name], after[name]))
  const wasSwitched = noun !== 'flight' && before.enabled !== after.enabled
  if (wasSwitched && changed.every(name => name === 'enabled'))
    return { by: before.enabled ? 'resume' : 'pause' }
  if (changed.length === 0) return null
  return { by: 'edit', body: Object.fromEntries(changed.map(name => [name, before[name] ?? null])) }
}

const OWN_ID = { campaign: 'cid', flight: 'fid', persona: 'pid', banner: 'bid' }

function pathOf({ noun, id, cid, before, after }: ChangeRow): Record<string, string> {
  const { pid } = (before ?? after) as { pid?: number }
  return {
    cid: String(cid),
    ...(noun === 'banner' ? { pid: String(pid) } : {}),
    [OWN_ID[noun]]: String(id),
  }
}
