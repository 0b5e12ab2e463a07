// The only verb of bulk: operations run one after another in one transaction, each after a savepoint, so that a failed
// one leaves nothing behind. All named campaigns are locked first, in the order of their ids, so that two bulk calls
// never deadlock.

import { setImmediate } from 'node:timers/promises'
import { withoutNewIds } from '../../http/dry-run.ts'
import type { EndpointSpec } from '../../http/endpoint.ts'
import { toProblem } from '../../http/errors.ts'
import type { StoredAnswer } from '../../http/idempotency.ts'
import { weightOf } from '../../http/pieces.ts'
import { type FieldError, fieldError } from '../../kernel/errors/field-error.ts'
import { invalidInput, refusal, shownProblem } from '../../kernel/errors/problem.ts'
import type { Db } from '../../platform/database.ts'
import {
  type BulkAnswer,
  type BulkOperation,
  type BulkRequest,
  type BulkResult,
  MOST_ANSWERED,
} from './contract.ts'
import { lockCampaigns, releaseSavepoint, rollBackToSavepoint, setSavepoint } from './queries.ts'

/** Runs one operation as its endpoint does. */
export type Perform = (operation: BulkOperation, params: Record<string, string>) => Promise<StoredAnswer>

export interface BulkParts {
  endpoints: ReadonlyMap<string, EndpointSpec>
  perform: Perform
}

export async function runBulk(
  db: Db,
  cuid: number,
  { operations, atomic }: BulkRequest,
  dryRun: boolean,
  parts: BulkParts,
): Promise<BulkAnswer> {
  const cids = operations.flatMap(({ cid }) => (cid === undefined ? [] : [cid]))
  await lockCampaigns(db, cuid, [...new Set(cids)])
  const results: BulkResult[] = []
  let characters = 0
  for (const operation of operations) {
    const result = characters < MOST_ANSWERED ? await runOne(db, operation, parts) : tooMuch(operation)
    results.push(result)
    characters += weightOf(result.answer)
    // However fast the database answers, everybody else gets their turn in between.
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

/** Some operations answer with half a megabyte each, and their history has as much again. */
function tooMuch({ op }: BulkOperation): BulkResult {
  const problem = refusal('too_much_answered', { max: MOST_ANSWERED })
  return { op, status: problem.status, error: shownProblem(problem) }
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

/** The result of an operation that was rolled back: what it would have created has no id. */
function undone({ etag, ...result }: BulkResult, { endpoints }: BulkParts): BulkResult {
  const { makes } = endpoints.get(result.op)!
  if (makes && result.answer) return { ...result, answer: withoutNewIds(result.answer, makes) as object }
  return etag === undefined ? result : { ...result, etag }
}

const IDS = ['cid', 'fid', 'pid', 'bid'] as const

/** Takes the ids that the endpoint's path needs and refuses all others: a superfluous id is a mistake too. */
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
