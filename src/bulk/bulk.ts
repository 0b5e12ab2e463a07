// The one verb of bulk: operations run one after another in one transaction, each behind a savepoint, so that a failed
// one leaves nothing behind. All campaigns that are named are locked first, in the order of their ids, so two bulk
// calls never deadlock.

import { setImmediate } from 'node:timers/promises'
import { withoutNewIds } from '../http/dry-run.ts'
import type { EndpointSpec } from '../http/endpoint.ts'
import { toProblem } from '../http/errors.ts'
import type { StoredAnswer } from '../http/idempotency.ts'
import { type FieldError, fieldError } from '../kernel/field-error.ts'
import { invalidInput, shownProblem } from '../kernel/problem.ts'
import type { Db } from '../platform/database.ts'
import type { BulkAnswer, BulkOperation, BulkRequest, BulkResult } from './contract.ts'
import { lockCampaigns, releaseSavepoint, rollBackToSavepoint, setSavepoint } from './queries.ts'

/** One operation as its endpoint does it. */
export type Perform = (operation: BulkOperation, params: Record<string, string>) => Promise<StoredAnswer>

export interface BulkParts {
  endpoints: ReadonlyMap<string, EndpointSpec>
  perform: Perform
}

export async function runBulk(
  db: Db,
  cuid: number,
  { operations, atomic = false }: BulkRequest,
  dryRun: boolean,
  parts: BulkParts,
): Promise<BulkAnswer> {
  const cids = operations.flatMap(({ cid }) => (cid === undefined ? [] : [cid]))
  await lockCampaigns(db, cuid, [...new Set(cids)])
  const results: BulkResult[] = []
  for (const operation of operations) {
    results.push(await runOne(db, operation, parts))
    // However much the database answers at once, everybody else gets their turn in between.
    await setImmediate()
  }
  const failed = results.filter(result => result.error).length
  const applied = !dryRun && !(atomic && failed > 0)
  return {
    applied,
    succeeded: results.length - failed,
    failed,
    results: applied ? results : results.map(result => undone(result, parts)),
  }
}

async function runOne(db: Db, operation: BulkOperation, parts: BulkParts): Promise<BulkResult> {
  const { op } = operation
  await setSavepoint(db)
  try {
    const params = paramsOf(parts.endpoints.get(op)!, operation)
    const { status, headers, body } = await parts.perform(operation, params)
    return { op, status, ...(headers.etag ? { etag: headers.etag } : {}), answer: body as object }
  } catch (error) {
    const problem = toProblem(error)
    // A bug or an unreachable database fails the whole call.
    if (problem.status >= 500) throw error
    await rollBackToSavepoint(db)
    return { op, status: problem.status, error: shownProblem(problem) }
  } finally {
    await releaseSavepoint(db).catch(() => {})
  }
}

/** As it would have been: what it creates has no id. */
function undone({ etag, ...result }: BulkResult, { endpoints }: BulkParts): BulkResult {
  const { makes } = endpoints.get(result.op)!
  if (makes && result.answer) return { ...result, answer: withoutNewIds(result.answer, makes) as object }
  return etag === undefined ? result : { ...result, etag }
}

const IDS = ['cid', 'fid', 'pid', 'bid'] as const

/** What the endpoint's path needs, and nothing else: a superfluous id is a mistake too. */
function paramsOf(endpoint: EndpointSpec, operation: BulkOperation): Record<string, string> {
  const params: Record<string, string> = {}
  const errors: FieldError[] = []
  const by = { operation: endpoint.id }
  for (const name of IDS) {
    const id = operation[name]
    const isNeeded = endpoint.path.split('/').includes(`:${name}`)
    if (isNeeded && id === undefined) errors.push(fieldError(`/${name}`, 'required_for', by))
    if (!isNeeded && id !== undefined) errors.push(fieldError(`/${name}`, 'not_used_by', by))
    if (id !== undefined) params[name] = String(id)
  }
  const honours = endpoint.etag && endpoint.method !== 'POST'
  if (operation.ifMatch !== undefined && !honours) {
    errors.push(fieldError('/ifMatch', 'not_honoured_by', by))
  }
  if (operation.body !== undefined && !endpoint.body) {
    errors.push(fieldError('/body', 'not_used_by', by))
  }
  if (errors.length > 0) throw invalidInput(errors)
  return params
}
